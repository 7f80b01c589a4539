// Small files that ask for a lot of memory. hostile_cost_test.cpp measures the memory of these tests.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "gltf/image_codec.h"
#include "gltf/import.h"
#include "gltf/opened.h"
#include "support/glb_builder.h"

namespace pelt {
namespace {

using nlohmann::json;

TEST(ImportMemory, SharedAccessorsAreNotFree) {
  test::QuadFile file;
  const int positions = file.floats(std::vector<float>(300'000, 1.0f), "VEC3");
  json primitives = json::array();
  for (int p = 0; p < 2000; ++p) {
    primitives.push_back({{"attributes", {{"POSITION", positions}}}, {"mode", 0}});
  }
  file.push("meshes", {{"primitives", primitives}});
  EXPECT_THAT(test::refused(file), testing::EndsWith("would take more memory than a file of this size warrants"));
}

TEST(ImportMemory, KeptAttributesNeverMakeAFileTooLarge) {
  test::QuadFile file = test::skinned_quad();
  const int large = file.push("accessors", {{"componentType", 5126}, {"count", 1'000'000}, {"type", "MAT4"}});
  for (int i = 0; i < 100; ++i) {
    file.attributes()[fmt::format("_{}", i)] = large;
  }
  const rig::Character character = test::opened(file);
  const mesh::Primitive& primitive = character.meshes.at(0).primitives.at(0);
  EXPECT_THAT(primitive.kept, testing::IsEmpty());
  EXPECT_EQ(primitive.vertex_count(), 4U);
  EXPECT_THAT(test::remarks(file),
              testing::Contains(testing::HasSubstr("more memory than a file of this size warrants")));
}

TEST(ImportMemory, SharedImagesAreNotFree) {
  test::QuadFile file = test::skinned_quad();
  const int view = file.view(std::vector<std::uint8_t>(1'000'000, 7));
  for (int i = 0; i < 2000; ++i) {
    file.push("images", {{"bufferView", view}});
  }
  EXPECT_THAT(test::remarks(file),
              testing::Contains(testing::HasSubstr("more memory than a file of this size warrants")));
}

TEST(ImportMemory, SharedImagesDoNotEarnPixels) {
  // A million pixels in a few hundred bytes, and padding that would earn as many again for every image that shows it.
  std::vector<std::uint8_t> png = gltf::encode_png(std::vector<std::uint8_t>(4 << 20, 200), {1024, 1024});
  png.resize(png.size() + 150'000);
  test::QuadFile file = test::skinned_quad();
  const int view = file.view(png);
  for (int i = 0; i < 100; ++i) {
    file.push("images", {{"bufferView", view}});
  }
  const rig::Character character = test::opened(file);
  const auto decoded = std::ranges::count_if(character.images, [](const rig::Image& i) { return !i.pixels.empty(); });
  EXPECT_GE(decoded, 64);
  EXPECT_LE(decoded, 66);
}

TEST(ImportMemory, AsManyElementsAsThereMayBe) {
  std::string text = R"({"asset":{"version":"2.0"},"nodes":[)";
  for (int i = 0; i < 399'999; ++i) {
    text += "{},";
  }
  const auto character = test::read_text(text + "{}]}");
  ASSERT_TRUE(character) << character.error().message;
  EXPECT_EQ(character->skeleton->size(), 400'000);
}

TEST(ImportMemory, AsManyExtrasAsThereMayBe) {
  std::string text = R"({"asset":{"version":"2.0"},"extras":[)";
  for (int i = 0; i < 499'000; ++i) {
    text += "0,";
  }
  const auto character = test::read_text(text + "0]}");
  ASSERT_TRUE(character) << character.error().message;
  EXPECT_THAT(character->diagnostics, testing::IsEmpty());
}

}  // namespace
}  // namespace pelt
