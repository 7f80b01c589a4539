#pragma once

#include <vector>

#include <glm/glm.hpp>

#include "rig/character.h"

namespace pelt::bind {

/// [J] world from joint in a pose of the character, in double precision. @cost O(J)
std::vector<glm::dmat4> posed_world(const rig::Character& character, const rig::Pose& pose);
/// [J] world from joint in the rest pose, in double precision. @cost O(J)
std::vector<glm::dmat4> rest_world(const rig::Character& character);

}  // namespace pelt::bind
