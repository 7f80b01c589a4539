// A few vertices alone are where the whole shape has them.
#include "deform/vertex_sample.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "deform/skinning_methods.h"
#include "support/fixtures.h"
#include "support/two_skins.h"

namespace pelt::deform {
namespace {

using Choices = std::vector<VertexChoice>;

std::vector<glm::mat4> world_of_sampled(const rig::Character& character, const rig::Pose& pose) {
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  return world.world();
}

// Largest distance between the sample and the whole shape under all methods that can be sampled.
double error_of(VertexSample& sample, const rig::Character& character, const rig::Pose& pose, SkinningSettings settings,
                int* compared = nullptr) {
  double error = 0;
  for (int method = 0; method < static_cast<int>(skinning_methods().size()); ++method) {
    settings.method = method;
    if (!VertexSample::covers(settings)) {
      continue;
    }
    const DeformedCharacter whole = deform_once(character, pose, settings);
    const DeformedCharacter& few = sample.deform(character, pose, world_of_sampled(character, pose), settings);
    for (std::size_t i = 0; i < sample.choices().size(); ++i) {
      const VertexChoice& choice = sample.choices()[i];
      for (std::size_t k = 0; k < choice.vertices.size(); ++k) {
        const glm::vec3 there = whole.parts[choice.part].positions[choice.vertices[k]];
        error = std::max(error, static_cast<double>(glm::distance(few.parts[i].positions[k], there)));
        *(compared != nullptr ? compared : &method) += compared != nullptr ? 1 : 0;
      }
    }
  }
  return error;
}

TEST(VertexSample, IsWhereTheWholeShapeIs) {
  test::Random random(8);
  int compared = 0;
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    rig::Character character = test::random_rig({.seed = seed, .morph_targets = 2, .scaled = seed % 2 == 0});
    // A single vertex: no joint but its own would be followed without the others.
    VertexSample sample(Choices{{0, {static_cast<std::uint32_t>(random.below(200))}}});
    VertexSample more(Choices{{0, {0, 7, 8, 150, 199}}});
    for (const SkinningSettings& settings :
         {SkinningSettings{}, SkinningSettings{.influence_limit = 2}, SkinningSettings{.weights_as_stored = true}}) {
      const rig::Pose pose = test::random_pose(character, random, 0.8, 0.1f, 0.2f);
      EXPECT_LT(error_of(sample, character, pose, settings, &compared), 2e-6) << seed;
      EXPECT_LT(error_of(more, character, pose, settings, &compared), 2e-6) << seed;
    }
    // An edit of weights is followed.
    const std::array<std::uint16_t, 1> joint = {3};
    const std::array<float, 1> one = {1.0f};
    character.meshes.edit(0).primitives.edit(0).influences.edit().set_row(7, joint, one);
    EXPECT_LT(error_of(more, character, test::random_pose(character, random, 0.8), {}, &compared), 2e-6) << seed;
  }
  EXPECT_GT(compared, 300);
}

TEST(VertexSample, OfSeveralPartsAndSkins) {
  test::Random random(9);
  const rig::Character character = test::two_skins();
  VertexSample sample(Choices{{0, {3, 1000}}, {1, {0, 1313}}});
  EXPECT_LT(error_of(sample, character, test::random_pose(character, random, 0.5), {}), 2e-6);
}

TEST(VertexSample, WhatNeedsTheMeshIsNotCovered) {
  EXPECT_TRUE(VertexSample::covers({.method = find_method("dqs")}));
  EXPECT_FALSE(VertexSample::covers({.method = find_method("delta-mush")}));
  EXPECT_FALSE(VertexSample::covers({.method = find_method("cor")}));
}

}  // namespace
}  // namespace pelt::deform
