#include "ui/brush_tool.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "core/index.h"
#include "core/text.h"
#include "edit/hiding.h"
#include "edit/weight_edits.h"
#include "ui/bind_panel.h"
#include "ui/brush_area.h"
#include "ui/brush_mirror.h"
#include "ui/kept_poses.h"
#include "ui/selecting.h"
#include "ui/tools.h"
#include "ui/viewport.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr const char* kPaintMerge = "paint";
constexpr const char* kPullMerge = "pull";
constexpr const char* kGradientMerge = "gradient";
constexpr double kDabShare = 0.2;  // of the radius, between dabs
constexpr double kAirbrushRate = 12;
constexpr int kUsualInfluences = 4;     // that engines read
constexpr float kShortestLine = 0.02f;  // of the brush's radius

constexpr std::array kBrushModes = {
    BrushMode{"add", "Add", mesh::DabMode::kAdd, "More of the joint; Ctrl takes away", false},
    BrushMode{"subtract", "Subtract", mesh::DabMode::kSubtract, "Less of the joint; Ctrl adds", false},
    BrushMode{"replace", "Replace", mesh::DabMode::kReplace, "Towards the value", true},
    BrushMode{"scale", "Scale", mesh::DabMode::kScale, "What the joint has, times the value", true},
    BrushMode{"smooth", "Smooth", mesh::DabMode::kSmooth, "All joints towards what the neighbours have", false},
    BrushMode{"sharpen", "Sharpen", mesh::DabMode::kSharpen, "All joints away from what the neighbours have", false},
    BrushMode{"blend", "Blend", mesh::DabMode::kBlend, "All joints towards the mean of the selected vertices", false},
    BrushMode{"gradient", "Gradient", mesh::DabMode::kReplace,
              "Drag a line: the joint's weight runs from the value at its start to the value at its end; Ctrl turns it "
              "round",
              true, true},
};

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
  const std::vector<int>& joints = character.skins[static_cast<std::size_t>(node.skin)].joints;
  const auto is_free = [&](int j) { return !edit::is_locked(desk.document().content, j); };
  if (pulls(desk)) {
    return std::ranges::count_if(joints, is_free) < 2 ? "All joints of this skin but one are locked: no weight can move"
                                                      : "";
  }
  const bool about_one =
      mode != mesh::DabMode::kSmooth && mode != mesh::DabMode::kSharpen && mode != mesh::DabMode::kBlend;
  const int joint = painted_joint(desk);
  if (about_one && joint < 0) {
    return "Select the joint to paint, or press J over the skin";
  }
  if (about_one && std::ranges::find(joints, joint) == joints.end()) {
    return fmt::format("The skin of this mesh does not list {}", printable(character.skeleton->label(joint)));
  }
  if (about_one && edit::is_locked(desk.document().content, joint)) {
    return fmt::format("{} is locked", printable(character.skeleton->label(joint)));
  }
  if (std::ranges::count_if(joints, is_free) < 2) {
    return about_one ? fmt::format("All other joints are locked: what {} has cannot change",
                                   printable(character.skeleton->label(joint)))
                     : std::string("All joints of this skin but one are locked: no weight can move");
  }
  if (mode == mesh::DabMode::kBlend && mean_of_selected(tool, desk).empty()) {
    return "Blending goes towards the selected vertices: select some";
  }
  return {};
}

