#include "ui/selecting.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "core/text.h"
#include "edit/hiding.h"
#include "edit/selection_edits.h"
#include "ui/hiding.h"
#include "ui/icons.h"
#include "ui/modes.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {

edit::SelectBy select_by_keys() {
  const ImGuiIO& io = ImGui::GetIO();
  return io.KeyCtrl ? edit::SelectBy::kToggle : io.KeyShift ? edit::SelectBy::kAdd : edit::SelectBy::kReplace;
}

void select(Desk& desk, std::vector<int> picked, edit::SelectBy by) {
  std::erase(picked, -1);
  desk.requests.select_joints = edit::combined(desk.document().view.selected_joints, picked, by);
  const std::vector<int>& now = *desk.requests.select_joints;
  if (desk.workspace.weights_follow_selection && desk.workspace.view.weight_joint >= 0 && !now.empty()) {
    desk.workspace.view.weight_joint = now.back();
  }
}

void select(Desk& desk, int joint) {
  select(desk, std::vector<int>{joint}, edit::SelectBy::kReplace);
}

void select_vertices(Desk& desk, const edit::VertexSelection& picked, edit::SelectBy by) {
  desk.requests.select_vertices = edit::shown(edit::combined(desk.document().view.selected_vertices, picked, by),
                                              desk.character(), hidden_surface(desk));
}

bool selects_vertices(const Desk& desk) {
  return desk.workspace.mode == "weights";
}

bool is_about_vertices(const Desk& desk) {
  return desk.workspace.menu_about_vertices.value_or(selects_vertices(desk));
}

bool shows_pin(const Desk& desk) {
  return desk.document().view.pinned_vertex >= 0 && (selects_vertices(desk) || desk.workspace.view.ghost_points);
}

void let_go(Desk& desk) {
  const bool vertices = selects_vertices(desk) && !desk.document().view.selected_vertices.empty();
  if (!vertices && !shows_pin(desk)) {
    select(desk, -1);
    return;
  }
  desk.requests.pin = glm::ivec2(-1);
  if (vertices) {
    select_vertices(desk, {}, edit::SelectBy::kReplace);
  }
}

namespace {

int slider_like(const rig::JointDofs& dofs, const rig::Dof& wanted) {
  const int found = dofs.find(wanted.name);
  return found >= 0 && dofs.dofs[found].kind == wanted.kind ? found : -1;
}

std::vector<FollowingSlider> following_sliders(const Desk& desk, int joint, int dof) {
  const edit::Document& document = desk.document();
  const rig::Pose base = edit::evaluate_base_pose(document);
  std::vector<FollowingSlider> others;
  const std::vector<int>& joints = document.view.selected_joints;
  if (std::ranges::find(joints, joint) == joints.end()) {
    return others;
  }
  const rig::JointDofs dofs = edit::joint_dofs(document, joint);
  for (const int other : joints) {
    const int like = other == joint ? -1 : slider_like(edit::joint_dofs(document, other), dofs.dofs[dof]);
    if (like >= 0) {
      others.push_back({other, like, edit::dof_values(document, other, base)[like]});
    }
  }
  return others;
}

}  // namespace

void change_dof(Desk& desk, int joint, int dof, float value, const std::string& merge_key) {
  SliderDrag& drag = desk.workspace.slider_drag;
  if (drag.press != desk.workspace.presses || drag.joint != joint || drag.dof != dof) {
    drag = {desk.workspace.presses, joint, dof, edit::dof_values(desk.document(), joint)[dof],
            following_sliders(desk, joint, dof)};
  }
  if (drag.others.empty()) {
    desk.change(edit::SetDof{joint, dof, value}, merge_key);
    return;
  }
  const rig::JointDofs dofs = edit::joint_dofs(desk.document(), joint);
  const rig::Dof& moved = dofs.dofs[dof];
  value = std::clamp(value, moved.lower, moved.upper);
  edit::SetDofs sliders{{{joint, dof, value}}};
  for (const FollowingSlider& other : drag.others) {
    sliders.sliders.push_back({other.joint, other.dof, other.start + (value - drag.start)});
  }
  desk.change(std::move(sliders), merge_key);
}

void reset_dof(Desk& desk, int joint, int dof, const std::string& merge_key) {
  edit::ResetDofs back{{{joint, dof}}};
  for (const FollowingSlider& other : following_sliders(desk, joint, dof)) {
    back.sliders.push_back({other.joint, other.dof});
  }
  desk.change(std::move(back), merge_key);
}

void reset_selected(Desk& desk, edit::ResetScope scope, edit::ResetTo to) {
  desk.change(edit::ResetJoints{desk.document().view.selected_joints, scope, to});
}

