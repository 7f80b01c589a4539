#include <cmath>
#include <fstream>

#include "deform/skinning_methods.h"
#include "edit/pose_battery.h"
#include "gltf/export.h"
#include "math/angle.h"
#include "real_window.h"
#include "rig/surface_variants.h"
#include "support/fixtures.h"
#include "support/output_folder.h"

namespace pelt::app {
namespace {

TEST_F(RealWindow, OpensAFileWithTheBrowser) {
  mannequin_file();
  std::ofstream(folder_ / "broken.glb") << "glTF, but not really";
  launch({"@cylinder", "--clip", "none"});
  key("ctrl+o");
  click("browser.entry.hero.glb");
  click("browser.accept");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["file"].get<std::string>().ends_with("hero.glb"); }))
      << report_;
  EXPECT_FALSE(state()["loading"].get<bool>());
  EXPECT_TRUE(state()["error"].get<std::string>().empty());
  // A file that fails leaves the character and says why, here and on stderr.
  key("ctrl+o");
  click("browser.entry.broken.glb");
  click("browser.accept");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["error"].get<std::string>().find("broken.glb") == 0; }))
      << state();
  EXPECT_TRUE(state()["file"].get<std::string>().ends_with("hero.glb"));
  EXPECT_NE(log().find("broken.glb"), std::string::npos);
  key("ctrl+q");
  EXPECT_EQ(ended(), 0) << log();
  const auto kept = read_file(folder_ / "config" / "pelt" / "state.json");
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_NE(kept->find("hero.glb"), std::string::npos);
}

TEST_F(RealWindow, SliderDragPosesTheJointAndUndoes) {
  launch({"@cylinder", "--clip", "none"});
  settle();
  rest_mouse();
  const Picture before = screenshot("before");
  click("tree.joint.tip");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["selected_joint"] == "tip"; }));
  ASSERT_TRUE(until_widget("dof.tip.bend"));
  settle();
  const json rect = report_["widgets"]["dof.tip.bend"];
  const glm::ivec2 from = center("dof.tip.bend");
  const glm::ivec2 to(from.x + static_cast<int>(rect[2].get<double>() * 0.2), from.y);
  const double start = state()["dofs"]["bend"].get<double>();
  drag(from, to);
  ASSERT_TRUE(until([&](const json& r) { return r["state"]["dofs"]["bend"].get<double>() > start + 0.2; }))
      << report_["state"];
  settle();
  EXPECT_EQ(state()["undo_steps"].get<int>(), 1) << "a drag is one step";
  rest_mouse();
  settle();
  const Picture bent = screenshot("bent");
  EXPECT_GT(difference(before, bent, report_["widgets"]["viewport"]), 0.5);
  key("ctrl+z");
  EXPECT_TRUE(until([&](const json& r) { return std::abs(r["state"]["dofs"]["bend"].get<double>() - start) < 1e-5; }));
  EXPECT_TRUE(state()["notice"].get<std::string>().starts_with("Undone: ")) << state();
}

TEST_F(RealWindow, PoseIsSavedAndOpenedAgain) {
  launch({"@cylinder", "--clip", "none", "--set", "tip.bend=40"});
  settle();
  click("pose.save");
  click("browser.place.Working folder");
  click("browser.accept");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["notice"].get<std::string>().find("Pose saved") == 0; }))
      << state();
  const auto saved = read_file(folder_ / "cylinder-pose.json");
  ASSERT_TRUE(saved) << saved.error().message;
  EXPECT_NE(saved->find("\"tip\""), std::string::npos);
  click("pose.reset-scope.2");
  click("pose.reset.rest");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["overrides"].get<int>() == 0; })) << state();
  click("pose.open");
  click("browser.entry.cylinder-pose.json");
  click("browser.accept");
  EXPECT_TRUE(until([](const json& r) { return r["state"]["overrides"].get<int>() == 1; })) << state();

  ASSERT_TRUE(write_file_atomically(folder_ / "cylinder-pose.json", "somebody else's"));
  click("menu.File");
  click("menu.file.save-pose");
  ASSERT_TRUE(until([](const json& r) {
    return r["state"]["error"].get<std::string>().find("was changed by another program") != std::string::npos;
  })) << state();
  EXPECT_EQ(*read_file(folder_ / "cylinder-pose.json"), "somebody else's");
  click("menu.File");
  click("menu.file.save-pose");
  ASSERT_TRUE(until([](const json& r) {
    return r["state"]["notice"].get<std::string>().find("Pose saved") == 0 && r["state"]["error"] == "";
  })) << state();
  EXPECT_EQ(*read_file(folder_ / "cylinder-pose.json"), *saved);
}