// Whether a locked joint has weight there.
bool are_held_by_locks(const BrushTool& tool, std::span<const std::uint32_t> places, const Desk& desk) {
  const edit::Content& content = desk.document().content;
  const rig::Character& character = *edit::own_character(desk.document());
  const int skin = rig::first_skin_of(character, tool.mesh);
  if (content.locked_joints.empty() || skin < 0) {
    return false;
  }
  const std::vector<int>& joints = character.skins[static_cast<std::size_t>(skin)].joints;
  const mesh::WeldedSurface& surface = *tool.posed.surface;
  return std::ranges::any_of(places, [&](std::uint32_t place) {
    const std::uint32_t v = surface.copies(place)[0];
    const std::size_t p = surface.primitive_of(v);
    const mesh::Influences& rows = character.meshes[static_cast<std::size_t>(tool.mesh)].primitives[p].influences;
    if (v - surface.first[p] >= rows.vertex_count()) {
      return false;
    }
    const mesh::InfluenceRow row = rows.row(v - surface.first[p]);
    for (std::size_t k = 0; k < row.joints.size(); ++k) {
      if (row.weights[k] > 0 && has_index(joints, row.joints[k]) && edit::is_locked(content, joints[row.joints[k]])) {
        return true;
      }
    }
    return false;
  });
}

void lay_dab(BrushTool& tool, const mesh::StrokeDab& dab, edit::PaintWeights& change, Desk& desk) {
  const auto at = glm::vec3(dab.position);
  tool.nearest = nearest_place(tool.posed, at, tool.nearest);
  DabArea area = dab_area(tool, at, tool.nearest, static_cast<float>(tool.spacing.radius), desk);
  if (area.places.empty()) {
    return;
  }
  tool.met_locks = tool.met_locks || are_held_by_locks(tool, area.places, desk);
  edit::PaintDab touch;
  touch.mode = tool.dab_mode;
  touch.joint = tool.joint;
  touch.value = tool.dab_mode == mesh::DabMode::kReplace ? tool.value
                : tool.dab_mode == mesh::DabMode::kScale ? tool.factor
                                                         : 1.0f;
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
  if (tool.symmetric && find_brush_partners(tool, desk)) {
    add_mirrored_dab(tool, touch, change, desk);
  }
  change.dabs.push_back(std::move(touch));
}

void stroke_to(BrushTool& tool, const glm::vec3& at, Desk& desk) {
  edit::PaintWeights change{.mesh = tool.mesh, .limit = limit_of_edits(tool), .surface = tool.posed.surface};
  for (const mesh::StrokeDab& dab : tool.stroke->add({glm::dvec3(at), desk.scene.now, 1.0})) {
    lay_dab(tool, dab, change, desk);
  }
  if (!change.dabs.empty()) {
    desk.change(std::move(change), kPaintMerge);
  }
  desk.requests.next_picture = desk.requests.next_picture || tool.spacing.airbrush;
}

void begin_stroke(BrushTool& tool, Desk& desk) {
  tool.spacing = {.radius = std::max(1e-9, static_cast<double>(brush_radius(tool, tool.hit->position, desk))),
                  .share = kDabShare,
                  .airbrush = tool.airbrush,
                  .rate = kAirbrushRate};
  tool.stroke.emplace(tool.spacing);
  tool.joint = painted_joint(desk);
  show_painted(tool.joint, desk);
  stroke_to(tool, tool.hit->position, desk);
}

void begin_line(BrushTool& tool, Desk& desk) {
  tool.joint = painted_joint(desk);
  tool.grabbed = tool.hit->position;
  tool.line_end = tool.grabbed;
  tool.line_reversed = ImGui::GetIO().KeyCtrl;
  desk.workspace.playback.playing = false;  // its ends are points in space, which the skin would leave
  tool.drag_from = edit::own_character(desk.document());
  show_painted(tool.joint, desk);
}

void begin_pull(BrushTool& tool, Desk& desk) {
  tool.joint = painted_joint(desk);
  tool.grabbed = tool.hit->position;
  tool.drag_from = edit::own_character(desk.document());
  DabArea area = dab_area(tool, tool.grabbed, tool.nearest, brush_radius(tool, tool.grabbed, desk), desk);
  const auto middle = std::ranges::find(area.places, tool.nearest);
  if (middle == area.places.end()) {
    area.places.push_back(tool.nearest);
    area.amounts.push_back(1);
  } else {
    area.amounts[static_cast<std::size_t>(middle - area.places.begin())] = 1;
  }
  tool.places = std::move(area.places);
  tool.amounts = std::move(area.amounts);
  tool.pulled_mesh = tool.mesh;
  tool.pulled_surface = tool.posed.surface;
  tool.kept.clear();  // they are of the vertices that were pulled before
  tool.kept_goals = kept_goals(tool, desk);
}

