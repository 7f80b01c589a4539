// The section of the worst spots: listed by joint, looked at, mended and measured again; and the scope of weight tools.
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include "edit/paint_edits.h"
#include "gltf/bundled.h"
#include "painting_window.h"
#include "ui/spot_view.h"
#include "ui/weight_tools_panel.h"
#include "ui/worst_spots_section.h"

namespace pelt::ui {
namespace {

/// The tab Spots of the Weights mode.
class WorstSpotsList : public Painting {
 protected:
  /// Fills the list. @param size  of a window in which all of it is seen; the usual one where it is left out
  void find_spots(std::optional<glm::vec2> size = std::nullopt) {
    if (size) {
      resize(*size, 1);
    }
    show_tab(workspace_, kWorstSpotsTab);
    frames(2);
    click("tools.spots");
    frames(3);
    ASSERT_NE(workspace_.panel<WorstSpotsSection>().spots, nullptr);
  }
  /// Opens the mends of a row, and sees what each would do.
  void open_mends(int i) {
    click(fmt::format("tools.spot.{}.mend", i));
    frames(3);
  }
  /// The open list's first mend that changes something; "" where none does.
  std::string possible_mend() {
    const SpotMendsMenu& menu = workspace_.panel<WorstSpotsSection>().menu;
    for (std::size_t m = 0; m < menu.prospects.size(); ++m) {
      if (menu.prospects[m].result && menu.prospects[m].result->change) {
        return std::string(edit::spot_mends()[m].id);
      }
    }
    return "";
  }
  /// Clicks a row of the list, in a window in which it is seen.
  void click_spot(int i) {
    resize({1440, 6000}, 1);
    frames(2);
    click(fmt::format("tools.spot.{}", i));
  }
};

TEST_F(WorstSpotsList, AClickPosesTheCharacter) {
  ASSERT_NO_FATAL_FAILURE(find_spots());
  WorstSpotsSection& panel = workspace_.panel<WorstSpotsSection>();
  ASSERT_FALSE(panel.spots->spots.empty());
  const edit::Content before = document_.content;
  ASSERT_NO_FATAL_FAILURE(click_spot(0));
  frames(2);
  EXPECT_NE(document_.content, before) << "posed";
  EXPECT_EQ(edit::vertex_count(edit::VertexSelection(document_.view.selected_vertices)), 1u);
  EXPECT_EQ(active(), edit::joint_of(*panel.spots, panel.spots->spots[0])) << "the joint that is turned";
  EXPECT_TRUE(workspace_.view.skeleton) << "joints lie within the flesh";
  EXPECT_EQ(panel.frames_spot, 0);
  const int turned = edit::joint_of(*panel.spots, panel.spots->spots[0]);
  EXPECT_EQ(document_.history.undo_label(), "Pose: worst spot of " + document_.character->skeleton->label(turned));
}

// Whatever the list holds, the camera ends where the place can be seen with its joint.
TEST_F(WorstSpotsList, TheCameraGoesToWhereASpotIsSeen) {
  ASSERT_NO_FATAL_FAILURE(find_spots());
  WorstSpotsSection& panel = workspace_.panel<WorstSpotsSection>();
  int seen = 0;
  const int count = std::min<int>(12, static_cast<int>(panel.spots->spots.size()));
  for (int i = 0; i < count; ++i) {
    ASSERT_NO_FATAL_FAILURE(click_spot(i));
    frames(4);
    const edit::WorstSpot& spot = panel.spots->spots[static_cast<std::size_t>(i)];
    const deform::DeformedCharacter& shape = evaluation_.deformed(document_);
    const glm::vec3 at = shape.parts[static_cast<std::size_t>(spot.part)].positions[spot.vertex];
    const glm::vec3 towards = glm::normalize(workspace_.camera.eye() - workspace_.camera.pivot);
    const auto joint = static_cast<std::size_t>(edit::joint_of(*panel.spots, spot));
    const glm::vec3 pivot(evaluation_.world()[joint][3]);
    const SpotView from = open_view(*document_.character, shape, spot.part, spot.vertex, pivot, towards);
    // Where nothing is open, a fold hides the place from everywhere.
    const auto blocks = [&](const glm::vec3& p, const glm::vec3& q, const glm::vec3& r) {
      const glm::vec3 n = glm::cross(q - p, r - p);
      const float t = glm::dot(p - at, n) / glm::dot(towards, n);
      const glm::vec3 on = at + t * towards;
      return t > 2e-3f * shape.bounds.diagonal() && glm::dot(glm::cross(q - p, on - p), n) >= 0 &&
             glm::dot(glm::cross(r - q, on - q), n) >= 0 && glm::dot(glm::cross(p - r, on - r), n) >= 0;
    };
    bool is_blocked = false;
    for (std::size_t k = 0; k < document_.character->parts.size(); ++k) {
      const mesh::Primitive& primitive = document_.character->primitive(document_.character->parts[k]);
      const auto& place = shape.parts[k].positions;
      for (std::size_t t = 0; t < 3 * primitive.triangle_count(); t += 3) {
        is_blocked = is_blocked || blocks(place[primitive.indices[t]], place[primitive.indices[t + 1]],
                                          place[primitive.indices[t + 2]]);
      }
    }
    seen += !is_blocked || !from.is_open ? 1 : 0;
    for (const glm::vec3& point : {at, pivot}) {
      const glm::vec4 clip =
          workspace_.camera.clip_from_view(1) * workspace_.camera.view_from_world() * glm::vec4(point, 1);
      EXPECT_LT(std::abs(clip.x / clip.w), 1) << i;
      EXPECT_LT(std::abs(clip.y / clip.w), 1) << i;
    }
  }
  EXPECT_EQ(seen, count) << "nothing stands between";
}

TEST_F(WorstSpotsList, SaysItsOrderAndRangesAndStandUnderTheirJoints) {
  ASSERT_NO_FATAL_FAILURE(find_spots(glm::vec2(1440, 6000)));
  WorstSpotsSection& panel = workspace_.panel<WorstSpotsSection>();
  EXPECT_TRUE(report_.contains("tools.spots.order"));
  EXPECT_TRUE(report_.contains("tools.spots.ranges"));
  const std::string said = words();
  EXPECT_NE(said.find("within limits of"), std::string::npos) << said;
  EXPECT_NE(said.find("worst place comes first"), std::string::npos) << said;
  float below = 0;
  for (const edit::SpotGroup& group : edit::grouped_by_joint(*panel.spots)) {
    const Rect heading = report_[fmt::format("tools.spots.joint.{}", group.joint)];
    EXPECT_GT(heading.y, below) << group.joint;
    below = heading.y;
    for (const std::size_t i : group.spots) {
      const Rect row = report_[fmt::format("tools.spot.{}", i)];
      EXPECT_GT(row.y, below) << i;
      below = row.y;
    }
  }
}

TEST_F(WorstSpotsList, ASpotIsMendedInOneStepAndMeasuredAgain) {
  ASSERT_NO_FATAL_FAILURE(find_spots(glm::vec2(1440, 6000)));
  WorstSpotsSection& panel = workspace_.panel<WorstSpotsSection>();
  const double found = panel.spots->spots[0].badness;
  ASSERT_NO_FATAL_FAILURE(open_mends(0));
  const std::size_t steps = std::max<std::size_t>(document_.history.size(), 1);
  EXPECT_EQ(panel.spot, 0) << "what is mended is shown";
  for (const edit::SpotMend& mend : edit::spot_mends()) {
    EXPECT_TRUE(report_.contains(fmt::format("tools.spot.0.mend.{}", mend.id))) << mend.id;
  }
  const std::string mend = possible_mend();
  ASSERT_NE(mend, "");
  const std::string foreseen = words();
  click("tools.spot.0.mend." + mend);
  frames(6);
  ASSERT_EQ(document_.history.size(), steps + 1) << words();
  ASSERT_TRUE(panel.menu.outcomes.contains(0));
  const std::string change = fmt::format("{:.2f} \u2192 {:.2f}", found, panel.menu.outcomes[0].now.badness);
  EXPECT_LT(panel.menu.outcomes[0].now.badness, found);
  EXPECT_NE(foreseen.find(change), std::string::npos) << foreseen;
  EXPECT_NE(words().find("Measured again: " + change), std::string::npos) << words();
  const int turned = edit::joint_of(*panel.spots, panel.spots->spots[0]);
  EXPECT_EQ(document_.history.undo_label(),
            panel.menu.outcomes[0].label + " weights round " + document_.character->skeleton->label(turned));
  EXPECT_NE(words().find(" vertices, by "), std::string::npos) << "how much it changed: " << words();
  act("edit.undo");
  frames(4);
  EXPECT_NEAR(panel.menu.outcomes[0].now.badness, found, 1e-9) << "measured again";
  EXPECT_EQ(words().find(" vertices, by "), std::string::npos) << "what is undone is not told as done";
  // What cannot change says why.
  std::vector<int> all;
  for (int j = 0; j < document_.character->skeleton->size(); ++j) {
    all.push_back(j);
  }
  edit::apply(document_, {edit::LockJoints{all, true}, ""});
  frames(2);
  ASSERT_NO_FATAL_FAILURE(open_mends(0));
  EXPECT_EQ(possible_mend(), "");
  EXPECT_NE(words().find("changes nothing"), std::string::npos) << words();
  click("tools.spot.0.mend.pull");
  frames(6);
  EXPECT_EQ(document_.history.size(), steps + 1) << "the lock alone";
}

TEST_F(WorstSpotsList, StaysWhenAPlaceIsMended) {
  ASSERT_NO_FATAL_FAILURE(find_spots(glm::vec2(1440, 6000)));
  WorstSpotsSection& panel = workspace_.panel<WorstSpotsSection>();
  ASSERT_NO_FATAL_FAILURE(open_mends(0));
  // What explains one mend leaves the others free.
  move(report_["tools.spot.0.mend.smooth"].center());
  const ImGuiWindow* tip = nullptr;
  for (int picture = 0; picture < 60 && (tip == nullptr || !tip->Active); ++picture) {
    frames(1);
    tip = ImGui::FindWindowByName("##Tooltip_00");
  }
  ASSERT_TRUE(tip != nullptr && tip->Active);
  const Rect place{tip->Pos.x, tip->Pos.y, tip->Size.x, tip->Size.y};
  for (const edit::SpotMend& mend : edit::spot_mends()) {
    EXPECT_FALSE(meet(place, report_[fmt::format("tools.spot.0.mend.{}", mend.id)])) << mend.id;
  }
  const std::string mend = possible_mend();
  ASSERT_NE(mend, "");
  click("tools.spot.0.mend." + mend);
  frames(8);
  ASSERT_TRUE(panel.menu.outcomes.contains(0)) << words();
  EXPECT_TRUE(report_.contains("tools.spot.0"));
  EXPECT_TRUE(report_.contains("tools.spots.old"));
}

TEST_F(WorstSpotsList, StaysWhenAPlaceIsBoundAnew) {
  // A place of the elbow that goes with the head: bad enough to be bound anew.
  const auto surface = mesh::welded_surface(document_.character->meshes[0]);
  const glm::vec3 elbow(evaluation_.world()[static_cast<std::size_t>(joint("elbow_l"))][3]);
  std::uint32_t nearest = 0;
  for (std::uint32_t w = 0; w < surface->place_count(); ++w) {
    const auto from_elbow = [&](std::uint32_t place) { return glm::distance(surface->position(place), elbow); };
    nearest = from_elbow(w) < from_elbow(nearest) ? w : nearest;
  }
  edit::PaintDab dab{.mode = mesh::DabMode::kReplace, .places = {nearest}, .amounts = {1}};
  dab.joint = joint("head");
  dab.value = 1;
  edit::apply(document_, {edit::PaintWeights{.mesh = 0, .dabs = {dab}}, ""});
  ASSERT_NO_FATAL_FAILURE(find_spots(glm::vec2(1440, 6000)));
  WorstSpotsSection& panel = workspace_.panel<WorstSpotsSection>();
  std::size_t rebind = 0;
  while (edit::spot_mends()[rebind].id != "rebind") {
    ++rebind;
  }
  const auto can_rebind = [&](int i) {
    open_mends(i);
    const SpotMendsMenu& menu = panel.menu;
    return menu.prospects.size() > rebind && menu.prospects[rebind].result && menu.prospects[rebind].result->change;
  };
  int spot = 0;
  while (spot < 12 && !can_rebind(spot)) {
    frame(nullptr, Chord{kKeyEscape});
    frames(2);
    ++spot;
  }
  ASSERT_LT(spot, 12);
  click(fmt::format("tools.spot.{}.mend.rebind", spot));
  frames(8);
  EXPECT_TRUE(panel.menu.outcomes.contains(spot)) << words();
  EXPECT_TRUE(report_.contains("tools.spot.0"));
  EXPECT_TRUE(report_.contains("tools.spots.old"));
}

TEST_F(WorstSpotsList, OnlyThoseOfSelectedJointsWhereSomebodyWants) {
  ASSERT_NO_FATAL_FAILURE(find_spots(glm::vec2(1440, 6000)));
  WorstSpotsSection& panel = workspace_.panel<WorstSpotsSection>();
  const std::vector<edit::SpotGroup> groups = edit::grouped_by_joint(*panel.spots);
  ASSERT_GT(groups.size(), 2u);
  document_.view.select_only(groups[1].joint);
  frames(2);
  click("tools.spots.filter");
  frames(2);
  for (const edit::SpotGroup& group : groups) {
    EXPECT_EQ(report_.contains(fmt::format("tools.spots.joint.{}", group.joint)), group.joint == groups[1].joint);
  }
  // Of two, a click on a row keeps both.
  document_.view.selected_joints = {groups[0].joint, groups[1].joint};
  frames(2);
  click(fmt::format("tools.spot.{}", groups[0].spots[0]));
  frames(2);
  EXPECT_TRUE(report_.contains(fmt::format("tools.spots.joint.{}", groups[1].joint)));
  document_.view.select_only(-1);
  frames(2);
  move({-1000, -1000});
  EXPECT_NE(words().find("The selected joints turn"), std::string::npos) << words();
  click("tools.spots.filter");  // can be taken back without a selection
  frames(2);
  EXPECT_TRUE(report_.contains(fmt::format("tools.spots.joint.{}", groups[0].joint)));
}

TEST_F(WorstSpotsList, ANewSearchGivesUpWhatWasTried) {
  ASSERT_NO_FATAL_FAILURE(find_spots(glm::vec2(1440, 6000)));
  WorstSpotsSection& panel = workspace_.panel<WorstSpotsSection>();
  ASSERT_NO_FATAL_FAILURE(open_mends(0));
  ASSERT_NE(panel.menu.spot, -1);
  panel.menu.chosen = 0;  // as if it were still being tried
  for (SpotMendsMenu::Prospect& prospect : panel.menu.prospects) {
    prospect.result.reset();
  }
  panel.spots.reset();
  frames(2);
  EXPECT_EQ(panel.menu.spot, -1);
  EXPECT_TRUE(panel.menu.outcomes.empty());
}

TEST_F(WorstSpotsList, SaysNothingOfAnotherCharacter) {
  ASSERT_NO_FATAL_FAILURE(find_spots(glm::vec2(1440, 6000)));
  EXPECT_NE(words().find("Tried: "), std::string::npos);
  open(*gltf::import_bundled("elbow"));
  act("mode.weights");
  show_tab(workspace_, kWorstSpotsTab);
  frames(2);
  EXPECT_TRUE(report_.contains("tools.spots"));
  EXPECT_FALSE(report_.contains("tools.spots.ranges"));
  EXPECT_FALSE(report_.contains("tools.spot.0"));
  EXPECT_EQ(words().find("Tried: "), std::string::npos) << words();
}

TEST_F(WorstSpotsList, SaysHowOldItIs) {
  ASSERT_NO_FATAL_FAILURE(find_spots());
  WorstSpotsSection& panel = workspace_.panel<WorstSpotsSection>();
  EXPECT_FALSE(report_.contains("tools.spots.old"));
  EXPECT_EQ(words().find("As it was before"), std::string::npos);
  edit::apply(document_, {edit::SetDof{joint("elbow_l"), 0, 0.4f}, ""});  // a pose is no change of weights
  frames(2);
  EXPECT_EQ(panel.changes, 0);
  drag_over_chest();  // many dabs, one change
  frames(2);
  EXPECT_EQ(panel.changes, 1);
  EXPECT_NE(words().find("As it was before the last change of weights"), std::string::npos);
  drag(on_chest() + glm::vec2(20, 0), on_chest() + glm::vec2(20, 30));
  show_tab(workspace_, kPaintTab);  // counted while another tab is in front as well
  drag(on_chest() + glm::vec2(-20, 0), on_chest() + glm::vec2(-20, 30));
  show_tab(workspace_, kWorstSpotsTab);
  frames(2);
  EXPECT_EQ(panel.changes, 3);
  EXPECT_NE(words().find("As it was before the last 3 changes of weights"), std::string::npos);
  click("tools.spots");
  frames(3);
  EXPECT_EQ(panel.changes, 0);
}

TEST_F(WorstSpotsList, ToolsTakeTheSelectionAsTheirScope) {
  show_tab(workspace_, kWeightToolsTab);
  WeightToolsPanel& panel = workspace_.panel<WeightToolsPanel>();
  document_.view.selected_vertices = {};
  frames(3);
  EXPECT_EQ(panel.area, WeightToolsPanel::kAll);
  EXPECT_NE(words().find("On the whole mesh."), std::string::npos);
  document_.view.selected_vertices = edit::VertexSelection{{0, {3, 5, 8}}};
  frames(2);
  EXPECT_EQ(panel.area, WeightToolsPanel::kSelection);
  EXPECT_NE(words().find("On 3 selected vertices."), std::string::npos);
  panel.tool = "average";
  frames(3);
  ASSERT_NE(panel.outcome, nullptr);
  ASSERT_EQ(panel.outcome->edits.size(), 1u);
  EXPECT_EQ(panel.outcome->edits[0].vertices.size(), 3u);
  panel.area = WeightToolsPanel::kJoint;
  frames(2);
  EXPECT_EQ(panel.area, WeightToolsPanel::kJoint) << "a choice of somebody's own stays";
  panel.area = WeightToolsPanel::kSelection;
  document_.view.selected_vertices = {};
  frames(2);
  EXPECT_EQ(panel.area, WeightToolsPanel::kAll) << "nothing is selected any more";
}

}  // namespace
}  // namespace pelt::ui
