// What pictures look like, as far as numbers can say it: coverage, background, shadow, energy, and that both backends
// and both times give the same picture.

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "deform/skinning_methods.h"
#include "render/picture_test.h"

namespace pelt::render {
namespace {

using LookTest = PictureTest;
using Scene = PictureScene;

TEST_F(LookTest, AloneOnTransparencyCoversItsSilhouette) {
  Scene scene(ball(white(0, 0.6f)));
  scene.frame.view.background = glm::vec4(0.0f);
  scene.frame.view.ground = false;
  scene.frame.camera.azimuth = 0.0f;
  scene.frame.camera.elevation = 0.0f;
  render::frame(scene.frame.camera, scene.frame.bounds, 1.0f);
  const ImageRgba image = draw(scene);
  double covered = 0;
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      covered += pixel(image, x, y).a / 255.0;
    }
  }
  EXPECT_EQ(pixel(image, 0, 0).a, 0);
  EXPECT_EQ(pixel(image, kSide - 1, kSide - 1).a, 0);
  EXPECT_EQ(pixel(image, kSide / 2, kSide / 2).a, 255);
  // Seen from the front the nearest face of the box, 2 m wide, fills 92 % of the height at 35 degrees: the eye is
  // 1 + 1 / (0.92 tan 17.5 deg) = 4.447 m away and the disc covers pi / 4 (1 / (sqrt(4.447^2 - 1) tan 17.5 deg))^2.
  EXPECT_NEAR(covered / (kSide * kSide), 0.421, 0.01);
  // Straight alpha: the outline has the ball's colour, not that colour darkened.
  for (int x = 0; x < kSide; ++x) {
    const glm::ivec4 p = pixel(image, x, kSide / 2);
    if (p.a > 60) {
      EXPECT_GT(sum(p), 200) << "column " << x << " alpha " << p.a;
    }
  }
}

TEST_F(LookTest, TheGivenBackgroundIsShownAsGiven) {
  Scene scene(ball(white(0, 0.6f)));
  scene.frame.view.background = glm::vec4(0.5f, 0.25f, 0.0f, 1.0f);  // linear
  scene.frame.view.ground = false;
  const ImageRgba image = draw(scene);
  const glm::ivec4 p = pixel(image, 1, 1);
  EXPECT_NEAR(p.r, 188, 1);
  EXPECT_NEAR(p.g, 137, 1);
  EXPECT_NEAR(p.b, 0, 1);
  EXPECT_EQ(p.a, 255);
}

TEST_F(LookTest, WhiteIsNeitherClippedNorDark) {
  // A perfectly reflecting ball shows what the studio gives: with energy kept, rough metal and rough plaster are alike,
  // and neither reaches the display's white nor sinks into black anywhere.
  for (const float metallic : {0.0f, 1.0f}) {
    Scene scene(ball(white(metallic, 1.0f)));
    scene.frame.view.background = glm::vec4(0.0f);
    scene.frame.view.ground = false;
    const ImageRgba image = draw(scene);
    int brightest = 0;
    int darkest = 255;
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        const glm::ivec4 p = pixel(image, x, y);
        if (p.a == 255) {
          brightest = std::max({brightest, p.r, p.g, p.b});
          darkest = std::min({darkest, p.r, p.g, p.b});
        }
      }
    }
    EXPECT_LT(brightest, 255) << "metallic " << metallic;
    EXPECT_GT(brightest, 200) << "metallic " << metallic;
    EXPECT_GT(darkest, 50) << "metallic " << metallic;
  }
}

TEST_F(LookTest, TheShadowDarkensTheGroundOnly) {
  Scene scene(ball(white(0, 0.6f)));
  scene.frame.camera.azimuth = 1.2f;  // across the light
  scene.frame.camera.elevation = 0.6f;
  scene.frame.camera.distance *= 1.6f;
  const ImageRgba with = draw(scene);
  scene.frame.view.shadow = false;
  const ImageRgba without = draw(scene);
  int darker = 0;
  int brighter = 0;
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      const int change = sum(pixel(with, x, y)) - sum(pixel(without, x, y));
      darker += change < -45 ? 1 : 0;
      brighter += change > 6 ? 1 : 0;
    }
  }
  EXPECT_GT(darker, kSide * kSide / 100);
  EXPECT_EQ(brighter, 0);
}

