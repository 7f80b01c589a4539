// Every member of the file by the table of conformance_members.h.

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "gltf/conformance_checks.h"
#include "gltf/conformance_members.h"

namespace pelt::gltf {
namespace {

std::string_view name_of(const FileJson& value) {
  return value.is_null()      ? "null"
         : value.is_boolean() ? "a truth value"
         : value.is_number()  ? "a number"
         : value.is_string()  ? "a text"
         : value.is_array()   ? "a list"
                              : "an object";
}

/// A number as it is written, other values by their kind.
std::string shown(const FileJson& value) {
  return value.is_number() ? value.dump() : std::string(name_of(value));
}

class Schema {
 public:
  explicit Schema(Conformance& check) : check_(check) {}
  void check() { check_object(check_.file, "file", "file"); }

 private:
  void check_object(const FileJson& object, std::string_view type, const std::string& place);
  void check_member(const FileJson& value, const SchemaMember& rule, const std::string& place);
  void check_numbers(const FileJson& value, const SchemaMember& rule, const std::string& place);
  void check_indices(const FileJson& value, const SchemaMember& rule, const std::string& place);
  void check_objects(const FileJson& value, const SchemaMember& rule, const std::string& place);
  void check_attributes(const FileJson& value, std::string_view name, const std::string& place);
  void check_extensions(const FileJson& object, std::string_view type, const std::string& place);
  void check_by_kind(const FileJson& object, std::string_view type, const std::string& place);
  void check_bounds(const FileJson& accessor, const std::string& place);
  void resolve(std::int64_t index, const SchemaMember& rule, const std::string& place);

  void wrong(const std::string& place, std::string_view name, std::string_view expected, const FileJson& value) {
    check_.tell("schema", place, fmt::format("{}: expected {}, got {}", name, expected, shown(value)));
  }

