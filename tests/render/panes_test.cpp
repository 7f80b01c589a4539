#include "render/panes.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace pelt::render {
namespace {

TEST(Panes, ASinglePaneFillsThePicture) {
  const std::vector<PixelRect> one = pane_rects({641, 480}, 1, 2);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0], (PixelRect{{0, 0}, {641, 480}}));
}

TEST(Panes, ColumnsAreEquallyWideAndReachBothBorders) {
  // 1280 = 426 + 1 + 426 + 1 + 426 with a pixel to spare at most.
  for (const int width : {1280, 1281, 1282, 1283}) {
    const std::vector<PixelRect> three = pane_rects({width, 720}, 3, 2);
    ASSERT_EQ(three.size(), 3u);
    EXPECT_EQ(three[0].origin, glm::ivec2(0));
    EXPECT_EQ(three[2].origin.x + three[2].size.x, width);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(three[i].size, three[0].size) << width;
      EXPECT_EQ(three[i].size.y, 720);
      if (i > 0) {
        const int gap = three[i].origin.x - three[i - 1].origin.x - three[i].size.x;
        EXPECT_GE(gap, 2);
        EXPECT_LE(gap, 4);
      }
    }
  }
}

TEST(Panes, FourAreTwoByTwoInReadingOrder) {
  const std::vector<PixelRect> four = pane_rects({202, 102}, 4, 2);
  ASSERT_EQ(four.size(), 4u);
  EXPECT_EQ(four[0], (PixelRect{{0, 0}, {100, 50}}));
  EXPECT_EQ(four[1], (PixelRect{{102, 0}, {100, 50}}));
  EXPECT_EQ(four[2], (PixelRect{{0, 52}, {100, 50}}));
  EXPECT_EQ(four[3], (PixelRect{{102, 52}, {100, 50}}));
}

/// Pixels from the end of one pane to the beginning of a later one, on the axis that parts them; negative where they
/// overlap.
int gap_between(const PixelRect& a, const PixelRect& b) {
  const glm::ivec2 gap = b.origin - a.origin - a.size;
  return std::max(gap.x, gap.y);
}

// Down to where there are as many pixels as panes, none of them lies over another; below, each still has a pixel.
TEST(Panes, TinyPicturesKeepAPixelPerPane) {
  constexpr int kGap = 2;
  for (int count = 1; count <= kMostPanes; ++count) {
    const glm::ivec2 cells = count == 4 ? glm::ivec2(2, 2) : glm::ivec2(count, 1);
    const glm::ivec2 with_gaps = cells + kGap * (cells - 1);
    for (int width = 1; width <= 24; ++width) {
      for (int height = 1; height <= 12; ++height) {
        SCOPED_TRACE(testing::Message() << count << " panes in " << width << " x " << height);
        const std::vector<PixelRect> rects = pane_rects({width, height}, count, kGap);
        ASSERT_EQ(rects.size(), static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < rects.size(); ++i) {
          EXPECT_EQ(rects[i].size, rects[0].size);
          EXPECT_GE(std::min(rects[i].size.x, rects[i].size.y), 1);
          EXPECT_GE(std::min(rects[i].origin.x, rects[i].origin.y), 0);
          EXPECT_LE(rects[i].origin.x + rects[i].size.x, width);
          EXPECT_LE(rects[i].origin.y + rects[i].size.y, height);
          for (std::size_t k = 0; k < i; ++k) {
            if (width >= with_gaps.x && height >= with_gaps.y) {
              EXPECT_GE(gap_between(rects[k], rects[i]), kGap);
            } else if (width >= cells.x && height >= cells.y) {
              EXPECT_GE(gap_between(rects[k], rects[i]), 0) << "pane " << k << " and pane " << i;
            }
          }
        }
      }
    }
  }
}

TEST(Panes, AWipeShowsTwoPanesThatMeet) {
  ViewSettings view;
  view.wipe = true;
  view.wipe_position = 0.25f;
  const PaneLayout layout = pane_layout({400, 300}, 3, view, 1);
  EXPECT_TRUE(layout.wipe);
  ASSERT_EQ(layout.pictures.size(), 2u) << "the first two only";
  for (const PixelRect& picture : layout.pictures) {
    EXPECT_EQ(picture, (PixelRect{{0, 0}, {400, 300}}));
  }
  EXPECT_EQ(layout.shown[0], (PixelRect{{0, 0}, {100, 300}}));
  EXPECT_EQ(layout.shown[1], (PixelRect{{100, 0}, {300, 300}}));
  EXPECT_EQ(layout.pane_at({99, 0}), 0);
  EXPECT_EQ(layout.pane_at({100, 299}), 1);
  EXPECT_EQ(layout.pane_at({400, 0}), -1);
  view.wipe_position = 7;
  EXPECT_EQ(pane_layout({400, 300}, 2, view, 1).shown[1].size.x, 0);
  EXPECT_FALSE(pane_layout({400, 300}, 1, view, 1).wipe) << "one pane cannot be wiped";
}

TEST(Panes, BetweenPanesThereIsNone) {
  const PaneLayout layout = pane_layout({202, 100}, 2, {}, 1);
  EXPECT_EQ(layout.pane_at({99, 50}), 0);
  EXPECT_EQ(layout.pane_at({100, 50}), -1);
  EXPECT_EQ(layout.pane_at({102, 50}), 1);
}

}  // namespace
}  // namespace pelt::render
