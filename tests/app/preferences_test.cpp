#include "app/preferences.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "core/file.h"
#include "support/output_folder.h"

namespace pelt::app {
namespace {

ui::Preferences sample() {
  ui::Preferences preferences;
  preferences.panels = {300, 420};
  preferences.ui_scale = 1.5f;
  preferences.mouse = ui::MouseScheme::kBlender;
  preferences.recent_files = {"/tmp/a.glb", "/tmp/\u00fcber.gltf"};
  for (const std::string_view kind : ui::kFileKinds) {
    preferences.folders.emplace(kind, "/home/a/" + std::string(kind));
  }
  preferences.light = {.environment = render::Environment::kImage,
                       .environment_file = "/pictures/sky.hdr",
                       .tone = render::ToneMapping::kAces,
                       .exposure = -1.5f,
                       .occlusion = false};
  preferences.handles = {ui::HandleAxes::kBone, ui::HandlePivot::kMedian};
  preferences.brush = {77, 0.25f};
  return preferences;
}

TEST(Preferences, SurviveTheRoundTrip) {
  EXPECT_EQ(preferences_from_json(to_json(sample())), sample());
  ui::Preferences computed = sample();
  computed.light = {.environment = render::Environment::kSunset};
  EXPECT_EQ(preferences_from_json(to_json(computed)), computed);
}

TEST(Preferences, AreKeptInAFileWhoseFolderIsMade) {
  const std::filesystem::path folder = test::output_folder() / "preferences";
  std::filesystem::remove_all(folder);
  const std::filesystem::path path = folder / "pelt" / "state.json";
  EXPECT_EQ(load_preferences(path).preferences, ui::Preferences()) << "no file yet";
  EXPECT_EQ(load_preferences(path).file, path);
  ASSERT_TRUE(save_preferences(path, sample()));
  EXPECT_EQ(load_preferences(path).preferences, sample());
  EXPECT_EQ(load_preferences(path).file, path);
  EXPECT_EQ(load_preferences(path).note, "");
}

TEST(Preferences, ADamagedFileIsSetAsideAndNeverLost) {
  const std::filesystem::path folder = test::output_folder() / "damaged_preferences";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::filesystem::path path = folder / "state.json";
  const std::string half = to_json(sample()).substr(0, 100);
  ASSERT_TRUE(write_file_atomically(path, half));
  const LoadedPreferences first = load_preferences(path);
  EXPECT_EQ(first.preferences, ui::Preferences());
  EXPECT_EQ(first.note,
            "The preferences were damaged; they are set aside as '" + path.string() + ".damaged' and begin anew");
  ASSERT_EQ(first.file, path);
  ASSERT_TRUE(save_preferences(first.file, first.preferences));
  EXPECT_EQ(*read_file(path.string() + ".damaged"), half);

  ASSERT_TRUE(write_file_atomically(path, "again"));
  EXPECT_EQ(load_preferences(path).file, path);
  EXPECT_EQ(*read_file(path.string() + ".damaged"), half) << "the first has more to lose";
  EXPECT_EQ(*read_file(path.string() + ".damaged-2"), "again");
  EXPECT_FALSE(std::filesystem::exists(path));

  ASSERT_TRUE(write_file_atomically(path, ""));
  EXPECT_EQ(load_preferences(path).note, "") << "nothing is lost with an empty file";
}

TEST(Preferences, WhatCannotBeReadIsNotWrittenOver) {
  const std::filesystem::path folder = test::output_folder() / "unreadable_preferences";
  std::filesystem::create_directories(folder / "state.json");
  const LoadedPreferences loaded = load_preferences(folder / "state.json");
  EXPECT_EQ(loaded.file, "");
  EXPECT_EQ(loaded.note, "preferences: cannot read '" + (folder / "state.json").string() +
                             "': it is not a regular file; changes to them are not kept");
}

TEST(Preferences, BrokenTextIsToldFromNone) {
  const std::string whole = to_json(sample());
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[1,2]"), std::string("{\"pelt\": 3}"),
        whole.substr(0, whole.size() / 2), std::string("\xff\xfe\0\0", 4),
        "{\"pelt\": \"state\", \"light\": " + std::string(100'000, '[') + std::string(100'000, ']') + "}"}) {
    EXPECT_EQ(preferences_from_json(text), std::nullopt) << text;
  }
}

TEST(Preferences, NonsenseValuesAreLimitedOrIgnored) {
  const ui::Preferences read = *preferences_from_json(
      R"({"pelt": "state", "panels": {"left": -5, "right": 1e30}, "ui_scale": "big", "recent_files": [1, "x.glb"], "mouse": [], "folders": {"pose": 3, "export": "/x", "nonsense": "/y"}})");
  EXPECT_EQ(read.folders.size(), 1u) << "only kinds that there are, and only names";
  EXPECT_EQ(read.folders.at("export"), "/x");
  EXPECT_EQ(read.panels.left, ui::kMinLeft);
  EXPECT_EQ(read.panels.right, ui::kMaxPanel);
  EXPECT_EQ(read.ui_scale, 0);
  EXPECT_EQ(read.recent_files, std::vector<std::string>{"x.glb"});
}

TEST(Preferences, RecentFilesAreNewestFirstOnceAndTen) {
  ui::Preferences preferences;
  for (int i = 0; i < 12; ++i) {
    remember_file(preferences, std::to_string(i));
  }
  remember_file(preferences, "5");
  EXPECT_EQ(preferences.recent_files.size(), 10u);
  EXPECT_EQ(preferences.recent_files[0], "5");
  EXPECT_EQ(preferences.recent_files[1], "11");
  EXPECT_EQ(std::count(preferences.recent_files.begin(), preferences.recent_files.end(), "5"), 1);
}

}  // namespace
}  // namespace pelt::app
