#include "render/overlay.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <gtest/gtest.h>

#include "deform/skin_cache.h"
#include "render/gl_test.h"
#include "render/look_colors.h"
#include "render/picture_text.h"
#include "support/fixtures.h"

namespace pelt::render {
namespace {

constexpr std::array kFirst = {0};

constexpr int kWidth = 400;
constexpr int kHeight = 240;
constexpr glm::ivec3 kGrey(60);

/// Draws the overlay of F-CYL, seen from the front, over dark grey.
class Overlays : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    character_ = test::cylinder();
    pose_ = rig::rest_pose(character_);
    frame_.size = {kWidth, kHeight};
    frame_.camera.azimuth = 0.0f;
    frame_.camera.elevation = 0.0f;
    frame_.camera.pivot = {0.5f, 0, 0};
    frame_.camera.distance = 1.6f;
    frame_.camera.near_far_radius = 0.6f;
    frame_.view.ghost_points = false;
    color_ = Texture::make();
    glBindTexture(GL_TEXTURE_2D, color_.id());
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, kWidth + kOrigin.x, kHeight + kOrigin.y, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 nullptr);
    depth_ = Texture::make();
    framebuffer_ = Framebuffer::make();
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.id());
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color_.id(), 0);
    ASSERT_TRUE(check_framebuffer("test"));
  }
  void TearDown() override {
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    framebuffer_ = {};
    depth_ = {};
    color_ = {};
    GlTest::TearDown();
  }

  /// @param depth  of the scene everywhere: 1 hides nothing, 0 everything
  void draw(float depth, glm::ivec2 origin = {}) {
    draw(std::vector<float>(static_cast<std::size_t>(kWidth) * kHeight, depth), origin);
  }
  void draw(const std::vector<float>& depths, glm::ivec2 origin = {}) {
    matrices_.evaluate(character_.skeleton, pose_);
    deformed_ = deform::deform_once(character_, pose_, frame_.skinning);
    frame_.character = &character_;
    frame_.pose = &pose_;
    frame_.world = matrices_.world();
    frame_.deformed = &deformed_;
    frame_.bounds = deformed_.bounds;
    glBindTexture(GL_TEXTURE_2D, depth_.id());
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT32F, kWidth, kHeight, 0, GL_DEPTH_COMPONENT, GL_FLOAT,
                 depths.data());
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.id());
    glViewport(origin.x, origin.y, kWidth, kHeight);
    const glm::vec3 back = glm::vec3(background_) / 255.0f;
    glClearColor(back.x, back.y, back.z, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    auto overlay = Overlay::create(programs_);
    ASSERT_TRUE(overlay) << overlay.error().message;
    clip_from_world_ =
        frame_.camera.clip_from_view(static_cast<float>(kWidth) / kHeight) * frame_.camera.view_from_world();
    const Status status = overlay->draw({frame_, clip_from_world_, depth_.id(), origin}, programs_);
    ASSERT_TRUE(status) << status.error().message;
    EXPECT_FALSE(glIsEnabled(GL_BLEND));
    EXPECT_FALSE(glIsEnabled(GL_DEPTH_TEST));
    GLint bound = -1;
    glGetIntegerv(GL_CURRENT_PROGRAM, &bound);
    EXPECT_EQ(bound, 0);
    glGetIntegerv(GL_VERTEX_ARRAY_BINDING, &bound);
    EXPECT_EQ(bound, 0);
    pixels_.assign(static_cast<std::size_t>(kWidth) * kHeight * 4, 0);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(origin.x, origin.y, kWidth, kHeight, GL_RGBA, GL_UNSIGNED_BYTE, pixels_.data());
  }

  /// @param y  from below
  [[nodiscard]] glm::ivec3 pixel(int x, int y) const {
    const std::size_t i = 4 * (static_cast<std::size_t>(y) * kWidth + static_cast<std::size_t>(x));
    return {pixels_[i], pixels_[i + 1], pixels_[i + 2]};
  }
  [[nodiscard]] glm::ivec2 at(const glm::vec3& point) const {
    const glm::vec4 clip = clip_from_world_ * glm::vec4(point, 1.0f);
    return glm::ivec2((glm::vec2(clip) / clip.w * 0.5f + 0.5f) * glm::vec2(kWidth, kHeight));
  }
  [[nodiscard]] glm::ivec3 pixel(const glm::vec3& point) const { return pixel(at(point).x, at(point).y); }
  /// Sum of absolute differences from the background.
  [[nodiscard]] static int ink(const glm::ivec3& color) {
    return std::abs(color.x - kGrey.x) + std::abs(color.y - kGrey.y) + std::abs(color.z - kGrey.z);
  }
  [[nodiscard]] int touched() const {
    int count = 0;
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        count += ink(pixel(x, y)) > 6 ? 1 : 0;
      }
    }
    return count;
  }
  /// Coverage of a column through `point`, in pixels, as shares of the strongest one.
  [[nodiscard]] float thickness(const glm::vec3& point) const {
    const int x = at(point).x;
    int strongest = 1;
    int sum = 0;
    for (int y = 0; y < kHeight; ++y) {
      strongest = std::max(strongest, ink(pixel(x, y)));
      sum += ink(pixel(x, y));
    }
    return static_cast<float>(sum) / static_cast<float>(strongest);
  }

  static constexpr glm::ivec2 kOrigin = {37, 21};
  glm::ivec3 background_ = kGrey;
  rig::Character character_;
  rig::Pose pose_;
  rig::WorldMatrices matrices_;
  deform::DeformedCharacter deformed_;
  Frame frame_;
  glm::mat4 clip_from_world_ = glm::mat4(1.0f);
  ProgramCache programs_{ShaderLibrary::from_environment()};
  Texture color_, depth_;
  Framebuffer framebuffer_;
  std::vector<std::uint8_t> pixels_;
};

