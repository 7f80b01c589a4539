#include "ui/brush_tool.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "core/index.h"
#include "core/text.h"
#include "edit/hiding.h"
#include "edit/weight_edits.h"
#include "mesh/weight_mirror.h"
#include "rig/skin_sides.h"
#include "ui/actions.h"
#include "ui/selecting.h"
#include "ui/tools.h"
#include "ui/viewport.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr const char* kPaintMerge = "paint";
constexpr const char* kPullMerge = "pull";
constexpr float kSmallestRadius = 3;  // layout units
constexpr float kLargestRadius = 400;
constexpr double kDabShare = 0.2;  // of the radius, between dabs
constexpr double kAirbrushRate = 12;
constexpr float kFarAway = 1e30f;

constexpr std::array kBrushModes = {
    BrushMode{"add", "Add", mesh::DabMode::kAdd, "More of the joint; Ctrl takes away", false},
    BrushMode{"subtract", "Subtract", mesh::DabMode::kSubtract, "Less of the joint; Ctrl adds", false},
    BrushMode{"replace", "Replace", mesh::DabMode::kReplace, "Towards the value", true},
    BrushMode{"scale", "Scale", mesh::DabMode::kScale, "What the joint has, times the value", true},
    BrushMode{"smooth", "Smooth", mesh::DabMode::kSmooth, "All joints towards what the neighbours have", false},
    BrushMode{"sharpen", "Sharpen", mesh::DabMode::kSharpen, "All joints away from what the neighbours have", false},
    BrushMode{"blend", "Blend", mesh::DabMode::kBlend, "All joints towards the mean of the selected vertices", false},
};

