#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"

namespace pelt::gltf {

/// A file as it lies on the disk, opened: what check_conformance() looks at.
struct ConformanceInput {
  std::span<const std::uint8_t> bytes;  ///< the whole file
  std::string_view json;                ///< its text, without byte order mark
  bool is_binary = false;
  bool has_bin = false;  ///< a BIN chunk
  /// Of each buffer its bytes as far as they could be opened, not shortened to its byteLength.
  std::vector<std::span<const std::uint8_t>> buffers;
  /// Of each buffer and image why its URI could not be opened; empty where it could, or has none.
  std::vector<std::string> buffer_problems;
  std::vector<std::string> image_problems;
  /// Of each image its bytes as stored, where they could be opened.
  std::vector<std::span<const std::uint8_t>> images;
};

/// What the glTF 2.0 specification forbids and the file has all the same, as errors: the JSON by its schema, what
/// refers to what, formats and layout of accessors, and the numbers in them. Agrees with the Khronos validator on what
/// is an error; at most kMostNonconformities are listed. Source: Khronos Group, "glTF 2.0 Specification",
/// version 2.0.1, with the extensions of the KHR and EXT namespaces
///         that the validator knows (EXT_texture_webp, KHR_lights_punctual, KHR_materials_*, KHR_mesh_quantization,
///         ...).
/// @pre  the text was accepted by outline_json(), so that nesting and the number of values are bounded
/// Where that budget ends, a warning says so: "unchecked".
/// @cost O(bytes), and for each accessor the elements it has, up to a budget in proportion to the file
Diagnostics check_conformance(const ConformanceInput& input);
inline constexpr std::size_t kMostNonconformities = 200;

}  // namespace pelt::gltf