TEST_F(Overlays, NothingAskedForLeavesThePictureAlone) {
  draw(1.0f);
  EXPECT_EQ(touched(), 0);
}

TEST_F(Overlays, BonesLieWhereTheJointsAre) {
  frame_.view.skeleton = true;
  draw(1.0f);
  EXPECT_GT(ink(pixel(glm::vec3(0.0f, 0, 0))), 200);
  EXPECT_GT(ink(pixel(glm::vec3(0.5f, 0, 0))), 200);
  EXPECT_GT(ink(pixel(glm::vec3(0.15f, 0.004f, 0))), 100);
  EXPECT_EQ(ink(pixel(glm::vec3(0.25f, 0.08f, 0))), 0);
  EXPECT_GT(touched(), 300);
  EXPECT_LT(touched(), kWidth * kHeight / 8);
}

TEST_F(Overlays, HiddenBonesShowThroughByHalf) {
  frame_.view.skeleton = true;
  // Near enough that a face of the root's bone is wider than its edges.
  frame_.camera.pivot = {0.15f, 0, 0};
  frame_.camera.distance = 0.4f;
  const glm::vec3 face(0.15f, 0.004f, 0);
  draw(1.0f);
  const int visible = ink(pixel(face));
  EXPECT_GT(visible, 200);
  draw(0.0f);
  const float share = static_cast<float>(ink(pixel(face))) / static_cast<float>(visible);
  EXPECT_GT(share, 0.42f);
  EXPECT_LT(share, 0.58f);
  // A selected bone stays readable behind the surface.
  frame_.selected_joints = kFirst;
  draw(0.0f);
  EXPECT_GT(ink(pixel(face)), 120);
  // Only the left quarter of the scene is in front.
  frame_.selected_joints = {};
  std::vector<float> quarter(static_cast<std::size_t>(kWidth) * kHeight, 1.0f);
  for (std::size_t i = 0; i < quarter.size(); ++i) {
    quarter[i] = i % kWidth < kWidth / 4 ? 0.0f : 1.0f;
  }
  draw(quarter);
  EXPECT_EQ(ink(pixel(face)), visible);
}

