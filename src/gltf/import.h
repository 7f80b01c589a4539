#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "core/file.h"
#include "core/progress.h"
#include "core/result.h"
#include "rig/character.h"

namespace pelt::gltf {

struct ImportOptions {
  bool decode_images = true;
  /// Allows URIs that leave the file's own folder. Never set from a file's content.
  bool allow_outside_uris = false;
  /// Largest image side in pixels that is decoded.
  int max_image_size = 16384;
  /// Adds what the specification forbids to the diagnostics, as errors; see conformance.h. Costs as much as reading.
  bool check_conformance = false;
  /// Receives what was read beside the file: buffers, pictures, material libraries, under each of the names that the
  /// file gives them. Nobody wants to write over these.
  std::vector<StampedFile>* files = nullptr;
};

/// Reads a .gltf or .glb file. Everything the file claims is validated; what is odd but usable becomes a diagnostic of
/// the character, what is not usable an error of one sentence. Runs without OpenGL, safe on any thread, cancellable.
Result<rig::Character> import_file(const std::filesystem::path& path, const ImportOptions& options = {},
                                   const Progress& progress = {});

/// The same from memory. @param base_folder  where relative URIs are looked up; empty forbids external files
Result<rig::Character> import_memory(std::span<const std::uint8_t> bytes, const std::filesystem::path& base_folder,
                                     const ImportOptions& options = {}, const Progress& progress = {});

}  // namespace pelt::gltf
