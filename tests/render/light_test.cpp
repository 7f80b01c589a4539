// What the studio's light does to a figure, in numbers: feet stand on the ground, silhouettes leave the backdrop, pale
// skins have form, dark ones do not drown, colours stay what they are, and none of it depends on units.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "render/picture_test.h"

namespace pelt::render {
namespace {

constexpr int kPictureSide = 400;  // pixels

double light_linear(int code) {
  const double c = code / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

/// Relative luminance of a pixel, 0 to 1.
double luminance(const ImageRgba& image, glm::ivec2 at) {
  const glm::ivec4 p = pixel(image, at.x, at.y);
  return 0.2126 * light_linear(p.r) + 0.7152 * light_linear(p.g) + 0.0722 * light_linear(p.b);
}

/// Of two luminances, as WCAG 2.2 defines it: 1 alike, 21 black on white.
double contrast(double a, double b) {
  return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

/// The pixel at which a point is seen.
glm::ivec2 pixel_of(const Frame& frame, const glm::vec3& point) {
  const glm::vec4 clip = frame.camera.clip_from_view(1.0f) * frame.camera.view_from_world() * glm::vec4(point, 1.0f);
  const glm::vec2 at = (glm::vec2(clip) / clip.w * glm::vec2(0.5f, -0.5f) + 0.5f) * glm::vec2(frame.size);
  return glm::ivec2(glm::floor(at));
}

void add_box(mesh::Primitive& primitive, const glm::vec3& lower, const glm::vec3& upper) {
  constexpr std::array<std::array<int, 4>, 6> kFaces = {
      {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};
  const glm::vec3 center = 0.5f * (lower + upper);
  for (const std::array<int, 4>& face : kFaces) {
    const auto first = static_cast<std::uint32_t>(primitive.positions.size());
    glm::vec3 middle(0.0f);
    for (const int c : face) {
      primitive.positions.emplace_back((c & 1) != 0 ? upper.x : lower.x, (c & 2) != 0 ? upper.y : lower.y,
                                       (c & 4) != 0 ? upper.z : lower.z);
      middle += 0.25f * primitive.positions.back();
    }
    const glm::vec3 out = (middle - center) / (0.5f * (upper - lower));
    primitive.normals.resize(primitive.normals.size() + 4, glm::round(out));
    primitive.indices.append({first, first + 1, first + 2, first, first + 2, first + 3});
  }
}

/// A post of 1.75 m on a sole of 11 x 28 cm, `lift` above the ground, all times `unit`.
rig::Character standing(float lift, float unit) {
  mesh::Primitive primitive;
  add_box(primitive, glm::vec3(-0.055f, lift, -0.14f) * unit, glm::vec3(0.055f, lift + 0.04f, 0.14f) * unit);
  add_box(primitive, glm::vec3(-0.03f, lift + 0.04f, -0.03f) * unit, glm::vec3(0.03f, lift + 1.75f, 0.03f) * unit);
  rig::Material material = white(0, 0.8f);
  material.double_sided = true;
  return rigid(std::move(primitive), material);
}

class LightTest : public PictureTest {
 protected:
  /// How much darker the ground before the sole's toes is than without any shadow, at distances from its edge.
  std::vector<double> darkness(float lift, float unit, const std::vector<float>& distances) {
    PictureScene scene(standing(lift, unit));
    scene.frame.size = glm::ivec2(kPictureSide);
    scene.frame.camera.pivot = glm::vec3(0, 0, 0.2f) * unit;
    scene.frame.camera.azimuth = 0;
    scene.frame.camera.elevation = 0.6f;
    scene.frame.camera.distance = 1.2f * unit;
    scene.frame.camera.near_far_radius = 2.5f * unit;
    const ImageRgba with = draw(scene);
    scene.frame.view.shadow = false;
    const ImageRgba without = draw(scene);
    std::vector<double> out;
    for (const float distance : distances) {
      // Over a hand's breadth across, so that dithering does not count.
      double shaded = 0;
      double plain = 0;
      for (int i = -4; i <= 4; ++i) {
        const glm::vec3 p(0.008f * static_cast<float>(i), 0, 0.14f + distance);
        const glm::ivec2 at = pixel_of(scene.frame, p * unit);
        shaded += luminance(with, at);
        plain += luminance(without, at);
      }
      out.push_back(1 - shaded / plain);
    }
    return out;
  }

  /// A ball of this grey in the studio, from the default camera.
  ImageRgba grey_ball(float albedo) {
    PictureScene scene(ball_of(albedo));
    place_camera(scene.frame);
    return draw(scene);
  }
  static rig::Character ball_of(float albedo) {
    rig::Material material = white(0, 0.6f);
    material.base_color = glm::vec4(glm::vec3(albedo), 1);
    return ball(material);
  }
  static void place_camera(Frame& frame) {
    frame.size = glm::ivec2(kPictureSide);
    frame.camera.azimuth = glm::radians(30.0f);
    frame.camera.elevation = glm::radians(10.0f);
    render::frame(frame.camera, frame.bounds, 1.0f);
  }
  /// Codes of green of all pixels of the ball, ascending.
  static std::vector<int> codes(float albedo, const ImageRgba& image) {
    PictureScene scene(ball_of(albedo));
    place_camera(scene.frame);
    const Disc disc = silhouette(scene.frame);
    std::vector<int> out;
    for (int y = 0; y < kPictureSide; ++y) {
      for (int x = 0; x < kPictureSide; ++x) {
        if (glm::length(glm::vec2(x, y) + 0.5f - disc.center) < disc.radius - 2) {
          out.push_back(pixel(image, x, y).g);
        }
      }
    }
    std::sort(out.begin(), out.end());
    return out;
  }
  struct Disc {
    glm::vec2 center;
    float radius;
  };
  /// Where the unit ball around (0, 1, 0) is seen.
  static Disc silhouette(const Frame& frame) {
    const float distance = glm::distance(frame.camera.eye(), glm::vec3(0, 1, 0));
    const float half = 1 / std::sqrt(distance * distance - 1) / std::tan(0.5f * frame.camera.yfov);
    return {glm::vec2(pixel_of(frame, {0, 1, 0})) + 0.5f, half * 0.5f * static_cast<float>(kPictureSide)};
  }
};

TEST_F(LightTest, SolesDarkenTheGroundTheyStandOn) {
  const std::vector<double> standing_on = darkness(0, 1, {0.004f, 0.02f, 0.05f, 0.10f, 0.30f});
  EXPECT_GT(standing_on[0], 0.60);
  EXPECT_GT(standing_on[1], 0.20);
  EXPECT_LT(standing_on[2], 0.10);
  EXPECT_LT(standing_on[3], 0.05);
  EXPECT_LT(standing_on[4], 0.02);
  for (std::size_t i = 1; i < standing_on.size(); ++i) {
    EXPECT_LT(standing_on[i], standing_on[i - 1]);
  }
  // Lifted, it lets light in.
  const double two_centimetres = darkness(0.02f, 1, {0.004f})[0];
  const double ten_centimetres = darkness(0.10f, 1, {0.004f})[0];
  EXPECT_LT(two_centimetres, 0.75 * standing_on[0]);
  EXPECT_GT(two_centimetres, 0.25);
  EXPECT_LT(ten_centimetres, 0.10);
  EXPECT_GT(ten_centimetres, 0.01);
}

TEST_F(LightTest, ContactDoesNotDependOnUnits) {
  const std::vector<float> distances = {0.004f, 0.02f, 0.05f, 0.10f};
  const std::vector<double> metres = darkness(0.01f, 1, distances);
  for (const float unit : {0.01f, 100.0f}) {
    const std::vector<double> other = darkness(0.01f, unit, distances);
    for (std::size_t i = 0; i < distances.size(); ++i) {
      EXPECT_NEAR(other[i], metres[i], 0.02) << "unit " << unit << ", " << distances[i];
    }
  }
}

TEST_F(LightTest, SilhouettesLeaveTheBackdrop) {
  // Along the upper outline on the side that the key light leaves dark: the brightest of the outermost twentieth
  // against the backdrop just outside, and against the ball further in.
  for (const float albedo : {0.03f, 0.8f}) {
    PictureScene scene(ball_of(albedo));
    place_camera(scene.frame);
    const ImageRgba image = draw(scene);
    const Disc disc = silhouette(scene.frame);
    const auto along = [&](double degrees, double share) {
      const double a = glm::radians(degrees);
      return luminance(image, glm::ivec2(disc.center + disc.radius * static_cast<float>(share) *
                                                           glm::vec2(std::cos(a), -std::sin(a))));
    };
    for (double degrees = 0; degrees <= 75; degrees += 15) {
      double edge = 0;
      for (double share = 0.95; share < 0.99; share += 0.005) {
        edge = std::max(edge, along(degrees, share));
      }
      EXPECT_GT(contrast(edge, along(degrees, 1.04)), 1.5) << albedo << " at " << degrees;
      if (albedo < 0.1f) {
        EXPECT_GT(edge, 3 * along(degrees, 0.75)) << degrees;
      }
    }
  }
}

TEST_F(LightTest, FlatFacesSeenAlongThemAreNoSilhouettes) {
  // A dark wall seen at eight degrees: light from behind may draw its border, not its face.
  mesh::Primitive wall;
  add_box(wall, {-0.02f, 0, -1}, {0.02f, 2, 1});
  rig::Material material = white(0, 1);
  material.base_color = {0.02f, 0.02f, 0.02f, 1};
  material.double_sided = true;
  PictureScene scene(rigid(std::move(wall), material));
  scene.frame.size = glm::ivec2(kPictureSide);
  scene.frame.camera = Camera{.pivot = {0, 1, 0}, .azimuth = 0.14f, .elevation = 0, .distance = 6};
  scene.frame.camera.near_far_radius = 3;
  const ImageRgba with = draw(scene);
  scene.frame.view.occlusion = false;
  const ImageRgba without = draw(scene);
  const glm::ivec2 middle = pixel_of(scene.frame, {0.02f, 1, 0});
  EXPECT_NEAR(pixel(with, middle.x, middle.y).g, pixel(without, middle.x, middle.y).g, 4);
}

TEST_F(LightTest, PaleBallsHaveForm) {
  const std::vector<int> sorted = codes(0.8f, grey_ball(0.8f));
  const auto share = [&](double part) {
    return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size()))];
  };
  // From shadow to light over half of a display's greys; what lies between them takes a fair part of it, and nothing is
  // burnt out.
  EXPECT_GT(share(0.95) - share(0.05), 100);
  EXPECT_GT(share(0.75) - share(0.25), 55);
  EXPECT_GT(share(0.95), 220);
  EXPECT_LT(sorted.back(), 250);
}

TEST_F(LightTest, DarkBallsDoNotDrown) {
  const std::vector<int> sorted = codes(0.03f, grey_ball(0.03f));
  EXPECT_GT(sorted[sorted.size() / 20], 6);
  EXPECT_GT(sorted[sorted.size() / 2], 24);
  EXPECT_GT(sorted[sorted.size() * 3 / 4] - sorted[sorted.size() / 4], 22);
  EXPECT_GT(sorted[sorted.size() * 99 / 100], 95);
}

TEST_F(LightTest, ColoursAreShownAsTheyAreWhereTheKeyLightFalls) {
  // A matte square that faces the key light shows its colour within 15 %: the tone curve leaves it alone.
  mesh::Primitive square;
  const glm::vec3 n = glm::normalize(glm::vec3(-0.30f, 0.80f, 0.72f));
  const glm::vec3 right = glm::normalize(glm::cross(glm::vec3(0, 1, 0), n));
  const glm::vec3 up = glm::cross(n, right);
  for (const glm::vec2 corner : {glm::vec2(-1, -1), {1, -1}, {1, 1}, {-1, 1}}) {
    square.positions.push_back(glm::vec3(0, 2, 0) + corner.x * right + corner.y * up);
  }
  square.normals.assign(4, n);
  square.indices = {0, 1, 2, 0, 2, 3};
  for (const glm::vec3& color : {glm::vec3(0.5f, 0.2f, 0.1f), {0.1f, 0.3f, 0.55f}, {0.6f, 0.6f, 0.6f}}) {
    rig::Material material = white(0, 1);
    material.base_color = glm::vec4(color, 1);
    PictureScene scene(rigid(square, material));
    scene.frame.camera.azimuth = std::atan2(n.x, n.z);
    scene.frame.camera.elevation = std::asin(n.y);
    render::frame(scene.frame.camera, scene.frame.bounds, 1.0f);
    const ImageRgba image = draw(scene);
    const glm::ivec4 p = pixel(image, kSide / 2, kSide / 2);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(light_linear(p[i]), color[i], 0.15f * color[i] + 0.01f) << color.r << ", channel " << i;
    }
  }
}

}  // namespace
}  // namespace pelt::render
