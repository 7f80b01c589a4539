// Several panes in one picture.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <gtest/gtest.h>

#include "deform/skinning_methods.h"
#include "gltf/bundled.h"
#include "measure/surface.h"
#include "render/gl_test.h"
#include "render/renderer.h"
#include "rig/kinematics.h"
#include "support/fixtures.h"

namespace pelt::render {
namespace {

constexpr glm::ivec2 kViewSize = {162, 80};
constexpr int kPictureLevels = 2;  // of 255, between pictures of one shape

/// The cylinder with its tip twisted by two thirds of a half turn, in up to two panes.
class SplitViewTest : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    auto made = Renderer::create();
    ASSERT_TRUE(made) << made.error().message;
    renderer_ = std::move(*made);
    pose_ = rig::rest_pose(character_);
    pose_.local[1].rotation = glm::angleAxis(2.0943951f, glm::vec3(1, 0, 0));
    world_.evaluate(character_.skeleton, pose_);
    bound_ = measure::bind_shape(character_);
  }
  void TearDown() override {
    renderer_.reset();
    GlTest::TearDown();
  }

  /// Another character than the cylinder, every joint turned a little.
  void use_bundled(std::string_view name) {
    auto character = gltf::import_bundled(name);
    ASSERT_TRUE(character) << character.error().message;
    character_ = *std::move(character);
    test::Random random(8);
    pose_ = test::random_pose(character_, random, 0.1);
    world_.evaluate(character_.skeleton, pose_);
    bound_ = measure::bind_shape(character_);
  }

  /// @param method  of the pane
  Frame pane(int index, std::string_view method, const ViewSettings& view = {}) {
    Frame frame;
    frame.character = &character_;
    frame.pose = &pose_;
    frame.world = world_.world();
    frame.pose_version = 1;
    frame.pane = index;
    frame.skinning.method = deform::find_method(method);
    deformed_[index] = deform::deform_once(character_, pose_, frame.skinning);
    frame.deformed = &deformed_[index];
    frame.view = view;
    frame.view.samples = 1;
    frame.bounds = bound_.bounds;
    frame.size = kViewSize;
    render::frame(frame.camera, frame.bounds, 1.0f);
    return frame;
  }
  ImageRgba image(const std::vector<Frame>& frames, const PaneLayout& layout) {
    auto drawn = renderer_->render_image(frames, layout);
    EXPECT_TRUE(drawn) << drawn.error().message;
    return drawn ? std::move(*drawn) : ImageRgba();
  }

  rig::Character character_ = test::cylinder();
  rig::Pose pose_;
  rig::WorldMatrices world_;
  deform::DeformedCharacter bound_;
  std::array<deform::DeformedCharacter, kMostPanes> deformed_;
  std::unique_ptr<Renderer> renderer_;
};

/// Pixels of a rectangle, rows from the top.
std::vector<std::uint8_t> crop(const ImageRgba& image, const PixelRect& rect) {
  std::vector<std::uint8_t> pixels;
  for (int y = rect.origin.y; y < rect.origin.y + rect.size.y; ++y) {
    const auto row = image.pixels.begin() + static_cast<std::ptrdiff_t>((y * image.width + rect.origin.x) * 4);
    pixels.insert(pixels.end(), row, row + static_cast<std::ptrdiff_t>(rect.size.x * 4));
  }
  return pixels;
}

TEST_F(SplitViewTest, EachPaneIsThePictureItWouldBeAlone) {
  const PaneLayout layout = pane_layout(kViewSize, 2, {}, 1);
  const ImageRgba both = image({pane(0, "lbs"), pane(1, "rigid")}, layout);
  for (int i = 0; i < 2; ++i) {
    Frame alone = pane(i, i == 0 ? "lbs" : "rigid");
    alone.size = layout.pictures[i].size;
    const auto expected = renderer_->render_image(alone);
    ASSERT_TRUE(expected);
    EXPECT_EQ(crop(both, layout.shown[i]), expected->pixels) << "pane " << i;
  }
  EXPECT_NE(crop(both, layout.shown[0]), crop(both, layout.shown[1]));
}

