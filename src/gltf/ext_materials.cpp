// KHR_materials_ior, KHR_materials_specular, KHR_materials_clearcoat, KHR_materials_sheen, KHR_materials_transmission:
// what they say of a material. One reader each, one row in the table.

#include <array>

#include "gltf/extension_values.h"

namespace pelt::gltf {
namespace {

void read_ior(const ExtensionValues& from, rig::Material& out) {
  out.ior = from.number("ior", 0, kLargest, out.ior);
  if (out.ior > 0 && out.ior < 1) {
    from.warn(fmt::format("ior: expected 0 or at least 1, got {:.6g}; 1 is used", out.ior));
    out.ior = 1;
  }
}

void read_specular(const ExtensionValues& from, rig::Material& out) {
  out.specular.factor = from.number("specularFactor", 0, 1, out.specular.factor);
  out.specular.color = from.color("specularColorFactor", kLargest, out.specular.color);
  out.specular.texture = from.texture("specularTexture");
  out.specular.color_texture = from.texture("specularColorTexture");
}

void read_clearcoat(const ExtensionValues& from, rig::Material& out) {
  out.clearcoat.factor = from.number("clearcoatFactor", 0, 1, out.clearcoat.factor);
  out.clearcoat.roughness = from.number("clearcoatRoughnessFactor", 0, 1, out.clearcoat.roughness);
  out.clearcoat.texture = from.texture("clearcoatTexture");
  out.clearcoat.roughness_texture = from.texture("clearcoatRoughnessTexture");
  out.clearcoat.normal_texture = from.texture("clearcoatNormalTexture");
}

void read_sheen(const ExtensionValues& from, rig::Material& out) {
  out.sheen.color = from.color("sheenColorFactor", 1, out.sheen.color);
  out.sheen.roughness = from.number("sheenRoughnessFactor", 0, 1, out.sheen.roughness);
  out.sheen.color_texture = from.texture("sheenColorTexture");
  out.sheen.roughness_texture = from.texture("sheenRoughnessTexture");
}

void read_transmission(const ExtensionValues& from, rig::Material& out) {
  out.transmission.factor = from.number("transmissionFactor", 0, 1, out.transmission.factor);
  out.transmission.texture = from.texture("transmissionTexture");
}

}  // namespace

void read_material_extensions(Reader& reader, const tinygltf::Material& from, const std::string& place,
                              rig::Material& out) {
  struct MaterialExtension {
    const char* name;
    void (*read)(const ExtensionValues&, rig::Material&);
  };
  static constexpr std::array<MaterialExtension, 5> kMaterialExtensions = {{
      {"KHR_materials_ior", read_ior},
      {"KHR_materials_specular", read_specular},
      {"KHR_materials_clearcoat", read_clearcoat},
      {"KHR_materials_sheen", read_sheen},
      {"KHR_materials_transmission", read_transmission},
  }};
  for (const MaterialExtension& extension : kMaterialExtensions) {
    if (const tinygltf::Value* object = find_extension(from.extensions, extension.name); object != nullptr) {
      extension.read(ExtensionValues(reader, *object, extension.name, place), out);
    }
  }
}

}  // namespace pelt::gltf