// Saved, changed, killed, recovered, packed, and opened where nothing else is.
TEST_F(RealWindow, ASessionIsSavedAndOutlivesAKill) {
  launch({"@cylinder", "--clip", "none"});
  settle();
  click("tree.joint.tip");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["selected_joint"] == "tip"; })) << state();
  const auto bend = [&](int pixels) {
    ASSERT_TRUE(until_widget("dof.tip.bend"));
    const glm::ivec2 at = center("dof.tip.bend");
    ASSERT_NO_FATAL_FAILURE(drag(at, at + glm::ivec2(pixels, 0)));
    ASSERT_TRUE(until([](const json& r) { return r["state"]["unsaved"] == true; })) << state();
  };
  ASSERT_NO_FATAL_FAILURE(bend(20));
  key("ctrl+s");
  click("browser.place.Working folder");
  click("browser.accept");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["unsaved"] == false; })) << state();
  EXPECT_EQ(state()["session"], (folder_ / "cylinder.pelt").string());
  const auto saved = read_file(folder_ / "cylinder.pelt");
  ASSERT_TRUE(saved);

  ASSERT_NO_FATAL_FAILURE(bend(-30));
  ASSERT_TRUE(until_recovery()) << "nothing was saved unasked";
  program_.stop(SIGKILL);
  EXPECT_EQ(*read_file(folder_ / "cylinder.pelt"), *saved) << "what was saved is as it was saved";

  launch({});
  click("recover.open");
  ASSERT_TRUE(until([](const json& r) {
    return r["state"]["unsaved"] == true && r["state"]["overrides"].get<int>() == 1;
  })) << state();
  EXPECT_EQ(state()["session"], (folder_ / "cylinder.pelt").string());
  key("ctrl+s");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["unsaved"] == false; })) << state();
  EXPECT_NE(*read_file(folder_ / "cylinder.pelt"), *saved);
  EXPECT_FALSE(has_recovery()) << "there is nothing left to be recovered";
}

TEST_F(RealWindow, EscapeClosesMenusAndPathsAreTyped) {
  fs::create_directories(folder_ / "poses");
  launch({"@cylinder", "--clip", "none", "--set", "tip.bend=40"});
  settle();
  click("tree.search");
  click("menu.View");
  ASSERT_TRUE(until_widget("menu.view.front"));
  key("Escape");
  ASSERT_TRUE(until([](const json& r) { return !r["widgets"].contains("menu.view.front"); }));
  click("pose.save");
  ASSERT_TRUE(until_widget("browser.name"));
  settle();
  run("xdotool type '~/poses/bent'");
  key("Return");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["notice"].get<std::string>().find("Pose saved") == 0; }))
      << state();
  EXPECT_TRUE(fs::exists(folder_ / "poses" / "bent.json"));
  key("ctrl+q");
  ASSERT_EQ(ended(), 0) << log();
  // Another run finds the folder of poses, and opens what is pasted.
  fs::remove(report_path_);
  mannequin_file();
  launch({"@cylinder", "--clip", "none"});
  settle();
  click("pose.open");
  ASSERT_TRUE(until([](const json& r) { return r["state"].contains("browser"); }));
  EXPECT_EQ(state()["browser"]["folder"], (folder_ / "poses").string());
  key("Escape");
  ASSERT_TRUE(until([](const json& r) { return !r["state"].contains("browser"); }));
  key("ctrl+o");
  ASSERT_TRUE(until_widget("browser.filter"));
  settle();
  run("xdotool type '~/hero.glb'");
  screenshot("typed");
  key("Return");
  EXPECT_TRUE(until([](const json& r) { return r["state"]["file"].get<std::string>().ends_with("hero.glb"); }))
      << state();
}

TEST_F(RealWindow, JointIsPickedInTheViewport) {
  launch({"@mannequin", "--clip", "none"});
  key("b");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["skeleton"].get<bool>(); }));
  settle();
  // A bone that lies free: some other may cover a given one from this side, so take what the report offers.
  std::string picked;
  for (const auto& [name, rect] : report_["widgets"].items()) {
    if (!name.starts_with("bone.") ||
        (name.find("shin") == std::string::npos && name.find("knee") == std::string::npos &&
         name.find("calf") == std::string::npos && name.find("lowerleg") == std::string::npos)) {
      continue;
    }
    picked = name.substr(5);
    click_at(center(name));
    break;
  }
  ASSERT_FALSE(picked.empty()) << report_["widgets"];
  EXPECT_TRUE(until([&](const json& r) { return r["state"]["selected_joint"] == picked; })) << picked << state();
  // Dragging the selected bone turns it.
  settle();
  const glm::ivec2 at = center("bone." + picked);
  drag(at, at + glm::ivec2(40, -10));
  EXPECT_TRUE(until([](const json& r) { return r["state"]["overrides"].get<int>() == 1; })) << state();
  EXPECT_EQ(state()["undo_steps"].get<int>(), 1);
}

TEST_F(RealWindow, BackendIsSwitchedByKeyAndMouseWithoutVisibleChange) {
  launch({"@mannequin", "--clip", "none"});
  open_tab('1', "skinning");
  ASSERT_TRUE(until_widget("skinning.backend.1"));
  settle();
  rest_mouse();
  settle();
  const Picture gpu = screenshot("gpu");
  key("c");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["backend"] == "cpu"; }));
  settle();
  const Picture cpu = screenshot("cpu");
  // Rounding may move a pixel of an outline; a wrong shape moves many.
  json skin = report_["widgets"]["viewport"];  // below the toolbar, whose switch is another one now
  skin[1] = skin[1].get<double>() + 60;
  skin[3] = skin[3].get<double>() - 60;
  EXPECT_LT(difference(gpu, cpu, skin), 0.05);
  click("skinning.backend.0");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["backend"] == "gpu"; }));
  click("skinning.parity.measure");
  ASSERT_TRUE(until([](const json& r) { return r["state"].contains("parity"); }));
  EXPECT_LT(state()["parity"]["max"].get<double>(), 2e-5);
}