// Where the ray through the mouse meets the plane through a point that faces the eye.
glm::vec3 facing_point(const Desk& desk, const glm::vec3& through) {
  const render::Ray ray = ray_at(desk, mouse());
  const glm::vec3 facing = towards_eye(desk, through);
  const float slope = glm::dot(ray.direction, facing);
  return std::abs(slope) < 1e-4f ? through
                                 : ray.origin + glm::dot(through - ray.origin, facing) / slope * ray.direction;
}

// The gradient from where the button went down to where the mouse is, on the weights as they were then.
void drag_line(BrushTool& tool, Desk& desk) {
  const std::optional<render::VertexHit> hit = vertex_under(desk, mouse());
  const bool on_skin = hit && desk.character().parts[static_cast<std::size_t>(hit->part)].mesh_node == tool.mesh_node;
  tool.line_end = on_skin ? hit->position : facing_point(desk, tool.grabbed);
  tool.hit = on_skin ? hit : std::nullopt;
  edit::PaintWeights change{.mesh = tool.mesh, .limit = limit_of_edits(tool), .from = tool.drag_from};
  change.surface = tool.posed.surface;
  const float radius = brush_radius(tool, tool.grabbed, desk);
  if (glm::distance(tool.grabbed, tool.line_end) > kShortestLine * radius) {
    LineArea area = line_area(tool, tool.grabbed, tool.line_end, tool.nearest, radius, tool.beyond_line, desk);
    edit::PaintDab dab{.mode = mesh::DabMode::kReplace, .places = {}, .amounts = {}};
    dab.joint = tool.joint;
    const float first = tool.line_reversed ? tool.end_value : tool.value;
    const float last = tool.line_reversed ? tool.value : tool.end_value;
    for (const float t : area.along) {
      dab.values.push_back(glm::mix(first, last, tool.smooth_line ? t * t * (3 - 2 * t) : t));
    }
    dab.amounts.assign(area.places.size(), 1.0f);
    dab.places = std::move(area.places);
    tool.met_locks = tool.met_locks || are_held_by_locks(tool, dab.places, desk);
    if (tool.symmetric && find_brush_partners(tool, desk)) {
      add_mirrored_dab(tool, dab, change, desk);
    }
    change.dabs.push_back(std::move(dab));
  }
  desk.change(std::move(change), kGradientMerge);
}

void drag_pull(BrushTool& tool, Desk& desk) {
  edit::PullWeights change{.mesh = tool.mesh, .places = tool.places, .amounts = tool.amounts};
  change.poses = tool.kept_goals;
  change.poses.push_back(
      {{desk.scene.world.begin(), desk.scene.world.end()}, facing_point(desk, tool.grabbed) - tool.grabbed});
  change.limit = limit_of_edits(tool);
  if (tool.offers_joint && tool.joint >= 0) {
    change.more = {tool.joint};
  }
  change.from = tool.drag_from;  // so that what is pulled back comes back
  change.surface = tool.posed.surface;
  desk.change(std::move(change), kPullMerge);
}

}  // namespace

std::span<const BrushMode> brush_modes() {
  return kBrushModes;
}

const BrushMode& brush_in_hand(const BrushTool& tool) {
  const ImGuiIO& io = ImGui::GetIO();
  const auto of = [](mesh::DabMode mode) -> const BrushMode& {
    return *std::ranges::find(kBrushModes, mode, &BrushMode::mode);
  };
  const BrushMode& chosen = kBrushModes[static_cast<std::size_t>(tool.mode)];
  if (io.KeyShift) {
    return of(chosen.mode == mesh::DabMode::kSmooth ? mesh::DabMode::kSharpen : mesh::DabMode::kSmooth);
  }
  if (io.KeyCtrl && !chosen.is_line) {
    return of(chosen.mode == mesh::DabMode::kSubtract ? mesh::DabMode::kAdd : mesh::DabMode::kSubtract);
  }
  return chosen;
}

