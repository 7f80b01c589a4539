#include "app/paint_layout.h"

#include <chrono>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "gltf/bundled.h"
#include "render/offscreen_context.h"
#include "render/picking.h"
#include "support/patience.h"
#include "support/requirements.h"
#include "ui/brush_tool.h"

namespace pelt::app {
namespace {

using namespace std::chrono_literals;

/// The mannequin in a session with a renderer, without a window.
class PaintLayoutTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto context = render::OffscreenContext::create();
    PELT_NEEDS_GL(context);
    context_ = *std::move(context);
    auto made = render::Renderer::create();
    ASSERT_TRUE(made) << made.error().message;
    renderer_ = *std::move(made);
    session_.document = mannequin();
    pelt::app::update(session_);
    render::frame(session_.workspace.camera, posed_bounds(session_), 1.0f);
    session_.workspace.view.samples = 1;
  }

  static edit::Document mannequin() {
    return edit::make_document(std::make_shared<rig::Character>(*gltf::import_bundled("mannequin")));
  }
  void smooth(std::uint32_t vertex) {
    edit::SmoothWeights dab;
    dab.vertices = std::vector<std::uint32_t>{vertex, vertex + 1, vertex + 2};
    dab.primitive = 0;
    dab.strength = 0.9f;
    const auto before = session_.document.character;
    edit::apply(session_.document, {dab, {}, true});
    ASSERT_TRUE(session_.document.character != before) << "an edit that changes something";
  }
  void follow(bool working) {
    pelt::app::update(session_);
    layout_.update(session_, *renderer_, working);
  }
  std::vector<render::Frame> frames(glm::ivec2 size = {128, 128}, float scale = 1) {
    return make_frames(session_, *renderer_, pane_layout(session_, size, scale), scale);
  }
  render::ImageRgba draw() {
    auto image = renderer_->render_image(frames(), pane_layout(session_, {128, 128}, 1));
    EXPECT_TRUE(image) << image.error().message;
    PaintLayout::drawn(session_);
    return image ? *std::move(image) : render::ImageRgba();
  }
  bool until_batches(bool working = false) {
    return test::eventually([&] {
      follow(working);
      return !session_.paint;
    });
  }

  std::unique_ptr<render::OffscreenContext> context_;
  std::unique_ptr<render::Renderer> renderer_;
  Session session_;
  std::shared_ptr<Jobs> jobs_ = std::make_shared<Jobs>();
  PaintLayout layout_{jobs_};
};

TEST_F(PaintLayoutTest, LastsFromTheFirstEditUntilWeightsAreLeftAndBatchesAreThere) {
  follow(true);
  EXPECT_FALSE(session_.paint) << "to look at weights changes nothing";
  draw();
  smooth(100);
  follow(true);
  EXPECT_TRUE(session_.paint);
  for (const render::Frame& frame : frames()) {
    EXPECT_TRUE(frame.paint);
  }
  draw();
  smooth(200);
  follow(true);
  draw();
  EXPECT_EQ(renderer_->stats().static_bytes, 0) << "only rows are moved";
  EXPECT_GT(renderer_->stats().row_bytes, 0);
  const render::ImageRgba painted = draw();
  EXPECT_FALSE(layout_.planning());

  follow(false);
  EXPECT_TRUE(session_.paint) << "until the batches are there";
  ASSERT_TRUE(until_batches());
  ASSERT_EQ(session_.plans.size(), 1u);
  ASSERT_NE(session_.plans[0].second, nullptr);
  const std::vector<render::Frame> batches = frames();
  EXPECT_FALSE(batches[0].paint);
  EXPECT_EQ(batches[0].plan, session_.plans[0].second);
  const render::ImageRgba drawn = draw();
  EXPECT_TRUE(session_.plans.empty()) << "the renderer keeps what it needs";
  ASSERT_EQ(drawn.pixels.size(), painted.pixels.size());
  for (std::size_t i = 0; i < drawn.pixels.size(); ++i) {
    ASSERT_NEAR(drawn.pixels[i], painted.pixels[i], 2) << i;
  }
  follow(false);
  EXPECT_FALSE(session_.paint);
  EXPECT_FALSE(layout_.planning());
}

