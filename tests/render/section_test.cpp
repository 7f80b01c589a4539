// A picture of a character alone draws several samples a pixel only where the character is.
#include "render/section.h"

#include "render/picture.h"
#include "render/picture_test.h"

namespace pelt::render {
namespace {

Bounds box(const glm::vec3& lower, const glm::vec3& upper) {
  Bounds bounds;
  bounds.add(lower);
  bounds.add(upper);
  return bounds;
}

const glm::mat4 kFlat(1.0f);  // clip space is the world: x and y from -1 to 1

TEST(Section, HoldsTheBoxAndItsMarginInWholeBlocks) {
  const glm::ivec2 picture(640, 320);
  // A quarter of the width either side of the middle, all but an eighth of the height: pixels 240..400, 20..300.
  const Section section = section_around(box({-0.25f, -0.875f, 0}, {0.25f, 0.875f, 0.5f}), kFlat, picture, 8);
  EXPECT_EQ(section, (Section{picture, {224, 0}, {192, 320}}));
  EXPECT_FALSE(section.is_whole());
  // Beyond the picture's edge nothing is drawn.
  EXPECT_EQ(section_around(box({0.5f, 0.5f, 0}, {9, 9, 1}), kFlat, picture, 8),
            (Section{picture, {464, 224}, {176, 96}}));
}

TEST(Section, IsTheWholePictureWhereNothingIsKnownOrGained) {
  const glm::ivec2 picture(640, 320);
  EXPECT_TRUE(section_around(Bounds{}, kFlat, picture, 8).is_whole());
  EXPECT_TRUE(section_around(box({-0.95f, -0.95f, 0}, {0.95f, 0.95f, 1}), kFlat, picture, 8).is_whole());
  // The eye is within the box.
  glm::mat4 perspective(1.0f);
  perspective[2][3] = -1.0f;
  perspective[3][3] = 0.0f;
  EXPECT_TRUE(section_around(box({-0.1f, -0.1f, -1}, {0.1f, 0.1f, 1}), perspective, picture, 8).is_whole());
  EXPECT_FALSE(section_around(box({-0.1f, -0.1f, -2}, {0.1f, 0.1f, -1}), perspective, picture, 8).is_whole());
}

class SectionOfAPicture : public GlTest {};

// The same frame by draw(), as windows do, is drawn with several samples everywhere.
ImageRgba drawn_whole(Renderer& renderer, const Frame& frame) {
  const Result<Picture> picture = Picture::make(frame.size);
  EXPECT_TRUE(picture.has_value());
  EXPECT_TRUE(renderer.draw(frame, picture->framebuffer()).has_value());
  return *picture->read();
}

void expect_alike(const ImageRgba& a, const ImageRgba& b, const char* what) {
  ASSERT_EQ(a.pixels.size(), b.pixels.size());
  constexpr int kLimit = 2;  // codes of 8 bits: a sum of four samples is rounded in another order
  std::size_t differing = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    differing += std::abs(a.pixels[i] - b.pixels[i]) > kLimit ? 1u : 0u;
  }
  EXPECT_LE(differing, a.pixels.size() / 2000) << what;
}

TEST_F(SectionOfAPicture, ShowsWhatAWholePictureShows) {
  const Result<std::unique_ptr<Renderer>> renderer = Renderer::create();
  ASSERT_TRUE(renderer.has_value());
  for (const bool metal : {false, true}) {
    PictureScene scene(ball(white(metal ? 1.0f : 0.0f, 0.4f)));
    scene.frame.size = glm::ivec2(400, 120);
    scene.frame.view.grid = true;
    render::frame(scene.frame.camera, scene.frame.bounds, 400.0f / 120.0f);
    const ImageRgba whole = drawn_whole(**renderer, scene.frame);
    const Result<ImageRgba> alone = (*renderer)->render_image(scene.frame);
    ASSERT_TRUE(alone.has_value());
    expect_alike(*alone, whole, metal ? "metal" : "white");
    // Once more, now that all targets are there, and after a picture of another kind.
    const Result<ImageRgba> again = (*renderer)->render_image(scene.frame);
    ASSERT_TRUE(again.has_value());
    EXPECT_TRUE(again->pixels == alone->pixels);
    drawn_whole(**renderer, scene.frame);
    EXPECT_TRUE((*renderer)->render_image(scene.frame)->pixels == alone->pixels);
  }
}

TEST_F(SectionOfAPicture, FollowsTheCameraAndLeavesTransparencyAlone) {
  const Result<std::unique_ptr<Renderer>> renderer = Renderer::create();
  ASSERT_TRUE(renderer.has_value());
  PictureScene scene(ball(white(0, 0.5f)));
  scene.frame.size = glm::ivec2(320, 240);
  scene.frame.view.background = glm::vec4(0.0f);
  scene.frame.camera.distance *= 2.5f;
  for (const float side : {-1.6f, 0.0f, 1.6f}) {
    scene.frame.camera.pivot.x = side;  // towards the left and the right edge
    const Result<ImageRgba> alone = (*renderer)->render_image(scene.frame);
    ASSERT_TRUE(alone.has_value());
    expect_alike(*alone, drawn_whole(**renderer, scene.frame), "transparent");
    EXPECT_EQ(alone->pixels[3], 0);
  }
}

}  // namespace
}  // namespace pelt::render
