#pragma once

#include <vector>

#include <glm/glm.hpp>

#include "rig/character.h"

namespace pelt::bind {

/// [J] world from joint in the rest pose, in double precision. @cost O(J)
std::vector<glm::dmat4> rest_world(const rig::Character& character);

}  // namespace pelt::bind
