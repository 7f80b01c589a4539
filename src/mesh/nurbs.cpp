// L. Piegl, W. Tiller, "The NURBS Book", 2nd edition, Springer 1997.
#include "mesh/nurbs.h"

#include <algorithm>
#include <cmath>

#include "core/expect.h"

namespace pelt::mesh {
namespace {

// The basis functions that are not zero at one parameter.
struct Basis {
  int first = 0;                    // control point of values[0]
  std::vector<double> values;       // [p + 1]
  std::vector<double> derivatives;  // [p + 1]
};

// A2.2: the functions of `degree` that are not zero on the span of knot `span`, lowest first.
std::vector<double> basis_values(const std::vector<double>& knots, int degree, int span, double u) {
  const auto knot = [&](int i) { return knots[i]; };
  std::vector<double> values(static_cast<std::size_t>(degree) + 1, 0.0);
  values[0] = 1.0;
  for (int p = 1; p <= degree; ++p) {
    double carried = 0.0;
    for (int r = 0; r < p; ++r) {
      const double right = knot(span + r + 1) - u;
      const double left = u - knot(span + 1 - p + r);
      double& value = values[r];
      const double share = value / (right + left);  // the span is not empty, so neither is this sum
      value = carried + right * share;
      carried = left * share;
    }
    values[p] = carried;
  }
  return values;
}

Basis basis_at(const NurbsDirection& direction, double u) {
  const std::vector<double>& knots = direction.knots;
  // A2.1: the span [knot, next knot) that holds u; the domain's end belongs to the last span that is not empty.
  const auto first = knots.begin() + direction.degree;
  const auto last = knots.begin() + direction.count;
  auto after = std::upper_bound(first, last, u);
  if (after == last) {
    after = std::lower_bound(first, last, *last);
  }
  const auto span = static_cast<int>(after - knots.begin()) - 1;
  Basis out;
  out.first = span - direction.degree;
  out.values = basis_values(knots, direction.degree, span, u);
  out.derivatives.assign(out.values.size(), 0.0);
  if (direction.degree > 0) {
    // Eq. 2.7: the derivative from the functions of one degree less.
    const std::vector<double> lower = basis_values(knots, direction.degree - 1, span, u);
    for (std::size_t k = 0; k < lower.size(); ++k) {
      const auto i = static_cast<std::size_t>(out.first) + k + 1;
      const double slope =
          direction.degree * lower[k] / (knots[i + static_cast<std::size_t>(direction.degree)] - knots[i]);
      out.derivatives[k] -= slope;
      out.derivatives[k + 1] += slope;
    }
  }
  return out;
}

// The weighted sums of A4.3 and A4.4: numerator, denominator and their partials.
struct Sums {
  glm::dvec3 point = glm::dvec3(0), point_u = glm::dvec3(0), point_v = glm::dvec3(0);
  double weight = 0, weight_u = 0, weight_v = 0;
};

Sums sums_at(const NurbsSurface& surface, const Basis& u, const Basis& v) {
  Sums out;
  for (std::size_t j = 0; j < v.values.size(); ++j) {
    for (std::size_t i = 0; i < u.values.size(); ++i) {
      const auto vertex = static_cast<std::size_t>((v.first + static_cast<int>(j)) * surface.u.count + u.first) + i;
      const double w = surface.weights[vertex];
      const glm::dvec3 point = glm::dvec3(surface.cage.positions[vertex]) * w;
      out.point += point * (u.values[i] * v.values[j]);
      out.point_u += point * (u.derivatives[i] * v.values[j]);
      out.point_v += point * (u.values[i] * v.derivatives[j]);
      out.weight += w * u.values[i] * v.values[j];
      out.weight_u += w * u.derivatives[i] * v.values[j];
      out.weight_v += w * u.values[i] * v.derivatives[j];
    }
  }
  return out;
}

// du x dv, not normalised: (A_u - w_u S) / w for each partial.
glm::dvec3 normal_at(const NurbsSurface& surface, double u, double v) {
  const Sums sums = sums_at(surface, basis_at(surface.u, u), basis_at(surface.v, v));
  const glm::dvec3 point = sums.point / sums.weight;
  return glm::cross((sums.point_u - point * sums.weight_u) / sums.weight,
                    (sums.point_v - point * sums.weight_v) / sums.weight);
}

// Length over which a normal that is shorter has no direction: rounding of the control points.
double smallest_normal(const NurbsSurface& surface) {
  double largest = 0;
  for (const glm::vec3& point : surface.cage.positions) {
    largest = std::max(largest, glm::dot(glm::dvec3(point), glm::dvec3(point)));
  }
  return 1e-12 * largest;
}

// Parameters of the grid's lines: `steps` cells in each span that is not empty.
std::vector<double> grid_lines(const NurbsDirection& direction, int steps) {
  std::vector<double> lines;
  for (int i = direction.degree; i < direction.count; ++i) {
    const double from = direction.knots[i];
    const double to = direction.knots[static_cast<std::size_t>(i) + 1];
    for (int s = 0; s < steps && to > from; ++s) {
      lines.push_back(from + (to - from) * s / steps);
    }
  }
  lines.push_back(direction.knots[direction.count]);
  return lines;
}

std::size_t line_count(const NurbsDirection& direction, int steps) {
  std::size_t spans = 0;
  for (int i = direction.degree; i < direction.count; ++i) {
    spans += direction.knots[static_cast<std::size_t>(i) + 1] > direction.knots[i] ? 1 : 0;
  }
  return spans * static_cast<std::size_t>(steps) + 1;
}

// Two triangles for each cell of the net of control points.
std::vector<std::uint32_t> net_triangles(const NurbsForm& form) {
  std::vector<std::uint32_t> triangles;
  const auto width = static_cast<std::uint32_t>(form.u.count);
  for (std::uint32_t j = 0; j + 1 < static_cast<std::uint32_t>(form.v.count); ++j) {
    for (std::uint32_t i = 0; i + 1 < width; ++i) {
      const std::uint32_t a = j * width + i;
      triangles.insert(triangles.end(), {a, a + 1, a + width + 1, a, a + width + 1, a + width});
    }
  }
  return triangles;
}

Status check(const NurbsDirection& direction, char name) {
  const std::size_t count = std::max(direction.count, 0);
  if (direction.degree < 1 || count <= static_cast<std::size_t>(direction.degree)) {
    return error("{}: expected degree 1 or more and more control points than that, got degree {} and {}", name,
                 direction.degree, direction.count);
  }
  const auto order = static_cast<std::size_t>(direction.degree) + 1;
  if (direction.knots.size() != count + order) {
    return error("{}: expected {} knots, got {}", name, count + order, direction.knots.size());
  }
  for (std::size_t i = 0; i < direction.knots.size(); ++i) {
    if (!std::isfinite(direction.knots[i]) || (i > 0 && direction.knots[i] < direction.knots[i - 1])) {
      return error("{}: knot {}: expected finite knots that do not descend, got {}", name, i, direction.knots[i]);
    }
    // Inside the domain p equal knots are the most: one more and the surface falls apart.
    const bool inside = i > order - 1 && i < count;
    const std::size_t most = inside ? order - 1 : order;
    if (i >= most && direction.knots[i] == direction.knots[i - most]) {
      return error("{}: knot {}: expected at most {} equal knots, got more", name, i, most);
    }
  }
  return {};
}

}  // namespace

Status check(const NurbsSurface& surface) {
  if (Status status = check(surface.u, 'u'); !status) {
    return status;
  }
  if (Status status = check(surface.v, 'v'); !status) {
    return status;
  }
  const std::size_t count = static_cast<std::size_t>(surface.u.count) * static_cast<std::size_t>(surface.v.count);
  if (surface.cage.vertex_count() != count || surface.weights.size() != count) {
    return error("expected {} control points and weights, got {} and {}", count, surface.cage.vertex_count(),
                 surface.weights.size());
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!(surface.weights[i] > 0) || !std::isfinite(surface.weights[i])) {
      return error("control point {}: expected a weight above 0, got {}", i, surface.weights[i]);
    }
  }
  return {};
}

