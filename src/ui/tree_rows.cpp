#include "ui/tree_rows.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.h"
#include "ui/hiding.h"
#include "ui/icons.h"
#include "ui/widgets.h"

namespace pelt::ui {
namespace {

std::string or_number(const std::string& name, const char* what, int index) {
  return name.empty() ? fmt::format("{} {}", what, index) : printable(name);
}

}  // namespace

int tree_group_size(const rig::Character& character, int group) {
  switch (group) {
    case kNodes:
      return character.skeleton->size();
    case kSkins:
      return static_cast<int>(character.skins.size());
    case kMeshes:
      return static_cast<int>(character.mesh_nodes.size());
    case kMaterials:
      return static_cast<int>(character.materials.size());
    case kVariants:
      return static_cast<int>(character.variants.size());
    case kClips:
      return static_cast<int>(character.clips.size());
    case kScenes:
      return static_cast<int>(character.scenes.size());
    case kCameras:
      return static_cast<int>(character.cameras.size());
    case kLights:
      return static_cast<int>(character.lights.size());
    default:
      return 0;
  }
}

RowKind row_kind_of(int group) {
  constexpr RowKind kKinds[] = {RowKind::kNode,     RowKind::kSkin,    RowKind::kMesh,
                                RowKind::kMaterial, RowKind::kVariant, RowKind::kClip,
                                RowKind::kScene,    RowKind::kCamera,  RowKind::kLight};
  return kKinds[group];
}

std::string row_name(const rig::Character& character, const TreeRow& row, std::string_view prefix) {
  const std::size_t i = row.index;
  switch (row.kind) {
    case RowKind::kGroup: {
      constexpr const char* kNames[] = {"Joints and nodes", "Skins",   "Meshes", "Materials", "Variants", "Clips",
                                        "Scenes",           "Cameras", "Lights"};
      return kNames[row.index];
    }
    case RowKind::kNode: {
      const std::string name = character.skeleton->label(row.index);
      return printable(name.starts_with(prefix) ? std::string_view(name).substr(prefix.size())
                                                : std::string_view(name));
    }
    case RowKind::kSkin:
      return or_number(character.skins[i].name, "skin", row.index);
    case RowKind::kMesh: {
      const rig::MeshNode& node = character.mesh_nodes[i];
      const std::string& name = character.meshes[node.mesh].name;
      return or_number(name, "mesh", node.mesh);
    }
    case RowKind::kPart:
      return part_label(character, row.index);
    case RowKind::kMaterial:
      return or_number(character.materials[i].name, "material", row.index);
    case RowKind::kVariant:
      return or_number(character.variants[i], "variant", row.index);
    case RowKind::kCamera:
      return or_number(character.cameras[i].name, "camera", row.index);
    case RowKind::kLight:
      return or_number(character.lights[i].name, "light", row.index);
    case RowKind::kClip:
      return or_number(character.clips[i].name, "clip", row.index);
    case RowKind::kScene:
      return or_number(character.scenes[i].name, "scene", row.index);
  }
  return {};
}

std::string row_note(const rig::Character& character, const TreeRow& row) {
  const std::size_t i = row.index;
  switch (row.kind) {
    case RowKind::kGroup:
      return count_text(tree_group_size(character, row.index));
    case RowKind::kSkin:
      return count_of(std::ssize(character.skins[i].joints), "joint", "joints");
    case RowKind::kMesh: {
      std::int64_t vertices = 0;
      for (const mesh::Primitive& primitive : character.meshes[character.mesh_nodes[i].mesh].primitives) {
        vertices += static_cast<std::int64_t>(primitive.vertex_count());
      }
      return count_text(vertices);
    }
    case RowKind::kPart:
      return count_text(static_cast<std::int64_t>(character.primitive(character.parts[i]).vertex_count()));
    case RowKind::kClip:
      return fmt::format("{:.2f} s", character.clips[i].duration());
    case RowKind::kScene:
      return row.index == character.scene ? "shown" : "";
    case RowKind::kLight: {
      constexpr const char* kKinds[] = {"directional", "point", "spot"};
      return kKinds[static_cast<int>(character.lights[i].kind)];
    }
    case RowKind::kNode: {
      const auto bone = std::ranges::find(character.humanoid, row.index, &rig::HumanBone::joint);
      return bone == character.humanoid.end() ? "" : printable(bone->role);
    }
    case RowKind::kCamera: {
      // Nodes may share one camera: then its name does not tell them apart.
      const rig::Camera& camera = character.cameras[i];
      const bool shared = std::ranges::count(character.cameras, camera.source, &rig::Camera::source) > 1;
      return shared && camera.joint >= 0 ? printable(character.skeleton->label(camera.joint))
             : camera.perspective        ? ""
                                         : "orthographic";
    }
    case RowKind::kMaterial:
    case RowKind::kVariant:
      break;
  }
  return {};
}

const char* row_icon(const rig::Character& character, const TreeRow& row) {
  switch (row.kind) {
    case RowKind::kNode:
      return character.skeleton->is_joint[row.index] != 0 ? icon::kJoint : icon::kNode;
    case RowKind::kSkin:
      return icon::kSkin;
    case RowKind::kMesh:
    case RowKind::kPart:
      return icon::kMesh;
    case RowKind::kMaterial:
      return icon::kMaterial;
    case RowKind::kClip:
      return icon::kClip;
    case RowKind::kScene:
      return icon::kScene;
    case RowKind::kVariant:
      return icon::kVariant;
    case RowKind::kCamera:
      return icon::kCamera;
    case RowKind::kLight:
      return icon::kLight;
    case RowKind::kGroup:
      break;
  }
  return "";
}

}  // namespace pelt::ui
