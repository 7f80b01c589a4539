// Files beside a model: the names that are allowed, and when their bytes are freed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.h"
#include "gltf/bundled.h"
#include "gltf/export.h"
#include "gltf/import.h"
#include "gltf/opened.h"
#include "gltf/sample_character.h"
#include "support/glb_builder.h"
#include "support/output_folder.h"

namespace pelt {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class ImportFiles : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "inside" / "sub");
    const test::QuadFile file = test::skinned_quad();
    const std::string_view bytes(reinterpret_cast<const char*>(file.bin.data()), file.bin.size());
    for (const char* name : {"outside.bin", "inside/plain.bin", "inside/with  two spaces.bin", "inside/sub/deep.bin"}) {
      ASSERT_TRUE(write_file_atomically(folder_ / name, bytes));
    }
    fs::create_symlink(folder_ / "outside.bin", folder_ / "inside" / "link.bin");
    fs::create_directory_symlink(folder_, folder_ / "inside" / "up");
    fs::create_symlink("plain.bin", folder_ / "inside" / "near.bin");
  }

  void TearDown() override { fs::remove_all(folder_); }

  /// Returns why the buffer is missing, or an empty text if the file opens.
  std::string result(const std::string& uri, const gltf::ImportOptions& options = {}) {
    test::QuadFile file = test::skinned_quad();
    file.root["buffers"] = {{{"byteLength", file.bin.size()}, {"uri", uri}}};
    EXPECT_TRUE(write_file_atomically(folder_ / "inside" / "model.gltf", file.root.dump()));
    const auto character = gltf::import_file(folder_ / "inside" / "model.gltf", options);
    constexpr std::string_view kPlace = "model.gltf: mesh 0, primitive 0: POSITION: accessor 0: buffer 0: ";
    return character ? "" : character.error().message.substr(kPlace.size());
  }

  // The folder is named after this process, since tests run side by side.
  const fs::path folder_ = test::output_folder() / fmt::format("uris-{}", getpid());
};

TEST_F(ImportFiles, OnlyWhatLiesBesideTheModel) {
  EXPECT_EQ(result("plain.bin"), "");
  EXPECT_EQ(result("./sub/deep.bin"), "");
  EXPECT_EQ(result("near.bin"), "");
  EXPECT_EQ(result("with%20%20two%20spaces.bin"), "");
  EXPECT_EQ(result("with  two spaces.bin"), "");
  EXPECT_EQ(result("missing.bin"), "cannot read 'missing.bin': no such file");
  EXPECT_EQ(result("sub"), "cannot read 'sub': it is not a readable file");
  EXPECT_EQ(result("../outside.bin"), "URI '../outside.bin' leaves the folder of the model");
  EXPECT_EQ(result("sub/../../outside.bin"), "URI 'sub/../../outside.bin' leaves the folder of the model");
  EXPECT_EQ(result("%2e%2e/outside.bin"), "URI '%2e%2e/outside.bin' leaves the folder of the model");
  EXPECT_EQ(result("/etc/passwd"), "URI '/etc/passwd' leaves the folder of the model");
  EXPECT_EQ(result("file:///etc/passwd"),
            "URI 'file:///etc/passwd' has a scheme, only files beside the model are opened");
  EXPECT_EQ(result("link.bin"), "URI 'link.bin' is a link that leaves the folder of the model");
  EXPECT_EQ(result("up/outside.bin"), "URI 'up/outside.bin' is a link that leaves the folder of the model");
  EXPECT_EQ(result("plain.bin%00"), "URI 'plain.bin%00' is not a file name");
  EXPECT_EQ(result("../outside.bin", {.allow_outside_uris = true}), "");
}

TEST_F(ImportFiles, MemoryHasNoFolder) {
  test::QuadFile file = test::skinned_quad();
  file.root["buffers"] = {{{"byteLength", file.bin.size()}, {"uri", "plain.bin"}}};
  EXPECT_EQ(
      test::read_text(file.root.dump()).error().message,
      "mesh 0, primitive 0: POSITION: accessor 0: buffer 0: external file 'plain.bin' cannot be opened for data that "
      "has no folder");
}

