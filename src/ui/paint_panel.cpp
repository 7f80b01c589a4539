#include "ui/paint_panel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "core/index.h"
#include "core/text.h"
#include "edit/weight_edits.h"
#include "render/look_colors.h"
#include "ui/brush_area.h"
#include "ui/brush_tool.h"
#include "ui/icons.h"
#include "ui/kept_poses.h"
#include "ui/selecting.h"
#include "ui/tools.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr const char* kInfluenceMerge = "influence";
constexpr std::size_t kMostShownInfluences = 12;
constexpr int kMostBrushInfluences = 16;

void draw_tool_choice(Desk& desk) {
  const float spacing = ImGui::GetStyle().ItemInnerSpacing.x;
  const float width = std::floor((ImGui::GetContentRegionAvail().x - spacing) / 2);
  const auto button = [&](std::string_view tool, const char* text, const char* name, const char* help) {
    const bool on = current_tool(desk.workspace).id == tool;
    if (on) {
      ImGui::PushStyleColor(ImGuiCol_Button, color::kAccentSoft);
    }
    if (ImGui::Button(text, ImVec2(width, 0))) {
      take_tool(desk.workspace, on ? kSelectTool : tool);
    }
    if (on) {
      ImGui::PopStyleColor();
    }
    report_item(desk, name);
    tip(help);
  };
  button(kPaintTool, fmt::format("{}  Paint", icon::kBrush).c_str(), "paint.take", "Drag on the skin to paint (R)");
  ImGui::SameLine(0, spacing);
  button(kPullTool, fmt::format("{}  Pull", icon::kPull).c_str(), "paint.pull",
         "Drag a vertex of a posed skin to where it should be: its weights follow (Y)");
}

void brush_slider(const char* name, const char* label, const char* help, float& value, const SliderStyle& style,
                  Desk& desk) {
  row_label(desk, label, help);
  bool ended = false;
  float now = value;
  if (value_slider(desk, name, now, style, ImGui::GetContentRegionAvail().x, ended)) {
    value = std::clamp(now, style.lower, style.upper);
  }
}

void draw_line_numbers(BrushTool& tool, Desk& desk) {
  brush_slider("paint.value", "From", "The weight where the line begins", tool.value, {.format = "%.3f", .origin = 1},
               desk);
  brush_slider("paint.end-value", "To", "The weight where the line ends", tool.end_value, {.format = "%.3f"}, desk);
  row_label(desk, "Way", "How the weight runs from one to the other");
  constexpr std::array<const char*, 2> kWays = {"Linear", "Smooth"};
  int way = tool.smooth_line ? 1 : 0;
  if (segmented(desk, "paint.way", kWays, way)) {
    tool.smooth_line = way == 1;
  }
  checkbox(desk, "paint.beyond", "Beyond its ends", tool.beyond_line,
           "Before and behind the line, as far as the brush reaches, the weight becomes that of the end");
}

void draw_brush_limit(BrushTool& tool, Desk& desk) {
  row_label(
      desk, "Influences",
      "That a touched vertex keeps, the heaviest first; 0 keeps all. Until you set it, as many as the vertex has, or "
      "as its file has a place for or the binding allowed; a double click goes back to that");
  auto limit = static_cast<float>(brush_limit(tool, desk));
  bool ended = false;
  bool reset = false;
  const SliderStyle style{.upper = kMostBrushInfluences, .format = "%.0f", .origin = 0, .step = 1};
  if (value_slider(desk, "paint.limit", limit, style, ImGui::GetContentRegionAvail().x, ended, &reset)) {
    tool.limit = std::clamp(static_cast<int>(limit), 0, kMostBrushInfluences);
  }
  if (reset) {
    tool.limit.reset();
  }
}

// What a stroke does, and how much.
void draw_brush_mode(BrushTool& tool, Desk& desk) {
  const auto modes = brush_modes();
  row_label(desk, "Brush", "What a stroke does");
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  combo(desk, "paint.mode", static_cast<int>(modes.size()), tool.mode,
        [&](int i) { return std::string(modes[static_cast<std::size_t>(i)].label); });
  ImGui::PushFont(desk.theme.small);
  wrapped_text(std::string(modes[static_cast<std::size_t>(tool.mode)].help) + ".", color::kTextDim);
  ImGui::PopFont();
}

