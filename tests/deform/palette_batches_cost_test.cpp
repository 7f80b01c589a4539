// Tests the cost of splitting many triangles into batches.
#include "deform/palette_batches.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/effort.h"
#include "support/fixtures.h"

namespace pelt::deform {
namespace {

std::size_t batches_of_64(const mesh::Primitive& primitive) {
  const Result<std::vector<PaletteBatch>> batches = split_into_batches(primitive.indices, 3, primitive.influences, 64);
  EXPECT_TRUE(batches.has_value()) << batches.error().message;
  return batches->size();
}

TEST(PaletteBatches, HundredThousandTrianglesAreFast) {
  const auto seconds_to_split = [](const rig::Character& character, std::size_t& batches) {
    return test::processor_seconds([&] { batches = batches_of_64(character.meshes[0].primitives[0]); });
  };
  std::size_t batches = 0;
  // Random joints make nearly every triangle's joint set its own, which no real mesh does.
  const double worst =
      seconds_to_split(test::random_rig({.seed = 100, .joints = 300, .vertices = 5000, .influences = 2}), batches);
  EXPECT_LT(worst, 2.0);
  RecordProperty("random_triangles_batches", static_cast<int>(batches));

  // A long sheet over 300 joints, four influences that move along with it.
  rig::Character sheet;
  mesh::Primitive primitive;
  std::vector<int> joints;
  for (int j = 0; j < 300; ++j) {
    joints.push_back(test::add_node(sheet, "", j - 1, {.translation = {1, 0, 0}}));
  }
  constexpr int kRows = 51;
  constexpr int kColumns = 1001;
  test::Random random(64);
  for (int x = 0; x < kColumns; ++x) {
    for (int y = 0; y < kRows; ++y) {
      primitive.positions.emplace_back(static_cast<float>(x), static_cast<float>(y), 0.0f);
      const int base = std::min(x * 300 / kColumns, 296);
      std::uint16_t row[4];
      float weights[4];
      for (int k = 0; k < 4; ++k) {
        row[k] = static_cast<std::uint16_t>(base + k);
        weights[k] = random.below(3) == 0 ? 0.0f : random.real(0.1f, 1.0f);
      }
      mesh::append_row(primitive.influences.edit(), row, weights);
    }
  }
  for (std::uint32_t x = 0; x + 1 < kColumns; ++x) {
    for (std::uint32_t y = 0; y + 1 < kRows; ++y) {
      const std::uint32_t a = x * kRows + y;
      primitive.indices.append({a, a + kRows, a + 1, a + 1, a + kRows, a + kRows + 1});
    }
  }
  ASSERT_EQ(primitive.triangle_count(), 100000u);
  test::add_skinned_mesh(sheet, "sheet", std::move(joints), std::move(primitive));
  rig::finish(sheet);
  EXPECT_LT(seconds_to_split(sheet, batches), 0.5);
  EXPECT_LE(batches, 6u);
}

}  // namespace
}  // namespace pelt::deform
