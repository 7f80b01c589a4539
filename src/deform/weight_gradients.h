#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <glm/glm.hpp>

#include "mesh/mesh_surface.h"

namespace pelt::deform {

/// How fast the weight of each joint changes along the bind surface, per vertex of one primitive: compressed rows,
/// joints ascending. A joint may have a gradient where its weight is zero, at the border of its influence. Where each
/// vertex turns about a centre of its own, how fast that one moves, too.
struct WeightGradients {
  std::vector<std::uint32_t> offset;  ///< [V + 1]; empty where the primitive is not skinned
  std::vector<std::uint16_t> joint;
  std::vector<glm::vec3> gradient;  ///< 1/m, mesh space, tangential to the triangles it comes from
  std::vector<glm::mat3> center;    ///< [V] d centre / d position, see add_center_gradients(); empty: no centres
};

/// For all primitives of a mesh: gradients of the piecewise linear weights on the triangles round a vertex, averaged by
/// area; seams are no borders. Vertices of no triangle get empty rows. Source: Merry, Marais, Gain, "Animation Space: A
/// Truly Linear Framework for Character Animation", ACM TOG 25(4), 2006, and Tarini, Panozzo, Sorkine-Hornung,
/// "Accurate and Efficient Lighting for Skinned Models", Eurographics 2014, who need the gradient for exact normals.
/// @cost O(T * joints per triangle)
std::vector<WeightGradients> weight_gradients(const mesh::MeshSurface& surface);

/// The linear functions on a triangle that are 1 at one corner and 0 at the others.
struct CornerGradients {
  std::array<glm::dvec3, 3> of;  ///< 1/m, mesh space, across the opposite edge; zero where the triangle has no area
  double twice_area = 0;         ///< m^2, behind `shape_from_mesh`
};
/// @param shape_from_mesh  see SkinBinding: gradients are perpendicular to the triangle where it leads
CornerGradients corner_gradients(const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& c,
                                 const glm::dmat3& shape_from_mesh = glm::dmat3(1.0));

}  // namespace pelt::deform
