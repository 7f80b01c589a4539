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
  for (std::size_t i = influences.offset[v]; i < influences.offset[v + 1]; ++i) {
    sum += static_cast<double>(influences.weight[i]);
  }
  return sum;
}

TEST(AppendRow, MergesRepeatedJointsAndDropsZeros) {
  const Influences row = one_row({3, 7, 3, 9}, {0.25f, 0.5f, 0.5f, 0.0f});
  EXPECT_EQ(row.joint, (std::vector<std::uint16_t>{3, 7}));
  EXPECT_EQ(row.weight, (std::vector<float>{0.6f, 0.4f}));
  EXPECT_EQ(row.stored_sum, (std::vector<float>{1.25f}));
}

TEST(AppendRow, SortsHeaviestFirstTiesByJoint) {
  const Influences row = one_row({9, 2, 5, 1}, {0.25f, 0.125f, 0.5f, 0.125f});
  EXPECT_EQ(row.joint, (std::vector<std::uint16_t>{5, 9, 1, 2}));
  EXPECT_EQ(row.weight, (std::vector<float>{0.5f, 0.25f, 0.125f, 0.125f}));
}

TEST(AppendRow, NormalisesAndKeepsTheStoredSum) {
  const Influences row = one_row({0, 1}, {3.0f, 1.0f});
  EXPECT_EQ(row.weight, (std::vector<float>{0.75f, 0.25f}));
  EXPECT_EQ(row.stored_sum[0], 4.0f);
}

TEST(AppendRow, AllZeroIsAnEmptyRow) {
  Influences rows = one_row({0, 1}, {0.0f, 0.0f});
  append_row(rows, {}, {});
  EXPECT_EQ(rows.vertex_count(), 2u);
  EXPECT_EQ(rows.count(0), 0u);
  EXPECT_EQ(rows.count(1), 0u);
  EXPECT_EQ(rows.stored_sum, (std::vector<float>{0.0f, 0.0f}));
  EXPECT_EQ(rows.max_count(), 0u);
}

TEST(AppendRow, NoWeightRoundsToZero) {
  const Influences row = one_row({0, 1}, {4.0f, 1e-45f});
  EXPECT_EQ(row.joint, (std::vector<std::uint16_t>{0}));
  EXPECT_EQ(row.weight, (std::vector<float>{1.0f}));
}

TEST(LimitInfluences, C16_1_GhostPoints) {
  const Influences full = one_row({0, 1, 2, 3}, {0.5f, 0.3f, 0.15f, 0.05f});
  const glm::dvec2 ghosts[] = {{0, 0}, {1, 0}, {0, 1}, {2, 2}};
  const auto blend = [&](const Influences& row) {
    glm::dvec2 sum(0);
    for (std::size_t i = 0; i < row.joint.size(); ++i) {
      sum += static_cast<double>(row.weight[i]) * ghosts[row.joint[i]];
    }
    return sum;
  };
  EXPECT_NEAR(blend(full).x, 0.4, 1e-7);
  EXPECT_NEAR(blend(full).y, 0.25, 1e-7);
  float dropped = 0;
  const Influences three = limit_influences(full, 3, 0.0f, &dropped);
  ASSERT_EQ(three.weight.size(), 3u);
  EXPECT_NEAR(three.weight[0], 0.526316, 1e-6);
  EXPECT_NEAR(three.weight[1], 0.315789, 1e-6);
  EXPECT_NEAR(three.weight[2], 0.157895, 1e-6);
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
  EXPECT_EQ(one.joint, (std::vector<std::uint16_t>{8, 5}));
  EXPECT_EQ(one.weight, (std::vector<float>{1.0f, 1.0f}));
  EXPECT_EQ(one.stored_sum, rows.stored_sum);
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
  EXPECT_EQ(same.weight, rows.weight);
  EXPECT_EQ(same.joint, rows.joint);
  EXPECT_EQ(same.offset, rows.offset);
  EXPECT_EQ(dropped, 0.0f);
}

TEST(LimitInfluences, ThresholdDropsTheLight) {
  float dropped = 0;
  const Influences row = limit_influences(one_row({0, 1, 2}, {0.75f, 0.1875f, 0.0625f}), 4, 0.1f, &dropped);
  EXPECT_EQ(row.weight, (std::vector<float>{0.8f, 0.2f}));
  EXPECT_EQ(dropped, 0.0625f);
}

}  // namespace
}  // namespace pelt::mesh
