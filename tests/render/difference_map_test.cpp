#include "render/difference_map.h"

#include <array>

#include <gtest/gtest.h>

#include "measure/surface.h"
#include "render/look_colors.h"
#include "support/fixtures.h"

namespace pelt::render {
namespace {

TEST(DifferenceMap, RangesAreRoundedUpToOneTwoTwoAndAHalfFive) {
  for (const auto& [value, expected] : std::array<std::pair<float, float>, 9>{{{0.9f, 1.0f},
                                                                               {22.3f, 25.0f},
                                                                               {1.0f, 1.0f},
                                                                               {1.1f, 2.0f},
                                                                               {2.6f, 5.0f},
                                                                               {5.1f, 10.0f},
                                                                               {0.003f, 0.005f},
                                                                               {37, 50},
                                                                               {0, 0}}}) {
    EXPECT_NEAR(round_up_nicely(value), expected, 1e-6f * expected) << value;
  }
}

TEST(DifferenceMap, OneScaleForAllPanesInShownUnits) {
  DifferenceMap small;
  small.highest = 0.0031f;  // metres: 3.1 mm
  small.diagonal = 2;
  DifferenceMap large = small;
  large.highest = 0.0123f;
  Compare compare;
  compare.reference = Reference::kBindShape;
  const DifferenceScale scale = difference_scale(
      std::array{static_cast<const DifferenceMap*>(&small), static_cast<const DifferenceMap*>(&large)}, compare);
  EXPECT_NEAR(scale.end, 0.020f, 1e-7f) << "20 mm";
  EXPECT_FALSE(scale.logarithmic);
  EXPECT_NEAR(difference_level(scale, 0.005f), 0.25f, 1e-5f);
  EXPECT_EQ(difference_level(scale, 1.0f), 1.0f);
  compare.range = 0.1f;
  EXPECT_EQ(difference_scale({}, compare).end, 0.1f) << "the user's";
  compare.reference = Reference::kOtherBackend;
  EXPECT_FALSE(difference_scale({}, compare).logarithmic);
  compare.range = 0;
  EXPECT_TRUE(difference_scale({}, compare).logarithmic);
}

TEST(DifferenceMap, RoundingAloneIsNoDifference) {
  DifferenceMap map;
  map.diagonal = 2;
  Compare compare;
  compare.reference = Reference::kPane;
  const auto end_of = [&](float highest) {
    map.highest = highest;
    return difference_scale(std::array{static_cast<const DifferenceMap*>(&map)}, compare).end;
  };
  EXPECT_EQ(end_of(0), 0);
  EXPECT_EQ(end_of(2 * kLookRounding), 0) << "of the diagonal";
  EXPECT_GT(end_of(2.1f * kLookRounding), 0);
  compare.measure = measure::Measure::kEdgeStrain;
  EXPECT_EQ(end_of(kLookRounding), 0);
  EXPECT_EQ(difference_color(difference_scale({}, compare), 1e-7f), diverging_ramp(0.0f));
  compare.measure = measure::Measure::kNormalAngle;
  EXPECT_NEAR(end_of(2.2f), 3.14159265f, 1e-6f) << "126 degrees: not up to 200";
}

TEST(DifferenceMap, DivergingMeasuresEndAtTheLargerSide) {
  DifferenceMap map;
  map.measure = measure::Measure::kAreaStrain;
  map.lowest = -0.8f;
  map.highest = 0.1f;
  Compare compare;
  compare.measure = measure::Measure::kAreaStrain;
  compare.reference = Reference::kBindShape;
  const DifferenceScale scale = difference_scale(std::array{static_cast<const DifferenceMap*>(&map)}, compare);
  EXPECT_NEAR(scale.end, 1.0f, 1e-6f) << "80 % rounds up to 100 %";
  EXPECT_NEAR(difference_level(scale, -0.5f), -0.5f, 1e-6f);
  EXPECT_EQ(difference_color(scale, 0.0f), diverging_ramp(0.0f));
  EXPECT_EQ(difference_color(scale, -1.0f), diverging_ramp(-1.0f));
  EXPECT_EQ(difference_color(scale, 2.0f), diverging_ramp(1.0f));
}

TEST(DifferenceMap, ProbesReadVerticesAndPointsOfTriangles) {
  const rig::Character character = test::cylinder();
  const deform::DeformedCharacter bound = measure::bind_shape(character);
  deform::DeformedCharacter moved = bound;
  for (std::size_t v = 0; v < moved.parts[0].positions.size(); ++v) {
    moved.parts[0].positions[v].x += 0.001f * bound.parts[0].positions[v].y;  // a shear: linear over each triangle
  }
  const measure::SurfaceField field(character, measure::Measure::kDistance);
  const DifferenceMap map = difference_map(field, measure::Measure::kDistance, moved, bound);
  const std::vector<std::uint32_t>& indices = character.primitive(character.parts[0]).indices;
  const auto y = [&](std::size_t corner) { return bound.parts[0].positions[indices[3 * 7 + corner]].y; };
  EXPECT_NEAR(*value_at(map, 0, static_cast<int>(indices[21])), 0.001f * std::abs(y(0)), 1e-6f);
  EXPECT_NEAR(*value_at(map, character, 0, 7, {0.2f, 0.3f, 0.5f}),
              0.001f * (0.2f * std::abs(y(0)) + 0.3f * std::abs(y(1)) + 0.5f * std::abs(y(2))), 1e-6f);
  EXPECT_FALSE(value_at(map, 1, 0));
  EXPECT_FALSE(value_at(map, 0, 1'000'000));
  EXPECT_FALSE(value_at(map, character, 0, 1'000'000, {1, 0, 0}));
}

TEST(DifferenceMap, TextHasTheUnitOfTheMeasure) {
  EXPECT_EQ(difference_text(measure::Measure::kDistance, 0.00124f, 1.77f), "1.24 mm, 0.0701 % of the diagonal");
  EXPECT_EQ(difference_text(measure::Measure::kDistance, 1e-7f, 2), "0.0001 mm, 0.000005 % of the diagonal");
  EXPECT_EQ(short_number(-1.234e-6), "-0.00000123") << "no exponent";
  EXPECT_EQ(difference_text(measure::Measure::kEdgeStrain, -0.125f, 1), "-12.5 %");
  EXPECT_EQ(difference_text(measure::Measure::kVolumeChange, 0.05f, 1), "+5 %");
  EXPECT_EQ(difference_text(measure::Measure::kNormalAngle, 0.5235987756f, 1), "30\u00b0");
}

}  // namespace
}  // namespace pelt::render
