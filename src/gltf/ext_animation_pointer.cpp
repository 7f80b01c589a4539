// KHR_animation_pointer: what a JSON pointer of the glTF 2.0 Asset Object Model names here.

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/index.h"
#include "gltf/extension_values.h"
#include "rig/appearance.h"

namespace pelt::gltf {
namespace {

/// Takes the text up to the next slash, and the slash, off a pointer.
std::string_view next_token(std::string_view& pointer) {
  const std::size_t slash = std::min(pointer.find('/'), pointer.size());
  const std::string_view token = pointer.substr(0, slash);
  pointer.remove_prefix(std::min(slash + 1, pointer.size()));
  return token;
}

/// "weights", "weights/3": all weights or one.
bool names_weights(std::string_view rest, PointerTarget& target) {
  target.path = "weights";
  if (next_token(rest) != "weights") {
    return false;
  }
  if (rest.empty()) {
    return true;
  }
  const std::optional<int> number = parse_integer(rest);
  target.morph_target = number.value_or(-1);
  return target.morph_target >= 0;
}

float emissive_strength(const tinygltf::Material& material) {
  const tinygltf::Value* object = find_extension(material.extensions, "KHR_materials_emissive_strength");
  const tinygltf::Value* strength = object != nullptr ? find_member(*object, "emissiveStrength") : nullptr;
  return strength != nullptr && strength->IsNumber() && std::isfinite(strength->GetNumberAsDouble())
             ? static_cast<float>(std::clamp(strength->GetNumberAsDouble(), 0.0, 1e6))
             : 1.0f;
}

constexpr std::string_view kStrengthProperty = "extensions/KHR_materials_emissive_strength/emissiveStrength";

}  // namespace

Result<PointerTarget> resolve_pointer(const Reader& reader, const tinygltf::AnimationChannel& entry) {
  const tinygltf::Value* object = find_extension(entry.target_extensions, "KHR_animation_pointer");
  const tinygltf::Value* member = object != nullptr ? find_member(*object, "pointer") : nullptr;
  if (member == nullptr || !member->IsString()) {
    return error("it has no pointer");
  }
  const auto& whole = member->Get<std::string>();
  std::string_view rest = whole;
  constexpr std::string_view kLights = "/extensions/KHR_lights_punctual/lights/";
  PointerTarget target;
  std::string_view kind = "lights";
  if (rest.starts_with(kLights)) {
    rest.remove_prefix(kLights.size());
  } else {
    rest.remove_prefix(rest.starts_with('/') ? 1 : 0);
    kind = next_token(rest);
  }
  const std::optional<int> number = parse_integer(next_token(rest));
  const auto below = [&](std::size_t count) { return number && *number >= 0 && std::cmp_less(*number, count); };
  rig::PropertyChannel& channel = target.channel;
  channel.index = number.value_or(-1);
  channel.property = single_line(std::string(rest), kNameLimit);
  channel.keys.path = rig::ChannelPath::kWeights;
  const auto width_of = [&](rig::PropertyOwner owner, std::size_t width) {
    channel.owner = owner;
    channel.keys.width = static_cast<int>(width);
    return width > 0;
  };
  bool found = false;
  if (kind == "nodes" && below(reader.node_count)) {
    if (rest == rig::kVisibleProperty) {
      channel.index = reader.joint_of_node[*number];
      found = width_of(rig::PropertyOwner::kNode, 1);
    } else {
      target.node = *number;
      target.path = std::string(rest);
      found = rest == "translation" || rest == "rotation" || rest == "scale" || names_weights(rest, target);
    }
  } else if (kind == "meshes" && below(reader.model.meshes.size()) && names_weights(rest, target)) {
    target.mesh = *number;
    found = true;
  } else if (kind == "materials" && below(reader.model.materials.size())) {
    rig::Material material;
    found = width_of(rig::PropertyOwner::kMaterial,
                     rest == kStrengthProperty ? 1 : rig::material_property(material, rest).size());
  } else if (kind == "cameras" && below(reader.model.cameras.size())) {
    rig::Camera camera;
    camera.perspective = reader.model.cameras[*number].type != "orthographic";
    found = width_of(rig::PropertyOwner::kCamera, rig::camera_property(camera, rest).size());
  } else if (kind == "lights" && number && *number >= 0) {
    rig::Light light;
    found = width_of(rig::PropertyOwner::kLight, rig::light_property(light, rest).size());
  }
  if (!found) {
    return error("'{}' names nothing that can be moved here", printable(whole, 100));
  }
  return target;
}

void fold_emissive_strength(const Reader& reader, rig::PropertyChannel& channel) {
  if (channel.owner != rig::PropertyOwner::kMaterial) {
    return;
  }
  const tinygltf::Material& material = reader.model.materials[channel.index];
  std::vector<float>& values = channel.keys.values;
  if (channel.property == "emissiveFactor") {
    const float strength = emissive_strength(material);
    for (float& value : values) {
      value *= strength;
    }
  } else if (channel.property == kStrengthProperty) {
    glm::vec3 factor(0.0f);
    for (int i = 0; i < 3 && has_index(material.emissiveFactor, i); ++i) {
      factor[i] = static_cast<float>(material.emissiveFactor[i]);
    }
    std::vector<float> colors;
    colors.reserve(3 * values.size());
    for (const float strength : values) {
      colors.insert(colors.end(), {strength * factor.x, strength * factor.y, strength * factor.z});
    }
    values = std::move(colors);
    channel.keys.width = 3;
    channel.property = "emissiveFactor";
  }
}

}  // namespace pelt::gltf
