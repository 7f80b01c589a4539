#include "render/camera.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <glm/gtc/constants.hpp>
#include <glm/gtc/matrix_transform.hpp>

namespace pelt::render {
namespace {

/// Fraction of the half picture that a framed box may fill: 8 % of air on every side.
constexpr float kFill = 0.92f;
constexpr float kMaxElevation = glm::half_pi<float>();  // straight above; the azimuth still says what is up
constexpr float kPole = 1e-5f;                          // horizontal part of a direction that is as good as vertical
constexpr float kNearestZoom = 1e-3f;                   // of near_far_radius
constexpr float kFarthestZoom = 1e2f;
constexpr float kLevelling = 2.0f;  // angle of roll taken back for each angle of orbit
/// Background geometry such as the ground reaches this many radii.
constexpr float kFarRadii = 40.0f;

/// Columns: right, up, back (towards the eye), world space, as if upright. Built from the angles, so it is defined
/// straight above too.
glm::mat3 upright_axes(const Camera& camera) {
  const float sa = std::sin(camera.azimuth);
  const float ca = std::cos(camera.azimuth);
  const float se = std::sin(camera.elevation);
  const float ce = std::cos(camera.elevation);
  return {glm::vec3(ca, 0.0f, -sa), glm::vec3(-sa * se, ce, -ca * se), glm::vec3(sa * ce, se, ca * ce)};
}

/// The same with the roll.
glm::mat3 axes(const Camera& camera) {
  const glm::mat3 upright = upright_axes(camera);
  const float s = std::sin(camera.roll);
  const float c = std::cos(camera.roll);
  return {c * upright[0] + s * upright[1], c * upright[1] - s * upright[0], upright[2]};
}

/// Half the height of the picture at the pivot, metres.
float half_height(const Camera& camera) {
  return camera.distance * std::tan(0.5f * camera.yfov);
}

}  // namespace

glm::vec3 Camera::eye() const {
  return pivot + axes(*this)[2] * distance;
}

glm::mat4 Camera::view_from_world() const {
  const glm::mat3 rotation = glm::transpose(axes(*this));
  glm::mat4 view(rotation);
  view[3] = glm::vec4(rotation * -pivot - glm::vec3(0.0f, 0.0f, distance), 1.0f);
  return view;
}

glm::mat4 Camera::clip_from_view(float aspect) const {
  const float radius = std::max(near_far_radius, 1e-6f * distance);
  const float far_plane = distance + kFarRadii * radius;
  if (orthographic) {
    const float h = half_height(*this);
    return glm::ortho(-h * aspect, h * aspect, -h, h, distance - kFarRadii * radius, far_plane);
  }
  // A share of the distance, not of the character: the ground in front of it must not be cut. With 24 bits of depth
  // this still tells apart surfaces a few millionths of the distance from each other.
  const float near_plane = 0.02f * std::min(distance, kFarRadii * radius);
  return glm::perspective(yfov, aspect, near_plane, far_plane);
}

void frame(Camera& camera, const Bounds& bounds, float aspect, float covered) {
  Bounds box = bounds;
  if (box.empty()) {
    box.lower = glm::vec3(-0.5f);
    box.upper = glm::vec3(0.5f);
  }
  camera.pivot = box.center();
  // Far from the origin single precision cannot tell a smaller box from a point.
  const float smallest = std::max(1e-6f, 1e-3f * glm::length(camera.pivot));
  if (0.5f * box.diagonal() < smallest) {
    box.lower = camera.pivot - smallest;
    box.upper = camera.pivot + smallest;
  }
  const float radius = 0.5f * box.diagonal();
  camera.near_far_radius = radius;

  const float tan_half = std::tan(0.5f * camera.yfov);
  const float tan_x = tan_half * kFill * aspect;
  const float tan_y = tan_half * std::min(kFill, 1.0f - 2.0f * std::min(covered, 0.4f));
  const glm::mat3 view_axes = axes(camera);
  float distance = 0.0f;
  for (int corner = 0; corner < 8; ++corner) {
    const glm::vec3 p((corner & 1) != 0 ? box.upper.x : box.lower.x, (corner & 2) != 0 ? box.upper.y : box.lower.y,
                      (corner & 4) != 0 ? box.upper.z : box.lower.z);
    const glm::vec3 q = glm::transpose(view_axes) * (p - camera.pivot);
    const float across = std::max(std::abs(q.x) / tan_x, std::abs(q.y) / tan_y);
    distance = std::max(distance, across + (camera.orthographic ? 0.0f : q.z));
  }
  camera.distance = std::max(distance, 0.1f * radius);
}

void orbit(Camera& camera, glm::vec2 pixels, float height) {
  const float radians_per_pixel = glm::pi<float>() / std::max(height, 1.0f);
  // The way of the hand as an upright camera would see it.
  const float s = std::sin(camera.roll);
  const float c = std::cos(camera.roll);
  const glm::vec2 turn = radians_per_pixel * glm::vec2(c * pixels.x + s * pixels.y, c * pixels.y - s * pixels.x);
  camera.azimuth = std::remainder(camera.azimuth - turn.x, glm::two_pi<float>());
  camera.elevation = std::clamp(camera.elevation + turn.y, -kMaxElevation, kMaxElevation);
  const float levelled = kLevelling * glm::length(turn);
  camera.roll -= std::clamp(camera.roll, -levelled, levelled);
}

void pan(Camera& camera, glm::vec2 pixels, float height) {
  const float metres_per_pixel = 2.0f * half_height(camera) / std::max(height, 1.0f);
  const glm::mat3 view_axes = axes(camera);
  camera.pivot += (view_axes[1] * pixels.y - view_axes[0] * pixels.x) * metres_per_pixel;
}

void dolly(Camera& camera, float steps, glm::vec2 cursor, float aspect) {
  const float wanted = camera.distance * std::pow(0.85f, steps);
  const float distance =
      std::clamp(wanted, kNearestZoom * camera.near_far_radius, kFarthestZoom * camera.near_far_radius);
  // The point under the cursor, in the plane of the pivot, stays under the cursor.
  const glm::mat3 view_axes = axes(camera);
  const float h = half_height(camera);
  const glm::vec3 offset = view_axes[0] * (cursor.x * h * aspect) + view_axes[1] * (cursor.y * h);
  camera.pivot += offset * (1.0f - distance / camera.distance);
  camera.distance = distance;
}

std::optional<Camera> camera_of(const rig::Camera& source, const glm::mat4& world, const Bounds& bounds) {
  const glm::vec3 eye(world[3]);
  const glm::vec3 back(world[2]);  // glTF cameras look along -Z
  if (!(glm::length(back) > 0.0f)) {
    return std::nullopt;
  }
  const glm::vec3 outward = glm::normalize(back);
  Camera camera;
  camera.distance = std::max(0.01f, glm::dot(eye - bounds.center(), outward));
  camera.pivot = eye - outward * camera.distance;
  const float level = std::hypot(outward.x, outward.z);
  const glm::vec3 up(world[1]);
  // Straight above and below every azimuth looks the same way: the one that needs no roll.
  const float pole = std::copysign(1.0f, outward.y);
  camera.azimuth = level > kPole ? std::atan2(outward.x, outward.z) : std::atan2(-pole * up.x, -pole * up.z);
  camera.elevation = std::atan2(outward.y, level);
  const glm::mat3 upright = upright_axes(camera);
  camera.roll = std::atan2(-glm::dot(up, upright[0]), glm::dot(up, upright[1]));
  camera.orthographic = !source.perspective;
  const float yfov = source.perspective ? source.yfov : 2.0f * std::atan(source.ymag / camera.distance);
  camera.yfov = std::clamp(yfov, 0.01f, 3.1f);
  camera.near_far_radius = glm::length(camera.pivot - bounds.center()) + bounds.diagonal();
  return camera;
}

Ray pick_ray(const Camera& camera, glm::vec2 cursor, float aspect) {
  const glm::mat3 view_axes = axes(camera);
  const float h = half_height(camera);
  const glm::vec3 on_pivot_plane =
      camera.pivot + view_axes[0] * (cursor.x * h * aspect) + view_axes[1] * (cursor.y * h);
  if (camera.orthographic) {
    // Start in front of everything that the near plane lets through.
    return {on_pivot_plane + view_axes[2] * (camera.distance + camera.near_far_radius), -view_axes[2]};
  }
  const glm::vec3 origin = camera.eye();
  return {origin, glm::normalize(on_pivot_plane - origin)};
}

}  // namespace pelt::render
