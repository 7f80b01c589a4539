#include "app/panels_in_picture.h"

#include <memory>

#include <gtest/gtest.h>

#include "edit/evaluation.h"
#include "render/offscreen_context.h"
#include "support/fixtures.h"
#include "support/requirements.h"

namespace pelt::app {
namespace {

TEST(PanelsInPicture, AreDrawnAroundTheCharacterAndTheSameEachTime) {
  const auto context = render::OffscreenContext::create();
  PELT_NEEDS_GL(context);
  auto renderer = render::Renderer::create();
  ASSERT_TRUE(renderer) << renderer.error().message;
  cli::ViewRequest request;
  request.document = edit::make_document(std::make_shared<rig::Character>(test::cylinder()));
  edit::Evaluation evaluation;
  evaluation.update(request.document);
  render::Frame frame;
  frame.character = request.document.character.get();
  frame.pose = &evaluation.pose();
  frame.world = evaluation.world();
  frame.pose_version = evaluation.version();
  frame.bounds = evaluation.deformed(request.document).bounds;
  frame.size = {800, 600};
  const auto first = render_with_panels(**renderer, request, frame);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->width, 800);
  EXPECT_EQ(first->height, 600);
  const auto pixel = [&](int x, int y) { return &first->pixels[(y * 800 + x) * 4]; };
  // The menu bar is the theme's background, the middle of the viewport is not; everything is opaque.
  EXPECT_EQ(pixel(700, 4)[0], 24);
  EXPECT_EQ(pixel(700, 4)[1], 26);
  EXPECT_EQ(pixel(700, 4)[2], 30);
  EXPECT_GT(pixel(300, 300)[0], 40);
  for (std::size_t i = 3; i < first->pixels.size(); i += 4) {
    ASSERT_EQ(first->pixels[i], 255);
  }
  const auto second = render_with_panels(**renderer, request, frame);
  ASSERT_TRUE(second);
  EXPECT_EQ(first->pixels, second->pixels);
}

}  // namespace
}  // namespace pelt::app
