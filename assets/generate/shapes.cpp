#include "shapes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "core/expect.h"

namespace pelt::assets {
namespace {

using glm::dvec2;
using glm::dvec3;

constexpr double kPi = std::numbers::pi;

bool is_pole(const std::vector<dvec3>& ring) {
  return std::all_of(ring.begin(), ring.end(), [&](const dvec3& p) { return glm::distance(p, ring.front()) < 1e-12; });
}

void add_vertex(Shape& shape, const dvec3& position, double station) {
  shape.positions.push_back(position);
  shape.station.push_back(station);
  shape.tint.emplace_back(1.0);
}

void weigh_normals_by_area(Shape& shape) {
  shape.normals.assign(shape.positions.size(), dvec3(0));
  for (std::size_t i = 0; i + 2 < shape.indices.size(); i += 3) {
    const dvec3& a = shape.positions[shape.indices[i]];
    const dvec3 normal =
        glm::cross(shape.positions[shape.indices[i + 1]] - a, shape.positions[shape.indices[i + 2]] - a);
    for (std::size_t k = 0; k < 3; ++k) {
      shape.normals[shape.indices[i + k]] += normal;
    }
  }
  for (dvec3& normal : shape.normals) {
    normal = glm::normalize(normal);
  }
}

double signed_power(double x, double exponent) {
  return std::copysign(std::pow(std::abs(x), exponent), x);
}

}  // namespace

Shape loft(std::span<const std::vector<dvec3>> rings) {
  PELT_EXPECT(rings.size() >= 2, "a loft has two rings at least");
  const std::size_t around = rings.front().size();
  const bool first_pole = is_pole(rings.front());
  const bool last_pole = is_pole(rings.back());
  const std::size_t begin = first_pole ? 1 : 0;
  const std::size_t end = rings.size() - (last_pole ? 1 : 0);
  Shape shape;
  for (std::size_t i = begin; i < end; ++i) {
    PELT_EXPECT(rings[i].size() == around, "rings of equal size");
    for (const dvec3& p : rings[i]) {
      add_vertex(shape, p, static_cast<double>(i));
    }
  }
  const auto vertex = [&](std::size_t i, std::size_t k) {
    return static_cast<std::uint32_t>((i - begin) * around + k % around);
  };
  for (std::size_t i = begin; i + 1 < end; ++i) {
    for (std::size_t k = 0; k < around; ++k) {
      const std::uint32_t a = vertex(i, k);
      const std::uint32_t b = vertex(i + 1, k);
      const std::uint32_t c = vertex(i + 1, k + 1);
      const std::uint32_t d = vertex(i, k + 1);
      shape.indices.insert(shape.indices.end(), {a, c, b, a, d, c});
    }
  }
  const auto add_fan = [&](std::size_t ring, const std::vector<dvec3>& center_of, double station, bool first) {
    dvec3 center(0);
    for (const dvec3& p : center_of) {
      center += p / static_cast<double>(around);
    }
    const auto hub = static_cast<std::uint32_t>(shape.positions.size());
    add_vertex(shape, center, station);
    for (std::size_t k = 0; k < around; ++k) {
      const std::uint32_t p = vertex(ring, k);
      const std::uint32_t q = vertex(ring, k + 1);
      shape.indices.insert(shape.indices.end(), {hub, first ? q : p, first ? p : q});
    }
  };
  add_fan(begin, rings.front(), 0, true);
  add_fan(end - 1, rings.back(), static_cast<double>(rings.size() - 1), false);
  weigh_normals_by_area(shape);
  return shape;
}

std::vector<dvec3> superellipse(const dvec3& center, const dvec3& side, const dvec3& up, double a, double b,
                                double power, int around) {
  std::vector<dvec3> ring;
  for (int k = 0; k < around; ++k) {
    const double angle = 2 * kPi * k / around;
    ring.push_back(center + side * (a * signed_power(std::cos(angle), 2 / power)) +
                   up * (b * signed_power(std::sin(angle), 2 / power)));
  }
  return ring;
}

Shape tube(std::span<const dvec3> path, std::span<const double> radius, int around) {
  PELT_EXPECT(path.size() >= 2 && path.size() == radius.size(), "one radius per point of a path of two at least");
  std::vector<std::vector<dvec3>> rings;
  dvec3 side(0);
  for (std::size_t i = 0; i < path.size(); ++i) {
    const dvec3 along = glm::normalize(path[std::min(i + 1, path.size() - 1)] - path[i == 0 ? 0 : i - 1]);
    if (i == 0) {
      side = std::abs(along.y) < 0.9 ? dvec3(0, 1, 0) : dvec3(1, 0, 0);
    }
    side = glm::normalize(side - along * glm::dot(side, along));
    rings.push_back(superellipse(path[i], side, glm::cross(along, side), radius[i], radius[i], 2, around));
  }
  return loft(rings);
}

Shape lathe(std::span<const dvec2> profile, int around) {
  std::vector<std::vector<dvec3>> rings;
  for (const dvec2& p : profile) {
    rings.push_back(superellipse({0, p.y, 0}, {0, 0, 1}, {1, 0, 0}, p.x, p.x, 2, around));
  }
  return loft(rings);
}

Shape cylinder(double radius, double height, double bevel, int around) {
  constexpr int kSteps = 2;
  std::vector<dvec2> profile;
  for (int i = 0; i <= kSteps; ++i) {
    const double angle = 0.5 * kPi * i / kSteps;
    profile.emplace_back(radius - bevel + bevel * std::sin(angle), bevel - bevel * std::cos(angle));
  }
  for (int i = kSteps; i >= 0; --i) {
    profile.emplace_back(profile[static_cast<std::size_t>(i)].x, height - profile[static_cast<std::size_t>(i)].y);
  }
  return lathe(profile, around);
}

Shape sphere(double radius, int around, int stacks) {
  std::vector<dvec2> profile;
  for (int i = 0; i <= stacks; ++i) {
    const double angle = kPi * i / stacks;
    profile.emplace_back(i == 0 || i == stacks ? 0 : radius * std::sin(angle), -radius * std::cos(angle));
  }
  return lathe(profile, around);
}

Shape rounded_box(const dvec3& half_size, double bevel, int steps) {
  PELT_EXPECT(bevel < std::min({half_size.x, half_size.y, half_size.z}), "a bevel smaller than the box");
  // A cube's surface with grid lines at the bevels; each point slides to the sphere around the nearest inner point.
  Shape shape;
  const dvec3 inner = half_size - dvec3(bevel);
  const auto grid_line = [&](int i, double reach) {
    const int n = steps + 1;
    const double outward = i < n ? 1 - static_cast<double>(i) / steps : static_cast<double>(i - n) / steps;
    return (i < n ? -1 : 1) * (reach + bevel * std::tan(0.25 * kPi * outward));
  };
  const int lines = 2 * (steps + 1);
  for (int face = 0; face < 6; ++face) {
    const int axis = face / 2;
    const double sign = face % 2 == 0 ? 1 : -1;
    const int u = (axis + 1) % 3;
    const int v = (axis + 2) % 3;
    const auto first = static_cast<std::uint32_t>(shape.positions.size());
    for (int i = 0; i < lines; ++i) {
      for (int j = 0; j < lines; ++j) {
        dvec3 p(0);
        p[axis] = sign * half_size[axis];
        p[u] = grid_line(i, inner[u]);
        p[v] = grid_line(j, inner[v]);
        const dvec3 core = glm::clamp(p, -inner, inner);
        const dvec3 normal = glm::normalize(p - core);
        add_vertex(shape, core + bevel * normal, 0);
        shape.normals.push_back(normal);
      }
    }
    for (int i = 0; i + 1 < lines; ++i) {
      for (int j = 0; j + 1 < lines; ++j) {
        const auto at = [&](int di, int dj) { return first + static_cast<std::uint32_t>((i + di) * lines + j + dj); };
        const std::uint32_t a = at(0, 0);
        const std::uint32_t b = sign > 0 ? at(1, 0) : at(0, 1);
        const std::uint32_t c = at(1, 1);
        const std::uint32_t d = sign > 0 ? at(0, 1) : at(1, 0);
        shape.indices.insert(shape.indices.end(), {a, b, c, a, c, d});
      }
    }
  }
  return shape;
}

void append(Shape& shape, const Shape& other) {
  const auto first = static_cast<std::uint32_t>(shape.positions.size());
  shape.positions.insert(shape.positions.end(), other.positions.begin(), other.positions.end());
  shape.normals.insert(shape.normals.end(), other.normals.begin(), other.normals.end());
  shape.station.insert(shape.station.end(), other.station.begin(), other.station.end());
  shape.tint.insert(shape.tint.end(), other.tint.begin(), other.tint.end());
  for (const std::uint32_t i : other.indices) {
    shape.indices.push_back(first + i);
  }
}

Shape transformed(Shape shape, const glm::dmat4& matrix) {
  const glm::dmat3 linear(matrix);
  const glm::dmat3 cofactor(glm::cross(linear[1], linear[2]), glm::cross(linear[2], linear[0]),
                            glm::cross(linear[0], linear[1]));
  const double handedness = glm::determinant(linear) < 0 ? -1 : 1;
  for (std::size_t v = 0; v < shape.positions.size(); ++v) {
    shape.positions[v] = dvec3(matrix * glm::dvec4(shape.positions[v], 1));
    shape.normals[v] = handedness * glm::normalize(cofactor * shape.normals[v]);
  }
  if (handedness < 0) {
    for (std::size_t i = 0; i + 2 < shape.indices.size(); i += 3) {
      std::swap(shape.indices[i + 1], shape.indices[i + 2]);
    }
  }
  return shape;
}

Shape moved(Shape shape, const dvec3& by) {
  for (dvec3& p : shape.positions) {
    p += by;
  }
  return shape;
}

Shape aligned(Shape shape, const dvec3& origin, const dvec3& direction) {
  const dvec3 y = glm::normalize(direction);
  const dvec3 helper = std::abs(y.x) < 0.9 ? dvec3(1, 0, 0) : dvec3(0, 0, 1);
  const dvec3 z = glm::normalize(glm::cross(helper, y));
  glm::dmat4 matrix(glm::dmat3(glm::cross(y, z), y, z));
  matrix[3] = glm::dvec4(origin, 1);
  return transformed(std::move(shape), matrix);
}

Shape mirrored(Shape shape) {
  glm::dmat4 matrix(1.0);
  matrix[0][0] = -1;
  return transformed(std::move(shape), matrix);
}

Shape tinted(Shape shape, const std::function<dvec3(const dvec3& position, double station)>& tint) {
  for (std::size_t v = 0; v < shape.positions.size(); ++v) {
    shape.tint[v] = tint(shape.positions[v], shape.station[v]);
  }
  return shape;
}

void append(mesh::Primitive& primitive, const Shape& shape, bool colored, const Weighting& weighting) {
  const auto first = static_cast<std::uint32_t>(primitive.positions.size());
  for (std::size_t v = 0; v < shape.positions.size(); ++v) {
    primitive.positions.emplace_back(shape.positions[v]);
    primitive.normals.emplace_back(shape.normals[v]);
    if (colored) {
      primitive.colors.emplace_back(glm::vec3(shape.tint[v]), 1.0f);
    }
    if (weighting) {
      std::vector<std::uint16_t> joints;
      std::vector<float> weights;
      for (const auto& [joint, weight] : weighting(shape.positions[v], shape.station[v])) {
        joints.push_back(static_cast<std::uint16_t>(joint));
        weights.push_back(static_cast<float>(weight));
      }
      mesh::append_row(primitive.influences.edit(), joints, weights);
    }
  }
  for (const std::uint32_t i : shape.indices) {
    primitive.indices.push_back(first + i);
  }
}

double smooth_step(double low, double high, double x) {
  const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

}  // namespace pelt::assets