TEST_F(SplitViewTest, FourPanesOfOneKindLookAlike) {
  const PaneLayout layout = pane_layout(kViewSize, 4, {}, 1);
  const ImageRgba four = image({pane(0, "lbs"), pane(1, "lbs"), pane(2, "lbs"), pane(3, "lbs")}, layout);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(crop(four, layout.shown[i]), crop(four, layout.shown[0])) << "pane " << i;
  }
}

TEST_F(SplitViewTest, AWipeShowsEachPaneOnItsSide) {
  ViewSettings view;
  view.wipe = true;
  const PaneLayout layout = pane_layout(kViewSize, 2, view, 1);
  const ImageRgba wiped = image({pane(0, "lbs", view), pane(1, "rigid", view)}, layout);
  for (int i = 0; i < 2; ++i) {
    const auto whole = renderer_->render_image(pane(i, i == 0 ? "lbs" : "rigid", view));
    ASSERT_TRUE(whole);
    PixelRect side = layout.shown[i];
    side.size.x -= 1;  // the line
    side.origin.x += i;
    EXPECT_EQ(crop(wiped, side), crop(*whole, side)) << "pane " << i;
  }
}

TEST_F(SplitViewTest, MapsOfAllPanesShareOneScale) {
  ViewSettings view;
  view.look = Look::kDifference;
  view.compare.reference = Reference::kBindShape;
  std::vector<Frame> frames = {pane(0, "lbs", view), pane(1, "rigid", view)};
  for (Frame& frame : frames) {
    frame.reference = &bound_;
  }
  image(frames, pane_layout(kViewSize, 2, view, 1));
  float largest = 0;
  for (int i = 0; i < 2; ++i) {
    ASSERT_NE(renderer_->difference(i), nullptr);
    largest = std::max(largest, renderer_->difference(i)->highest);
    ASSERT_TRUE(renderer_->stats(i).difference);
    EXPECT_EQ(*renderer_->stats(i).difference, *renderer_->stats(0).difference);
  }
  EXPECT_NE(renderer_->difference(0)->values, renderer_->difference(1)->values);
  EXPECT_NEAR(renderer_->stats().difference->end, round_up_nicely(1000 * largest) / 1000, 1e-6f);
  // A turn by a moves a point at distance r from its axis by 2 r sin(a / 2): the last ring, radius 0.1.
  EXPECT_NEAR(largest, 2 * 0.1 * std::sin(2.0943951 / 2), 1e-5);
  frames[0].view.look = Look::kShaded;
  frames[1].view.look = Look::kShaded;
  image(frames, pane_layout(kViewSize, 2, view, 1));
  EXPECT_EQ(renderer_->difference(0), nullptr);
}

TEST_F(SplitViewTest, C15_3_TheMapAgainstFullPrecisionShowsWhatRoundingDoes) {
  ViewSettings view;
  view.look = Look::kDifference;
  view.compare.reference = Reference::kFullPrecision;
  std::vector<Frame> frames = {pane(0, "lbs", view), pane(1, "lbs", view)};
  const deform::DeformedCharacter full = deformed_[0];
  frames[1].skinning.weight_format = deform::WeightFormat::kUnorm8;
  deformed_[1] = deform::deform_once(character_, pose_, frames[1].skinning);
  for (Frame& frame : frames) {
    frame.reference = &full;
  }
  image(frames, pane_layout(kViewSize, 2, view, 1));
  ASSERT_NE(renderer_->difference(0), nullptr);
  EXPECT_EQ(renderer_->difference(0)->highest, 0.0f) << "not even what the backends round differently";
  ASSERT_NE(renderer_->difference(1), nullptr);
  // One weight of two is off by 0.5 / 255 at most, and ghost points are 2 r sin(a / 2) apart at most.
  EXPECT_GT(renderer_->difference(1)->highest, 0.0f);
  EXPECT_LE(renderer_->difference(1)->highest, 0.5f / 255 * 2 * 0.1f * std::sin(2.0943951f / 2) + 1e-6f);
}