// Light from the side of a bent cylinder; all of it comes to follow its root, which changes the shape of the
// shadow.
TEST_F(LookTest, HeldShadowsAreThoseOfTheWeightsBeforeUntilTheyAreLetGo) {
  const rig::Character before = test::cylinder();
  rig::Character after = before;
  mesh::Influences& rows = after.meshes.edit(0).primitives.edit(0).influences.edit();
  const std::vector<std::uint16_t> first = {0};
  const std::vector<float> whole = {1.0f};
  for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
    rows.set_row(v, first, whole);
  }
  rig::Pose pose = rig::rest_pose(before);
  pose.local[1].rotation = glm::angleAxis(1.4f, glm::vec3(0, 0, 1));
  rig::WorldMatrices world;
  world.evaluate(before.skeleton, pose);
  Scene scene{rig::Character(before)};
  Frame& frame = scene.frame;
  const auto show = [&](const rig::Character& character, std::uint64_t version) {
    frame.character = &character;
    frame.pose_version = version;
    frame.bounds = deform::deform_once(character, pose, {}).bounds;
  };
  frame.pose = &pose;
  frame.world = world.world();
  frame.skinning.backend = deform::Backend::kGpu;
  frame.paint = true;
  show(after, 3);
  const ImageRgba own_shadow = draw(scene);
  show(before, 1);
  draw(scene);

  frame.hold_shadows = true;
  show(after, 2);
  const ImageRgba held = draw(scene);
  EXPECT_GT(difference(held, own_shadow), 40);
  // Seen from elsewhere and back again, they are still held; and nothing is drawn for them.
  frame.camera.azimuth += 0.5f;
  draw(scene);
  frame.camera.azimuth -= 0.5f;
  EXPECT_EQ(draw(scene).pixels, held.pixels);

  frame.hold_shadows = false;
  EXPECT_EQ(draw(scene).pixels, own_shadow.pixels);

  // What moves in other ways is not held.
  frame.hold_shadows = true;
  frame.skinning.method = deform::find_method("dqs");
  const ImageRgba by_quaternions = draw(scene);
  frame.hold_shadows = false;
  EXPECT_EQ(draw(scene).pixels, by_quaternions.pixels);
}

TEST_F(LookTest, ALitBallDoesNotShadowItself) {
  // Acne would be dark dots in the part that the key light reaches.
  Scene scene(ball(white(0, 1.0f)));
  scene.frame.view.ground = false;
  scene.frame.view.background = glm::vec4(0.0f);
  scene.frame.camera.azimuth = -0.39f;  // from where the light comes
  scene.frame.camera.elevation = 0.80f;
  render::frame(scene.frame.camera, scene.frame.bounds, 1.0f);
  const ImageRgba with = draw(scene);
  scene.frame.view.shadow = false;
  const ImageRgba without = draw(scene);
  for (int y = kSide / 4; y < kSide * 3 / 4; ++y) {
    for (int x = kSide / 4; x < kSide * 3 / 4; ++x) {
      ASSERT_GE(sum(pixel(with, x, y)), sum(pixel(without, x, y)) - 6) << x << ", " << y;
    }
  }
}

TEST_F(LookTest, EveryLookShowsTheCharacterAndNoTwoAreAlike) {
  Scene scene(test::cylinder());
  scene.frame.view.background = glm::vec4(0.0f);
  scene.frame.view.ground = false;
  std::vector<ImageRgba> images;
  for (const LookInfo& row : kLooks) {
    scene.frame.view.look = row.look;
    images.push_back(draw(scene));
    int shown = 0;
    int lit = 0;
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        const glm::ivec4 p = pixel(images.back(), x, y);
        shown += p.a == 255 ? 1 : 0;
        lit += p.a == 255 && sum(p) > 40 ? 1 : 0;
      }
    }
    EXPECT_GT(shown, kSide * kSide / 40) << row.id;
    // What is no metal is black there.
    EXPECT_GT(lit, row.look == Look::kMetallic ? -1 : shown * 9 / 10) << row.id;
    for (std::size_t other = 0; other + 1 < images.size(); ++other) {
      // Both say "nothing": the tube's weights sum to one, and CPU and GPU agree on it.
      if (row.look != Look::kDifference && kLooks[other].look != Look::kDifference) {
        EXPECT_GT(difference(images[other], images.back()), 20) << row.id << " and " << kLooks[other].id;
      }
    }
  }
}

