#include "app/loader.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "app/exporter.h"
#include "app/file_watch.h"
#include "gltf/export.h"
#include "gltf/import.h"
#include "support/fixtures.h"

namespace pelt::app {
namespace {

using namespace std::chrono_literals;

std::filesystem::path exported(const rig::Character& character, const std::string& name) {
  std::filesystem::create_directories(PELT_TEST_OUTPUT_DIR);
  const std::filesystem::path path = std::filesystem::path(PELT_TEST_OUTPUT_DIR) / name;
  EXPECT_TRUE(gltf::export_file(character, path));
  return path;
}

std::optional<Loader::Finished> wait_for(Loader& loader) {
  for (int i = 0; i < 2000; ++i) {
    if (auto finished = loader.take()) {
      return finished;
    }
    std::this_thread::sleep_for(5ms);
  }
  return std::nullopt;
}

TEST(FileWatch, TellsOnceWhenAFileHasChangedAndRests) {
  const std::filesystem::path path = std::filesystem::path(PELT_TEST_OUTPUT_DIR) / "watched.obj";
  std::filesystem::create_directories(PELT_TEST_OUTPUT_DIR);
  const auto write = [&](const char* text) { std::ofstream(path) << text; };
  write("v 1");
  FileWatch watch;
  EXPECT_FALSE(watch.changed(0)) << "nothing is watched";
  watch.watch(path);
  double now = 10;
  const auto looked = [&] { return watch.changed(now += kWatchInterval); };
  EXPECT_FALSE(looked());
  write("v 1 2");
  EXPECT_FALSE(looked()) << "it may still be written";
  write("v 1 2 3");
  EXPECT_FALSE(looked());
  EXPECT_FALSE(watch.changed(now + 0.01)) << "too early to look";
  EXPECT_TRUE(looked());
  EXPECT_FALSE(looked()) << "once";
  std::filesystem::remove(path);
  EXPECT_FALSE(looked());
  EXPECT_FALSE(looked()) << "away is not changed";
  write("v 1 2 3 4");
  EXPECT_FALSE(looked());
  EXPECT_TRUE(looked());
  std::ofstream(path.parent_path() / "watched.mtl") << std::to_string(std::rand());
  EXPECT_FALSE(looked());
  EXPECT_TRUE(looked()) << "what stands beside it counts";
  std::filesystem::remove(path.parent_path() / "watched.mtl");
}

TEST(Loader, DeliversTheCharacterOnceAndWakesTheWindow) {
  const std::filesystem::path path = exported(test::cylinder(), "loader.glb");
  std::atomic<int> wakes = 0;
  Loader loader([&] { ++wakes; });
  loader.start(path.string());
  const auto finished = wait_for(loader);
  ASSERT_TRUE(finished.has_value());
  EXPECT_EQ(finished->file, path.string());
  ASSERT_TRUE(finished->character) << finished->character.error().message;
  EXPECT_EQ((*finished->character)->skeleton.find("tip") >= 0, true);
  EXPECT_GT(wakes, 0);
  EXPECT_FALSE(loader.state().active);
  EXPECT_FALSE(loader.take().has_value());
}

TEST(Loader, DeliversTheReasonOfAFailure) {
  const std::filesystem::path path = std::filesystem::path(PELT_TEST_OUTPUT_DIR) / "broken.glb";
  std::ofstream(path) << "glTF but not really";
  Loader loader([] {});
  loader.start(path.string());
  const auto finished = wait_for(loader);
  ASSERT_TRUE(finished.has_value());
  ASSERT_FALSE(finished->character);
  EXPECT_NE(finished->character.error().message.find("broken.glb"), std::string::npos)
      << finished->character.error().message;
}

TEST(Loader, CancelDeliversNothingAndTheNextOneWorks) {
  const std::filesystem::path path = exported(test::cylinder(), "loader.glb");
  Loader loader([] {});
  for (int i = 0; i < 20; ++i) {
    loader.start(path.string());
    loader.cancel();
    EXPECT_FALSE(loader.state().active);
  }
  loader.start(path.string());
  EXPECT_TRUE(wait_for(loader).has_value());
}

TEST(Exporter, WritesThePoseShownAndSaysWhereTo) {
  const rig::Character character = test::cylinder();
  rig::Pose pose = rig::rest_pose(character);
  pose.local.back().translation.y += 0.25f;
  ui::ExportRequest request;
  request.file = (std::filesystem::path(PELT_TEST_OUTPUT_DIR) / "exported pose.gltf").string();
  request.conversion.bake_pose = true;
  request.embed = true;
  const auto line = export_character(character, pose, request, {});
  ASSERT_TRUE(line && *line);
  EXPECT_EQ(**line, "Exported " + request.file);
  const auto again = gltf::import_file(request.file);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->skeleton.rest.back(), pose.local.back());

  rig::Character open = character;
  open.source = request.file;
  EXPECT_EQ(export_character(open, pose, request, {})->error().message,
            "exported pose.gltf: is the open file; choose another name");
  EXPECT_FALSE(export_character(character, pose, request, [](float, std::string_view) { return false; }));
  // Cancelled when all is encoded, the file stays away.
  std::filesystem::remove(request.file);
  EXPECT_FALSE(
      export_character(character, pose, request, [](float, std::string_view what) { return what != "Writing"; }));
  EXPECT_FALSE(std::filesystem::exists(request.file));
}

}  // namespace
}  // namespace pelt::app