glm::dvec3 evaluate(const NurbsSurface& surface, double u, double v) {
  const Sums sums = sums_at(surface, basis_at(surface.u, u), basis_at(surface.v, v));
  return sums.point / sums.weight;
}

TessellatedNurbs tessellate(const NurbsSurface& surface, int u_steps, int v_steps) {
  PELT_EXPECT(check(surface).has_value(), "a surface that is defined");
  PELT_EXPECT(u_steps >= 1 && v_steps >= 1, "at least one cell per span");
  const std::vector<double> us = grid_lines(surface.u, u_steps);
  const std::vector<double> vs = grid_lines(surface.v, v_steps);
  const double smallest = smallest_normal(surface);
  const double middle_u = (us.front() + us.back()) / 2;
  const double middle_v = (vs.front() + vs.back()) / 2;
  TessellatedNurbs out;
  std::vector<glm::vec3> normals;
  for (const double v : vs) {
    for (const double u : us) {
      const Basis along_u = basis_at(surface.u, u);
      const Basis along_v = basis_at(surface.v, v);
      const double weight = sums_at(surface, along_u, along_v).weight;
      for (std::size_t j = 0; j < along_v.values.size(); ++j) {
        for (std::size_t i = 0; i < along_u.values.size(); ++i) {
          const auto vertex =
              static_cast<std::uint32_t>((along_v.first + static_cast<int>(j)) * surface.u.count + along_u.first) +
              static_cast<std::uint32_t>(i);
          const double share = along_u.values[i] * along_v.values[j] * surface.weights[vertex] / weight;
          if (share > 0) {
            out.rows.add(vertex, static_cast<float>(share));
          }
        }
      }
      out.rows.end_row();
      glm::dvec3 normal = normal_at(surface, u, v);
      if (glm::length(normal) <= smallest) {
        normal = normal_at(surface, u + (middle_u - u) * 2e-4, v + (middle_v - v) * 2e-4);
      }
      const double length = glm::length(normal);
      normals.emplace_back(length > 0 ? glm::vec3(normal / length) : glm::vec3(0, 1, 0));
    }
  }
  out.primitive = blend(surface.cage, out.rows, out.rows);
  out.primitive.topology = Topology::kTriangles;
  out.primitive.normals = std::move(normals);
  const auto width = static_cast<std::uint32_t>(us.size());
  std::vector<std::uint32_t>& indices = out.primitive.indices.edit();
  for (std::uint32_t j = 0; j + 1 < vs.size(); ++j) {
    for (std::uint32_t i = 0; i + 1 < width; ++i) {
      const std::uint32_t a = j * width + i;
      indices.insert(indices.end(), {a, a + 1, a + width + 1, a, a + width + 1, a + width});
    }
  }
  return out;
}

