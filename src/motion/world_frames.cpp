#include "motion/world_frames.h"

#include <algorithm>
#include <cmath>

#include <glm/gtc/quaternion.hpp>

#include "rig/mirror.h"

namespace pelt::motion {
namespace {

// Columns: `along`, what of `side` is across it, and their cross product.
glm::dmat3 frame_of(const glm::dvec3& along, const glm::dvec3& side) {
  const glm::dvec3 x = glm::normalize(along);
  const glm::dvec3 y = glm::normalize(side - x * glm::dot(x, side));
  return {x, y, glm::cross(x, y)};
}

}  // namespace

glm::dmat3 WorldFrames::orientation_above(const rig::Skeleton& skeleton, int j) const {
  return skeleton.parent[j] < 0 ? glm::dmat3(1.0) : orientation[skeleton.parent[j]];
}

glm::dmat3 WorldFrames::linear_above(const rig::Skeleton& skeleton, int j) const {
  return skeleton.parent[j] < 0 ? glm::dmat3(1.0) : linear[skeleton.parent[j]];
}

glm::dvec3 WorldFrames::position_above(const rig::Skeleton& skeleton, int j) const {
  return skeleton.parent[j] < 0 ? glm::dvec3(0) : position[skeleton.parent[j]];
}

void place_joint(const rig::Skeleton& skeleton, int j, const Transform& local, WorldFrames& frames,
                 const glm::dmat3& world) {
  const bool is_root = skeleton.parent[j] < 0;
  const glm::dquat rotation = normalized_or_identity(glm::dquat(local.rotation));
  glm::dmat3 own = glm::mat3_cast(rotation);
  for (int c = 0; c < 3; ++c) {
    own[c] *= static_cast<double>(local.scale[c]);
  }
  const glm::dmat3 above = is_root ? world : frames.linear_above(skeleton, j);
  frames.orientation[j] = (is_root ? world : frames.orientation_above(skeleton, j)) *
                          rig::oriented(glm::dquat(local.rotation), local.scale);
  frames.linear[j] = above * own;
  frames.position[j] = frames.position_above(skeleton, j) + above * glm::dvec3(local.translation);
}

void world_frames(const rig::Skeleton& skeleton, std::span<const Transform> local, WorldFrames& out,
                  const glm::dmat3& world) {
  out.orientation.resize(local.size());
  out.linear.resize(local.size());
  out.position.resize(local.size());
  for (int j = 0; j < static_cast<int>(local.size()); ++j) {
    place_joint(skeleton, j, local[j], out, world);
  }
}

double angle_between(const glm::dvec3& a, const glm::dvec3& b) {
  return std::atan2(glm::length(glm::cross(a, b)), glm::dot(a, b));
}

glm::dmat3 turn_of_pairs(const glm::dvec3& from, const glm::dvec3& from_side, const glm::dvec3& to,
                         const glm::dvec3& to_side) {
  return frame_of(to, to_side) * glm::transpose(frame_of(from, from_side));
}

double turn_angle(const glm::dmat3& rotation) {
  const glm::dvec3 axis(rotation[1][2] - rotation[2][1], rotation[2][0] - rotation[0][2],
                        rotation[0][1] - rotation[1][0]);
  return std::atan2(glm::length(axis), rotation[0][0] + rotation[1][1] + rotation[2][2] - 1);
}

}  // namespace pelt::motion
