#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <glm/glm.hpp>

#include "ui/brush_tool.h"

namespace pelt::ui {

// Where a brush touches: the posed surface under it, and the places of it that a dab or a line reaches.

/// The world's size of the brush at a point, metres.
float brush_radius(const BrushTool& tool, const glm::vec3& at, const Desk& desk);

/// The welded surface of a mesh, kept from one picture to the next.
const std::shared_ptr<const mesh::WeldedSurface>& kept_surface(BrushTool& tool, const rig::Character& character,
                                                               int mesh);
/// Makes `tool.posed` the surface of a mesh node as the pane under the mouse shows it.
void pose_surface(BrushTool& tool, int mesh_node, const Desk& desk);

/// Down the edges from a place to the one that is nearest to a point.
std::uint32_t nearest_place(const PosedSurface& posed, const glm::vec3& at, std::uint32_t from);
/// Unit; zero where no triangle has an area.
glm::vec3 normal_at(const PosedSurface& posed, std::uint32_t place);
/// [W] whether a place of the posed surface is selected.
std::vector<char> selected_places(const BrushTool& tool, const Desk& desk);
/// What a joint has at a place of the posed surface. @param character  the one with the file's own surface
float weight_at(const BrushTool& tool, std::uint32_t place, int joint, const rig::Character& character);

/// The places of a dab round a point, with what it counts there, by the falloff of ALGORITHMS.md §39.
/// @param middle  the place that is nearest to it
struct DabArea {
  std::vector<std::uint32_t> places;
  std::vector<float> amounts;  ///< falloff alone, above 0
};
DabArea dab_area(BrushTool& tool, const glm::vec3& at, std::uint32_t middle, float radius, const Desk& desk);

/// The places within the radius of a line, and how far along it each is.
/// @param start   the place that is nearest to its beginning
/// @param beyond  those before its beginning and behind its end are taken, too
struct LineArea {
  std::vector<std::uint32_t> places;
  std::vector<float> along;  ///< 0 to 1
};
LineArea line_area(BrushTool& tool, const glm::vec3& from, const glm::vec3& to, std::uint32_t start, float radius,
                   bool beyond, const Desk& desk);

}  // namespace pelt::ui
