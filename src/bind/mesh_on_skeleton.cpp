#include "bind/mesh_on_skeleton.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <glm/glm.hpp>

#include "bind/rest_world.h"

namespace pelt::bind {
namespace {

bool is_invertible(const glm::dmat4& matrix) {
  const double determinant = glm::determinant(glm::dmat3(matrix));
  return std::isfinite(determinant) && determinant != 0;
}

// [J] nodes that are taken over: all but those that carry a mesh and have no joint at or below them.
std::vector<char> kept_nodes(const rig::Character& skeleton) {
  std::vector<char> kept(skeleton.skeleton->parent.size(), 1);
  for (const rig::MeshNode& node : skeleton.mesh_nodes) {
    kept[node.joint] = 0;
  }
  for (int j = skeleton.skeleton->size() - 1; j >= 0; --j) {
    kept[j] = static_cast<char>(kept[j] != 0 || skeleton.skeleton->is_joint[j] != 0);
    if (kept[j] != 0 && skeleton.skeleton->parent[j] >= 0) {
      kept[skeleton.skeleton->parent[j]] = 1;
    }
  }
  return kept;
}

// A joint, and the matrix from the world, in which the skeleton lies at rest, to its space as bound.
struct BoundJoint {
  int joint = -1;
  glm::dmat4 from_world = glm::dmat4(1.0);
};

std::vector<BoundJoint> bound_joints(const rig::Character& skeleton, const std::vector<char>& kept) {
  const std::vector<glm::dmat4> world = rest_world(skeleton);
  std::vector<BoundJoint> joints;
  const auto largest =
      std::max_element(skeleton.skins.begin(), skeleton.skins.end(),
                       [](const rig::Skin& a, const rig::Skin& b) { return a.joints.size() < b.joints.size(); });
  if (largest == skeleton.skins.end() || largest->joints.empty()) {
    for (std::size_t j = 0; j < world.size(); ++j) {
      if (kept[j] != 0 && is_invertible(world[j])) {
        joints.push_back({static_cast<int>(j), glm::inverse(world[j])});
      }
    }
    return joints;
  }
  const rig::Skin& skin = *largest;
  glm::dmat4 mesh_from_world(1.0);
  for (std::size_t k = skin.joints.size(); k-- > 0;) {
    const glm::dmat4 joint_from_mesh(skin.joint_from_mesh[k]);
    if (is_invertible(joint_from_mesh) && is_invertible(world[skin.joints[k]])) {
      mesh_from_world = glm::inverse(joint_from_mesh) * glm::inverse(world[skin.joints[k]]);
    }
  }
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    joints.push_back({skin.joints[k], glm::dmat4(skin.joint_from_mesh[k]) * mesh_from_world});
  }
  return joints;
}

// Where the vertices of a mesh are at rest.
glm::dmat4 world_from_mesh(const rig::Character& character, const rig::MeshNode& node,
                           const std::vector<glm::dmat4>& world) {
  if (node.skin >= 0 && !character.skins[node.skin].joints.empty()) {
    const rig::Skin& skin = character.skins[node.skin];
    return world[skin.joints[0]] * glm::dmat4(skin.joint_from_mesh[0]);
  }
  return world[node.joint];
}

rig::Skin skin_at(const std::vector<BoundJoint>& joints, const std::vector<int>& moved, const glm::dmat4& from_mesh) {
  rig::Skin skin;
  for (const BoundJoint& one : joints) {
    glm::mat4 joint_from_mesh(one.from_world * from_mesh);
    for (int c = 0; c < 4; ++c) {
      joint_from_mesh[c][3] = c == 3 ? 1.0f : 0.0f;
    }
    skin.joints.push_back(moved[one.joint]);
    skin.joint_from_mesh.push_back(joint_from_mesh);
  }
  return skin;
}

void add_node(rig::Skeleton& to, const rig::Skeleton& from, int j, int parent) {
  to.parent.push_back(parent);
  to.name.push_back(from.name[j]);
  to.rest.push_back(from.rest[j]);
  to.dofs.push_back(from.dofs[j]);
  to.rest_residual.push_back(from.rest_residual.empty() ? glm::mat4(1.0f) : from.rest_residual[j]);
}

// The joints of the skeleton behind the nodes of the meshes. @return [J] where each node went, -1: nowhere
std::vector<int> add_skeleton(const rig::Character& skeleton, const std::vector<char>& kept, rig::Skeleton& into) {
  std::vector<int> moved(kept.size(), -1);
  for (int j = 0; j < skeleton.skeleton->size(); ++j) {
    if (kept[j] != 0) {
      const int parent = skeleton.skeleton->parent[j];
      moved[j] = into.size();
      add_node(into, skeleton.skeleton, j, parent >= 0 ? moved[parent] : -1);
    }
  }
  return moved;
}

void add_clips(const rig::Character& skeleton, const std::vector<int>& moved, rig::Character& into) {
  for (const rig::Clip& clip : skeleton.clips) {
    rig::Clip copy = clip;
    copy.properties.clear();
    std::erase_if(copy.channels, [&](const rig::Channel& channel) {
      return moved[channel.joint] < 0 || channel.path == rig::ChannelPath::kWeights;
    });
    for (rig::Channel& channel : copy.channels) {
      channel.joint = moved[channel.joint];
    }
    if (!copy.channels.empty()) {
      into.clips.push_back(std::move(copy));
    }
  }
}

// Each node of a mesh gets a root and a mesh of its own, without weights.
void add_meshes(const rig::Character& mesh, rig::Character& into) {
  rig::Skeleton& nodes = into.skeleton.edit();
  into.meshes = mesh.meshes;
  std::vector<char> used(mesh.meshes.size(), 0);
  for (const rig::MeshNode& node : mesh.mesh_nodes) {
    rig::MeshNode own = node;
    own.joint = nodes.size();
    own.skin = -1;
    if (used[node.mesh] != 0) {
      own.mesh = static_cast<int>(into.meshes.size());
      into.meshes.push_back(mesh.meshes[node.mesh]);
    }
    used[node.mesh] = 1;
    nodes.parent.push_back(-1);
    nodes.name.push_back(mesh.skeleton->name[node.joint]);
    nodes.rest.push_back({});
    nodes.dofs.push_back({});
    nodes.rest_residual.emplace_back(1.0f);
    into.mesh_nodes.push_back(std::move(own));
  }
  for (mesh::Mesh& one : into.meshes.edit_each()) {
    for (mesh::Primitive& primitive : one.primitives.edit_each()) {
      primitive.influences = {};
      primitive.drop_cage();
    }
  }
}

// What of the first file nothing here understands, where its numbers still mean the same.
void keep_json(const rig::Character& mesh, rig::Character& into) {
  for (const rig::KeptJson& one : mesh.kept) {
    constexpr std::string_view kStay[] = {"/materials", "/textures", "/images", "/samplers", "/meshes", "/asset"};
    if (std::ranges::any_of(kStay, [&](std::string_view place) { return one.place.starts_with(place); })) {
      into.kept.push_back(one);
    }
  }
}

}  // namespace

