#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pelt::mesh {

/// How a number is stored: two's complement or IEEE 754, of 8, 16 or 32 bits.
enum class NumberType { kByte, kUnsignedByte, kShort, kUnsignedShort, kUnsignedInt, kFloat };

/// An attribute that nothing here gives a meaning, as its file stores it, so that writing gives it back bit for bit.
struct KeptAttribute {
  std::string name;  ///< "_FEATURE_ID", "TEXCOORD_2"
  NumberType type = NumberType::kFloat;
  bool normalized = false;  ///< integers stand for -1 or 0 to 1
  int rows = 1;             ///< 1 to 4
  int columns = 1;          ///< 2 to 4: a matrix of as many rows
  /// Elements without gaps between them; the columns of a matrix begin at multiples of four bytes.
  std::vector<std::uint8_t> bytes = {};

  [[nodiscard]] std::size_t element_size() const;
  [[nodiscard]] std::size_t count() const { return bytes.size() / element_size(); }
  /// Whether elements of both can stand in one array.
  [[nodiscard]] bool is_like(const KeptAttribute& other) const;
  bool operator==(const KeptAttribute&) const = default;
};

/// Bytes of one number.
std::size_t size_of(NumberType type);

/// "SCALAR", "VEC3", "MAT4".
std::string shape_name(const KeptAttribute& attribute);

/// "VEC2 of UNSIGNED_BYTE, normalised", in glTF's words.
std::string form_name(const KeptAttribute& attribute);

/// "_FEATURE_ID (VEC2 of UNSIGNED_BYTE, normalised)".
std::string label(const KeptAttribute& attribute);

/// The elements that are named, in that order. @pre each is less than from.count()
KeptAttribute gathered(const KeptAttribute& from, std::span<const std::uint32_t> elements);

}  // namespace pelt::mesh