// In front of and behind a skin of any brightness a bone has something much darker or much lighter than that.
TEST_F(Overlays, BonesReadOnAnySkin) {
  frame_.view.skeleton = true;
  for (const int skin : {0, 30, 64, 128, 180, 220, 243, 255}) {
    background_ = glm::ivec3(skin);
    for (const float depth : {0.0f, 1.0f}) {
      draw(depth);
      // Also near its tip, which is two pixels wide.
      for (const auto& [x, least] : {std::pair(0.05f, 70), std::pair(0.2f, 70), std::pair(0.35f, 45)}) {
        int strongest = 0;
        for (int y = 0; y < kHeight; ++y) {
          strongest = std::max(strongest, std::abs(pixel(at({x, 0, 0}).x, y).y - skin));
        }
        EXPECT_GT(strongest, least) << "skin " << skin << ", depth " << depth << ", x " << x;
      }
    }
  }
}

// A joint that no weight uses is a thin line of another colour, and left out on request.
TEST_F(Overlays, HelpersLieApartFromWhatDeforms) {
  rig::Skeleton& skeleton = character_.skeleton.edit();
  const int control = test::add_node(character_, "control", 0, {.translation = {0.25f, 0.2f, 0}});
  const int end = test::add_node(character_, "end", control, {.translation = {0.25f, 0, 0}});
  for (const int j : {control, end}) {
    character_.skins.edit(0).joints.push_back(j);
    character_.skins.edit(0).joint_from_mesh.emplace_back(1.0f);
  }
  rig::finish(character_);
  ASSERT_EQ(skeleton.is_joint[end], 1);
  pose_ = rig::rest_pose(character_);
  frame_.view.skeleton = true;
  draw(1.0f);
  const glm::vec3 on_helper(0.375f, 0.2f, 0);
  const glm::ivec3 helper = pixel(on_helper);
  EXPECT_GT(ink(helper), 60);
  EXPECT_GT(helper.z - helper.x, 20) << "bluish";
  const int helper_pixels = touched();
  frame_.view.deforming_only = true;
  draw(1.0f);
  EXPECT_EQ(ink(pixel(on_helper)), 0);
  EXPECT_LT(touched(), helper_pixels);
  EXPECT_GT(ink(pixel(glm::vec3(0.15f, 0.004f, 0))), 100);
}

TEST_F(Overlays, SelectedAndHoveredBonesStandOut) {
  frame_.view.skeleton = true;
  const glm::vec3 ball(0.0f, 0, 0);
  draw(1.0f);
  const glm::ivec3 plain = pixel(ball);
  frame_.selected_joints = kFirst;
  draw(1.0f);
  const glm::ivec3 selected = pixel(ball);
  EXPECT_GT(selected.x - selected.z, plain.x - plain.z + 80) << "orange";
  const glm::ivec3 below = pixel(glm::vec3(0.5f, 0, 0));
  EXPECT_GT(below.x - below.z, plain.x - plain.z + 20) << "what hangs below is tinted";
  EXPECT_LT(below.x - below.z, selected.x - selected.z - 20);
  frame_.selected_joints = {};
  frame_.hovered_joint = 0;
  draw(1.0f);
  const glm::ivec3 hovered = pixel(ball);
  EXPECT_GT(hovered.x - hovered.z, plain.x - plain.z + 20);
  EXPECT_LT(hovered.x - hovered.z, selected.x - selected.z - 20);
}

TEST_F(Overlays, AxesAreRedGreenAndBlueAndGrowWithThePixelScale) {
  frame_.view.joint_axes = true;
  frame_.camera.azimuth = 0.6f;
  draw(1.0f);
  // 0.32 of the bone's 0.5 m.
  const glm::ivec3 red = pixel(glm::vec3(0.1f, 0, 0));
  const glm::ivec3 green = pixel(glm::vec3(0, 0.1f, 0));
  const glm::ivec3 blue = pixel(glm::vec3(0, 0, 0.1f));
  EXPECT_GT(red.x, std::max(red.y, red.z) + 60);
  EXPECT_GT(green.y, std::max(green.x, green.z) + 60);
  EXPECT_GT(blue.z, std::max(blue.x, blue.y) + 60);
  EXPECT_EQ(ink(pixel(glm::vec3(0, 0.18f, 0))), 0);

  frame_.camera.azimuth = 0.0f;
  draw(1.0f);
  const float once = thickness(glm::vec3(0.1f, 0, 0));
  EXPECT_NEAR(once, 1.7f, 0.35f);
  frame_.pixel_scale = 2;
  draw(1.0f);
  EXPECT_NEAR(thickness(glm::vec3(0.1f, 0, 0)), 3.4f, 0.4f);
}

