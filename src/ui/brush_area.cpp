#include "ui/brush_area.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/index.h"
#include "edit/hiding.h"
#include "ui/selecting.h"
#include "ui/viewport.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr float kFarAway = 1e30f;

template <typename Area, typename Wanted>
void keep_where(Area& area, std::vector<float> Area::*numbers, const Wanted& wanted) {
  std::size_t to = 0;
  for (std::size_t k = 0; k < area.places.size(); ++k) {
    if (wanted(area.places[k])) {
      area.places[to] = area.places[k];
      (area.*numbers)[to++] = (area.*numbers)[k];
    }
  }
  area.places.resize(to);
  (area.*numbers).resize(to);
}

// Leaves out what the settings of the brush leave alone.
template <typename Area>
void keep_wanted(const BrushTool& tool, Area& area, std::vector<float> Area::*numbers, const Desk& desk) {
  if (tool.*front_setting(tool, desk)) {
    keep_where(area, numbers, [&](std::uint32_t w) {
      const glm::vec3 normal = normal_at(tool.posed, w);
      return normal == glm::vec3(0) || glm::dot(normal, towards_eye(desk, tool.posed.place[w])) > 0;
    });
  }
  if (tool.selected_only && !desk.document().view.selected_vertices.empty()) {
    const std::vector<char> selected = selected_places(tool, desk);
    keep_where(area, numbers, [&](std::uint32_t w) { return selected[w] != 0; });
  }
  if (tool.weighted_only && tool.joint >= 0 && !pulls(desk)) {
    const rig::Character& weights = tool.drag_from != nullptr ? *tool.drag_from : *edit::own_character(desk.document());
    keep_where(area, numbers, [&](std::uint32_t w) { return weight_at(tool, w, tool.joint, weights) > 0; });
  }
}

// Calls visit(place, distance) for places near a point along the skin. The point lies between places: from the nearest
// one along edges, but never less than straight.
template <typename Visit>
void for_each_near(BrushTool& tool, const glm::vec3& at, std::uint32_t middle, float radius, const Visit& visit) {
  const PosedSurface& posed = tool.posed;
  const float offset = glm::distance(posed.place[middle], at);
  if (offset >= radius) {
    return;  // beside the skin: no place is nearer
  }
  const mesh::SurfaceDisc disc = tool.search.find(
      posed.surface->adjacency, [&](std::uint32_t w) { return posed.place[w]; }, middle, radius + offset);
  for (std::size_t k = 0; k < disc.place.size(); ++k) {
    visit(disc.place[k], std::max(glm::distance(posed.place[disc.place[k]], at), disc.distance[k] - offset));
  }
}

void add_to_area(DabArea& area, std::uint32_t place, float distance, float radius) {
  if (const float amount = mesh::brush_falloff(distance, radius); amount > 0) {
    area.places.push_back(place);
    area.amounts.push_back(amount);
  }
}

// How far along a line a point is, and how far from it.
template <typename Point>
glm::vec2 beside_line(const Point& at, const Point& from, const Point& to) {
  const Point way = to - from;
  const float square = glm::dot(way, way);
  const float along = square > 0 ? glm::dot(at - from, way) / square : 0.0f;
  return {along, glm::distance(at, from + std::clamp(along, 0.0f, 1.0f) * way)};
}

void add_to_line(LineArea& area, std::uint32_t place, float along, bool beyond) {
  constexpr float kRounding = 1e-5f;
  if (beyond || (along >= -kRounding && along <= 1 + kRounding)) {
    area.places.push_back(place);
    area.along.push_back(std::clamp(along, 0.0f, 1.0f));
  }
}

}  // namespace

float brush_radius(const BrushTool& tool, const glm::vec3& at, const Desk& desk) {
  return tool.radius * desk.theme.scale * metres_per_pixel(desk, at);
}

const std::shared_ptr<const mesh::WeldedSurface>& kept_surface(BrushTool& tool, const rig::Character& character,
                                                               int mesh) {
  const mesh::Mesh& of = character.meshes[static_cast<std::size_t>(mesh)];
  std::shared_ptr<const mesh::WeldedSurface>& kept = tool.surfaces[mesh];
  if (kept == nullptr || !mesh::is_surface_of(*kept, of)) {
    kept = mesh::welded_surface(of);
  }
  return kept;
}

