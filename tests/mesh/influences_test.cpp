#include <algorithm>
#include <array>
#include <numeric>

#include <gtest/gtest.h>

#include "mesh/mesh.h"
#include "support/fixtures.h"

namespace pelt::mesh {
namespace {

Influences one_row(const std::vector<std::uint16_t>& joints, const std::vector<float>& weights) {
  Influences out;
  append_row(out, joints, weights);
  return out;
}

double sum_of(const Influences& influences, std::size_t v) {
  double sum = 0;
  const InfluenceRow row = influences.row(v);
  for (std::size_t i = 0; i < row.joints.size(); ++i) {
    sum += static_cast<double>(row.weights[i]);
  }
  return sum;
}

TEST(AppendRow, MergesRepeatedJointsAndDropsZeros) {
  const Influences row = one_row({3, 7, 3, 9}, {0.25f, 0.5f, 0.5f, 0.0f});
  EXPECT_EQ(flat(row).joint, (std::vector<std::uint16_t>{3, 7}));
  EXPECT_EQ(flat(row).weight, (std::vector<float>{0.6f, 0.4f}));
  EXPECT_EQ(flat(row).stored_sum, (std::vector<float>{1.25f}));
}

TEST(AppendRow, SortsHeaviestFirstTiesByJoint) {
  const Influences row = one_row({9, 2, 5, 1}, {0.25f, 0.125f, 0.5f, 0.125f});
  EXPECT_EQ(flat(row).joint, (std::vector<std::uint16_t>{5, 9, 1, 2}));
  EXPECT_EQ(flat(row).weight, (std::vector<float>{0.5f, 0.25f, 0.125f, 0.125f}));
}

TEST(AppendRow, NormalisesAndKeepsTheStoredSum) {
  const Influences row = one_row({0, 1}, {3.0f, 1.0f});
  EXPECT_EQ(flat(row).weight, (std::vector<float>{0.75f, 0.25f}));
  EXPECT_EQ(row.stored_sum(0), 4.0f);
}

TEST(AppendRow, AllZeroIsAnEmptyRow) {
  Influences rows = one_row({0, 1}, {0.0f, 0.0f});
  append_row(rows, {}, {});
  EXPECT_EQ(rows.vertex_count(), 2u);
  EXPECT_EQ(rows.count(0), 0u);
  EXPECT_EQ(rows.count(1), 0u);
  EXPECT_EQ(flat(rows).stored_sum, (std::vector<float>{0.0f, 0.0f}));
  EXPECT_EQ(rows.max_count(), 0u);
}

TEST(AppendRow, NoWeightRoundsToZero) {
  const Influences row = one_row({0, 1}, {4.0f, 1e-45f});
  EXPECT_EQ(flat(row).joint, (std::vector<std::uint16_t>{0}));
  EXPECT_EQ(flat(row).weight, (std::vector<float>{1.0f}));
}

TEST(LimitInfluences, C16_1_GhostPoints) {
  const Influences full = one_row({0, 1, 2, 3}, {0.5f, 0.3f, 0.15f, 0.05f});
  const glm::dvec2 ghosts[] = {{0, 0}, {1, 0}, {0, 1}, {2, 2}};
  const auto blend = [&](const Influences& row) {
    glm::dvec2 sum(0);
    row.for_each_entry([&](std::uint16_t joint, float weight) { sum += static_cast<double>(weight) * ghosts[joint]; });
    return sum;
  };
  EXPECT_NEAR(blend(full).x, 0.4, 1e-7);
  EXPECT_NEAR(blend(full).y, 0.25, 1e-7);
  float dropped = 0;
  const Influences three = limit_influences(full, 3, 0.0f, &dropped);
  ASSERT_EQ(flat(three).weight.size(), 3u);
  EXPECT_NEAR(flat(three).weight[0], 0.526316, 1e-6);
  EXPECT_NEAR(flat(three).weight[1], 0.315789, 1e-6);
  EXPECT_NEAR(flat(three).weight[2], 0.157895, 1e-6);
  EXPECT_NEAR(blend(three).x, 0.315789, 1e-6);
  EXPECT_NEAR(blend(three).y, 0.157895, 1e-6);
  EXPECT_NEAR(dropped, 0.05, 1e-7);
  const double shift = glm::length(blend(full) - blend(three));
  EXPECT_NEAR(shift, 0.124799, 1e-6);
  const double bound = static_cast<double>(dropped) * glm::length(ghosts[3] - ghosts[0]);
  EXPECT_NEAR(bound, 0.141421, 1e-6);
  EXPECT_LE(shift, bound);
}

TEST(LimitInfluences, C16_2_OneInfluenceIsTheStrongestJoint) {
  Influences rows = one_row({4, 2, 8}, {0.25f, 0.25f, 0.5f});
  append_row(rows, std::vector<std::uint16_t>{6, 5}, std::vector<float>{0.5f, 0.5f});
  const Influences one = limit_influences(rows, 1);
  EXPECT_EQ(flat(one).joint, (std::vector<std::uint16_t>{8, 5}));
  EXPECT_EQ(flat(one).weight, (std::vector<float>{1.0f, 1.0f}));
  EXPECT_EQ(flat(one).stored_sum, flat(rows).stored_sum);
}

TEST(LimitInfluences, C16_3_RowsSumToOneAndAreNeverEmpty) {
  test::Random random(16);
  Influences rows;
  for (int v = 0; v < 3000; ++v) {
    std::vector<std::uint16_t> joints;
    std::vector<float> weights;
    for (int k = random.below(10); k >= 0; --k) {
      joints.push_back(static_cast<std::uint16_t>(random.below(30)));
      weights.push_back(random.real(0.0001f, 1.0f));
    }
    append_row(rows, joints, weights);
  }
  for (int limit = 1; limit <= 8; ++limit) {
    for (const float threshold : {0.0f, 0.1f, 2.0f}) {
      const Influences limited = limit_influences(rows, limit, threshold);
      ASSERT_EQ(limited.vertex_count(), rows.vertex_count());
      for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
        ASSERT_GE(limited.count(v), 1u);
        ASSERT_LE(limited.count(v), static_cast<std::uint32_t>(limit));
        // Each weight is rounded once, by at most 2^-24 of itself: together by 6e-8.
        ASSERT_NEAR(sum_of(limited, v), 1.0, 1e-7);
      }
    }
  }
}

TEST(LimitInfluences, UntouchedRowsKeepTheirBits) {
  Influences rows = one_row({0, 1, 2}, {0.2f, 0.3f, 0.1f});
  append_row(rows, {}, {});
  float dropped = -1;
  const Influences same = limit_influences(rows, 3, 0.0f, &dropped);
  EXPECT_EQ(flat(same).weight, flat(rows).weight);
  EXPECT_EQ(flat(same).joint, flat(rows).joint);
  EXPECT_EQ(flat(same).offset, flat(rows).offset);
  EXPECT_EQ(dropped, 0.0f);
}

TEST(LimitInfluences, ThresholdDropsTheLight) {
  float dropped = 0;
  const Influences row = limit_influences(one_row({0, 1, 2}, {0.75f, 0.1875f, 0.0625f}), 4, 0.1f, &dropped);
  EXPECT_EQ(flat(row).weight, (std::vector<float>{0.8f, 0.2f}));
  EXPECT_EQ(dropped, 0.0625f);
}

constexpr std::size_t kRows = Influences::kBlockRows;

// Rows of 0 to `longest` joints, some sums of their own.
Influences random_influences(test::Random& random, std::size_t vertex_count, int longest = 5) {
  Influences out;
  for (std::size_t v = 0; v < vertex_count; ++v) {
    std::vector<std::uint16_t> joints;
    std::vector<float> weights;
    for (int k = random.below(longest + 1); k > 0; --k) {
      joints.push_back(static_cast<std::uint16_t>(random.below(40)));
      weights.push_back(random.real(0.01f, 0.5f));
    }
    append_row(out, joints, weights);
  }
  return out;
}

std::size_t shared_blocks(const Influences& a, const Influences& b) {
  std::size_t shared = 0;
  for (std::size_t i = 0; i < std::min(a.block_count(), b.block_count()); ++i) {
    shared += a.blocks()[i].is(b.blocks()[i]) ? 1 : 0;
  }
  return shared;
}

TEST(Influences, RowsComeBackThroughBlocksAndFlat) {
  test::Random random(31);
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, kRows - 1, kRows, kRows + 1, 3 * kRows + 17}) {
    const Influences rows = random_influences(random, count);
    EXPECT_EQ(rows.vertex_count(), count);
    EXPECT_EQ(rows.empty(), count == 0);
    EXPECT_EQ(rows.block_count(), (count + kRows - 1) / kRows);
    const FlatInfluences all = flat(rows);
    ASSERT_EQ(all.vertex_count(), count);
    EXPECT_EQ(all.joint.size(), rows.entry_count());
    std::uint32_t longest = 0;
    std::size_t entry = 0;
    for (std::size_t v = 0; v < count; ++v) {
      const InfluenceRow row = rows.row(v);
      ASSERT_EQ(row.joints.size(), all.count(v));
      ASSERT_EQ(rows.count(v), all.count(v));
      ASSERT_EQ(rows.stored_sum(v), all.stored_sum[v]);
      longest = std::max(longest, rows.count(v));
      for (std::size_t k = 0; k < row.joints.size(); ++k, ++entry) {
        ASSERT_EQ(row.joints[k], all.joint[entry]);
        ASSERT_EQ(rows.weights(v)[k], all.weight[entry]);
      }
    }
    EXPECT_EQ(rows.max_count(), longest);
    EXPECT_TRUE(in_blocks(all) == rows);
  }
}