TEST_F(LookTest, BothBackendsDrawTheSamePicture) {
  Scene scene(test::cylinder());
  const ImageRgba gpu = draw(scene);
  scene.frame.skinning.backend = deform::Backend::kCpu;
  const ImageRgba cpu = draw(scene);
  EXPECT_LE(difference(gpu, cpu), 2);
}

TEST_F(LookTest, TheSameFrameGivesTheSameBytes) {
  Scene scene(test::cylinder());
  scene.frame.view.skeleton = true;
  const ImageRgba first = draw(scene);
  EXPECT_EQ(difference(first, draw(scene)), 0);
}

TEST_F(LookTest, TheShadowFollowsThePoseAndNotTheCamera) {
  Scene scene(test::cylinder());
  scene.frame.view.skeleton = false;
  draw(scene);
  const int with_shadow = renderer_->stats().draw_calls;
  scene.frame.camera.azimuth += 0.5f;
  const ImageRgba kept = draw(scene);
  const int without = renderer_->stats().draw_calls;
  EXPECT_LT(without, with_shadow);
  ++scene.frame.pose_version;
  const ImageRgba drawn = draw(scene);
  EXPECT_EQ(renderer_->stats().draw_calls, with_shadow);
  EXPECT_EQ(difference(kept, drawn), 0);
}

TEST_F(LookTest, CreasesAreDarkerThanOpenSurface) {
  // Two balls that touch, and one alone: where they touch the room does not reach.
  rig::Character one = ball(white(0, 1.0f));
  rig::Character two = one;
  mesh::Primitive second = two.meshes[0].primitives[0];
  for (glm::vec3& p : second.positions.edit()) {
    p.x += 1.9f;
  }
  two.meshes.edit(0).primitives.push_back(std::move(second));
  rig::finish(two);
  Scene alone(std::move(one));
  Scene touching(std::move(two));
  touching.frame.camera.azimuth = 0.0f;
  touching.frame.camera.elevation = 0.0f;
  render::frame(touching.frame.camera, touching.frame.bounds, 1.0f);
  for (Scene* scene : {&alone, &touching}) {
    scene->frame.camera = touching.frame.camera;
    scene->frame.view.shadow = false;
    scene->frame.view.ground = false;
    scene->frame.view.background = glm::vec4(0.0f);
  }
  const ImageRgba a = draw(alone);
  const ImageRgba b = draw(touching);
  int deepest = 0;
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      if (pixel(a, x, y).a == 255 && pixel(b, x, y).a == 255) {
        deepest = std::max(deepest, sum(pixel(a, x, y)) - sum(pixel(b, x, y)));
      }
    }
  }
  EXPECT_GT(deepest, 60);
}

TEST_F(LookTest, PanningAwayAndOrbitingDoesNotClip) {
  Scene scene(ball(white(0, 0.6f)));
  scene.frame.view.background = glm::vec4(0.0f);
  scene.frame.view.ground = false;
  // The pivot is 4 m behind the ball, the eye 8 m before the pivot: the ball is nearer than 7 m.
  scene.frame.camera = Camera{.pivot = glm::vec3(0, 1, -4), .azimuth = 0, .elevation = 0, .distance = 8};
  scene.frame.camera.near_far_radius = 1.0f;
  EXPECT_EQ(pixel(draw(scene), kSide / 2, kSide / 2).a, 255);
}

TEST_F(LookTest, APictureWithoutPixelsIsAnError) {
  Scene scene(test::cylinder());
  scene.frame.size = glm::ivec2(0, 10);
  EXPECT_FALSE(renderer_->render_image(scene.frame).has_value());
}

TEST_F(LookTest, EachCharacterIsMeasuredByItsOwnTriangles) {
  Scene tube(test::cylinder());
  Scene round(ball(white(0, 0.6f)));
  for (Scene* scene : {&tube, &round, &tube}) {
    scene->frame.view.look = Look::kDifference;
    scene->frame.view.compare = {.measure = measure::Measure::kAreaStrain, .reference = Reference::kBindShape};
    draw(*scene);
    const DifferenceMap* const map = renderer_->difference();
    ASSERT_NE(map, nullptr);
    const rig::Character& character = *scene->frame.character;
    ASSERT_EQ(map->values.size(), character.parts.size());
    EXPECT_EQ(map->values[0].size(), character.primitive(character.parts[0]).vertex_count());
    EXPECT_EQ(map->highest, 0.0f) << "a shape against itself";
  }
}

}  // namespace
}  // namespace pelt::render
