// A picture behind the character: where it lies, what it covers, and when it is left out.
#include "render/behind.h"

#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "render/picture_test.h"

namespace pelt::render {
namespace {

constexpr glm::ivec4 kRed = {200, 40, 30, 255};
constexpr glm::ivec4 kBlue = {20, 60, 210, 255};

/// Red above, blue below.
std::shared_ptr<const BackPicture> flag(int width, int height, int alpha = 255) {
  BackPicture picture{.path = "flag.png", .hash = "", .width = width, .height = height};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const glm::ivec4 color = 2 * y < height ? kRed : kBlue;
      for (int channel = 0; channel < 3; ++channel) {
        picture.pixels.push_back(static_cast<std::uint8_t>(color[channel]));
      }
      picture.pixels.push_back(static_cast<std::uint8_t>(alpha));
    }
  }
  return std::make_shared<const BackPicture>(std::move(picture));
}

void expect_color(const ImageRgba& image, int x, int y, const glm::ivec4& color, int tolerance, const char* what) {
  const glm::ivec4 found = pixel(image, x, y);
  for (int channel = 0; channel < 4; ++channel) {
    EXPECT_NEAR(found[channel], color[channel], tolerance) << what << " at " << x << ", " << y << ", " << channel;
  }
}

class BehindPictures : public PictureTest {};

TEST(Behind, FitsWholeAndMovesByHeights) {
  Behind behind{.picture = flag(40, 20)};
  EXPECT_EQ(place_of(behind, {100, 100}), glm::vec4(0, 25, 100, 50));
  EXPECT_EQ(place_of(behind, {400, 100}), glm::vec4(100, 0, 200, 100));
  behind.scale = 2;
  behind.offset = {0.5f, -0.25f};
  EXPECT_EQ(place_of(behind, {400, 100}), glm::vec4(0 + 50, -50 - 25, 400, 200));
}

TEST(Behind, IsDrawnWhereThereIsSomethingToSee) {
  Behind behind{.picture = flag(4, 4)};
  EXPECT_TRUE(is_drawn(behind, false));
  EXPECT_FALSE(is_drawn(behind, true)) << "not in a cut-out";
  behind.without_background = true;
  EXPECT_TRUE(is_drawn(behind, true)) << "unless asked";
  behind.shown = false;
  EXPECT_FALSE(is_drawn(behind, false));
  behind = {.picture = std::make_shared<const BackPicture>(BackPicture{.path = "gone.png", .hash = ""})};
  EXPECT_FALSE(is_drawn(behind, false)) << "its file could not be opened";
}

TEST_F(BehindPictures, LieOverTheBackgroundAndUnderTheCharacterInTheirOwnColours) {
  for (const int samples : {1, 4}) {
    for (const bool ground : {false, true}) {
      PictureScene scene(ball(white(0, 1)));
      scene.frame.view.samples = samples;
      scene.frame.view.ground = scene.frame.view.grid = ground;
      const ImageRgba without = draw(scene);
      scene.frame.view.behind.picture = flag(32, 32);
      const ImageRgba with = draw(scene);
      expect_color(with, 3, 3, kRed, 1, "as it is in its file");
      expect_color(with, kSide - 4, 3, kRed, 1, "as it is in its file");
      expect_color(with, 3, kSide - 4, kBlue, 1, "over the ground, the right way up");
      for (int y = kSide / 2 - 8; y <= kSide / 2 + 8; ++y) {
        for (int x = kSide / 2 - 8; x <= kSide / 2 + 8; ++x) {
          EXPECT_EQ(pixel(with, x, y), pixel(without, x, y)) << "the ball hides it";
        }
      }
      scene.frame.view.behind.shown = false;
      EXPECT_EQ(difference(draw(scene), without), 0);
    }
  }
}

TEST_F(BehindPictures, OpacityMixesInLinearLight) {
  PictureScene scene(ball(white(0, 1)));
  scene.frame.view.ground = false;
  scene.frame.view.background = glm::vec4(0, 0, 0, 1);
  scene.frame.view.behind = {.picture = flag(32, 32), .opacity = 0.25f};
  const auto mixed = [](int srgb) {
    const double linear = 0.25 * std::pow((srgb / 255.0 + 0.055) / 1.055, 2.4);
    return static_cast<int>(std::lround(255 * (1.055 * std::pow(linear, 1 / 2.4) - 0.055)));
  };
  const ImageRgba image = draw(scene);
  const glm::ivec4 found = pixel(image, 3, 3);
  EXPECT_NEAR(found.r, mixed(kRed.r), 2);
  EXPECT_NEAR(found.g, mixed(kRed.g), 4);  // near black a step of the curve is wide
  scene.frame.view.behind = {.picture = flag(32, 32, 64)};
  EXPECT_NEAR(pixel(draw(scene), 3, 3).r, mixed(kRed.r), 2) << "the file's own alpha counts as well";
}

TEST_F(BehindPictures, AreNoPartOfACutOutUnlessAsked) {
  PictureScene scene(ball(white(0, 1)));
  scene.frame.view.ground = false;
  scene.frame.view.background = glm::vec4(0.0f);
  const ImageRgba cut_out = draw(scene);
  EXPECT_EQ(pixel(cut_out, 2, 2).a, 0);
  scene.frame.view.behind.picture = flag(32, 32);
  EXPECT_EQ(difference(cut_out, draw(scene)), 0);
  scene.frame.view.behind.without_background = true;
  expect_color(draw(scene), 3, 3, kRed, 1, "asked for");
}

TEST_F(BehindPictures, StandInEveryPaneAndOnlyWithinTheirPlace) {
  PictureScene scene(ball(white(0, 1)));
  scene.frame.view.ground = false;
  scene.frame.view.background = glm::vec4(0, 0, 0, 1);
  scene.frame.view.behind = {.picture = flag(32, 32), .scale = 0.5f, .offset = {-0.25f, 0.25f}};
  Frame second = scene.frame;
  second.pane = 1;
  const std::vector<Frame> frames = {scene.frame, second};
  const PaneLayout layout = pane_layout({2 * kSide + 8, kSide}, 2, scene.frame.view, 1);
  const auto image = renderer_->render_image(frames, layout);
  ASSERT_TRUE(image) << image.error().message;
  for (const PixelRect& pane : layout.pictures) {
    const int x = pane.origin.x;
    const int height = pane.size.y;
    const int width = pane.size.x;
    const glm::vec4 place = place_of(scene.frame.view.behind, glm::vec2(pane.size));
    EXPECT_NEAR(place.x, 0.25f * static_cast<float>(width) - 0.25f * static_cast<float>(height), 1);
    expect_color(*image, x + 4, 4, kRed, 1, "its upper left quarter");
    expect_color(*image, x + width - 4, 4, {0, 0, 0, 255}, 1, "nothing beside it");
    expect_color(*image, x + 4, height - 4, {0, 0, 0, 255}, 1, "nothing below it");
  }
}

TEST_F(BehindPictures, ShowThroughGlass) {
  rig::Material glass = white(0, 0);
  glass.transmission.factor = 1;
  PictureScene scene(ball(glass));
  scene.frame.view.ground = false;
  const int middle = kSide / 2;
  scene.frame.view.behind.picture = flag(32, 32);
  const glm::ivec4 upper = pixel(draw(scene), middle, middle - 14);
  const glm::ivec4 lower = pixel(draw(scene), middle, middle + 14);
  EXPECT_NE(upper, lower);
  EXPECT_GT(std::abs(upper.r - lower.r) + std::abs(upper.b - lower.b), 100) << "red and blue are told apart behind it";
}

}  // namespace
}  // namespace pelt::render