TEST(Influences, AnEditClonesOneBlockAndNoCopySeesIt) {
  test::Random random(32);
  const Influences before = random_influences(random, 5 * kRows + 3);
  Influences now = before;
  EXPECT_EQ(shared_blocks(before, now), 6u);
  const FlatInfluences expected = flat(before);
  const std::size_t v = 2 * kRows + 7;
  now.set_row(v, std::vector<std::uint16_t>{3, 1, 3}, std::vector<float>{0.25f, 0.5f, 0.5f});
  EXPECT_EQ(shared_blocks(before, now), 5u);
  EXPECT_FALSE(before.blocks()[2].is(now.blocks()[2]));
  EXPECT_EQ(flat(before).weight, expected.weight);
  EXPECT_EQ(std::vector<std::uint16_t>(now.joints(v).begin(), now.joints(v).end()), (std::vector<std::uint16_t>{3, 1}));
  EXPECT_EQ(std::vector<float>(now.weights(v).begin(), now.weights(v).end()), (std::vector<float>{0.6f, 0.4f}));
  EXPECT_EQ(now.stored_sum(v), 1.25f);
  // What nobody else holds is written in place.
  const Influences::Block* const own = &now.block(2);
  now.set_stored_sum(v, 1.0f);
  EXPECT_EQ(&now.block(2), own);
}

