// G. Turk, "The PLY Polygon File Format", 1994; both spellings of the types.

#include "formats/ply_header.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "formats/text_reader.h"

namespace pelt::formats {
namespace {

constexpr std::size_t kMostPlyElements = 64;
constexpr std::size_t kMostPlyProperties = 256;  // of one element

struct PlyScalarName {
  std::string_view name;
  PlyScalar type;
};
constexpr std::array kPlyScalarNames = {
    PlyScalarName{"char", PlyScalar::kInt8},      PlyScalarName{"int8", PlyScalar::kInt8},
    PlyScalarName{"uchar", PlyScalar::kUint8},    PlyScalarName{"uint8", PlyScalar::kUint8},
    PlyScalarName{"short", PlyScalar::kInt16},    PlyScalarName{"int16", PlyScalar::kInt16},
    PlyScalarName{"ushort", PlyScalar::kUint16},  PlyScalarName{"uint16", PlyScalar::kUint16},
    PlyScalarName{"int", PlyScalar::kInt32},      PlyScalarName{"int32", PlyScalar::kInt32},
    PlyScalarName{"uint", PlyScalar::kUint32},    PlyScalarName{"uint32", PlyScalar::kUint32},
    PlyScalarName{"float", PlyScalar::kFloat32},  PlyScalarName{"float32", PlyScalar::kFloat32},
    PlyScalarName{"double", PlyScalar::kFloat64}, PlyScalarName{"float64", PlyScalar::kFloat64}};

std::optional<PlyScalar> scalar_of(std::string_view word) {
  const auto found = std::ranges::find(kPlyScalarNames, word, &PlyScalarName::name);
  return found == kPlyScalarNames.end() ? std::nullopt : std::optional(found->type);
}

class PlyHeaderReader {
 public:
  explicit PlyHeaderReader(std::string_view text) : reader_(text) {}

  Result<PlyHeader> run();

 private:
  Status read_line(std::string_view keyword);
  Status read_format();
  Status read_element();
  Status read_property();
  [[nodiscard]] Error wrong(std::string_view message) const { return error("line {}: {}", reader_.line(), message); }

  TextReader reader_;
  std::optional<PlyEncoding> encoding_;
  std::vector<PlyElement> elements_;
};

Status PlyHeaderReader::read_format() {
  const std::string_view name = reader_.word_in_line();
  const std::string_view version = reader_.word_in_line();
  encoding_ = name == "ascii"                  ? std::optional(PlyEncoding::kAscii)
              : name == "binary_little_endian" ? std::optional(PlyEncoding::kLittleEndian)
              : name == "binary_big_endian"    ? std::optional(PlyEncoding::kBigEndian)
                                               : std::nullopt;
  if (!encoding_ || version != "1.0") {
    return wrong(fmt::format("expected format ascii, binary_little_endian or binary_big_endian 1.0, got \"{} {}\"",
                             printable(name, 40), printable(version, 20)));
  }
  return {};
}

Status PlyHeaderReader::read_element() {
  const std::string_view name = reader_.word_in_line();
  const std::string_view count = reader_.word_in_line();
  const std::optional<std::int64_t> number = whole_number_of(count);
  if (name.empty() || !number || *number < 0 || *number > std::numeric_limits<std::uint32_t>::max()) {
    return wrong(fmt::format("expected an element's name and its count, got \"{} {}\"", printable(name, 40),
                             printable(count, 40)));
  }
  if (elements_.size() == kMostPlyElements) {
    return wrong(fmt::format("more than {} elements", kMostPlyElements));
  }
  elements_.push_back({std::string(name), static_cast<std::size_t>(*number), {}});
  return {};
}

Status PlyHeaderReader::read_property() {
  if (elements_.empty()) {
    return wrong("a property before the first element");
  }
  PlyProperty property;
  std::string_view type = reader_.word_in_line();
  if (type == "list") {
    const std::string_view count_type = reader_.word_in_line();
    property.count_type = scalar_of(count_type);
    if (!property.count_type || is_real(*property.count_type)) {
      return wrong(fmt::format("expected the type of a list's count, got \"{}\"", printable(count_type, 40)));
    }
    type = reader_.word_in_line();
  }
  const std::optional<PlyScalar> found = scalar_of(type);
  property.name = reader_.word_in_line();
  if (!found || property.name.empty()) {
    return wrong(fmt::format("expected a property's type and name, got \"{} {}\"", printable(type, 40),
                             printable(property.name, 40)));
  }
  property.type = *found;
  if (elements_.back().properties.size() == kMostPlyProperties) {
    return wrong(fmt::format("more than {} properties of one element", kMostPlyProperties));
  }
  elements_.back().properties.push_back(std::move(property));
  return {};
}

Status PlyHeaderReader::read_line(std::string_view keyword) {
  if (keyword == "format") {
    return read_format();
  }
  if (keyword == "element") {
    return read_element();
  }
  if (keyword == "property") {
    return read_property();
  }
  if (!keyword.empty() && keyword != "comment" && keyword != "obj_info") {
    return wrong(
        fmt::format("expected format, element, property, comment or end_header, got \"{}\"", printable(keyword, 40)));
  }
  return {};
}

Result<PlyHeader> PlyHeaderReader::run() {
  if (reader_.word_in_line() != "ply") {
    return error("line 1: expected \"ply\"");
  }
  for (;;) {
    if (!reader_.next_line()) {
      return error("the header has no end_header");
    }
    const std::string_view keyword = reader_.word_in_line();
    if (keyword == "end_header") {
      break;
    }
    PELT_TRY(read_line(keyword));
  }
  if (!encoding_) {
    return error("the header has no format");
  }
  // The body begins after the line's end, which a binary one must not be searched for beyond a carriage return.
  std::string_view body = reader_.rest();
  if (body.starts_with("\r\n")) {
    body.remove_prefix(2);
  } else if (!body.empty()) {
    body.remove_prefix(1);
  }
  return PlyHeader{*encoding_, std::move(elements_), reader_.line(), body};
}

}  // namespace

std::size_t size_of(PlyScalar type) {
  constexpr std::array<std::size_t, 8> kSizes = {1, 1, 2, 2, 4, 4, 4, 8};
  return kSizes[static_cast<std::size_t>(type)];
}

bool is_real(PlyScalar type) {
  return type == PlyScalar::kFloat32 || type == PlyScalar::kFloat64;
}

double largest_of(PlyScalar type) {
  constexpr std::array kLargest = {127.0, 255.0, 32767.0, 65535.0, 2147483647.0, 4294967295.0, 1.0, 1.0};
  return kLargest[static_cast<std::size_t>(type)];
}

Result<PlyHeader> read_ply_header(std::string_view text) {
  return PlyHeaderReader(text).run();
}

}  // namespace pelt::formats
