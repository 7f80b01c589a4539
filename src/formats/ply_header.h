#pragma once

// Internal to the module: what a PLY file says of its content before that begins.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace pelt::formats {

enum class PlyEncoding { kAscii, kLittleEndian, kBigEndian };
enum class PlyScalar { kInt8, kUint8, kInt16, kUint16, kInt32, kUint32, kFloat32, kFloat64 };

std::size_t size_of(PlyScalar type);
bool is_real(PlyScalar type);
/// What a whole number's type can hold at most: colours are shares of it. 1 for real numbers.
double largest_of(PlyScalar type);

struct PlyProperty {
  std::string name;
  PlyScalar type = PlyScalar::kFloat32;
  std::optional<PlyScalar> count_type;  ///< of a list
};

struct PlyElement {
  std::string name;
  std::size_t count = 0;
  std::vector<PlyProperty> properties;
};

struct PlyHeader {
  PlyEncoding encoding = PlyEncoding::kAscii;
  std::vector<PlyElement> elements;
  std::size_t lines = 0;  ///< before the body
  std::string_view body;  ///< the rest of the text
};

/// @param text  of the whole file; the header's body lies in it
Result<PlyHeader> read_ply_header(std::string_view text);

}  // namespace pelt::formats
