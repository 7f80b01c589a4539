#include "deform/palette_batches.h"

#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "deform/skin_lbs.h"
#include "support/fixtures.h"

namespace pelt::deform {
namespace {

std::vector<PaletteBatch> split(const mesh::Primitive& primitive, int cap) {
  Result<std::vector<PaletteBatch>> result = split_into_batches(primitive.indices, 3, primitive.influences, cap);
  EXPECT_TRUE(result.has_value()) << result.error().message;
  return *std::move(result);
}

std::vector<std::size_t> palette_sizes(const std::vector<PaletteBatch>& batches) {
  std::vector<std::size_t> sizes;
  for (const PaletteBatch& batch : batches) {
    sizes.push_back(batch.palette.size());
  }
  return sizes;
}

TEST(PaletteBatches, C10_1_Strip) {
  const rig::Character character = test::strip100();
  const mesh::Primitive& strip = character.meshes[0].primitives[0];
  const std::vector<PaletteBatch> two = split(strip, 64);
  EXPECT_EQ(palette_sizes(two), (std::vector<std::size_t>{64, 37}));
  EXPECT_EQ(two[0].elements.size(), 63u);
  EXPECT_EQ(two[1].elements.size(), 36u);
  EXPECT_EQ(split(strip, 24).size(), 5u);
  EXPECT_EQ(split(strip, 12).size(), 9u);
  EXPECT_EQ(split(strip, 100).size(), 1u);
  EXPECT_EQ(split(strip, 0).size(), 1u);
}

TEST(PaletteBatches, C10_2_PartitionOfTheTriangles) {
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    const rig::Character character = test::random_rig({.seed = seed, .joints = 60, .vertices = 300});
    const mesh::Primitive& primitive = character.meshes[0].primitives[0];
    for (const int cap : {12, 16, 24, 40, 64}) {
      std::vector<int> seen(primitive.indices.size() / 3, 0);
      for (const PaletteBatch& batch : split(primitive, cap)) {
        EXPECT_LE(batch.palette.size(), static_cast<std::size_t>(cap));
        std::set<std::uint16_t> used;
        for (const std::uint32_t v : batch.vertices) {
          const mesh::Influences& rows = primitive.influences;
          used.insert(rows.joints(v).begin(), rows.joints(v).end());
        }
        EXPECT_EQ(std::set<std::uint16_t>(batch.palette.begin(), batch.palette.end()), used);
        EXPECT_EQ(used.size(), batch.palette.size());
        EXPECT_EQ(std::set<std::uint32_t>(batch.vertices.begin(), batch.vertices.end()).size(), batch.vertices.size());
        ASSERT_EQ(batch.indices.size(), batch.elements.size() * 3);
        for (std::size_t e = 0; e < batch.elements.size(); ++e) {
          ++seen[batch.elements[e]];
          for (std::size_t corner = 0; corner < 3; ++corner) {
            EXPECT_EQ(batch.vertices[batch.indices[e * 3 + corner]], primitive.indices[batch.elements[e] * 3 + corner]);
          }
        }
      }
      EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
    }
  }
}

TEST(PaletteBatches, C10_3_SkinnedBatchesEqualTheWholeBitwise) {
  const rig::Character character = test::random_rig({.seed = 103, .joints = 70, .vertices = 400});
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  test::Random random(103);
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, test::random_pose(character, random, 2.0));
  std::vector<glm::mat4> matrices(character.skins[0].joints.size());
  rig::skin_matrices(character.skins[0], world.world(), matrices);
  SkinInput whole;
  whole.positions = primitive.positions;
  whole.influences = &*primitive.influences;
  whole.skin_matrices = matrices;
  std::vector<glm::vec3> expected(primitive.positions.size());
  skin_lbs(whole, {expected, {}, {}}, 0, expected.size());

