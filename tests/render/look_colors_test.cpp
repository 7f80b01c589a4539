#include "render/look_colors.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "support/fixtures.h"

namespace pelt::render {
namespace {

void expect_color(const glm::vec4& actual, const glm::vec3& expected, float alpha = 1) {
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(actual[c], expected[c], 1e-6f);
  }
  EXPECT_NEAR(actual.a, alpha, 1e-6f);
}

// Isolines are drawn of the alpha.
void expect_weight(const glm::vec4& actual, float weight) {
  expect_color(actual, weight > 0 ? sequential_ramp(weight) : kLookZero, weight);
}

/// OKLab lightness, Ottosson 2020.
float lightness(const glm::vec3& rgb) {
  const float l = std::cbrt(0.4122214708f * rgb.r + 0.5363325363f * rgb.g + 0.0514459929f * rgb.b);
  const float m = std::cbrt(0.2119034982f * rgb.r + 0.6806995451f * rgb.g + 0.1073969566f * rgb.b);
  const float s = std::cbrt(0.0883024619f * rgb.r + 0.2817188376f * rgb.g + 0.6299787005f * rgb.b);
  return 0.2104542553f * l + 0.7936177850f * m - 0.0040720468f * s;
}

glm::vec2 chroma(const glm::vec3& rgb) {
  const float l = std::cbrt(0.4122214708f * rgb.r + 0.5363325363f * rgb.g + 0.0514459929f * rgb.b);
  const float m = std::cbrt(0.2119034982f * rgb.r + 0.6806995451f * rgb.g + 0.1073969566f * rgb.b);
  const float s = std::cbrt(0.0883024619f * rgb.r + 0.2817188376f * rgb.g + 0.6299787005f * rgb.b);
  return {1.9779984951f * l - 2.4285922050f * m + 0.4505937099f * s,
          0.0259040371f * l + 0.7827717662f * m - 0.8086757660f * s};
}

/// Four vertices on two joints: (1), (0.25, 0.75), nothing, and (0.3, 0.3) as stored, which sums to 0.6.
rig::Character four_vertices() {
  rig::Character character = test::elbow();
  mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
  primitive.positions = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
  primitive.indices = {0, 1, 2, 3};
  primitive.influences = {};
  const std::uint16_t joints[] = {0, 1};
  const float first[] = {1.0f, 0.0f};
  const float second[] = {0.25f, 0.75f};
  const float none[] = {0.0f, 0.0f};
  const float short_sum[] = {0.3f, 0.3f};
  mesh::append_row(primitive.influences.edit(), joints, first);
  mesh::append_row(primitive.influences.edit(), joints, second);
  mesh::append_row(primitive.influences.edit(), joints, none);
  mesh::append_row(primitive.influences.edit(), joints, short_sum);
  return character;
}

std::vector<glm::vec4> colors(const rig::Character& character, Look look, int joint = -1,
                              const deform::SkinningSettings& settings = {}) {
  ViewSettings view;
  view.look = look;
  view.weight_joint = joint;
  return look_colors(character, 0, view, settings);
}

TEST(LookColors, RampGrowsLighterEvenlyFrom036To095) {
  EXPECT_NEAR(lightness(sequential_ramp(0.0f)), 0.36f, 0.005f);
  EXPECT_NEAR(lightness(sequential_ramp(1.0f)), 0.95f, 0.005f);
  float before = lightness(sequential_ramp(0.0f));
  for (int i = 1; i <= 60; ++i) {
    const float now = lightness(sequential_ramp(static_cast<float>(i) / 60.0f));
    EXPECT_GT(now - before, 0.5f * 0.59f / 60.0f) << i;
    EXPECT_LT(now - before, 1.6f * 0.59f / 60.0f) << i;
    before = now;
  }
  EXPECT_EQ(sequential_ramp(-3.0f), sequential_ramp(0.0f));
  EXPECT_EQ(sequential_ramp(7.0f), sequential_ramp(1.0f));
}

TEST(LookColors, DivergingRampIsEquallyDarkOnBothSides) {
  EXPECT_GT(lightness(diverging_ramp(0.0f)), 0.85f);
  EXPECT_LT(glm::length(chroma(diverging_ramp(0.0f))), 0.01f);
  for (const float value : {0.1f, 0.5f, 1.0f}) {
    EXPECT_NEAR(lightness(diverging_ramp(value)), lightness(diverging_ramp(-value)), 0.08f);
    EXPECT_GT(diverging_ramp(value).r, diverging_ramp(value).b);
    EXPECT_LT(diverging_ramp(-value).r, diverging_ramp(-value).b);
  }
}

TEST(LookColors, CountsDifferInLightnessFromTheirNeighbours) {
  for (int count = 1; count < kLookCounts; ++count) {
    EXPECT_GT(std::abs(lightness(count_color(count)) - lightness(count_color(count - 1))), 0.09f) << count;
  }
  EXPECT_EQ(count_color(8), count_color(30));
}

TEST(LookColors, NeighbouringJointsAndBatchesAreFarApart) {
  for (int i = 0; i < 200; ++i) {
    for (const int step : {1, 2}) {
      EXPECT_GT(
          glm::distance(chroma(linear_from_srgb(joint_color(i))), chroma(linear_from_srgb(joint_color(i + step)))),
          0.1f)
          << i << " and " << i + step;
      EXPECT_GT(
          glm::distance(chroma(linear_from_srgb(batch_color(i))), chroma(linear_from_srgb(batch_color(i + step)))),
          0.1f)
          << i << " and " << i + step;
    }
  }
}

TEST(LookColors, SrgbOfAFifthIs0484) {
  EXPECT_NEAR(srgb_from_linear(glm::vec3(0.2f)).r, 0.48453f, 1e-4f);
  EXPECT_NEAR(srgb_from_linear(glm::vec3(0.001f)).g, 0.01292f, 1e-6f);
  for (const float x : {0.0f, 0.001f, 0.04f, 0.5f, 1.0f}) {
    EXPECT_NEAR(linear_from_srgb(srgb_from_linear(glm::vec3(x))).b, x, 1e-5f);
  }
}

TEST(LookColors, WeightsOfOneJoint) {
  const rig::Character character = four_vertices();
  const std::vector<glm::vec4> of_forearm = colors(character, Look::kWeights, 1);
  ASSERT_EQ(of_forearm.size(), 4u);
  expect_weight(of_forearm[0], 0);
  expect_weight(of_forearm[1], 0.75f);
  expect_weight(of_forearm[2], 0);
  expect_weight(of_forearm[3], 0.5f);
  // As stored, 0.3 of 0.6.
  expect_weight(colors(character, Look::kWeights, 1, {.weights_as_stored = true})[3], 0.3f);
  // Limited to one influence, the heavier joint has it all.
  expect_weight(colors(character, Look::kWeights, 1, {.influence_limit = 1})[1], 1);
  // Node 2 carries the mesh and is in no skin.
  expect_weight(colors(character, Look::kWeights, 2)[0], 0);
}

TEST(LookColors, WeightsGoThroughTheSkinsJointList) {
  rig::Character character = four_vertices();
  std::vector<int>& joints = character.skins.edit(0).joints;
  std::swap(joints[0], joints[1]);
  expect_weight(colors(character, Look::kWeights, 1)[1], 0.25f);
}

TEST(LookColors, AllJointsBlendByWeightInLinearLight) {
  const rig::Character character = four_vertices();
  const std::vector<glm::vec4> all = colors(character, Look::kWeights);
  const glm::vec3 upper = linear_from_srgb(joint_color(0));
  const glm::vec3 fore = linear_from_srgb(joint_color(1));
  expect_color(all[0], upper);
  expect_color(all[1], 0.25f * upper + 0.75f * fore);
  expect_color(all[2], kLookNoInfluence);
  expect_color(all[3], 0.5f * upper + 0.5f * fore);
}

TEST(LookColors, CountsAndSums) {
  const rig::Character character = four_vertices();
  const std::vector<glm::vec4> counts = colors(character, Look::kInfluences);
  expect_color(counts[0], count_color(1));
  expect_color(counts[1], count_color(2));
  expect_color(counts[2], count_color(0));
  expect_color(colors(character, Look::kInfluences, -1, {.influence_limit = 1})[1], count_color(1));
  const std::vector<glm::vec4> sums = colors(character, Look::kWeightSum);
  expect_color(sums[0], diverging_ramp(0.0f));
  expect_color(sums[2], diverging_ramp(-1.0f));
  expect_color(sums[3], diverging_ramp(-1.0f));  // 0.6 - 1 is eight times the range
}

TEST(LookColors, PartsWithoutInfluencesAreGrey) {
  rig::Character character = four_vertices();
  character.meshes.edit(0).primitives.edit(0).influences = {};
  for (const Look look : {Look::kWeights, Look::kInfluences, Look::kWeightSum}) {
    for (const glm::vec4& color : colors(character, look, 0)) {
      expect_color(color, kLookNoInfluence);
    }
  }
}

TEST(LookColors, LooksWithoutHeatMapNeedNone) {
  const rig::Character character = four_vertices();
  for (const Look look : {Look::kShaded, Look::kClay, Look::kBatches, Look::kNormals}) {
    EXPECT_TRUE(colors(character, look).empty());
  }
}

TEST(LookColors, DifferencesAreLogarithmicFrom1eMinus8To1eMinus4OfTheDiagonal) {
  EXPECT_EQ(difference_level(0.0f, 2.0f), 0.0f);
  EXPECT_EQ(difference_level(1e-9f, 2.0f), 0.0f);
  EXPECT_NEAR(difference_level(2e-8f, 2.0f), 0.0f, 1e-5f);
  EXPECT_NEAR(difference_level(2e-6f, 2.0f), 0.5f, 1e-5f);
  EXPECT_NEAR(difference_level(2e-5f, 2.0f), 0.75f, 1e-5f);
  EXPECT_EQ(difference_level(1.0f, 2.0f), 1.0f);
  EXPECT_EQ(difference_level(std::numeric_limits<float>::infinity(), 2.0f), 1.0f);
}

TEST(LookColors, DifferenceOfTwoDeformations) {
  const rig::Character character = four_vertices();
  deform::DeformedCharacter a;
  a.parts.resize(1);
  a.parts[0].positions = {{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {1, 2, 2}};
  a.bounds = bounds_of(a.parts[0].positions);  // diagonal 3
  deform::DeformedCharacter b = a;
  b.parts[0].positions[1].y += 3e-6f;
  b.parts[0].positions[3].x = std::numeric_limits<float>::quiet_NaN();
  const DifferenceMap map = backend_difference(a, b);
  EXPECT_NEAR(map.diagonal, 3.0f, 1e-6f);
  ViewSettings view;
  view.look = Look::kDifference;
  const std::vector<glm::vec4> shown =
      look_colors(character, 0, view, {}, &map, difference_scale(std::array{&map}, view.compare));
  expect_color(shown[0], kLookZero);
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(shown[1][c], sequential_ramp(0.5f)[c], 1e-4f);
  }
  expect_color(shown[3], sequential_ramp(1.0f));
  expect_color(look_colors(character, 0, view, {})[0], kLookZero);
}

}  // namespace
}  // namespace pelt::render