void draw_brush_value(BrushTool& tool, Desk& desk) {
  const BrushMode& mode = brush_modes()[static_cast<std::size_t>(tool.mode)];
  if (!mode.is_line) {
    brush_slider("paint.strength", "Strength", "Of one dab; dabs follow each other along the stroke", tool.strength,
                 {.format = "%.2f", .origin = 0.4f}, desk);
  }
  if (mode.is_line) {
    draw_line_numbers(tool, desk);
  } else if (mode.mode == mesh::DabMode::kScale) {
    brush_slider("paint.factor", "Factor", "By which a whole dab multiplies the weight", tool.factor,
                 {.upper = 2.0f, .format = "%.3f", .origin = 0.5f}, desk);
  } else if (mode.takes_value) {
    brush_slider("paint.value", "Value", "The weight that a stroke goes to", tool.value,
                 {.format = "%.3f", .origin = 1}, desk);
  }
}

// A pull has no mode, no strength and no other side.
void draw_brush_numbers(BrushTool& tool, Desk& desk) {
  const bool is_pull = pulls(desk);
  if (!is_pull) {
    draw_brush_mode(tool, desk);
  }
  brush_slider("paint.radius", "Radius", "On the screen; F held and dragged changes it over the skin", tool.radius,
               {.lower = kSmallestBrush, .upper = kLargestBrush, .format = "%.0f px", .origin = 40}, desk);
  if (!is_pull) {
    draw_brush_value(tool, desk);
  }
  row_label(desk, "Reach", "How far a vertex is from the brush: along the skin, straight, or on the screen");
  constexpr std::array<const char*, 3> kDistances = {"Skin", "Straight", "Screen"};
  int distance = static_cast<int>(tool.distance);
  if (segmented(desk, "paint.distance", kDistances, distance)) {
    tool.distance = static_cast<BrushDistance>(distance);
  }
  if (!is_pull) {
    if (!brush_modes()[static_cast<std::size_t>(tool.mode)].is_line) {
      checkbox(desk, "paint.airbrush", "Airbrush", tool.airbrush, "Goes on while the mouse stands still");
    }
    checkbox(desk, "paint.symmetric", "Symmetric", tool.symmetric,
             "The other side, found by the places of vertices and the names of joints, is painted likewise");
  }
  if (is_pull) {
    checkbox(desk, "paint.offer", "The painted joint, too", tool.offers_joint,
             "Vertices may follow it beside their own joints, which lets them be pulled farther");
  }
}

// What a stroke leaves alone. It is seldom changed, so it is folded, and its title says what is on.
void draw_brush_limits(BrushTool& tool, Desk& desk) {
  const int limit = brush_limit(tool, desk);
  std::string title = "Limits: ";
  bool& front_only = tool.*front_setting(tool, desk);
  title += front_only ? "front, " : "";
  title += tool.selected_only ? "selection, " : "";
  title += tool.weighted_only && !pulls(desk) ? "weighted, " : "";
  title += limit > 0 ? count_of(limit, "influence", "influences") : std::string("any influences");
  if (!section(desk, (title + "###paint.limits").c_str(), false)) {
    return;
  }
  checkbox(desk, "paint.front", "Front faces only", front_only, "What faces away from you is left alone");
  checkbox(desk, "paint.selected", "Selected vertices only", tool.selected_only,
           "Where any are selected, the others are left alone");
  if (!pulls(desk)) {
    checkbox(desk, "paint.weighted", "Where the joint has weight", tool.weighted_only,
             "Vertices that do not follow the joint yet are left alone");
  }
  draw_brush_limit(tool, desk);
}

