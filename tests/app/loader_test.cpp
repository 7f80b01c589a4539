#include "app/loader.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/exporter.h"
#include "app/file_watch.h"
#include "gltf/export.h"
#include "gltf/import.h"
#include "support/fixtures.h"
#include "support/output_folder.h"
#include "support/patience.h"

namespace pelt::app {
namespace {

std::filesystem::path exported(const rig::Character& character, const std::string& name) {
  std::filesystem::create_directories(test::output_folder());
  const std::filesystem::path path = test::output_folder() / name;
  EXPECT_TRUE(gltf::export_file(character, path));
  return path;
}

std::optional<Loader::Finished> wait_for(Loader& loader) {
  std::optional<Loader::Finished> finished;
  test::eventually([&] {
    finished = loader.take();
    return finished.has_value();
  });
  return finished;
}

TEST(FileWatch, TellsOnceWhenAFileHasChangedAndRests) {
  const std::filesystem::path path = test::output_folder() / "watched.obj";
  std::filesystem::create_directories(test::output_folder());
  const auto write = [&](const char* text) { std::ofstream(path) << text; };
  write("v 1");
  FileWatch watch;
  EXPECT_EQ(watch.look(0), FileNews::kNone) << "nothing is watched";
  watch.watch(path);
  double now = 10;
  const auto looked = [&] { return watch.look(now += kWatchInterval); };
  EXPECT_EQ(looked(), FileNews::kNone);
  write("v 1 2");
  EXPECT_EQ(looked(), FileNews::kNone) << "it may still be written";
  write("v 1 2 3");
  EXPECT_EQ(looked(), FileNews::kNone);
  EXPECT_EQ(watch.look(now + 0.01), FileNews::kNone) << "too early to look";
  EXPECT_EQ(looked(), FileNews::kChanged);
  EXPECT_EQ(looked(), FileNews::kNone) << "once";
  std::filesystem::rename(path, path.string() + "-");
  EXPECT_EQ(looked(), FileNews::kNone) << "it may be on its way";
  EXPECT_EQ(looked(), FileNews::kGone);
  EXPECT_EQ(watch.gone(), path);
  EXPECT_EQ(looked(), FileNews::kNone) << "once";
  std::filesystem::rename(path.string() + "-", path);
  EXPECT_EQ(looked(), FileNews::kNone);
  EXPECT_EQ(looked(), FileNews::kChanged) << "the same one, back again";
  std::ofstream(path.parent_path() / "watched.mtl") << "newmtl a";
  EXPECT_EQ(looked(), FileNews::kNone);
  EXPECT_EQ(looked(), FileNews::kChanged) << "what stands beside it counts";
  std::filesystem::remove(path.parent_path() / "watched.mtl");
  EXPECT_EQ(looked(), FileNews::kNone);
  EXPECT_EQ(looked(), FileNews::kChanged) << "it was not read with that";
}

TEST(FileWatch, FollowsWhatAFileIsReadWith) {
  const std::filesystem::path folder = test::output_folder() / "watched-with";
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const char* text) { std::ofstream(folder / name) << text; };
  write("a.gltf", "{}");
  write("a-1.bin", "one");
  FileWatch watch;
  watch.watch(folder / "a.gltf");
  watch.also_watch(std::array{StampedFile{folder / "a-1.bin", file_stamp(folder / "a-1.bin")}});
  double now = 10;
  const auto looked = [&] {
    EXPECT_EQ(watch.look(now += kWatchInterval), FileNews::kNone) << "of two looks";
    return watch.look(now += kWatchInterval);
  };
  EXPECT_EQ(looked(), FileNews::kNone);
  write("a-1.bin", "other");
  EXPECT_EQ(looked(), FileNews::kChanged);
  std::filesystem::remove(folder / "a-1.bin");
  EXPECT_EQ(looked(), FileNews::kGone);
  EXPECT_EQ(watch.gone(), folder / "a-1.bin");
  write("a-1.bin", "back");
  EXPECT_EQ(looked(), FileNews::kChanged);
  // Written anew, under another name of its buffer.
  write("a-2.bin", "two");
  write("a.gltf", "{ }");
  std::filesystem::remove(folder / "a-1.bin");
  EXPECT_EQ(looked(), FileNews::kChanged);
  watch.also_watch(std::array{StampedFile{folder / "a-2.bin", file_stamp(folder / "a-2.bin")}});
  std::filesystem::remove(folder / "a.gltf");
  EXPECT_EQ(looked(), FileNews::kGone);
  EXPECT_EQ(watch.gone(), folder / "a.gltf");
}

// What changes while a file is being read is news, of the file itself as of what is read beside it.
TEST(FileWatch, TellsOfWhatChangedWhileItWasRead) {
  const std::filesystem::path folder = test::output_folder() / "watched-while-read";
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const char* text) { std::ofstream(folder / name) << text; };
  write("a.gltf", "{}");
  write("a-1.bin", "one");
  const StampedFile file{folder / "a.gltf", file_stamp(folder / "a.gltf")};
  const StampedFile beside{folder / "a-1.bin", file_stamp(folder / "a-1.bin")};
  double now = 10;
  FileWatch watch;
  watch.watch(file);
  watch.also_watch(std::array{beside});
  EXPECT_EQ(watch.look(now += kWatchInterval), FileNews::kNone);
  EXPECT_EQ(watch.look(now += kWatchInterval), FileNews::kNone);
  write("a-1.bin", "other");
  watch.also_watch(std::array{beside});
  EXPECT_EQ(watch.look(now += kWatchInterval), FileNews::kChanged) << "it rests since";
  EXPECT_EQ(watch.look(now += kWatchInterval), FileNews::kNone) << "once";
  write("a.gltf", "{ }");
  FileWatch later;
  later.watch(file);
  EXPECT_EQ(later.look(now += kWatchInterval), FileNews::kChanged);
  // As the importer stamps it, and the loader after it.
  ASSERT_TRUE(gltf::export_file(test::cylinder(), folder / "whole.gltf", {.form = gltf::FileForm::kSeparate}));
  Loader loader(std::make_shared<Jobs>());
  loader.start((folder / "whole.gltf").string());
  const auto finished = wait_for(loader);
  ASSERT_TRUE(finished.has_value() && finished->character);
  EXPECT_EQ(finished->stamp, file_stamp(folder / "whole.gltf"));
  ASSERT_EQ(finished->files.size(), 1u);
  EXPECT_EQ(finished->files[0].stamp, file_stamp(finished->files[0].path));
}

