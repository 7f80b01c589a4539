#pragma once

#include <span>

#include "deform/skinning_methods.h"
#include "math/dual_quaternion.h"

namespace pelt::deform {

/// The motion about a centre of rotation, ALGORITHMS.md §23: the centre goes where the linear blend takes it,
/// everything round it is stretched and turned as one piece. Step 11 of those in vertex_frame.h: L = Σ M_k w_k, A =
/// R(c.q) (linear part of Σ K_k w_k) with c of step 8, B = [A | L p* - A p*]; B = L without a centre, or where b.q
/// cancelled out.
/// @param rotation  unit, (x, y, z, w)
/// @param stretch   blend of the joints' stretches; identity for rigid joints
/// @param blended   linear blend of the skin matrices
template <typename T>
glm::mat<4, 3, T> about_center(const glm::vec<4, T>& rotation, const glm::mat<3, 3, T>& stretch,
                               const glm::mat<4, 3, T>& blended, const glm::vec<3, T>& center) {
  const glm::mat<3, 3, T> linear = rotation_matrix(rotation) * stretch;
  const glm::vec<3, T> image = blended[0] * center.x + blended[1] * center.y + blended[2] * center.z + blended[3];
  return {linear[0], linear[1], linear[2], image - linear * center};
}

/// Skinning about optimised centres of rotation.
///
/// Keeps volume under twist as dual quaternions do, and bulges less at bends. The paper takes joints as rigid; scaled
/// ones are stretched before they turn, as in skin_dqs(). A vertex without a centre is blended linearly.
/// Source: Le, Hodgins, "Real-time Skeletal Skinning with Optimized Centers of Rotation", ACM TOG 35(4), 2016.
/// @pre  the palette is that of pack_dual_quats(), `prepared` that of prepare_cor()
/// @cost O(V*K), no allocation, safe to call concurrently for disjoint ranges
void skin_cor(const SkinInput& input, const SkinOutput& output, std::size_t begin, std::size_t end);

/// One vec4 per vertex: its centre (mesh space) and 1, or zero where nothing is like its weights (see RotationCenters).
bool prepare_cor(const mesh::MeshSurface& surface, const MethodParameters& parameters, const Progress& progress,
                 std::span<Prepared> out);

/// Variant f of the normals, ALGORITHMS.md §13, follows the centres along the surface: adds how fast they move there to
/// `inout`, as weight_gradients() does it, from the triangles whose corners all have one. Zero elsewhere: a vertex
/// whose neighbours have no centre follows one joint there, and then any centre does.
/// @param centers, inout  one per primitive; what prepare_cor() and weight_gradients() gave
void add_center_gradients(const mesh::MeshSurface& surface, std::span<const Prepared> centers,
                          std::span<WeightGradients> inout);

/// Where the linear blend takes the centres that prepare_cor() found: what each vertex turns about in this pose.
/// Where the rotations of its joints cancel, a vertex is blended linearly and turns about nothing; it has a centre here
/// all the same.
/// @param input  `influences`, `skin_matrices`, `prepared` and `weights_as_stored` are read
/// @param out    [V] world xyz and 1, or zero where a vertex has no centre
void pose_centers(const SkinInput& input, std::span<glm::vec4> out);

}  // namespace pelt::deform
