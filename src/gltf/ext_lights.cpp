// KHR_lights_punctual.

#include "gltf/extension_values.h"
#include "gltf/outline.h"

namespace pelt::gltf {
namespace {

constexpr float kQuarterTurn = 1.57079633f;

std::optional<rig::Light> read_light(Reader& reader, const tinygltf::Value& object, std::size_t l) {
  const ExtensionValues from(reader, object, "KHR_lights_punctual", fmt::format("light {}", l));
  rig::Light light;
  const tinygltf::Value* type = find_member(object, "type");
  const std::string kind = type != nullptr && type->IsString() ? type->Get<std::string>() : std::string();
  if (kind == "directional") {
    light.kind = rig::LightKind::kDirectional;
  } else if (kind == "spot") {
    light.kind = rig::LightKind::kSpot;
  } else if (kind != "point") {
    from.warn(fmt::format("type: expected directional, point or spot, got '{}'; left out", printable(kind, 40)));
    return std::nullopt;
  }
  if (const tinygltf::Value* name = find_member(object, "name"); name != nullptr && name->IsString()) {
    light.name = single_line(name->Get<std::string>(), kNameLimit);
  }
  light.color = from.color("color", kLargest, light.color);
  light.intensity = from.number("intensity", 0, kLargest, light.intensity);
  light.range = from.number("range", 0, kLargest, light.range);
  if (light.kind == rig::LightKind::kSpot) {
    const tinygltf::Value* spot = find_member(object, "spot");
    const ExtensionValues cone(reader, spot != nullptr ? *spot : object, "KHR_lights_punctual: spot",
                               fmt::format("light {}", l));
    light.outer_cone = cone.number("outerConeAngle", 0, kQuarterTurn, light.outer_cone);
    light.inner_cone = cone.number("innerConeAngle", 0, kQuarterTurn, light.inner_cone);
    if (light.inner_cone > light.outer_cone) {
      cone.warn(fmt::format("innerConeAngle: expected less than {:.6g}, got {:.6g}; 0 is used", light.outer_cone,
                            light.inner_cone));
      light.inner_cone = 0;
    }
  }
  return light;
}

}  // namespace

void read_lights(Reader& reader) {
  std::vector<std::optional<rig::Light>> lights;
  if (const tinygltf::Value* root = find_extension(reader.model.extensions, kLightsKey); root != nullptr) {
    if (const tinygltf::Value* list = find_member(*root, "lights"); list != nullptr) {
      for (std::size_t l = 0; l < list->ArrayLen(); ++l) {
        lights.push_back(read_light(reader, list->Get(static_cast<int>(l)), l));
      }
    }
  }
  std::vector<char> carried(lights.size(), 0);
  for (int j = 0; j < reader.character.skeleton->size(); ++j) {
    const int n = reader.character.skeleton->source_node[j];
    const tinygltf::Value* object = find_extension(reader.model.nodes[n].extensions, "KHR_lights_punctual");
    if (object == nullptr) {
      continue;
    }
    const ExtensionValues from(reader, *object, "KHR_lights_punctual", fmt::format("node {}", n));
    const std::optional<int> number = from.index_below("light", lights.size());
    if (number && lights[*number]) {
      rig::Light light = *lights[*number];
      light.joint = j;
      light.source = *number;
      reader.character.lights.push_back(std::move(light));
      carried[*number] = 1;
    }
  }
  for (std::size_t l = 0; l < lights.size(); ++l) {
    if (lights[l] && carried[l] == 0) {
      lights[l]->source = static_cast<int>(l);
      reader.character.spare_lights.push_back(*std::move(lights[l]));
    }
  }
}

}  // namespace pelt::gltf
