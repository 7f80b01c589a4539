// Files beside a .gltf: what they are called, what they replace, what is left of them whatever happens.
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/leftovers.h"
#include "gltf/export.h"
#include "gltf/export_files.h"
#include "gltf/import.h"
#include "gltf/sample_character.h"
#include "support/memory_folder.h"
#include "support/write_faults.h"

namespace pelt {
namespace {

namespace fs = std::filesystem;
using test::files_in;
using test::WriteCall;
using test::WriteFault;

using Contents = std::map<std::string, std::string>;

class ExportFiles : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_FALSE(base_.path().empty());
    old_ = test::sample_character();
    new_ = old_;
    new_.skeleton.edit().rest[4].translation.x = 2;
    for (glm::vec3& position : new_.meshes.edit(0).primitives.edit(0).positions.edit()) {
      position.x *= 2;
    }
    new_.images.edit(0).pixels[0] = 10;
  }

  fs::path folder(const std::string& name) const {
    fs::remove_all(base_.path() / name);
    fs::create_directory(base_.path() / name);
    return base_.path() / name;
  }
  static Status save(const rig::Character& character, const fs::path& path) {
    return gltf::export_file(character, path, {.form = gltf::FileForm::kSeparate});
  }
  // What a folder holds after nothing but this write.
  Contents alone(const rig::Character& character) const {
    const fs::path at = folder("alone");
    EXPECT_TRUE(save(character, at / "a model.gltf"));
    return files_in(at);
  }
  static void put(const Contents& files, const fs::path& at) {
    for (const auto& [name, bytes] : files) {
      std::ofstream(at / name, std::ios::binary) << bytes;
    }
  }
  static bool holds(const Contents& now, const Contents& all) {
    return std::ranges::all_of(all, [&](const auto& file) {
      const auto found = now.find(file.first);
      return found != now.end() && found->second == file.second;
    });
  }

  test::MemoryFolder base_;
  rig::Character old_;
  rig::Character new_;
};

TEST_F(ExportFiles, AreNamedAfterTheirContent) {
  const Contents files = alone(old_);
  std::vector<std::string> names;
  for (const auto& [name, bytes] : files) {
    names.push_back(name);
  }
  EXPECT_THAT(names,
              testing::UnorderedElementsAre(testing::MatchesRegex("a model-[0-9a-f]+\\.bin"),
                                            testing::MatchesRegex("a model_checker-[0-9a-f]+\\.png"), "a model.gltf"));
  const auto again = gltf::import_file(base_.path() / "alone" / "a model.gltf");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->images.at(0).pixels, test::sample_image().pixels);
  EXPECT_THAT(again->diagnostics, testing::IsEmpty());
  // The reference value of the published hash.
  const std::string_view text = "foobar";
  EXPECT_EQ(gltf::content_name("x", "", {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, "bin"),
            "x-85944171f73967e8.bin");
}

TEST_F(ExportFiles, NamesAsLongAsAFileSystemTakes) {
  const fs::path at = folder("long");
  std::string stem(119, 'n');
  stem += "\xc3\xa4";  // an umlaut across the place where it is cut
  stem += std::string(249 - 5 - stem.size(), 'm');
  ASSERT_TRUE(save(old_, at / (stem + ".gltf")));
  EXPECT_EQ(files_in(at).size(), 3u);
  EXPECT_TRUE(gltf::import_file(at / (stem + ".gltf")));
  for (const auto& [name, bytes] : files_in(at)) {
    EXPECT_EQ(name.find("\xc3-"), std::string::npos);
  }
}

TEST_F(ExportFiles, NeverReplaceWhatAnotherDocumentUses) {
  const fs::path at = folder("shared");
  ASSERT_TRUE(save(old_, at / "a model.gltf"));
  const Contents before = files_in(at);
  fs::copy_file(at / "a model.gltf", at / "copy.gltf");
  ASSERT_TRUE(save(new_, at / "a model.gltf"));
  Contents expected = alone(new_);
  expected.insert(before.begin(), before.end());
  expected["copy.gltf"] = before.at("a model.gltf");
  EXPECT_EQ(files_in(at), expected);
  // Once nobody uses them they go.
  fs::remove(at / "copy.gltf");
  ASSERT_TRUE(save(new_, at / "a model.gltf"));
  EXPECT_EQ(files_in(at), alone(new_));
}

