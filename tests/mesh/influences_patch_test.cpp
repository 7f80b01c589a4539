// What a step of the history keeps of weights: rows, and no more of them than differ.
#include "mesh/influences_patch.h"

#include <algorithm>
#include <array>
#include <set>

#include <gtest/gtest.h>

#include "support/fixtures.h"

namespace pelt::mesh {
namespace {

void put_random_row(Influences& influences, std::size_t v, test::Random& random) {
  std::vector<std::uint16_t> joints;
  std::vector<float> weights;
  for (int k = random.below(6); k > 0; --k) {
    joints.push_back(static_cast<std::uint16_t>(random.below(40)));
    weights.push_back(random.real(0.01f, 1.0f));
  }
  influences.set_row(v, joints, weights);
}

Influences random_influences(std::size_t vertex_count, test::Random& random) {
  Influences out;
  out.push_empty(vertex_count);
  for (std::size_t v = 0; v < vertex_count; ++v) {
    put_random_row(out, v, random);
  }
  return out;
}

TEST(InfluencesPatch, Law_ItMakesTheOneOfTheOtherAndSharesWhatItLeaves) {
  test::Random random(161);
  for (int round = 0; round < 200; ++round) {
    const std::size_t vertex_count = 1 + random.below(1500);
    const Influences from = random_influences(vertex_count, random);
    Influences to = from;
    std::set<std::size_t> blocks;
    std::size_t row_bytes = 0;
    const std::size_t first = random.below(static_cast<int>(vertex_count));
    const std::size_t count =
        round % 3 == 0 ? vertex_count - first : static_cast<std::size_t>(random.below(40));  // whole blocks, too
    std::set<std::size_t> rows;
    for (std::size_t i = 0; i < count; ++i) {
      rows.insert(round % 3 == 1 ? static_cast<std::size_t>(random.below(static_cast<int>(vertex_count)))
                                 : std::min(first + i, vertex_count - 1));
    }
    for (const std::size_t v : rows) {
      put_random_row(to, v, random);
      blocks.insert(v / Influences::kBlockRows);
      row_bytes += 2 * sizeof(std::uint32_t) + to.count(v) * (sizeof(float) + sizeof(std::uint16_t));
    }
    const InfluencesPatch patch = patch_between(from, to);
    const Influences made = patched(from, patch);
    ASSERT_EQ(made, to) << "round " << round;
    ASSERT_EQ(patched(to, patch_between(to, from)), from) << "round " << round;
    for (std::size_t b = 0; b < from.block_count(); ++b) {
      if (!blocks.contains(b)) {
        ASSERT_TRUE(made.blocks()[b].is(from.blocks()[b])) << "round " << round << ", block " << b;
      }
    }
    ASSERT_LE(patch.bytes(), row_bytes + row_bytes / 2 + 64) << "round " << round;
    ASSERT_TRUE(std::ranges::is_sorted(patch.vertices));
  }
}

TEST(InfluencesPatch, OfEqualRowsIsEmpty) {
  test::Random random(162);
  const Influences one = random_influences(600, random);
  Influences other = one;
  other.set_stored_sum(300, one.stored_sum(300));  // a block of its own that says the same
  ASSERT_FALSE(other.blocks()[1].is(one.blocks()[1]));
  EXPECT_TRUE(patch_between(one, other).empty());
  other.set_stored_sum(300, 7);
  const InfluencesPatch patch = patch_between(one, other);
  EXPECT_EQ(patch.vertices, std::vector<std::uint32_t>{300});
  EXPECT_TRUE(patch.blocks.empty());
}

TEST(InfluencesPatch, ABlockOfOtherRowsIsKeptAsItIs) {
  test::Random random(163);
  const Influences one = random_influences(700, random);
  Influences other = one;
  for (std::size_t v = 256; v < 512; ++v) {
    put_random_row(other, v, random);
    other.set_stored_sum(v, 9);
  }
  const InfluencesPatch patch = patch_between(one, other);
  EXPECT_TRUE(patch.vertices.empty());
  ASSERT_EQ(patch.blocks.size(), 1u);
  EXPECT_TRUE(patched(one, patch).blocks()[1].is(other.blocks()[1]));
}

TEST(InfluencesPatch, RowsArePutBlockByBlock) {
  test::Random random(162);
  const Influences before = random_influences(700, random);
  InfluencesPatch patch;
  const std::array<std::uint16_t, 1> joint = {99};
  const std::array<float, 1> one = {1};
  for (const std::uint32_t v : {256u, 257u, 699u}) {
    push_row(patch, v, {joint, one, 1});
  }
  const Influences rows = patched(before, patch);
  EXPECT_TRUE(rows.blocks()[0].is(before.blocks()[0])) << "no row of it changed";
  EXPECT_FALSE(rows.blocks()[1].is(before.blocks()[1]));
  std::vector<std::size_t> changed;
  for_changed_rows(before, rows, [&](std::size_t v) { changed.push_back(v); });
  EXPECT_EQ(changed, (std::vector<std::size_t>{256, 257, 699}));
  EXPECT_EQ(rows.joints(257)[0], 99);
  EXPECT_TRUE(same_row(rows.row(258), before.row(258)));
  EXPECT_EQ(rows.vertex_count(), 700u);
}

}  // namespace
}  // namespace pelt::mesh
