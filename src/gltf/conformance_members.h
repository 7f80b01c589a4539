#pragma once

// The members of glTF's objects, for conformance_schema.cpp alone.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace pelt::gltf {

inline constexpr double kAnyNumber = std::numeric_limits<double>::infinity();

enum class MemberKind : std::uint8_t {
  kText,
  kTexts,  ///< a list without repetition
  kBool,
  kWhole,    ///< a whole number from `least` to `most`
  kIndex,    ///< into the root array `of`
  kIndices,  ///< a list without repetition
  kNumber,
  kNumbers,  ///< `length` of them, or any number but none
  kObject,   ///< of the type `of`
  kObjects,
  kAttributes,  ///< names with the numbers of accessors
  kTargets,     ///< a list of these
};

struct SchemaMember {
  std::string_view type;  ///< of the object that has it
  std::string_view name;
  MemberKind kind;
  bool required = false;
  std::string_view of = {};  ///< root array or type
  double least = -kAnyNumber;
  double most = kAnyNumber;
  bool above_least = false;  ///< `least` itself is not allowed
  bool below_most = false;
  std::size_t length = 0;      ///< of kNumbers; 0: any
  double also = kAnyNumber;    ///< a value out of range that is allowed
  std::string_view code = {};  ///< of an index that names nothing or is repeated; else "reference" and "schema"
};

/// The members of a type of object, without `name`, `extensions` and `extras`.
std::span<const SchemaMember> schema_members(std::string_view type);
/// Whether objects of a type may have a name.
bool schema_allows_name(std::string_view type);

struct SchemaExtension {
  bool is_known = false;
  std::string_view object_type = {};  ///< of its object in objects of that type; empty: it does not belong there
};
SchemaExtension find_schema_extension(std::string_view type, std::string_view extension);

}  // namespace pelt::gltf
