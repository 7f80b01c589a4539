#include "render/legend.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "render/look_colors.h"
#include "support/fixtures.h"

namespace pelt::render {
namespace {

Legend legend_of(Look look, int joint = -1, int batches = 0) {
  ViewSettings view;
  view.look = look;
  view.weight_joint = joint;
  std::vector<BatchInfo> rows;
  for (int batch = 0; batch < batches; ++batch) {
    rows.push_back({.part = 0, .batch = batch, .joints = 1, .triangles = 1, .vertices = 3});
  }
  return legend(test::elbow(), view, rows);
}

void expect_color(const glm::vec3& actual, const glm::vec3& expected) {
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(actual[c], expected[c], 1e-5f);
  }
}

/// The legend's colour, mixed as a reader of the legend does.
glm::vec3 at(const Legend& legend, float position) {
  std::size_t i = 1;
  while (legend.ramp[i].at < position) {
    ++i;
  }
  const Legend::Stop& a = legend.ramp[i - 1];
  const Legend::Stop& b = legend.ramp[i];
  return glm::mix(a.color, b.color, (position - a.at) / (b.at - a.at));
}

TEST(Legend, TheCharactersOwnColoursNeedNone) {
  EXPECT_TRUE(legend_of(Look::kShaded).empty());
  EXPECT_TRUE(legend_of(Look::kClay).empty());
}

TEST(Legend, MarksWhereIsolinesAre) {
  const rig::Character character = test::elbow();
  ViewSettings view;
  for (const Look look : {Look::kWeights, Look::kMask}) {
    view.look = look;
    view.weight_joint = 1;
    view.isolines = false;
    EXPECT_TRUE(legend(character, view).lines.empty());
    view.isolines = true;
    const std::vector<float> lines = legend(character, view).lines;
    ASSERT_EQ(lines.size(), 9u);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      EXPECT_NEAR(lines[i], 0.1f * static_cast<float>(i + 1), 1e-6f);
    }
    const std::vector<Legend::Entry> entries = legend(character, view).entries;
    ASSERT_EQ(entries.size(), 1u) << "what is not moved at all";
    EXPECT_EQ(entries[0].color, srgb_from_linear(look == Look::kMask ? kLookMaskZero : kLookZero));
  }
  view.weight_joint = -1;
  EXPECT_TRUE(legend(character, view).lines.empty()) << "those of all joints have none";
}

TEST(Legend, WeightsOfAJointNameItAndRunFrom0To1) {
  const Legend weights = legend_of(Look::kWeights, 1);
  EXPECT_EQ(weights.title, "Weight of forearm");
  EXPECT_EQ(weights.unit, "");
  ASSERT_EQ(weights.ticks.size(), 5u);
  EXPECT_EQ(weights.ticks[3].label, "0.75");
  EXPECT_EQ(weights.ticks[3].at, 0.75f);
  for (int i = 0; i <= 100; ++i) {
    const float weight = static_cast<float>(i) / 100.0f;
    const glm::vec3 shown = at(weights, weight);
    const glm::vec3 drawn = srgb_from_linear(sequential_ramp(weight));
    for (int c = 0; c < 3; ++c) {
      EXPECT_NEAR(shown[c], drawn[c], 2.0f / 255.0f) << weight;
    }
  }
  ASSERT_EQ(weights.entries.size(), 1u) << "what is not moved at all";
  expect_color(weights.entries[0].color, srgb_from_linear(kLookZero));
}

TEST(Legend, FewJointsAreListedByName) {
  const Legend all = legend_of(Look::kWeights);
  EXPECT_TRUE(all.ramp.empty());
  ASSERT_EQ(all.entries.size(), 2u);
  EXPECT_EQ(all.entries[0].label, "upper_arm");
  expect_color(all.entries[1].color, joint_color(1));
  ViewSettings view;
  view.look = Look::kWeights;
  EXPECT_TRUE(legend(test::strip100(), view).entries.empty()) << "a hundred are not";
}

