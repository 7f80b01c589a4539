#include "ui/worst_spots_section.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "core/index.h"
#include "core/text.h"
#include "edit/commands.h"
#include "edit/pose_battery.h"
#include "edit/spot_labels.h"
#include "ui/brush_tool.h"
#include "ui/icons.h"
#include "ui/selecting.h"
#include "ui/spot_view.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr std::chrono::seconds kSpotPatience(120);  // for pictures, of machines that are busy
constexpr std::size_t kMostSpots = 40;
constexpr float kBonesRound = 1.5f;   // bones of the joint, round spot and joint; within the next two
constexpr float kLeastRound = 0.01f;  // of the character's diagonal
constexpr float kMostRound = 0.08f;   // of the character's diagonal
constexpr const char* kOrder =
    "The joint with the worst place comes first, and of each joint the worst place. The number adds up how much the "
    "edges of a place change, how far that stands out from what lies round it, and 1 where a triangle flips.";

// Whether the spots are of the character that is open.
bool is_of_character(const WorstSpotsSection& state, const Desk& desk) {
  if (state.spots == nullptr || state.searched == nullptr || state.spots->character == nullptr ||
      !edit::same_joints(state.spots->character->skeleton, desk.character().skeleton) ||
      state.spots->character->parts != desk.character().parts) {
    return false;
  }
  // On another surface, or on a welded one, the vertices have other numbers.
  return std::ranges::all_of(desk.character().parts, [&](const rig::Part& part) {
    return state.spots->character->primitive(part).vertex_count() == desk.character().primitive(part).vertex_count();
  });
}

void show_spot(WorstSpotsSection& state, std::size_t i, Desk& desk) {
  const edit::WorstSpot& spot = state.spots->spots[i];
  state.spot = static_cast<int>(i);
  desk.workspace.playback.playing = false;
  if (has_index(state.spots->poses, spot.pose)) {
    for (edit::Change& change : edit::changes_of(desk.document(), *state.spots, spot)) {
      desk.change(std::move(change), "spot", edit::look_label(*state.spots, spot));
    }
    desk.requests.end_merge = true;
  }
  if (has_index(desk.character().parts, spot.part) &&
      spot.vertex < desk.character().primitive(desk.character().parts[spot.part]).vertex_count()) {
    select_vertices(desk, {{spot.part, {spot.vertex}}}, edit::SelectBy::kReplace);
    desk.requests.pin = glm::ivec2(spot.part, static_cast<int>(spot.vertex));
  }
  const std::vector<int>& selected = desk.document().view.selected_joints;
  const int joint = edit::joint_of(*state.spots, spot);
  // With several that are listed alone the others stay listed.
  if (joint >= 0 && !(state.only_selected && std::ranges::find(selected, joint) != selected.end())) {
    select(desk, joint);
  }
  desk.workspace.view.skeleton = true;  // the joint lies within the flesh
  state.frames_spot = 2;                // the next picture is the first of its pose
}

// The camera goes to the side from which nothing hides the spot, and shows the joint with it.
void frame_spot(const WorstSpotsSection& state, Desk& desk) {
  if (!is_of_character(state, desk) || !has_index(state.spots->spots, state.spot) || !desk.scene.deformed) {
    return;
  }
  const edit::WorstSpot& spot = state.spots->spots[static_cast<std::size_t>(state.spot)];
  const deform::DeformedCharacter& shape = desk.scene.deformed(desk.document().view.active_pane);
  if (!has_index(shape.parts, spot.part) || spot.vertex >= shape.parts[spot.part].positions.size()) {
    return;
  }
  const glm::vec3 at = shape.parts[spot.part].positions[spot.vertex];
  const int joint = edit::joint_of(*state.spots, spot);
  const glm::vec3 pivot = has_index(desk.scene.world, joint) ? glm::vec3(desk.scene.world[joint][3]) : at;
  render::Camera& camera = desk.workspace.camera;
  const glm::vec3 present = glm::normalize(camera.eye() - camera.pivot);
  const SpotView view = open_view(desk.character(), shape, spot.part, spot.vertex, pivot, present);
  camera.azimuth = std::atan2(view.towards_eye.x, view.towards_eye.z);
  camera.elevation = std::asin(std::clamp(view.towards_eye.y, -1.0f, 1.0f));
  camera.roll = 0;
  Bounds bounds;
  bounds.add(at);
  bounds.add(pivot);
  // A finger needs less room than a thigh.
  const float diagonal = std::max(desk.scene.bounds.diagonal(), 1e-2f);
  const rig::Skeleton& skeleton = desk.character().skeleton;
  const float bone = joint >= 0 ? rig::bone_length(skeleton, joint) : diagonal;
  const float room = std::clamp(kBonesRound * bone, kLeastRound * diagonal, kMostRound * diagonal);
  bounds.lower -= room;
  bounds.upper += room;
  frame_box(desk.workspace, desk.document(), bounds);
}

