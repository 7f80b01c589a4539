#include "ui/layout.h"

#include <vector>

#include <gtest/gtest.h>

namespace pelt::ui {
namespace {

constexpr StripHeights kStrips{24, 60, 22};

float area(const Rect& rect) {
  return rect.w * rect.h;
}

std::vector<Rect> rects(const WindowLayout& layout) {
  return {layout.menu,  layout.left,     layout.left_splitter, layout.viewport, layout.right_splitter,
          layout.right, layout.timeline, layout.status,        layout.bottom};
}

bool overlap(const Rect& a, const Rect& b) {
  return !a.empty() && !b.empty() && a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

TEST(Layout, CoversTheWindowWithoutOverlapAtEverySizeAndScale) {
  for (const float scale : {1.0f, 1.25f, 1.5f, 2.0f}) {
    for (float width = 320; width <= 2600; width += 53) {
      for (float height = 240; height <= 1500; height += 97) {
        const StripHeights strips{24 * scale, 60 * scale, 22 * scale, width < 1500 ? 0 : 0.4f * width};
        const WindowLayout layout = arrange({width, height}, scale, {}, strips, false);
        const std::vector<Rect> all = rects(layout);
        float covered = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
          covered += area(all[i]);
          for (std::size_t k = i + 1; k < all.size(); ++k) {
            ASSERT_FALSE(overlap(all[i], all[k]))
                << i << " and " << k << " at " << width << "x" << height << " " << scale;
          }
        }
        ASSERT_NEAR(covered, width * height, 1e-3 * width * height) << width << "x" << height << " at " << scale;
        ASSERT_GT(layout.viewport.w, 0.0f);
      }
    }
  }
}

TEST(Layout, PanelsKeepTheirWidthWhereThereIsRoom) {
  const WindowLayout layout = arrange({1440, 900}, 1, {264, 356}, kStrips, false);
  EXPECT_EQ(layout.left.w, 264);
  EXPECT_EQ(layout.right.w, 356);
  EXPECT_EQ(layout.viewport.w, 1440 - 264 - 356 - 10);
  EXPECT_EQ(layout.viewport.y, 24);
  EXPECT_EQ(layout.viewport.h, 900 - 24 - 60 - 22);
}

TEST(Layout, SmallWindowGivesUpTheTreeFirstAndKeepsTheTabs) {
  const WindowLayout layout = arrange({640, 480}, 1, {264, 356}, kStrips, false);
  EXPECT_TRUE(layout.left.empty());
  EXPECT_TRUE(layout.left_splitter.empty());
  EXPECT_GE(layout.right.w, kMinRight);
  EXPECT_GE(layout.viewport.w, kMinViewport);
}

TEST(Layout, TheTabsStayInANarrowWindowAtALargeScale) {
  for (const float width : {900.0f, 640.0f}) {
    const WindowLayout layout = arrange({width, 480}, 2, {264, 356}, kStrips, false);
    EXPECT_TRUE(layout.left.empty());
    EXPECT_EQ(layout.right.w, 2 * kMinRight);
    EXPECT_GE(layout.viewport.w, 2 * kLeastViewport);
  }
  EXPECT_TRUE(arrange({600, 480}, 2, {264, 356}, kStrips, false).right.empty());
}

TEST(Layout, BetweenTheTwoBothPanelsShrinkButNotBelowTheirMinimum) {
  const WindowLayout layout = arrange({760, 600}, 1, {264, 356}, kStrips, false);
  EXPECT_LT(layout.left.w, 264);
  EXPECT_LT(layout.right.w, 356);
  EXPECT_GE(layout.left.w, kMinLeft - 1);
  EXPECT_GE(layout.right.w, kMinRight - 1);
  EXPECT_GE(layout.viewport.w, kMinViewport);
}

TEST(Layout, HiddenPanelsLeaveTheWholeWindowToTheViewport) {
  const WindowLayout layout = arrange({800, 600}, 1, {}, kStrips, true);
  EXPECT_EQ(layout.viewport, (Rect{0, 0, 800, 600}));
  EXPECT_TRUE(layout.menu.empty());
  EXPECT_TRUE(layout.timeline.empty());
}

TEST(Layout, DraggedSplitterFollowsTheMouseWithinLimits) {
  const glm::vec2 window(1440, 900);
  EXPECT_FLOAT_EQ(drag_left_splitter({}, 300, window, 1).left, 300);
  EXPECT_FLOAT_EQ(drag_left_splitter({}, 300, window, 2).left, 150);
  EXPECT_FLOAT_EQ(drag_left_splitter({}, 5, window, 1).left, kMinLeft);
  EXPECT_LE(drag_left_splitter({}, 1400, window, 1).left, 1440 - kMinViewport - kMinRight);
  const PanelSizes right = drag_right_splitter({}, 1000, window, 1);
  const WindowLayout layout = arrange(window, 1, right, kStrips, false);
  EXPECT_FLOAT_EQ(layout.right_splitter.x, 1000);
  EXPECT_FLOAT_EQ(drag_right_splitter({}, 1435, window, 1).right, kMinRight);
}

}  // namespace
}  // namespace pelt::ui