TEST_F(PaintLayoutTest, WhoComesBackToWeightsOrEditsOnIsNotInterrupted) {
  follow(true);
  smooth(100);
  follow(true);
  follow(false);
  follow(true);
  EXPECT_FALSE(layout_.planning()) << "work that nobody needs has ended";
  for (int i = 0; i < 50; ++i) {
    follow(true);
    ASSERT_TRUE(session_.paint);
    std::this_thread::sleep_for(1ms);
  }
  follow(false);
  ASSERT_TRUE(edit::can_undo(session_.document));
  edit::undo(session_.document);  // from another tab, while batches are being made of what was undone
  follow(false);
  EXPECT_TRUE(session_.paint);
  ASSERT_TRUE(until_batches());
  draw();
  const render::RenderStats& stats = renderer_->stats();
  EXPECT_GT(stats.batches.size(), 0u);
}

TEST_F(PaintLayoutTest, AnotherCharacterOrSettingsOfTheCpuNeedNoPlan) {
  follow(true);
  smooth(100);
  follow(true);
  ASSERT_TRUE(session_.paint);
  session_.document = mannequin();  // read again
  follow(true);
  EXPECT_FALSE(session_.paint);
  EXPECT_TRUE(session_.plans.empty());

  deform::SkinningSettings settings = edit::skinning_of(session_.document.content, 0);
  settings.backend = deform::Backend::kCpu;
  edit::apply(session_.document, {edit::SetSkinning{settings, 0}, {}, false});
  follow(true);
  smooth(100);
  follow(true);
  EXPECT_TRUE(session_.paint);
  ASSERT_TRUE(until_batches());
  EXPECT_TRUE(session_.plans.empty());
}

TEST_F(PaintLayoutTest, EachPaneHasThePlanOfItsSettings) {
  edit::apply(session_.document, {edit::SetPanes{2}, {}, false});
  deform::SkinningSettings settings = edit::skinning_of(session_.document.content, 1);
  settings.palette_limit = 16;
  edit::apply(session_.document, {edit::SetSkinning{settings, 1}, {}, false});
  follow(true);
  smooth(100);
  follow(true);
  ASSERT_TRUE(until_batches());
  const std::vector<render::Frame> panes = frames();
  ASSERT_EQ(panes.size(), 2u);
  ASSERT_NE(panes[0].plan, nullptr);
  ASSERT_NE(panes[1].plan, nullptr);
  EXPECT_NE(panes[0].plan, panes[1].plan);
  draw();
  EXPECT_GT(renderer_->stats(1).batches.size(), renderer_->stats(0).batches.size());
}

TEST_F(PaintLayoutTest, VerticesAreFoundWhereTheRayFindsThem) {
  edit::apply(session_.document, {edit::SetPanes{2}, {}, false});
  for (const bool paint : {false, true}) {
    follow(true);
    if (paint) {
      smooth(100);
      follow(true);
    }
    const glm::ivec2 size(301, 200);
    const render::PaneLayout panes = pane_layout(session_, size, 2);
    int hits = 0;
    int same = 0;
    for (int y = 1; y < 20; ++y) {
      for (int x = 1; x < 20; ++x) {
        const int pane = x % 2;
        const glm::vec2 picture(panes.pictures[pane].size);
        // The middle of a pixel, so that both look along one ray.
        const glm::vec2 at = (glm::floor(glm::vec2(x, y) / 20.0f * picture) + 0.5f) / picture;
        const auto found = vertex_at(session_, *renderer_, panes, 2, pane, at);
        const render::Ray ray = render::pick_ray(session_.workspace.camera, at * glm::vec2(2, -2) + glm::vec2(-1, 1),
                                                 picture.x / picture.y);
        const auto met = render::pick_vertex(*session_.document.character,
                                             session_.evaluation.deformed(session_.document, pane), ray);
        hits += met ? 1 : 0;
        same += met && found && met->triangle == found->triangle && met->vertex == found->vertex ? 1 : 0;
        EXPECT_TRUE(!met || !found || std::abs(met->distance - found->distance) < 0.02f * met->distance);
      }
    }
    EXPECT_GE(hits, 20);
    EXPECT_GE(same, hits * 9 / 10);
  }
}

TEST_F(PaintLayoutTest, AStrokeHoldsShadowsUnlessAClipPlaysAndItsEndDrawsThem) {
  EXPECT_FALSE(frames()[0].hold_shadows);
  const std::vector<PictureKey> before = picture_key(frames());
  session_.workspace.panel<ui::BrushTool>().busy = true;
  EXPECT_TRUE(frames()[0].hold_shadows);
  EXPECT_FALSE(picture_key(frames()) == before) << "the release is another picture, though no weight changes with it";
  session_.workspace.playback.playing = true;
  EXPECT_FALSE(frames()[0].hold_shadows);
}

}  // namespace
}  // namespace pelt::app