TEST_F(RealWindow, WeightsColourTheSkinAndAVertexIsPinned) {
  launch({"@mannequin", "--clip", "none"});
  settle();
  rest_mouse();
  settle();
  const Picture shaded = screenshot("shaded");
  key("w");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["look"] == "weights"; }));
  ASSERT_TRUE(until_widget("legend"));
  settle();
  const Picture weights = screenshot("weights");
  EXPECT_GT(difference(shaded, weights, report_["widgets"]["viewport"]), 2);
  open_tab('4', "weights");
  settle();
  click_at(center("viewport"));  // the framed character's middle is its belly
  EXPECT_TRUE(until([](const json& r) { return r["state"]["pinned"][1].get<int>() >= 0; })) << state();
  settle();
  screenshot("pinned");
}

TEST_F(RealWindow, ClipPlaysAndPausesAndTheWindowSleeps) {
  launch({"@mannequin"});
  ASSERT_TRUE(until([](const json& r) { return r["state"]["playing"].get<bool>(); }));
  const double start = state()["time"].get<double>();
  EXPECT_TRUE(until([&](const json& r) { return std::abs(r["state"]["time"].get<double>() - start) > 0.05; }));
  key("space");
  ASSERT_TRUE(until([](const json& r) { return !r["state"]["playing"].get<bool>(); }));
  settle();
  const double paused = state()["time"].get<double>();
  rest_mouse();
  std::this_thread::sleep_for(1s);
  settle();
  EXPECT_EQ(state()["time"].get<double>(), paused);
  // The window uses next to no processor time while nothing changes, once the notice of the start has gone.
  EXPECT_TRUE(test::eventually([&] {
    const double before = program_.cpu_seconds();
    std::this_thread::sleep_for(3s);
    return program_.cpu_seconds() - before < 0.15;
  }));
  key("Right");
  EXPECT_TRUE(until([&](const json& r) { return r["state"]["time"].get<double>() != paused; }));
}

TEST_F(RealWindow, MethodsArePreparedBesideThePicture) {
  // Large enough that centres of rotation take longer than a click, but perhaps no longer than the window takes to
  // open.
  launch({"@mannequin", "--subdivide", "2", "--clip", "none"});
  open_tab('1', "skinning");
  click("skinning.method");
  click(fmt::format("skinning.method.{}", deform::find_method("cor")));
  ASSERT_TRUE(until([](const json& r) { return r["state"]["loading"].get<bool>(); })) << state();
  EXPECT_EQ(state()["method"], "cor");
  click("loading.cancel");
  ASSERT_TRUE(until([](const json& r) { return !r["state"]["loading"].get<bool>(); })) << state();
  EXPECT_EQ(state()["method"], "lbs") << "the pane is what it shows";
  EXPECT_TRUE(state()["error"].get<std::string>().empty());
  // Again, and closed in the middle of it.
  key("ctrl+z");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["loading"].get<bool>(); })) << state();
  EXPECT_EQ(state()["method"], "cor");
  key("ctrl+q");
  EXPECT_EQ(ended(), 0) << log();
}

TEST_F(RealWindow, PanesMethodsWipeAndDifferenceInTheCompareTab) {
  launch({"@cylinder", "--clip", "none", "--set", "tip.twist=120"});
  open_tab('1', "compare");
  ASSERT_TRUE(until_widget("compare.count.1"));
  click("compare.count.1");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["panes"].size() == 2; })) << state();
  ASSERT_TRUE(until_widget("pane.1"));
  settle();
  rest_mouse();
  settle();
  EXPECT_NEAR(report_["widgets"]["pane.0"][2].get<double>(), report_["widgets"]["pane.1"][2].get<double>(), 1);

  // Another method in the second pane alone.
  click("compare.pane.1.method");
  click(fmt::format("compare.pane.1.method.{}", deform::find_method("dqs")));
  ASSERT_TRUE(until([](const json& r) { return r["state"]["panes"][1]["method"] == "dqs"; })) << state();
  EXPECT_EQ(state()["panes"][0]["method"], "lbs");
  // Numbers of both panes: C53.1, twist 120.
  ASSERT_TRUE(until([](const json& r) {
    return r["state"].contains("numbers") && r["state"]["numbers"]["current"].get<bool>() &&
           r["state"]["numbers"]["volume"].size() == 2;
  })) << state();
  EXPECT_NEAR(state()["numbers"]["volume"][0].get<double>(), 0.899289, 1e-5);
  EXPECT_NEAR(state()["numbers"]["volume"][1].get<double>(), 0.996014, 1e-4);
  rest_mouse();
  settle();
  const Picture split = screenshot("split");

  // The wipe: both over each other, the line follows the mouse.
  key("x");
  ASSERT_TRUE(until_widget("wipe.handle"));
  settle();
  EXPECT_NEAR(state()["wipe"].get<double>(), 0.5, 1e-3);
  const glm::ivec2 handle = center("wipe.handle");
  drag(handle, handle + glm::ivec2(150, 0));
  ASSERT_TRUE(until([](const json& r) { return r["state"]["wipe"].get<double>() > 0.6; })) << state();
  rest_mouse();
  settle();
  const Picture wiped = screenshot("wipe");
  EXPECT_GT(difference(split, wiped, report_["widgets"]["viewport"]), 1);
  key("x");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["wipe"].get<double>() < 0; }));

  // The difference map with its legend, and the value under the mouse.
  key("d");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["look"] == "difference"; }));
  ASSERT_TRUE(until_widget("legend"));
  settle();
  const Picture map = screenshot("difference");
  EXPECT_GT(difference(split, map, report_["widgets"]["viewport"]), 2);
  const glm::ivec2 skin = center("pane.1");
  run(fmt::format("xdotool mousemove {} {}", skin.x, skin.y));
  EXPECT_TRUE(until_widget("probe")) << "the middle of a framed tube is skin";
  screenshot("probe");
  key("d");
  EXPECT_TRUE(until([](const json& r) { return r["state"]["look"] == "shaded"; }));
  // Which method does it need?
  key("q");
  ASSERT_TRUE(until([](const json& r) { return r["state"].contains("battery"); })) << state();
  EXPECT_EQ(state()["battery"]["joints"].get<int>(), 1) << "only the skin around the tip bends";
  settle();
  screenshot("battery");
}

