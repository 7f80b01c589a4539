#pragma once

#include <vector>

#include <glm/glm.hpp>

#include "core/result.h"
#include "mesh/mesh.h"
#include "mesh/stencils.h"

namespace pelt::mesh {

/// A tensor-product NURBS surface. Its control vertices are a cage to be skinned like any mesh: `cage` holds their
/// positions, influences, morph targets and other attributes, u fastest: control point (i, j) is vertex j * u.count +
/// i.
struct NurbsSurface {
  NurbsDirection u, v;
  std::vector<double> weights;  ///< [u.count * v.count] > 0
  Primitive cage;               ///< indices are not used
};

/// What is wrong with a surface, naming the direction, the expected and the actual; nothing where evaluation is
/// defined.
Status check(const NurbsSurface& surface);

/// The point at (u, v), metres, in double precision.
/// Source: L. Piegl, W. Tiller, "The NURBS Book", 2nd ed. 1997, algorithms A2.1 (span), A2.2 (basis), A4.3 (point).
/// @pre  check(surface), (u, v) within the domain
glm::dvec3 evaluate(const NurbsSurface& surface, double u, double v);

/// The surface as triangles: a grid of u_steps by v_steps cells, spread evenly over the spans between distinct knots,
/// so that no kink is cut; normals from the partial derivatives (A4.4), at poles those a ten-thousandth of the domain
/// further in.
struct TessellatedNurbs {
  Primitive primitive;  ///< attributes of the control vertices by the rows; triangles wind along du x dv
  Stencils rows;        ///< the rational basis functions at each vertex: sum to 1
};

/// Source: as evaluate().
/// @param u_steps, v_steps  cells per span between distinct knots, at least 1
/// @pre  check(surface)  @cost O(cells * degree^2)
TessellatedNurbs tessellate(const NurbsSurface& surface, int u_steps, int v_steps);

/// How many vertices that makes. @pre  as tessellate()
std::size_t tessellated_count(const NurbsSurface& surface, int u_steps, int v_steps);

/// The tessellated surface with its control points as its cage, see ControlCage. @pre  as tessellate()
Primitive with_control_points(const NurbsSurface& surface, int u_steps, int v_steps);

/// The surface that a cage makes, without attributes that a cage does not keep. @pre  cage.nurbs.is_one()
NurbsSurface surface_of(const ControlCage& cage);

}  // namespace pelt::mesh