TEST(Legend, CountsAreNineColours) {
  const Legend counts = legend_of(Look::kInfluences);
  ASSERT_EQ(counts.entries.size(), 9u);
  EXPECT_EQ(counts.entries[0].label, "0");
  EXPECT_EQ(counts.entries[8].label, "8+");
  expect_color(counts.entries[4].color, srgb_from_linear(count_color(4)));
}

TEST(Legend, WeightSumTicksMatchTheRamp) {
  const Legend sums = legend_of(Look::kWeightSum);
  ASSERT_EQ(sums.ticks.size(), 5u);
  EXPECT_EQ(sums.ticks[0].label, "-0.05");
  EXPECT_EQ(sums.ticks[1].label, "-0.0125");
  EXPECT_EQ(sums.ticks[2].label, "0");
  expect_color(at(sums, sums.ticks[1].at), srgb_from_linear(diverging_ramp(-0.0125f / kLookSumRange)));
  expect_color(at(sums, sums.ticks[2].at), srgb_from_linear(diverging_ramp(0.0f)));
  expect_color(at(sums, sums.ticks[4].at), srgb_from_linear(diverging_ramp(1.0f)));
}

TEST(Legend, DifferenceTicksMatchTheRamp) {
  const Legend difference = legend_of(Look::kDifference);
  EXPECT_EQ(difference.unit, "of the diagonal");
  for (const Legend::Tick& tick : difference.ticks) {
    EXPECT_NEAR(difference_level(std::stof(tick.label) * 3.0f, 3.0f), tick.at, 1e-5f) << tick.label;
  }
}

TEST(Legend, WithoutADifferenceThereIsNothingToReadOff) {
  ViewSettings view;
  view.look = Look::kDifference;
  view.compare.reference = Reference::kPane;
  for (const measure::Measure measure : {measure::Measure::kDistance, measure::Measure::kAreaStrain}) {
    const DifferenceScale scale{.measure = measure, .end = 0};
    const Legend none = legend(test::elbow(), view, {}, scale);
    EXPECT_TRUE(none.ramp.empty() && none.ticks.empty() && none.unit.empty());
    ASSERT_EQ(none.entries.size(), 1u);
    EXPECT_EQ(none.entries[0].label, "no difference");
    expect_color(none.entries[0].color, srgb_from_linear(difference_color(scale, 0)));
  }
}

TEST(Legend, BatchesAreListedWhileTheyAreFew) {
  const Legend three = legend_of(Look::kBatches, -1, 3);
  EXPECT_EQ(three.title, "Palette batches (3)");
  ASSERT_EQ(three.entries.size(), 3u);
  expect_color(three.entries[2].color, batch_color(2));
  EXPECT_TRUE(legend_of(Look::kBatches, -1, 40).entries.empty());
}

TEST(Legend, C12_RigidBatchesHaveTheColoursOfTheirJoints) {
  ViewSettings view;
  view.look = Look::kBatches;
  std::vector<BatchInfo> rows = {{.part = 0, .batch = 0, .joints = 2, .triangles = 8, .vertices = 9},
                                 {.part = 0, .batch = 1, .joints = 1, .triangles = 8, .vertices = 9, .rigid_slot = 1}};
  const rig::Character cylinder = test::cylinder();
  const Legend two = legend(cylinder, view, rows);
  ASSERT_EQ(two.entries.size(), 2u);
  EXPECT_EQ(two.entries[0].label, "several joints");
  expect_color(two.entries[0].color, srgb_from_linear(kLookSkinnedRest));
  EXPECT_EQ(two.entries[1].label, "tip");
  expect_color(two.entries[1].color, joint_color(1));

  const rig::Character strip = test::strip100();
  for (int slot = 2; slot < 40; ++slot) {
    rows.push_back({.part = 0, .batch = slot, .joints = 1, .triangles = 1, .vertices = 3, .rigid_slot = slot});
  }
  const Legend many = legend(strip, view, rows);
  ASSERT_EQ(many.entries.size(), 1u) << "forty joints are not listed, the rest is";
  EXPECT_EQ(many.entries[0].label, "several joints");
}

