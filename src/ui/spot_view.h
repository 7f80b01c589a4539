#pragma once

#include <cstdint>

#include <glm/glm.hpp>

#include "deform/deform.h"
#include "rig/character.h"

namespace pelt::ui {

/// Where the eye should stand to look at a vertex of the posed skin.
struct SpotView {
  glm::vec3 towards_eye = glm::vec3(0, 0, 1);  ///< unit
  bool is_open = false;                        ///< nothing of the shape stands between; false: from nowhere is it so
};

/// Looks for a direction from which nothing hides the vertex: among those it prefers that in which the skin there
/// faces, in which vertex and joint lie beside and not behind each other, and that is near the present one.
/// @param joint    world, metres @param present  unit, from what is looked at to the eye
/// @pre  the shape is the character's, and the part has the vertex
/// @cost O(directions * triangles): some tens of milliseconds for a million
SpotView open_view(const rig::Character& character, const deform::DeformedCharacter& shape, int part,
                   std::uint32_t vertex, const glm::vec3& joint, const glm::vec3& present);

}  // namespace pelt::ui
