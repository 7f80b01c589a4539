#include "mesh/weight_formats.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "support/fixtures.h"

namespace pelt::mesh {
namespace {

std::vector<std::uint16_t> rounded(const std::vector<float>& weights, std::uint32_t total = 255) {
  std::vector<std::uint16_t> out(weights.size());
  round_weights(weights, total, out);
  return out;
}

std::vector<std::uint16_t> rounded_implied(const std::vector<float>& weights) {
  std::vector<std::uint16_t> out(weights.size());
  round_weights_implied(weights, out);
  return out;
}

// A point of the simplex, uniformly distributed: the gaps between sorted random numbers.
std::vector<float> simplex_point(test::Random& random, int count) {
  std::vector<double> cuts = {0.0, 1.0};
  for (int k = 1; k < count; ++k) {
    cuts.push_back(random.real(0.0, 1.0));
  }
  std::ranges::sort(cuts);
  std::vector<float> weights;
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
    weights.push_back(static_cast<float>(cuts[k + 1] - cuts[k]));
  }
  std::ranges::sort(weights, std::greater<>());
  return weights;
}

Influences random_rows(test::Random& random, int vertices, int most, int joints) {
  Influences rows;
  for (int v = 0; v < vertices; ++v) {
    std::vector<float> weights = simplex_point(random, 1 + random.below(most));
    std::vector<std::uint16_t> row;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      row.push_back(static_cast<std::uint16_t>(random.below(joints)));
    }
    append_row(rows, row, weights);
  }
  append_row(rows, {}, {});
  return rows;
}

TEST(WeightFormats, C15_1_LargestRemainderOnKnownRows) {
  using Units = std::vector<std::uint16_t>;
  EXPECT_EQ(rounded({0.6f, 0.3f, 0.1f}), (Units{153, 77, 25}));
  EXPECT_EQ(rounded({0.5f, 0.25f, 0.125f, 0.125f}), (Units{127, 64, 32, 32}));
  EXPECT_EQ(rounded({1.0f / 3, 1.0f / 3, 1.0f / 3}), (Units{85, 85, 85}));
  EXPECT_EQ(rounded({0.25f, 0.25f, 0.25f, 0.25f}), (Units{64, 64, 64, 63}));
  EXPECT_EQ(rounded({1.0f}), (Units{255}));
  EXPECT_EQ(rounded({1.0f}, 65535), (Units{65535}));
  // What naive rounding does to the first row: 153 + 77 + 26 (half up).
  EXPECT_EQ(std::floor(0.6 * 255 + 0.5) + std::floor(0.3 * 255 + 0.5) + std::floor(0.1 * 255 + 0.5), 256);
}

TEST(WeightFormats, C15_2_HalfUnitsAttainTheBound) {
  const double exact[] = {193.5, 30.5, 20.5, 10.5};
  std::vector<float> weights;
  for (const double w : exact) {
    weights.push_back(static_cast<float>(w / 255));
  }
  const std::vector<std::uint16_t> units = rounded(weights);
  double sum = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    sum += std::abs(units[k] - exact[k]);
  }
  EXPECT_EQ(sum / 2, 1.0) << "in units of 1/255";
}

TEST(WeightFormats, C15_3_RandomSimplexPointsKeepSumsBoundsAndPositions) {
  test::Random random(15);
  for (int n = 0; n < 100'000; ++n) {
    const std::vector<float> weights = simplex_point(random, 4);
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    glm::dvec3 ghosts[4];
    for (glm::dvec3& ghost : ghosts) {
      ghost = random.dvector(-1.0, 1.0);
    }
    double diameter = 0;
    for (int a = 0; a < 4; ++a) {
      for (int b = 0; b < a; ++b) {
        diameter = std::max(diameter, glm::distance(ghosts[a], ghosts[b]));
      }
    }
    const auto check = [&](const std::vector<std::uint16_t>& units, int total, double worst_single, double worst_last) {
      ASSERT_EQ(std::accumulate(units.begin(), units.end(), 0), total);
      double half_l1 = 0;
      glm::dvec3 shift(0);
      for (std::size_t k = 0; k < 4; ++k) {
        const double error = static_cast<double>(units[k]) / total - static_cast<double>(weights[k]) / sum;
        ASSERT_LE(std::abs(error) * total, (k == 3 ? worst_last : worst_single) + 1e-9);
        half_l1 += std::abs(error) / 2;
        shift += error * ghosts[k];
      }
      ASSERT_LE(glm::length(shift), half_l1 * diameter + 1e-12);
      if (worst_last < 1) {
        ASSERT_LE(half_l1 * total, 1.0 + 1e-9);
      }
    };
    check(rounded(weights), 255, 0.75, 0.75);
    check(rounded(weights, 65535), 65535, 0.75, 0.75);
    // A unit that is borrowed back adds to the half of the one that gives it.
    const std::vector<std::uint16_t> implied = rounded_implied(weights);
    check(implied, 255, implied[3] == 0 ? 1.0 : 0.5, 1.5);
  }
}

