// A rigger's day in the real window: another joint type, copy and paste, save, pack, kill and recover, a source that
// changes and one that moves, export and reopen; where the window is small, and where everything is drawn twice as
// large.
#include <set>

#include "formats/open.h"
#include "gltf/export.h"
#include "real_window.h"

namespace pelt::app {
namespace {

struct Screen {
  const char* name;
  int width, height;
  const char* scale;
};
constexpr Screen kSmall{"640x480", 640, 480, "1"};
constexpr Screen kTwice{"200 percent", kScreenWidth, kScreenHeight, "2"};

class RiggersDay : public RealWindow {
 protected:
  /// @param comes_to_rest  false: the bundled character stands there and plays its clip
  void begin(const Screen& screen, std::vector<std::string> arguments, bool comes_to_rest = true) {
    full_pictures_ = screen.width == kSmall.width;
    ASSERT_TRUE(
        write_file_atomically(folder_ / "config/pelt/state.json",
                              fmt::format(R"({{"pelt": "state", "ui_scale": {}, "light": {{"occlusion": {}}}}})",
                                          screen.scale, full_pictures_)));
    launch(std::move(arguments));
    run(fmt::format("xdotool search --onlyvisible --class pelt windowsize {} {}", screen.width, screen.height));
    ASSERT_TRUE(until([&](const json& r) { return r["size"] == json::array({screen.width, screen.height}); }));
    if (comes_to_rest) {
      settle();
    }
  }
  void expect_notice(const std::string& part) {
    ASSERT_TRUE(until([&](const json& r) {
      return r["state"]["notice"].get<std::string>().find(part) != std::string::npos;
    })) << part
        << state();
  }
  bool is_saved() {
    return until([](const json& r) { return r["state"]["unsaved"] == false; });
  }
  /// Files of the working folder with this ending, but for some.
  std::vector<fs::path> files_but(const std::set<std::string>& names, const char* ending) {
    std::vector<fs::path> out;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
      if (entry.path().extension() == ending && !names.contains(entry.path().filename().string())) {
        out.push_back(entry.path());
      }
    }
    return out;
  }
  void day(const Screen& screen);
};

// What a menu entry asks a file for is written to the working folder under the proposed name.
constexpr const char* kHere = "browser.place.Working folder";

void RiggersDay::day(const Screen& screen) {
  const fs::path hero = mannequin_file();
  ASSERT_NO_FATAL_FAILURE(begin(screen, {hero.string(), "--clip", "none", "--skeleton"}));
  key("1");
  settle();
  ASSERT_NO_FATAL_FAILURE(click_at(center("bone.elbow_l")));
  ASSERT_TRUE(until([](const json& r) { return r["state"]["selected_joint"] == "elbow_l"; })) << state();

  // Another kind of joint.
  open_tab('5', "joints");
  scroll_to("joints.scales");
  click("joints.scales");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["undo_steps"] == 1 && r["state"]["unsaved"] == true; }))
      << state();
  screenshot("joint");

  // A pose, copied, reset and pasted.
  open_tab('2', "pose");
  scroll_to("dof.elbow_l.bend");
  const glm::ivec2 slider = center("dof.elbow_l.bend");
  ASSERT_NO_FATAL_FAILURE(drag(slider, slider + glm::ivec2(15, 0)));
  ASSERT_TRUE(until([](const json& r) { return r["state"]["overrides"] == 1; })) << state();
  const double bend = state()["dofs"]["bend"].get<double>();
  EXPECT_GT(std::abs(bend), 1e-3);
  key("ctrl+c");
  key("ctrl+z");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["overrides"] == 0; })) << state();
  key("ctrl+v");
  ASSERT_TRUE(until([&](const json& r) {
    return r["state"]["overrides"] == 1 && std::abs(r["state"]["dofs"]["bend"].get<double>() - bend) < 1e-5;
  })) << state();

  // Saved, packed.
  key("ctrl+s");
  ASSERT_NO_FATAL_FAILURE(click(kHere));
  ASSERT_NO_FATAL_FAILURE(click("browser.accept"));
  ASSERT_TRUE(is_saved()) << state();
  click("menu.File");
  click("menu.file.pack");
  ASSERT_NO_FATAL_FAILURE(click(kHere));
  ASSERT_NO_FATAL_FAILURE(click("browser.accept"));
  ASSERT_NO_FATAL_FAILURE(expect_notice("acked"));
  screenshot("packed");

  // Exported: limits, sliders and names in a file that any program reads.
  click("menu.File");
  click("menu.file.export");
  ASSERT_NO_FATAL_FAILURE(click(kHere));
  ASSERT_NO_FATAL_FAILURE(click("browser.accept"));
  ASSERT_NO_FATAL_FAILURE(expect_notice("xported"));
  const std::vector<fs::path> exported = files_but({"hero.glb"}, ".glb");
  ASSERT_EQ(exported.size(), 1u);
  const auto again = formats::open_character(exported.front().string());
  ASSERT_TRUE(again) << again.error().message;
  const int elbow = again->skeleton->find("elbow_l");
  ASSERT_GE(elbow, 0);
  EXPECT_GT(again->skeleton->dofs[elbow].count(rig::DofKind::kScale), 0);

  // Killed with something unsaved, and recovered.
  const glm::ivec2 now = center("dof.elbow_l.bend");
  ASSERT_NO_FATAL_FAILURE(drag(now, now + glm::ivec2(-25, 0)));
  ASSERT_TRUE(until([](const json& r) { return r["state"]["unsaved"] == true; })) << state();
  const double later = state()["dofs"]["bend"].get<double>();
  ASSERT_TRUE(until_recovery()) << "nothing was saved unasked";
  program_.stop(SIGKILL);
  ASSERT_NO_FATAL_FAILURE(begin(screen, {}, false));
  ASSERT_NO_FATAL_FAILURE(click("recover.open"));
  ASSERT_TRUE(until([](const json& r) { return r["state"]["overrides"] == 1; })) << state();
  EXPECT_NEAR(state()["dofs"]["bend"].get<double>(), later, 1e-5);
  key("ctrl+s");
  ASSERT_TRUE(is_saved()) << state();
  program_.stop(SIGTERM);

  // The source was exported anew: other bytes, the same character.
  const auto character = formats::open_character(hero.string());
  ASSERT_TRUE(character);
  const auto written = gltf::export_file(*character, folder_ / "anew.glb");
  ASSERT_TRUE(written) << written.error().message;
  fs::rename(folder_ / "anew.glb", hero);
  ASSERT_NO_FATAL_FAILURE(begin(screen, {(folder_ / "hero.pelt").string()}));
  ASSERT_TRUE(until([](const json& r) { return r["state"]["overrides"] == 1; })) << state();
  EXPECT_NEAR(state()["dofs"]["bend"].get<double>(), later, 1e-5);
  program_.stop(SIGTERM);

  // It was moved.
  fs::rename(hero, folder_ / "heroine.glb");
  ASSERT_NO_FATAL_FAILURE(begin(screen, {(folder_ / "hero.pelt").string()}, false));
  ASSERT_NO_FATAL_FAILURE(click("missing.find"));
  ASSERT_NO_FATAL_FAILURE(click(kHere));
  ASSERT_NO_FATAL_FAILURE(click("browser.entry.heroine.glb"));
  ASSERT_NO_FATAL_FAILURE(click("browser.accept"));
  ASSERT_TRUE(until([](const json& r) { return r["state"]["overrides"] == 1; })) << state();
  EXPECT_NEAR(state()["dofs"]["bend"].get<double>(), later, 1e-5);
  program_.stop(SIGTERM);

  // The packed one needs nothing beside it.
  const std::vector<fs::path> packed = files_but({"hero.pelt"}, ".pelt");
  ASSERT_EQ(packed.size(), 1u);
  fs::create_directories(folder_ / "mailed");
  fs::rename(packed.front(), folder_ / "mailed/hero.pelt");
  ASSERT_NO_FATAL_FAILURE(begin(screen, {(folder_ / "mailed/hero.pelt").string()}));
  ASSERT_TRUE(until([](const json& r) { return r["state"]["overrides"] == 1; })) << state();
  EXPECT_NEAR(state()["dofs"]["bend"].get<double>(), bend, 1e-5);
  screenshot("mailed");
}

TEST_F(RiggersDay, InASmallWindow) {
  day(kSmall);
}

TEST_F(RiggersDay, TwiceAsLarge) {
  day(kTwice);
}

}  // namespace
}  // namespace pelt::app