TEST_F(RealWindow, C9_C10_C12_C15_C16_WeightsOnADietInTheSkinningTab) {
  // F-STRIP100 and F-CYL in one file, each with a skin of its own.
  rig::Character both = test::strip100();
  const int root = test::add_node(both, "root", -1, {});
  const int tip = test::add_node(both, "tip", root, {.translation = {0.5f, 0, 0}});
  test::add_skinned_mesh(both, "cylinder", {root, tip}, test::cylinder_primitive());
  rig::finish(both);
  ASSERT_TRUE(gltf::export_file(both, folder_ / "both.glb"));
  // Little to draw: it is about the panel.
  launch({(folder_ / "both.glb").string(), "--clip", "none", "--set", "tip.twist=120", "--tab", "skinning", "--size",
          "720x900", "--samples", "1", "--no-occlusion"});
  const auto until_diet = [&](const std::function<bool(const json&)>& condition) {
    return until([&](const json& r) {
      const json& diet = r["state"]["diet"];
      return diet.value("current", false) && condition(diet);
    });
  };
  const auto error = [&] { return state()["diet"]["max_error"].get<double>(); };
  ASSERT_TRUE(until_diet([](const json& diet) { return diet["batches"] == 3; })) << state();
  // 1314 vertices of two joints, and 201 of one: the strip's, one of them in both of its batches (C10.1).
  EXPECT_NEAR(state()["diet"]["bytes_per_vertex"].get<double>(), (1314 * 10 + 201 * 5) / 1515.0, 1e-9);
  EXPECT_EQ(state()["diet"]["upload_bytes"], (64 + 37 + 2) * 48);
  EXPECT_EQ(error(), 0);

  // The point that a joint of weight w carries is w times the way from where the other joint alone takes it, here the
  // chord of the twist. One joint for each vertex: the ring in the middle, w = 1/2, loses most.
  const double chord = 2 * 0.1 * std::sin(kDegree * 60);
  settle();
  const json influences = report_["widgets"]["skinning.influences"];
  const glm::ivec2 all(static_cast<int>(influences[0].get<double>() + influences[2].get<double>()) - 6,
                       center("skinning.influences").y);
  drag(all, {static_cast<int>(influences[0].get<double>()) + 6, all.y});
  ASSERT_TRUE(until_diet([](const json& diet) { return diet["influence_limit"] == 1; })) << state();
  EXPECT_NEAR(error(), chord / 2, 1e-5);
  EXPECT_EQ(state()["diet"]["bytes_per_vertex"], 5);
  EXPECT_EQ(state()["undo_steps"], 1) << "a drag is one step";
  key("ctrl+z");
  ASSERT_TRUE(until_diet([](const json& diet) { return diet["influence_limit"] == 0; })) << state();
  // Below a threshold between 1/8 and 1/4 lies the ring next to each end of the zone.
  const json prune = report_["widgets"]["skinning.prune"];
  const glm::ivec2 none(static_cast<int>(prune[0].get<double>()) + 6, center("skinning.prune").y);
  drag(none, none + glm::ivec2(static_cast<int>(prune[2].get<double>() * 0.6), 0));
  ASSERT_TRUE(until_diet([](const json& diet) { return diet["prune_threshold"].get<double>() > 0.126; })) << state();
  ASSERT_LT(state()["diet"]["prune_threshold"].get<double>(), 0.25);
  EXPECT_NEAR(error(), chord / 8, 1e-5);
  key("ctrl+z");
  ASSERT_TRUE(until_diet([](const json& diet) { return diet["prune_threshold"] == 0; })) << state();

  // Of the eighths of 255 that the rings have, 127.5 rounds worst (C15.1).
  click("skinning.format");
  click("skinning.format.2");
  ASSERT_TRUE(until_diet([](const json& diet) { return diet["format"] == "8bit"; })) << state();
  EXPECT_NEAR(error(), 0.5 / 255 * chord, 1e-6);
  EXPECT_NEAR(state()["diet"]["bytes_per_vertex"].get<double>(), (1314 * 4 + 201 * 2) / 1515.0, 1e-9);
  click("skinning.format");
  click("skinning.format.3");
  ASSERT_TRUE(until_diet([](const json& diet) { return diet["format"] == "56bit"; })) << state();
  EXPECT_EQ(state()["diet"]["bytes_per_vertex"], 7);
  EXPECT_LE(error(), 1.5 / 255 * chord + 1e-6);

  click("skinning.palette");
  click("skinning.palette.0");
  ASSERT_TRUE(until_diet([](const json& diet) { return diet["palette_limit"] == 24; })) << state();
  EXPECT_EQ(state()["diet"]["batches"], 5 + 1);
  EXPECT_EQ(state()["diet"]["draw_calls"], 5 + 1);
  EXPECT_EQ(state()["diet"]["upload_bytes"], (4 * 24 + 8 + 2) * 48);
  click("skinning.partition");
  ASSERT_TRUE(until_diet([](const json& diet) { return diet["partition"] == true; })) << state();
  EXPECT_EQ(state()["diet"]["rigid_triangles"], 1056 + 1056);  // C12.1
  EXPECT_EQ(state()["diet"]["skinned_triangles"], 512 + 99);
  EXPECT_EQ(state()["diet"]["draw_calls"], 5 + 3);

  scroll_to("skinning.diet.battery");
  click("skinning.diet.map");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["look"] == "difference"; })) << state();
  EXPECT_TRUE(until_widget("legend"));
  click("skinning.diet.battery");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["diet"].contains("run"); })) << state();
  EXPECT_EQ(state()["diet"]["run"]["poses"], 102 * 3 * 2 + edit::kBatteryRandomPoses)
      << "each joint's three angles at both limits, and random ones";
  // No further than a joint takes a point that is 0.15 m from it, half way round.
  const double worst = state()["diet"]["run"]["max_error"].get<double>();
  EXPECT_GT(worst, error());
  EXPECT_LE(worst, 1.5 / 255 * 2 * 0.15);
  scroll_to("skinning.diet.worst-pose");
  click("skinning.diet.worst-pose");
  EXPECT_TRUE(until_diet([&](const json& diet) { return std::abs(diet["max_error"].get<double>() - worst) < 1e-9; }))
      << state();
  screenshot("worst-pose");
}

