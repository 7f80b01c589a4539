#include "render/camera.h"

#include <cmath>

#include <gtest/gtest.h>
#include <glm/gtc/constants.hpp>
#include <glm/gtc/matrix_transform.hpp>

namespace pelt::render {
namespace {

constexpr float kWide = 16.0f / 9.0f;
constexpr float kTall = 0.5f;

glm::vec2 project(const Camera& camera, const glm::vec3& point, float aspect) {
  const glm::vec4 clip = camera.clip_from_view(aspect) * camera.view_from_world() * glm::vec4(point, 1.0f);
  EXPECT_GT(clip.w, 0.0f);
  EXPECT_LE(std::abs(clip.z), clip.w) << "clipped";
  return glm::vec2(clip) / clip.w;
}

void expect_near(const glm::vec3& actual, const glm::vec3& expected, float tolerance) {
  EXPECT_LT(glm::distance(actual, expected), tolerance)
      << actual.x << ' ' << actual.y << ' ' << actual.z << " instead of " << expected.x << ' ' << expected.y << ' '
      << expected.z;
}

Camera some_camera(bool orthographic) {
  Camera camera;
  camera.pivot = {0.3f, 1.1f, -0.4f};
  camera.azimuth = 0.7f;
  camera.elevation = 0.3f;
  camera.distance = 4.0f;
  camera.orthographic = orthographic;
  return camera;
}

class BothProjections : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Camera, BothProjections, ::testing::Bool(),
                         [](const auto& p) { return p.param ? "Orthographic" : "Perspective"; });

TEST(Camera, AzimuthZeroLooksFromPlusZAndGrowsTowardsPlusX) {
  Camera camera;
  camera.azimuth = 0.0f;
  camera.elevation = 0.0f;
  camera.distance = 2.0f;
  expect_near(camera.eye(), {0, 0, 2}, 1e-6f);
  camera.azimuth = 1.5707963f;
  expect_near(camera.eye(), {2, 0, 0}, 1e-6f);
  camera.azimuth = 0.0f;
  camera.elevation = 0.5235988f;  // 30 degrees: sin 0.5, cos 0.8660
  expect_near(camera.eye(), {0, 1, 1.7320508f}, 1e-6f);
}

TEST_P(BothProjections, RayThroughTheCentreMeetsThePivot) {
  const Camera camera = some_camera(GetParam());
  const Ray ray = pick_ray(camera, {0, 0}, kWide);
  EXPECT_NEAR(glm::length(ray.direction), 1.0f, 1e-6f);
  const float along = glm::dot(camera.pivot - ray.origin, ray.direction);
  EXPECT_GT(along, 0.0f);
  expect_near(ray.origin + ray.direction * along, camera.pivot, 1e-5f);
}

TEST_P(BothProjections, PointsOnARayProjectToItsCursor) {
  const Camera camera = some_camera(GetParam());
  for (const float aspect : {kWide, kTall}) {
    for (const glm::vec2 cursor : {glm::vec2(0.8f, -0.6f), glm::vec2(-1.0f, 1.0f), glm::vec2(0.1f, 0.9f)}) {
      const Ray ray = pick_ray(camera, cursor, aspect);
      const float near_pivot = glm::dot(camera.pivot - ray.origin, ray.direction);
      for (const float along : {near_pivot - 1.0f, near_pivot, near_pivot + 1.0f}) {
        const glm::vec2 shown = project(camera, ray.origin + ray.direction * along, aspect);
        EXPECT_NEAR(shown.x, cursor.x, 1e-4f);
        EXPECT_NEAR(shown.y, cursor.y, 1e-4f);
      }
    }
  }
}

TEST_P(BothProjections, FrameFillsThePictureWithEightPercentOfAir) {
  Bounds box;
  box.add({-0.5f, 0.0f, -0.2f});
  box.add({0.5f, 1.8f, 0.2f});
  for (const float aspect : {kWide, 1.0f, kTall}) {
    Camera camera = some_camera(GetParam());
    frame(camera, box, aspect);
    EXPECT_EQ(camera.azimuth, 0.7f);
    EXPECT_EQ(camera.elevation, 0.3f);
    float reach = 0.0f;
    for (int corner = 0; corner < 8; ++corner) {
      const glm::vec3 p((corner & 1) != 0 ? box.upper.x : box.lower.x, (corner & 2) != 0 ? box.upper.y : box.lower.y,
                        (corner & 4) != 0 ? box.upper.z : box.lower.z);
      const glm::vec2 shown = glm::abs(project(camera, p, aspect));
      reach = std::max({reach, shown.x, shown.y});
    }
    EXPECT_NEAR(reach, 0.92f, 1e-3f) << "aspect " << aspect;
  }
}

TEST_P(BothProjections, FrameKeepsClearOfWhatCoversTheTop) {
  Bounds box;
  box.add({-0.5f, 0.0f, -0.2f});
  box.add({0.5f, 1.8f, 0.2f});
  Camera camera = some_camera(GetParam());
  frame(camera, box, 1.0f, 0.15f);
  float top = -1.0f;
  for (int corner = 0; corner < 8; ++corner) {
    const glm::vec3 p((corner & 1) != 0 ? box.upper.x : box.lower.x, (corner & 2) != 0 ? box.upper.y : box.lower.y,
                      (corner & 4) != 0 ? box.upper.z : box.lower.z);
    top = std::max(top, std::abs(project(camera, p, 1.0f).y));
  }
  EXPECT_NEAR(top, 0.7f, 1e-3f);
  EXPECT_EQ(camera.pivot, box.center());
}

TEST(Camera, FramingNothingShowsAMetreAroundTheOrigin) {
  Camera camera = some_camera(false);
  frame(camera, Bounds{}, 1.0f);
  Camera metre = some_camera(false);
  Bounds box;
  box.add(glm::vec3(-0.5f));
  box.add(glm::vec3(0.5f));
  frame(metre, box, 1.0f);
  expect_near(camera.eye(), metre.eye(), 1e-6f);
  expect_near(camera.pivot, glm::vec3(0.0f), 1e-6f);
}

TEST(Camera, FramingAPointLeavesAUsableCamera) {
  Camera camera;
  Bounds box;
  box.add({5, 5, 5});
  frame(camera, box, 1.0f);
  EXPECT_GT(camera.distance, 0.0f);
  const glm::vec2 shown = project(camera, {5, 5, 5}, 1.0f);
  EXPECT_NEAR(shown.x, 0.0f, 1e-3f);
  EXPECT_NEAR(shown.y, 0.0f, 1e-3f);
}

TEST_P(BothProjections, PanKeepsThePivotPlaneUnderTheCursor) {
  Camera camera = some_camera(GetParam());
  const float height = 720.0f;
  const glm::vec3 grabbed = camera.pivot;
  pan(camera, {120.0f, -45.0f}, height);
  // 120 pixels right and 45 up of a picture of 1280 by 720.
  const glm::vec2 shown = project(camera, grabbed, kWide);
  EXPECT_NEAR(shown.x, 120.0f / 640.0f, 1e-5f);
  EXPECT_NEAR(shown.y, 45.0f / 360.0f, 1e-5f);
}

TEST_P(BothProjections, DollyKeepsThePointUnderTheCursor) {
  for (const float steps : {1.0f, 3.0f, -2.0f}) {
    Camera camera = some_camera(GetParam());
    const glm::vec2 cursor(0.6f, -0.4f);
    const Ray ray = pick_ray(camera, cursor, kWide);
    const glm::vec3 back = glm::normalize(camera.eye() - camera.pivot);
    const glm::vec3 under =
        ray.origin + ray.direction * (glm::dot(camera.pivot - ray.origin, back) / glm::dot(ray.direction, back));
    dolly(camera, steps, cursor, kWide);
    EXPECT_NEAR(camera.distance, 4.0f * std::pow(0.85f, steps), 1e-5f);
    const glm::vec2 shown = project(camera, under, kWide);
    EXPECT_NEAR(shown.x, cursor.x, 1e-4f);
    EXPECT_NEAR(shown.y, cursor.y, 1e-4f);
  }
}

TEST(Camera, DollyIsBounded) {
  Camera camera;
  dolly(camera, 1000.0f, {0, 0}, 1.0f);
  EXPECT_GT(camera.distance, 0.0f);
  dolly(camera, -2000.0f, {0, 0}, 1.0f);
  EXPECT_LE(camera.distance, 200.0f);
  EXPECT_TRUE(std::isfinite(camera.eye().x));
}

/// Columns: right, up and back of the eye, from what the view matrix does.
glm::mat3 seen_axes(const Camera& camera) {
  return glm::transpose(glm::mat3(camera.view_from_world()));
}

glm::mat4 node(const glm::mat4& rotation, const glm::vec3& at) {
  glm::mat4 world = rotation;
  world[3] = glm::vec4(at, 1.0f);
  return world;
}

// glTF: along -Z of the node, +Y up. Then the view's axes are the node's.
TEST(Camera, OfTheFileKeepsItsRollInEveryDirection) {
  Bounds box;
  box.add({-1, 0, -1});
  box.add({1, 2, 1});
  const glm::mat4 one(1.0f);
  for (const float yaw : {0.0f, 2.0f, -1.2f}) {
    for (const float pitch : {0.0f, 0.6f, -1.1f, 1.5707963f, -1.5707963f}) {
      for (const float roll : {0.0f, 0.5f, -2.0f, 3.0f}) {
        const glm::mat4 turned =
            glm::rotate(glm::rotate(glm::rotate(one, yaw, {0, 1, 0}), pitch, {1, 0, 0}), roll, {0, 0, 1});
        const glm::mat4 world = node(glm::scale(turned, glm::vec3(2.0f)), {1, 2, 3});
        const std::optional<Camera> camera = camera_of({}, world, box);
        ASSERT_TRUE(camera.has_value());
        expect_near(camera->eye(), {1, 2, 3}, 1e-5f);
        const glm::mat3 axes = seen_axes(*camera);
        for (int column = 0; column < 3; ++column) {
          expect_near(axes[column], glm::vec3(turned[column]), 1e-5f);
        }
        if (std::abs(pitch) > 1.5f) {
          EXPECT_NEAR(camera->roll, 0.0f, 1e-6f) << "straight above, the azimuth says it all";
        }
      }
    }
  }
  // Positive: the head tilts to the left, as glTF's rotation about +Z, towards the eye, does.
  EXPECT_NEAR(camera_of({}, glm::rotate(one, 0.5f, {0, 0, 1}), box)->roll, 0.5f, 1e-6f);
}

TEST_P(BothProjections, RolledCameraPansDolliesAndPicksUnderTheCursor) {
  Camera camera = some_camera(GetParam());
  camera.roll = 0.8f;
  const glm::vec3 grabbed = camera.pivot;
  pan(camera, {120.0f, -45.0f}, 720.0f);
  const glm::vec2 shown = project(camera, grabbed, kWide);
  EXPECT_NEAR(shown.x, 120.0f / 640.0f, 1e-5f);
  EXPECT_NEAR(shown.y, 45.0f / 360.0f, 1e-5f);
  const glm::vec2 cursor(0.6f, -0.4f);
  const Ray ray = pick_ray(camera, cursor, kWide);
  const glm::vec3 back = seen_axes(camera)[2];
  const glm::vec3 under =
      ray.origin + ray.direction * (glm::dot(camera.pivot - ray.origin, back) / glm::dot(ray.direction, back));
  dolly(camera, 3.0f, cursor, kWide);
  const glm::vec2 after = project(camera, under, kWide);
  EXPECT_NEAR(after.x, cursor.x, 1e-4f);
  EXPECT_NEAR(after.y, cursor.y, 1e-4f);
  EXPECT_EQ(camera.roll, 0.8f);
}

TEST(Camera, OrbitLevelsARollWithoutALeap) {
  for (const float roll : {1.0f, -3.0f}) {
    Camera camera;
    camera.azimuth = 0.3f;
    camera.elevation = 0.2f;
    camera.roll = roll;
    const float degrees_per_pixel = 180.0f / 720.0f;
    int pixels = 0;
    for (; camera.roll != 0.0f && pixels < 720; ++pixels) {
      const glm::mat3 before = seen_axes(camera);
      orbit(camera, {1.0f, 0.0f}, 720.0f);
      const glm::mat3 turn = seen_axes(camera) * glm::transpose(before);
      const float cosine = 0.5f * (turn[0][0] + turn[1][1] + turn[2][2] - 1.0f);
      EXPECT_LT(glm::degrees(std::acos(std::min(cosine, 1.0f))), 3.1f * degrees_per_pixel) << "pixel " << pixels;
    }
    EXPECT_LE(pixels, 361) << "upright within half the height of the picture";
    expect_near(seen_axes(camera)[0], {std::cos(camera.azimuth), 0.0f, -std::sin(camera.azimuth)}, 1e-6f);
  }
  // The hand moves what it grabs its own way: of a camera that lies on its side, to the right is up the picture's old
  // vertical.
  Camera lying;
  lying.azimuth = 0.0f;
  lying.elevation = 0.0f;
  lying.roll = 1.5707963f;
  const glm::vec3 nearest = lying.pivot + glm::vec3(0, 0, 0.5f);
  orbit(lying, {1.0f, 0.0f}, 720.0f);
  EXPECT_GT(project(lying, nearest, 1.0f).x, 0.0f);
  EXPECT_NEAR(project(lying, nearest, 1.0f).y, 0.0f, 1e-3f);
}

TEST(Camera, OrbitFromStraightAboveDoesNotLeap) {
  Camera camera;
  camera.azimuth = 0.3f;
  camera.elevation = glm::half_pi<float>();
  const glm::mat3 before = seen_axes(camera);
  orbit(camera, {0.0f, -1.0f}, 720.0f);
  const glm::mat3 turn = seen_axes(camera) * glm::transpose(before);
  const float cosine = 0.5f * (turn[0][0] + turn[1][1] + turn[2][2] - 1.0f);
  EXPECT_NEAR(glm::degrees(std::acos(std::min(cosine, 1.0f))), 180.0f / 720.0f, 0.02f) << "what the hand turned it by";
}

TEST(Camera, OrbitTurnsHalfACircleOverTheHeightAndStopsAtThePoles) {
  Camera camera;
  camera.azimuth = 0.0f;
  camera.elevation = 0.0f;
  orbit(camera, {360.0f, 0.0f}, 720.0f);
  EXPECT_NEAR(camera.azimuth, -1.5707963f, 1e-5f) << "the scene follows the hand to the right";
  expect_near(camera.eye(), {-3, 0, 0}, 1e-5f);
  orbit(camera, {0.0f, 5000.0f}, 720.0f);
  EXPECT_EQ(camera.elevation, glm::half_pi<float>());
  const glm::mat4 view = camera.view_from_world();
  EXPECT_NEAR(glm::determinant(glm::mat3(view)), 1.0f, 1e-5f);
}

}  // namespace
}  // namespace pelt::render
