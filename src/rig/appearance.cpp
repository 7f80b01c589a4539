// KHR_materials_variants, KHR_node_visibility, KHR_animation_pointer; glTF 2.0 Asset Object Model.
#include "rig/appearance.h"

#include <algorithm>
#include <array>
#include <utility>

#include <glm/gtc/type_ptr.hpp>

#include "core/index.h"

namespace pelt::rig {
namespace {

template <int N>
std::span<float> numbers(glm::vec<N, float>& v) {
  return {glm::value_ptr(v), static_cast<std::size_t>(N)};
}
std::span<float> numbers(float& v) {
  return {&v, 1};
}

/// @returns the tail of `name` behind `head`, nothing where it has another head
std::string_view behind(std::string_view name, std::string_view head) {
  return name.starts_with(head) ? name.substr(head.size()) : std::string_view();
}

std::span<float> texture_property(TextureRef& texture, std::string_view name) {
  constexpr std::string_view kTransform = "/extensions/KHR_texture_transform/";
  if (name == "/scale" || name == "/strength") {
    return numbers(texture.strength);
  }
  const std::string_view member = behind(name, kTransform);
  return member == "offset"     ? numbers(texture.transform.offset)
         : member == "rotation" ? numbers(texture.transform.rotation)
         : member == "scale"    ? numbers(texture.transform.scale)
                                : std::span<float>();
}

/// What a channel says at a moment; `values` holds it.
std::span<const float> sampled(const PropertyChannel& channel, float time, std::array<float, 4>& values) {
  const std::span<float> out = std::span(values).first(channel.keys.width);
  sample(channel.keys, time, out);
  return out;
}

void apply_property(const PropertyChannel& channel, float time, Appearance& look) {
  std::array<float, 4> values{};
  const std::span<const float> given = sampled(channel, time, values);
  const auto store = [&](std::span<float> target) {
    std::copy_n(given.begin(), std::min(given.size(), target.size()), target.begin());
  };
  switch (channel.owner) {
    case PropertyOwner::kNode:  // see hidden_nodes()
      break;
    case PropertyOwner::kMaterial:
      store(material_property(look.materials[channel.index], channel.property));
      break;
    case PropertyOwner::kLight:
      for (Light& light : look.lights) {
        if (light.source == channel.index) {
          store(light_property(light, channel.property));
        }
      }
      break;
    case PropertyOwner::kCamera:
      for (Camera& camera : look.cameras) {
        if (camera.source == channel.index) {
          store(camera_property(camera, channel.property));
        }
      }
      break;
  }
}

std::span<const PropertyChannel> channels_of(const Character& character, const AppearanceChoice& choice) {
  const bool has_clip = has_index(character.clips, choice.clip);
  return has_clip ? std::span<const PropertyChannel>(character.clips[choice.clip].properties)
                  : std::span<const PropertyChannel>();
}

}  // namespace

std::vector<int> part_materials(const Character& character, int variant) {
  std::vector<int> out;
  out.reserve(character.parts.size());
  for (const Part& part : character.parts) {
    const mesh::Primitive& primitive = character.primitive(part);
    const auto chosen = std::ranges::find(primitive.variant_materials, variant, &mesh::VariantMaterial::variant);
    out.push_back(variant >= 0 && chosen != primitive.variant_materials.end() ? chosen->material : primitive.material);
  }
  return out;
}

std::vector<char> hidden_nodes(const Character& character, const AppearanceChoice& choice) {
  std::vector<char> hidden = character.node_hidden;
  hidden.resize(character.skeleton->parent.size(), 0);
  for (const PropertyChannel& channel : channels_of(character, choice)) {
    if (channel.owner == PropertyOwner::kNode) {
      std::array<float, 4> values{};
      hidden[channel.index] = sampled(channel, choice.time, values).front() == 0 ? 1 : 0;
    }
  }
  for (const int j : choice.toggled) {
    if (has_index(hidden, j)) {
      hidden[j] = hidden[j] != 0 ? 0 : 1;
    }
  }
  const bool any_scene = has_index(character.scenes, character.scene);
  std::vector<char> in_scene(hidden.size(), any_scene ? 0 : 1);
  if (any_scene) {
    for (const int root : character.scenes[character.scene].roots) {
      in_scene[root] = 1;
    }
  }
  for (std::size_t j = 0; j < hidden.size(); ++j) {
    const int above = character.skeleton->parent[j];
    in_scene[j] = in_scene[j] != 0 || (above >= 0 && in_scene[above] != 0) ? 1 : 0;
    hidden[j] = hidden[j] != 0 || (above >= 0 && hidden[above] != 0) ? 1 : 0;
  }
  for (std::size_t j = 0; j < hidden.size(); ++j) {
    hidden[j] = hidden[j] != 0 || in_scene[j] == 0 ? 1 : 0;
  }
  return hidden;
}

HiddenSurface hidden_surface(const Character& character, const AppearanceChoice& choice) {
  return {hidden_nodes(character, choice), fitting(choice.by_hand, character)};
}

Appearance appearance(const Character& character, const AppearanceChoice& choice) {
  Appearance out;
  out.part_materials = part_materials(character, choice.variant);
  out.hidden = hidden_nodes(character, choice);
  out.materials = character.materials;
  out.lights = character.lights;
  out.cameras = character.cameras;
  out.by_hand = fitting(choice.by_hand, character);
  for (const PropertyChannel& channel : channels_of(character, choice)) {
    apply_property(channel, choice.time, out);
  }
  return out;
}

std::span<float> material_property(Material& m, std::string_view name) {
  const std::array<std::pair<std::string_view, std::span<float>>, 13> factors = {{
      {"pbrMetallicRoughness/baseColorFactor", numbers(m.base_color)},
      {"pbrMetallicRoughness/metallicFactor", numbers(m.metallic)},
      {"pbrMetallicRoughness/roughnessFactor", numbers(m.roughness)},
      {"emissiveFactor", numbers(m.emissive)},
      {"alphaCutoff", numbers(m.alpha_cutoff)},
      {"extensions/KHR_materials_ior/ior", numbers(m.ior)},
      {"extensions/KHR_materials_specular/specularFactor", numbers(m.specular.factor)},
      {"extensions/KHR_materials_specular/specularColorFactor", numbers(m.specular.color)},
      {"extensions/KHR_materials_clearcoat/clearcoatFactor", numbers(m.clearcoat.factor)},
      {"extensions/KHR_materials_clearcoat/clearcoatRoughnessFactor", numbers(m.clearcoat.roughness)},
      {"extensions/KHR_materials_sheen/sheenColorFactor", numbers(m.sheen.color)},
      {"extensions/KHR_materials_sheen/sheenRoughnessFactor", numbers(m.sheen.roughness)},
      {"extensions/KHR_materials_transmission/transmissionFactor", numbers(m.transmission.factor)},
  }};
  for (const auto& [factor, value] : factors) {
    if (name == factor) {
      return value;
    }
  }
  const std::array<std::pair<std::string_view, TextureRef*>, 13> textures = {{
      {"pbrMetallicRoughness/baseColorTexture", &m.base_color_texture},
      {"pbrMetallicRoughness/metallicRoughnessTexture", &m.metallic_roughness_texture},
      {"normalTexture", &m.normal_texture},
      {"occlusionTexture", &m.occlusion_texture},
      {"emissiveTexture", &m.emissive_texture},
      {"extensions/KHR_materials_specular/specularTexture", &m.specular.texture},
      {"extensions/KHR_materials_specular/specularColorTexture", &m.specular.color_texture},
      {"extensions/KHR_materials_clearcoat/clearcoatTexture", &m.clearcoat.texture},
      {"extensions/KHR_materials_clearcoat/clearcoatRoughnessTexture", &m.clearcoat.roughness_texture},
      {"extensions/KHR_materials_clearcoat/clearcoatNormalTexture", &m.clearcoat.normal_texture},
      {"extensions/KHR_materials_sheen/sheenColorTexture", &m.sheen.color_texture},
      {"extensions/KHR_materials_sheen/sheenRoughnessTexture", &m.sheen.roughness_texture},
      {"extensions/KHR_materials_transmission/transmissionTexture", &m.transmission.texture},
  }};
  for (const auto& [texture, reference] : textures) {
    if (const std::string_view rest = behind(name, texture); rest.starts_with('/')) {
      return texture_property(*reference, rest);
    }
  }
  return {};
}

std::span<float> light_property(Light& light, std::string_view name) {
  return name == "color"                 ? numbers(light.color)
         : name == "intensity"           ? numbers(light.intensity)
         : name == "range"               ? numbers(light.range)
         : name == "spot/innerConeAngle" ? numbers(light.inner_cone)
         : name == "spot/outerConeAngle" ? numbers(light.outer_cone)
                                         : std::span<float>();
}

std::span<float> camera_property(Camera& camera, std::string_view name) {
  const std::string_view member =
      behind(name, camera.perspective ? std::string_view("perspective/") : std::string_view("orthographic/"));
  const bool wide = camera.perspective;
  return member == "znear"                 ? numbers(camera.znear)
         : member == "zfar"                ? numbers(camera.zfar)
         : member == "yfov" && wide        ? numbers(camera.yfov)
         : member == "aspectRatio" && wide ? numbers(camera.aspect)
         : member == "xmag" && !wide       ? numbers(camera.xmag)
         : member == "ymag" && !wide       ? numbers(camera.ymag)
                                           : std::span<float>();
}

}  // namespace pelt::rig
