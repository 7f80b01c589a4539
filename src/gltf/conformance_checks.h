#pragma once

// What check_conformance() is made of; nothing outside src/gltf/conformance*.cpp includes this.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "gltf/conformance.h"

namespace pelt::gltf {

using FileJson = nlohmann::json;

/// The document with what the checks share. Members that the schema refuses are found by the schema check; all others
/// pass over them.
class Conformance {
 public:
  Conformance(const ConformanceInput& input, const FileJson& file);

  const ConformanceInput& input;
  const FileJson& file;

  /// Adds an error, unless the same was said of the place before.
  void tell(std::string_view code, const std::string& place, std::string message);
  /// Says that a budget ran out, so that something else may be wrong. Nothing is known to be, so it is no error.
  void tell_unchecked(std::string message);
  [[nodiscard]] Diagnostics take() { return std::move(told_); }

  /// Whether the file lists an extension as used.
  [[nodiscard]] bool uses(std::string_view extension) const;
  /// The elements of a root array; 0 where it is none.
  [[nodiscard]] std::size_t count(const char* array) const;
  /// Element i of a root array; null where there is no such object.
  [[nodiscard]] const FileJson* item(const char* array, std::int64_t i) const;

 private:
  Diagnostics told_;
  std::set<std::string, std::less<>> extensions_used_;
};

/// The value of a member; null where it is absent or the object is null.
const FileJson* member(const FileJson* object, std::string_view name);
/// How far the length of a rotation may be from 1: what 8-bit numbers may be off.
inline constexpr double kUnitRotation = 0.00769;
/// The longest stride of a buffer view that the specification allows, bytes. Longer ones are told and not followed.
inline constexpr std::int64_t kLargestStride = 252;

/// A member that is an object.
const FileJson* object_member(const FileJson* object, std::string_view name);
/// The same, or an object without members.
const FileJson& object_or_empty(const FileJson* object);
/// A whole number of 0 or more, also one that is written as 2.0; -1 where it is absent or anything else.
std::int64_t whole(const FileJson* value);
std::int64_t whole_member(const FileJson* object, std::string_view name);
/// A number; NaN where it is absent or anything else.
double number_member(const FileJson* object, std::string_view name);
/// A text; empty where it is absent or anything else.
std::string text_member(const FileJson* object, std::string_view name);
/// The elements of a member that is a list; none where it is anything else.
std::span<const FileJson> list_member(const FileJson* object, std::string_view name);
/// "mesh 2", "buffer view 0": the words for an element of a root array.
std::string place_in(std::string_view array, std::size_t i);

/// An accessor as far as its members make sense.
struct AccessorShape {
  std::int64_t view = -1;
  std::int64_t offset = 0;
  std::int64_t count = -1;
  std::int64_t component_type = -1;
  std::string type;
  bool normalized = false;

  [[nodiscard]] bool is_known() const;                ///< type, component type and count are ones that glTF has
  [[nodiscard]] std::int64_t components() const;      ///< 0 for an unknown type
  [[nodiscard]] std::int64_t component_size() const;  ///< bytes
  [[nodiscard]] std::int64_t element_size() const;    ///< bytes; columns of matrices begin at multiples of four
  [[nodiscard]] std::int64_t tight_stride() const;    ///< bytes from one element to the next without byteStride
  [[nodiscard]] std::string text() const;             ///< "VEC3 of UNSIGNED_BYTE, normalized"
};
AccessorShape accessor_shape(const FileJson* accessor);

// The steps. Each adds to `check`.
/// The container's chunks and the byte order mark.
void check_container(Conformance& check);
/// Every member by the schemas of glTF and its extensions, what they refer to, and where extensions stand.
void check_schema(Conformance& check);
/// asset, extensionsUsed and extensionsRequired; cameras and lights.
void check_file_members(Conformance& check);
/// Buffers, images and what holds them.
void check_resources(Conformance& check);
/// Layout of accessors in views and of views in buffers, who uses them for what, and the formats of attributes.
void check_layout(Conformance& check);
/// Attributes, morph targets and materials of primitives.
void check_primitives(Conformance& check);
/// Nodes, skins, scenes, animations.
void check_nodes(Conformance& check);
void check_animations(Conformance& check);
/// The numbers in accessors.
void check_data(Conformance& check);

}  // namespace pelt::gltf