TEST_F(ExportFiles, StayWhereSomethingMayUseThemOrTheyAreNotOurs) {
  const fs::path at = folder("kept");
  ASSERT_TRUE(save(old_, at / "a model.gltf"));
  const Contents before = files_in(at);
  // A scene of a program whose files cannot be looked through.
  put({{"scene.blend", std::string("BLENDER\0", 8)}}, at);
  ASSERT_TRUE(save(new_, at / "a model.gltf"));
  for (const auto& [name, bytes] : before) {
    EXPECT_TRUE(fs::exists(at / name)) << name;
  }
  fs::remove(at / "scene.blend");
  // A name like ours with other content is somebody's own.
  put({{"a model-0123456789abcdef.bin", "mine"}, {"a model.bin", "mine"}, {"b model-0123456789abcdef.bin", "mine"}},
      at);
  ASSERT_TRUE(save(new_, at / "a model.gltf"));
  Contents expected = alone(new_);
  for (const char* mine : {"a model-0123456789abcdef.bin", "a model.bin", "b model-0123456789abcdef.bin"}) {
    expected[mine] = "mine";
  }
  EXPECT_EQ(files_in(at), expected);
}

TEST_F(ExportFiles, TheFileItCameFromAndWhatItReadAreRefused) {
  const fs::path at = folder("input");
  ASSERT_TRUE(save(old_, at / "a model.gltf"));
  std::vector<StampedFile> stamped;
  gltf::ImportOptions options;
  options.files = &stamped;
  const auto character = gltf::import_file(at / "a model.gltf", options);
  ASSERT_TRUE(character);
  std::vector<fs::path> read;
  for (const StampedFile& file : stamped) {
    read.push_back(file.path);
    EXPECT_EQ(file.stamp, file_stamp(file.path)) << "nothing has changed since";
  }
  EXPECT_EQ(read.size(), 2u);
  const Contents before = files_in(at);
  const Status over = save(*character, at / "a model.gltf");
  ASSERT_FALSE(over);
  EXPECT_THAT(over.error().message, testing::HasSubstr("(the input), which is read"));
  for (const fs::path& file : read) {
    EXPECT_FALSE(gltf::export_file(*character, file, {.keep = read})) << file;
  }
  EXPECT_EQ(files_in(at), before);
}

TEST_F(ExportFiles, AFaultAtAnyCallLeavesTheOldOrTheNewDocument) {
  const Contents old_files = alone(old_);
  const Contents new_files = alone(new_);
  int faults = 0;
  for (const WriteCall call : test::kWriteCalls) {
    for (const int code : {ENOSPC, EIO, EDQUOT}) {
      bool happened = true;
      for (int n = 0; happened; ++n) {
        ASSERT_LT(n, 200);
        const fs::path at = folder("fault");
        put(old_files, at);
        Status status;
        {
          const WriteFault fault(call, n, code);
          status = save(new_, at / "a model.gltf");
          happened = fault.happened();
        }
        faults += happened ? 1 : 0;
        const std::string what = std::string(test::kWriteCallNames[static_cast<int>(call)]) + " " + std::to_string(n);
        const bool last_flush = !status && status.error().message.find("may not outlast") != std::string::npos;
        ASSERT_TRUE(holds(files_in(at), status || last_flush ? new_files : old_files)) << what;
        if (call != WriteCall::kUnlink && !last_flush) {
          EXPECT_EQ(files_in(at), status ? new_files : old_files) << what;
        }
        ASSERT_TRUE(save(new_, at / "a model.gltf")) << what;
        EXPECT_EQ(files_in(at), new_files) << what;
      }
    }
  }
  EXPECT_GT(faults, 45);
}

TEST_F(ExportFiles, AKillAtAnyCallLeavesTheOldOrTheNewDocumentAndTheNextWriteTidies) {
  const Contents old_files = alone(old_);
  const Contents new_files = alone(new_);
  int killed = 0;
  for (const WriteCall call : test::kWriteCalls) {
    bool ended = false;
    for (int n = 0; !ended; ++n) {
      ASSERT_LT(n, 200);
      const fs::path at = folder("kill");
      put(old_files, at);
      ended = test::in_a_child([&] {
        const WriteFault fault(call, n, WriteFault::kKill);
        return save(new_, at / "a model.gltf").has_value();
      });
      killed += ended ? 0 : 1;
      const std::string what = std::string(test::kWriteCallNames[static_cast<int>(call)]) + " " + std::to_string(n);
      ASSERT_TRUE(holds(files_in(at), old_files) || holds(files_in(at), new_files)) << what;
      ASSERT_TRUE(gltf::import_file(at / "a model.gltf")) << what;
      // The same write again, and one of what was there before.
      const bool back = n % 2 == 0;
      ASSERT_TRUE(save(back ? old_ : new_, at / "a model.gltf")) << what;
      EXPECT_EQ(files_in(at), back ? old_files : new_files) << what;
    }
  }
  EXPECT_GT(killed, 15);
}

}  // namespace
}  // namespace pelt
