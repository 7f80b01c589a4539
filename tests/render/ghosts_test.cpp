// Ghosts: the character in other poses, under itself, each sample coloured once, the same whatever skins the character.
#include "render/ghosts.h"

#include <gtest/gtest.h>

#include "deform/skinning_methods.h"
#include "gltf/bundled.h"
#include "render/gpu_plan.h"
#include "render/picture_test.h"
#include "rig/kinematics.h"

namespace pelt::render {
namespace {

struct PosedGhost {
  rig::Pose pose;
  rig::WorldMatrices world;
  std::uint64_t version = 0;
};

class GhostTest : public PictureTest {
 protected:
  void SetUp() override {
    PictureTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    scene_ = std::make_unique<PictureScene>(*gltf::import_bundled("mannequin"));
    Frame& frame = scene_->frame;
    frame.view.ground = false;
    frame.view.shadow = false;
    frame.view.occlusion = false;
    frame.view.background = glm::vec4(0);
    frame.size = glm::ivec2(160);
    Bounds bounds = frame.bounds;
    bounds.add(bounds.center() + glm::vec3(0.6f, 0, 0));
    render::frame(frame.camera, bounds, 1.0f);
  }
  // The rest pose with the hips moved and an arm turned.
  PosedGhost posed(float aside, float turn) {
    const rig::Character& character = *scene_->frame.character;
    PosedGhost out{rig::rest_pose(character), {}, ++versions_};
    out.pose.local[character.skeleton->find("hips")].translation.x += aside;
    if (turn != 0) {  // else not a bit is another
      Transform& shoulder = out.pose.local[character.skeleton->find("shoulder_l")];
      shoulder.rotation = glm::normalize(shoulder.rotation * glm::angleAxis(turn, glm::vec3(0, 0, 1)));
    }
    out.world.evaluate(character.skeleton, out.pose);
    return out;
  }
  static Ghost ghost(const PosedGhost& of, const glm::vec4& color) {
    return {&of.pose, of.world.world(), of.version, color};
  }
  // The character itself in that pose.
  ImageRgba picture_of(const PosedGhost& of) {
    Frame frame = scene_->frame;
    const deform::DeformedCharacter deformed = deform::deform_once(*frame.character, of.pose, {});
    frame.pose = &of.pose;
    frame.world = of.world.world();
    frame.pose_version = 1000 + of.version;
    frame.deformed = &deformed;
    return *renderer_->render_image(frame);
  }
  std::unique_ptr<PictureScene> scene_;
  std::uint64_t versions_ = 0;
};

constexpr glm::vec4 kTint = {0.9f, 0.3f, 0.1f, 0.5f};

TEST_F(GhostTest, InItsOwnPoseTheCharacterHidesItsGhostToTheLastBit) {
  const ImageRgba plain = draw(*scene_);
  const PosedGhost far_away = posed(500, 0);
  scene_->frame.ghosts = {ghost(far_away, kTint)};
  const ImageRgba none_in_sight = draw(*scene_);
  const PosedGhost same = posed(0, 0);
  scene_->frame.ghosts = {ghost(same, kTint)};
  EXPECT_EQ(draw(*scene_).pixels, none_in_sight.pixels);
  EXPECT_LE(difference(none_in_sight, plain), 2) << "where a software renderer draws a section alone, it rounds anew";
}

TEST_F(GhostTest, TheSilhouetteIsTheCharactersInThatPoseAndLiesUnderIt) {
  const ImageRgba plain = draw(*scene_);
  const PosedGhost other = posed(0.45f, 0.8f);
  const ImageRgba there = picture_of(other);
  scene_->frame.ghosts = {ghost(other, kTint)};
  const ImageRgba both = draw(*scene_);
  int seen = 0;
  for (int y = 0; y < 160; ++y) {
    for (int x = 0; x < 160; ++x) {
      const int here = pixel(plain, x, y).a;
      const int ghost = pixel(there, x, y).a;
      const glm::ivec4 shown = pixel(both, x, y);
      if (here == 255) {
        EXPECT_EQ(shown, pixel(plain, x, y)) << x << ", " << y << ": never in front of the character";
      } else if (here == 0) {
        EXPECT_NEAR(shown.a, ghost * 0.5, 3) << x << ", " << y << ": each sample once, and none elsewhere";
        seen += ghost == 255 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(seen, 500);
}

TEST_F(GhostTest, TwoLieOverEachOther) {
  const PosedGhost other = posed(0.45f, 0.8f);
  const PosedGhost again = posed(0.45f, 0.8f);
  scene_->frame.ghosts = {ghost(other, kTint), ghost(again, kTint)};
  const ImageRgba both = draw(*scene_);
  const ImageRgba there = picture_of(other);
  scene_->frame.ghosts.clear();
  const ImageRgba plain = draw(*scene_);
  int seen = 0;
  for (int y = 0; y < 160; ++y) {
    for (int x = 0; x < 160; ++x) {
      if (pixel(plain, x, y).a == 0 && pixel(there, x, y).a == 255) {
        EXPECT_NEAR(pixel(both, x, y).a, 255 * 0.75, 2);
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 500);
}

// Streaming the character's vertices leaves its ghosts on the GPU, and methods of the CPU alone have ghosts, too.
TEST_F(GhostTest, EveryBackendAndMethodHasThem) {
  const PosedGhost other = posed(0.45f, 0.8f);
  const ImageRgba plain = draw(*scene_);
  scene_->frame.ghosts = {ghost(other, kTint)};
  const ImageRgba gpu = draw(*scene_);
  scene_->frame.skinning.backend = deform::Backend::kCpu;
  scene_->frame.pose_version = 2;
  const ImageRgba cpu = draw(*scene_);
  int outside = 0;
  for (int y = 0; y < 160; ++y) {
    for (int x = 0; x < 160; ++x) {
      if (pixel(plain, x, y).a == 0) {
        EXPECT_NEAR(pixel(cpu, x, y).a, pixel(gpu, x, y).a, 2);
        outside += pixel(gpu, x, y).a > 0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(outside, 500);
  const auto methods = deform::skinning_methods();
  for (std::size_t m = 0; m < methods.size(); ++m) {
    deform::SkinningSettings settings;
    settings.method = static_cast<int>(m);
    const deform::SkinningSettings used = ghost_skinning(*scene_->frame.character, settings);
    EXPECT_EQ(used.backend, deform::Backend::kGpu) << methods[m].id;
    EXPECT_FALSE(needs_cpu(*scene_->frame.character, used)) << methods[m].id;
  }
}

TEST(GhostColor, FadesWithDistanceAndTellsBeforeFromAfter) {
  const GhostSettings settings{.before = 3, .after = 1, .opacity = 0.6f};
  EXPECT_FLOAT_EQ(ghost_color(settings, -1).a, 0.6f);
  EXPECT_LT(ghost_color(settings, -2).a, ghost_color(settings, -1).a);
  EXPECT_GT(ghost_color(settings, -3).a, 0.1f);
  EXPECT_FLOAT_EQ(ghost_color(settings, 1).a, 0.6f);
  EXPECT_GT(ghost_color(settings, -1).r, ghost_color(settings, -1).b);
  EXPECT_GT(ghost_color(settings, 1).b, ghost_color(settings, 1).r);
}

}  // namespace
}  // namespace pelt::render