  Conformance& check_;
};

bool in_range(double value, const SchemaMember& rule) {
  return value == rule.also || !(value < rule.least || value > rule.most || (rule.above_least && value == rule.least) ||
                                 (rule.below_most && value == rule.most));
}

std::string range_text(const SchemaMember& rule) {
  const std::string also = rule.also < kAnyNumber ? fmt::format(" or {:g}", rule.also) : "";
  if (rule.most == kAnyNumber) {
    return rule.least == -kAnyNumber
               ? "a number"
               : fmt::format("{} {:g}{}", rule.above_least ? "more than" : "at least", rule.least, also);
  }
  return fmt::format("{} {:g} {} {:g}{}", rule.above_least ? "above" : "from", rule.least,
                     rule.below_most ? "and below" : "to", rule.most, also);
}

void Schema::resolve(std::int64_t index, const SchemaMember& rule, const std::string& place) {
  if (rule.of.empty() || check_.item(std::string(rule.of).c_str(), index) != nullptr) {
    return;
  }
  const bool twice = rule.code == "joint-listed-twice";
  check_.tell(rule.code.empty() || twice ? "reference" : rule.code, place,
              fmt::format("{}: there is no {}", rule.name, place_in(rule.of, static_cast<std::size_t>(index))));
}

void Schema::check_numbers(const FileJson& value, const SchemaMember& rule, const std::string& place) {
  if (!value.is_array()) {
    wrong(place, rule.name, "a list of numbers", value);
    return;
  }
  if (value.empty() || (rule.length > 0 && value.size() != rule.length)) {
    check_.tell("schema", place,
                fmt::format("{}: expected {} numbers, got {}", rule.name,
                            rule.length > 0 ? fmt::format("{}", rule.length) : "1 or more", value.size()));
    return;
  }
  for (const FileJson& one : value) {
    if (!one.is_number()) {
      wrong(place, rule.name, "numbers", one);
      return;
    }
    if (!in_range(one.get<double>(), rule)) {
      wrong(place, rule.name, "numbers " + range_text(rule), one);
      return;
    }
  }
}

void Schema::check_indices(const FileJson& value, const SchemaMember& rule, const std::string& place) {
  if (!value.is_array() || value.empty()) {
    check_.tell("schema", place,
                fmt::format("{}: expected a list of one index or more, got {}", rule.name,
                            value.is_array() ? "an empty one" : name_of(value)));
    return;
  }
  std::set<std::int64_t> seen;
  for (const FileJson& one : value) {
    const std::int64_t index = whole(&one);
    if (index < 0) {
      wrong(place, rule.name, "indices", one);
    } else if (!seen.insert(index).second) {
      check_.tell(rule.code.empty() ? "schema" : rule.code, place,
                  fmt::format("{}: {} is listed twice, expected each once", rule.name, index));
    } else {
      resolve(index, rule, place);
    }
  }
}

void Schema::check_objects(const FileJson& value, const SchemaMember& rule, const std::string& place) {
  if (!value.is_array() || value.empty()) {
    check_.tell("schema", place,
                fmt::format("{}: expected a list of one object or more, got {}", rule.name,
                            value.is_array() ? "an empty one" : name_of(value)));
    return;
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string inner = (place == "file" ? "" : place + ", ") + place_in(rule.name, i);
    if (value[i].is_object()) {
      check_object(value[i], rule.of, inner);
    } else {
      check_.tell("schema", inner, fmt::format("expected an object, got {}", name_of(value[i])));
    }
  }
}

void Schema::check_attributes(const FileJson& value, std::string_view name, const std::string& place) {
  if (!value.is_object() || value.empty()) {
    check_.tell("schema", place,
                fmt::format("{}: expected an object with one accessor or more, got {}", name,
                            value.is_object() ? "an empty one" : name_of(value)));
    return;
  }
  for (const auto& [semantic, accessor] : value.items()) {
    const std::int64_t index = whole(&accessor);
    const std::string shown_name = printable(semantic, 40);
    if (index < 0) {
      check_.tell("schema", place,
                  fmt::format("{} {}: expected the number of an accessor, got {}", name, shown_name, shown(accessor)));
    } else if (check_.item("accessors", index) == nullptr) {
      check_.tell("reference", place, fmt::format("{} {}: there is no accessor {}", name, shown_name, index));
    }
  }
}

void Schema::check_member(const FileJson& value, const SchemaMember& rule, const std::string& place) {
  switch (rule.kind) {
    case MemberKind::kText:
      if (!value.is_string()) {
        wrong(place, rule.name, "a text", value);
      }
      return;
    case MemberKind::kBool:
      if (!value.is_boolean()) {
        wrong(place, rule.name, "true or false", value);
      }
      return;
    case MemberKind::kWhole: {
      const double number = value.is_number() ? value.get<double>() : 0;
      if (!value.is_number() || std::floor(number) != number || !in_range(number, rule)) {
        wrong(place, rule.name, rule.least > -kAnyNumber ? "a whole number " + range_text(rule) : "a whole number",
              value);
      }
      return;
    }
    case MemberKind::kIndex:
      if (const std::int64_t index = whole(&value); index >= 0) {
        resolve(index, rule, place);
      } else {
        wrong(place, rule.name, "an index", value);
      }
      return;
    case MemberKind::kIndices:
      check_indices(value, rule, place);
      return;
    case MemberKind::kNumber:
      if (!value.is_number() || !in_range(value.get<double>(), rule)) {
        wrong(place, rule.name, range_text(rule), value);
      }
      return;
    case MemberKind::kNumbers:
      check_numbers(value, rule, place);
      return;
    case MemberKind::kObject:
      if (value.is_object()) {
        check_object(value, rule.of, place);
      } else {
        wrong(place, rule.name, "an object", value);
      }
      return;
    case MemberKind::kObjects:
      check_objects(value, rule, place);
      return;
    case MemberKind::kAttributes:
      check_attributes(value, rule.name, place);
      return;
    case MemberKind::kTargets:
      if (!value.is_array() || value.empty()) {
        wrong(place, rule.name, "a list of one morph target or more", value);
        return;
      }
      for (std::size_t i = 0; i < value.size(); ++i) {
        check_attributes(value[i], fmt::format("morph target {}", i), place);
      }
      return;
    case MemberKind::kTexts: {
      std::set<std::string> seen;
      if (!value.is_array() || value.empty()) {
        wrong(place, rule.name, "a list of one text or more", value);
        return;
      }
      for (const FileJson& one : value) {
        if (!one.is_string()) {
          wrong(place, rule.name, "texts", one);
        } else if (!seen.insert(one.get<std::string>()).second) {
          check_.tell("schema", place,
                      fmt::format("{}: {} is listed twice, expected each once", rule.name,
                                  printable(one.get<std::string>(), 80)));
        }
      }
      return;
    }
  }
}

// min and max, whose length and kind of number follow from the accessor's type.
void Schema::check_bounds(const FileJson& accessor, const std::string& place) {
  const AccessorShape shape = accessor_shape(&accessor);
  if (shape.components() == 0 || shape.component_type < 5120 || shape.component_type > 5126 ||
      shape.component_type == 5124) {
    return;
  }
  const bool is_float = shape.component_type == 5126;
  const std::int64_t bits = 8 * shape.component_size();
  const bool is_signed = shape.component_type == 5120 || shape.component_type == 5122;
  const double least = is_float ? -kAnyNumber : is_signed ? -std::exp2(bits - 1) : 0;
  const double most = is_float ? kAnyNumber : std::exp2(is_signed ? bits - 1 : bits) - 1;
  for (const char* name : {"min", "max"}) {
    const auto found = accessor.find(name);
    if (found == accessor.end()) {
      continue;
    }
    const SchemaMember rule{.type = "accessor",
                            .name = name,
                            .kind = MemberKind::kNumbers,
                            .least = least,
                            .most = most,
                            .length = static_cast<std::size_t>(shape.components())};
    check_numbers(*found, rule, place);
    for (const FileJson& one : list_member(&accessor, name)) {
      if (!is_float && one.is_number() && std::floor(one.get<double>()) != one.get<double>()) {
        wrong(place, name, "whole numbers", one);
        break;
      }
    }
  }
}

void Schema::check_extensions(const FileJson& object, std::string_view type, const std::string& place) {
  const auto found = object.find("extensions");
  if (found == object.end()) {
    return;
  }
  if (!found->is_object()) {
    wrong(place, "extensions", "an object", *found);
    return;
  }
  for (const auto& [name, content] : found->items()) {
    const std::string shown_name = printable(name, 80);
    if (!content.is_object()) {
      wrong(place, shown_name, "an object", content);
    }
    if (!check_.uses(name)) {
      check_.tell("extension-undeclared", place,
                  fmt::format("{} is used, but not listed in extensionsUsed", shown_name));
      continue;
    }
    const SchemaExtension known = find_schema_extension(type, name);
    if (known.is_known && known.object_type.empty()) {
      check_.tell("extension-place", place, fmt::format("{} does not belong here", shown_name));
    } else if (known.is_known && content.is_object()) {
      check_object(content, known.object_type, place);
    }
  }
}

// What depends on a member that says the kind: a camera's and a light's.
void Schema::check_by_kind(const FileJson& object, std::string_view type, const std::string& place) {
  const std::string kind = text_member(&object, "type");
  const bool is_camera = type == "camera" && (kind == "orthographic" || kind == "perspective");
  const bool is_spot = type == "light" && kind == "spot";
  if (!is_camera && !is_spot) {
    return;
  }
  const auto found = object.find(kind);
  if (found == object.end()) {
    check_.tell("schema", place, fmt::format("{}: expected an object, there is none", kind));
  } else if (!found->is_object()) {
    wrong(place, kind, "an object", *found);
  } else {
    check_object(*found, kind, place);
  }
}

void Schema::check_object(const FileJson& object, std::string_view type, const std::string& place) {
  for (const SchemaMember& rule : schema_members(type)) {
    const auto found = object.find(rule.name);
    const bool means_nothing = type == "accessor" && rule.name == "byteOffset" && !object.contains("bufferView");
    if (found != object.end() && !means_nothing) {
      check_member(*found, rule, place);
    } else if (found == object.end() && rule.required) {
      check_.tell("schema", place, fmt::format("{} is missing", rule.name));
    }
  }
  if (const auto name = object.find("name"); name != object.end() && schema_allows_name(type)) {
    check_member(*name, {type, "name", MemberKind::kText}, place);
  }
  if (type == "accessor") {
    check_bounds(object, place);
  }
  check_by_kind(object, type, place);
  check_extensions(object, type, place);
}

}  // namespace

void check_schema(Conformance& check) {
  Schema(check).check();
}

}  // namespace pelt::gltf
