#include "measure/binding_score.h"
#include "bind/character_binding.h"

#include <cmath>
#include <filesystem>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/open.h"
#include "support/binding.h"
#include "support/fixtures.h"
#include "support/requirements.h"

namespace pelt::measure {
namespace {

using bind::Share;

/// What is scored: a problem, the artist's weights, poses.
struct ScoredCharacter {
  bind::CharacterProblem problem;
  bind::Rows truth;
  std::vector<BenchmarkPose> poses;
};

ScoredCharacter scored(const rig::Character& character) {
  bind::Request request;
  request.mean_tails = true;
  ScoredCharacter out;
  out.problem = *bind::make_problem(character, request);
  out.truth = bind::rows_of(character, out.problem);
  out.poses = benchmark_poses(character, out.problem);
  return out;
}

// Two triangles of a strip along x, two bones, one pose in which the second bone is lifted by 1.
ScoredCharacter strip() {
  ScoredCharacter out;
  bind::Problem& problem = out.problem.problem;
  problem.positions = {{0, 0, 0}, {3, 0, 0}, {0, 4, 0}, {3, 4, 0}};
  problem.triangles = {{0, 1, 2}, {1, 3, 2}};
  problem.bones = {test::bone_between({0, 0, 0}, {0, 4, 0}), test::bone_between({3, 0, 0}, {3, 4, 0})};
  finish(problem);
  out.problem.place = {0, 1, 2, 3, 3};  // the last place has two vertices
  const Share first[] = {{0, 1.0}};
  const Share second[] = {{1, 1.0}};
  out.truth.push(first);
  out.truth.push(second);
  out.truth.push(first);
  out.truth.push(second);
  BenchmarkPose pose;
  pose.bones = {glm::dmat4(1.0), glm::dmat4(1.0)};
  pose.bones[1][3] = {0, 0, 1, 1};
  pose.root = glm::dmat4(1.0);
  pose.root[3] = {0, 0, 2, 1};
  out.poses = {pose};
  return out;
}

bind::Rows rows_with_last(const ScoredCharacter& character, std::span<const Share> last) {
  bind::Rows rows;
  for (std::size_t w = 0; w + 1 < character.truth.size(); ++w) {
    rows.push(character.truth[w]);
  }
  rows.push(last);
  return rows;
}

TEST(BindingScore, TheArtistsWeightsScoreBest) {
  const ScoredCharacter character = strip();
  const BindingScore score = *score_binding(character.problem, character.truth, character.truth, character.poses);
  EXPECT_EQ(score.vertices, 5u);
  EXPECT_EQ(score.poses, 1u);
  EXPECT_EQ(score.unbound, 0u);
  EXPECT_EQ(score.rms, 0);
  EXPECT_EQ(score.l1_mean, 0);
  EXPECT_EQ(score.agreement, 1);
  EXPECT_EQ(score.precision, 1);
  EXPECT_EQ(score.recall, 1);
  EXPECT_EQ(score.strain_ratio, 1);
}

TEST(BindingScore, OnePlaceThatIsWrong) {
  const ScoredCharacter character = strip();
  const Share wrong[] = {{0, 0.75}, {1, 0.25}};
  const BindingScore score =
      *score_binding(character.problem, rows_with_last(character, wrong), character.truth, character.poses);
  // The diagonal is 5; two of five vertices are 0.75 too low.
  EXPECT_NEAR(score.rms, 100 * std::sqrt(2 * 0.75 * 0.75 / 5) / 5, 1e-9);
  EXPECT_NEAR(score.p95, 15, 1e-6);
  EXPECT_NEAR(score.l1_mean, 2 * 1.5 / 5, 1e-12);
  EXPECT_NEAR(score.l1_p95, 1.5, 1e-6);
  EXPECT_NEAR(score.agreement, 3.0 / 5, 1e-12);
  EXPECT_NEAR(score.precision, 5.0 / 7, 1e-12);
  EXPECT_EQ(score.recall, 1);
  // Of five edges two are stretched by sqrt(10) / 3 in the artist's pose, one of them still, and the diagonal by
  // sqrt(26) / 5.
  EXPECT_NEAR(score.strain_ratio, 1 - 0.004 * (1 - std::sqrt(26.0) / 5 * 3 / std::sqrt(10.0)), 1e-6);
}

TEST(BindingScore, WhatIsUnboundFollowsTheRootAndIsCounted) {
  const ScoredCharacter character = strip();
  const BindingScore score =
      *score_binding(character.problem, rows_with_last(character, {}), character.truth, character.poses);
  EXPECT_EQ(score.unbound, 2u);
  EXPECT_NEAR(score.rms, 100 * std::sqrt(2.0 / 5) / 5, 1e-9);
  EXPECT_NEAR(score.l1_mean, 2 * 2.0 / 5, 1e-12);
  EXPECT_NEAR(score.agreement, 3.0 / 5, 1e-12);
  EXPECT_NEAR(score.recall, 3.0 / 5, 1e-12);
}

TEST(BindingShape, StretchAndUnboundVerticesNeedNoOtherWeights) {
  const ScoredCharacter character = strip();
  const BindingShape shape = *measure_binding(character.problem, character.truth, character.poses);
  EXPECT_EQ(shape.vertices, 5u);
  EXPECT_EQ(shape.poses, 1u);
  EXPECT_EQ(shape.unbound, 0u);
  // Two edges of length 3 whose ends are 1 apart in height.
  EXPECT_NEAR(shape.stretch, std::sqrt(10.0) / 3, 1e-6);
  EXPECT_FALSE(shape.volume) << "a strip encloses nothing";
  const BindingShape unbound = *measure_binding(character.problem, rows_with_last(character, {}), character.poses);
  EXPECT_EQ(unbound.unbound, 2u);
  EXPECT_NEAR(unbound.stretch, std::sqrt(13.0) / 3, 1e-2) << "the root lifts it by 2";
}

TEST(BindingShape, VolumeIsThatOfThePoseThatChangesItMost) {
  for (const bool is_open : {false, true}) {
    ScoredCharacter character = strip();
    bind::Problem& problem = character.problem.problem;
    problem.positions = {{9, 0, 0}, {10, 0, 0}, {9, 1, 0}, {9, 0, 1}};
    problem.triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    if (is_open) {
      problem.triangles.pop_back();
    }
    finish(problem);
    character.problem.place = {0, 1, 2, 3};
    const Share first[] = {{0, 1.0}};
    const Share second[] = {{1, 1.0}};
    bind::Rows rows;
    for (int w = 0; w < 4; ++w) {
      rows.push(w == 3 ? second : first);
    }
    BenchmarkPose flatter = character.poses[0];
    flatter.bones[1][3] = {0, 0, -0.75, 1};
    character.poses.push_back(flatter);
    const BindingShape shape = *measure_binding(character.problem, rows, character.poses);
    ASSERT_TRUE(shape.volume);
    EXPECT_NEAR(*shape.volume, 2, 1e-5) << "twice as high in one pose, a quarter in the other";
  }
}

TEST(BindingShape, StopsWhenAskedTo) {
  const ScoredCharacter character = strip();
  EXPECT_FALSE(measure_binding(character.problem, character.truth, character.poses,
                               [](float, std::string_view) { return false; }));
}

TEST(BindingScore, FourWeightsCount) {
  ScoredCharacter character = strip();
  character.problem.problem.bones.resize(6, character.problem.problem.bones[0]);
  character.poses[0].bones.resize(6, glm::dmat4(1.0));
  const Share six[] = {{0, 0.05}, {1, 0.3}, {2, 0.05}, {3, 0.2}, {4, 0.2}, {5, 0.2}};
  const BindingScore score =
      *score_binding(character.problem, rows_with_last(character, six), character.truth, character.poses);
  EXPECT_NEAR(score.l1_mean, 2 * 2 * (1 - 0.3 / 0.9) / 5, 1e-12);
}

TEST(BindingScore, WhatTheArtistLeftUnboundDoesNotCount) {
  ScoredCharacter character = strip();
  character.truth = rows_with_last(character, {});
  const Share wrong[] = {{0, 1.0}};
  const BindingScore score =
      *score_binding(character.problem, rows_with_last(character, wrong), character.truth, character.poses);
  EXPECT_EQ(score.vertices, 3u);
  EXPECT_EQ(score.rms, 0);
}

TEST(BindingScore, StopsWhenAsked) {
  const ScoredCharacter character = strip();
  EXPECT_FALSE(score_binding(character.problem, character.truth, character.truth, character.poses,
                             [](float, std::string_view) { return false; }));
}

TEST(Percentile, InterpolatesBetweenNeighbours) {
  std::vector<float> values = {4, 1, 3, 2, 0};
  EXPECT_DOUBLE_EQ(percentile(values, 0), 0);
  EXPECT_DOUBLE_EQ(percentile(values, 0.5), 2);
  EXPECT_DOUBLE_EQ(percentile(values, 0.875), 3.5);
  EXPECT_DOUBLE_EQ(percentile(values, 1), 4);
  values.clear();
  EXPECT_EQ(percentile(values, 0.5), 0);
}

// The skin of a bundled character stands as bound where its bones do, and rest is a pose of no error.
TEST(BenchmarkPoses, RandomOnesTurnAboutThePivots) {
  const auto character = formats::open_character("@mannequin");
  ASSERT_TRUE(character);
  const ScoredCharacter mannequin = scored(*character);
  ASSERT_GE(mannequin.poses.size(), static_cast<std::size_t>(kRandomPoses));
  int far = 0;
  for (std::size_t i = mannequin.poses.size() - kRandomPoses; i < mannequin.poses.size(); ++i) {
    const BenchmarkPose& pose = mannequin.poses[i];
    for (std::size_t b = 0; b < pose.bones.size(); ++b) {
      const bind::Bone& bone = mannequin.problem.problem.bones[b];
      EXPECT_NEAR(std::abs(glm::determinant(glm::dmat3(pose.bones[b]))), 1, 1e-5);
      if (bone.parent < 0) {
        continue;
      }
      // A joint stays where the one above it has it.
      const glm::dvec4 pivot(bone.head, 1.0);
      EXPECT_LT(glm::length(pose.bones[b] * pivot - pose.bones[static_cast<std::size_t>(bone.parent)] * pivot), 1e-5)
          << b;
      const glm::dmat3 turn =
          glm::dmat3(pose.bones[b]) * glm::inverse(glm::dmat3(pose.bones[static_cast<std::size_t>(bone.parent)]));
      const double cosine = (turn[0][0] + turn[1][1] + turn[2][2] - 1) / 2;
      EXPECT_GT(cosine, -1e-5) << "at most 90 degrees";
      far += cosine < std::cos(glm::radians(30.001)) ? 1 : 0;
    }
  }
  EXPECT_GT(far, 10);
  EXPECT_LE(far, 2 * kRandomPoses);
}

// What others measured with the same definition: RMS of the nearest bone, and of d^-4 over four.
struct PublishedRow {
  const char* file;
  double nearest;
  double soft;
  double slack = 0.005;  ///< half of the last digit
  friend std::ostream& operator<<(std::ostream& out, const PublishedRow& row) { return out << row.file; }
};

class Published : public testing::TestWithParam<PublishedRow> {};

TEST_P(Published, FiguresComeOutAgain) {
  PELT_NEEDS_CORPUS(std::string("characters/") + GetParam().file);
  const std::string path = std::string(PELT_CORPUS_DIR) + "/characters/" + GetParam().file;
  const auto character = formats::open_character(path);
  ASSERT_TRUE(character) << character.error().message;
  const ScoredCharacter one = scored(*character);
  const auto rms = [&](double bones) {
    const bind::Binding binding = test::bound(one.problem.problem, "point-to-line", {{"bones", bones}});
    return score_binding(one.problem, binding.rows, one.truth, one.poses)->rms;
  };
  EXPECT_NEAR(rms(1), GetParam().nearest, GetParam().slack);
  EXPECT_NEAR(rms(4), GetParam().soft, GetParam().slack);
}

// Rigged_mesh has 490 places that are as far from the end of one bone as from the beginning of the next, so that
// rounding decides: the nearest bone gives 0.323 to 0.335. The zombie's 0.35 and 1.75, and the dragon's, are the ends
// of ranges over three characters.
INSTANTIATE_TEST_SUITE_P(Corpus, Published,
                         testing::Values(PublishedRow{"cesium_man.gltf", 0.47, 1.33},
                                         PublishedRow{"fox.glb", 1.58, 1.21}, PublishedRow{"knight.glb", 2.88, 2.99},
                                         PublishedRow{"mannequiny.glb", 0.42, 0.41},
                                         PublishedRow{"rigged_mesh.glb", 0.32, 0.28, 0.015},
                                         PublishedRow{"robot_player.glb", 3.38, 2.88},
                                         PublishedRow{"sintel.glb", 2.13, 1.72}, PublishedRow{"dragon.glb", 0.20, 0.14},
                                         PublishedRow{"zombie.glb", 0.35, 1.75, 0.02}),
                         [](const auto& row) {
                           const std::string name = row.param.file;
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
}  // namespace pelt::measure
