#include "bind/rest_world.h"

#include "rig/kinematics.h"

namespace pelt::bind {

std::vector<glm::dmat4> posed_world(const rig::Character& character, const rig::Pose& pose) {
  std::vector<glm::dmat4> local(pose.local.size());
  std::vector<glm::dmat4> world(local.size());
  for (std::size_t j = 0; j < local.size(); ++j) {
    local[j] = glm::dmat4(rig::local_matrix(pose, static_cast<int>(j)));
  }
  rig::local_to_world<double>(character.skeleton->parent, local, world);
  return world;
}

std::vector<glm::dmat4> rest_world(const rig::Character& character) {
  return posed_world(character, rig::rest_pose(character));
}

}  // namespace pelt::bind