// What was mended is measured with the weights of now, be they edited, undone or redone.
void measure_again(WorstSpotsSection& state, Desk& desk) {
  std::vector<std::size_t> which;
  for (const auto& [spot, outcome] : state.menu.outcomes) {
    if (!outcome.label.empty()) {
      which.push_back(static_cast<std::size_t>(spot));
    }
  }
  if (which.empty() || !is_of_character(state, desk)) {
    return;
  }
  if (state.measuring == nullptr) {
    state.measuring = std::make_unique<JobSlot<std::map<int, edit::WorstSpot>>>(desk.workspace.jobs, Jobs::Kind::kLive,
                                                                                "Measuring worst spots");
  }
  state.measuring->start([document = std::make_shared<const edit::Document>(edit::without_history(desk.document())),
                          spots = state.spots, which, cache = desk.scene.skin_cache](
                             const Progress& progress) -> std::optional<std::map<int, edit::WorstSpot>> {
    const auto measured = edit::measure_spots(*document, *spots, which, cache, progress);
    if (!measured) {
      return std::nullopt;
    }
    std::map<int, edit::WorstSpot> out;
    for (std::size_t k = 0; k < which.size(); ++k) {
      out[static_cast<int>(which[k])] = (*measured)[k];
    }
    return out;
  });
}

void draw_group(WorstSpotsSection& state, const edit::SpotGroup& group, Desk& desk) {
  const rig::Skeleton& skeleton = state.spots->character->skeleton;
  const std::string name = group.joint < 0 ? std::string("No joint") : printable(skeleton.label(group.joint), 80);
  ImGui::Spacing();
  heading(desk, fitted(fmt::format("{}  {}", icon::kJoint, name), ImGui::GetContentRegionAvail().x).c_str());
  report_item(desk, fmt::format("tools.spots.joint.{}", group.joint));
  tip(name);
  for (const std::size_t i : group.spots) {
    const edit::WorstSpot& spot = state.spots->spots[i];
    ImGui::PushID(static_cast<int>(i));
    const std::string few = printable(edit::short_sentence(*state.spots, spot), 300);
    if (clickable_sentence(desk, fmt::format("tools.spot.{}", i), few, state.spot == static_cast<int>(i),
                           mends_width())) {
      show_spot(state, i, desk);
    }
    tip(printable(edit::sentence(*state.spots, spot), 300));
    if (draw_mends(state.menu, state.spots, i, desk) && !std::cmp_equal(state.spot, i)) {
      show_spot(state, i, desk);  // what is mended is to be seen
    }
    draw_outcome(state.menu, *state.spots, i, desk);
    ImGui::PopID();
  }
}

void start_search(WorstSpotsSection& state, Desk& desk) {
  if (state.job == nullptr) {
    state.job = std::make_unique<JobSlot<edit::WorstSpots>>(desk.workspace.jobs, Jobs::Kind::kLong,
                                                            "Looking for the worst spots");
  }
  state.searched = std::make_shared<const edit::Document>(desk.document());
  state.spots.reset();
  state.menu.outcomes.clear();
  state.spot_weights = edit::own_character(desk.document());
  state.changes = 0;
  state.job->start([document = state.searched, cache = desk.scene.skin_cache](const Progress& progress) {
    return edit::find_worst_spots(*document, {.clips = false, .plausible = true}, kMostSpots, cache, progress);
  });
}

void draw_search(WorstSpotsSection& state, Desk& desk) {
  const float width = ImGui::GetContentRegionAvail().x;
  if (state.job != nullptr && state.job->active()) {
    const std::optional<Jobs::Row> row = state.job->row();
    progress_bar(desk, row ? row->fraction : 1.0f, width);
    if (ImGui::Button("Cancel###tools.spots", ImVec2(width, 0))) {
      state.job->cancel();
    }
  } else if (ImGui::Button(state.spots != nullptr && state.changes > 0 ? "Find the worst spots again###tools.spots"
                                                                       : "Find the worst spots###tools.spots",
                           ImVec2(width, 0))) {
    start_search(state, desk);
  }
  report_item(desk, "tools.spots");
  if (state.job == nullptr) {
    return;
  }
  if (state.patient) {
    state.job->wait(kSpotPatience);
  }
  if (std::optional<edit::WorstSpots> found = state.job->take()) {
    state.spots = std::make_shared<const edit::WorstSpots>(*std::move(found));
    state.spot = -1;
  }
}

