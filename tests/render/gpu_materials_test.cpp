#include "render/gpu_materials.h"

#include <gtest/gtest.h>

namespace pelt::render {
namespace {

rig::Image image(int width, int height, std::vector<std::uint8_t> pixels) {
  rig::Image made;
  made.width = width;
  made.height = height;
  made.pixels = std::move(pixels);
  return made;
}

// Half black, half white is half the light, whose code in sRGB is 188; numbers are averaged as they are.
TEST(Halvings, AverageLight) {
  const rig::Image checks = image(2, 2, {0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0});
  const std::vector<rig::Image> colors = halvings(checks, true);
  ASSERT_EQ(colors.size(), 1u);
  EXPECT_EQ(colors[0].pixels, (std::vector<std::uint8_t>{188, 188, 188, 128}));
  EXPECT_EQ(halvings(checks, false).at(0).pixels, (std::vector<std::uint8_t>{128, 128, 128, 128}));
}

TEST(Halvings, KeepEveryCodeOfAPlainImage) {
  for (int code = 0; code < 256; ++code) {
    const rig::Image plain = image(2, 1, std::vector<std::uint8_t>(8, static_cast<std::uint8_t>(code)));
    for (const bool srgb : {false, true}) {
      EXPECT_EQ(halvings(plain, srgb).at(0).pixels, std::vector<std::uint8_t>(4, static_cast<std::uint8_t>(code)));
    }
  }
}

TEST(Halvings, GoDownToOnePixelOnBothSides) {
  const std::vector<rig::Image> levels = halvings(image(5, 2, std::vector<std::uint8_t>(40, 9)), false);
  ASSERT_EQ(levels.size(), 2u);
  EXPECT_EQ(levels[0].width, 2);
  EXPECT_EQ(levels[0].height, 1);
  EXPECT_EQ(levels[1].width, 1);
  EXPECT_EQ(levels[1].height, 1);
  EXPECT_TRUE(halvings(image(1, 1, {1, 2, 3, 4}), true).empty());
  // The averages are of the right texels: two columns, and the fifth left out.
  const rig::Image row = image(5, 1, {0, 0, 0, 0, 4, 0, 0, 0, 8, 0, 0, 0, 12, 0, 0, 0, 200, 0, 0, 0});
  EXPECT_EQ(halvings(row, false).at(0).pixels, (std::vector<std::uint8_t>{2, 0, 0, 0, 10, 0, 0, 0}));
  const rig::Image column = image(1, 4, {0, 0, 0, 0, 4, 0, 0, 0, 8, 0, 0, 0, 12, 0, 0, 0});
  EXPECT_EQ(halvings(column, false).at(0).pixels, (std::vector<std::uint8_t>{2, 0, 0, 0, 10, 0, 0, 0}));
}

}  // namespace
}  // namespace pelt::render
