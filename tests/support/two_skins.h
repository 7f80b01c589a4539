#pragma once

#include <algorithm>
#include <numbers>
#include <vector>

#include "support/fixtures.h"

namespace pelt::test {

/// F-CYL twice over the same two joints: the second skin was bound with the tip bent by `bend` radians and the root
/// elsewhere.
inline rig::Character two_skins(float bend = std::numbers::pi_v<float> / 3) {
  rig::Character character = cylinder();
  const std::vector<Transform> rest = character.skeleton->rest;
  character.skeleton.edit().rest[0] = {
      {1, 2, 3}, glm::angleAxis(std::numbers::pi_v<float> / 6, glm::vec3(0, 1, 0)), glm::vec3(1)};
  character.skeleton.edit().rest[1].rotation = glm::angleAxis(bend, glm::vec3(0, 0, 1));
  add_skinned_mesh(character, "second", {1, 0}, cylinder_primitive());
  character.skeleton.edit().rest = rest;
  rig::finish(character);
  return character;
}

}  // namespace pelt::test
