#pragma once

#include <cmath>
#include <numbers>

#include "support/fixtures.h"
#include "support/surfaces.h"

namespace pelt::test {

/// F-CYL with ten times as many rings and without caps, so that its bands hardly differ from the continuum.
inline constexpr int kFineRings = 401;
inline rig::Character fine_cylinder() {
  rig::Character character = cylinder();
  mesh::Primitive p;
  for (int i = 0; i < kFineRings; ++i) {
    for (int k = 0; k < kCylinderAround; ++k) {
      const double angle = 2 * std::numbers::pi * k / kCylinderAround;
      const double x = i / (kFineRings - 1.0);
      p.positions.emplace_back(glm::dvec3(x, 0.1 * std::cos(angle), 0.1 * std::sin(angle)));
      const double w1 = cylinder_weight(x);
      const std::uint16_t joints[] = {0, 1};
      const float weights[] = {static_cast<float>(1 - w1), static_cast<float>(w1)};
      mesh::append_row(p.influences.edit(), joints, weights);
    }
  }
  for (int i = 0; i + 1 < kFineRings; ++i) {
    for (int k = 0; k < kCylinderAround; ++k) {
      const std::uint32_t a = cylinder_vertex(i, k);
      const std::uint32_t c = cylinder_vertex(i + 1, k + 1);
      p.indices.append({a, c, cylinder_vertex(i + 1, k), a, cylinder_vertex(i, k + 1), c});
    }
  }
  character.meshes.edit(0).primitives.edit(0) = std::move(p);
  return character;
}

/// The unit octahedron on the joints of F-CYL: its edges are as long as its coordinates, which leaves little room for
/// rounding.
inline rig::Character coarse_ball() {
  rig::Character character = cylinder();
  mesh::Primitive& p = character.meshes.edit(0).primitives.edit(0);
  p = octahedron();
  for (const glm::vec3& position : p.positions) {
    const auto w1 = static_cast<float>(cylinder_weight(static_cast<double>(position.x)));
    const std::uint16_t joints[] = {0, 1};
    const float weights[] = {1 - w1, w1};
    mesh::append_row(p.influences.edit(), joints, weights);
  }
  return character;
}

/// The same mesh with three vertices of its own for every triangle. Vertex i of it is vertex `indices[i]` of the other.
inline rig::Character torn(const rig::Character& whole) {
  rig::Character character = whole;
  mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
  const mesh::Primitive source = primitive;
  primitive = {};
  for (const std::uint32_t v : source.indices) {
    primitive.indices.push_back(static_cast<std::uint32_t>(primitive.positions.size()));
    primitive.positions.push_back(source.positions[v]);
    mesh::append_row(primitive.influences.edit(), source.influences->joints(v), source.influences->weights(v));
  }
  return character;
}

/// The tip of F-CYL turned about +x (twist) or +z (bend).
inline rig::Pose tip_turned(const rig::Character& character, double degrees, bool twist) {
  rig::Pose pose = rig::rest_pose(character);
  pose.local[1].rotation =
      glm::quat(glm::angleAxis(degrees * std::numbers::pi / 180, twist ? glm::dvec3(1, 0, 0) : glm::dvec3(0, 0, 1)));
  return pose;
}

}  // namespace pelt::test