// The world's size of the brush at a point.
float world_radius(const BrushTool& tool, const glm::vec3& at, const Desk& desk) {
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

// The surface of a mesh node as the pane under the mouse shows it.
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
  posed.mesh_node = mesh_node;
  posed.world.assign(world.begin(), world.end());
  posed.morphs = desk.scene.pose->morph_weights;
  posed.pane = pane;
  posed.character = edit::own_character(desk.document());
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

// Down the edges from a place to the one that is nearest to a point.
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

// [W] whether a place is selected, where that counts.
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

// What a joint has at a place.
float weight_at(const BrushTool& tool, std::uint32_t place, int joint, const Desk& desk) {
  const rig::Character& character = *edit::own_character(desk.document());
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

void keep_where(DabArea& area, const auto& wanted) {
  std::size_t to = 0;
  for (std::size_t k = 0; k < area.places.size(); ++k) {
    if (wanted(area.places[k])) {
      area.places[to] = area.places[k];
      area.amounts[to++] = area.amounts[k];
    }
  }
  area.places.resize(to);
  area.amounts.resize(to);
}

void add_to_area(DabArea& area, std::uint32_t place, float distance, float radius) {
  if (const float amount = mesh::brush_falloff(distance, radius); amount > 0) {
    area.places.push_back(place);
    area.amounts.push_back(amount);
  }
}

// What Shift and Ctrl make of the chosen mode.
const BrushMode& mode_in_hand(const BrushTool& tool) {
  const ImGuiIO& io = ImGui::GetIO();
  const auto of = [](mesh::DabMode mode) -> const BrushMode& {
    return *std::ranges::find(kBrushModes, mode, &BrushMode::mode);
  };
  const BrushMode& chosen = kBrushModes[static_cast<std::size_t>(tool.mode)];
  if (io.KeyShift) {
    return of(chosen.mode == mesh::DabMode::kSmooth ? mesh::DabMode::kSharpen : mesh::DabMode::kSmooth);
  }
  if (io.KeyCtrl) {
    return of(chosen.mode == mesh::DabMode::kSubtract ? mesh::DabMode::kAdd : mesh::DabMode::kSubtract);
  }
  return chosen;
}

// The rows of the selected vertices as one: what blending goes towards.
std::vector<edit::JointShare> mean_of_selected(const BrushTool& tool, const Desk& desk) {
  const std::vector<char> selected = selected_places(tool, desk);
  std::vector<std::uint32_t> places;
  for (std::uint32_t w = 0; w < selected.size(); ++w) {
    if (selected[w] != 0) {
      places.push_back(w);
    }
  }
  const rig::Character& character = *edit::own_character(desk.document());
  const rig::MeshNode& node = character.mesh_nodes[static_cast<std::size_t>(tool.posed.mesh_node)];
  std::vector<const mesh::Influences*> rows;
  for (const mesh::Primitive& primitive : character.meshes[static_cast<std::size_t>(node.mesh)].primitives) {
    rows.push_back(&*primitive.influences);
  }
  std::vector<edit::JointShare> out;
  for (const mesh::WeightEntry& entry : mesh::mean_row(*tool.posed.surface, rows, places)) {
    out.push_back({character.skins[static_cast<std::size_t>(node.skin)].joints[entry.joint], entry.weight});
  }
  return out;
}

void say(Desk& desk, std::string text) {
  desk.workspace.notice = Notice{Severity::kInfo, std::move(text), desk.scene.now};
}

// Why the brush cannot begin here; empty where it can.
std::string why_not_here(const BrushTool& tool, const Desk& desk, const mesh::DabMode mode) {
  const rig::Character& character = *edit::own_character(desk.document());
  const rig::MeshNode& node = character.mesh_nodes[static_cast<std::size_t>(tool.mesh_node)];
  if (node.skin < 0) {
    return "This mesh hangs on no skin: bind it first, in the tab Bind";
  }
  if (pulls(desk)) {
    return {};
  }
  const bool about_one =
      mode != mesh::DabMode::kSmooth && mode != mesh::DabMode::kSharpen && mode != mesh::DabMode::kBlend;
  const int joint = painted_joint(desk);
  if (about_one && joint < 0) {
    return "Select the joint to paint, or press J over the skin";
  }
  const std::vector<int>& joints = character.skins[static_cast<std::size_t>(node.skin)].joints;
  if (about_one && std::ranges::find(joints, joint) == joints.end()) {
    return fmt::format("The skin of this mesh does not list {}", printable(character.skeleton->label(joint)));
  }
  if (about_one && edit::is_locked(desk.document().content, joint)) {
    return fmt::format("{} is locked", printable(character.skeleton->label(joint)));
  }
  if (mode == mesh::DabMode::kBlend && mean_of_selected(tool, desk).empty()) {
    return "Blending goes towards the selected vertices: select some";
  }
  return {};
}

// Which places and joints mirror each other, found once for a surface and a skin.
bool find_partners(BrushTool& tool, const Desk& desk) {
  constexpr double kPlacesOff = 1e-3;  // of the diagonal
  constexpr double kJointsOff = 0.02;
  const rig::Character& character = *edit::own_character(desk.document());
  const int skin = character.mesh_nodes[static_cast<std::size_t>(tool.mesh_node)].skin;
  const std::vector<int>& joints = character.skins[static_cast<std::size_t>(skin)].joints;
  if (tool.partner_of == tool.posed.surface && tool.partner_skin == skin && tool.partner_joints == joints) {
    return !tool.partner_slots.empty();
  }
  const mesh::WeldedSurface& surface = *tool.posed.surface;
  tool.partner_of = tool.posed.surface;
  tool.partner_skin = skin;
  tool.partner_joints = joints;
  tool.partner.clear();
  tool.partner_slots.clear();
  Bounds bounds;
  for (std::uint32_t w = 0; w < surface.place_count(); ++w) {
    bounds.add(surface.position(w));
  }
  const double diagonal = bounds.empty() ? 0.0 : double{glm::distance(bounds.lower, bounds.upper)};
  if (const std::optional<rig::SkinSides> sides = rig::skin_sides(character, skin, kJointsOff * diagonal)) {
    tool.partner = mesh::mirrored_places(surface, sides->plane, kPlacesOff * diagonal);
    tool.partner_slots = sides->partner;
  }
  return !tool.partner_slots.empty();
}

// The same dab on the other side. Where both touch a place of the middle for one joint, the stronger one counts.
void add_mirrored(BrushTool& tool, edit::PaintDab& dab, edit::PaintWeights& change, const Desk& desk) {
  const rig::Character& character = *edit::own_character(desk.document());
  const std::vector<int>& joints = character.skins[static_cast<std::size_t>(tool.partner_skin)].joints;
  const auto other_side = [&](int joint) {
    const auto slot = std::ranges::find(joints, joint);
    return slot == joints.end() ? joint : joints[tool.partner_slots[static_cast<std::size_t>(slot - joints.begin())]];
  };
  edit::PaintDab mirrored = dab;
  mirrored.joint = other_side(dab.joint);
  mirrored.places.clear();
  mirrored.amounts.clear();
  for (std::size_t k = 0; k < dab.places.size(); ++k) {
    const std::uint32_t there = tool.partner[dab.places[k]];
    if (there == mesh::kNoPlace) {
      continue;
    }
    const auto here = std::ranges::find(dab.places, there);
    if (mirrored.joint == dab.joint && here != dab.places.end()) {
      float& amount = dab.amounts[static_cast<std::size_t>(here - dab.places.begin())];
      amount = std::max(amount, dab.amounts[k]);
      continue;
    }
    mirrored.places.push_back(there);
    mirrored.amounts.push_back(dab.amounts[k]);
  }
  for (std::vector<edit::JointShare>* row : {&mirrored.first, &mirrored.second}) {
    for (edit::JointShare& share : *row) {
      share.joint = other_side(share.joint);
    }
  }
  if (!mirrored.places.empty()) {
    change.dabs.push_back(std::move(mirrored));
  }
}

void lay_dab(BrushTool& tool, const mesh::StrokeDab& dab, edit::PaintWeights& change, Desk& desk) {
  const auto at = glm::vec3(dab.position);
  tool.nearest = nearest_place(tool.posed, at, tool.nearest);
  DabArea area = dab_area(tool, at, tool.nearest, static_cast<float>(tool.spacing.radius), desk);
  if (area.places.empty()) {
    return;
  }
  edit::PaintDab touch;
  touch.mode = tool.dab_mode;
  touch.joint = tool.joint;
  const bool takes_value = tool.dab_mode == mesh::DabMode::kReplace || tool.dab_mode == mesh::DabMode::kScale;
  touch.value = takes_value ? tool.value : 1.0f;
  for (float& amount : area.amounts) {
    amount = static_cast<float>(mesh::dab_amount(tool.dab_mode, tool.spacing, double{tool.strength} * double{amount},
                                                 dab, double{touch.value}));
  }
  if (tool.dab_mode == mesh::DabMode::kBlend) {
    touch.first = mean_of_selected(tool, desk);
    touch.second = touch.first;
  }
  touch.places = std::move(area.places);
  touch.amounts = std::move(area.amounts);
  if (tool.symmetric && find_partners(tool, desk)) {
    add_mirrored(tool, touch, change, desk);
  }
  change.dabs.push_back(std::move(touch));
}

void stroke_to(BrushTool& tool, const glm::vec3& at, Desk& desk) {
  edit::PaintWeights change{.mesh = tool.mesh, .limit = tool.limit, .surface = tool.posed.surface};
  for (const mesh::StrokeDab& dab : tool.stroke->add({glm::dvec3(at), desk.scene.now, 1.0})) {
    lay_dab(tool, dab, change, desk);
  }
  if (!change.dabs.empty()) {
    desk.change(std::move(change), kPaintMerge);
  }
  desk.requests.next_picture = desk.requests.next_picture || tool.spacing.airbrush;
}

void begin_stroke(BrushTool& tool, Desk& desk) {
  tool.spacing = {.radius = std::max(1e-9, static_cast<double>(world_radius(tool, tool.hit->position, desk))),
                  .share = kDabShare,
                  .airbrush = tool.airbrush,
                  .rate = kAirbrushRate};
  tool.stroke.emplace(tool.spacing);
  tool.joint = painted_joint(desk);
  render::ViewSettings& view = desk.workspace.view;
  if (view.look != render::Look::kWeights && tool.joint >= 0) {  // what is painted is seen
    desk.workspace.look_before_weights = view.look;
    view.look = render::Look::kWeights;
    view.weight_joint = tool.joint;
  }
  stroke_to(tool, tool.hit->position, desk);
}

void begin_pull(BrushTool& tool, Desk& desk) {
  tool.grabbed = tool.hit->position;
  tool.pulled_from = edit::own_character(desk.document());
  DabArea area = dab_area(tool, tool.grabbed, tool.nearest, world_radius(tool, tool.grabbed, desk), desk);
  const auto middle = std::ranges::find(area.places, tool.nearest);
  if (middle == area.places.end()) {
    area.places.push_back(tool.nearest);
    area.amounts.push_back(1);
  } else {
    area.amounts[static_cast<std::size_t>(middle - area.places.begin())] = 1;
  }
  tool.places = std::move(area.places);
  tool.amounts = std::move(area.amounts);
}

// Where the ray through the mouse meets the plane through a point that faces the eye.
glm::vec3 facing_point(const Desk& desk, const glm::vec3& through) {
  const render::Ray ray = ray_at(desk, mouse());
  const glm::vec3 facing = towards_eye(desk, through);
  const float slope = glm::dot(ray.direction, facing);
  return std::abs(slope) < 1e-4f ? through
                                 : ray.origin + glm::dot(through - ray.origin, facing) / slope * ray.direction;
}

void drag_pull(BrushTool& tool, Desk& desk) {
  edit::PullWeights change{.mesh = tool.mesh, .places = tool.places, .amounts = tool.amounts};
  change.poses = {
      {{desk.scene.world.begin(), desk.scene.world.end()}, facing_point(desk, tool.grabbed) - tool.grabbed}};
  change.limit = tool.limit;
  change.from = tool.pulled_from;  // so that what is pulled back comes back
  change.surface = tool.posed.surface;
  desk.change(std::move(change), kPullMerge);
}

void draw_ring(const glm::vec3& middle, const glm::vec3& normal, float radius, const Projector& project, ImU32 ink,
               Desk& desk) {
  const glm::vec3 helper = std::abs(normal.x) < 0.8f ? glm::vec3(1, 0, 0) : glm::vec3(0, 1, 0);
  const glm::vec3 u = glm::normalize(glm::cross(normal, helper));
  const glm::vec3 v = glm::cross(normal, u);
  constexpr int kCorners = 48;
  std::vector<ImVec2> points;
  for (int k = 0; k < kCorners; ++k) {
    const float a = 2 * std::numbers::pi_v<float> * static_cast<float>(k) / kCorners;
    if (const auto at = project(middle + radius * (std::cos(a) * u + std::sin(a) * v))) {
      points.emplace_back(at->x, at->y);
    }
  }
  if (points.size() == kCorners) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddPolyline(points.data(), kCorners, faded(color::kBackground, 0.7f), ImDrawFlags_Closed, desk.theme.px(3.5f));
    list.AddPolyline(points.data(), kCorners, ink, ImDrawFlags_Closed, desk.theme.px(1.5f));
  }
}

ImU32 ink_of(mesh::DabMode mode) {
  switch (mode) {
    case mesh::DabMode::kSubtract:
      return IM_COL32(110, 170, 255, 255);
    case mesh::DabMode::kSmooth:
    case mesh::DabMode::kSharpen:
    case mesh::DabMode::kBlend:
      return IM_COL32(150, 230, 150, 255);
    default:
      return IM_COL32(255, 190, 90, 255);
  }
}

// What the grabbed vertex can reach in this pose: where each of its joints alone would have it, and the lines between.
void draw_reachable(const BrushTool& tool, const Projector& project, Desk& desk) {
  const rig::Character& character = *edit::own_character(desk.document());
  const rig::MeshNode& node = character.mesh_nodes[static_cast<std::size_t>(tool.mesh_node)];
  if (node.skin < 0) {
    return;
  }
  const rig::Skin& skin = character.skins[static_cast<std::size_t>(node.skin)];
  const mesh::WeldedSurface& surface = *tool.posed.surface;
  const glm::vec3 rest = surface.position(tool.nearest);
  std::vector<ImVec2> ghosts;
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    if (weight_at(tool, tool.nearest, skin.joints[k], desk) <= 0 || !has_index(desk.scene.world, skin.joints[k])) {
      continue;
    }
    const glm::mat4 matrix = desk.scene.world[static_cast<std::size_t>(skin.joints[k])] * skin.joint_from_mesh[k];
    if (const auto at = project(glm::vec3(matrix * glm::vec4(rest, 1)))) {
      ghosts.emplace_back(at->x, at->y);
    }
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (std::size_t a = 0; a < ghosts.size(); ++a) {
    for (std::size_t b = a + 1; b < ghosts.size(); ++b) {
      list.AddLine(ghosts[a], ghosts[b], faded(color::kAccent, 0.7f), desk.theme.px(1.2f));
    }
    list.AddCircleFilled(ghosts[a], desk.theme.px(4), faded(color::kBackground, 0.8f));
    list.AddCircleFilled(ghosts[a], desk.theme.px(2.5f), color::kAccent);
  }
}

// Whether another character, or another version of it, has come since the button went down.
bool is_gone(const BrushTool& tool, const Desk& desk) {
  const rig::Character& character = desk.character();
  return !tool.busy_on.is(character.skeleton) || !has_index(character.mesh_nodes, tool.mesh_node) ||
         character.mesh_nodes[static_cast<std::size_t>(tool.mesh_node)].mesh != tool.mesh;
}

void follow_resizing(BrushTool& tool, Desk& desk) {
  if (!tool.resizing) {
    return;
  }
  const ImGuiIO& io = ImGui::GetIO();
  const float moved = mouse().x - tool.resize_at.x;
  if (std::abs(moved) > 2 * desk.theme.scale) {
    tool.resized = true;
  }
  if (tool.resized) {
    tool.radius = std::clamp(tool.resize_from + moved / desk.theme.scale, kSmallestRadius, kLargestRadius);
  }
  if (!io.KeysDown['F']) {
    tool.resizing = false;
    if (!tool.resized) {  // a tap: what the key does without a brush
      run(*find_action("view.frame"), desk);
    }
  }
}

}  // namespace

