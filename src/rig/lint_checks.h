#pragma once

// What lint() is made of; nothing outside src/rig and its tests includes this.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "mesh/welded_surface.h"
#include "rig/bound_bones.h"
#include "rig/lint.h"
#include "rig/tree_walk.h"

namespace pelt::rig {

/// Adds a finding of a rule, with its place in words. @param severity  given where it differs from the rule's
void add_finding(Findings& findings, const Character& character, std::string_view code, LintPlace place,
                 std::string message);
void add_finding(Findings& findings, const Character& character, std::string_view code, Severity severity,
                 LintPlace place, std::string message);

/// The same of vertices of a mesh. @param place  of its mesh; gets the first primitive that has some of them, and those
/// @param mesh_vertices  ascending, at least one, counted through all primitives
void add_finding(Findings& findings, const Character& character, std::string_view code, LintPlace place,
                 std::string message, std::vector<std::uint32_t> mesh_vertices);
void add_finding(Findings& findings, const Character& character, std::string_view code, Severity severity,
                 LintPlace place, std::string message, std::vector<std::uint32_t> mesh_vertices);

/// "1 edge" and "3 edges". @param most  a count of so many is a lower bound
std::string counted(std::size_t count, std::string_view thing, std::size_t most = 0);

/// A joint of a skin as a place. @param k  index into the skin's list
LintPlace joint_place(const Character& character, int skin, std::size_t k, int mesh = -1);

/// A length as messages say it, "0.25 m" or "3.2 mm".
std::string length_text(double metres);

/// A mesh that a skin binds, as repairs of weights see it. Holds as long as the character does.
struct BoundMesh {
  SkinnedMesh use;
  std::shared_ptr<const mesh::WeldedSurface> surface;
  std::vector<const mesh::Influences*> influences;  ///< [P] by primitive
  BoundBones bones;
  double unit = 1;  ///< metres per unit of the mesh, see mesh_units()

  BoundMesh(const Character& character, const SkinnedMesh& of, double metres);
  [[nodiscard]] bool has_weights() const;
};

// Influences: many-influences, unused-joint, attachment-joint, joint-without-weight, neutral-bone, rogue-weight,
// weight-asymmetry, and those that follow.
void check_weights(const Character& character, Findings& findings);
// One mesh with weights: wrong-side-weight, far-joint-weight, hard-edge-weight.
void check_sides(const Character& character, const BoundMesh& bound, Findings& findings);
void check_far_joints(const Character& character, const BoundMesh& bound, Findings& findings);
void check_hard_edges(const Character& character, const BoundMesh& bound, Findings& findings);
// Skeleton and skins: inverse-bind-missing, inverse-bind-mismatch, inverse-bind-inconsistent, rest-not-bind,
// bind-shear, joint-scale, joint-mirrored, mesh-node-transform, skeleton-outside-scene, skeleton-root-not-common,
// several-roots, zero-length-bone.
void check_skeleton(const Character& character, Findings& findings);
/// Where the joints of all skins stand at rest.
struct RestSkeleton {
  std::vector<glm::mat4> world;  ///< [nodes]
  TreeWalk walk;
  std::vector<std::vector<int>> parents;  ///< [S][joints] the nearest joint above that the skin lists, by its place in
                                          ///< the list, -1 at the top
  double size = 1;                        ///< the diagonal of what the joints span, metres

  explicit RestSkeleton(const Character& character);
};
// Of each skin whether its inverse bind matrices are where its joints stand: inverse-bind-mismatch, rest-not-bind.
void check_bind_fit(const Character& character, const RestSkeleton& rest, Findings& findings);

/// An inverse bind matrix that inverse-bind-mismatch tells of, and what those of the other joints imply for it: with it
/// the joint moves what follows it at rest as they do.
struct WrongBind {
  int skin = -1;
  std::size_t joint = 0;  ///< index into the skin's list
  glm::mat4 joint_from_mesh = glm::mat4(1);
};
std::vector<WrongBind> wrong_binds(const Character& character);
// Surfaces of all meshes, ALGORITHMS.md §52: t-junction, open-seam, non-manifold-edge, zero-area-triangle,
// duplicate-vertex, unused-vertex; and winding. A mesh's triangle primitives count as one surface. Warnings are what
// tears in a pose, the rest is information.
void check_surfaces(const Character& character, Findings& findings);
// Clips: clip-jump, clip-empty, track-constant, track-redundant.
void check_clips(const Character& character, Findings& findings);
// What nothing refers to: unused-data.
void check_data(const Character& character, Findings& findings);
// The practical rules of ALGORITHMS.md §53, all of them information: off-ground, off-centre, straight-elbow,
// closed-fingers, many-joints, rigid-binding, wide-turn.
void check_advice(const Character& character, Findings& findings);

/// What the joints of each skin are for. Skins that share a mesh or list the same joints are taken together, so that
/// the numbers of joints mean the same in all of them.
struct JointUse {
  std::vector<std::vector<char>> weighted;  ///< [S][joints] some vertex has weight there
  std::vector<std::vector<char>> kept;      ///< [S][joints] so, or something is to be hung on it, or such
                                            ///< a joint is below; all where no joint has weight
};
JointUse joint_use(const Character& character);

/// [J] Whether something is to be hung on the joint: a mesh, camera or light hangs on it or below, or its name says so
/// ("handslot.l", "weapon_socket"). Such a joint means something without a vertex that follows it.
std::vector<char> attachment_joints(const Character& character);

/// For each joint of a skin the place in its list of the joint on the other side: its own in the middle, -1 where there
/// is none. @param mirrored  mirrored_joints() of the skeleton
std::vector<int> partners_in(const Skin& skin, const std::vector<int>& mirrored);

}  // namespace pelt::rig