/// Three parts: two skinned meshes and one that hangs on a node.
rig::Character three_parts() {
  rig::Character character = test::elbow();
  character.parts.push_back(character.parts[0]);
  character.parts.push_back({.mesh_node = 0, .joint = 1, .mesh = 0, .primitive = 0, .skin = -1});
  return character;
}

TEST(Legend, BatchesOfAllPartsHaveNumbersAndColoursOfTheirOwn) {
  const rig::Character character = three_parts();
  const std::vector<BatchInfo> rows = {{.part = 0, .batch = 0, .joints = 2, .triangles = 8, .vertices = 9},
                                       {.part = 1, .batch = 1, .joints = 2, .triangles = 8, .vertices = 9},
                                       {.part = 1, .batch = 2, .joints = 2, .triangles = 8, .vertices = 9}};
  ViewSettings view;
  view.look = Look::kBatches;
  const Legend shown = legend(character, view, rows);
  ASSERT_EQ(shown.entries.size(), 4u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(shown.entries[i].label, std::to_string(i));
    expect_color(shown.entries[i].color, batch_color(static_cast<int>(i)));
  }
  EXPECT_EQ(shown.entries[3].label, "forearm") << "which the part without a skin follows";
  expect_color(shown.entries[3].color, joint_color(1));

  const std::vector<BatchLook> looks = batch_looks(character, rows);
  ASSERT_EQ(looks.size(), 4u);
  for (std::size_t i = 0; i < looks.size(); ++i) {
    EXPECT_EQ(looks[i].part, i < rows.size() ? rows[i].part : 2);
    expect_color(looks[i].color, shown.entries[i].color);
  }
}

TEST(Legend, PartsThatTheCpuSkinsAreNumberedBehindTheBatches) {
  const rig::Character character = three_parts();
  const std::vector<BatchInfo> rows = {{.part = 1, .batch = 0, .joints = 2, .triangles = 8, .vertices = 9}};
  const std::vector<BatchLook> looks = batch_looks(character, rows);
  ASSERT_EQ(looks.size(), 3u);
  EXPECT_EQ(looks[0].label, "1");
  EXPECT_EQ(looks[1].label, "0");
  ViewSettings view;
  view.look = Look::kBatches;
  EXPECT_EQ(legend(character, view).title, "Palette batches (none)");
  ASSERT_EQ(legend(character, view).entries.size(), 3u);
  EXPECT_EQ(legend(character, view).entries[1].label, "1");
}

TEST(Legend, ManyRigidPartsAreNotListed) {
  rig::Character strip = test::strip100();
  strip.parts.clear();
  for (int joint = 0; joint < 20; ++joint) {
    strip.parts.push_back({.mesh_node = 0, .joint = joint, .mesh = 0, .primitive = 0, .skin = -1});
  }
  ViewSettings view;
  view.look = Look::kBatches;
  const Legend many = legend(strip, view);
  EXPECT_TRUE(many.entries.empty());
  EXPECT_EQ(many.title, "Palette batches (none), rigid parts in their joint's colour");
  strip.parts.push_back({.mesh_node = 0, .joint = 0, .mesh = 0, .primitive = 0, .skin = 0});
  const std::vector<BatchInfo> rows = {{.part = 20, .batch = 0, .joints = 2, .triangles = 8, .vertices = 9}};
  const Legend mixed = legend(strip, view, rows);
  ASSERT_EQ(mixed.entries.size(), 1u) << "the batches are";
  EXPECT_EQ(mixed.entries[0].label, "0");
  EXPECT_EQ(mixed.title, "Palette batches (1), rigid parts in their joint's colour");
}

TEST(Legend, PartsWithoutSkinAreExplained) {
  rig::Character character = test::elbow();
  character.meshes.edit(0).primitives.edit(0).influences = {};
  ViewSettings view;
  view.look = Look::kInfluences;
  EXPECT_EQ(legend(character, view).entries.back().label, "no skin");
}

}  // namespace
}  // namespace pelt::render