void pose_surface(BrushTool& tool, int mesh_node, const Desk& desk) {
  const rig::Character& character = desk.character();
  const int mesh = character.mesh_nodes[static_cast<std::size_t>(mesh_node)].mesh;
  PosedSurface& posed = tool.posed;
  const auto& surface = kept_surface(tool, *edit::own_character(desk.document()), mesh);
  const std::span<const glm::mat4> world = desk.scene.world;
  const int pane = std::clamp(desk.workspace.viewport.pane, 0, edit::pane_count(desk.document().content) - 1);
  // A stroke goes on over the shape that it began on; what it changes is seen when the next one begins.
  const bool has_weights = tool.busy || posed.character == edit::own_character(desk.document());
  const bool is_same = posed.surface == surface && posed.mesh_node == mesh_node && posed.pane == pane && has_weights &&
                       std::ranges::equal(posed.world, world) && posed.morphs == desk.scene.pose->morph_weights;
  if (is_same) {
    return;
  }
  posed.surface = surface;
  posed.character = edit::own_character(desk.document());
  posed.mesh_node = mesh_node;
  posed.world.assign(world.begin(), world.end());
  posed.morphs = desk.scene.pose->morph_weights;
  posed.pane = pane;
  posed.place.assign(surface->place_count(), glm::vec3(kFarAway));
  const deform::DeformedCharacter& deformed = desk.scene.deformed(pane);
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const rig::Part& part = character.parts[p];
    if (part.mesh_node != mesh_node) {
      continue;
    }
    const std::uint32_t first = surface->first[static_cast<std::size_t>(part.primitive)];
    const auto& positions = deformed.parts[p].positions;
    for (std::size_t v = 0; v < positions.size(); ++v) {
      posed.place[surface->place[first + v]] = positions[v];
    }
  }
}

std::uint32_t nearest_place(const PosedSurface& posed, const glm::vec3& at, std::uint32_t from) {
  const auto distance = [&](std::uint32_t w) { return glm::distance(posed.place[w], at); };
  float best = distance(from);
  for (bool again = true; again;) {
    again = false;
    for (const std::uint32_t next : posed.surface->adjacency.neighbors(from)) {
      if (const float there = distance(next); there < best) {
        best = there;
        from = next;
        again = true;
      }
    }
  }
  return from;
}

glm::vec3 normal_at(const PosedSurface& posed, std::uint32_t place) {
  glm::vec3 sum(0);
  for (const auto& [b, c] : posed.surface->adjacency.corners_at(place)) {
    sum += glm::cross(posed.place[b] - posed.place[place], posed.place[c] - posed.place[place]);
  }
  const float length = glm::length(sum);
  return length > 0 && std::isfinite(length) ? sum / length : glm::vec3(0);
}

std::vector<char> selected_places(const BrushTool& tool, const Desk& desk) {
  const rig::Character& character = desk.character();
  const mesh::WeldedSurface& surface = *tool.posed.surface;
  std::vector<char> selected(surface.place_count(), 0);
  for (const edit::PartVertices& of_part : desk.document().view.selected_vertices) {
    const rig::Part& part = character.parts[static_cast<std::size_t>(of_part.part)];
    if (part.mesh_node != tool.posed.mesh_node) {
      continue;
    }
    const std::uint32_t first = surface.first[static_cast<std::size_t>(part.primitive)];
    for (const std::uint32_t v : of_part.vertices) {
      selected[surface.place[first + v]] = 1;
    }
  }
  return selected;
}

