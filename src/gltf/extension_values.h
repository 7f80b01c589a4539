#pragma once

// Internal to the importer: members of an extension's object, which tinygltf keeps as a tree. Each getter gives a
// usable value, and a diagnostic where the file's own is not.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "gltf/reader.h"

namespace pelt::gltf {

/// The object of an extension, null where it is absent.
inline const tinygltf::Value* find_extension(const tinygltf::ExtensionMap& extensions, const char* name) {
  const auto entry = extensions.find(name);
  return entry == extensions.end() ? nullptr : &entry->second;
}

/// A member of an object, null where it is absent or `object` is none.
inline const tinygltf::Value* find_member(const tinygltf::Value& object, const char* name) {
  return object.Has(name) ? &object.Get(name) : nullptr;
}

class ExtensionValues {
 public:
  /// @param extension  its name, for diagnostics of code "extension-value"
  /// @param place      "material 2"
  ExtensionValues(Reader& reader, const tinygltf::Value& object, std::string extension, std::string place)
      : reader_(reader), object_(object), extension_(std::move(extension)), place_(std::move(place)) {}

  [[nodiscard]] bool has(const char* member) const { return object_.Has(member); }

  /// What the member says, held within lower..upper; `otherwise` where it is absent or no finite number.
  float number(const char* member, float lower, float upper, float otherwise) const {
    const tinygltf::Value* value = find_member(object_, member);
    return value == nullptr ? otherwise : limited(*value, member, lower, upper, otherwise);
  }

  /// The same for three numbers.
  glm::vec3 color(const char* member, float upper, const glm::vec3& otherwise) const {
    const tinygltf::Value* value = find_member(object_, member);
    if (value == nullptr) {
      return otherwise;
    }
    if (value->ArrayLen() != 3) {
      warn(fmt::format("{}: expected three numbers; the default is used", member));
      return otherwise;
    }
    glm::vec3 out;
    for (int i = 0; i < 3; ++i) {
      out[i] = limited(value->Get(i), member, 0, upper, otherwise[i]);
    }
    return out;
  }

  /// A whole number below `count`, nothing where it is absent or none.
  std::optional<int> index_below(const char* member, std::size_t count) const {
    const tinygltf::Value* value = find_member(object_, member);
    if (value == nullptr) {
      return std::nullopt;
    }
    if (!value->IsInt() || value->GetNumberAsInt() < 0 || std::cmp_greater_equal(value->GetNumberAsInt(), count)) {
      warn(fmt::format("{}: expected an index below {}, got {}; left out", member, count, label(*value)));
      return std::nullopt;
    }
    return value->GetNumberAsInt();
  }

  rig::TextureRef texture(const char* member) const {
    const tinygltf::Value* value = find_member(object_, member);
    if (value == nullptr) {
      return {};
    }
    tinygltf::TextureInfo info;
    const ExtensionValues inner(reader_, *value, extension_, place_);
    info.index = inner.index_below("index", reader_.model.textures.size()).value_or(-1);
    if (inner.has("texCoord")) {
      info.texCoord = value->Get("texCoord").IsInt() ? value->Get("texCoord").GetNumberAsInt() : -1;
    }
    if (const tinygltf::Value* extensions = find_member(*value, "extensions"); extensions != nullptr) {
      for (const std::string& name : extensions->Keys()) {
        info.extensions.emplace(name, extensions->Get(name));
      }
    }
    const double strength = inner.number("scale", 0, kLargest, 1);
    return texture_reference(reader_, info, member, strength, place_);
  }

  void warn(const std::string& message) const { reader_.warn("extension-value", place_, extension_ + ": " + message); }

  /// "0.5", "'text'", "an array": how a value is named in a diagnostic.
  static std::string label(const tinygltf::Value& value) {
    return value.IsInt()      ? std::to_string(value.GetNumberAsInt())
           : value.IsNumber() ? fmt::format("{:.6g}", value.GetNumberAsDouble())
           : value.IsString() ? fmt::format("'{}'", printable(value.Get<std::string>(), 40))
           : value.IsBool()   ? value.Get<bool>() ? "true" : "false"
           : value.IsArray()  ? "an array"
                              : "no number";
  }

 private:
  float limited(const tinygltf::Value& value, const char* member, float lower, float upper, float otherwise) const {
    const double given = value.IsNumber() ? value.GetNumberAsDouble() : std::numeric_limits<double>::quiet_NaN();
    const double kept = std::isfinite(given) ? std::clamp(given, static_cast<double>(lower), static_cast<double>(upper))
                                             : static_cast<double>(otherwise);
    if (!(given == kept)) {
      const std::string range = upper < kLargest ? fmt::format("{:.6g} to {:.6g}", lower, upper)
                                                 : fmt::format("a number of {:.6g} or more", lower);
      warn(fmt::format("{}: expected {}, got {}; {:.6g} is used", member, range, label(value), kept));
    }
    return static_cast<float>(kept);
  }

  Reader& reader_;
  const tinygltf::Value& object_;
  std::string extension_;
  std::string place_;
};

}  // namespace pelt::gltf
