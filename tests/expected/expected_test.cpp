// The whole way from file to deformed shape against numbers made by an independent implementation: import, clip or
// override, kinematics, morphs, skinning.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <numbers>
#include <set>

#include <gtest/gtest.h>

#include "deform/deform.h"
#include "gltf/import.h"
#include "rig/kinematics.h"
#include "support/expected.h"
#include "support/requirements.h"

namespace pelt {
namespace {

// Of the bounding-box diagonal. The reference is rounded to six digits, which costs up to 5e-6 of a coordinate.
constexpr double kPositionTolerance = 2e-5;
constexpr double kNormalTolerance = 0.1 * std::numbers::pi / 180;

glm::dvec3 triple(const nlohmann::json& numbers, std::size_t k) {
  return {numbers[3 * k].get<double>(), numbers[3 * k + 1].get<double>(), numbers[3 * k + 2].get<double>()};
}

double angle_between(const glm::dvec3& a, const glm::dvec3& b) {
  return std::atan2(glm::length(glm::cross(a, b)), glm::dot(a, b));
}

// Largest difference of two affine matrices: of the linear part relative to its own size, of the translation relative
// to its own size or the model's.
double matrix_difference(const glm::dmat4& actual, const glm::dmat4& expected, double diagonal) {
  double size = 0;
  double linear = 0;
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r) {
      size = std::max(size, std::abs(expected[c][r]));
      linear = std::max(linear, std::abs(actual[c][r] - expected[c][r]));
    }
  }
  const double shift = glm::length(glm::dvec3(actual[3]) - glm::dvec3(expected[3]));
  return std::max(linear / size, shift / std::max(diagonal, glm::length(glm::dvec3(expected[3]))));
}

class Expected : public testing::TestWithParam<test::ExpectedFile> {};

TEST_P(Expected, EveryPoseAgrees) {
  PELT_NEEDS_CORPUS("expected");
  const nlohmann::json expected = test::load_expected(GetParam().name);
  ASSERT_TRUE(expected.is_object()) << "unreadable reference";
  ASSERT_EQ(expected["format"], "skin-expected/1");
  const std::string file = expected["file"];
  Result<rig::Character> imported = gltf::import_file(test::corpus_dir() / file, {.decode_images = false});
  ASSERT_TRUE(imported.has_value()) << imported.error().message;
  const rig::Character& character = *imported;
  const nlohmann::json& primitives = expected["primitives"];
  ASSERT_EQ(character.parts.size(), primitives.size());
  for (std::size_t p = 0; p < primitives.size(); ++p) {
    const rig::Part& part = character.parts[p];
    EXPECT_EQ(character.skeleton->source_node[part.joint], primitives[p]["node"]);
    EXPECT_EQ(part.mesh, primitives[p]["mesh"]);
    EXPECT_EQ(part.primitive, primitives[p]["primitive"]);
    EXPECT_EQ(part.skin, primitives[p]["skin"]);
    EXPECT_EQ(character.primitive(part).vertex_count(), primitives[p]["vertexCount"].get<std::size_t>());
    EXPECT_EQ(character.primitive(part).morph_targets.size(), primitives[p]["morphTargets"].get<std::size_t>());
  }

  const auto every = expected["every"].get<std::size_t>();
  const double diagonal = expected["bboxDiagonal"];
  deform::SkinningSettings settings;
  settings.weights_as_stored = expected["weights"] == "as stored";
  deform::CpuDeformer deformer;
  deform::DeformedCharacter out;
  double worst = 0;
  double worst_normal = 0;
  double worst_matrix = 0;
  for (std::size_t i = 0; i < expected["poses"].size(); ++i) {
    const rig::Pose pose = test::expected_pose(character, expected["poses"][i]);
    rig::WorldMatrices world;
    world.evaluate(character.skeleton, pose);
    deformer.deform(character, pose, world.world(), settings, out);
    for (std::size_t p = 0; p < primitives.size(); ++p) {
      const nlohmann::json& positions = primitives[p]["poses"][i]["positions"];
      const std::size_t vertex_count = out.parts[p].positions.size();
      ASSERT_EQ(positions.size() / 3, (vertex_count + every - 1) / every);
      const bool has_normals = primitives[p]["poses"][i].contains("normals");
      if (has_normals) {
        ASSERT_EQ(primitives[p]["poses"][i]["normals"].size(), positions.size());
        ASSERT_EQ(out.parts[p].normals.size(), vertex_count);
      }
      for (std::size_t k = 0; k < positions.size() / 3; ++k) {
        const double distance =
            glm::length(glm::dvec3(out.parts[p].positions[k * every]) - triple(positions, k)) / diagonal;
        worst = std::max(worst, distance);
        ASSERT_LE(distance, kPositionTolerance) << "pose " << i << ", part " << p << ", vertex " << k * every;
        if (has_normals) {
          const double angle = angle_between(glm::dvec3(out.parts[p].normals[k * every]),
                                             triple(primitives[p]["poses"][i]["normals"], k));
          worst_normal = std::max(worst_normal, angle);
          ASSERT_LE(angle, kNormalTolerance) << "pose " << i << ", part " << p << ", vertex " << k * every;
        }
      }
    }
    for (const nlohmann::json& matrices : expected["jointMatrices"]) {
      const rig::Skin& skin = character.skins.at(matrices["skin"].get<std::size_t>());
      ASSERT_EQ(skin.joints.size(), matrices["joints"].size());
      std::vector<glm::mat4> actual(skin.joints.size());
      rig::skin_matrices(skin, world.world(), actual);
      for (std::size_t j = 0; j < skin.joints.size(); ++j) {
        EXPECT_EQ(character.skeleton->source_node[skin.joints[j]], matrices["joints"][j]);
        glm::dmat4 reference(1.0);
        for (std::size_t element = 0; element < 16; ++element) {
          reference[static_cast<int>(element / 4)][static_cast<int>(element % 4)] =
              matrices["poses"][i][16 * j + element].get<double>();
        }
        const double distance = matrix_difference(glm::dmat4(actual[j]), reference, diagonal);
        worst_matrix = std::max(worst_matrix, distance);
        ASSERT_LE(distance, kPositionTolerance) << "pose " << i << ", joint " << j << " of skin " << matrices["skin"];
      }
    }
  }
  std::cout << "  " << file << ": positions " << worst << " of the diagonal, normals "
            << worst_normal * 180 / std::numbers::pi << " degrees, matrices " << worst_matrix << "\n";
}

INSTANTIATE_TEST_SUITE_P(Corpus, Expected, testing::ValuesIn(test::kExpectedFiles),
                         [](const testing::TestParamInfo<test::ExpectedFile>& file) {
                           return std::string(file.param.name);
                         });

TEST(ExpectedFolder, HasNoFileThatNoTestReads) {
  const std::filesystem::path folder = test::corpus_dir() / "expected";
  PELT_NEEDS_CORPUS("expected");
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".gz") {
      found.insert(entry.path().stem().stem().string());
    }
  }
  std::set<std::string> listed;
  for (const test::ExpectedFile& file : test::kExpectedFiles) {
    listed.emplace(file.name);
  }
  EXPECT_EQ(found, listed);
}

}  // namespace
}  // namespace pelt
