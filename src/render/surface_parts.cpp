#include "render/surface_parts.h"

#include <algorithm>

namespace pelt::render {
namespace {

bool same_joints(const Shared<rig::Skeleton>& a, const Shared<rig::Skeleton>& b) {
  return a.is(b) || (a->parent == b->parent && a->rest == b->rest && a->rest_residual == b->rest_residual &&
                     a->is_joint == b->is_joint);
}

template <typename T, typename Same>
bool same_items(const SharedList<T>& a, const SharedList<T>& b, Same same) {
  if (a.is(b)) {
    return true;
  }
  if (a.size() != b.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!a.shared(i).is(b.shared(i)) && !same(a[i], b[i])) {
      return false;
    }
  }
  return true;
}

template <typename T, typename Same>
bool same_elements(const SharedArray<T>& a, const SharedArray<T>& b, Same same) {
  return a.is(b) || std::ranges::equal(a, b, same);
}

bool same_skin(const rig::Skin& a, const rig::Skin& b) {
  return a.joints == b.joints && a.joint_from_mesh == b.joint_from_mesh;
}

bool same_target(const mesh::MorphTarget& a, const mesh::MorphTarget& b) {
  return a.position_deltas.is(b.position_deltas) && a.normal_deltas.is(b.normal_deltas) &&
         a.tangent_deltas.is(b.tangent_deltas);
}

bool same_primitive(const mesh::Primitive& a, const mesh::Primitive& b, bool weights) {
  const bool same_rows = weights ? a.influences.is(b.influences) : a.influences->empty() == b.influences->empty();
  return same_rows && a.topology == b.topology && a.indices.is(b.indices) && a.positions.is(b.positions) &&
         a.normals.is(b.normals) && a.tangents.is(b.tangents) && a.texcoords[0].is(b.texcoords[0]) &&
         a.texcoords[1].is(b.texcoords[1]) && a.colors.is(b.colors) && a.cage.is(b.cage) &&
         a.cage_rows.is(b.cage_rows) && same_items(a.morph_targets, b.morph_targets, same_target);
}

bool same(const SurfaceParts& a, const SurfaceParts& b, bool weights) {
  const auto same_mesh = [&](const mesh::Mesh& m, const mesh::Mesh& n) {
    return same_items(m.primitives, n.primitives, [&](const mesh::Primitive& p, const mesh::Primitive& q) {
      return same_primitive(p, q, weights);
    });
  };
  return same_joints(a.skeleton, b.skeleton) && same_items(a.skins, b.skins, same_skin) &&
         same_items(a.meshes, b.meshes, same_mesh) &&
         same_elements(a.mesh_nodes, b.mesh_nodes,
                       [](const rig::MeshNode& m, const rig::MeshNode& n) {
                         return m.joint == n.joint && m.mesh == n.mesh && m.skin == n.skin;
                       }) &&
         same_elements(a.parts, b.parts, [](const rig::Part& p, const rig::Part& q) {
           return p.mesh_node == q.mesh_node && p.joint == q.joint && p.mesh == q.mesh && p.primitive == q.primitive &&
                  p.skin == q.skin;
         });
}

}  // namespace

SurfaceParts::SurfaceParts(const rig::Character& character)
    : skeleton(character.skeleton),
      skins(character.skins),
      meshes(character.meshes),
      mesh_nodes(character.mesh_nodes),
      parts(character.parts) {}

bool operator==(const SurfaceParts& a, const SurfaceParts& b) {
  return same(a, b, true);
}

AppearanceParts::AppearanceParts(const rig::Character& character)
    : surface(character),
      materials(character.materials),
      textures(character.textures),
      images(character.images),
      lights(character.lights),
      cameras(character.cameras),
      node_hidden(character.node_hidden),
      clips(character.clips),
      scenes(character.scenes),
      scene(character.scene) {}

bool operator==(const AppearanceParts& a, const AppearanceParts& b) {
  // Materials of primitives and variants lie with the meshes, so these count whole.
  return a.surface.meshes.is(b.surface.meshes) && a.surface == b.surface && a.materials.is(b.materials) &&
         a.textures.is(b.textures) && a.images.is(b.images) && a.lights.is(b.lights) && a.cameras.is(b.cameras) &&
         a.node_hidden.is(b.node_hidden) && a.clips.is(b.clips) && a.scenes.is(b.scenes) && a.scene == b.scene;
}

bool same_but_weights(const SurfaceParts& a, const SurfaceParts& b) {
  return same(a, b, false);
}

}  // namespace pelt::render
