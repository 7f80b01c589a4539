// Tests the cost of following a brush on a large surface.
#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "render/gl_test.h"
#include "render/gpu_character.h"
#include "render/large_sheet.h"
#include "render/look_colors.h"
#include "rig/kinematics.h"
#include "support/effort.h"

namespace pelt::render {
namespace {

using GpuPaintCost = GlTest;

// Dabs, whose times are noted, and another joint: against what the latter costs where nothing is followed and every
// colour is gathered.
TEST_F(GpuPaintCost, ADabOnAMillionVerticesCostsItsRows) {
  rig::Character sheet = large_sheet();
  const rig::Pose rest = rig::rest_pose(sheet);
  rig::WorldMatrices world;
  world.evaluate(sheet.skeleton, rest);
  const auto update = [&](GpuCharacter& gpu, bool paint) {
    ASSERT_TRUE(
        gpu.update({.character = &sheet, .pose = &rest, .world = world.world(), .skinning = {}, .paint = paint}));
  };
  GpuCharacter gpu(device_limits());
  update(gpu, true);
  for (const bool scattered : {false, true}) {
    std::vector<double> seconds;
    for (int i = 0; i < 9; ++i) {
      edit_a_thousand_rows(sheet, i, scattered);
      seconds.push_back(test::processor_seconds([&] { update(gpu, true); }));
    }
    std::ranges::sort(seconds);
    RecordProperty(scattered ? "scattered_milliseconds" : "contiguous_milliseconds",
                   fmt::format("{:.2f}", 1e3 * seconds[4]));
  }
  ViewSettings view;
  view.look = Look::kWeights;
  view.weight_joint = 5;
  gpu.set_weight_look(sheet, 4);
  const double chosen = test::processor_seconds([&] { gpu.set_weight_look(sheet, view.weight_joint); });
  const double gathered = test::processor_seconds([&] { gpu.set_look_colors(0, look_colors(sheet, 0, view, {})); });
  EXPECT_LT(20 * chosen, gathered);
  RecordProperty("joint_milliseconds", fmt::format("{:.4f} instead of {:.1f}", 1e3 * chosen, 1e3 * gathered));
  GpuCharacter anew(device_limits());
  RecordProperty("all_again", fmt::format("{:.0f} ms", 1e3 * test::processor_seconds([&] { update(anew, false); })));
}

}  // namespace
}  // namespace pelt::render
