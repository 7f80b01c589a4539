#pragma once

#include <array>
#include <numbers>
#include <utility>
#include <vector>

#include "mesh/nurbs.h"
#include "rig/character.h"
#include "support/fixtures.h"

namespace pelt::test {

/// A tube of three joints along x, of radius 0.1 and length 1, as control points: eight cubic rows of quarter circles.
/// Rows near the joints at 0.35 and 0.65 follow two of them, with weights that no symmetry excuses. One morph target
/// pushes some of the points.
inline mesh::NurbsSurface control_tube(float unit = 1.0f) {
  constexpr double kHalfRoot = std::numbers::sqrt2 / 2;
  mesh::NurbsSurface tube;
  tube.u = {2, 9, {0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4}};
  tube.v = {3, 8, {0, 0, 0, 0, 1, 2, 3, 4, 5, 5, 5, 5}};
  constexpr std::array<float, 8> kX = {0, 0.07f, 0.2f, 0.4f, 0.6f, 0.8f, 0.93f, 1};
  constexpr std::array<std::array<float, 3>, 8> kRows = {{{1, 0, 0},
                                                          {1, 0, 0},
                                                          {0.8f, 0.2f, 0},
                                                          {0.3f, 0.7f, 0},
                                                          {0, 0.75f, 0.25f},
                                                          {0, 0.1f, 0.9f},
                                                          {0, 0, 1},
                                                          {0, 0, 1}}};
  constexpr std::array<std::array<float, 2>, 9> kCircle = {
      {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}, {1, 0}}};
  mesh::MorphTarget bump;
  for (std::size_t j = 0; j < kX.size(); ++j) {
    for (std::size_t i = 0; i < kCircle.size(); ++i) {
      const glm::vec3 out(0, kCircle[i][0], kCircle[i][1]);
      tube.cage.positions.push_back(unit * (glm::vec3(kX[j], 0, 0) + 0.1f * out));
      tube.weights.push_back(i % 2 == 0 ? 1.0 : kHalfRoot);
      const std::uint16_t joints[] = {0, 1, 2};
      mesh::append_row(tube.cage.influences.edit(), joints, kRows[j]);
      bump.position_deltas.push_back(j == 3 ? unit * 0.05f * out : glm::vec3(0.0f));
    }
  }
  tube.cage.morph_targets = {bump};
  return tube;
}

/// control_tube() on a skeleton: joints a, b, c, one mesh with its control points and, if wanted, a second primitive
/// that has none.
inline rig::Character control_character(float unit = 1.0f, bool with_plain_part = false) {
  rig::Character character;
  character.name = "control points";
  add_node(character, "a", -1, {});
  add_node(character, "b", 0, {.translation = {0.35f * unit, 0, 0}});
  add_node(character, "c", 1, {.translation = {0.3f * unit, 0, 0}});
  mesh::Primitive tube = mesh::with_control_points(control_tube(unit), 4, 4);
  for (std::size_t v = 0; v < tube.vertex_count(); ++v) {
    tube.tangents.emplace_back(1, 0, 0, 1);
  }
  mesh::Primitive plain = tube;
  plain.drop_cage();
  add_skinned_mesh(character, "tube", {0, 1, 2}, std::move(tube));
  if (with_plain_part) {
    for (glm::vec3& position : plain.positions.edit()) {
      position.y += unit;
    }
    character.meshes.edit(0).primitives.push_back(std::move(plain));
  }
  rig::finish(character);
  return character;
}

}  // namespace pelt::test