bool BrushTool::*front_setting(const BrushTool& tool, const Desk& desk) {
  const bool line = tool.busy ? tool.is_line : !pulls(desk) && kBrushModes[static_cast<std::size_t>(tool.mode)].is_line;
  return line ? &BrushTool::line_front_only : &BrushTool::front_only;
}

bool is_brush_lost(const BrushTool& tool, const Desk& desk) {
  const rig::Character& character = desk.character();
  return !tool.busy_on.is(character.skeleton) || !has_index(character.mesh_nodes, tool.mesh_node) ||
         character.mesh_nodes[static_cast<std::size_t>(tool.mesh_node)].mesh != tool.mesh;
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
  return render::is_weight_look(desk.workspace.view.look) && shown >= 0 ? shown : selected;
}

int brush_limit(BrushTool& tool, const Desk& desk) {
  if (tool.busy) {
    return tool.stroke_limit;
  }
  if (tool.limit) {
    return *tool.limit;
  }
  const std::shared_ptr<const rig::Character>& character = edit::own_character(desk.document());
  if (tool.counted.lock() != character) {
    tool.counted = character;
    tool.most = 0;
    for (const rig::Part& part : character->parts) {
      const mesh::Influences& rows = character->primitive(part).influences;
      tool.most = std::max(tool.most, part.skin < 0 ? 0 : static_cast<int>(std::max(rows.budget(), rows.max_count())));
    }
  }
  const BindPanel& binding = desk.workspace.panel<BindPanel>();
  const bool is_bound = binding.made != nullptr && binding.made_limit > 0 && edit::fits(*binding.made, *character);
  return std::max(tool.most, is_bound ? binding.made_limit : kUsualInfluences);
}

int limit_of_edits(const BrushTool& tool) {
  return !tool.limit ? 0 : *tool.limit == 0 ? edit::kAnyInfluences : *tool.limit;
}

void hover_brush(BrushTool& tool, glm::vec2 at, Desk& desk) {
  if (!tool.resizing) {
    tool.hit = vertex_under(desk, at);
  }
}

