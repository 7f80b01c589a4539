#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include <glm/glm.hpp>

#include "sdf.h"

namespace pelt::assets {

/// A triangle soup with shared vertices.
struct TriangleMesh {
  std::vector<glm::dvec3> positions;
  std::vector<std::array<int, 3>> triangles;  ///< counter-clockwise from outside
};

/// The half x >= 0 of a body as a closed mesh up to its border, whose vertices lie on x = 0 exactly. Marching
/// tetrahedra on the Freudenthal division of a uniform grid: watertight without tables or ambiguous cases. Its slivers
/// are remesh()'s business.
/// @param body   prepared by this call
/// @param upper  of the box that holds the half; it begins at (0, lower_y, lower_z)
/// @param cell   grid step, metres
TriangleMesh polygonize_half(Body& body, const glm::dvec3& lower, const glm::dvec3& upper, double cell);

/// Wanted edge length at a point of the surface, metres.
using EdgeLength = std::function<double(const glm::dvec3&)>;
/// A line on the surface: the zero set of this function. Triangle edges will follow it.
using FeatureLine = std::function<double(const glm::dvec3&)>;

struct RemeshParameters {
  int iterations = 10;
  int final_relaxations = 6;  ///< after the feature lines were cut in
};

/// Isotropic remeshing to a field of edge lengths: split long edges, collapse short ones, flip towards valence six,
/// move vertices tangentially and back onto the surface; then cut the feature lines in. Border vertices stay on x = 0.
/// Source: Botsch, Kobbelt, "A remeshing approach to multiresolution modeling", SGP 2004.
TriangleMesh remesh(const TriangleMesh& mesh, const Body& body, const EdgeLength& edge_length,
                    const std::vector<FeatureLine>& features, const RemeshParameters& parameters = {});

/// The mesh with its mirror image in x = 0, border vertices shared. `mirror[v]` is the vertex on the other side.
struct SymmetricMesh {
  TriangleMesh mesh;
  std::vector<int> mirror;
};
SymmetricMesh mirror_half(const TriangleMesh& half);

}  // namespace pelt::assets
