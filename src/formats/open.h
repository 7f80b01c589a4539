#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/progress.h"
#include "core/result.h"
#include "gltf/import.h"
#include "rig/character.h"

namespace pelt::formats {

/// A kind of file that characters come from.
enum class Format { kGltf, kObj, kPly, kBvh };

/// By how the content begins where that is telling ("glTF", "ply", "HIERARCHY", a brace), else by the extension of
/// `path`, in any case; glTF, whose reader says best what a file is not, where neither tells.
Format format_of(std::span<const std::uint8_t> bytes, const std::filesystem::path& path);

/// What a person may name wherever a character is expected: "@mannequin" for a bundled one, else the path of a file of
/// any format. The one door for window and verbs.
Result<rig::Character> open_character(const std::string& name, const gltf::ImportOptions& options = {},
                                      const Progress& progress = {});

/// The same from memory, told by its content alone; an OBJ file has none that is telling, and is tried where a text
/// begins with none of the others. It opens no files.
Result<rig::Character> import_memory(std::span<const std::uint8_t> bytes, const gltf::ImportOptions& options = {},
                                     const Progress& progress = {});

}  // namespace pelt::formats
