// glTF 2.0, sections 3.8 to 3.10; KHR_materials_unlit, _emissive_strength, _ior, _specular, _clearcoat, _sheen,
// _transmission, KHR_texture_transform, KHR_lights_punctual.

#include "gltf/export_materials.h"

#include <algorithm>
#include <utility>

namespace pelt::gltf {
namespace {

class MaterialWriter {
 public:
  explicit MaterialWriter(std::set<std::string>& extensions) : extensions_(extensions) {}

  [[nodiscard]] Json write(const rig::Material& material, float strength);

 private:
  void put_texture(Json& out, const char* name, const rig::TextureRef& ref, const char* strength_name = nullptr);
  static void put_factor(Json& out, const char* name, float value, float otherwise) {
    if (value != otherwise) {
      out[name] = value;
    }
  }
  static void put_color(Json& out, const char* name, const glm::vec3& value, float otherwise) {
    if (value != glm::vec3(otherwise)) {
      out[name] = json_of(value);
    }
  }
  /// @param content  an object; an empty one only where the extension's presence is what it says
  void put_extension(Json& out, const char* name, Json content) {
    out["extensions"][name] = std::move(content);
    extensions_.insert(name);
  }
  void put_extensions(Json& out, const rig::Material& material, float strength);
  void put_unless_empty(Json& out, const char* name, Json content) {
    if (!content.empty()) {
      put_extension(out, name, std::move(content));
    }
  }

