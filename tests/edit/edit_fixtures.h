#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include "edit/commands.h"
#include "edit/document.h"
#include "support/effort.h"
#include "support/fixtures.h"

namespace pelt::test {

inline constexpr float kDegree = std::numbers::pi_v<float> / 180;

/// Joints of arm().
inline constexpr int kRoot = 0;
inline constexpr int kShoulder = 1;
inline constexpr int kElbow = 2;
inline constexpr int kHand = 3;

/// A small arm: 0 "root", 1 "shoulder_l", 2 "elbow_l" (authored hinge about z, 0..140 degrees), 3 "hand_l", 4
/// "shoulder_r", 5 "elbow_r" (the same hinge), 6 an unnamed node, 7 and 8 both named "twin", 9 "body", which carries a
/// morphed mesh with targets "smile", "frown" and one without a name. Clips: 0 "wave" turns the left shoulder and moves
/// the hand and "smile" over 1..3 s.
inline rig::Character arm() {
  rig::Character character;
  add_node(character, "root", -1, {.translation = {0, 1, 0}});
  add_node(character, "shoulder_l", 0, {.translation = {0.2f, 0.4f, 0}});
  add_node(character, "elbow_l", 1, {.translation = {0.3f, 0, 0}});
  add_node(character, "hand_l", 2, {.translation = {0.25f, 0, 0}});
  add_node(character, "shoulder_r", 0, {.translation = {-0.2f, 0.4f, 0}});
  add_node(character, "elbow_r", 4, {.translation = {-0.3f, 0, 0}});
  add_node(character, "", 0, {.translation = {0, 0.5f, 0}});
  add_node(character, "twin", 0, {});
  add_node(character, "twin", 6, {});
  rig::JointDofs hinge;
  hinge.authored = true;
  hinge.dofs = {{.name = "bend", .axis = {0, 0, 1}, .lower = 0, .upper = 140 * kDegree}};
  character.skeleton.edit().dofs.resize(9);
  for (const int j : {2, 5}) {
    hinge.offset = character.skeleton->rest[j].translation;
    character.skeleton.edit().dofs[j] = hinge;
  }
  mesh::Primitive primitive;
  primitive.topology = mesh::Topology::kLines;
  primitive.positions = {{0, 1, 0}, {0.4f, 1.4f, 0}};
  primitive.indices = {0, 1};
  for (const std::uint16_t joint : {std::uint16_t{0}, std::uint16_t{2}}) {
    const std::uint16_t joints[] = {joint};
    const float weights[] = {1.0f};
    mesh::append_row(primitive.influences.edit(), joints, weights);
  }
  for (const char* name : {"smile", "frown", ""}) {
    primitive.morph_targets.push_back({name, {{0, 0, 0.1f}, {0, 0.1f, 0}}, {}, {}});
  }
  add_skinned_mesh(character, "body", {0, 1, 2, 3, 4, 5}, std::move(primitive));
  character.meshes.edit(0).morph_names = {"smile", "frown", ""};
  character.meshes.edit(0).morph_weights = {0, 0.25f, 0};
  rig::Clip wave;
  wave.name = "wave";
  const float c = std::cos(0.5f);
  const float s = std::sin(0.5f);
  wave.channels.push_back({.joint = 1,
                           .path = rig::ChannelPath::kRotation,
                           .times = {1, 3},
                           .values = {0, 0, 0, 1, 0, 0, s, c},
                           .width = 4});
  wave.channels.push_back({.joint = 3, .times = {1, 2}, .values = {0.25f, 0, 0, 0.3f, 0.1f, 0}});
  wave.channels.push_back(
      {.joint = 9, .path = rig::ChannelPath::kWeights, .times = {1, 3}, .values = {0, 0, 0, 1, 1, 1}});
  wave.start = 1;
  wave.end = 3;
  character.clips.push_back(std::move(wave));
  rig::finish(character);
  return character;
}

/// arm() with a "hat", node 10, on its own mesh of two triangles: vertices 0 to 3, a copy of vertex 1 and of vertex 2,
/// and two that nothing uses, one of them in front. Scene 0 shows both, scene 1 the hat alone, whose part has another
/// number there.
inline rig::Character arm_with_hat() {
  rig::Character character = arm();
  const int hat = add_node(character, "hat", -1, {.translation = {0, 2, 0}});
  mesh::Mesh mesh;
  mesh.name = "hat";
  mesh::Primitive primitive;
  primitive.positions = {{9, 9, 9}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {8, 8, 8}, {0, 1, 0}, {1, 1, 0}};
  primitive.indices = {1, 2, 3, 4, 7, 6};
  mesh.primitives.push_back(std::move(primitive));
  character.meshes.push_back(std::move(mesh));
  character.mesh_nodes.push_back({.joint = hat, .mesh = 1, .skin = -1, .morph_weights = {}});
  character.scenes = {{.name = "all", .roots = {0, 9, hat}}, {.name = "hat", .roots = {0, hat}}};
  rig::finish(character);
  return character;
}

inline edit::Document arm_document() {
  return edit::make_document(std::make_shared<rig::Character>(arm()));
}

inline const Transform& local(const rig::Pose& pose, int j) {
  return pose.local[j];
}

/// Largest difference of two transforms over their components; q and -q are the same.
inline float distance(const Transform& a, const Transform& b) {
  const glm::quat q = glm::dot(a.rotation, b.rotation) < 0 ? -b.rotation : b.rotation;
  const glm::vec3 t = glm::abs(a.translation - b.translation);
  const glm::vec3 s = glm::abs(a.scale - b.scale);
  return std::max({t.x, t.y, t.z, s.x, s.y, s.z, std::abs(a.rotation.x - q.x), std::abs(a.rotation.y - q.y),
                   std::abs(a.rotation.z - q.z), std::abs(a.rotation.w - q.w)});
}

inline float distance(const rig::Pose& a, const rig::Pose& b) {
  float worst = 0;
  for (std::size_t j = 0; j < a.local.size(); ++j) {
    worst = std::max(worst, distance(a.local[j], b.local[j]));
  }
  return worst;
}

/// Index of a DOF by name.
inline int dof(const edit::Document& document, int joint, std::string_view name) {
  return edit::joint_dofs(document, joint).find(name);
}

inline void apply(edit::Document& document, edit::Change change, std::string merge_key = {}) {
  edit::apply(document, {std::move(change), std::move(merge_key)});
}

}  // namespace pelt::test
