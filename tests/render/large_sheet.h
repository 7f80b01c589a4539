#pragma once

// A million vertices that follow many joints.

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "support/fixtures.h"

namespace pelt::render {

/// A sheet of a thousand by a thousand vertices on a chain of sixty joints, each vertex on the nearest four.
inline rig::Character large_sheet() {
  constexpr int kSheetSide = 1000;
  constexpr int kJoints = 60;
  rig::Character character;
  std::vector<int> joints;
  for (int j = 0; j < kJoints; ++j) {
    joints.push_back(test::add_node(character, fmt::format("joint {}", j), j - 1,
                                    {.translation = {j == 0 ? 0.0f : 1.0f / kJoints, 0, 0}}));
  }
  mesh::Primitive primitive;
  std::vector<glm::vec3>& positions = primitive.positions.edit();
  std::vector<std::uint32_t>& indices = primitive.indices.edit();
  mesh::Influences& rows = primitive.influences.edit();
  for (int i = 0; i < kSheetSide * kSheetSide; ++i) {
    positions.emplace_back(static_cast<float>(i / kSheetSide) / kSheetSide,
                           static_cast<float>(i % kSheetSide) / kSheetSide, 0.0f);
    const int first = std::min(i / kSheetSide * kJoints / kSheetSide, kJoints - 4);
    std::array<std::uint16_t, 4> row{};
    std::iota(row.begin(), row.end(), static_cast<std::uint16_t>(first));
    mesh::append_row(rows, row, std::array{0.4f, 0.3f, 0.2f, 0.1f});
    if (i / kSheetSide + 1 < kSheetSide && i % kSheetSide + 1 < kSheetSide) {
      const auto a = static_cast<std::uint32_t>(i);
      indices.insert(indices.end(), {a, a + kSheetSide, a + 1, a + 1, a + kSheetSide, a + kSheetSide + 1});
    }
  }
  primitive.normals.assign(positions.size(), glm::vec3(0, 0, 1));
  test::add_skinned_mesh(character, "sheet", std::move(joints), std::move(primitive));
  rig::finish(character);
  return character;
}

/// Gives a thousand rows of the sheet new weights, side by side or far apart; others in each round.
inline void edit_a_thousand_rows(rig::Character& sheet, int round, bool scattered) {
  mesh::Primitive& primitive = sheet.meshes.edit(0).primitives.edit(0);
  const std::size_t vertices = primitive.vertex_count();
  mesh::Influences& rows = primitive.influences.edit();
  const std::uint16_t joints[] = {0, 1};
  const float more = 0.01f * static_cast<float>(round + 1);
  const float weights[] = {0.5f + more, 0.5f - more};
  for (std::size_t k = 0; k < 1000; ++k) {
    rows.set_row(scattered ? k * 7919 % vertices : 5000 + k, joints, weights);
  }
}

}  // namespace pelt::render