bool begin_brush(BrushTool& tool, glm::vec2 pressed_at, Desk& desk) {
  if (tool.resizing) {  // with the button as without it: the size follows the mouse from here on
    tool.resize_at = mouse();
    tool.resize_from = tool.radius;
    return true;
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
  if (tool.posed.character != edit::own_character(desk.document())) {
    tool.posed.surface.reset();  // in a pose, strokes have moved the skin
  }
  pose_surface(tool, part.mesh_node, desk);
  const mesh::WeldedSurface& surface = *tool.posed.surface;
  tool.nearest = nearest_place(tool.posed, tool.hit->position,
                               surface.place[surface.first[static_cast<std::size_t>(part.primitive)] +
                                             static_cast<std::uint32_t>(tool.hit->vertex)]);
  tool.pulling = pulls(desk);
  tool.dab_mode = brush_in_hand(tool).mode;
  tool.is_line = !tool.pulling && brush_in_hand(tool).is_line;
  if (const std::string why = why_not_here(tool, desk, tool.dab_mode); !why.empty()) {
    say(desk, why);
    return true;
  }
  tool.stroke_limit = brush_limit(tool, desk);
  tool.began_on = edit::own_character(desk.document());
  tool.met_locks = false;
  tool.busy = true;
  tool.busy_on = desk.character().skeleton;
  if (tool.pulling) {
    begin_pull(tool, desk);
  } else if (tool.is_line) {
    begin_line(tool, desk);
  } else {
    begin_stroke(tool, desk);
  }
  return true;
}

void drag_brush(BrushTool& tool, Desk& desk) {
  if (tool.busy && is_brush_lost(tool, desk)) {
    end_brush(tool);  // another character has come meanwhile
  }
  if (!tool.busy) {
    return;
  }
  const ImGuiIO& io = ImGui::GetIO();
  const bool moved = io.MouseDelta.x != 0 || io.MouseDelta.y != 0;
  if (tool.pulling || tool.is_line) {
    if (moved) {
      tool.is_line ? drag_line(tool, desk) : drag_pull(tool, desk);
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

void say_what_locks_kept(BrushTool& tool, Desk& desk) {
  if (tool.busy || tool.began_on == nullptr) {
    return;
  }
  const bool changed = tool.began_on != edit::own_character(desk.document());
  tool.began_on.reset();
  if (!changed && !tool.was_pull && tool.met_locks) {
    say(desk, "Nothing changed: what is not locked has nothing to give there, or the weight is there already");
  }
}

void end_brush(BrushTool& tool) {
  tool.was_pull = tool.pulling;
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    tool.began_on.reset();  // Esc has ended it
  }
  tool.busy = false;
  tool.pulling = false;
  tool.is_line = false;
  tool.stroke.reset();
  tool.drag_from.reset();
}

void show_painted(int joint, Desk& desk) {
  render::ViewSettings& view = desk.workspace.view;
  if (!render::is_weight_look(view.look) && joint >= 0) {
    desk.workspace.look_before_weights = view.look;
    view.look = render::Look::kWeights;
    view.weight_joint = joint;
  }
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
  if (edit::is_locked(desk.document().content, joint)) {
    say(desk, fmt::format("{} is locked", printable(character.skeleton->label(joint))));
    return;
  }
  bool changed = false;
  std::vector<char> seen(character.meshes.size(), 0);
  for (std::size_t n = 0; n < character.mesh_nodes.size(); ++n) {
    const rig::MeshNode& node = character.mesh_nodes[n];
    if (node.skin < 0 || seen[static_cast<std::size_t>(node.mesh)] != 0 ||
        std::ranges::find(character.skins[static_cast<std::size_t>(node.skin)].joints, joint) ==
            character.skins[static_cast<std::size_t>(node.skin)].joints.end()) {
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
            .mesh = node.mesh, .dabs = {std::move(dab)}, .limit = limit_of_edits(tool), .surface = tool.posed.surface},
        "fill");
    changed = true;
  }
  desk.requests.end_merge = desk.requests.end_merge || changed;
  if (!changed) {
    say(desk, fmt::format("No skin of what is to be filled lists {}", printable(character.skeleton->label(joint))));
  }
}

void pick_painted_joint(Desk& desk) {
  if (const std::optional<render::VertexHit> hit = vertex_under(desk, mouse())) {
    const int joint = joint_of(desk, *hit);
    select(desk, joint);
    if (render::is_weight_look(desk.workspace.view.look)) {
      desk.workspace.view.weight_joint = joint;
    }
    say(desk, fmt::format("{} is painted", printable(desk.character().skeleton->label(joint))));
  } else {
    say(desk, "Point at the skin: the joint that moves it most is picked");
  }
}

void lock_joint_under_mouse(Desk& desk) {
  const std::optional<render::VertexHit> hit = vertex_under(desk, mouse());
  const int joint = hit ? joint_of(desk, *hit) : -1;
  if (joint < 0) {
    say(desk, "Point at the skin: the joint that moves it most is locked, or let go");
    return;
  }
  const bool locked = edit::is_locked(desk.document().content, joint);
  desk.change(edit::LockJoints{{joint}, !locked});
  say(desk, fmt::format("{} is {}", printable(desk.character().skeleton->label(joint)), locked ? "free" : "locked"));
}

}  // namespace pelt::ui
