#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace pelt::gltf {

/// The two parts of a file. Both point into its bytes.
struct Container {
  std::string_view json;
  std::span<const std::uint8_t> bin;  ///< the BIN chunk; empty for a .gltf or where there is none
  bool binary = false;
  bool extra_chunks = false;  ///< chunks that no one reads follow
};

/// Splits a .glb by its header and chunk lengths, or takes the whole as the text of a .gltf (without byte order mark).
Result<Container> split_container(std::span<const std::uint8_t> bytes);

/// The key under which the outline hands on the file's list of lights: tinygltf refuses a whole file for one bad light
/// of KHR_lights_punctual, but leaves alone what it does not know.
inline constexpr const char* kLightsKey = "read:KHR_lights_punctual";

/// Bytes of the JSON pointer to an object whose extras are kept. The longest of glTF's own has some hundred.
inline constexpr std::size_t kLongestPlace = 256;

/// An `extras` or `extensions` member that lies in no other one, as it stands in the file.
struct ExtraText {
  std::string place;       ///< JSON pointer of the object that has it: "/nodes/3"; empty: the root object
  bool extension = false;  ///< else extras
  std::string_view text;   ///< its value
};

/// A glTF text made fit for parsers that recurse and copy, found in one pass without building a tree.
struct Outline {
  std::string
      text;  ///< the text, `buffers` and `images` null, lights renamed, animation targets without `node` given node -1
  std::string buffers;                      ///< text of the array `buffers`, long data URIs replaced by "data:#k"
  std::string images;                       ///< text of the array `images`, likewise
  std::vector<std::string_view> data_uris;  ///< number k, as it stands in the file
  /// Elements of `accessors` without a buffer view. In the text they have number 0, because tinygltf 2.8 refuses
  /// indices that lie in none, as those of Draco's primitives do.
  std::vector<std::size_t> accessors_without_view;
  std::vector<ExtraText> extras;   ///< all but those ignored, in the file's order
  std::size_t ignored_extras = 0;  ///< `extras` and `extensions` replaced by null because there are too many values
};

/// Fails where nesting is deeper than 500 levels, where there are more values or elements than a parser's trees may
/// hold in memory, and where a number that counts or names something is no whole non-negative number, or no index that
/// fits an int. Other faults of
/// the grammar are left for the parser to find.
Result<Outline> outline_json(std::string_view json);

}  // namespace pelt::gltf
