#include "ui/weight_tools_panel.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "core/index.h"
#include "core/text.h"
#include "edit/commands.h"
#include "edit/pose_battery.h"
#include "edit/weight_edits.h"
#include "ui/actions.h"
#include "ui/brush_tool.h"
#include "ui/field_row.h"
#include "ui/icons.h"
#include "ui/mend_words.h"
#include "ui/selecting.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr std::chrono::seconds kToolPatience(120);  // for pictures, of machines that are busy
constexpr double kUnnoticed = 0.5;                  // seconds; a button that comes and goes at once is a flicker
// The difference on a small character is there in the same picture.
constexpr std::chrono::milliseconds kForesightPatience(4);

const edit::WeightTool& chosen_tool(const WeightToolsPanel& panel) {
  const edit::WeightTool* const tool = edit::find_weight_tool(panel.tool);
  return tool != nullptr ? *tool : edit::weight_tools().front();
}

std::vector<double>& tool_values(WeightToolsPanel& panel, const edit::WeightTool& tool) {
  std::vector<double>& values = panel.values[std::string(tool.id)];
  if (values.size() != tool.fields.size()) {
    values = edit::standard_values(tool);
  }
  return values;
}

// One edit for each mesh concerned.
std::vector<edit::UseWeightTool> tool_edits(const WeightToolsPanel& panel, const WeightToolsPanel::Foreseen& wish,
                                            const Desk& desk) {
  const rig::Character& character = *edit::own_character(desk.document());
  std::vector<edit::UseWeightTool> out;
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    const bool is_skinned = std::ranges::any_of(character.mesh_nodes, [&](const rig::MeshNode& node) {
      return std::cmp_equal(node.mesh, m) && node.skin >= 0;
    });
    if (!is_skinned) {
      continue;
    }
    edit::UseWeightTool change{.tool = wish.tool, .values = wish.values, .mesh = static_cast<int>(m)};
    change.joints = wish.joints;
    change.locked = wish.locked;
    change.source = wish.source;
    change.table = wish.table;
    std::vector<std::uint32_t> vertices = scope_vertices(panel, static_cast<int>(m), desk);
    if (panel.area != WeightToolsPanel::kAll && vertices.empty()) {
      continue;
    }
    change.vertices = std::move(vertices);
    out.push_back(std::move(change));
  }
  return out;
}

WeightToolsPanel::Foreseen wish_of(WeightToolsPanel& panel, const Desk& desk) {
  const edit::WeightTool& tool = chosen_tool(panel);
  const edit::View& view = desk.document().view;
  WeightToolsPanel::Foreseen wish{.character = edit::own_character(desk.document()),
                                  .tool = std::string(tool.id),
                                  .values = tool_values(panel, tool),
                                  .area = panel.area,
                                  .area_joint = panel.area == WeightToolsPanel::kJoint ? view.selected_joint() : -1,
                                  .joints = {},
                                  .locked = {},
                                  .vertices = view.selected_vertices,
                                  .own_surface = edit::shows_own_surface(desk.document()),
                                  .source = tool.needs_source ? panel.source.character : nullptr,
                                  .table = tool.needs_table ? panel.source.table : nullptr};
  const auto& locked = desk.document().content.locked_joints;
  wish.locked.assign(locked.begin(), locked.end());
  if (tool.joints == edit::ToolJoints::kOne) {
    if (const int joint = painted_joint(desk); joint >= 0) {
      wish.joints = {joint};
    }
  } else if (tool.joints != edit::ToolJoints::kNone && tool.joints != edit::ToolJoints::kAny) {
    wish.joints = view.selected_joints;
  }
  return wish;
}

// Why a wish is refused; empty where it is not. Meshes that refuse are left as they are, unless all do, and `out_left`
// says why the last of them is.
std::string why_not(const WeightToolsPanel& panel, const WeightToolsPanel::Foreseen& wish,
                    std::vector<edit::UseWeightTool>& edits, std::string& out_left, const Desk& desk) {
  const edit::WeightTool& tool = chosen_tool(panel);
  if (tool.needs_source && wish.source == nullptr) {
    return "Open the character that gives its weights.";
  }
  if (tool.needs_table && wish.table == nullptr) {
    return "Open a text of weights.";
  }
  if (const std::string why_no = why_no_scope(panel, desk); !why_no.empty()) {
    return why_no;
  }
  if (edits.empty()) {
    return "Select a joint that has weight.";
  }
  std::string why;
  std::erase_if(edits, [&](const edit::UseWeightTool& change) {
    const std::string refusal = edit::why_refused(desk.document(), change);
    why = !refusal.empty() ? refusal + "." : why;
    return !refusal.empty();
  });
  out_left = edits.empty() ? std::string() : why;
  return edits.empty() ? why : std::string();
}