std::vector<int> selected_mesh_nodes(const Desk& desk) {
  const rig::Character& character = desk.character();
  const edit::View& view = desk.document().view;
  std::vector<int> nodes;
  const bool of_vertices = is_about_vertices(desk) && !view.selected_vertices.empty();
  const bool of_pin = !of_vertices && shows_pin(desk) && (is_about_vertices(desk) || view.selected_joints.empty());
  for (std::size_t i = 0; of_vertices && i < view.selected_vertices.size(); ++i) {
    nodes.push_back(character.parts[view.selected_vertices[i].part].joint);
  }
  if (of_pin) {
    nodes.push_back(character.parts[view.pinned_part].joint);
  }
  for (const rig::MeshNode& node : character.mesh_nodes) {
    const bool listed = node.skin >= 0 && std::ranges::any_of(view.selected_joints, [&](int joint) {
                          const auto& joints = character.skins[node.skin].joints;
                          return std::ranges::find(joints, joint) != joints.end();
                        });
    const bool hangs = std::ranges::any_of(view.selected_joints, [&](int joint) {
      return node.skin < 0 ? character.skeleton->is_within(node.joint, joint) : node.joint == joint;
    });
    if (!of_vertices && !of_pin && (listed || hangs)) {
      nodes.push_back(node.joint);
    }
  }
  std::ranges::sort(nodes);
  const auto again = std::ranges::unique(nodes);
  nodes.erase(again.begin(), again.end());
  return nodes;
}

namespace {

std::vector<char> hidden_now(const Desk& desk) {
  return hidden_surface(desk).nodes;
}

void toggle_node(Desk& desk, int node) {
  std::vector<int>& toggled = desk.workspace.view.toggled_nodes;
  if (std::erase(toggled, node) == 0) {
    toggled.push_back(node);
    std::ranges::sort(toggled);
  }
}

}  // namespace

void hide_nodes(Desk& desk, std::span<const int> nodes) {
  for (const int node : nodes) {
    if (hidden_now(desk)[node] == 0) {
      toggle_node(desk, node);
    }
  }
}

void isolate_nodes(Desk& desk, std::span<const int> nodes) {
  const rig::Character& character = desk.character();
  for (const rig::MeshNode& node : character.mesh_nodes) {
    // What carries one of them has to stay.
    const bool carries =
        std::ranges::any_of(nodes, [&](int wanted) { return character.skeleton->is_within(wanted, node.joint); });
    if (!carries && hidden_now(desk)[node.joint] == 0) {
      toggle_node(desk, node.joint);
    }
  }
}

namespace {

// What a name is not about stays selected: vertices under one of joints, joints under one of vertices.
void select_named(const edit::NamedSelection& selection, Desk& desk) {
  if (!selection.joints.empty()) {
    select(desk, selection.joints, select_by_keys());
  }
  if (selection.vertices.empty()) {
    return;
  }
  const auto say = [&](const char* what) { desk.workspace.notice = Notice{Severity::kInfo, what, desk.scene.now}; };
  if (!edit::shows_own_surface(desk.document())) {
    say("Its vertices are of the file's own surface, and another one is shown");
    return;
  }
  const edit::VertexSelection shown = edit::shown_vertices(desk.character(), selection.vertices);
  if (shown.empty()) {
    say("Its vertices are in another scene");
    return;
  }
  select_vertices(desk, shown, select_by_keys());
  if (!selects_vertices(desk)) {
    say("Its vertices are selected; the Weights mode shows them");
  }
}

void draw_named(const std::string& name, const edit::NamedSelection& selection, Desk& desk) {
  ImGui::PushID(name.c_str());
  const float side = ImGui::GetFrameHeight();
  const std::string what = fmt::format(
      "{}  ({})", printable(name),
      selection.vertices.empty()
          ? count_of(std::ssize(selection.joints), "joint", "joints")
          : count_of(static_cast<std::int64_t>(edit::vertex_count(selection.vertices)), "vertex", "vertices"));
  if (ImGui::Selectable("##named", false, 0, ImVec2(ImGui::GetContentRegionAvail().x - side, side))) {
    select_named(selection, desk);
  }
  report_item(desk, "selection.named." + name);
  const ImVec2 at = ImGui::GetItemRectMin();
  clipped_text_at({at.x + desk.theme.px(4), at.y + desk.theme.px(4)}, what,
                  ImGui::GetItemRectMax().x - at.x - desk.theme.px(8));
  ImGui::SameLine(0, 0);
  if (icon_button(desk, ("selection.forget." + name).c_str(), icon::kClose, "Forget this name")) {
    desk.change(edit::RemoveSelection{name});
  }
  ImGui::PopID();
}

// Buttons of equal width, as many in a row as fit; each runs an action.
void draw_actions(std::span<const char* const> ids, Desk& desk) {
  const float spacing = ImGui::GetStyle().ItemInnerSpacing.x;
  const float room = ImGui::GetContentRegionAvail().x;
  float widest = 0;
  for (const char* id : ids) {
    widest = std::max(widest, ImGui::CalcTextSize(find_action(id)->label).x + 2 * ImGui::GetStyle().FramePadding.x);
  }
  const auto fit = static_cast<std::size_t>(std::max(1.0f, std::floor((room + spacing) / (widest + spacing))));
  const std::size_t rows = (ids.size() + fit - 1) / fit;
  const std::size_t per_row = (ids.size() + rows - 1) / rows;
  const float width = std::floor((room + spacing) / static_cast<float>(per_row) - spacing);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i % per_row != 0) {
      ImGui::SameLine(0, spacing);
    }
    const Action& action = *find_action(ids[i]);
    ImGui::BeginDisabled(!enabled(action, desk));
    if (ImGui::Button(action.label, ImVec2(width, 0))) {
      run(action, desk);
    }
    report_item(desk, fmt::format("selection.{}", action.id));
    ImGui::EndDisabled();
    if (const std::string key = name_of(action.key); !key.empty()) {
      tip(key);
    }
  }
}