TEST_F(Overlays, NormalLinesStandOnTheNearSideOnly) {
  frame_.view.normal_lines = true;
  draw(1.0f);
  EXPECT_GT(touched(), 500);
  // The silhouette's normals reach 1.5 % of the diagonal (1.0198 m) above the cylinder's 0.1 m.
  int above = 0;
  for (int x = at({0.1f, 0, 0}).x; x < at({0.9f, 0, 0}).x; ++x) {
    above += ink(pixel(x, at({0.5f, 0.111f, 0}).y)) > 60 ? 1 : 0;
    EXPECT_EQ(ink(pixel(x, at({0.5f, 0.125f, 0}).y)), 0);
  }
  EXPECT_GT(above, 20);
  draw(0.0f);
  EXPECT_EQ(touched(), 0) << "hidden normals are not drawn";
}

TEST_F(Overlays, GhostsLieWhereEachJointAloneWouldPutTheVertex) {
  // Ring 20, x = 0.5: half and half. The tip is lifted by 0.2 m, so the ghosts stand at 0.1 and 0.3 and the vertex
  // between.
  frame_.view.ghost_points = true;
  frame_.pinned_part = 0;
  frame_.pinned_vertex = static_cast<int>(test::cylinder_vertex(20, 0));
  pose_.local[1].translation.y += 0.2f;
  draw(1.0f);
  for (const int joint : {0, 1}) {
    const glm::ivec3 dot = pixel(glm::vec3(0.5f, joint == 0 ? 0.1f : 0.3f, 0));
    const glm::vec3 expected = joint_color(joint) * 255.0f;
    for (int c = 0; c < 3; ++c) {
      EXPECT_NEAR(dot[c], expected[c], 12.0f) << "joint " << joint;
    }
  }
  // Radius of a dot of weight 0.5: 8 sqrt(0.5) = 5.66 pixels, seen across (the line runs upwards).
  const glm::ivec2 dot = at({0.5f, 0.3f, 0});
  EXPECT_GT(ink(pixel(dot.x + 5, dot.y)), 20);
  EXPECT_EQ(ink(pixel(dot.x + 8, dot.y)), 0);
  // Lines between, and a white ring of 7 pixels around the vertex.
  EXPECT_GT(ink(pixel(glm::vec3(0.5f, 0.25f, 0))), 60);
  EXPECT_GT(ink(pixel(glm::vec3(0.5f, 0.15f, 0))), 60);
  const glm::ivec2 ring = at({0.5f, 0.2f, 0});
  EXPECT_GT(pixel(ring.x + 6, ring.y).x, 180);
  EXPECT_EQ(ink(pixel(ring.x + 12, ring.y)), 0);

  frame_.view.ghost_points = false;
  draw(1.0f);
  EXPECT_EQ(touched(), 0);
}

