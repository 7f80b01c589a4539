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
#include "ui/brush_tool.h"
#include "ui/icons.h"
#include "ui/selecting.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr std::chrono::seconds kSpotPatience(120);  // for pictures, of machines that are busy
constexpr std::size_t kMostSpots = 40;
constexpr std::size_t kForeseenVertices = 200000;  // of larger characters the difference is seen when it is there

// Those that need nothing from elsewhere.
std::vector<const edit::WeightTool*> offered_tools() {
  std::vector<const edit::WeightTool*> out;
  for (const edit::WeightTool& tool : edit::weight_tools()) {
    if (!tool.needs_source && !tool.needs_table) {
      out.push_back(&tool);
    }
  }
  return out;
}

const edit::WeightTool& chosen_tool(const WeightToolsPanel& panel) {
  const edit::WeightTool* const tool = edit::find_weight_tool(panel.tool);
  return tool != nullptr ? *tool : *offered_tools().front();
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
    std::vector<std::uint32_t> vertices;
    if (panel.area == WeightToolsPanel::kJoint) {
      vertices = edit::vertices_of_joint(character, static_cast<int>(m), desk.document().view.selected_joint());
    } else if (panel.area == WeightToolsPanel::kSelection) {
      std::uint32_t first = 0;
      for (std::size_t p = 0; p < character.meshes[m].primitives.size(); ++p) {
        for (const edit::PartVertices& of_part : desk.document().view.selected_vertices) {
          const rig::Part& part = character.parts[static_cast<std::size_t>(of_part.part)];
          if (std::cmp_equal(part.mesh, m) && std::cmp_equal(part.primitive, p)) {
            for (const std::uint32_t v : of_part.vertices) {
              vertices.push_back(first + v);
            }
          }
        }
        first += static_cast<std::uint32_t>(character.meshes[m].primitives[p].vertex_count());
      }
    }
    if (panel.area != WeightToolsPanel::kAll && vertices.empty()) {
      continue;
    }
    std::ranges::sort(vertices);
    vertices.erase(std::ranges::unique(vertices).begin(), vertices.end());
    change.vertices = std::move(vertices);
    out.push_back(std::move(change));
  }
  return out;
}

std::size_t vertices_of(const rig::Character& character) {
  std::size_t count = 0;
  for (const mesh::Mesh& mesh : character.meshes) {
    for (const mesh::Primitive& primitive : mesh.primitives) {
      count += primitive.vertex_count();
    }
  }
  return count;
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
                                  .own_surface = edit::shows_own_surface(desk.document())};
  const auto& locked = desk.document().content.locked_joints;
  wish.locked.assign(locked.begin(), locked.end());
  if (tool.joints == edit::ToolJoints::kOne) {
    if (const int joint = painted_joint(desk); joint >= 0) {
      wish.joints = {joint};
    }
  } else if (tool.joints != edit::ToolJoints::kNone) {
    wish.joints = view.selected_joints;
  }
  return wish;
}

// What is to be known of a wish: why it is refused, or what it changes.
void foresee(WeightToolsPanel& panel, const WeightToolsPanel::Foreseen& wish, const Desk& desk) {
  if (wish == panel.foreseen) {
    return;
  }
  panel.foreseen = wish;
  panel.is_refused = true;
  if (panel.area == WeightToolsPanel::kSelection && !wish.own_surface) {
    panel.difference = "Vertices are selected on the surface shown, not on the file's own.";
    return;
  }
  const std::vector<edit::UseWeightTool> edits = tool_edits(panel, wish, desk);
  if (edits.empty()) {
    panel.difference = panel.area == WeightToolsPanel::kSelection ? "Select vertices of a skin."
                       : panel.area == WeightToolsPanel::kJoint   ? "Select a joint that has weight."
                                                                  : "No mesh hangs on a skin.";
    return;
  }
  // Meshes that refuse are left as they are, unless all do.
  panel.is_refused = std::ranges::all_of(edits, [&](const edit::UseWeightTool& change) {
    const std::string why = edit::why_refused(desk.document(), change);
    panel.difference = why + ".";
    return !why.empty();
  });
  if (panel.is_refused) {
    return;
  }
  panel.difference.clear();
  if (vertices_of(*wish.character) > kForeseenVertices) {
    return;
  }
  edit::WeightDifference total;
  for (const edit::UseWeightTool& change : edits) {
    const Result<std::shared_ptr<const rig::Character>> after = edit::with_weight_tool(*wish.character, change);
    if (!after || *after == nullptr) {
      continue;
    }
    const edit::WeightDifference one = edit::weight_difference(*wish.character, **after, change.mesh);
    const std::size_t sum = total.vertices + one.vertices;
    total.mean =
        sum > 0 ? (total.mean * static_cast<double>(total.vertices) + one.mean * static_cast<double>(one.vertices)) /
                      static_cast<double>(sum)
                : 0.0;
    total.vertices = sum;
    total.largest = std::max(total.largest, one.largest);
    total.most_joints = std::max(total.most_joints, one.most_joints);
  }
  panel.difference = total.vertices == 0 ? std::string("Nothing would change.")
                                         : fmt::format("Would change {}.", edit::sentence(total));
}

