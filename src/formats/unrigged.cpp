#include "formats/unrigged.h"

#include <cmath>
#include <utility>

#include "core/text.h"

namespace pelt::formats {

rig::Character unrigged_character(const std::filesystem::path& path, std::vector<mesh::Mesh> meshes,
                                  std::vector<rig::Material> materials, std::vector<rig::Texture> textures,
                                  SharedList<rig::Image> images) {
  rig::Character character;
  character.name = single_line(path.stem().string(), 200);
  character.source = path;
  rig::Skeleton& skeleton = character.skeleton.edit();
  rig::Scene scene;
  for (mesh::Mesh& mesh : meshes) {
    if (mesh.primitives.empty()) {
      continue;
    }
    const int joint = skeleton.size();
    skeleton.parent.push_back(-1);
    skeleton.name.push_back(mesh.name);
    skeleton.rest.emplace_back();
    skeleton.source_node.push_back(joint);
    scene.roots.push_back(joint);
    character.mesh_nodes.push_back({joint, static_cast<int>(character.meshes.size()), -1, {}});
    character.meshes.push_back(std::move(mesh));
  }
  character.scenes.push_back(std::move(scene));
  character.materials = std::move(materials);
  character.textures = std::move(textures);
  character.images = std::move(images);
  rig::finish(character);
  return character;
}

void note(Diagnostics& diagnostics, Severity severity, std::string code, std::string place, std::string message) {
  constexpr std::size_t kMostNotes = 500;
  if (diagnostics.size() < kMostNotes) {
    diagnostics.push_back({severity, std::move(code), std::move(place), std::move(message)});
  }
}

float linear_from_srgb(float value) {
  return value <= 0.04045f ? value / 12.92f : std::pow((value + 0.055f) / 1.055f, 2.4f);
}

}  // namespace pelt::formats