TEST_F(ImportFiles, WhatIsNamedOftenIsReadOnce) {
  // 50 megabytes beside a small file that names them two hundred times, and one data URI that is referred to as often.
  // hostile_cost_test.cpp measures the memory.
  ASSERT_TRUE(write_file_atomically(folder_ / "inside" / "big.bin", ""));
  fs::resize_file(folder_ / "inside" / "big.bin", 50'000'000);
  test::QuadFile file = test::skinned_quad();
  file.root["buffers"] = {
      {{"byteLength", file.bin.size()}, {"uri", "plain.bin"}},
      {{"byteLength", 1}, {"uri", "data:application/octet-stream;base64," + std::string(10'000'000, 'A')}}};
  for (int i = 0; i < 200; ++i) {
    file.push("buffers", {{"byteLength", 50'000'000}, {"uri", i % 2 == 0 ? "big.bin" : "./big.bin"}});
    file.push("buffers", {{"byteLength", 1}, {"uri", "data:#0"}});
  }
  ASSERT_TRUE(write_file_atomically(folder_ / "inside" / "often.gltf", file.root.dump()));
  ASSERT_TRUE(gltf::import_file(folder_ / "inside" / "often.gltf"));
}

// Bytes of a file are given back once they are read: never what is read again, by another primitive, through another
// view, as an image or as keys of a clip.
TEST_F(ImportFiles, WhatIsReadTwiceIsThereTheSecondTime) {
  test::GlbBuilder file;
  std::vector<float> numbers;
  for (int i = 0; i < 30000; ++i) {
    numbers.push_back(static_cast<float>(i) / 32);
  }
  const int alone = file.floats(numbers, "VEC3");
  const int shared = file.floats(numbers, "VEC3");
  const int overlapped = file.floats(numbers, "VEC3");
  json view = file.root["bufferViews"][2];
  view["byteOffset"] = view["byteOffset"].get<std::size_t>() + 1200;
  view["byteLength"] = view["byteLength"].get<std::size_t>() - 1200;
  file.push("bufferViews", view);
  file.push("accessors", {{"bufferView", 3}, {"componentType", 5126}, {"count", 9900}, {"type", "VEC3"}});
  const int keyed = file.floats(numbers, "VEC3");
  const int times = file.floats(std::vector<float>(numbers.begin(), numbers.begin() + 10000), "SCALAR");
  for (const int accessor : {alone, shared, shared, overlapped, 3, keyed}) {
    file.push("meshes", {{"primitives", {{{"attributes", {{"POSITION", accessor}}}}}}});
    file.push("nodes", {{"mesh", file.root["meshes"].size() - 1}});
  }
  file.push("animations", {{"channels", {{{"sampler", 0}, {"target", {{"node", 0}, {"path", "translation"}}}}}},
                           {"samplers", {{{"input", times}, {"output", keyed}}}}});
  file.push("scenes", {{"nodes", {0, 1, 2, 3, 4, 5}}});
  const std::vector<std::uint8_t> bytes = file.glb();
  ASSERT_TRUE(
      write_file_atomically(folder_ / "twice.glb", {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  const auto from_file = gltf::import_file(folder_ / "twice.glb");
  const auto from_memory = gltf::import_memory(bytes, {});
  ASSERT_TRUE(from_file) << from_file.error().message;
  ASSERT_TRUE(from_memory);
  ASSERT_EQ(from_file->meshes.size(), 6U);
  for (std::size_t m = 0; m < 6; ++m) {
    EXPECT_EQ(from_file->meshes[m].primitives.at(0).positions, from_memory->meshes[m].primitives.at(0).positions) << m;
  }
  EXPECT_EQ(from_file->clips.at(0).channels.at(0).values, from_memory->clips.at(0).channels.at(0).values);
}

TEST_F(ImportFiles, NameSourceAndWhatIsNoFile) {
  ASSERT_TRUE(gltf::export_file(test::sample_character(), folder_ / "someone.glb"));
  const auto character = gltf::import_file(folder_ / "someone.glb");
  ASSERT_TRUE(character);
  EXPECT_EQ(character->name, "someone");
  EXPECT_EQ(character->source, folder_ / "someone.glb");
  EXPECT_EQ(character->generator, "Pelt");
  EXPECT_THAT(gltf::import_file(folder_ / "nobody.glb").error().message, testing::HasSubstr("No such file"));
  EXPECT_THAT(gltf::import_file(folder_).error().message, testing::HasSubstr("not a regular file"));
  EXPECT_THAT(gltf::open_character("@nobody").error().message,
              testing::StartsWith("@nobody: no such bundled character; there are"));
}

}  // namespace
}  // namespace pelt
