#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <glm/glm.hpp>

#include "core/shared.h"
#include "mesh/influences.h"

namespace pelt::mesh {

/// One direction of a NURBS surface: degree p, n control points, n + p + 1 knots, defined on knots[p] .. knots[n].
struct NurbsDirection {
  int degree = 3;
  int count = 0;
  std::vector<double> knots;  ///< not descending, no inner knot more than p times, end knots at most p + 1 times
  bool operator==(const NurbsDirection&) const = default;
};

/// What makes a tessellated NURBS surface of its control points, besides these.
struct NurbsForm {
  NurbsDirection u, v;
  std::vector<double> weights;   ///< [u.count * v.count] > 0, u fastest
  int u_steps = 0, v_steps = 0;  ///< cells per span between distinct knots, see tessellate()

  [[nodiscard]] bool is_one() const { return u_steps > 0; }
  bool operator==(const NurbsForm&) const = default;
};

/// The control points of a surface, which can be skinned in its place: each vertex of the surface is a weighted sum of
/// them (Primitive::cage_rows), before the skin moves them or after it (ALGORITHMS.md §52). The surface has influences
/// and morph targets of its own, made by the same sums, so that whoever knows no control points has a mesh like any
/// other. Index letter c.
struct ControlCage {
  std::vector<glm::vec3> positions;                  ///< [C] mesh space, metres
  Shared<Influences> influences;                     ///< [C] joints counted as those of the surface
  std::vector<std::vector<glm::vec3>> morph_deltas;  ///< per morph target of the surface: [C], metres, or empty
  std::vector<std::uint32_t> triangles;  ///< 3 per triangle: what lies next to what, for methods that ask for it
  NurbsForm nurbs;                       ///< of a NURBS surface; else not one
  bool operator==(const ControlCage&) const = default;
};

/// The lines that show a cage: the net of a NURBS surface, else the edges of its triangles, each once, lower number
/// first. Points at one place stay apart.
std::vector<std::pair<std::uint32_t, std::uint32_t>> cage_lines(const ControlCage& cage);

}  // namespace pelt::mesh