std::span<const BrushMode> brush_modes() {
  return kBrushModes;
}

bool paints(const Desk& desk) {
  return current_tool(desk.workspace).id == kPaintTool;
}

bool pulls(const Desk& desk) {
  return current_tool(desk.workspace).id == kPullTool;
}

int painted_joint(const Desk& desk) {
  const int shown = desk.workspace.view.weight_joint;
  const int selected = desk.document().view.selected_joint();
  return desk.workspace.view.look == render::Look::kWeights && shown >= 0 ? shown : selected;
}

DabArea dab_area(BrushTool& tool, const glm::vec3& at, std::uint32_t middle, float radius, const Desk& desk) {
  DabArea area;
  const PosedSurface& posed = tool.posed;
  if (tool.distance == BrushDistance::kSurface) {
    // The dab lies between places: from the nearest one along edges, but never less than straight.
    const float offset = glm::distance(posed.place[middle], at);
    const mesh::SurfaceDisc disc = tool.search.find(
        posed.surface->adjacency, [&](std::uint32_t w) { return posed.place[w]; }, middle, radius + offset);
    for (std::size_t k = 0; k < disc.place.size(); ++k) {
      const float straight = glm::distance(posed.place[disc.place[k]], at);
      add_to_area(area, disc.place[k], std::max(straight, disc.distance[k] - offset), radius);
    }
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
  if (tool.front_only) {
    keep_where(area, [&](std::uint32_t w) {
      const glm::vec3 normal = normal_at(posed, w);
      return normal == glm::vec3(0) || glm::dot(normal, towards_eye(desk, posed.place[w])) > 0;
    });
  }
  if (tool.selected_only && !desk.document().view.selected_vertices.empty()) {
    const std::vector<char> selected = selected_places(tool, desk);
    keep_where(area, [&](std::uint32_t w) { return selected[w] != 0; });
  }
  if (tool.weighted_only && tool.joint >= 0 && !pulls(desk)) {
    keep_where(area, [&](std::uint32_t w) { return weight_at(tool, w, tool.joint, desk) > 0; });
  }
  return area;
}

void hover_brush(BrushTool& tool, glm::vec2 at, Desk& desk) {
  if (!tool.resizing) {
    tool.hit = vertex_under(desk, at);
  }
}

bool begin_brush(BrushTool& tool, glm::vec2 pressed_at, Desk& desk) {
  if (tool.resizing) {
    return false;
  }
  tool.hit = vertex_under(desk, pressed_at);
  if (!tool.hit) {
    return false;
  }
  if (!edit::shows_own_surface(desk.document())) {
    desk.requests.surface = rig::SurfaceChoice{};
    say(desk, "Weights are painted on the file's own surface, which is shown again");
    return true;
  }
  const rig::Part& part = desk.character().parts[static_cast<std::size_t>(tool.hit->part)];
  tool.mesh = part.mesh;
  tool.mesh_node = part.mesh_node;
  pose_surface(tool, part.mesh_node, desk);
  const mesh::WeldedSurface& surface = *tool.posed.surface;
  tool.nearest = nearest_place(tool.posed, tool.hit->position,
                               surface.place[surface.first[static_cast<std::size_t>(part.primitive)] +
                                             static_cast<std::uint32_t>(tool.hit->vertex)]);
  tool.pulling = pulls(desk);
  tool.dab_mode = mode_in_hand(tool).mode;
  if (const std::string why = why_not_here(tool, desk, tool.dab_mode); !why.empty()) {
    say(desk, why);
    return true;
  }
  tool.busy = true;
  tool.busy_on = desk.character().skeleton;
  if (tool.pulling) {
    begin_pull(tool, desk);
  } else {
    begin_stroke(tool, desk);
  }
  return true;
}

void drag_brush(BrushTool& tool, Desk& desk) {
  if (tool.busy && is_gone(tool, desk)) {
    end_brush(tool);  // another character has come meanwhile
  }
  if (!tool.busy) {
    return;
  }
  const ImGuiIO& io = ImGui::GetIO();
  const bool moved = io.MouseDelta.x != 0 || io.MouseDelta.y != 0;
  if (tool.pulling) {
    if (moved) {
      drag_pull(tool, desk);
    }
    return;
  }
  if (!moved && !tool.spacing.airbrush && !desk.workspace.playback.playing) {
    return;
  }
  tool.hit = vertex_under(desk, mouse());
  if (!tool.hit) {
    if (tool.spacing.airbrush) {
      tool.stroke.emplace(tool.spacing);  // the time beside the skin sprays nothing
    }
    return;
  }
  const rig::Part& part = desk.character().parts[static_cast<std::size_t>(tool.hit->part)];
  if (part.mesh_node != tool.mesh_node) {
    return;  // a stroke is about one mesh
  }
  pose_surface(tool, tool.mesh_node, desk);
  const mesh::WeldedSurface& surface = *tool.posed.surface;
  tool.nearest = surface.place[surface.first[static_cast<std::size_t>(part.primitive)] +
                               static_cast<std::uint32_t>(tool.hit->vertex)];
  stroke_to(tool, tool.hit->position, desk);
}

void end_brush(BrushTool& tool) {
  tool.busy = false;
  tool.pulling = false;
  tool.stroke.reset();
  tool.pulled_from.reset();
}

bool begin_resizing(BrushTool& tool, Desk& desk) {
  if (!(paints(desk) || pulls(desk)) || !desk.workspace.viewport.hovered || tool.busy) {
    return false;
  }
  if (!tool.resizing) {
    tool.resizing = true;
    tool.resized = false;
    tool.resize_at = mouse();
    tool.resize_from = tool.radius;
  }
  return true;
}

void fill_selected(BrushTool& tool, Desk& desk) {
  const rig::Character& character = *edit::own_character(desk.document());
  const int joint = painted_joint(desk);
  bool changed = false;
  std::vector<char> seen(character.meshes.size(), 0);
  for (std::size_t n = 0; n < character.mesh_nodes.size(); ++n) {
    const rig::MeshNode& node = character.mesh_nodes[n];
    if (node.skin < 0 || seen[static_cast<std::size_t>(node.mesh)] != 0) {
      continue;
    }
    pose_surface(tool, static_cast<int>(n), desk);
    const std::vector<char> selected = selected_places(tool, desk);
    edit::PaintDab dab{.mode = mesh::DabMode::kReplace, .places = {}, .amounts = {}, .value = tool.value};
    dab.joint = joint;
    const bool all = desk.document().view.selected_vertices.empty();
    for (std::uint32_t w = 0; w < selected.size(); ++w) {
      if (all || selected[w] != 0) {
        dab.places.push_back(w);
      }
    }
    if (dab.places.empty()) {
      continue;
    }
    seen[static_cast<std::size_t>(node.mesh)] = 1;
    dab.amounts.assign(dab.places.size(), 1.0f);
    desk.change(
        edit::PaintWeights{
            .mesh = node.mesh, .dabs = {std::move(dab)}, .limit = tool.limit, .surface = tool.posed.surface},
        "fill");
    changed = true;
  }
  desk.requests.end_merge = desk.requests.end_merge || changed;
}

void pick_painted_joint(Desk& desk) {
  if (const std::optional<render::VertexHit> hit = vertex_under(desk, mouse())) {
    const int joint = joint_of(desk, *hit);
    select(desk, joint);
    if (desk.workspace.view.look == render::Look::kWeights) {
      desk.workspace.view.weight_joint = joint;
    }
    say(desk, fmt::format("{} is painted", printable(desk.character().skeleton->label(joint))));
  } else {
    say(desk, "Point at the skin: the joint that moves it most is picked");
  }
}

void draw_brush(BrushTool& tool, const Projector& project, Desk& desk) {
  if (!paints(desk) && !pulls(desk)) {
    return;
  }
  follow_resizing(tool, desk);
  if (tool.busy && is_gone(tool, desk)) {
    end_brush(tool);
  }
  if (tool.busy && tool.pulling) {
    draw_reachable(tool, project, desk);
    return;
  }
  if (!tool.hit || !(desk.workspace.viewport.hovered || tool.busy) ||
      !has_index(desk.character().parts, tool.hit->part) ||
      static_cast<std::size_t>(tool.hit->vertex) >=
          desk.character().primitive(desk.character().parts[static_cast<std::size_t>(tool.hit->part)]).vertex_count()) {
    return;
  }
  const rig::Part& part = desk.character().parts[static_cast<std::size_t>(tool.hit->part)];
  glm::vec3 normal = towards_eye(desk, tool.hit->position);
  if (edit::shows_own_surface(desk.document()) && tool.distance == BrushDistance::kSurface) {
    pose_surface(tool, part.mesh_node, desk);
    const mesh::WeldedSurface& surface = *tool.posed.surface;
    const glm::vec3 own = normal_at(tool.posed, surface.place[surface.first[static_cast<std::size_t>(part.primitive)] +
                                                              static_cast<std::uint32_t>(tool.hit->vertex)]);
    normal = own != glm::vec3(0) ? own : normal;
  }
  const mesh::DabMode mode = tool.busy ? tool.dab_mode : mode_in_hand(tool).mode;
  draw_ring(tool.hit->position, normal, world_radius(tool, tool.hit->position, desk), project,
            pulls(desk) ? color::kAccent : ink_of(mode), desk);
  if (const auto at = project(tool.hit->position)) {
    ImGui::GetWindowDrawList()->AddCircleFilled(ImVec2(at->x, at->y), desk.theme.px(1.8f), IM_COL32_WHITE);
    desk.report["brush"] = {at->x - 2, at->y - 2, 4, 4};
  }
}

}  // namespace pelt::ui