void draw_fill(BrushTool& tool, Desk& desk) {
  const bool any = !desk.document().view.selected_vertices.empty();
  ImGui::BeginDisabled(painted_joint(desk) < 0 || !edit::shows_own_surface(desk.document()));
  if (ImGui::Button(any ? "Fill the selection" : "Fill all", ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
    fill_selected(tool, desk);
  }
  ImGui::EndDisabled();
  report_item(desk, "paint.fill");
  tip(fmt::format("{} {:.3g} of the joint, the strength and the limits of the brush aside",
                  any ? "The selected vertices get" : "Every vertex of the skins that list it gets", tool.value));
}

void draw_locked(Desk& desk) {
  const rig::Skeleton& skeleton = desk.character().skeleton;
  int gone = -1;
  for (const int j : desk.document().content.locked_joints) {
    ImGui::PushID(j);
    if (icon_button(desk, fmt::format("paint.unlock.{}", skeleton.label(j)).c_str(), icon::kLock, "Unlock", true)) {
      gone = j;
    }
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    clipped_text(printable(skeleton.label(j)), ImGui::GetContentRegionAvail().x);
    ImGui::PopID();
  }
  if (gone >= 0) {
    desk.change(edit::LockJoints{{gone}, false});
  }
}

void draw_locks(Desk& desk) {
  const auto& locked = desk.document().content.locked_joints;
  if (!section(desk, fmt::format("Joint and locks ({})###paint.locks", locked.size()).c_str())) {
    return;
  }
  const rig::Skeleton& skeleton = desk.character().skeleton;
  const int joint = painted_joint(desk);
  row_label(desk, "Paints", "The selected joint, or the one whose weights are shown");
  ImGui::AlignTextToFramePadding();
  clipped_text(joint < 0 ? std::string("no joint: select one, or J over the skin") : printable(skeleton.label(joint)),
               ImGui::GetContentRegionAvail().x, joint < 0 ? color::kWarning : color::kText);
  const float spacing = ImGui::GetStyle().ItemInnerSpacing.x;
  const float width = std::floor((ImGui::GetContentRegionAvail().x - 2 * spacing) / 3);
  const std::vector<int>& selected = desk.document().view.selected_joints;
  ImGui::BeginDisabled(selected.empty());
  if (ImGui::Button(fmt::format("{} Lock", icon::kLock).c_str(), ImVec2(width, 0))) {
    desk.change(edit::LockJoints{selected, true});
  }
  report_item(desk, "paint.lock");
  tip("What the selected joints have of each vertex stays bit for bit");
  ImGui::SameLine(0, spacing);
  if (ImGui::Button("Others", ImVec2(width, 0))) {
    std::vector<int> others;
    for (int j = 0; j < skeleton.size(); ++j) {
      if (skeleton.is_joint[static_cast<std::size_t>(j)] != 0 && std::ranges::find(selected, j) == selected.end()) {
        others.push_back(j);
      }
    }
    desk.change(edit::LockJoints{others, true});
  }
  ImGui::EndDisabled();
  report_item(desk, "paint.lock-others");
  tip("Locks all joints but the selected ones");
  ImGui::SameLine(0, spacing);
  ImGui::BeginDisabled(locked.empty());
  if (ImGui::Button("None", ImVec2(width, 0))) {
    desk.change(edit::LockJoints{{locked.begin(), locked.end()}, false});
  }
  ImGui::EndDisabled();
  report_item(desk, "paint.unlock-all");
  tip("Unlocks all joints");
  // Many would push the influences out of the window.
  constexpr std::size_t kFewLocks = 3;
  if (locked.size() <= kFewLocks ||
      section(desk,
              fmt::format("Locked: {}###paint.locked",
                          count_of(static_cast<std::int64_t>(locked.size()), "joint", "joints"))
                  .c_str(),
              false)) {
    draw_locked(desk);
  }
}

// The vertices whose influences are shown: the selected ones of one mesh, else the pinned one.
struct Shown {
  int mesh = -1;
  int skin = -1;
  std::shared_ptr<const mesh::WeldedSurface> surface;
  std::vector<std::uint32_t> places;
};

Shown shown_places(BrushTool& tool, const Desk& desk) {
  Shown out;
  if (!edit::shows_own_surface(desk.document())) {
    return out;
  }
  const rig::Character& character = *edit::own_character(desk.document());
  edit::VertexSelection wanted(desk.document().view.selected_vertices.begin(),
                               desk.document().view.selected_vertices.end());
  if (wanted.empty() && desk.document().view.pinned_vertex >= 0) {
    wanted = {{desk.document().view.pinned_part, {static_cast<std::uint32_t>(desk.document().view.pinned_vertex)}}};
  }
  for (const edit::PartVertices& of_part : wanted) {
    if (!has_index(character.parts, of_part.part)) {
      continue;
    }
    const rig::Part& part = character.parts[static_cast<std::size_t>(of_part.part)];
    if (part.skin < 0 || (out.mesh >= 0 && part.mesh != out.mesh)) {
      continue;
    }
    if (out.mesh < 0) {
      out.mesh = part.mesh;
      out.skin = part.skin;
      out.surface = kept_surface(tool, character, part.mesh);
    }
    const std::uint32_t first = out.surface->first[static_cast<std::size_t>(part.primitive)];
    for (const std::uint32_t v : of_part.vertices) {
      out.places.push_back(out.surface->place[first + v]);
    }
  }
  std::ranges::sort(out.places);
  out.places.erase(std::ranges::unique(out.places).begin(), out.places.end());
  return out;
}

std::vector<edit::JointShare> mean_of(const Shown& shown, const rig::Character& character) {
  std::vector<const mesh::Influences*> rows;
  for (const mesh::Primitive& primitive : character.meshes[static_cast<std::size_t>(shown.mesh)].primitives) {
    rows.push_back(&*primitive.influences);
  }
  std::vector<edit::JointShare> out;
  for (const mesh::WeightEntry& entry : mesh::mean_row(*shown.surface, rows, shown.places)) {
    out.push_back({character.skins[static_cast<std::size_t>(shown.skin)].joints[entry.joint], entry.weight});
  }
  std::ranges::stable_sort(out, std::ranges::greater{}, &edit::JointShare::weight);
  return out;
}

edit::PaintWeights on_shown(const Shown& shown, edit::PaintDab dab, int limit) {
  dab.places = shown.places;
  dab.amounts.assign(shown.places.size(), 1.0f);
  return {.mesh = shown.mesh, .dabs = {std::move(dab)}, .limit = limit, .surface = shown.surface};
}

// Towards one row, all of the way.
edit::PaintDab to_row(std::vector<edit::JointShare> row) {
  edit::PaintDab dab{.mode = mesh::DabMode::kBlend, .places = {}, .amounts = {}};
  dab.first = row;
  dab.second = std::move(row);
  return dab;
}

// @param names  how much of the row names take, pixels
void draw_influence(const edit::JointShare& share, const Shown& shown, int limit, float names, Desk& desk) {
  const rig::Skeleton& skeleton = desk.character().skeleton;
  const std::string name = skeleton.label(share.joint);
  const bool locked = edit::is_locked(desk.document().content, share.joint);
  ImGui::PushID(share.joint);
  if (icon_button(desk, ("influence.lock." + name).c_str(), locked ? icon::kLock : icon::kUnlock,
                  locked ? "Unlock" : "Lock: what this joint has stays", locked)) {
    desk.change(edit::LockJoints{{share.joint}, !locked});
  }
  ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  const float width = std::floor(std::min(names, ImGui::GetContentRegionAvail().x * 0.6f));
  const float start = ImGui::GetCursorPosX();
  ImGui::AlignTextToFramePadding();
  if (ImGui::Selectable(fitted(printable(name), width).c_str(), share.joint == desk.document().view.selected_joint(), 0,
                        ImVec2(width, 0))) {
    select(desk, share.joint);
  }
  ImGui::SameLine(start + width + desk.theme.px(6), 0);
  ImGui::BeginDisabled(locked);
  auto weight = static_cast<float>(share.weight);
  bool ended = false;
  SliderStyle style{.format = "%.4f"};
  style.color = packed(render::joint_color(share.joint));
  if (value_slider(desk, ("influence." + name).c_str(), weight, style, ImGui::GetContentRegionAvail().x, ended)) {
    edit::PaintDab dab{
        .mode = mesh::DabMode::kReplace, .places = {}, .amounts = {}, .value = std::clamp(weight, 0.0f, 1.0f)};
    dab.joint = share.joint;
    desk.change(on_shown(shown, std::move(dab), limit), kInfluenceMerge);
  }
  desk.requests.end_merge = desk.requests.end_merge || ended;
  ImGui::EndDisabled();
  ImGui::PopID();
}

void draw_influences(PaintPanel& panel, BrushTool& tool, Desk& desk) {
  const Shown shown = shown_places(tool, desk);
  if (!section(desk, "Influences")) {
    return;
  }
  if (shown.places.empty()) {
    wrapped_text("Select vertices of a skin, or pin one, to see and set what each joint has of them.", color::kTextDim);
    return;
  }
  const rig::Character& character = *edit::own_character(desk.document());
  std::vector<edit::JointShare> rows = mean_of(shown, character);
  const int limit = limit_of_edits(tool);
  dim_text(shown.places.size() == 1
               ? std::string("Of one vertex")
               : fmt::format("The mean of {} vertices", count_text(static_cast<std::int64_t>(shown.places.size()))));
  const int joint = painted_joint(desk);
  float names = 0.3f * ImGui::GetContentRegionAvail().x;
  const auto make_room = [&](int j) {
    names = std::max(names, ImGui::CalcTextSize(printable(character.skeleton->label(j)).c_str()).x + desk.theme.px(4));
  };
  for (std::size_t k = 0; k < std::min(rows.size(), kMostShownInfluences); ++k) {
    make_room(rows[k].joint);
  }
  for (std::size_t k = 0; k < std::min(rows.size(), kMostShownInfluences); ++k) {
    draw_influence(rows[k], shown, limit, names, desk);
  }
  const bool is_new = joint >= 0 && std::ranges::find(rows, joint, &edit::JointShare::joint) == rows.end();
  const std::vector<int>& listed = character.skins[static_cast<std::size_t>(shown.skin)].joints;
  if (is_new && std::ranges::find(listed, joint) != listed.end()) {
    draw_influence({joint, 0}, shown, limit, names, desk);  // a joint that has nothing yet
  }
  const float spacing = ImGui::GetStyle().ItemInnerSpacing.x;
  const float width = std::floor((ImGui::GetContentRegionAvail().x - 2 * spacing) / 3);
  if (ImGui::Button("Copy", ImVec2(width, 0))) {
    panel.copied = rows;
    panel.copied_from = character.skeleton;
  }
  report_item(desk, "influence.copy");
  ImGui::SameLine(0, spacing);
  ImGui::BeginDisabled(panel.copied.empty() || !panel.copied_from.is(character.skeleton));
  if (ImGui::Button("Paste", ImVec2(width, 0))) {
    desk.change(on_shown(shown, to_row(panel.copied), limit));
  }
  ImGui::EndDisabled();
  report_item(desk, "influence.paste");
  ImGui::SameLine(0, spacing);
  ImGui::BeginDisabled(shown.places.size() < 2);
  if (ImGui::Button("Average", ImVec2(width, 0))) {
    desk.change(on_shown(shown, to_row(rows), limit));
  }
  ImGui::EndDisabled();
  report_item(desk, "influence.average");
  tip("All of them take their mean");
}

}  // namespace

void draw(PaintPanel& panel, Desk& desk) {
  BrushTool& tool = desk.workspace.panel<BrushTool>();
  const rig::Character& character = *edit::own_character(desk.document());
  const bool skinned = std::ranges::any_of(character.mesh_nodes, [](const auto& node) { return node.skin >= 0; });
  if (!skinned) {
    wrapped_text("No mesh hangs on a skin: bind one in the tab Bind.", color::kTextDim);
    return;
  }
  draw_tool_choice(desk);
  draw_brush_numbers(tool, desk);
  if (!pulls(desk)) {
    draw_fill(tool, desk);
  }
  if (pulls(desk) || !desk.document().content.kept_poses.empty()) {
    draw_kept_poses(tool, desk);
  }
  draw_brush_limits(tool, desk);
  draw_locks(desk);
  draw_influences(panel, tool, desk);
}

}  // namespace pelt::ui
