#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "core/diagnostic.h"
#include "core/shared.h"
#include "mesh/mesh.h"
#include "rig/clip.h"
#include "rig/material.h"
#include "rig/pose.h"
#include "rig/skeleton.h"
#include "rig/spring_bones.h"

namespace pelt::rig {

/// Joints with their inverse bind matrices. Influences index `joints`.
struct Skin {
  std::string name;
  std::vector<int> joints;                 ///< skeleton indices, in the file's order
  std::vector<glm::mat4> joint_from_mesh;  ///< inverse bind matrices, one per joint, last row (0,0,0,1)
  bool has_inverse_binds = true;           ///< false: the file gave none and they are identity
  int skeleton_root = -1;
};

/// A mesh hung on a node, skinned or not.
struct MeshNode {
  int joint = -1;  ///< skeleton index of the node
  int mesh = -1;
  int skin = -1;                     ///< -1: placed by the node's world matrix
  std::vector<float> morph_weights;  ///< rest weights: the node's, else (filled by finish()) the mesh's
};

/// Nodes that were made of the instances of one node (EXT_mesh_gpu_instancing), in their order.
struct Instances {
  int joint = -1;                       ///< the node whose mesh they carry and below which they hang, skeleton index
  std::vector<int> joints;              ///< theirs
  std::vector<Transform> unshown = {};  ///< places of those that are too many to be nodes; kept for writing
  std::vector<mesh::KeptAttribute> kept = {};  ///< one element per instance, the unshown last
};

struct Camera {
  std::string name;
  int source = -1;  ///< which of the file's cameras; nodes may share one
  int joint = -1;   ///< skeleton index of the node that carries it
  bool perspective = true;
  float yfov = 0.8f;  ///< radians
  float aspect = 0;   ///< 0: the viewport's
  float znear = 0.01f;
  float zfar = 0;            ///< 0: infinite
  float xmag = 1, ymag = 1;  ///< orthographic half sizes
};

enum class LightKind { kDirectional, kPoint, kSpot };

/// KHR_lights_punctual: shines along -z of the node that carries it.
struct Light {
  std::string name;
  int joint = -1;   ///< skeleton index of the node that carries it
  int source = -1;  ///< which of the file's lights; nodes may share one
  LightKind kind = LightKind::kPoint;
  glm::vec3 color = glm::vec3(1.0f);  ///< linear
  float intensity = 1;                ///< candela; lux for a directional one
  float range = 0;                    ///< metres; 0: infinite
  float inner_cone = 0;               ///< radians from the axis, where a spot begins to fall off
  float outer_cone = 0.785398163f;    ///< radians, where it ends
};

/// VRM: what a joint is in a human body.
struct HumanBone {
  std::string role;  ///< as the file spells it: "leftUpperArm"
  int joint = -1;    ///< skeleton index
};

enum class ConstraintKind { kRoll, kAim, kRotation };

/// VRMC_node_constraint: a node whose rotation follows another node; see rig/constraints.h.
struct NodeConstraint {
  ConstraintKind kind = ConstraintKind::kRotation;
  int joint = -1;   ///< what is turned, skeleton index
  int source = -1;  ///< what it follows, skeleton index
  glm::vec3 axis =
      glm::vec3(1, 0, 0);  ///< of kRoll and kAim, in the joint's own space: a coordinate axis or its opposite
  float weight = 1;        ///< 0: the joint's rest rotation, 1: all of what the constraint says
};

struct Scene {
  std::string name;
  std::vector<int> roots;  ///< skeleton indices
};

/// What one object of a file says that nothing here understands, as JSON text, so that writing gives it back. The
/// writer's own members win over those of the same name. A place that begins with "form:" is how the file says what the
/// character has: `extras` is a value that only gltf reads.
struct KeptJson {
  std::string place;       ///< JSON pointer of the object in the source file, "/meshes/2/primitives/0"; empty: the file
  std::string extensions;  ///< an object of those that are not understood, or empty
  std::string extras;      ///< any value, or empty
};

/// One primitive as it is drawn: which mesh, which primitive, where. Order: nodes depth first from the scene's roots,
/// then primitives. Index letter p.
struct Part {
  int mesh_node = -1;
  int joint = -1;  ///< the carrying node
  int mesh = -1;
  int primitive = -1;
  int skin = -1;
  bool operator==(const Part&) const = default;
};

/// Everything read from one file. A copyable value; knows neither files nor OpenGL.
struct Character {
  std::string name;
  std::filesystem::path source;  ///< empty for one made in code
  Shared<Skeleton> skeleton;
  SharedList<Skin> skins;
  SharedList<mesh::Mesh> meshes;
  SharedArray<MeshNode> mesh_nodes;
  SharedArray<Instances> instances;
  SharedArray<Material> materials;
  SharedArray<Texture> textures;
  SharedList<Image> images;
  SharedList<Clip> clips;  ///< in the order of the file's animations
  SharedArray<Camera> cameras;
  SharedArray<Light> lights;          ///< one per node that carries one
  SharedArray<Camera> spare_cameras;  ///< those that no node carries; kept for writing
  SharedArray<Light> spare_lights;
  SharedArray<Scene> scenes;
  int scene = 0;                            ///< the one shown, at first the file's default; see show_scene()
  SharedArray<std::string> variants;        ///< names; what they mean is in mesh::Primitive::variant_materials
  SharedArray<char> node_hidden;            ///< [J] or empty: KHR_node_visibility hides it and all below
  SharedArray<HumanBone> humanoid;          ///< each role and each joint at most once
  int vrm = -1;                             ///< major version of the VRM data they are from; -1: none
  SharedArray<NodeConstraint> constraints;  ///< at most one per joint, sources first
  SharedArray<SpringBone> spring_bones;
  SharedArray<SpringBoneCollider> spring_colliders;
  SharedArray<std::string> extensions_used;
  SharedArray<std::string> extensions_required;
  std::string generator;  ///< asset.generator
  std::string copyright;  ///< asset.copyright
  SharedArray<KeptJson> kept;
  Diagnostics diagnostics;