TEST_F(Overlays, AVertexOfTwoJointsHasItsChordAndItsArc) {
  // Ring 20, half and half, the tip bent by 90 degrees about (0.5, 0, 0): from (0.5, 0.1) to (0.4, 0).
  frame_.view.ghost_points = true;
  frame_.camera.distance = 0.6f;
  frame_.pinned_part = 0;
  frame_.pinned_vertex = static_cast<int>(test::cylinder_vertex(20, 0));
  pose_.local[1].rotation = glm::angleAxis(1.57079633f, glm::vec3(0, 0, 1));
  draw(1.0f);
  const float half = 0.1f * std::sqrt(0.5f);
  const glm::ivec3 arc = pixel(glm::vec3(0.5f - half, half, 0));
  EXPECT_GT(arc.y, arc.x + 40) << "the arc is green, a tenth of a metre from the joint";
  const glm::ivec3 chord = pixel(glm::vec3(0.475f, 0.075f, 0));
  EXPECT_GT(ink(chord), 60);
  EXPECT_EQ(ink(pixel(glm::vec3(0.5f - 0.4f * half, 0.4f * half, 0))), 0) << "nothing lies inside of the chord";

  const std::vector<PictureText> texts = vertex_texts(frame_);
  ASSERT_EQ(texts.size(), 3u);
  EXPECT_EQ(texts[0].text, "vertex " + std::to_string(frame_.pinned_vertex));
  EXPECT_EQ(texts[1].text, "root  0.5");
  EXPECT_EQ(texts[2].text, "tip  0.5");
  const glm::ivec2 ghost = at({0.4f, 0, 0});
  EXPECT_NEAR(texts[2].pixel.x, static_cast<float>(ghost.x), 1.0f);
  // at() counts from below.
  EXPECT_NEAR(std::min(std::abs(texts[2].pixel.y - static_cast<float>(ghost.y)),
                       std::abs(texts[2].pixel.y - static_cast<float>(kHeight - ghost.y))),
              0.0f, 1.0f);

  // One joint alone has neither.
  frame_.pinned_vertex = static_cast<int>(test::cylinder_vertex(26, 0));
  EXPECT_EQ(vertex_texts(frame_).size(), 2u);
  frame_.view.ghost_points = false;
  EXPECT_TRUE(vertex_texts(frame_).empty());
  frame_.view.ghost_points = true;
  frame_.pinned_vertex = -1;
  EXPECT_TRUE(vertex_texts(frame_).empty());
}

TEST_F(Overlays, TheWidestCracksSayTheirSizes) {
  draw(1.0f);
  std::vector<measure::PosedCrack> cracks(25);
  for (std::size_t i = 0; i < cracks.size(); ++i) {
    cracks[i].vertex = glm::vec3(0.5f, 0, 0);
    cracks[i].size = 1e-4 * static_cast<double>(i);
  }
  const std::vector<PictureText> texts = crack_texts(frame_, cracks);
  ASSERT_EQ(texts.size(), 20u) << "no more than can be read";
  EXPECT_EQ(texts[0].text, "2.4 mm");
  EXPECT_EQ(texts[19].text, "0.5 mm");
  EXPECT_TRUE(texts[0].optional);
  EXPECT_NEAR(texts[0].pixel.x, kWidth / 2.0f, 0.5f);
  EXPECT_TRUE(crack_texts(frame_, std::span(cracks).first(1)).empty()) << "closed";
  cracks[24].vertex = glm::vec3(50, 0, 0);
  EXPECT_EQ(crack_texts(frame_, cracks)[0].text, "2.3 mm") << "outside of the picture";
}

TEST_F(Overlays, JointNamesStandAtTheirPivots) {
  draw(1.0f);
  const std::vector<PictureText> texts = joint_texts(frame_);
  const std::vector<ScreenLabel> labels = joint_labels(frame_);
  ASSERT_EQ(texts.size(), labels.size());
  ASSERT_EQ(texts.size(), 2u);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(texts[i].pixel, labels[i].pixel);
    EXPECT_EQ(texts[i].text, character_.skeleton->label(labels[i].joint));
  }
}

