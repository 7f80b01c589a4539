#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>

#include <glm/glm.hpp>

#include "core/shared.h"
#include "deform/vertex_sample.h"
#include "edit/content.h"

namespace pelt::ui {

struct Desk;

/// The selected vertices as they are drawn: of very many an even choice, and where the GPU draws the character these
/// alone are deformed here.
struct SelectedDots {
  SharedArray<edit::PartVertices> of;  ///< the selection that `drawn` was chosen from
  std::vector<deform::VertexChoice> drawn;
  std::size_t total = 0;                                                  ///< of the selection
  std::array<std::optional<deform::VertexSample>, edit::kPaneLimit> own;  ///< of each pane
};

/// Draws a dot over each selected vertex of a pane, smaller where they are many, and faint where the surface faces
/// away; in modes that are about vertices.
/// @param project       from world to pixels of the window; nothing behind the eye
/// @param towards_eye   unit, from a point of the world
void draw_selected_dots(const std::function<std::optional<glm::vec2>(const glm::vec3&)>& project,
                        const std::function<glm::vec3(const glm::vec3&)>& towards_eye, int pane, Desk& desk);

}  // namespace pelt::ui