void draw_ranges(const WorstSpotsSection& state, Desk& desk) {
  const edit::BatteryRanges& ranges = state.spots->ranges;
  std::string words = fmt::format("Tried: {}.", edit::sentence(ranges));
  if (!ranges.is_human && ranges.free > 0) {
    words += " No human body was recognised in this skeleton.";
  }
  wrapped_text(words, color::kTextDim);
  report_item(desk, "tools.spots.ranges");
  tip("Each joint starts from the rest pose. A joint with limits turns as far as its limits, which the tab Joints of "
      "the Rig mode sets. In a recognised human body the other joints turn as far as those of healthy adults on "
      "average. These ranges are from the American Academy of Orthopaedic Surgeons (\"Joint Motion\", 1965); the upper "
      "arm's share of a raised arm is from Inman, Saunders and Abbott (1944). Pelt's own choice are jaw, eyes, collar "
      "bones, the spreading of fingers, and 5\u00b0 beyond a straight elbow or knee.");
}

void draw_list(WorstSpotsSection& state, Desk& desk) {
  wrapped_text(kOrder, color::kTextDim);
  report_item(desk, "tools.spots.order");
  if (state.changes > 0) {
    const std::string since =
        state.changes == 1 ? std::string("the last change") : fmt::format("the last {} changes", state.changes);
    wrapped_text(fmt::format("{}  As it was before {} of weights", icon::kWarning, since), color::kWarning);
    report_item(desk, "tools.spots.old");
  } else {
    wrapped_text(fmt::format("{}  Of the weights as they are now", icon::kCheck), color::kTextDim);  // no row moves
  }
  const std::vector<int>& selected = desk.document().view.selected_joints;
  ImGui::BeginDisabled(selected.empty() && !state.only_selected);
  ImGui::Checkbox("Only those of selected joints", &state.only_selected);
  ImGui::EndDisabled();
  report_item(desk, "tools.spots.filter");
  tip("Lists what turning the selected joints does");
  bool is_any = false;
  for (const edit::SpotGroup& group : edit::grouped_by_joint(*state.spots)) {
    if (!state.only_selected || std::ranges::find(selected, group.joint) != selected.end()) {
      draw_group(state, group, desk);
      is_any = true;
    }
  }
  if (!is_any) {
    wrapped_text("The selected joints turn without a place that is among the worst.", color::kTextDim);
  }
}

}  // namespace

void follow_spots(Desk& desk) {
  WorstSpotsSection& state = desk.workspace.panel<WorstSpotsSection>();
  if (state.frames_spot > 0) {
    desk.requests.next_picture = true;
    if (--state.frames_spot == 0) {
      frame_spot(state, desk);
    }
  }
  state.menu.patient = state.patient;
  follow_mends(state.menu, state.spots, desk);
  if (state.measuring != nullptr) {
    if (state.patient) {
      state.measuring->wait(kSpotPatience);
    }
    if (std::optional<std::map<int, edit::WorstSpot>> measured = state.measuring->take()) {
      for (const auto& [spot, now] : *measured) {
        state.menu.outcomes[spot].now = now;
      }
    }
  }
  const std::shared_ptr<const rig::Character>& now = edit::own_character(desk.document());
  if (state.searched == nullptr || now == state.spot_weights || desk.workspace.panel<BrushTool>().busy ||
      !desk.document().open_merge_key.empty()) {
    return;  // a stroke, or a drag of a bar, is one change
  }
  if (state.spot_weights == nullptr || !edit::same_weights(*now, *state.spot_weights)) {
    ++state.changes;
    for (auto& [spot, outcome] : state.menu.outcomes) {
      outcome.said.clear();
    }
    measure_again(state, desk);
  }
  state.changes = edit::same_weights(*now, *edit::own_character(*state.searched)) ? 0 : state.changes;
  state.spot_weights = now;
}

void draw(WorstSpotsSection& state, Desk& desk) {
  const rig::Character& character = desk.character();
  if (std::ranges::none_of(character.mesh_nodes, [](const auto& node) { return node.skin >= 0; })) {
    wrapped_text("No mesh hangs on a skin: bind one in the tab Bind.", color::kTextDim);
    return;
  }
  draw_search(state, desk);
  if (state.spots == nullptr || !is_of_character(state, desk)) {
    wrapped_text(
        "Each joint goes through its range; places that stretch, flip or jump are listed. A click on one poses the "
        "character, turns the camera to where the place is seen with its joint, and selects both.",
        color::kTextDim);
    return;
  }
  draw_ranges(state, desk);
  if (state.spots->spots.empty()) {
    wrapped_text(fmt::format("{}  Nothing deforms badly", icon::kCheck), color::kGood);
    return;
  }
  draw_list(state, desk);
}

}  // namespace pelt::ui