TEST_F(RealWindow, TheCandyWrapperIsOneMenuEntryAwayWithItsCurve) {
  launch({"@mannequin", "--clip", "none"});
  click("menu.Learn");
  click("menu.learn.candy-wrapper");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["character"] == "cylinder"; })) << state();
  ASSERT_TRUE(until([](const json& r) { return r["state"].contains("plot"); })) << state();
  EXPECT_EQ(state()["plot"]["over"], "tip.twist");
  EXPECT_EQ(state()["plot"]["curves"].get<int>(), 2);
  ASSERT_TRUE(until_widget("compare.plot"));
  settle();
  screenshot("candy-wrapper");
  // Dragging over the curve poses the joint, in one step of undo.
  const json area = report_["widgets"]["compare.plot"];
  const glm::ivec2 middle = center("compare.plot");
  drag(middle, middle + glm::ivec2(static_cast<int>(area[2].get<double>() / 4), 0));
  ASSERT_TRUE(until([](const json& r) { return std::abs(r["state"]["dofs"]["twist"].get<double>() - 1.5708) < 0.05; }))
      << state();
  // And the file with the numbers.
  key("ctrl+e");
  click("browser.place.Working folder");
  click("browser.accept");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["notice"].get<std::string>().find("Numbers saved") == 0; }))
      << state();
  const auto saved = read_file(folder_ / "cylinder-numbers.csv");
  ASSERT_TRUE(saved) << saved.error().message;
  EXPECT_EQ(saved->find("tip.twist (deg),pane,method,"), 0u);
}

TEST_F(RealWindow, TheBatteryNeverStopsTheWindow) {
  launch({"@mannequin", "--clip", "none"});
  open_tab('1', "compare");
  settle();
  // So many poses that the battery takes longer than all that is done meanwhile.
  scroll_to("battery.random");
  click("battery.random");
  key("ctrl+a");
  run("xdotool type 10000");
  key("Return");
  settle();
  key("q");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["measuring"].get<bool>(); })) << state();
  // Meanwhile the window answers.
  key("b");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["skeleton"].get<bool>(); }));
  EXPECT_TRUE(state()["measuring"].get<bool>()) << "answered before the battery was over";
  click("battery.cancel");
  EXPECT_TRUE(until([](const json& r) { return !r["state"]["measuring"].get<bool>(); }));
  EXPECT_FALSE(state().contains("battery"));
}