TEST_F(Overlays, CentresShowThroughTheSurfaceWhereTheLinearBlendTakesThem) {
  frame_.view.rotation_centers = true;
  deform::SkinCache cache;
  frame_.cache = &cache;
  draw(0.0f);
  EXPECT_EQ(touched(), 0) << "linear blending has none";

  frame_.skinning.method = deform::find_method("cor");
  EXPECT_TRUE(shows_centers(frame_));
  // Of ring 20, half and half, it is in the middle of the axis; the tip is lifted, so half as high.
  pose_.local[1].translation.y += 0.2f;
  draw(0.0f);
  EXPECT_EQ(touched(), 0) << "not prepared yet: nothing is waited for";
  ASSERT_TRUE(cache.prepare(character_, frame_.skinning, {}));
  draw(0.0f);
  const glm::ivec3 dot = pixel(glm::vec3(0.5f, 0.1f, 0));
  EXPECT_NEAR(dot.x, 250, 26);  // its colour, but for a tenth of what is below
  EXPECT_NEAR(dot.y, 92, 26);
  EXPECT_NEAR(dot.z, 158, 26);
  // Lines lead up and down to the ring, whose radius is 0.1 m, and end there.
  EXPECT_GT(ink(pixel(glm::vec3(0.5f, 0.15f, 0))), 10);
  EXPECT_GT(ink(pixel(glm::vec3(0.5f, 0.05f, 0))), 10);
  EXPECT_EQ(ink(pixel(glm::vec3(0.5f, 0.22f, 0))), 0);
  const int hidden = touched();
  draw(1.0f);
  EXPECT_EQ(touched(), hidden) << "the surface hides nothing of it";
}

TEST_F(Overlays, ThePictureMayStandAnywhereInTheFramebuffer) {
  frame_.view.skeleton = true;
  std::vector<float> halves(static_cast<std::size_t>(kWidth) * kHeight, 1.0f);
  for (std::size_t i = 0; i < halves.size(); ++i) {
    halves[i] = i % kWidth < kWidth / 2 ? 0.0f : 1.0f;
  }
  draw(halves);
  const std::vector<std::uint8_t> first = pixels_;
  draw(halves, kOrigin);
  int different = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    different += std::abs(int{first[i]} - int{pixels_[i]}) > 2 ? 1 : 0;
  }
  EXPECT_EQ(different, 0);
}

TEST_F(Overlays, EyesInsideTheSkeletonDrawWithoutErrors) {
  frame_.view.skeleton = true;
  frame_.view.joint_axes = true;
  frame_.view.normal_lines = true;
  frame_.view.ghost_points = true;
  frame_.pinned_part = 0;
  frame_.pinned_vertex = 0;
  for (const bool orthographic : {false, true}) {
    frame_.camera.orthographic = orthographic;
    frame_.camera.pivot = {0.25f, 0, 0};
    frame_.camera.azimuth = 1.5707963f;
    frame_.camera.distance = 0.01f;
    draw(1.0f);
  }
}

TEST(JointLabels, PixelsRunFromTheUpperLeftNearestFirst) {
  const rig::Character character = test::cylinder();
  const rig::Pose pose = rig::rest_pose(character);
  rig::WorldMatrices matrices;
  matrices.evaluate(character.skeleton, pose);
  Frame frame;
  frame.character = &character;
  frame.pose = &pose;
  frame.world = matrices.world();
  frame.size = {800, 400};
  frame.camera.azimuth = 0.5235988f;  // from 30 degrees to the left: the tip is nearer by 0.5 sin 30 = 0.25
  frame.camera.elevation = 0.0f;
  frame.camera.pivot = {0, -0.1f, 0};
  frame.camera.distance = 2.0f;
  frame.camera.orthographic = true;
  const std::vector<ScreenLabel> labels = joint_labels(frame);
  ASSERT_EQ(labels.size(), 2u);
  EXPECT_EQ(labels[0].joint, 1);
  EXPECT_NEAR(labels[0].depth, 1.75f, 1e-5f);
  EXPECT_EQ(labels[1].joint, 0);
  EXPECT_NEAR(labels[1].depth, 2.0f, 1e-5f);
  const float pixels_per_metre = 200.0f / (2.0f * std::tan(0.5f * frame.camera.yfov));
  EXPECT_NEAR(labels[1].pixel.x, 400.0f, 1e-2f);
  EXPECT_NEAR(labels[1].pixel.y, 200.0f - 0.1f * pixels_per_metre, 1e-2f);
  EXPECT_NEAR(labels[0].pixel.x, 400.0f + 0.5f * 0.8660254f * pixels_per_metre, 1e-2f);
}

}  // namespace
}  // namespace pelt::render
