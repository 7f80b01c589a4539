#include "rig/kinematics.h"

#include <algorithm>

#include "core/expect.h"

namespace pelt::rig {
namespace {

/// `above * to_matrix(local)`, equal where all is finite, from registers alone: a matrix written by elements and
/// read back by columns would wait for memory.
glm::mat4 placed(const glm::mat4& above, const Transform& local) {
  const glm::mat3 rotation = glm::mat3_cast(local.rotation);
  const auto turned = [&](const glm::vec3& v) { return above[0] * v.x + above[1] * v.y + above[2] * v.z; };
  return {turned(rotation[0] * local.scale.x), turned(rotation[1] * local.scale.y), turned(rotation[2] * local.scale.z),
          turned(local.translation) + above[3]};
}

glm::mat4 world_matrix(const Pose& pose, int j, int above, const std::vector<glm::mat4>& world) {
  if (above < 0) {
    return local_matrix(pose, j);
  }
  const glm::mat4& from = world[static_cast<std::size_t>(above)];
  return pose.residual.empty() ? placed(from, pose.local[static_cast<std::size_t>(j)]) : from * local_matrix(pose, j);
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
  world_.resize(pose.local.size());
  for (int j = 0; j < skeleton.size(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    const int above = skeleton.parent[at];
    PELT_EXPECT(above < j, "parents stand before their children");
    world_[at] = world_matrix(pose, j, above, world_);
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