TEST_F(RealWindow, C52_AnotherSurfaceKeepsPoseHistoryAndParity) {
  // The elbow with a sheet beside it whose long edge is met in its middle by a vertex that moves otherwise.
  Result<rig::Character> elbow = gltf::open_character("@elbow");
  ASSERT_TRUE(elbow);
  mesh::Primitive sheet;
  sheet.positions = {{0, 1, 3}, {1, 1, 3}, {0.5f, 2, 3}, {0.5f, 1, 3}, {0.5f, 0.5f, 3}};
  sheet.indices = {0, 1, 2, 0, 4, 3, 3, 4, 1};
  for (const float bent : {0.0f, 1.0f, 1.0f, 0.5f, 1.0f}) {
    mesh::append_row(sheet.influences.edit(), std::array<std::uint16_t, 2>{0, 1}, std::array{1 - bent, bent});
  }
  elbow->meshes.edit(0).primitives.push_back(std::move(sheet));
  const auto own = static_cast<int>(rig::triangle_count(*elbow));
  ASSERT_TRUE(gltf::export_file(*elbow, folder_ / "torn.glb"));
  launch({(folder_ / "torn.glb").string(), "--clip", "none", "--set", "forearm.bend=-90", "--tab", "skinning"});
  ASSERT_TRUE(until([](const json& r) { return r["state"]["surface"].value("t_junctions", 0) == 1; })) << state();
  key("c");  // a step of history that must stay
  ASSERT_TRUE(until([](const json& r) { return r["state"]["undo_steps"] == 1; }));
  click("surface.mark");
  click("surface.split");
  ASSERT_TRUE(until([](const json& r) {
    return r["state"]["surface"]["split"] == true && r["state"]["surface"].value("t_junctions", 1) == 0;
  })) << state();
  click("surface.subdivision.1");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["surface"]["subdivisions"] == 1; })) << state();
  EXPECT_EQ(state()["surface"]["triangles"], 4 * (own + 1)) << "the split added one";
  click("surface.cage");
  click("skinning.parity.measure");
  ASSERT_TRUE(until([](const json& r) { return r["state"].contains("parity"); })) << state();
  EXPECT_LT(state()["parity"]["max"].get<double>(), 1e-4);
  screenshot("subdivided");
  EXPECT_EQ(state()["overrides"], 1);
  key("ctrl+z");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["backend"] == "gpu"; })) << "history went on";
  click("surface.subdivision.0");
  click("surface.detail.2");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["surface"]["detail"] == 2; })) << state();
  EXPECT_LT(state()["surface"]["triangles"], own / 2);
  EXPECT_EQ(state()["overrides"], 1);
}

TEST_F(RealWindow, AWatchedFileIsReloadedAndABrokenOneWaitedFor) {
  const fs::path file = mannequin_file();
  launch({file.string(), "--watch", "--clip", "none", "--set", "elbow_l.bend=60", "--tab", "display"});
  ASSERT_TRUE(until([](const json& r) { return r["state"]["watching"] == true && r["state"]["overrides"] == 1; }));
  click("tree.joint.chest");
  key("1");  // from the front
  key("b");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["skeleton"].get<bool>(); }));
  const json before = state();
  // Half of it is there, then nothing of sense, then another character with one joint more in front.
  const auto whole = read_file(file);
  ASSERT_TRUE(whole);
  std::ofstream(file, std::ios::binary | std::ios::trunc) << whole->substr(0, whole->size() / 2);
  ASSERT_TRUE(until([](const json& r) { return !r["state"]["error"].get<std::string>().empty(); })) << state();
  EXPECT_EQ(state()["overrides"], 1) << "the character from before stays";
  screenshot("half");
  Result<rig::Character> changed = gltf::open_character("@mannequin");
  ASSERT_TRUE(changed);
  changed->meshes.edit(0).primitives.edit(0).indices.resize(changed->meshes[0].primitives[0].indices.size() / 6 * 3);
  ASSERT_TRUE(gltf::export_file(*changed, file));
  ASSERT_TRUE(until([&](const json& r) {
    return r["state"]["notice"].get<std::string>().find("Reloaded") == 0 &&
           r["state"]["surface"]["triangles"] != before["surface"]["triangles"];
  })) << state();
  EXPECT_EQ(state()["error"], "");
  for (const char* what : {"camera", "overrides", "selected_joint", "skeleton", "tab", "clip", "look"}) {
    EXPECT_EQ(state()[what], before[what]) << what;
  }
  click("reload");
  ASSERT_TRUE(until([](const json& r) { return !r["state"]["loading"].get<bool>(); }));
  EXPECT_EQ(state()["overrides"], 1);
}