void draw_tool_field(const bind::Field& field, double& value, Desk& desk) {
  const std::string name = fmt::format("tools.{}", field.id);
  if (field.kind == bind::Field::Kind::kSwitch) {
    row_label(desk, "");
    bool on = value > 0.5;
    if (checkbox(desk, name.c_str(), std::string(field.label).c_str(), on, field.help)) {
      value = on ? 1 : 0;
    }
    return;
  }
  row_label(desk, std::string(field.label).c_str(), field.help);
  const bool whole = field.kind == bind::Field::Kind::kInteger;
  SliderStyle style{.lower = static_cast<float>(field.minimum), .upper = static_cast<float>(field.maximum)};
  style.format = whole ? "%.0f" : field.maximum - field.minimum < 0.5 ? "%.4f" : "%.3f";
  style.origin = static_cast<float>(field.standard);
  style.step = whole ? 1.0f : 0.0f;
  auto shown = static_cast<float>(value);
  bool ended = false;
  if (value_slider(desk, name.c_str(), shown, style, ImGui::GetContentRegionAvail().x, ended)) {
    value = std::clamp(static_cast<double>(shown), field.minimum, field.maximum);
  }
}

std::string joints_in_words(const edit::WeightTool& tool, const WeightToolsPanel::Foreseen& wish, const Desk& desk) {
  const rig::Skeleton& skeleton = desk.character().skeleton;
  const auto name = [&](std::size_t i) { return printable(skeleton.label(wish.joints[i]), 40); };
  switch (tool.joints) {
    case edit::ToolJoints::kNone:
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

void draw_tool(WeightToolsPanel& panel, Desk& desk) {
  const std::vector<const edit::WeightTool*> tools = offered_tools();
  const edit::WeightTool* tool = &chosen_tool(panel);
  int choice = static_cast<int>(std::ranges::find(tools, tool) - tools.begin());
  row_label(desk, "Tool", "What it does is one step, and can be undone");
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  if (combo(desk, "tools.tool", static_cast<int>(tools.size()), choice,
            [&](int i) { return std::string(tools[static_cast<std::size_t>(i)]->label); })) {
    tool = tools[static_cast<std::size_t>(choice)];
    panel.tool = tool->id;
  }
  wrapped_text(std::string(tool->help) + ".", color::kTextDim);
  std::vector<double>& values = tool_values(panel, *tool);
  for (std::size_t f = 0; f < tool->fields.size(); ++f) {
    draw_tool_field(tool->fields[f], values[f], desk);
  }
  row_label(desk, "Where", "In the selected vertices, where the active joint has weight, or everywhere");
  constexpr std::array<const char*, 3> kAreas = {"Selection", "Joint", "All"};
  segmented(desk, "tools.area", kAreas, panel.area);
  const WeightToolsPanel::Foreseen wish = wish_of(panel, desk);
  if (const std::string joints = joints_in_words(*tool, wish, desk); !joints.empty()) {
    row_label(desk, "Joints");
    wrapped_text(joints);
  }
  foresee(panel, wish, desk);
  ImGui::BeginDisabled(panel.is_refused);
  if (ImGui::Button("Apply###tools.apply", ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
    for (edit::UseWeightTool& change : tool_edits(panel, wish, desk)) {
      if (edit::why_refused(desk.document(), change).empty()) {
        desk.change(std::move(change), "tool");
      }
    }
    desk.requests.end_merge = true;
  }
  report_item(desk, "tools.apply");
  ImGui::EndDisabled();
  if (!panel.difference.empty()) {
    wrapped_text(panel.difference, panel.is_refused ? color::kWarning : color::kTextDim);
  }
}

void show_spot(WeightToolsPanel& panel, std::size_t i, Desk& desk) {
  const edit::WorstSpot& spot = panel.spots->spots[i];
  panel.spot = static_cast<int>(i);
  desk.workspace.playback.playing = false;
  if (has_index(panel.spots->poses, spot.pose) && panel.searched != nullptr) {
    for (edit::Change& change :
         edit::changes_of(desk.document(), *panel.searched, panel.spots->poses[static_cast<std::size_t>(spot.pose)])) {
      desk.change(std::move(change), "spot");
    }
    desk.requests.end_merge = true;
  }
  if (has_index(desk.character().parts, spot.part) &&
      spot.vertex <
          desk.character().primitive(desk.character().parts[static_cast<std::size_t>(spot.part)]).vertex_count()) {
    select_vertices(desk, {{spot.part, {spot.vertex}}}, edit::SelectBy::kReplace);
    desk.requests.pin = glm::ivec2(spot.part, static_cast<int>(spot.vertex));
  }
  if (spot.joint >= 0) {
    select(desk, spot.joint);
  }
}

void draw_spots(WeightToolsPanel& panel, Desk& desk) {
  if (!section(desk, "Worst spots")) {
    return;
  }
  wrapped_text(
      "All joints go through their range; places that stretch, flip or jump are listed. A click poses the "
      "character and selects the place.",
      color::kTextDim);
  const bool runs = panel.job != nullptr && panel.job->active();
  if (runs) {
    const std::optional<Jobs::Row> row = panel.job->row();
    ImGui::ProgressBar(row ? row->fraction : 1.0f, ImVec2(ImGui::GetContentRegionAvail().x, 0), "");
    if (ImGui::Button("Cancel###tools.spots", ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
      panel.job->cancel();
    }
  } else if (ImGui::Button("Find the worst spots###tools.spots", ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
    if (panel.job == nullptr) {
      panel.job = std::make_unique<JobSlot<edit::WorstSpots>>(desk.workspace.jobs, Jobs::Kind::kLong,
                                                              "Looking for the worst spots");
    }
    panel.searched = std::make_shared<const edit::Document>(desk.document());
    panel.spots.reset();
    panel.job->start([document = panel.searched, cache = desk.scene.skin_cache](const Progress& progress) {
      return edit::find_worst_spots(*document, {.clips = false}, kMostSpots, cache, progress);
    });
  }
  report_item(desk, "tools.spots");
  if (panel.job != nullptr) {
    if (panel.patient) {
      panel.job->wait(kSpotPatience);
    }
    if (std::optional<edit::WorstSpots> found = panel.job->take()) {
      panel.spots = std::make_shared<const edit::WorstSpots>(*std::move(found));
      panel.spot = -1;
    }
  }
  if (panel.spots == nullptr) {
    return;
  }
  const bool is_same = panel.spots->character != nullptr &&
                       panel.spots->character->skeleton.is(desk.character().skeleton) &&
                       panel.spots->character->parts == desk.character().parts;
  if (panel.spots->spots.empty()) {
    wrapped_text(fmt::format("{}  Nothing deforms badly", icon::kCheck), color::kGood);
  }
  for (std::size_t i = 0; i < panel.spots->spots.size() && is_same; ++i) {
    ImGui::PushID(static_cast<int>(i));
    const std::string words = printable(edit::sentence(*panel.spots, panel.spots->spots[i]), 300);
    if (ImGui::Selectable(fitted(words, ImGui::GetContentRegionAvail().x).c_str(), panel.spot == static_cast<int>(i))) {
      show_spot(panel, i, desk);
    }
    report_item(desk, fmt::format("tools.spot.{}", i));
    tip(words);
    ImGui::PopID();
  }
}

}  // namespace

void draw(WeightToolsPanel& panel, Desk& desk) {
  const rig::Character& character = *edit::own_character(desk.document());
  const bool skinned = std::ranges::any_of(character.mesh_nodes, [](const auto& node) { return node.skin >= 0; });
  if (!skinned) {
    wrapped_text("No mesh hangs on a skin: bind one in the tab Bind.", color::kTextDim);
    return;
  }
  draw_tool(panel, desk);
  draw_spots(panel, desk);
}

}  // namespace pelt::ui