Result<MeshOnSkeleton> mesh_on_skeleton(const rig::Character& mesh, const rig::Character& skeleton) {
  const std::vector<char> kept = kept_nodes(skeleton);
  const std::vector<BoundJoint> joints = bound_joints(skeleton, kept);
  if (joints.empty()) {
    return error("the skeleton has no joints");
  }
  const bool has_vertices = std::ranges::any_of(mesh.mesh_nodes, [&](const rig::MeshNode& node) {
    return std::ranges::any_of(mesh.meshes[node.mesh].primitives,
                               [](const mesh::Primitive& one) { return one.vertex_count() > 0; });
  });
  if (!has_vertices) {
    return error("the mesh has no vertices");
  }
  MeshOnSkeleton made;
  rig::Character& out = made.character;
  out.name = mesh.name;
  out.source = mesh.source;
  out.materials = mesh.materials;
  out.textures = mesh.textures;
  out.images = mesh.images;
  out.variants = mesh.variants;
  out.generator = mesh.generator;
  out.copyright = mesh.copyright;
  out.diagnostics = mesh.diagnostics;
  keep_json(mesh, out);
  add_meshes(mesh, out);
  made.moved = add_skeleton(skeleton, kept, out.skeleton.edit());
  const std::vector<int>& moved = made.moved;
  add_clips(skeleton, moved, out);
  for (rig::HumanBone bone : skeleton.humanoid) {
    bone.joint = moved[bone.joint];
    if (bone.joint >= 0) {
      out.humanoid.push_back(std::move(bone));
    }
  }
  out.vrm = out.humanoid.empty() ? -1 : skeleton.vrm;
  const std::vector<glm::dmat4> world = rest_world(mesh);
  for (std::size_t n = 0; n < mesh.mesh_nodes.size(); ++n) {
    rig::Skin skin = skin_at(joints, moved, world_from_mesh(mesh, mesh.mesh_nodes[n], world));
    skin.name = skeleton.skins.empty() ? skeleton.name : skeleton.skins[0].name;
    const auto same = std::ranges::find_if(
        out.skins, [&](const rig::Skin& other) { return other.joint_from_mesh == skin.joint_from_mesh; });
    out.mesh_nodes.edit()[n].skin = static_cast<int>(same - out.skins.begin());
    if (same == out.skins.end()) {
      out.skins.push_back(std::move(skin));
    }
  }
  rig::Scene scene;
  for (int j = 0; j < out.skeleton->size(); ++j) {
    if (out.skeleton->parent[j] < 0) {
      scene.roots.push_back(j);
    }
  }
  out.scenes.push_back(std::move(scene));
  rig::finish(out);
  return made;
}

}  // namespace pelt::bind
