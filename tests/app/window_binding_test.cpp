// Binders compared in the real window: what each pane shows, and what is left when one is used.
#include "real_window.h"

namespace pelt::app {
namespace {

// The part of a picture that a widget covers.
Picture cut(const Picture& from, const json& rect) {
  Picture out{rect[2].get<int>(), rect[3].get<int>(), {}};
  const int left = rect[0].get<int>();
  const int top = rect[1].get<int>();
  for (int y = top; y < top + out.height; ++y) {
    const auto row = from.pixels.begin() + static_cast<std::ptrdiff_t>(4) * (y * from.width + left);
    out.pixels.insert(out.pixels.end(), row, row + static_cast<std::ptrdiff_t>(4) * out.width);
  }
  return out;
}

TEST_F(RealWindow, BindersAreComparedSideBySideAndOneIsUsed) {
  launch({"@mannequin", "--clip", "none", "--set", "elbow_l.bend=90", "--set", "hip_l.bend=60", "--show", "clay"});
  open_tab('4', "bind");
  scroll_to("section.Compare binders");
  click("section.Compare binders");
  scroll_to("bind.compare");
  click("bind.compare");
  ASSERT_TRUE(until([](const json& r) {
    return r["widgets"].contains("bind.candidate.2.rms") && !r["widgets"].contains("bind.compare.cancel");
  })) << state();
  scroll_to("bind.compare.close");
  settle();
  screenshot("one");
  const int before = state()["undo_steps"].get<int>();
  click("bind.compare.show.1");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["panes"].size() == 3; })) << state();
  ASSERT_TRUE(until_widget("pane.2"));
  const glm::ivec2 aside(kScreenWidth / 2, kScreenHeight - 10);
  // The first picture of new panes takes long: the one that has seen the mouse comes after it.
  ASSERT_NO_FATAL_FAILURE(move_mouse(aside));
  settle();
  const Picture beside = screenshot("beside");
  const json pane = report_["widgets"]["pane.0"];
  // The same character under other weights: nearly the same picture, but not the very same.
  const auto of_pane = [&](int i) {
    json rect = report_["widgets"][fmt::format("pane.{}", i)];
    rect[1] = rect[1].get<double>() + 60;  // below the captions
    rect[2] = pane[2].get<double>() - 2;
    rect[3] = pane[3].get<double>() - 120;
    return cut(beside, rect);
  };
  const Picture file = of_pane(0);
  const json whole = {0, 0, file.width, file.height};
  for (const int other : {1, 2}) {
    EXPECT_GT(difference(file, of_pane(other), whole), 0.05) << other;
    EXPECT_LT(difference(file, of_pane(other), whole), 20) << other;
  }
  click("bind.compare.against");
  click("bind.compare.against.1");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["look"] == "difference"; })) << state();
  ASSERT_NO_FATAL_FAILURE(move_mouse(aside));
  settle();
  screenshot("difference");
  scroll_to("bind.compare.use");
  click("bind.candidate.1");
  settle();
  click("bind.compare.use");
  settle();
  EXPECT_EQ(state()["undo_steps"].get<int>(), before + 1) << state();
  EXPECT_TRUE(state()["undo_label"].get<std::string>().starts_with("Bind")) << state();
  screenshot("used");
  click("bind.compare.close");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["panes"].size() == 1; })) << state();
  EXPECT_EQ(state()["look"], "clay");
}

}  // namespace
}  // namespace pelt::app
