#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "core/progress.h"
#include "core/result.h"
#include "mesh/weight_formats.h"
#include "rig/character.h"

namespace pelt::gltf {

enum class FileForm {
  kBinary,    ///< one .glb
  kSeparate,  ///< a .gltf with a .bin and images beside it
  kEmbedded,  ///< one .gltf that holds everything as base64
};

struct ExportOptions {
  FileForm form = FileForm::kBinary;
  std::string stem = "model";  ///< of the file's name; those beside a .gltf are named after it
  /// kFloat, kUnorm16 or kUnorm8; the integers of a vertex sum to 65535 or 255 over all its sets.
  mesh::WeightFormat weights = mesh::WeightFormat::kFloat;
  /// Floating-point weights sum to what the source's did, not to 1.
  bool sums_as_stored = true;
  /// KHR_mesh_quantization, see rig::on_unit_grid(): positions 16 bits of the box that the meshes of a skin share (off
  /// by at most half of 1/65535 of its longest side per axis, morph deltas by twice that times their weight), normals
  /// and tangents 8 bits (0.4 degrees), texture coordinates and colours between 0 and 1 16 bits.
  bool quantize = false;
  /// Rotation keys of STEP and LINEAR tracks as normalised 16-bit integers (off by at most 0.005 degrees).
  bool short_rotations = false;
  /// EXT_meshopt_compression of every view that it makes smaller. Nothing is rounded; triangles may begin at another
  /// corner.
  bool meshopt = false;
  /// What export_file() neither replaces nor removes, beside the file that the character came from.
  std::vector<std::filesystem::path> keep = {};
};

struct ExportedFile {
  std::string name;  ///< without folder
  std::vector<std::uint8_t> bytes;
};

struct Exported {
  std::vector<ExportedFile> files;  ///< the first is the one to open, the others are named by it
  Diagnostics notes;                ///< what could not be kept
};

/// Writes a character as glTF 2.0: nodes with their numbers in the source file, skins, meshes with any number of
/// influences (sets of four), morph targets, materials, images (their encoded form), clips, cameras, lights, scenes,
/// DOFs as `extras.pelt.dofs`, control points of NURBS surfaces as `extras.pelt.nurbs`, and what of the source file was
/// not understood. Deterministic: the same character gives the same bytes on any machine.
/// @param progress  asked before each primitive and each image, from half the way on; stopping there is an error
Result<Exported> export_character(const rig::Character& character, const ExportOptions& options,
                                  const Progress& progress = {});

/// The same as one binary file with the defaults of ExportOptions.
Result<std::vector<std::uint8_t>> export_glb(const rig::Character& character);

/// export_character() into new files that are renamed into place once all are written, the one to open last: whatever
/// happens, the old or the new character is whole. Refuses to replace the file that the character came from. Buffers
/// and pictures beside a .gltf are named after their content and replace nothing; those of an earlier write under the
/// same name that nothing in the folder mentions any more are removed. `options.stem` is that of `path`.
/// @param notes     if given, receives what could not be kept
/// @param progress  as in export_character(), and asked once more before files are touched
Status export_file(const rig::Character& character, const std::filesystem::path& path,
                   const ExportOptions& options = {}, Diagnostics* notes = nullptr, const Progress& progress = {});

}  // namespace pelt::gltf