TEST_F(RealWindow, AWatchedFileThatGoesAwayIsMissedAndHeals) {
  const fs::path file = folder_ / "coming.gltf";
  const Result<rig::Character> mannequin = gltf::open_character("@mannequin");
  ASSERT_TRUE(mannequin);
  ASSERT_TRUE(gltf::export_file(*mannequin, file, {.form = gltf::FileForm::kSeparate}));
  fs::path buffer;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    buffer = entry.path().extension() == ".bin" ? entry.path() : buffer;
  }
  ASSERT_FALSE(buffer.empty());
  launch({file.string(), "--watch", "--clip", "none", "--set", "elbow_l.bend=60"});
  ASSERT_TRUE(until([](const json& r) { return r["state"]["watching"] == true && r["state"]["overrides"] == 1; }));
  const json before = state();
  for (const fs::path& gone : {file, buffer}) {
    SCOPED_TRACE(gone);
    const std::string sentence = gone.filename().string() + " is gone; the character stays as it is";
    fs::rename(gone, gone.string() + "-");
    ASSERT_TRUE(until([&](const json& r) { return r["state"]["error"].get<std::string>().find(sentence) == 0; }))
        << state();
    settle();
    EXPECT_EQ(state()["overrides"], 1) << "the character from before stays";
    EXPECT_EQ(state()["surface"], before["surface"]);
    screenshot("gone");
    const std::string said = log();
    EXPECT_NE(said.find(sentence), std::string::npos) << said;
    EXPECT_EQ(said.find(sentence), said.rfind(sentence)) << "once: " << said;
    fs::rename(gone.string() + "-", gone);
    ASSERT_TRUE(until([](const json& r) {
      return r["state"]["error"] == "" && r["state"]["notice"].get<std::string>().find("Reloaded") == 0;
    })) << state();
    EXPECT_EQ(state()["overrides"], 1);
    EXPECT_EQ(state()["surface"], before["surface"]);
  }
  // Nothing is left of it but a name, then another kind of file altogether, then what it was.
  const auto whole = read_file(file);
  ASSERT_TRUE(whole);
  std::ofstream(file, std::ios::trunc).flush();
  ASSERT_TRUE(until([](const json& r) {
    return r["state"]["error"].get<std::string>().find("coming.gltf") != std::string::npos;
  })) << state();
  EXPECT_EQ(state()["surface"], before["surface"]);
  fs::remove(file);
  fs::create_directory(file);
  ASSERT_TRUE(until([](const json& r) {
    return r["state"]["error"].get<std::string>().find("coming.gltf is gone") == 0;
  })) << state();
  fs::remove(file);
  std::ofstream(file) << *whole;
  ASSERT_TRUE(until([](const json& r) { return r["state"]["error"] == ""; })) << state();
  EXPECT_EQ(state()["surface"], before["surface"]);
}

TEST_F(RealWindow, SmallWindowStaysUsable) {
  // A method that prepares, from the start.
  launch({"@mannequin", "--clip", "none", "--method", "cor"});
  ASSERT_TRUE(until([](const json& r) { return !r["state"]["loading"].get<bool>(); })) << state();
  EXPECT_EQ(state()["method"], "cor");
  settle();
  run("xdotool search --onlyvisible --class pelt windowsize 640 480");
  ASSERT_TRUE(until([](const json& r) { return r["size"] == json::array({640, 480}); }));
  settle();
  constexpr std::pair<char, const char*> kPlaces[] = {
      {'1', "skinning"}, {'1', "compare"}, {'1', "shapes"},  {'1', "display"}, {'1', "info"},  {'2', "pose"},
      {'4', "weights"},  {'5', "layers"},  {'6', "lessons"}, {'6', "compare"}, {'2', "shapes"}};
  for (const auto& [mode, tab] : kPlaces) {
    open_tab(mode, tab);
    settle();
    for (const auto& [name, rect] : report_["widgets"].items()) {
      if (name.starts_with("panel.") || name.starts_with("tab.") || name == "viewport") {
        EXPECT_GE(rect[0].get<double>(), 0) << name;
        EXPECT_LE(rect[0].get<double>() + rect[2].get<double>(), 640.5) << name;
        EXPECT_LE(rect[1].get<double>() + rect[3].get<double>(), 480.5) << name;
      }
    }
  }
  EXPECT_GE(report_["widgets"]["viewport"][2].get<double>(), 300);
  screenshot("small");
  key("Tab");
  EXPECT_TRUE(until([](const json& r) { return r["state"]["panels_hidden"].get<bool>(); }));
  EXPECT_EQ(report_["widgets"]["viewport"], json::array({0.0, 0.0, 640.0, 480.0}));
}

// Every mode by its key and by the mouse; joints and vertices selected by all means; the menu under the right button.
struct ScaledScreen {
  const char* name;
  int scale;
  bool is_small;
};
void PrintTo(const ScaledScreen& screen, std::ostream* out) {
  *out << screen.name;
}

class ModesAndSelections : public RealWindow, public testing::WithParamInterface<ScaledScreen> {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(RealWindow::SetUp());
    fs::create_directories(folder_ / "config/pelt");
    ASSERT_TRUE(write_file_atomically(folder_ / "config/pelt/state.json",
                                      fmt::format(R"({{"pelt": "state", "ui_scale": {}}})", GetParam().scale)));
    launch({"@mannequin", "--clip", "none", "--skeleton"});
    if (GetParam().is_small) {
      run("xdotool search --onlyvisible --class pelt windowsize 640 480");
      ASSERT_TRUE(until([](const json& r) { return r["size"] == json::array({640, 480}); }));
      settle();
    }
  }
  std::size_t joints() { return state()["selected_joints"].size(); }
};

