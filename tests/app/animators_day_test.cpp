// An animator's day in the real window: the body over pinned feet, two joints by one ring, key, scrub, move a key, edit
// a curve, undo to the start, redo, save, kill, recover, export and reopen: the same positions.
#include <cmath>

#include "formats/open.h"
#include "real_window.h"
#include "rig/kinematics.h"

namespace pelt::app {
namespace {

class AnimatorsDay : public RealWindow {
 protected:
  void begin(std::vector<std::string> arguments, bool comes_to_rest = true) {
    launch(std::move(arguments));
    if (comes_to_rest) {
      settle();
    }
  }
  bool until_state(const char* member, const json& value) {
    return until([&](const json& r) { return r["state"].value(member, json()) == value; });
  }
  // In the Animate mode, with the elbow selected in the rest pose and the mannequin's second clip.
  void begin_with_the_walk(const fs::path& file) {
    ASSERT_NO_FATAL_FAILURE(begin({file.string(), "--clip", "none", "--skeleton"}));
    key("1");
    settle();
    click("tree.joint.elbow_l");
    ASSERT_TRUE(until_state("selected_joint", "elbow_l")) << state();
    click("timeline.clip");
    click("timeline.clip.2");
    ASSERT_TRUE(until_state("clip", 1)) << state();
    open_tab('3', "keys");
    settle();
  }
  void scrub_to_the_middle() {
    settle();
    const json ruler = report_["widgets"]["keys.ruler"];
    const glm::ivec2 middle = center("keys.ruler");
    ASSERT_NO_FATAL_FAILURE(drag({ruler[0].get<int>() + 30, middle.y}, middle));
    settle();
  }
  void crouch_over_pinned_feet() {
    open_tab('2', "ik");
    ASSERT_TRUE(until_widget("ik.pin-limbs"));
    click("ik.pin-limbs");
    ASSERT_TRUE(until_state("pins", 4)) << state();
    for (const char* hand : {"wrist_l", "wrist_r"}) {
      scroll_to(fmt::format("ik.unpin.{}", hand));
      click(fmt::format("ik.unpin.{}", hand));
      ASSERT_TRUE(until([&](const json& r) { return !r["widgets"].contains(fmt::format("ik.unpin.{}", hand)); }));
    }
    key("r");
    ASSERT_TRUE(until_state("tool", "reach")) << state();
    const glm::ivec2 hips = center("bone.hips");
    ASSERT_NO_FATAL_FAILURE(drag(hips, hips + glm::ivec2(4, 30)));
    ASSERT_TRUE(until_state("undo_label", "Drag hips")) << state();
    settle();
    EXPECT_GT(center("bone.hips").y, hips.y + 18) << "they follow the mouse";
  }
  void turn_both_arms() {
    key("v");
    ASSERT_TRUE(until_state("tool", "select")) << state();
    click("tree.joint.shoulder_l");
    ASSERT_TRUE(until_state("selected_joint", "shoulder_l")) << state();
    run("xdotool keydown ctrl");
    click("tree.joint.shoulder_r");
    run("xdotool keyup ctrl");
    ASSERT_TRUE(until_state("selected_joint", "shoulder_r")) << state();
    ASSERT_TRUE(until_widget("ring.view"));
    settle();
    const glm::ivec2 ring = center("ring.view");
    ASSERT_NO_FATAL_FAILURE(drag(ring, ring + glm::ivec2(-6, 24)));
    settle();
  }
  void expect_bend(double wanted) {
    ASSERT_TRUE(until([&](const json& r) {
      return r["state"].contains("dofs") && std::abs(r["state"]["dofs"]["bend"].get<double>() - wanted) < 1e-5;
    })) << wanted
        << state();
  }
};

constexpr const char* kFolder = "browser.place.Working folder";

// Where nodes are at moments of a clip.
std::vector<glm::vec3> positions(const rig::Character& character, const std::string& clip) {
  std::vector<glm::vec3> out;
  for (const rig::Clip& one : character.clips) {
    constexpr int kMoments = 240;  // several between any two keys
    for (int i = 0; one.name == clip && i <= kMoments; ++i) {
      rig::Pose pose = rig::rest_pose(character);
      rig::apply(one, one.start + one.duration() * static_cast<float>(i) / kMoments, character.morph_offset, pose);
      rig::WorldMatrices world;
      world.evaluate(character.skeleton, pose);
      for (const glm::mat4& matrix : world.world()) {
        out.emplace_back(matrix[3]);
      }
    }
  }
  return out;
}

TEST_F(AnimatorsDay, KeysCurvesUndoRecoveryAndExport) {
  const fs::path hero = mannequin_file();
  ASSERT_NO_FATAL_FAILURE(begin_with_the_walk(hero));
  const int keys = state()["keys"].get<int>();
  const int chosen = state()["undo_steps"].get<int>();  // the clip is a step, too

  // Scrub, and key what a slider says.
  click("keys.auto");
  ASSERT_TRUE(until_state("auto_key", true)) << state();
  click("keys.only-selected");
  ASSERT_NO_FATAL_FAILURE(scrub_to_the_middle());
  const glm::ivec2 middle = center("keys.ruler");
  const double time = state()["time"].get<double>();
  EXPECT_NEAR(time * 30, std::round(time * 30), 1e-3) << "a whole frame";
  click("tab.pose");
  scroll_to("dof.elbow_l.bend");
  const glm::ivec2 slider = center("dof.elbow_l.bend");
  ASSERT_NO_FATAL_FAILURE(drag(slider, slider + glm::ivec2(30, 0)));
  ASSERT_TRUE(until_state("undo_steps", chosen + 1)) << state();
  EXPECT_EQ(state()["overrides"], 0) << "it is a key";
  EXPECT_EQ(state()["keys"], keys + 1);
  screenshot("keyed");

  // The body goes down over pinned feet; both become keys.
  const int slid = state()["keys"].get<int>();
  ASSERT_NO_FATAL_FAILURE(crouch_over_pinned_feet());
  ASSERT_TRUE(until_state("undo_steps", chosen + 5)) << state();
  EXPECT_EQ(state()["overrides"], 0);
  EXPECT_GT(state()["keys"].get<int>(), slid + 4) << "hips and both legs";
  // Two joints by the ring about the view.
  const int crouched = state()["keys"].get<int>();
  ASSERT_NO_FATAL_FAILURE(turn_both_arms());
  ASSERT_TRUE(until_state("undo_steps", chosen + 6)) << state();
  EXPECT_GE(state()["keys"].get<int>(), crouched + 2);
  screenshot("crouched");
  open_tab('3', "keys");
  settle();
  click("tree.joint.elbow_l");
  ASSERT_TRUE(until_state("selected_joint", "elbow_l")) << state();

  // Move the key by two frames, in the dope sheet.
  settle();
  const int elbow = [&] {
    const auto character = formats::open_character(hero.string());
    return character ? character->skeleton->find("elbow_l") : -1;
  }();
  const std::string name = fmt::format("key.{}.{:.0f}", elbow, time * 30);
  const std::string all_keys = fmt::format("key.{}.0", elbow);
  ASSERT_TRUE(report_["widgets"].contains(all_keys)) << report_["widgets"].dump();
  // Keys are reported from the left; bring the new one there.
  for (int turn = 0; turn < 12 && !report_["widgets"].contains(name); ++turn) {
    ASSERT_NO_FATAL_FAILURE(move_mouse({middle.x, middle.y + 60}));
    run("xdotool click 4");
    settle();
  }
  ASSERT_TRUE(report_["widgets"].contains(name)) << name << report_["widgets"].dump();
  const glm::ivec2 at = center(name);
  ASSERT_NO_FATAL_FAILURE(drag(at, at + glm::ivec2(150, 0)));
  ASSERT_TRUE(until_state("undo_steps", chosen + 7)) << state();
  EXPECT_EQ(state()["selected_keys"], 1);
  screenshot("moved");

  // Its curve: the key goes up.
  click("keys.curves");
  settle();
  json point;
  std::string curve;
  for (const auto& [widget, rect] : report_["widgets"].items()) {
    if (widget.starts_with("curve.bend.")) {
      curve = widget;
      point = rect;
    }
  }
  ASSERT_FALSE(curve.empty()) << report_["widgets"].dump();
  const glm::ivec2 from = center(curve);
  ASSERT_NO_FATAL_FAILURE(drag(from, from + glm::ivec2(0, -20)));
  ASSERT_TRUE(until_state("undo_steps", chosen + 8)) << state();
  screenshot("curve");
  settle();
  const double bend = state()["dofs"]["bend"].get<double>();

  // To the start and back.
  for (int left = 7; left >= 0; --left) {
    key("ctrl+z");
    ASSERT_TRUE(until_state("undo_steps", chosen + left)) << state();
  }
  EXPECT_EQ(state()["keys"], keys);
  for (int done = 1; done <= 8; ++done) {
    key("ctrl+shift+z");
    ASSERT_TRUE(until_state("undo_steps", chosen + done)) << state();
  }
  ASSERT_NO_FATAL_FAILURE(expect_bend(bend));
  const int edited = state()["keys"].get<int>();

  // Saved; one more clip; killed; recovered.
  key("ctrl+s");
  ASSERT_NO_FATAL_FAILURE(click(kFolder));
  ASSERT_NO_FATAL_FAILURE(click("browser.accept"));
  ASSERT_TRUE(until_state("unsaved", false)) << state();
  click("tab.clips");
  click("clips.duplicate");
  ASSERT_TRUE(until_state("clips", 4)) << state();
  settle();
  const double at_start = state()["dofs"]["bend"].get<double>();
  ASSERT_TRUE(until_recovery()) << "nothing was saved unasked";
  program_.stop(SIGKILL);
  ASSERT_NO_FATAL_FAILURE(begin({}, false));
  ASSERT_NO_FATAL_FAILURE(click("recover.open"));
  ASSERT_TRUE(until_state("clips", 4)) << state();
  ASSERT_TRUE(until_state("keys", edited)) << state();
  ASSERT_NO_FATAL_FAILURE(expect_bend(at_start));
  EXPECT_EQ(state()["auto_key"], true) << "as it was left";
  key("ctrl+s");
  ASSERT_TRUE(until_state("unsaved", false)) << state();

  // Exported: what any program reads plays the same.
  click("menu.File");
  click("menu.file.export");
  ASSERT_NO_FATAL_FAILURE(click(kFolder));
  ASSERT_NO_FATAL_FAILURE(click("browser.accept"));
  ASSERT_TRUE(until([](const json& r) {
    return r["state"]["notice"].get<std::string>().find("xported") != std::string::npos;
  })) << state();
  fs::path exported;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    exported = entry.path().extension() == ".glb" && entry.path() != hero ? entry.path() : exported;
  }
  const auto again = formats::open_character(exported.string());
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_EQ(again->clips.size(), 4U);
  const std::vector<glm::vec3> edited_walk = positions(*again, "walk");
  const std::vector<glm::vec3> copied_walk = positions(*again, "walk 2");
  ASSERT_FALSE(edited_walk.empty());
  EXPECT_TRUE(edited_walk == copied_walk);
  const auto before = formats::open_character(hero.string());
  ASSERT_TRUE(before);
  EXPECT_FALSE(positions(*before, "walk") == edited_walk);

  // Reopened: the same bend of the elbow at the same time.
  program_.stop(SIGTERM);
  ASSERT_NO_FATAL_FAILURE(begin_with_the_walk(exported));
  ASSERT_TRUE(until_state("keys", edited)) << state();
  ASSERT_NO_FATAL_FAILURE(scrub_to_the_middle());
  EXPECT_EQ(state()["time"].get<double>(), time);
  ASSERT_NO_FATAL_FAILURE(expect_bend(bend));
}

}  // namespace
}  // namespace pelt::app
