#include "mesh/influence_tally.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "support/fixtures.h"

namespace pelt::mesh {
namespace {

constexpr int kJoints = 9;

void put_any_row(Influences& rows, std::size_t v, test::Random& random) {
  std::vector<std::uint16_t> joints;
  std::vector<float> weights;
  for (int k = random.below(5); k > 0; --k) {
    joints.push_back(static_cast<std::uint16_t>(random.below(kJoints)));
    weights.push_back(random.real(0.1f, 0.5f));
  }
  if (v == rows.vertex_count()) {
    append_row(rows, joints, weights);
  } else {
    rows.set_row(v, joints, weights);
  }
}

// Counted vertex by vertex.
void expect_counts(const InfluenceTally& tally, const Influences& rows) {
  std::map<std::size_t, std::int64_t> widths;
  std::map<int, InfluenceTally::OfJoint> joints;
  std::int64_t bad = 0;
  float worst = 0;
  for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
    ++widths[rows.count(v)];
    const float error = std::abs(rows.stored_sum(v) - 1);
    bad += error > 1e-3f ? 1 : 0;
    worst = std::max(worst, error);
    for (std::size_t k = 0; k < rows.count(v); ++k) {
      InfluenceTally::OfJoint& joint = joints[rows.joints(v)[k]];
      ++joint.vertices;
      joint.largest = std::max(joint.largest, rows.weights(v)[k]);
      joint.sum += static_cast<double>(rows.weights(v)[k]);
    }
  }
  for (std::size_t k = 0; k < std::max<std::size_t>(tally.rows().size(), 8); ++k) {
    EXPECT_EQ(k < tally.rows().size() ? tally.rows()[k] : 0, widths.contains(k) ? widths[k] : 0) << k;
  }
  EXPECT_TRUE(tally.rows().empty() || tally.rows().back() > 0);
  EXPECT_EQ(tally.bad_sums(), bad);
  EXPECT_EQ(tally.worst_sum_error(), worst);
  for (int j = 0; j < kJoints + 2; ++j) {
    const InfluenceTally::OfJoint joint = tally.of_joint(static_cast<std::size_t>(j));
    EXPECT_EQ(joint.vertices, joints[j].vertices) << j;
    EXPECT_EQ(joint.largest, joints[j].largest) << j;
    EXPECT_NEAR(joint.sum, joints[j].sum, 1e-9 * (1 + joints[j].sum)) << j;
  }
}

TEST(InfluenceTally, Law_FollowsEditsAsIfCountedAnew) {
  test::Random random(3);
  Shared<Influences> now{Influences()};
  std::vector<Shared<Influences>> before = {now};
  InfluenceTally tally;
  for (int edit = 0; edit < 120; ++edit) {
    const int kind = random.below(6);
    if (kind == 0) {
      now = before[random.below(static_cast<int>(before.size()))];
    } else {
      Influences& rows = now.edit();
      if (kind == 1 || rows.vertex_count() == 0) {
        for (int n = random.below(400); n >= 0; --n) {
          put_any_row(rows, rows.vertex_count(), random);
        }
      } else {
        for (int n = random.below(9); n >= 0; --n) {
          put_any_row(rows, static_cast<std::size_t>(random.below(static_cast<int>(rows.vertex_count()))), random);
        }
      }
      before.push_back(now);
    }
    tally.update(now);
    expect_counts(tally, *now);
  }
}

}  // namespace
}  // namespace pelt::mesh
