#include "gltf/conformance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/index.h"
#include "gltf/conformance_checks.h"

namespace pelt::gltf {
namespace {

struct ComponentType {
  std::int64_t number;
  std::int64_t size;
  std::string_view name;
};
constexpr std::array<ComponentType, 6> kComponentTypes = {{{5120, 1, "BYTE"},
                                                           {5121, 1, "UNSIGNED_BYTE"},
                                                           {5122, 2, "SHORT"},
                                                           {5123, 2, "UNSIGNED_SHORT"},
                                                           {5125, 4, "UNSIGNED_INT"},
                                                           {5126, 4, "FLOAT"}}};
constexpr std::array<std::pair<std::string_view, std::int64_t>, 7> kElementTypes = {
    {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT2", 4}, {"MAT3", 9}, {"MAT4", 16}}};

const ComponentType* component_type_of(std::int64_t number) {
  const auto* found = std::ranges::find(kComponentTypes, number, &ComponentType::number);
  return found == kComponentTypes.end() ? nullptr : found;
}

/// Rows of a matrix's column; 0 for what is no matrix.
std::int64_t matrix_rows(std::string_view type) {
  return type == "MAT2" ? 2 : type == "MAT3" ? 3 : type == "MAT4" ? 4 : 0;
}

}  // namespace

Conformance::Conformance(const ConformanceInput& what, const FileJson& document) : input(what), file(document) {
  for (const FileJson& name : list_member(&file, "extensionsUsed")) {
    if (name.is_string()) {
      extensions_used_.insert(name.get<std::string>());
    }
  }
}

void Conformance::tell(std::string_view code, const std::string& place, std::string message) {
  const auto same = [&](const Diagnostic& one) {
    return one.code == code && one.place == place && one.message == message;
  };
  if (told_.size() < kMostNonconformities && std::ranges::none_of(told_, same)) {
    told_.push_back({Severity::kError, std::string(code), place, std::move(message), {}});
  }
}

void Conformance::tell_unchecked(std::string message) {
  told_.push_back({Severity::kWarning, "unchecked", "file", std::move(message), {}});
}

bool Conformance::uses(std::string_view extension) const {
  return extensions_used_.contains(extension);
}

std::size_t Conformance::count(const char* array) const {
  return list_member(&file, array).size();
}

const FileJson* Conformance::item(const char* array, std::int64_t i) const {
  const std::span<const FileJson> all = list_member(&file, array);
  if (!has_index(all, i)) {
    return nullptr;
  }
  const FileJson& found = all[i];
  return found.is_object() ? &found : nullptr;
}

const FileJson* member(const FileJson* object, std::string_view name) {
  if (object == nullptr || !object->is_object()) {
    return nullptr;
  }
  const auto found = object->find(name);
  return found == object->end() ? nullptr : &*found;
}

const FileJson* object_member(const FileJson* object, std::string_view name) {
  const FileJson* found = member(object, name);
  return found != nullptr && found->is_object() ? found : nullptr;
}

const FileJson& object_or_empty(const FileJson* object) {
  static const FileJson kEmpty = FileJson::object();
  return object != nullptr && object->is_object() ? *object : kEmpty;
}

std::int64_t whole(const FileJson* value) {
  if (value == nullptr || !value->is_number()) {
    return -1;
  }
  if (value->is_number_unsigned()) {
    const auto number = value->get<std::uint64_t>();
    return static_cast<std::int64_t>(std::min<std::uint64_t>(number, std::uint64_t{1} << 53));
  }
  const double number = value->get<double>();
  return number >= 0 && number <= 9007199254740992.0 && std::floor(number) == number ? static_cast<std::int64_t>(number)
                                                                                     : -1;
}

std::int64_t whole_member(const FileJson* object, std::string_view name) {
  return whole(member(object, name));
}

double number_member(const FileJson* object, std::string_view name) {
  const FileJson* found = member(object, name);
  return found != nullptr && found->is_number() ? found->get<double>() : std::numeric_limits<double>::quiet_NaN();
}

std::string text_member(const FileJson* object, std::string_view name) {
  const FileJson* found = member(object, name);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

std::span<const FileJson> list_member(const FileJson* object, std::string_view name) {
  const FileJson* found = member(object, name);
  if (found == nullptr || !found->is_array()) {
    return {};
  }
  return found->get_ref<const FileJson::array_t&>();
}

std::string place_in(std::string_view array, std::size_t i) {
  if (array == "bufferViews") {
    return fmt::format("buffer view {}", i);
  }
  if (array == "meshes") {
    return fmt::format("mesh {}", i);
  }
  return fmt::format("{} {}", array.substr(0, array.size() - (array.ends_with('s') ? 1 : 0)), i);
}

bool AccessorShape::is_known() const {
  return count > 0 && components() > 0 && component_type_of(component_type) != nullptr;
}

std::int64_t AccessorShape::components() const {
  const auto* found = std::ranges::find(kElementTypes, type, &std::pair<std::string_view, std::int64_t>::first);
  return found == kElementTypes.end() ? 0 : found->second;
}

std::int64_t AccessorShape::component_size() const {
  const ComponentType* found = component_type_of(component_type);
  return found == nullptr ? 1 : found->size;
}

std::int64_t AccessorShape::element_size() const {
  const std::int64_t rows = matrix_rows(type);
  if (rows == 0) {
    return components() * component_size();
  }
  return tight_stride() - (tight_stride() / rows - rows * component_size());
}

std::int64_t AccessorShape::tight_stride() const {
  const std::int64_t rows = matrix_rows(type);
  return rows == 0 ? components() * component_size() : rows * ((rows * component_size() + 3) / 4 * 4);
}

std::string AccessorShape::text() const {
  const ComponentType* component = component_type_of(component_type);
  return fmt::format("{} of {}{}", type.empty() ? "elements" : type,
                     component == nullptr ? std::string_view("an unknown type") : component->name,
                     normalized ? ", normalized" : "");
}

AccessorShape accessor_shape(const FileJson* accessor) {
  AccessorShape out;
  out.view = whole_member(accessor, "bufferView");
  out.offset = std::max<std::int64_t>(whole_member(accessor, "byteOffset"), 0);
  out.count = whole_member(accessor, "count");
  out.component_type = whole_member(accessor, "componentType");
  out.type = text_member(accessor, "type");
  const FileJson* normalized = member(accessor, "normalized");
  out.normalized = normalized != nullptr && normalized->is_boolean() && normalized->get<bool>();
  return out;
}

Diagnostics check_conformance(const ConformanceInput& input) {
  const FileJson file = FileJson::parse(input.json, nullptr, false);
  if (file.is_discarded() || !file.is_object()) {
    return {};  // such a file does not open
  }
  Conformance check(input, file);
  for (const auto step : {&check_container, &check_schema, &check_file_members, &check_resources, &check_layout,
                          &check_primitives, &check_nodes, &check_animations, &check_data}) {
    step(check);
  }
  return check.take();
}

}  // namespace pelt::gltf