TEST(WeightFormats, C15_3_AnImpliedWeightIsNeverNegative) {
  // 128 + 127 + 1 = 256 units: one is taken back from the largest.
  EXPECT_EQ(rounded_implied({127.5f / 255, 126.9f / 255, 0.6f / 255, 0.0f}),
            (std::vector<std::uint16_t>{127, 127, 1, 0}));
  // Equally large: from the highest slot, so that the order stays.
  EXPECT_EQ(rounded_implied({0.5f, 0.5f, 0.0f, 0.0f}), (std::vector<std::uint16_t>{128, 127, 0, 0}));
  EXPECT_EQ(rounded_implied({1.0f, 0.0f, 0.0f, 0.0f}), (std::vector<std::uint16_t>{255, 0, 0, 0}));
}

TEST(WeightFormats, C15_3_TheImpliedWeightBelongsToAJointOfTheVertex) {
  // Rounding three to the nearest would leave one unit to a fourth joint that the vertex does not have.
  Influences rows;
  append_row(rows, std::vector<std::uint16_t>{7, 8, 9}, std::vector<float>{100.4f / 255, 80.3f / 255, 74.3f / 255});
  const Influences decoded = unpack_influences(pack_influences(rows, WeightFormat::kPacked56, 20));
  EXPECT_EQ(flat(decoded).joint, (std::vector<std::uint16_t>{7, 8, 9}));
  EXPECT_EQ(flat(decoded).weight, (std::vector<float>{101.0f / 255, 80.0f / 255, 74.0f / 255}));
}

TEST(WeightFormats, C15_4_PackUnpackPackIsStable) {
  test::Random random(4);
  for (const WeightFormatInfo& info : kWeightFormats) {
    for (const int joints : {30, 300}) {
      const Influences rows = random_rows(random, 5000, 8, joints);
      const std::size_t count = joints;
      const PackedInfluences packed = pack_influences(rows, info.format, count);
      const Influences decoded = unpack_influences(packed);
      const Influences quantized = quantized_influences(rows, info.format);
      EXPECT_EQ(flat(decoded).offset, flat(quantized).offset) << info.id;
      EXPECT_EQ(flat(decoded).joint, flat(quantized).joint) << info.id;
      EXPECT_EQ(flat(decoded).weight, flat(quantized).weight) << info.id;
      const PackedInfluences again = pack_influences(decoded, info.format, count);
      EXPECT_EQ(again.slots, packed.slots) << info.id;
      EXPECT_EQ(again.indices, packed.indices) << info.id;
      EXPECT_EQ(again.weights, packed.weights) << info.id;
      const Influences twice = quantized_influences(quantized, info.format);
      EXPECT_TRUE(twice == quantized) << info.id;
      // What was rounded before is not made again.
      for (std::size_t b = 0; b < twice.block_count(); ++b) {
        EXPECT_TRUE(twice.blocks()[b].is(quantized.blocks()[b])) << info.id << " block " << b;
      }
    }
  }
}

TEST(WeightFormats, QuantizedRowsKeepWhatInfluencesPromise) {
  test::Random random(6);
  const Influences rows = random_rows(random, 3000, 8, 40);
  for (const WeightFormatInfo& info : kWeightFormats) {
    const Influences quantized = quantized_influences(rows, info.format);
    ASSERT_EQ(quantized.vertex_count(), rows.vertex_count());
    for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
      ASSERT_EQ(quantized.count(v) == 0, rows.count(v) == 0);
      double sum = 0;
      const InfluenceRow row = quantized.row(v);
      for (std::size_t k = 0; k < row.joints.size(); ++k) {
        ASSERT_GT(row.weights[k], 0.0f);
        ASSERT_TRUE(k == 0 || row.weights[k] <= row.weights[k - 1]);
        sum += static_cast<double>(row.weights[k]);
      }
      ASSERT_NEAR(sum, rows.count(v) == 0 ? 0.0 : 1.0, 1e-6);
    }
  }
  EXPECT_EQ(quantized_influences(rows, WeightFormat::kPacked56).max_count(), 4u);
}

TEST(WeightFormats, BytesPerVertex) {
  // §15: four 8-bit pairs are 64 bits, with the last weight implied 56; 16-bit indices above 256 joints.
  EXPECT_EQ(influence_bytes_per_vertex(WeightFormat::kUnorm8, 4, 256) * 8, 64);
  EXPECT_EQ(influence_bytes_per_vertex(WeightFormat::kPacked56, 4, 256) * 8, 56);
  EXPECT_EQ(influence_bytes_per_vertex(WeightFormat::kUnorm8, 4, 257), 12);
  EXPECT_EQ(influence_bytes_per_vertex(WeightFormat::kUnorm16, 4, 64), 12);
  EXPECT_EQ(influence_bytes_per_vertex(WeightFormat::kFloat, 4, 64), 20);
  EXPECT_EQ(influence_bytes_per_vertex(WeightFormat::kUnorm8, 1, 64), 2);
  Influences rows;
  append_row(rows, std::vector<std::uint16_t>{3, 1, 2, 0}, std::vector<float>{0.4f, 0.3f, 0.2f, 0.1f});
  const PackedInfluences packed = pack_influences(rows, WeightFormat::kPacked56, 4);
  EXPECT_EQ(packed.indices, (std::vector<std::uint8_t>{3, 1, 2, 0}));
  EXPECT_EQ(packed.weights, (std::vector<std::uint8_t>{102, 77, 51}));  // 76.5 rounds up, 25 are implied
}

}  // namespace
}  // namespace pelt::mesh