TEST_P(ModesAndSelections, ByKeysAndMouse) {
  using Mode = std::pair<const char*, char>;
  for (const auto& [mode, key_of_mode] :
       {Mode{"look", '1'}, Mode{"weights", '4'}, Mode{"rig", '5'}, Mode{"learn", '6'}, Mode{"pose", '2'}}) {
    settle();  // the menu may still be closing over what the last turn chose
    const auto shows = [&](const char* widget) { return report_["widgets"].contains(widget); };
    if (!shows("mode.look") && !shows("modes")) {
      key(fmt::format("ctrl+{}", key_of_mode));  // not even for their menu
    } else {
      if (!shows("mode.look")) {
        click("modes");
      }
      click(fmt::format("mode.{}", mode));
    }
    ASSERT_TRUE(until([&](const json& r) { return r["state"]["mode"] == mode; })) << mode << state();
  }
  key("1");
  key("Escape");
  settle();
  click_at(center("bone.shoulder_l"));
  ASSERT_TRUE(until([](const json& r) { return r["state"]["selected_joint"] == "shoulder_l"; })) << state();
  run("xdotool keydown shift");
  click_at(center("bone.shoulder_r"));
  run("xdotool keyup shift");
  ASSERT_TRUE(until([&](const json&) { return joints() == 2; })) << state();
  key("ctrl+l");
  ASSERT_TRUE(until([&](const json&) { return joints() > 30; })) << state();
  key("Escape");
  ASSERT_TRUE(until([&](const json&) { return joints() == 0; })) << state();
  click_at(center("bone.elbow_l"));
  key("Up");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["selected_joint"] == "shoulder_l"; })) << state();
  key("ctrl+m");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["selected_joint"] == "shoulder_r"; })) << state();
  // The right button: a menu about what is there.
  const glm::ivec2 elbow = center("bone.elbow_l");
  ASSERT_NO_FATAL_FAILURE(move_mouse(elbow));
  run("xdotool click 3");
  ASSERT_TRUE(until_widget("context.select.mirror"));
  EXPECT_EQ(state()["selected_joint"], "elbow_l");
  click("context.select.mirror");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["selected_joint"] == "elbow_r"; })) << state();
  // A box while its key is held, and what was before when it is let go.
  key("Escape");
  run("xdotool keydown o");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["tool"] == "box"; })) << state();
  const glm::ivec2 reach(GetParam().is_small ? 12 : 24);
  drag(elbow - reach, elbow + reach);
  ASSERT_TRUE(until([&](const json&) { return joints() > 0; })) << state();
  run("xdotool keyup o");
  EXPECT_TRUE(until([](const json& r) { return r["state"]["tool"] == "select"; })) << state();
  key("Escape");
  // Vertices.
  key("ctrl+4");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["mode"] == "weights"; })) << state();
  key("b");
  ASSERT_TRUE(until([](const json& r) { return !r["state"]["skeleton"].get<bool>(); })) << state();
  click_at(center("viewport"));
  ASSERT_TRUE(until([](const json& r) {
    const int count = r["state"]["selected_vertices"].get<int>();
    return count >= 1 && count <= 3;  // with its copies across a seam
  })) << state();
  key("Up");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["selected_vertices"].get<int>() > 3; })) << state();
  key("ctrl+l");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["selected_vertices"].get<int>() > 100; })) << state();
  settle();
  screenshot("vertices");
  key("Escape");
  key("Escape");
  key("b");
  key("ctrl+2");
  ASSERT_TRUE(until([](const json& r) { return r["state"]["mode"] == "pose"; })) << state();
}
INSTANTIATE_TEST_SUITE_P(Screens, ModesAndSelections,
                         testing::Values(ScaledScreen{"large", 1, false}, ScaledScreen{"small", 1, true},
                                         ScaledScreen{"large at 200 %", 2, false},
                                         ScaledScreen{"small at 200 %", 2, true}),
                         [](const auto& row) {
                           return fmt::format("{}At{}00Percent", row.param.is_small ? "Small" : "Large",
                                              row.param.scale);
                         });

TEST_F(RealWindow, BrokenFileIsExplainedAndSomethingIsOnScreen) {
  std::ofstream(folder_ / "broken.glb") << "glTF, but not really";
  launch({(folder_ / "broken.glb").string()});
  ASSERT_TRUE(until([](const json& r) {
    return r["state"]["error"].get<std::string>().find("broken.glb") != std::string::npos;
  })) << state();
  EXPECT_NE(log().find("broken.glb"), std::string::npos) << "also on stderr";
  EXPECT_FALSE(state()["character"].get<std::string>().empty());
  screenshot("error");
  click("error.close");
  EXPECT_TRUE(until([](const json& r) { return r["state"]["error"].get<std::string>().empty(); }));
}

TEST(WindowProgram, WithoutADisplayNamesTheRenderVerb) {
  const fs::path log = test::output_folder() / (is_short_day() ? "no-display-watched.log" : "no-display.log");
  fs::create_directories(test::output_folder());
  const int status = std::system(
      fmt::format("env -u DISPLAY -u WAYLAND_DISPLAY {} >{} 2>&1", test::program_path(), log.string()).c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
  const auto text = read_file(log);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("pelt render"), std::string::npos) << *text;
}

}  // namespace
}  // namespace pelt::app