TEST(Loader, DeliversTheCharacterOnceAndWakesTheWindow) {
  const std::filesystem::path path = exported(test::cylinder(), "loader.glb");
  std::atomic<int> wakes = 0;
  Loader loader(std::make_shared<Jobs>([&] { ++wakes; }));
  loader.start(path.string());
  const auto finished = wait_for(loader);
  ASSERT_TRUE(finished.has_value());
  EXPECT_EQ(finished->file, path.string());
  ASSERT_TRUE(finished->character) << finished->character.error().message;
  EXPECT_EQ((*finished->character)->skeleton->find("tip") >= 0, true);
  EXPECT_GT(wakes, 0);
  EXPECT_TRUE(test::eventually([&] { return !loader.slot().active(); }));
  EXPECT_FALSE(loader.take().has_value());
}

TEST(Loader, DeliversTheReasonOfAFailure) {
  const std::filesystem::path path = test::output_folder() / "broken.glb";
  std::ofstream(path) << "glTF but not really";
  Loader loader(std::make_shared<Jobs>());
  loader.start(path.string());
  const auto finished = wait_for(loader);
  ASSERT_TRUE(finished.has_value());
  ASSERT_FALSE(finished->character);
  EXPECT_NE(finished->character.error().message.find("broken.glb"), std::string::npos)
      << finished->character.error().message;
}

TEST(Loader, CancelDeliversNothingAndTheNextOneWorks) {
  const std::filesystem::path path = exported(test::cylinder(), "loader.glb");
  Loader loader(std::make_shared<Jobs>());
  for (int i = 0; i < 20; ++i) {
    loader.start(path.string());
    loader.cancel();
    EXPECT_FALSE(loader.slot().active());
  }
  loader.start(path.string());
  EXPECT_TRUE(wait_for(loader).has_value());
}

TEST(Exporter, WritesThePoseShownAndSaysWhereTo) {
  const rig::Character character = test::cylinder();
  rig::Pose pose = rig::rest_pose(character);
  pose.local.back().translation.y += 0.25f;
  ui::ExportRequest request;
  request.file = (test::output_folder() / "exported pose.gltf").string();
  request.conversion.bake_pose = true;
  request.embed = true;
  const auto line = export_character(character, pose, request, {});
  ASSERT_TRUE(line && *line);
  EXPECT_EQ((*line)->line, "Exported " + request.file);
  EXPECT_FALSE((*line)->is_whole) << "another rest pose";
  const auto again = gltf::import_file(request.file);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->skeleton->rest.back(), pose.local.back());

  ui::ExportRequest plain;
  plain.file = request.file;
  plain.embed = true;
  EXPECT_TRUE((*export_character(character, pose, plain, {}))->is_whole);

  rig::Character mended = character;
  mended.diagnostics = {{Severity::kWarning, "weight-sum", "mesh 0", "mended"},
                        {Severity::kInfo, "order", "mesh 0", ""}};
  EXPECT_THAT((*export_character(mended, pose, plain, {}))->line,
              testing::EndsWith("; written as it was mended on reading: 1 finding, see the tab Info"));

  // It says what it leaves out.
  ui::ExportRequest few = request;
  few.conversion.influence_limit = 1;
  const auto cut = export_character(character, pose, few, {});
  ASSERT_TRUE(cut && *cut);
  EXPECT_THAT((*cut)->line,
              testing::AllOf(testing::HasSubstr("vertices have more than 1 influence: only the heaviest is "
                                                "written"),
                             testing::StartsWith("Exported " + request.file + "; ")));
  EXPECT_EQ(gltf::import_file(request.file)->meshes[0].primitives[0].influences->max_count(), 1u);

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
