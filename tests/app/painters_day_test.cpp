// A day of weights in the real window: bound badly, painted with every brush, locked, mirrored, pulled, taken from a
// file, the worst spot mended; undone to the start and redone, saved, killed, recovered, exported: the same weights.
#include <algorithm>

#include "bind/binders.h"
#include "edit/weight_tools.h"
#include "formats/open.h"
#include "real_window.h"
#include "ui/brush_tool.h"

namespace pelt::app {
namespace {

constexpr const char* kWorkingFolder = "browser.place.Working folder";

class PaintersDay : public RealWindow {
 protected:
  bool until_member(const char* member, const json& value) {
    return until([&](const json& r) { return r["state"].value(member, json()) == value; });
  }
  /// Waits for one more step, and that it says so.
  void expect_step(const std::string& words) {
    ++steps_;
    ASSERT_TRUE(until([&](const json& r) {
      return r["state"]["undo_steps"] == steps_ &&
             r["state"]["undo_label"].get<std::string>().find(words) != std::string::npos;
    })) << words
        << " " << steps_ << state();
  }
  void choose(const std::string& widget, std::size_t item) {
    scroll_to(widget);
    click(widget);
    ASSERT_NO_FATAL_FAILURE(click(fmt::format("{}.{}", widget, item)));
    settle();
  }
  void select(const std::string& joint) {
    click("tree.joint." + joint);
    ASSERT_TRUE(until_member("selected_joint", joint)) << state();
    settle();
  }
  void take(const char* tool, const char* button) {
    click("tab.paint");
    scroll_to(button);
    if (state()["tool"] != tool) {
      click(button);
    }
    ASSERT_TRUE(until_member("tool", tool)) << state();
    settle();
  }
  /// Across the arm, over its elbow.
  void stroke(glm::ivec2 by = {14, 18}) {
    const glm::ivec2 elbow = center("bone.elbow_l");
    ASSERT_NO_FATAL_FAILURE(drag(elbow - by, elbow + by));
    settle();
  }
  template <typename Rows>
  static std::size_t index_of(const Rows& rows, std::string_view id) {
    return static_cast<std::size_t>(std::ranges::find_if(rows, [&](const auto& row) { return row.id == id; }) -
                                    rows.begin());
  }
  void bind_by(std::string_view binder) {
    click("tab.bind");
    ASSERT_NO_FATAL_FAILURE(choose("bind.binder", index_of(bind::binders(), binder)));
    scroll_to("bind.bind");
    click("bind.bind");
    ASSERT_NO_FATAL_FAILURE(expect_step("Bind"));
    settle();
  }
  void use(std::string_view tool) {
    click("tab.tools");
    ASSERT_NO_FATAL_FAILURE(choose("tools.tool", index_of(edit::weight_tools(), tool)));
    scroll_to("tools.apply");
  }
  void paint_with(std::size_t mode) {
    ASSERT_NO_FATAL_FAILURE(take("paint", "paint.take"));
    ASSERT_NO_FATAL_FAILURE(choose("paint.mode", mode));
    ASSERT_NO_FATAL_FAILURE(stroke());
    ASSERT_NO_FATAL_FAILURE(expect_step("Paint weights")) << ui::brush_modes()[mode].id;
  }
  /// Bit for bit to the weights of the file and back to those of now.
  void undo_and_redo_all() {
    const json now = state()["weights"];
    for (int left = steps_ - 1; left >= 0; --left) {
      key("ctrl+z");
      ASSERT_TRUE(until_member("undo_steps", left)) << state();
    }
    EXPECT_EQ(state()["weights"], of_file_);
    EXPECT_NE(now, of_file_);
    for (int done = 1; done <= steps_; ++done) {
      key("ctrl+shift+z");
      ASSERT_TRUE(until_member("undo_steps", done)) << state();
    }
    EXPECT_EQ(state()["weights"], now);
  }
  /// The worst spot: found, posed and selected by a click, mended.
  void mend_the_worst_spot() {
    click("tab.spots");
    scroll_to("tools.spots");
    click("tools.spots");
    ASSERT_TRUE(until_widget("tools.spot.0")) << state();
    scroll_to("tools.spot.0");
    click("tools.spot.0");
    ASSERT_TRUE(until([](const json& r) { return r["state"]["selected_vertices"].get<int>() > 0; })) << state();
    settle();
    screenshot("worst");
    steps_ = state()["undo_steps"].get<int>();  // its pose is a step, too
    ASSERT_NO_FATAL_FAILURE(use("hammer"));
    click("tools.area.0");
    click("tools.apply");
    ASSERT_NO_FATAL_FAILURE(expect_step("ammer"));
  }
  void blend_towards_what_is_selected(std::size_t mode) {
    ASSERT_NO_FATAL_FAILURE(take("paint", "paint.take"));
    ASSERT_NO_FATAL_FAILURE(choose("paint.mode", mode));
    ASSERT_NO_FATAL_FAILURE(stroke());
    ++steps_;
    ASSERT_TRUE(until_member("undo_steps", steps_)) << state();
  }
  int steps_ = 0;
  json of_file_;
};

// Weights of all vertices of a file.
std::vector<std::vector<std::pair<int, float>>> weights_of(const fs::path& file) {
  const auto character = formats::open_character(file.string());
  EXPECT_TRUE(character) << (character ? "" : character.error().message);
  std::vector<std::vector<std::pair<int, float>>> out;
  for (std::size_t m = 0; character && m < character->meshes.size(); ++m) {
    for (const mesh::Primitive& primitive : character->meshes[m].primitives) {
      for (std::uint32_t v = 0; v < primitive.vertex_count(); ++v) {
        const mesh::InfluenceRow row = primitive.influences->row(v);
        auto& entries = out.emplace_back();
        for (std::size_t k = 0; k < row.joints.size(); ++k) {
          entries.emplace_back(row.joints[k], row.weights[k]);
        }
        std::ranges::sort(entries);
      }
    }
  }
  return out;
}

TEST_F(PaintersDay, FromABadBindingToAFileThatOthersRead) {
  const fs::path hero = mannequin_file();
  fs::copy_file(hero, folder_ / "artist.glb");
  // Plain pictures: it is the longest test, and draws thousands of them in software.
  launch({hero.string(), "--clip", "none", "--set", "elbow_l.bend=70", "--skeleton", "--camera", "0,5", "--samples",
          "1", "--no-occlusion", "--no-grid", "--background", "gray"});
  key("ctrl+4");
  settle();
  steps_ = state()["undo_steps"].get<int>();
  of_file_ = state()["weights"];
  ASSERT_NO_FATAL_FAILURE(bind_by("point-to-line"));
  screenshot("bound");

  // Every brush but blending, which needs vertices to blend towards.
  ASSERT_NO_FATAL_FAILURE(select("elbow_l"));
  const auto modes = ui::brush_modes();
  const std::size_t blend = index_of(modes, "blend");
  for (std::size_t mode = 0; mode < modes.size(); ++mode) {
    if (mode != blend && !(is_short_day() && mode >= 2)) {
      ASSERT_NO_FATAL_FAILURE(paint_with(mode));
    }
  }
  screenshot("painted");

  // Locked, the joint keeps its weight, and a brush says why nothing happens.
  scroll_to("paint.lock");
  click("paint.lock");
  ASSERT_NO_FATAL_FAILURE(expect_step("ock"));
  ASSERT_NO_FATAL_FAILURE(stroke());
  EXPECT_EQ(state()["undo_steps"], steps_) << state();
  EXPECT_NE(state()["notice"].get<std::string>().find("locked"), std::string::npos) << state();
  click("paint.unlock-all");
  ASSERT_NO_FATAL_FAILURE(expect_step("nlock"));

  ASSERT_NO_FATAL_FAILURE(use("mirror"));
  click("tools.apply");
  ASSERT_NO_FATAL_FAILURE(expect_step("irror"));
  screenshot("mirrored");

  // A vertex is pulled away from the inner side of the elbow.
  ASSERT_NO_FATAL_FAILURE(take("pull", "paint.pull"));
  ASSERT_NO_FATAL_FAILURE(stroke({6, 8}));
  ASSERT_NO_FATAL_FAILURE(expect_step("ull"));
  screenshot("pulled");

  if (!is_short_day()) {  // trying every pose takes minutes there
    ASSERT_NO_FATAL_FAILURE(mend_the_worst_spot());
    ASSERT_NO_FATAL_FAILURE(blend_towards_what_is_selected(blend));
  }

  // All from the artist's file.
  ASSERT_NO_FATAL_FAILURE(use("transfer"));
  scroll_to("tools.from");
  click("tools.from");
  ASSERT_NO_FATAL_FAILURE(click(kWorkingFolder));
  ASSERT_NO_FATAL_FAILURE(click("browser.entry.artist.glb"));
  ASSERT_NO_FATAL_FAILURE(click("browser.accept"));
  settle();
  click("tools.area.2");
  scroll_to("tools.apply");
  click("tools.apply");
  ASSERT_NO_FATAL_FAILURE(expect_step("ransfer"));
  screenshot("transferred");
  key("ctrl+z");
  --steps_;
  ASSERT_TRUE(until_member("undo_steps", steps_)) << state();

  ASSERT_NO_FATAL_FAILURE(undo_and_redo_all());

  // Saved; a stroke more; killed; recovered.
  key("ctrl+s");
  ASSERT_NO_FATAL_FAILURE(click(kWorkingFolder));
  ASSERT_NO_FATAL_FAILURE(click("browser.accept"));
  ASSERT_TRUE(until_member("unsaved", false)) << state();
  ASSERT_NO_FATAL_FAILURE(paint_with(0));
  const json painted = state()["weights"];
  ASSERT_TRUE(until_recovery()) << "nothing was saved unasked";
  program_.stop(SIGKILL);
  launch({});
  ASSERT_NO_FATAL_FAILURE(click("recover.open"));
  ASSERT_TRUE(until_member("unsaved", true)) << state();
  EXPECT_TRUE(until_member("weights", painted)) << "the last stroke, too";
  key("ctrl+s");
  ASSERT_TRUE(until_member("unsaved", false)) << state();

  // Exported: what the session has, and not what the file had.
  click("menu.File");
  click("menu.file.export");
  ASSERT_NO_FATAL_FAILURE(click(kWorkingFolder));
  ASSERT_NO_FATAL_FAILURE(click("browser.accept"));
  ASSERT_TRUE(until([](const json& r) {
    return r["state"]["notice"].get<std::string>().find("xported") != std::string::npos;
  })) << state();
  fs::path exported;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    const bool is_ours = entry.path() == hero || entry.path().filename() == "artist.glb";
    exported = entry.path().extension() == ".glb" && !is_ours ? entry.path() : exported;
  }
  ASSERT_FALSE(exported.empty());
  run(fmt::format("{} convert {} -o {}", test::program_path(), (folder_ / "hero.pelt").string(),
                  (folder_ / "of_session.glb").string()));
  const auto weights = weights_of(exported);
  EXPECT_EQ(weights, weights_of(folder_ / "of_session.glb"));
  EXPECT_NE(weights, weights_of(hero));
  for (const auto& row : weights) {
    double sum = 0;
    for (const auto& [joint, weight] : row) {
      sum += static_cast<double>(weight);
    }
    ASSERT_NEAR(sum, 1, 1e-4);
  }
}

}  // namespace
}  // namespace pelt::app
