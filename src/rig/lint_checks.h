#pragma once

// What lint() is made of; nothing outside src/rig and its tests includes this.

#include <vector>

#include "rig/lint.h"

namespace pelt::rig {

/// Adds a finding of a rule, with its place in words. @param severity  given where it differs from the rule's
void add_finding(Findings& findings, const Character& character, std::string_view code, LintPlace place,
                 std::string message);
void add_finding(Findings& findings, const Character& character, std::string_view code, Severity severity,
                 LintPlace place, std::string message);

/// "1 edge" and "3 edges". @param most  a count of so many is a lower bound
std::string counted(std::size_t count, std::string_view thing, std::size_t most = 0);

// Influences: many-influences, unused-joint, joint-without-weight, neutral-bone, rogue-weight, weight-asymmetry.
void check_weights(const Character& character, Findings& findings);
// Skeleton and skins: inverse-bind-missing, inverse-bind-inconsistent, rest-not-bind, bind-shear, joint-scale,
// joint-mirrored, mesh-node-transform, skeleton-outside-scene, skeleton-root-not-common, several-roots,
// zero-length-bone.
void check_skeleton(const Character& character, Findings& findings);
// Surfaces of all meshes, algorithms.md §52: t-junction, open-seam, non-manifold-edge, zero-area-triangle,
// duplicate-vertex, unused-vertex. A mesh's triangle primitives count as one surface. Warnings are what tears in a
// pose, the rest is information.
void check_surfaces(const Character& character, Findings& findings);
// Clips and what nothing refers to: clip-jump, clip-empty, unused-data.
void check_data(const Character& character, Findings& findings);

/// What the joints of each skin are for. Skins that share a mesh or list the same joints are taken together, so that
/// the numbers of joints mean the same in all of them.
struct JointUse {
  std::vector<std::vector<char>> weighted;  ///< [S][joints] some vertex has weight there
  std::vector<std::vector<char>> kept;      ///< [S][joints] so, or such a joint is below; all where no joint has weight
};
JointUse joint_use(const Character& character);

/// Skins that some mesh with influences uses, as pairs without repetition, in the order of the mesh nodes.
struct SkinnedMesh {
  int mesh = -1;
  int skin = -1;
};
std::vector<SkinnedMesh> skinned_meshes(const Character& character);

}  // namespace pelt::rig
