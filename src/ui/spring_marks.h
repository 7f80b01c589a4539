#pragma once

#include <functional>
#include <optional>

#include <glm/glm.hpp>

namespace pelt::ui {

struct Desk;

/// Draws over the picture what swings and what holds it back, while the tab "Layers" is in front: a line along each
/// bone of a chain with the radius of its tip, and the outlines of colliders, the chosen one in another colour.
/// @param project  from world to pixels of the window; nothing behind the eye
void draw_spring_marks(const std::function<std::optional<glm::vec2>(const glm::vec3&)>& project, Desk& desk);

}  // namespace pelt::ui
