#pragma once

// Square sheets with as many vertices as a test wants, on a chain of joints.

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/fixtures.h"

namespace pelt::test {

/// Sheets of `side` by `side` vertices, from (0, 0) to (1, 1), each at one of `depths` (z), each a part; on `joints`
/// joints along x, a vertex on the one that it lies behind. The clip "wave", of a second, turns each joint to and fro.
inline rig::Character sheets(int side, int joints, std::span<const float> depths) {
  rig::Character character;
  character.name = "sheets";
  std::vector<int> all;
  const float bone = 1.0f / static_cast<float>(joints);
  for (int j = 0; j < joints; ++j) {
    all.push_back(add_node(character, "joint_" + std::to_string(j), j - 1, {.translation = {j == 0 ? 0 : bone, 0, 0}}));
  }
  const float step = 1.0f / static_cast<float>(side - 1);
  for (const float depth : depths) {
    mesh::Primitive primitive;
    std::vector<glm::vec3>& positions = primitive.positions.edit();
    std::vector<std::uint32_t>& indices = primitive.indices.edit();
    mesh::Influences& rows = primitive.influences.edit();
    for (int i = 0; i < side * side; ++i) {
      positions.emplace_back(static_cast<float>(i / side) * step, static_cast<float>(i % side) * step, depth);
      const auto joint = static_cast<std::uint16_t>(i / side * joints / side);
      const float one = 1.0f;
      mesh::append_row(rows, {&joint, 1}, {&one, 1});
      if (i / side + 1 < side && i % side + 1 < side) {
        const auto a = static_cast<std::uint32_t>(i);
        const auto below = a + static_cast<std::uint32_t>(side);
        indices.insert(indices.end(), {a, below, a + 1, a + 1, below, below + 1});
      }
    }
    primitive.normals.assign(positions.size(), glm::vec3(0, 0, 1));
    add_skinned_mesh(character, "sheet", all, std::move(primitive));
  }
  rig::Clip clip{.name = "wave", .channels = {}, .properties = {}, .start = 0, .end = 1};
  for (const int joint : all) {
    const glm::quat turned = glm::angleAxis(bone, glm::vec3(0, 1, 0));
    clip.channels.push_back({.joint = joint,
                             .path = rig::ChannelPath::kRotation,
                             .times = {0, 0.5f, 1},
                             .values = {0, 0, 0, 1, turned.x, turned.y, turned.z, turned.w, 0, 0, 0, 1},
                             .width = 4});
  }
  character.clips.push_back(std::move(clip));
  rig::finish(character);
  return character;
}

}  // namespace pelt::test