float weight_at(const BrushTool& tool, std::uint32_t place, int joint, const rig::Character& character) {
  const int mesh = character.mesh_nodes[static_cast<std::size_t>(tool.posed.mesh_node)].mesh;
  const int skin = character.mesh_nodes[static_cast<std::size_t>(tool.posed.mesh_node)].skin;
  const mesh::WeldedSurface& surface = *tool.posed.surface;
  const std::uint32_t vertex = surface.copies(place).front();
  const auto after = std::ranges::upper_bound(surface.first, vertex);
  const auto primitive = static_cast<std::size_t>(after - surface.first.begin()) - 1;
  const mesh::Influences& rows = character.meshes[static_cast<std::size_t>(mesh)].primitives[primitive].influences;
  const std::size_t v = vertex - surface.first[primitive];
  if (v >= rows.vertex_count() || skin < 0) {
    return 0;
  }
  const std::vector<int>& joints = character.skins[static_cast<std::size_t>(skin)].joints;
  for (std::size_t k = 0; k < rows.count(v); ++k) {
    if (has_index(joints, rows.joints(v)[k]) && joints[rows.joints(v)[k]] == joint) {
      return rows.weights(v)[k];
    }
  }
  return 0;
}

DabArea dab_area(BrushTool& tool, const glm::vec3& at, std::uint32_t middle, float radius, const Desk& desk) {
  DabArea area;
  const PosedSurface& posed = tool.posed;
  if (tool.distance == BrushDistance::kSurface) {
    for_each_near(tool, at, middle, radius,
                  [&](std::uint32_t w, float distance) { add_to_area(area, w, distance, radius); });
  } else if (tool.distance == BrushDistance::kVolume) {
    for (std::uint32_t w = 0; w < posed.place.size(); ++w) {
      add_to_area(area, w, glm::distance(posed.place[w], at), radius);
    }
  } else {
    const Projector project(desk);
    const auto from = project(at);
    const float pixels = tool.radius * desk.theme.scale;
    for (std::uint32_t w = 0; from && w < posed.place.size(); ++w) {
      if (const auto there = posed.place[w].x < kFarAway ? project(posed.place[w]) : std::nullopt) {
        add_to_area(area, w, glm::distance(*there, *from), pixels);
      }
    }
  }
  keep_wanted(tool, area, &DabArea::amounts, desk);
  return area;
}

LineArea line_area(BrushTool& tool, const glm::vec3& from, const glm::vec3& to, std::uint32_t start, float radius,
                   bool beyond, const Desk& desk) {
  LineArea area;
  const PosedSurface& posed = tool.posed;
  if (tool.distance == BrushDistance::kSurface) {
    // Discs along the line, close enough that what is between two of them is in one.
    constexpr float kMostDiscs = 4096;
    const int count =
        static_cast<int>(std::clamp(std::ceil(glm::distance(from, to) / (0.5f * radius)), 1.0f, kMostDiscs));
    std::vector<char> reached(posed.place.size(), 0);
    for (int k = 0; k <= count; ++k) {
      const glm::vec3 at = glm::mix(from, to, static_cast<float>(k) / static_cast<float>(count));
      start = nearest_place(posed, at, start);
      for_each_near(tool, at, start, radius, [&](std::uint32_t w, float distance) {
        reached[w] = reached[w] != 0 || distance < radius ? 1 : 0;
      });
    }
    for (std::uint32_t w = 0; w < reached.size(); ++w) {
      if (reached[w] != 0) {
        add_to_line(area, w, beside_line(posed.place[w], from, to).x, beyond);
      }
    }
  } else if (tool.distance == BrushDistance::kVolume) {
    for (std::uint32_t w = 0; w < posed.place.size(); ++w) {
      if (const glm::vec2 at = beside_line(posed.place[w], from, to); at.y < radius) {
        add_to_line(area, w, at.x, beyond);
      }
    }
  } else {
    const Projector project(desk);
    const auto a = project(from);
    const auto b = project(to);
    const float pixels = tool.radius * desk.theme.scale;
    for (std::uint32_t w = 0; a && b && w < posed.place.size(); ++w) {
      const auto there = posed.place[w].x < kFarAway ? project(posed.place[w]) : std::nullopt;
      if (const glm::vec2 at = there ? beside_line(*there, *a, *b) : glm::vec2(0, pixels); at.y < pixels) {
        add_to_line(area, w, at.x, beyond);
      }
    }
  }
  keep_wanted(tool, area, &LineArea::along, desk);
  return area;
}

}  // namespace pelt::ui
