#pragma once

// A million triangles, of which many are hidden.

#include <memory>
#include <utility>
#include <vector>

#include "render/gpu_character.h"
#include "rig/hiding.h"
#include "rig/kinematics.h"
#include "support/fixtures.h"
#include "support/surfaces.h"

namespace pelt::render {

/// A flat grid that follows one joint, and its input to the GPU.
struct LargeGrid {
  rig::Character character;
  rig::Pose pose;
  rig::WorldMatrices world;
  GpuInput input;

  LargeGrid() {
    test::add_node(character, "root", -1, {});
    mesh::Primitive grid = test::grid(708, 708);
    mesh::Influences influences;
    const std::uint16_t joint = 0;
    const float weight = 1;
    for (std::size_t v = 0; v < grid.vertex_count(); ++v) {
      influences.push_row({{&joint, 1}, {&weight, 1}, 1});
    }
    grid.influences = std::move(influences);
    test::add_skinned_mesh(character, "grid", {0}, std::move(grid));
    rig::finish(character);
    pose = rig::rest_pose(character);
    world.evaluate(character.skeleton, pose);
    input.character = &character;
    input.pose = &pose;
    input.world = world.world();
    input.pose_version = 1;
    marks_.assign(primitive().vertex_count(), 0);
    for (std::size_t v = 0; v < marks_.size() / 3; ++v) {
      marks_[v] = 1;
    }
  }
  LargeGrid(const LargeGrid&) = delete;
  LargeGrid& operator=(const LargeGrid&) = delete;

  [[nodiscard]] const mesh::Primitive& primitive() const { return character.primitive(character.parts[0]); }
  void hide_a_third() {
    rig::Hiding hiding;
    rig::hide_vertices(hiding, character, 0, marks_);
    input.hiding = std::make_shared<const rig::Hiding>(std::move(hiding));
  }

 private:
  std::vector<char> marks_;
};

}  // namespace pelt::render
