#include "rig/kinematics.h"

#include <algorithm>
#include <array>

#include "core/expect.h"

namespace pelt::rig {
namespace {

// Local matrices made at a time, so that they stay in the nearest cache.
constexpr std::size_t kLocalsAtATime = 16;

/// The columns of to_matrix(local) but for its last row, equal where all is finite: doubling first is exact, too.
glm::mat4x3 affine(const Transform& local) {
  const glm::quat& q = local.rotation;
  const glm::vec3& s = local.scale;
  const float x2 = q.x + q.x;
  const float y2 = q.y + q.y;
  const float z2 = q.z + q.z;
  const float xx = q.x * x2;
  const float yy = q.y * y2;
  const float zz = q.z * z2;
  const float xy = q.x * y2;
  const float xz = q.x * z2;
  const float yz = q.y * z2;
  const float wx = q.w * x2;
  const float wy = q.w * y2;
  const float wz = q.w * z2;
  return {(1.0f - (yy + zz)) * s.x, (xy + wz) * s.x,          (xz - wy) * s.x,           //
          (xy - wz) * s.y,          (1.0f - (xx + zz)) * s.y, (yz + wx) * s.y,           //
          (xz + wy) * s.z,          (yz - wx) * s.z,          (1.0f - (xx + yy)) * s.z,  //
          local.translation.x,      local.translation.y,      local.translation.z};
}

/// The matrix `local` below the matrix `above`.
glm::mat4 placed(const glm::mat4& above, const glm::mat4x3& local) {
  const auto turned = [&](const glm::vec3& v) { return above[0] * v.x + above[1] * v.y + above[2] * v.z; };
  return {turned(local[0]), turned(local[1]), turned(local[2]), turned(local[3]) + above[3]};
}

glm::mat4 world_matrix(const Pose& pose, int j, int above, const std::vector<glm::mat4>& world) {
  if (above < 0) {
    return local_matrix(pose, j);
  }
  const glm::mat4& from = world[static_cast<std::size_t>(above)];
  return pose.residual.empty() ? placed(from, affine(pose.local[static_cast<std::size_t>(j)]))
                               : from * local_matrix(pose, j);
}

}  // namespace

template <typename T>
void local_to_world(std::span<const int> parent, std::span<const glm::mat<4, 4, T>> local,
                    std::span<glm::mat<4, 4, T>> world) {
  PELT_EXPECT(local.size() == parent.size() && world.size() == parent.size(), "one matrix per joint");
  for (std::size_t j = 0; j < parent.size(); ++j) {
    PELT_EXPECT(parent[j] < static_cast<int>(j), "parents stand before their children");
    world[j] = parent[j] < 0 ? local[j] : world[static_cast<std::size_t>(parent[j])] * local[j];
  }
}
template void local_to_world(std::span<const int>, std::span<const glm::mat4>, std::span<glm::mat4>);
template void local_to_world(std::span<const int>, std::span<const glm::dmat4>, std::span<glm::dmat4>);

void WorldMatrices::evaluate(const Skeleton& skeleton, const Pose& pose) {
  PELT_EXPECT(pose.local.size() == skeleton.parent.size(), "the pose is of this skeleton");
  const std::size_t count = pose.local.size();
  world_.resize(count);
  const auto parent_of = [&](std::size_t j) {
    const int above = skeleton.parent[j];
    PELT_EXPECT(above < static_cast<int>(j), "parents stand before their children");
    return above;
  };
  if (!pose.residual.empty()) {
    for (std::size_t j = 0; j < count; ++j) {
      world_[j] = world_matrix(pose, static_cast<int>(j), parent_of(j), world_);
    }
    return;
  }
  // Local matrices first: they wait for nothing, where a world matrix waits for its parent's.
  std::array<glm::mat4x3, kLocalsAtATime> local;
  for (std::size_t first = 0; first < count; first += kLocalsAtATime) {
    const std::size_t last = std::min(first + kLocalsAtATime, count);
    for (std::size_t j = first; j < last; ++j) {
      local[j - first] = affine(pose.local[j]);
    }
    for (std::size_t j = first; j < last; ++j) {
      const int above = parent_of(j);
      world_[j] =
          above < 0 ? glm::mat4(local[j - first]) : placed(world_[static_cast<std::size_t>(above)], local[j - first]);
    }
  }
}

void WorldMatrices::update(const Skeleton& skeleton, const Pose& pose, int changed) {
  PELT_EXPECT(world_.size() == skeleton.parent.size() && pose.local.size() == world_.size(),
              "evaluate() was called with the same skeleton");
  PELT_EXPECT(changed >= 0 && changed < skeleton.size(), "joint index in range");
  dirty_.assign(world_.size(), 0);
  dirty_[static_cast<std::size_t>(changed)] = 1;
  for (int j = changed; j < skeleton.size(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    const int above = skeleton.parent[at];
    if (j != changed && (above < 0 || dirty_[static_cast<std::size_t>(above)] == 0)) {
      continue;
    }
    dirty_[at] = 1;
    world_[at] = world_matrix(pose, j, above, world_);
  }
}

}  // namespace pelt::rig
