#pragma once

#include <cstdint>
#include <vector>

#include "deform/skinning_methods.h"

namespace pelt::deform {

/// Linear blend skinning by one blended matrix per vertex: v' = (sum w_i M_i) v, ALGORITHMS.md §7.
///
/// Shrinks where joints twist or bend far. With weights as stored the affine sum is taken as it is, so weights that sum
/// to s scale the point about the world origin by s. Source: Magnenat-Thalmann, Laperriere, Thalmann, "Joint-Dependent
/// Local Deformations for Hand Animation and Object
///         Grasping", Graphics Interface 1988; Lewis, Cordner, Fong, "Pose Space Deformation", SIGGRAPH 2000.
/// @cost O(V*K), no allocation, safe to call concurrently for disjoint ranges
void skin_lbs(const SkinInput& input, const SkinOutput& output, std::size_t begin, std::size_t end);

/// The same with positions as a sum of points, v' = sum w_i (M_i v): the form of the texts. Normals and tangents are
/// those of skin_lbs().
void skin_lbs_sum_of_points(const SkinInput& input, const SkinOutput& output, std::size_t begin, std::size_t end);

/// Which vertices follow each joint: influences turned round.
struct JointVertices {
  std::vector<std::uint32_t> offset = {0};  ///< [J + 1] rows of the arrays below
  std::vector<std::uint32_t> vertex;
  std::vector<float> weight;  ///< normalised
};
JointVertices make_joint_vertices(const mesh::Influences& influences, std::size_t joint_count);

/// The same once more joint by joint, ALGORITHMS.md §11: outputs are cleared, then each joint adds its share to the
/// vertices that follow it. Normals by variant a. For the benchmark, which shows what the order costs: on one thread,
/// since threads would have to share vertices; no tangents; normalised weights.
/// @param out_normals  [V] or empty
void skin_lbs_bone_major(const SkinInput& input, const JointVertices& joints, std::span<glm::vec3> out_positions,
                         std::span<glm::vec3> out_normals);

}  // namespace pelt::deform
