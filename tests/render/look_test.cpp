// What pictures look like, as far as numbers can say it: coverage, background, shadow, energy, and that both backends
// and both times give the same picture.

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/gl_test.h"
#include "render/renderer.h"
#include "rig/kinematics.h"
#include "support/fixtures.h"

namespace pelt::render {
namespace {

constexpr int kSide = 96;

/// A unit ball on the ground, one rigid part of one material.
rig::Character ball(const rig::Material& material) {
  constexpr int kAround = 48;
  constexpr int kUp = 24;
  mesh::Primitive primitive;
  primitive.material = 0;
  for (int k = 0; k <= kUp; ++k) {
    for (int i = 0; i <= kAround; ++i) {
      const double theta = std::numbers::pi * k / kUp;
      const double phi = 2.0 * std::numbers::pi * i / kAround;
      const glm::dvec3 n(std::sin(theta) * std::cos(phi), std::cos(theta), std::sin(theta) * std::sin(phi));
      primitive.positions.emplace_back(glm::vec3(n) + glm::vec3(0, 1, 0));
      primitive.normals.emplace_back(n);
      if (k < kUp && i < kAround) {
        const auto a = static_cast<std::uint32_t>(k * (kAround + 1) + i);
        const std::uint32_t b = a + kAround + 1;
        primitive.indices.insert(primitive.indices.end(), {a, a + 1, b, a + 1, b + 1, b});
      }
    }
  }
  rig::Character character;
  test::add_node(character, "ball", -1, {});
  character.materials.push_back(material);
  character.meshes.emplace_back();
  character.meshes.back().primitives.push_back(std::move(primitive));
  character.mesh_nodes.push_back({.joint = 0, .mesh = 0, .skin = -1, .morph_weights = {}});
  character.scenes.push_back({.name = "", .roots = {0}});
  rig::finish(character);
  return character;
}

rig::Material white(float metallic, float roughness) {
  rig::Material material;
  material.metallic = metallic;
  material.roughness = roughness;
  return material;
}

/// A character at rest in a frame of its own.
class Scene {
 public:
  explicit Scene(rig::Character character) : character_(std::move(character)), pose_(rig::rest_pose(character_)) {
    world_.evaluate(character_.skeleton, pose_);
    deformed_ = deform::deform_once(character_, pose_, {});
    frame.character = &character_;
    frame.character_version = ++versions_;
    frame.pose = &pose_;
    frame.world = world_.world();
    frame.pose_version = 1;
    frame.deformed = &deformed_;
    frame.bounds = deformed_.bounds;
    frame.size = glm::ivec2(kSide);
    frame.view.grid = false;
    render::frame(frame.camera, frame.bounds, 1.0f);
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  Frame frame;

 private:
  static inline std::uint64_t versions_ = 0;
  rig::Character character_;
  rig::Pose pose_;
  rig::WorldMatrices world_;
  deform::DeformedCharacter deformed_;
};

glm::ivec4 pixel(const ImageRgba& image, int x, int y) {
  const std::uint8_t* p = &image.pixels[static_cast<std::size_t>(y * image.width + x) * 4];
  return {p[0], p[1], p[2], p[3]};
}

int sum(const glm::ivec4& p) {
  return p.r + p.g + p.b;
}

/// Largest difference of a channel.
int difference(const ImageRgba& a, const ImageRgba& b) {
  int largest = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    largest = std::max(largest, std::abs(int{a.pixels[i]} - int{b.pixels[i]}));
  }
  return largest;
}

class LookTest : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    auto made = Renderer::create();
    ASSERT_TRUE(made.has_value()) << made.error().message;
    renderer_ = std::move(*made);
  }
  void TearDown() override {
    renderer_.reset();
    GlTest::TearDown();
  }
  ImageRgba draw(const Scene& scene) {
    auto image = renderer_->render_image(scene.frame);
    EXPECT_TRUE(image.has_value()) << image.error().message;
    return image ? std::move(*image) : ImageRgba{};
  }

  std::unique_ptr<Renderer> renderer_;
};

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
  scene.frame.camera.azimuth = -1.0f;  // across the light
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

TEST_F(LookTest, ALitBallDoesNotShadowItself) {
  // Acne would be dark dots in the part that the key light reaches.
  Scene scene(ball(white(0, 1.0f)));
  scene.frame.view.ground = false;
  scene.frame.view.background = glm::vec4(0.0f);
  scene.frame.camera.azimuth = 0.63f;  // from where the light comes
  scene.frame.camera.elevation = 0.79f;
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
    EXPECT_GT(lit, shown * 9 / 10) << row.id;
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
  for (glm::vec3& p : second.positions) {
    p.x += 1.9f;
  }
  two.meshes[0].primitives.push_back(std::move(second));
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

}  // namespace
}  // namespace pelt::render
