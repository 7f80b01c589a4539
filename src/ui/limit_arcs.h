#pragma once

#include <functional>
#include <optional>

#include <glm/glm.hpp>

namespace pelt::ui {

struct Desk;

/// Draws over the picture how far the active joint's rotations go: for each ring a sector in its plane from the lower
/// to the upper limit as they lie in the present pose, where the bone is now, and the cone of a swing limit.
/// @param project  from world to pixels of the window; nothing behind the eye
void draw_limit_arcs(const std::function<std::optional<glm::vec2>(const glm::vec3&)>& project, Desk& desk);

}  // namespace pelt::ui