TEST_F(SplitViewTest, C12_2_BatchesShowOnPartsOfEveryKind) {
  ViewSettings view;
  view.look = Look::kBatches;
  const PaneLayout layout = pane_layout(kViewSize, 1, view, 1);
  std::vector<Frame> frames = {pane(0, "lbs", view)};
  const ImageRgba whole = image(frames, layout);
  frames[0].skinning.partition = true;
  EXPECT_NE(image(frames, layout).pixels, whole.pixels) << "rigid triangles have the colours of their joints";
  rig::Character without_skin = character_;
  without_skin.parts.edit()[0].skin = -1;
  frames[0].character = &without_skin;
  EXPECT_EQ(image(frames, layout).width, kViewSize.x);
}

/// Largest difference of a channel.
int farthest_channel(const ImageRgba& a, const ImageRgba& b) {
  EXPECT_EQ(a.pixels.size(), b.pixels.size());
  int largest = 0;
  for (std::size_t i = 0; i < std::min(a.pixels.size(), b.pixels.size()); ++i) {
    largest = std::max(largest, std::abs(int{a.pixels[i]} - int{b.pixels[i]}));
  }
  return largest;
}

TEST_F(SplitViewTest, C12_2_ThePictureIsTheSameWithRigidTrianglesApart) {
  const PaneLayout layout = pane_layout(kViewSize, 1, {}, 1);
  std::vector<Frame> frames = {pane(0, "lbs")};
  const ImageRgba whole = image(frames, layout);
  EXPECT_EQ(renderer_->stats().batches.size(), 1U);
  frames[0].skinning.partition = true;
  EXPECT_LE(farthest_channel(image(frames, layout), whole), kPictureLevels);
  EXPECT_EQ(renderer_->stats().batches.size(), 3U);
}

TEST_F(SplitViewTest, C10_3_ThePictureIsTheSameInSmallBatches) {
  use_bundled("mannequin");
  const PaneLayout layout = pane_layout(kViewSize, 1, {}, 1);
  std::vector<Frame> frames = {pane(0, "lbs")};
  frames[0].skinning.palette_limit = 0;
  const ImageRgba whole = image(frames, layout);
  EXPECT_EQ(renderer_->stats().batches.size(), character_.parts.size());
  frames[0].skinning.palette_limit = 12;
  EXPECT_LE(farthest_channel(image(frames, layout), whole), kPictureLevels);
  EXPECT_GT(renderer_->stats().batches.size(), character_.parts.size());
}

TEST_F(SplitViewTest, C9_4_ThePictureDoesNotDependOnTheMeshNode) {
  const PaneLayout layout = pane_layout(kViewSize, 1, {}, 1);
  const ImageRgba before = image({pane(0, "lbs")}, layout);
  Transform& node = pose_.local[character_.parts[0].joint];
  node.translation = glm::vec3(0.3f, -0.1f, 0.2f);
  node.scale = glm::vec3(-2.0f);  // which would turn the surface inside out
  world_.evaluate(character_.skeleton, pose_);
  Frame frame = pane(0, "lbs");
  frame.pose_version = 2;
  EXPECT_LE(farthest_channel(image({frame}, layout), before), kPictureLevels);
}

TEST_F(SplitViewTest, WithoutAReferenceAllIsEqual) {
  ViewSettings view;
  view.look = Look::kDifference;
  view.compare.reference = Reference::kMethod;
  image({pane(0, "lbs", view)}, pane_layout(kViewSize, 1, view, 1));
  ASSERT_NE(renderer_->difference(), nullptr);
  EXPECT_EQ(renderer_->difference()->highest, 0.0f);
}

}  // namespace
}  // namespace pelt::render