// Against rows that are each a vector of its own.
TEST(Influences, RandomEditsAreThoseOfSingleRows) {
  test::Random random(33);
  struct Row {
    std::vector<std::uint16_t> joints;
    std::vector<float> weights;
    float sum = 0;
  };
  Influences rows = random_influences(random, 2 * kRows + 90);
  std::vector<Row> expected;
  for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
    const InfluenceRow row = rows.row(v);
    expected.push_back(
        {{row.joints.begin(), row.joints.end()}, {row.weights.begin(), row.weights.end()}, row.stored_sum});
  }
  for (int edit = 0; edit < 3000; ++edit) {
    const Influences before = rows;
    const std::size_t v = random.below(static_cast<int>(rows.vertex_count()));
    const Influences one = random_influences(random, 1, 9);
    const InfluenceRow row = one.row(0);
    rows.put_row(v, row);
    expected[v] = {{row.joints.begin(), row.joints.end()}, {row.weights.begin(), row.weights.end()}, row.stored_sum};
    std::vector<std::size_t> changed;
    for_changed_rows(before, rows, [&](std::size_t at) { changed.push_back(at); });
    ASSERT_EQ(changed, same_row(before.row(v), row) ? std::vector<std::size_t>{} : std::vector{v});
  }
  for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
    ASSERT_TRUE(same_row(rows.row(v), {expected[v].joints, expected[v].weights, expected[v].sum})) << v;
  }
}

