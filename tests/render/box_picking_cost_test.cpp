// Tests the cost of a selection box over two million triangles.
#include "render/box_picking.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <vector>

#include "deform/deform.h"
#include "support/effort.h"
#include "support/sheet.h"

namespace pelt::render {
namespace {

constexpr PictureBox kWholePicture{{-1, -1}, {1, 1}};

// The window waits for the result when the button is released.
TEST(BoxPicking, TwoMillionTrianglesAreLookedThroughInAMoment) {
  const rig::Character character = test::sheets(708, 1, std::array{0.0f, -0.5f});
  const deform::DeformedCharacter shape =
      deform::deform_once(character, rig::rest_pose(character), {.backend = deform::Backend::kCpu});
  const Camera camera{.pivot = {0.5f, 0.5f, 0}, .distance = 3};
  std::vector<std::vector<std::uint32_t>> picked;
  const auto begun = std::chrono::steady_clock::now();
  const double seconds =
      test::processor_seconds([&] { picked = vertices_in_box(character, shape, camera, 1, kWholePicture, false); });
  const double waited = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  const auto both = vertices_in_box(character, shape, camera, 1, kWholePicture, true);
  std::cout << "a box over " << both[0].size() + both[1].size() << " vertices: " << seconds << " s of processors, "
            << waited << " s\n";
  EXPECT_EQ(picked[0].size(), 708u * 708u);
  EXPECT_LT(picked[1].size(), 708u * 708u);
  EXPECT_GT(picked[1].size(), 1000u);
  EXPECT_LT(seconds, 2.5);
  // From afar it is a speck in the box.
  Camera far = camera;
  far.distance = 300;
  EXPECT_LT(test::processor_seconds([&] { picked = vertices_in_box(character, shape, far, 1, kWholePicture, false); }),
            3.5);
  EXPECT_GT(picked[0].size(), 500'000u);
  // Almost from the edge and tilted, it lies over a few cells.
  Camera edge = camera;
  edge.azimuth = 1.5705f;
  edge.elevation = 0;
  edge.roll = 0.8f;
  EXPECT_LT(test::processor_seconds([&] { picked = vertices_in_box(character, shape, edge, 1, kWholePicture, false); }),
            8);
}

}  // namespace
}  // namespace pelt::render