  for (const PaletteBatch& batch : split(primitive, 16)) {
    std::vector<glm::mat4> palette;
    std::vector<std::uint16_t> slot_of(matrices.size(), 0);
    for (const std::uint16_t joint : batch.palette) {
      slot_of[joint] = static_cast<std::uint16_t>(palette.size());
      palette.push_back(matrices[joint]);
    }
    mesh::Influences rows;
    std::vector<glm::vec3> positions;
    for (const std::uint32_t v : batch.vertices) {
      std::vector<std::uint16_t> slots;
      for (const std::uint16_t joint : primitive.influences->joints(v)) {
        slots.push_back(slot_of[joint]);
      }
      rows.push_row({slots, primitive.influences->weights(v), 1.0f});
      positions.push_back(primitive.positions[v]);
    }
    SkinInput part;
    part.positions = positions;
    part.influences = &rows;
    part.skin_matrices = palette;
    std::vector<glm::vec3> out(positions.size());
    skin_lbs(part, {out, {}, {}}, 0, out.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      EXPECT_EQ(out[i], expected[batch.vertices[i]]);
    }
  }
}

TEST(PaletteBatches, C10_4_NoFewerThanNeededAndOneWhenAllFit) {
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    const rig::Character character = test::random_rig({.seed = seed, .joints = 50, .vertices = 120});
    const mesh::Primitive& primitive = character.meshes[0].primitives[0];
    const std::vector<std::uint16_t> all_joints = flat(primitive.influences).joint;
    const std::set<std::uint16_t> used(all_joints.begin(), all_joints.end());
    const int used_count = static_cast<int>(used.size());
    for (const int cap : {12, 20, 33, used_count - 1, used_count, used_count + 1}) {
      const std::size_t count = split(primitive, cap).size();
      EXPECT_GE(count, static_cast<std::size_t>((used_count + cap - 1) / cap));
      if (used_count <= cap) {
        EXPECT_EQ(count, 1u);
      } else {
        EXPECT_GE(count, 2u);
      }
    }
  }
}

TEST(PaletteBatches, OneBatchKeepsTheOrderOfTheSource) {
  const rig::Character character = test::cylinder();
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  const std::vector<PaletteBatch> batches = split(primitive, 64);
  ASSERT_EQ(batches.size(), 1u);
  EXPECT_EQ(batches[0].indices, primitive.indices);
  std::vector<std::uint32_t> all(primitive.positions.size());
  std::iota(all.begin(), all.end(), 0u);
  EXPECT_EQ(batches[0].vertices, all);
}

TEST(PaletteBatches, ElementThatFitsNoPaletteIsNamed) {
  mesh::Influences rows;
  for (std::uint16_t v = 0; v < 6; ++v) {
    // Vertices 3 to 5 need nine joints between them.
    const std::uint16_t joints[] = {static_cast<std::uint16_t>(v < 3 ? 0 : 3 * v),
                                    static_cast<std::uint16_t>(v < 3 ? 1 : 3 * v + 1),
                                    static_cast<std::uint16_t>(v < 3 ? 2 : 3 * v + 2)};
    const float weights[] = {0.5f, 0.25f, 0.25f};
    mesh::append_row(rows, joints, weights);
  }
  const std::uint32_t indices[] = {0, 1, 2, 3, 4, 5};
  const auto result = split_into_batches(indices, 3, rows, 4);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().message,
            "element 1 needs 9 joints, but a palette holds 4: the smallest palette that would do has 9");
  EXPECT_TRUE(split_into_batches(indices, 3, rows, 9).has_value());
  EXPECT_TRUE(split_into_batches(indices, 1, rows, 4).has_value());
}

TEST(PaletteBatches, VerticesWithoutJointsAndNoElements) {
  mesh::Influences rows;
  const std::uint16_t joint = 3;
  const float one = 1.0f;
  const float none = 0.0f;
  mesh::append_row(rows, {&joint, 1}, {&none, 1});
  mesh::append_row(rows, {&joint, 1}, {&one, 1});
  const std::uint32_t points[] = {0, 1};
  const auto both = split_into_batches(points, 1, rows, 1);
  ASSERT_TRUE(both.has_value());
  ASSERT_EQ((*both).size(), 1u);
  EXPECT_EQ((*both)[0].palette, (std::vector<std::uint16_t>{3}));
  const auto still = split_into_batches(std::span(points).first(1), 1, rows, 1);
  ASSERT_TRUE(still.has_value());
  EXPECT_TRUE((*still)[0].palette.empty());
  const auto empty = split_into_batches({}, 3, rows, 1);
  ASSERT_TRUE(empty.has_value());
  EXPECT_TRUE((*empty).empty());
}

}  // namespace
}  // namespace pelt::deform