// What is to be known of a wish: why it is refused, or what it changes, which is computed in the background.
void foresee(WeightToolsPanel& panel, const WeightToolsPanel::Foreseen& wish, const Desk& desk) {
  if (desk.workspace.panel<BrushTool>().busy) {
    return;  // every dab of a stroke would begin one
  }
  std::chrono::milliseconds patience(0);
  if (wish != panel.foreseen) {
    panel.foreseen = wish;
    panel.outcome.reset();
    std::vector<edit::UseWeightTool> edits = tool_edits(panel, wish, desk);
    panel.difference = why_not(panel, wish, edits, panel.left, desk);
    panel.is_refused = !panel.difference.empty();
    panel.is_cancelled = false;
    if (const bool is_long = chosen_tool(panel).needs_source;
        panel.foreseeing == nullptr || is_long != panel.foresees_long) {
      panel.foresees_long = is_long;
      panel.foreseeing = std::make_unique<JobSlot<edit::ForeseenWeights>>(
          desk.workspace.jobs, is_long ? Jobs::Kind::kLong : Jobs::Kind::kLive,
          is_long ? "Transferring weights" : "Foreseeing what a tool does");
    }
    if (panel.is_refused) {
      panel.foreseeing->cancel();
      return;
    }
    panel.foreseeing->start([character = wish.character, edits = std::move(edits)](const Progress& progress) {
      return edit::foreseen_weights(character, edits, progress);
    });
    panel.difference = "Computing what would change\u2026";
    patience = kForesightPatience;
  }
  panel.foreseeing->wait(panel.patient ? kToolPatience : patience);
  const bool runs = panel.foreseeing->active();  // asked first: what ends meanwhile has its result
  if (panel.foreseeing->failed()) {
    panel.difference = "There is not enough memory for that.";
    panel.is_refused = true;
  }
  if (std::optional<edit::ForeseenWeights> outcome = panel.foreseeing->take()) {
    panel.outcome = std::make_shared<const edit::ForeseenWeights>(*std::move(outcome));
    panel.difference = foreseen_in_words(*panel.outcome);
    if (!panel.left.empty()) {
      panel.difference += " Left as it is: " + panel.left;
    }
  } else if (!runs && panel.outcome == nullptr && !panel.is_refused && !panel.is_cancelled) {
    panel.is_cancelled = true;
    panel.difference = "Cancelled: nothing was changed.";
  }
}

std::string joints_in_words(const edit::WeightTool& tool, const WeightToolsPanel::Foreseen& wish, const Desk& desk) {
  const rig::Skeleton& skeleton = desk.character().skeleton;
  const auto name = [&](std::size_t i) { return printable(skeleton.label(wish.joints[i]), 40); };
  switch (tool.joints) {
    case edit::ToolJoints::kNone:
    case edit::ToolJoints::kAny:
      return {};
    case edit::ToolJoints::kOne:
      return wish.joints.empty() ? "Select the joint." : name(0);
    case edit::ToolJoints::kTwo:
      return wish.joints.size() != 2 ? "Select two joints: from the first to the active one."
                                     : fmt::format("{} \u2192 {}", name(0), name(1));
    case edit::ToolJoints::kSeveral:
      return wish.joints.size() < 2
                 ? "Select joints: the active one gets what the others have."
                 : fmt::format("{} \u2192 {}",
                               count_of(static_cast<std::int64_t>(wish.joints.size()) - 1, "joint", "joints"),
                               name(wish.joints.size() - 1));
  }
  return {};
}