  // Derived by finish().
  SharedArray<Part> parts;        ///< of the shown scene
  SharedArray<int> morph_offset;  ///< [J + 1] where node j's weights begin in Pose::morph_weights

  [[nodiscard]] const mesh::Primitive& primitive(const Part& part) const {
    return meshes[part.mesh].primitives[part.primitive];
  }
  /// The weights of the mesh on node `joint`; empty where there is none.
  [[nodiscard]] std::span<const float> morph_weights(const Pose& pose, int joint) const;
};

/// Fills what is derived: parts, morph offsets, is_joint, child lists, rest morph weights, and default DOFs for nodes
/// that have none and are not authored, and budgets of influences that nobody said. Arrays of the skeleton that are too
/// short are filled with defaults (source nodes: the index). Call once after building.
/// @pre  parents before children; all indices between the parts of the character in range
void finish(Character& character);

/// Shows another scene: makes its parts. Skeleton, meshes and poses mean what they did.
/// @pre  0 <= scene < scenes.size(), finish() was called
void show_scene(Character& character, int scene);

/// The file's own pose.
Pose rest_pose(const Character& character);
/// All DOFs at their defaults; equals the rest pose where the file says nothing of DOFs.
Pose zero_pose(const Character& character);
/// The pose in which the skin was bound, ALGORITHMS.md §3: world matrices of the joints of `skin` (all skins where -1,
/// the first to list a joint wins) are the inverses of its inverse bind matrices; other nodes keep their rest local
/// transforms.
Pose bind_pose(const Character& character, int skin = -1);
/// Largest difference of the skin matrices from identity in the rest pose, over matrix elements relative to the size of
/// the character: above 1e-4 the rest pose is not the bind pose.
float rest_bind_difference(const Character& character);

/// M_j = W_j * B_j^-1 of the joint at place `k` in the skin. @pre  k < skin.joints.size()
glm::mat4 skin_matrix(const Skin& skin, std::span<const glm::mat4> world, std::size_t k);
/// The same for each joint of the skin. @param out  one per joint of the skin
void skin_matrices(const Skin& skin, std::span<const glm::mat4> world, std::span<glm::mat4> out);

/// Left and right exchanged by joint names. The mirror's plane goes through the origin, across the axis along which
/// partners lie apart (see Mirror); joints without a side are mirrored onto themselves. Relative to the rest pose, so
/// it works with any joint orientations.
Pose mirrored(const Character& character, const Pose& pose);

/// The direction of the bone that starts at joint j, in its local space, unit: towards the only child joint, or the
/// mean of several, else onwards from the parent; zero where nothing tells. In a node that no skin lists any child
/// counts.
glm::vec3 bone_direction(const Skeleton& skeleton, int j);

/// The first skin that a mesh hangs on, whose list the joints of its weights are counted in; -1 where it hangs on none.
int first_skin_of(const Character& character, int mesh);

/// Length of that bone in the rest pose's world space, metres: to the child joint or the mean of several, else as far
/// as the joint is from its parent; 0 where nothing tells. @cost O(depth)
float bone_length(const Skeleton& skeleton, int j);

}  // namespace pelt::rig
