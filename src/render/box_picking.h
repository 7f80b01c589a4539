#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "deform/deform.h"
#include "render/camera.h"
#include "rig/character.h"
#include "rig/hiding.h"

namespace pelt::render {

/// A rectangle of the picture; -1..1, y up.
struct PictureBox {
  glm::vec2 lower;
  glm::vec2 upper;
};

/// The joints whose pivots lie in the box, ascending; only those that the skeleton overlay draws.
/// @param only  as of bones()
std::vector<int> joints_in_box(const rig::Character& character, std::span<const glm::mat4> world, const Camera& camera,
                               float aspect, const PictureBox& box, std::span<const char> only = {});

/// Of each part the vertices in the box, ascending.
/// @param through  also those that the surface hides from the eye
/// @param hidden   parts and vertices that are not seen, and whose faces hide nothing
/// @pre deformed belongs to character
/// @cost O(V), without `through` also O(T) and, per vertex in the box, as many triangles as lie over its place, up to
/// 64, or else O(log T); on all threads
std::vector<std::vector<std::uint32_t>> vertices_in_box(const rig::Character& character,
                                                        const deform::DeformedCharacter& deformed, const Camera& camera,
                                                        float aspect, const PictureBox& box, bool through,
                                                        const rig::HiddenSurface& hidden = {});

}  // namespace pelt::render