void draw_apply(WeightToolsPanel& panel, Desk& desk) {
  const float width = ImGui::GetContentRegionAvail().x;
  const std::optional<Jobs::Row> row =
      panel.foreseeing != nullptr && panel.foresees_long ? panel.foreseeing->row() : std::nullopt;
  if (row && row->seconds > kUnnoticed) {
    progress_bar(desk, row->fraction, width);
    if (ImGui::Button("Cancel###tools.cancel", ImVec2(width, 0))) {
      cancel_foresight(panel);
    }
    report_item(desk, "tools.cancel");
    return;
  }
  if (panel.is_cancelled) {
    if (ImGui::Button("See what would change###tools.again", ImVec2(width, 0))) {
      panel.foreseen = {};
    }
    report_item(desk, "tools.again");
    return;
  }
  ImGui::BeginDisabled(panel.is_refused || panel.outcome == nullptr);
  if (ImGui::Button("Apply###tools.apply", ImVec2(width, 0))) {
    for (const edit::UseWeightTool& change : panel.outcome->edits) {
      desk.change(change, "tool");
    }
    desk.requests.end_merge = true;
  }
  report_item(desk, "tools.apply");
  ImGui::EndDisabled();
}

// Two lines in any case, so that what stands below keeps its place while the words change.
void draw_difference(const WeightToolsPanel& panel) {
  const float from = ImGui::GetCursorPosY();
  const float room = 2 * ImGui::GetTextLineHeight() + ImGui::GetStyle().ItemSpacing.y;
  if (!panel.difference.empty()) {
    wrapped_text(panel.difference, panel.is_refused ? color::kWarning : color::kTextDim);
  }
  if (const float used = ImGui::GetCursorPosY() - from; used < room) {
    ImGui::Dummy(ImVec2(0, room - used - ImGui::GetStyle().ItemSpacing.y));
  }
}

void draw_tool(WeightToolsPanel& panel, Desk& desk) {
  const std::span<const edit::WeightTool> tools = edit::weight_tools();
  const edit::WeightTool* tool = &chosen_tool(panel);
  int choice = static_cast<int>(tool - tools.data());
  row_label(desk, "Tool", "What it does is one step, and can be undone");
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  if (combo(desk, "tools.tool", static_cast<int>(tools.size()), choice,
            [&](int i) { return std::string(tools[static_cast<std::size_t>(i)].label); })) {
    tool = &tools[static_cast<std::size_t>(choice)];
    panel.tool = tool->id;
  }
  wrapped_text(std::string(tool->help) + ".", color::kTextDim);
  if (tool->needs_source || tool->needs_table) {
    draw_weight_source(panel.source, *tool, desk);
  }
  std::vector<double>& values = tool_values(panel, *tool);
  for (std::size_t f = 0; f < tool->fields.size(); ++f) {
    field_row(desk, "tools", tool->fields[f], values[f]);
  }
  draw_weight_scope(panel, "tools.area", false, desk);
  const WeightToolsPanel::Foreseen wish = wish_of(panel, desk);
  if (const std::string joints = joints_in_words(*tool, wish, desk); !joints.empty()) {
    row_label(desk, "Joints");
    wrapped_text(joints);
  }
  foresee(panel, wish, desk);
  draw_apply(panel, desk);
  draw_difference(panel);
  if (panel.outcome != nullptr) {
    draw_unmatched(*panel.outcome, *tool, desk);
  }
  if (tool->needs_source) {
    draw_joint_partners(panel.source, desk);
  }
}

}  // namespace

bool cancel_foresight(WeightToolsPanel& panel) {
  if (panel.foreseeing == nullptr || !panel.foresees_long || !panel.foreseeing->active()) {
    return false;
  }
  panel.foreseeing->cancel();
  panel.is_cancelled = true;
  panel.difference = "Cancelled: nothing was changed.";
  return true;
}

void draw(WeightToolsPanel& panel, Desk& desk) {
  const rig::Character& character = *edit::own_character(desk.document());
  const bool skinned = std::ranges::any_of(character.mesh_nodes, [](const auto& node) { return node.skin >= 0; });
  if (!skinned) {
    wrapped_text("No mesh hangs on a skin: bind one in the tab Bind.", color::kTextDim);
    return;
  }
  follow_weight_source(panel.source, panel.patient);
  if (std::exchange(panel.scroll_up, false)) {
    ImGui::SetScrollY(0);
  }
  draw_tool(panel, desk);
  draw_weight_text(desk);
}

}  // namespace pelt::ui