TEST(Influences, ChangedBlocksAreThoseWrittenAndNoOthers) {
  test::Random random(34);
  const Influences before = random_influences(random, 4 * kRows + 1);
  Influences now = before;
  now.set_stored_sum(0, before.stored_sum(0));  // written, and equal
  now.set_row(4 * kRows, std::vector<std::uint16_t>{39}, std::vector<float>{7.0f});
  std::vector<std::array<std::size_t, 3>> blocks;
  for_changed_blocks(before, now, [&](std::size_t b, std::size_t first, std::size_t end) {
    blocks.push_back({b, first, end});
  });
  EXPECT_EQ(blocks, (std::vector<std::array<std::size_t, 3>>{{0, 0, kRows}, {4, 4 * kRows, 4 * kRows + 1}}));
  std::vector<std::size_t> rows;
  for_changed_rows(before, now, [&](std::size_t v) { rows.push_back(v); });
  EXPECT_EQ(rows, (std::vector<std::size_t>{4 * kRows}));
  // Rows that were not there before are other rows.
  Influences longer = before;
  longer.push_empty(1);
  rows.clear();
  for_changed_rows(before, longer, [&](std::size_t v) { rows.push_back(v); });
  EXPECT_EQ(rows, (std::vector<std::size_t>{4 * kRows + 1}));
}

TEST(Influences, AppendingSharesBlocksWhereTheyFit) {
  test::Random random(35);
  const Influences whole = random_influences(random, 2 * kRows);
  const Influences more = random_influences(random, kRows + 5);
  Influences joined = whole;
  joined.append(more);
  EXPECT_EQ(joined.vertex_count(), 3 * kRows + 5);
  EXPECT_TRUE(joined.blocks()[1].is(whole.blocks()[1]));
  EXPECT_TRUE(joined.blocks()[2].is(more.blocks()[0]));
  joined.append(more);
  for (std::size_t v = 0; v < more.vertex_count(); ++v) {
    ASSERT_TRUE(same_row(joined.row(2 * kRows + v), more.row(v)));
    ASSERT_TRUE(same_row(joined.row(3 * kRows + 5 + v), more.row(v)));
  }
  joined.append(joined);
  EXPECT_EQ(joined.vertex_count(), 2 * (4 * kRows + 10));
  EXPECT_TRUE(same_row(joined.row(4 * kRows + 10), whole.row(0)));
}

TEST(Influences, RenumberingLeavesBlocksThatNameNoneOfThem) {
  Influences rows;
  for (std::size_t v = 0; v < 2 * kRows; ++v) {
    append_row(rows, std::vector<std::uint16_t>{static_cast<std::uint16_t>(v < kRows ? 1 : 2)}, std::vector{1.0f});
  }
  const Influences before = rows;
  rows.renumber_joints([](std::uint16_t joint) { return joint == 2 ? 7 : joint; });
  EXPECT_TRUE(rows.blocks()[0].is(before.blocks()[0]));
  EXPECT_EQ(rows.joints(kRows)[0], 7);
  EXPECT_EQ(before.joints(kRows)[0], 2);
}

TEST(LimitInfluences, SharesBlocksThatLoseNothing) {
  test::Random random(36);
  Influences rows = random_influences(random, kRows, 3);
  rows.append(random_influences(random, kRows, 8));
  const Influences limited = limit_influences(rows, 3);
  EXPECT_TRUE(limited.blocks()[0].is(rows.blocks()[0]));
  EXPECT_FALSE(limited.blocks()[1].is(rows.blocks()[1]));
  EXPECT_EQ(limited.max_count(), 3u);
}

TEST(AppendRow, LongRowsAreSortedAndMergedToo) {
  std::vector<std::uint16_t> joints(40);
  std::vector<float> weights(40);
  for (std::size_t k = 0; k < joints.size(); ++k) {
    joints[k] = static_cast<std::uint16_t>(k % 20);
    weights[k] = 1.0f + static_cast<float>(k % 20);
  }
  const FlatInfluences row = flat(one_row(joints, weights));
  ASSERT_EQ(row.joint.size(), 20u);
  for (std::size_t k = 0; k < 20; ++k) {
    EXPECT_EQ(row.joint[k], 19 - k);
    EXPECT_FLOAT_EQ(row.weight[k], static_cast<float>(20 - k) / 210);
  }
}

}  // namespace
}  // namespace pelt::mesh
