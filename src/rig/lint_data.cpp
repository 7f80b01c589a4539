#include <algorithm>

#include <fmt/format.h>

#include "core/index.h"
#include "rig/lint_checks.h"

namespace pelt::rig {
namespace {

template <typename Visit>
void visit_textures(const Material& m, Visit visit) {
  for (const TextureRef* ref :
       {&m.base_color_texture, &m.metallic_roughness_texture, &m.normal_texture, &m.occlusion_texture,
        &m.emissive_texture, &m.specular.texture, &m.specular.color_texture, &m.clearcoat.texture,
        &m.clearcoat.roughness_texture, &m.clearcoat.normal_texture, &m.sheen.color_texture, &m.sheen.roughness_texture,
        &m.transmission.texture}) {
    visit(ref->texture);
  }
}

void check_unused(const Character& character, Findings& findings) {
  const auto mark = [](std::vector<char>& used, int i) {
    if (has_index(used, i)) {
      used[i] = 1;
    }
  };
  std::vector<char> meshes(character.meshes.size(), 0);
  std::vector<char> skins(character.skins.size(), 0);
  std::vector<char> materials(character.materials.size(), 0);
  std::vector<char> textures(character.textures.size(), 0);
  std::vector<char> images(character.images.size(), 0);
  for (const MeshNode& node : character.mesh_nodes) {
    mark(meshes, node.mesh);
    mark(skins, node.skin);
  }
  for (const mesh::Mesh& mesh : character.meshes) {
    for (const mesh::Primitive& primitive : mesh.primitives) {
      mark(materials, primitive.material);
      for (const mesh::VariantMaterial& variant : primitive.variant_materials) {
        mark(materials, variant.material);
      }
    }
  }
  for (const Material& material : character.materials) {
    visit_textures(material, [&](int texture) { mark(textures, texture); });
  }
  for (const Texture& texture : character.textures) {
    mark(images, texture.image);
  }
  const auto tell = [&](const std::vector<char>& used, std::string_view thing, std::string_view by,
                        int LintPlace::*member) {
    const std::size_t count = std::ranges::count(used, char{0});
    // A skeleton without a mesh is not waste but what the file is for.
    if (count > 0 && !(member == &LintPlace::skin && character.meshes.empty())) {
      LintPlace place;
      place.*member = static_cast<int>(std::ranges::find(used, char{0}) - used.begin());
      add_finding(findings, character, "unused-data", std::move(place),
                  fmt::format("{} of {} used by no {}, the first is this one", count, counted(used.size(), thing), by));
    }
  };
  tell(meshes, "mesh", "node", &LintPlace::mesh);
  tell(skins, "skin", "node", &LintPlace::skin);
  tell(materials, "material", "primitive", &LintPlace::material);
  tell(textures, "texture", "material", &LintPlace::texture);
  tell(images, "image", "texture", &LintPlace::image);
}

}  // namespace

void check_data(const Character& character, Findings& findings) {
  check_unused(character, findings);
}

}  // namespace pelt::rig