  std::set<std::string>& extensions_;
};

void MaterialWriter::put_texture(Json& out, const char* name, const rig::TextureRef& ref, const char* strength_name) {
  if (ref.texture < 0) {
    return;
  }
  Json info = {{"index", ref.texture}};
  if (ref.texcoord != 0) {
    info["texCoord"] = ref.texcoord;
  }
  if (strength_name != nullptr && ref.strength != 1.0f) {
    info[strength_name] = ref.strength;
  }
  if (ref.transform != rig::TextureTransform{}) {
    Json transform = Json::object();
    if (ref.transform.offset != glm::vec2(0.0f)) {
      transform["offset"] = json_of(ref.transform.offset);
    }
    put_factor(transform, "rotation", ref.transform.rotation, 0);
    if (ref.transform.scale != glm::vec2(1.0f)) {
      transform["scale"] = json_of(ref.transform.scale);
    }
    put_extension(info, "KHR_texture_transform", std::move(transform));
  }
  out[name] = std::move(info);
}

Json MaterialWriter::write(const rig::Material& material, float strength) {
  Json out = Json::object();
  if (!material.name.empty()) {
    out["name"] = material.name;
  }
  Json pbr = Json::object();
  if (material.base_color != glm::vec4(1.0f)) {
    pbr["baseColorFactor"] = json_of(material.base_color);
  }
  put_texture(pbr, "baseColorTexture", material.base_color_texture);
  put_factor(pbr, "metallicFactor", material.metallic, 1);
  put_factor(pbr, "roughnessFactor", material.roughness, 1);
  put_texture(pbr, "metallicRoughnessTexture", material.metallic_roughness_texture);
  if (!pbr.empty()) {
    out["pbrMetallicRoughness"] = std::move(pbr);
  }
  put_texture(out, "normalTexture", material.normal_texture, "scale");
  put_texture(out, "occlusionTexture", material.occlusion_texture, "strength");
  put_texture(out, "emissiveTexture", material.emissive_texture);
  put_color(out, "emissiveFactor", material.emissive / strength, 0);
  if (material.alpha_mode == rig::AlphaMode::kMask) {
    out["alphaMode"] = "MASK";
    put_factor(out, "alphaCutoff", material.alpha_cutoff, 0.5f);
  } else if (material.alpha_mode == rig::AlphaMode::kBlend) {
    out["alphaMode"] = "BLEND";
  }
  if (material.double_sided) {
    out["doubleSided"] = true;
  }
  put_extensions(out, material, strength);
  return out;
}

void MaterialWriter::put_extensions(Json& out, const rig::Material& material, float strength) {
  if (material.unlit) {
    put_extension(out, "KHR_materials_unlit", Json::object());
  }
  if (strength > 1.0f) {
    put_extension(out, "KHR_materials_emissive_strength", {{"emissiveStrength", strength}});
  }
  Json ior = Json::object();
  put_factor(ior, "ior", material.ior, 1.5f);
  put_unless_empty(out, "KHR_materials_ior", std::move(ior));

  Json specular = Json::object();
  put_factor(specular, "specularFactor", material.specular.factor, 1);
  put_texture(specular, "specularTexture", material.specular.texture);
  put_color(specular, "specularColorFactor", material.specular.color, 1);
  put_texture(specular, "specularColorTexture", material.specular.color_texture);
  put_unless_empty(out, "KHR_materials_specular", std::move(specular));

  Json coat = Json::object();
  put_factor(coat, "clearcoatFactor", material.clearcoat.factor, 0);
  put_texture(coat, "clearcoatTexture", material.clearcoat.texture);
  put_factor(coat, "clearcoatRoughnessFactor", material.clearcoat.roughness, 0);
  put_texture(coat, "clearcoatRoughnessTexture", material.clearcoat.roughness_texture);
  put_texture(coat, "clearcoatNormalTexture", material.clearcoat.normal_texture, "scale");
  put_unless_empty(out, "KHR_materials_clearcoat", std::move(coat));

  Json sheen = Json::object();
  put_color(sheen, "sheenColorFactor", material.sheen.color, 0);
  put_texture(sheen, "sheenColorTexture", material.sheen.color_texture);
  put_factor(sheen, "sheenRoughnessFactor", material.sheen.roughness, 0);
  put_texture(sheen, "sheenRoughnessTexture", material.sheen.roughness_texture);
  put_unless_empty(out, "KHR_materials_sheen", std::move(sheen));

  Json transmission = Json::object();
  put_factor(transmission, "transmissionFactor", material.transmission.factor, 0);
  put_texture(transmission, "transmissionTexture", material.transmission.texture);
  put_unless_empty(out, "KHR_materials_transmission", std::move(transmission));
}

}  // namespace

Json material_json(const rig::Material& material, float strength, std::set<std::string>& extensions) {
  return MaterialWriter(extensions).write(material, strength);
}

Json light_json(const rig::Light& light) {
  constexpr const char* kKinds[] = {"directional", "point", "spot"};
  Json out = Json::object();
  if (!light.name.empty()) {
    out["name"] = light.name;
  }
  out["type"] = kKinds[static_cast<int>(light.kind)];
  if (light.color != glm::vec3(1.0f)) {
    out["color"] = json_of(light.color);
  }
  if (light.intensity != 1.0f) {
    out["intensity"] = light.intensity;
  }
  if (light.range > 0 && light.kind != rig::LightKind::kDirectional) {
    out["range"] = light.range;
  }
  if (light.kind == rig::LightKind::kSpot) {
    out["spot"] = {{"innerConeAngle", light.inner_cone}, {"outerConeAngle", light.outer_cone}};
  }
  return out;
}

Json camera_json(const rig::Camera& camera) {
  Json out = Json::object();
  if (!camera.name.empty()) {
    out["name"] = camera.name;
  }
  if (camera.perspective) {
    Json lens = {{"yfov", camera.yfov}, {"znear", camera.znear}};
    if (camera.aspect > 0) {
      lens["aspectRatio"] = camera.aspect;
    }
    if (camera.zfar > 0) {
      lens["zfar"] = camera.zfar;
    }
    out["type"] = "perspective";
    out["perspective"] = std::move(lens);
  } else {
    out["type"] = "orthographic";
    out["orthographic"] = {
        {"xmag", camera.xmag}, {"ymag", camera.ymag}, {"zfar", camera.zfar}, {"znear", camera.znear}};
  }
  return out;
}

Json sampler_json(const rig::Texture& texture, Json filters) {
  constexpr int kWraps[] = {10497, 33071, 33648};
  const bool nearest = texture.minify == rig::Filter::kNearest;
  Json out = std::move(filters);
  if (!out.is_object()) {
    out = {{"magFilter", texture.magnify == rig::Filter::kNearest ? 9728 : 9729},
           {"minFilter", texture.mipmaps ? (nearest ? 9986 : 9987) : (nearest ? 9728 : 9729)}};
  }
  // Repetition is what a sampler says that says nothing.
  for (const auto& [member, wrap] : {std::pair{"wrapS", texture.wrap_s}, std::pair{"wrapT", texture.wrap_t}}) {
    if (wrap != rig::Wrap::kRepeat) {
      out[member] = kWraps[static_cast<int>(wrap)];
    }
  }
  return out;
}

bool needs_sampler(const rig::Texture& texture) {
  const rig::Texture without;
  return texture.sampler >= 0 || texture.magnify != without.magnify || texture.minify != without.minify ||
         texture.mipmaps != without.mipmaps || texture.wrap_s != without.wrap_s || texture.wrap_t != without.wrap_t;
}

}  // namespace pelt::gltf