std::size_t tessellated_count(const NurbsSurface& surface, int u_steps, int v_steps) {
  PELT_EXPECT(check(surface).has_value(), "a surface that is defined");
  PELT_EXPECT(u_steps >= 1 && v_steps >= 1, "at least one cell per span");
  return line_count(surface.u, u_steps) * line_count(surface.v, v_steps);
}

Primitive with_control_points(const NurbsSurface& surface, int u_steps, int v_steps) {
  TessellatedNurbs made = tessellate(surface, u_steps, v_steps);
  ControlCage cage;
  cage.positions = surface.cage.positions;
  cage.influences = surface.cage.influences;
  for (const MorphTarget& target : surface.cage.morph_targets) {
    cage.morph_deltas.push_back(target.position_deltas);
  }
  cage.nurbs = {surface.u, surface.v, surface.weights, u_steps, v_steps};
  cage.triangles = net_triangles(cage.nurbs);
  made.primitive.cage = std::move(cage);
  made.primitive.cage_rows = std::move(made.rows);
  return std::move(made.primitive);
}

NurbsSurface surface_of(const ControlCage& cage) {
  PELT_EXPECT(cage.nurbs.is_one(), "the cage of a NURBS surface");
  NurbsSurface surface{cage.nurbs.u, cage.nurbs.v, cage.nurbs.weights, {}};
  surface.cage.positions = cage.positions;
  surface.cage.influences = cage.influences;
  for (const std::vector<glm::vec3>& deltas : cage.morph_deltas) {
    surface.cage.morph_targets.emplace_back().position_deltas = deltas;
  }
  return surface;
}

}  // namespace pelt::mesh
