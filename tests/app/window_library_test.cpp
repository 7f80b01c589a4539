// The pose library in the real window: poses are stored with a picture, pointed at, applied and blended.
#include "real_window.h"

namespace pelt::app {
namespace {

class LibraryInTheWindow : public RealWindow {
 protected:
  json viewport() { return report_["widgets"]["viewport"]; }
};

TEST_F(LibraryInTheWindow, APoseIsStoredPointedAtAppliedAndBlended) {
  launch({mannequin_file().string(), "--clip", "none", "--tab", "library", "--set", "elbow_l.bend=80", "--set",
          "elbow_r.bend=30"});
  click("library.store");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["undo_label"] == "Store Pose 1"; })) << state();
  ASSERT_TRUE(until_widget("library.0"));
  key("ctrl+2");
  settle();
  const Picture posed = screenshot("stored");
  // To rest: the pose is kept in the library alone.
  open_tab('2', "pose");
  scroll_to("pose.base.1");
  click("pose.base.1");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["undo_label"] == "Bind pose"; })) << state();
  click("pose.base.0");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["overrides"] == 0; })) << state();
  open_tab('2', "library");
  rest_mouse();
  settle();
  const Picture rest = screenshot("rest");
  const json view = viewport();
  const double arm = difference(posed, rest, view);
  ASSERT_GT(arm, 0.2) << "an arm";
  const int steps = state()["undo_steps"].get<int>();
  const glm::ivec2 at = center("library.0");
  ASSERT_NO_FATAL_FAILURE(move_mouse(at));
  settle();
  const Picture pointed = screenshot("pointed");
  EXPECT_LT(difference(pointed, posed, view), 0.2 * arm) << "the character shows the pose";
  EXPECT_EQ(state()["overrides"], 0);
  EXPECT_EQ(state()["undo_steps"], steps);
  ASSERT_NO_FATAL_FAILURE(move_mouse({kScreenWidth / 2, kScreenHeight - 4}));  // until the window has seen it
  settle();
  EXPECT_LT(difference(screenshot("left"), rest, view), 0.2 * arm) << "and no longer";
  drag(at, at + glm::ivec2(80, 0));
  ASSERT_TRUE(until([](const json& r) { return r["state"]["undo_label"] == "Blend to Pose 1"; })) << state();
  settle();
  EXPECT_EQ(state()["undo_steps"], steps + 1);
  const Picture half = screenshot("half");
  EXPECT_GT(difference(half, rest, view), 0.2 * arm);
  EXPECT_GT(difference(half, posed, view), 0.2 * arm);
  key("ctrl+z");
  ASSERT_TRUE(until([&](const json& r) { return r["state"]["undo_steps"] == steps; })) << state();
  click("library.0");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["undo_label"] == "Apply Pose 1"; })) << state();
  rest_mouse();
  settle();
  EXPECT_LT(difference(screenshot("applied"), posed, view), 0.2 * arm);
}

}  // namespace
}  // namespace pelt::app
