#include "mesh/kept_attribute.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "core/text.h"

namespace pelt::mesh {

std::size_t size_of(NumberType type) {
  constexpr std::array<std::size_t, 6> kSizes = {1, 1, 2, 2, 4, 4};
  return kSizes[static_cast<std::size_t>(type)];
}

std::size_t KeptAttribute::element_size() const {
  const std::size_t column = static_cast<std::size_t>(rows) * size_of(type);
  return columns == 1 ? column : static_cast<std::size_t>(columns) * ((column + 3) / 4 * 4);
}

bool KeptAttribute::is_like(const KeptAttribute& other) const {
  return name == other.name && type == other.type && normalized == other.normalized && rows == other.rows &&
         columns == other.columns;
}

std::string shape_name(const KeptAttribute& attribute) {
  return attribute.columns > 1 ? fmt::format("MAT{}", attribute.columns)
         : attribute.rows > 1  ? fmt::format("VEC{}", attribute.rows)
                               : std::string("SCALAR");
}

std::string form_name(const KeptAttribute& attribute) {
  constexpr std::array<std::string_view, 6> kTypes = {"BYTE",           "UNSIGNED_BYTE", "SHORT",
                                                      "UNSIGNED_SHORT", "UNSIGNED_INT",  "FLOAT"};
  return fmt::format("{} of {}{}", shape_name(attribute), kTypes[static_cast<std::size_t>(attribute.type)],
                     attribute.normalized ? ", normalised" : "");
}

std::string label(const KeptAttribute& attribute) {
  return fmt::format("{} ({})", printable(attribute.name, 40), form_name(attribute));
}

KeptAttribute gathered(const KeptAttribute& from, std::span<const std::uint32_t> elements) {
  KeptAttribute out{from.name, from.type, from.normalized, from.rows, from.columns};
  const std::size_t size = from.element_size();
  out.bytes.resize(elements.size() * size);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    std::copy_n(from.bytes.begin() + static_cast<std::ptrdiff_t>(elements[i] * size), size,
                out.bytes.begin() + static_cast<std::ptrdiff_t>(i * size));
  }
  return out;
}

}  // namespace pelt::mesh