void draw_by_weight(SelectionSection& state, Desk& desk) {
  const int joint = desk.document().view.selected_joint();
  row_label(desk, "Weight from", "Vertices that follow the active joint with at least this weight");
  bool ended = false;
  const float side = desk.theme.px(70);
  const float spacing = ImGui::GetStyle().ItemInnerSpacing.x;
  value_slider(desk, "selection.least", state.least, {.lower = 0, .upper = 1, .format = "%.2f", .origin = 0.01f},
               ImGui::GetContentRegionAvail().x - side - spacing, ended);
  ImGui::SameLine(0, spacing);
  ImGui::BeginDisabled(joint < 0);
  if (ImGui::Button("Select", ImVec2(side, 0))) {
    select_vertices(desk, edit::with_weight(desk.character(), joint, state.least, 1), select_by_keys());
  }
  report_item(desk, "selection.by-weight");
  ImGui::EndDisabled();
  row_label(desk, "");
  checkbox(desk, "selection.through", "Box takes hidden ones", desk.workspace.select_through,
           "A box also takes vertices that the surface hides");
}

}  // namespace

void draw_selection_section(SelectionSection& state, Desk& desk) {
  const edit::View& view = desk.document().view;
  const bool of_vertices = selects_vertices(desk);
  const bool is_open = (of_vertices && !view.selected_vertices.empty()) || view.selected_joints.size() > 1;
  if (!section(desk, "Selection", is_open)) {
    return;
  }
  const std::size_t vertices = edit::vertex_count(view.selected_vertices);
  number_line(desk, "Selected",
              of_vertices ? count_of(static_cast<std::int64_t>(vertices), "vertex", "vertices")
                          : count_of(std::ssize(view.selected_joints), "joint", "joints"));
  static constexpr const char* kOfJoints[] = {"select.branch", "select.mirror", "select.above",
                                              "select.below",  "select.all",    "edit.deselect"};
  static constexpr const char* kOfVertices[] = {"select.connected", "select.grow", "select.shrink",
                                                "select.all-vertices", "edit.deselect"};
  if (of_vertices) {
    draw_actions(kOfVertices, desk);
    draw_by_weight(state, desk);
  } else {
    draw_actions(kOfJoints, desk);
  }
  const float side = desk.theme.px(70);
  const float spacing = ImGui::GetStyle().ItemInnerSpacing.x;
  row_label(desk, "Name");
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - side - spacing);
  const bool entered =
      ImGui::InputTextWithHint("##name", "of the selection", &state.name, ImGuiInputTextFlags_EnterReturnsTrue);
  report_item(desk, "selection.name");
  ImGui::SameLine(0, spacing);
  const bool has_vertices = of_vertices && !view.selected_vertices.empty() && edit::shows_own_surface(desk.document());
  ImGui::BeginDisabled(state.name.empty() || (view.selected_joints.empty() && !has_vertices));
  if (ImGui::Button("Keep", ImVec2(side, 0)) || (entered && !state.name.empty())) {
    desk.change(edit::NameSelection{state.name, edit::selected(desk.document(), of_vertices)});
    state.name.clear();
  }
  report_item(desk, "selection.keep");
  ImGui::EndDisabled();
  for (const auto& [name, selection] : *desk.document().content.selections) {
    draw_named(name, selection, desk);
  }
}

}  // namespace pelt::ui
