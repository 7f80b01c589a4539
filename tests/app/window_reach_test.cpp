// Posing in the real window: feet pinned, hips and a hand dragged with inverse kinematics, undone, saved, recovered,
// exported.
#include "formats/open.h"
#include "real_window.h"

namespace pelt::app {
namespace {

class Reaching : public RealWindow {
 protected:
  void begin(std::vector<std::string> arguments) {
    launch(std::move(arguments));
    key("r");
    ASSERT_TRUE(until([](const json& r) { return r["state"]["tool"] == "reach"; })) << state();
  }
  glm::ivec2 pin_at(const char* joint) {
    EXPECT_TRUE(until_widget(fmt::format("pin.{}", joint)));
    return center(fmt::format("pin.{}", joint));
  }
};

TEST_F(Reaching, HipsOverPinnedFeetAndAHandUndoneSavedAndOpenedAgain) {
  const fs::path file = mannequin_file();
  begin({file.string(), "--clip", "none", "--skeleton", "--tab", "ik"});
  click("ik.pin-limbs");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["pins"] == 4; })) << state();
  // Hands are let go by their buttons.
  for (const char* hand : {"wrist_l", "wrist_r"}) {
    scroll_to(fmt::format("ik.unpin.{}", hand));
    click(fmt::format("ik.unpin.{}", hand));
    ASSERT_TRUE(until([&](const json& r) { return !r["widgets"].contains(fmt::format("ik.unpin.{}", hand)); }));
  }
  const glm::ivec2 foot = pin_at("ankle_l");
  const glm::ivec2 hips = center("bone.hips");
  drag(hips, hips + glm::ivec2(10, 40));
  ASSERT_TRUE(until([](const json& r) { return r["state"]["undo_label"] == "Drag hips"; })) << state();
  settle();
  EXPECT_GT(center("bone.hips").y, hips.y + 25) << "they follow the mouse";
  EXPECT_EQ(pin_at("ankle_l"), foot);
  screenshot("crouched");
  // Esc takes a drag back.
  const glm::ivec2 low = center("bone.hips");
  ASSERT_NO_FATAL_FAILURE(move_mouse(low));
  ASSERT_NO_FATAL_FAILURE(press(true));
  ASSERT_NO_FATAL_FAILURE(move_mouse(low + glm::ivec2(0, -15)));
  ASSERT_NO_FATAL_FAILURE(move_mouse(low + glm::ivec2(0, -25)));
  key("Escape");
  // Before the button is released: a busy machine would see both at once.
  EXPECT_TRUE(until([&](const json&) { return std::abs(center("bone.hips").y - low.y) <= 2; })) << state();
  ASSERT_NO_FATAL_FAILURE(press(false));
  settle();
  const int steps = state()["undo_steps"].get<int>();
  // A hand, and its elbow by the dot.
  const glm::ivec2 wrist = center("bone.forearm_twist_l") + glm::ivec2(5, 7);  // nearer to the wrist
  drag(wrist, wrist + glm::ivec2(-60, -80));
  ASSERT_TRUE(until([](const json& r) { return r["state"]["undo_label"] == "Drag wrist_l"; })) << state();
  settle();
  ASSERT_TRUE(until_widget("reach.pole"));
  const glm::ivec2 held = center("bone.thumb_01_l");
  const glm::ivec2 pole = center("reach.pole");
  drag(pole, pole + glm::ivec2(10, -60));
  ASSERT_TRUE(until([](const json& r) { return r["state"]["undo_label"] == "Drag elbow_l"; })) << state();
  settle();
  EXPECT_LT(glm::length(glm::vec2(center("bone.thumb_01_l") - held)), 6) << "the hand stays";
  screenshot("posed");
  EXPECT_EQ(state()["undo_steps"].get<int>(), steps + 2);
  const int overrides = state()["overrides"].get<int>();
  for (int left = steps + 1; left >= 0; --left) {
    key("ctrl+z");
    ASSERT_TRUE(until([&](const json& r) { return r["state"]["undo_steps"] == left; })) << state();
  }
  ASSERT_TRUE(until([](const json& r) { return r["state"]["overrides"] == 0 && r["state"]["pins"] == 0; })) << state();
  for (int done = 1; done <= steps + 2; ++done) {
    key("ctrl+shift+z");
    ASSERT_TRUE(until([&](const json& r) { return r["state"]["undo_steps"] == done; })) << state();
  }
  ASSERT_TRUE(until([&](const json& r) { return r["state"]["overrides"] == overrides && r["state"]["pins"] == 2; }))
      << state();
}

}  // namespace
}  // namespace pelt::app
