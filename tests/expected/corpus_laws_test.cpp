// Laws that need no reference, on every readable character of the corpus in random poses.
#include <cmath>
#include <filesystem>
#include <iostream>
#include <numbers>

#include <gtest/gtest.h>

#include "deform/deform.h"
#include "deform/palette_batches.h"
#include "deform/skin_lbs.h"
#include "deform/skin_meter.h"
#include "deform/skinning_methods.h"
#include "gltf/import.h"
#include "support/expected.h"
#include "support/fixtures.h"

namespace pelt {
namespace {

std::vector<std::filesystem::path> readable_models() {
  std::vector<std::filesystem::path> out;
  for (const char* folder : {"characters", "derived", "features", "unrigged"}) {
    if (!std::filesystem::exists(test::corpus_dir() / folder)) {
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(test::corpus_dir() / folder)) {
      if (entry.path().extension() == ".glb" || entry.path().extension() == ".gltf") {
        out.push_back(entry.path());
      }
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

template <typename Check>
void for_each_model(const Check& check) {
  int count = 0;
  for (const std::filesystem::path& path : readable_models()) {
    Result<rig::Character> character = gltf::import_file(path, {.decode_images = false});
    ASSERT_TRUE(character) << character.error().message;
    SCOPED_TRACE(path.filename().string());
    check(*character);
    ++count;
    if (testing::Test::HasFatalFailure()) {
      return;
    }
  }
  if (count == 0) {
    GTEST_SKIP() << "no corpus at " << test::corpus_dir();
  }
  std::cout << "  " << count << " models\n";
}

TEST(CorpusLaws, C14_3_NormalsAndTangentsAreUnitAndPerpendicular) {
  for_each_model([](const rig::Character& character) {
    test::Random random(143);
    for (int round = 0; round < 3; ++round) {
      const rig::Pose pose =
          round == 0 ? rig::rest_pose(character) : test::random_pose(character, random, std::numbers::pi / 2);
      for (const deform::NormalVariantInfo& info : deform::kVertexNormalVariants) {
        const deform::DeformedCharacter out = deform::deform_once(character, pose, {.normals = info.variant});
        for (const deform::DeformedPart& part : out.parts) {
          for (std::size_t v = 0; v < part.positions.size(); ++v) {
            ASSERT_TRUE(std::isfinite(glm::length(part.positions[v])));
          }
          for (std::size_t v = 0; v < part.normals.size(); ++v) {
            ASSERT_NEAR(glm::length(part.normals[v]), 1.0, 1e-6) << info.letter << v;
          }
          for (std::size_t v = 0; v < part.tangents.size(); ++v) {
            ASSERT_NEAR(glm::length(glm::vec3(part.tangents[v])), 1.0, 1e-6) << info.letter << v;
            if (!part.normals.empty()) {
              ASSERT_NEAR(glm::dot(glm::vec3(part.tangents[v]), part.normals[v]), 0.0, 1e-6) << info.letter << v;
            }
          }
        }
      }
    }
  });
}

// What kernels are called with for each skinned part of a character.
template <typename Visit>
void for_each_skinned_part(const rig::Character& character, const rig::Pose& pose, const Visit& visit) {
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  for (const rig::Part& part : character.parts) {
    if (!deform::is_skinned(character, part)) {
      continue;
    }
    const rig::Skin& skin = character.skins[static_cast<std::size_t>(part.skin)];
    std::vector<glm::mat4> matrices(skin.joints.size());
    rig::skin_matrices(skin, world.world(), matrices);
    const mesh::Primitive& primitive = character.primitive(part);
    deform::SkinInput input;
    input.positions = primitive.positions;
    input.influences = &primitive.influences;
    input.skin_matrices = matrices;
    std::vector<glm::vec3> positions(primitive.positions.size());
    deform::skin_lbs(input, {positions, {}, {}}, 0, positions.size());
    visit(primitive, input, positions);
  }
}

TEST(CorpusLaws, C7_7_SumFormEqualsMatrixForm) {
  double worst = 0;
  for_each_model([&](const rig::Character& character) {
    test::Random random(77);
    const rig::Pose pose = test::random_pose(character, random, std::numbers::pi / 2);
    for_each_skinned_part(character, pose,
                          [&](const mesh::Primitive& primitive, const deform::SkinInput& input,
                              const std::vector<glm::vec3>& matrix_form) {
                            std::vector<glm::vec3> sum_form(primitive.positions.size());
                            deform::skin_lbs_sum_of_points(input, {sum_form, {}, {}}, 0, sum_form.size());
                            const Bounds bounds = bounds_of(matrix_form);
                            // Far from the origin rounding grows with the distance, not with the size.
                            const double size =
                                static_cast<double>(std::max(bounds.diagonal(), glm::length(bounds.center())));
                            for (std::size_t v = 0; v < sum_form.size(); ++v) {
                              const double d = static_cast<double>(glm::distance(matrix_form[v], sum_form[v])) / size;
                              worst = std::max(worst, d);
                              ASSERT_LE(d, 1e-6);
                            }
                          });
  });
  std::cout << "  largest difference " << worst << " of the size\n";
}

TEST(CorpusLaws, C10_3_BatchesOfTwelveJointsSkinBitwiseEqual) {
  int split_parts = 0;
  for_each_model([&](const rig::Character& character) {
    test::Random random(103);
    const rig::Pose pose = test::random_pose(character, random, 1.0);
    for_each_skinned_part(
        character, pose,
        [&](const mesh::Primitive& primitive, const deform::SkinInput& input, const std::vector<glm::vec3>& expected) {
          const int corners = primitive.topology == mesh::Topology::kTriangles ? 3
                              : primitive.topology == mesh::Topology::kLines   ? 2
                                                                               : 1;
          mesh::Influences four = mesh::limit_influences(primitive.influences, 4);
          const bool untouched = four.joint.size() == primitive.influences.joint.size();
          const auto batches = deform::split_into_batches(primitive.indices, corners, four, 12);
          ASSERT_TRUE(batches.has_value());
          split_parts += (*batches).size() > 1 ? 1 : 0;
          std::size_t elements = 0;
          for (const deform::PaletteBatch& batch : *batches) {
            ASSERT_LE(batch.palette.size(), 12u);
            elements += batch.elements.size();
            if (!untouched) {
              continue;
            }
            std::vector<std::uint16_t> slot_of(input.skin_matrices.size(), 0);
            std::vector<glm::mat4> palette;
            for (const std::uint16_t joint : batch.palette) {
              slot_of[joint] = static_cast<std::uint16_t>(palette.size());
              palette.push_back(input.skin_matrices[joint]);
            }
            mesh::Influences rows;
            std::vector<glm::vec3> positions;
            for (const std::uint32_t v : batch.vertices) {
              positions.push_back(primitive.positions[v]);
              for (std::uint32_t k = four.offset[v]; k < four.offset[v + 1]; ++k) {
                rows.joint.push_back(slot_of[four.joint[k]]);
                rows.weight.push_back(four.weight[k]);
              }
              rows.offset.push_back(static_cast<std::uint32_t>(rows.joint.size()));
              rows.stored_sum.push_back(four.stored_sum[v]);
            }
            deform::SkinInput part = input;
            part.positions = positions;
            part.influences = &rows;
            part.skin_matrices = palette;
            std::vector<glm::vec3> out(positions.size());
            deform::skin_lbs(part, {out, {}, {}}, 0, out.size());
            for (std::size_t i = 0; i < out.size(); ++i) {
              ASSERT_EQ(out[i], expected[batch.vertices[i]]);
            }
          }
          ASSERT_EQ(elements * static_cast<std::size_t>(corners), primitive.indices.size());
        });
  });
  std::cout << "  " << split_parts << " parts needed more than one batch\n";
}

TEST(CorpusLaws, RestPoseKeepsTheBindShapesVolumeAndArea) {
  // Also where the file folds scale into its inverse bind matrices.
  for_each_model([](const rig::Character& character) {
    const bool bound = std::all_of(character.skins.begin(), character.skins.end(),
                                   [](const rig::Skin& skin) { return skin.has_inverse_binds; });
    if (!bound) {
      return;
    }
    const deform::DeformedCharacter out = deform::deform_once(character, rig::rest_pose(character), {});
    const deform::CollapseMeasures measures = deform::collapse_measures(character, out);
    EXPECT_NEAR(measures.volume_ratio, 1.0, 1e-4);
    EXPECT_NEAR(measures.area_ratio, 1.0, 1e-4);
    EXPECT_NEAR(measures.max_edge_stretch, 1.0, 1e-3);
  });
}

}  // namespace
}  // namespace pelt
