// Every row of the table keeps the laws it declares, on seeded random rigs.
#include <algorithm>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>
#include <glm/gtc/matrix_transform.hpp>

#include "deform/deform.h"
#include "deform/dual_quaternion_row.h"
#include "deform/skinning_methods.h"
#include "deform/vertex_frame.h"
#include "one_vertex.h"
#include "support/fixtures.h"

namespace pelt::deform {
namespace {

constexpr std::uint32_t kSeeds = 6;

using Shape = DeformedPart;

Shape skin(const SkinningMethod& method, const mesh::Primitive& primitive, const mesh::Influences& influences,
           std::span<const glm::mat4> matrices, NormalVariant variant) {
  return skin_once(method, primitive, influences, matrices, {}, variant);
}

std::vector<glm::mat4> matrices_of(const rig::Character& character, const rig::Pose& pose) {
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  std::vector<glm::mat4> out(character.skins[0].joints.size());
  rig::skin_matrices(character.skins[0], world.world(), out);
  return out;
}

class Laws : public testing::TestWithParam<std::size_t> {
 protected:
  [[nodiscard]] const SkinningMethod& method() const { return skinning_methods()[GetParam()]; }
  // The variants that differ under this method.
  [[nodiscard]] std::vector<NormalVariantInfo> variants() const {
    std::vector<NormalVariantInfo> out;
    for (const NormalVariantInfo& info : kNormalVariants) {
      const bool of_vertices = info.variant != NormalVariant::kExact && info.variant != NormalVariant::kRecomputed;
      if (normals_under(method(), info.variant) == info.variant &&
          (of_vertices || info.variant == method().default_normals)) {
        out.push_back(info);
      }
    }
    return out;
  }
  // Normals made from posed triangles have nothing to do with the random ones of these rigs.
  [[nodiscard]] bool turns_normals(NormalVariant variant) const {
    return normals_under(method(), variant) != NormalVariant::kRecomputed;
  }
};

TEST_P(Laws, C3_1_BindPoseGivesTheBindShape) {
  if (!has(method().laws, Law::kBindIdentity)) {
    GTEST_SKIP() << method().id << " does not declare this law";
  }
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
    const rig::Character character = test::random_rig({.seed = seed, .influences = 8, .scaled = seed % 2 == 0});
    const mesh::Primitive& primitive = character.meshes[0].primitives[0];
    const double diagonal = static_cast<double>(bounds_of(primitive.positions).diagonal());
    for (const NormalVariantInfo& info : variants()) {
      const Shape out = skin(method(), primitive, primitive.influences,
                             matrices_of(character, rig::rest_pose(character)), info.variant);
      for (std::size_t v = 0; v < out.positions.size(); ++v) {
        ASSERT_LE(glm::distance(out.positions[v], primitive.positions[v]), 1e-6 * diagonal);
        if (!turns_normals(info.variant)) {
          continue;
        }
        ASSERT_LE(test::angle_between(out.normals[v], primitive.normals[v]), 1e-5);
        ASSERT_LE(test::angle_between(glm::vec3(out.tangents[v]), glm::vec3(primitive.tangents[v])), 1e-5);
        ASSERT_EQ(out.tangents[v].w, primitive.tangents[v].w);
      }
    }
  }
}

TEST_P(Laws, C7_6_RigidMotionOfAllJointsMovesTheMesh) {
  if (!has(method().laws, Law::kRigidEquivariance)) {
    GTEST_SKIP() << method().id << " does not declare this law";
  }
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
    const rig::Character character = test::random_rig({.seed = seed, .influences = 8, .scaled = seed % 2 == 0});
    const mesh::Primitive& primitive = character.meshes[0].primitives[0];
    test::Random random(seed);
    const std::vector<glm::mat4> matrices = matrices_of(character, test::random_pose(character, random, 1.0));
    const glm::dmat4 motion =
        glm::translate(glm::dmat4(1.0), random.dvector(-1, 1)) * glm::mat4_cast(random.rotation());
    std::vector<glm::mat4> moved;
    for (const glm::mat4& m : matrices) {
      moved.emplace_back(motion * glm::dmat4(m));
    }
    for (const NormalVariantInfo& info : variants()) {
      const Shape before = skin(method(), primitive, primitive.influences, matrices, info.variant);
      const Shape after = skin(method(), primitive, primitive.influences, moved, info.variant);
      const double diagonal = static_cast<double>(bounds_of(before.positions).diagonal());
      for (std::size_t v = 0; v < before.positions.size(); ++v) {
        const glm::dvec3 expected(motion * glm::dvec4(glm::dvec3(before.positions[v]), 1));
        ASSERT_LE(glm::distance(glm::dvec3(after.positions[v]), expected), 1e-6 * diagonal);
        if (!turns_normals(info.variant)) {
          continue;
        }
        const glm::vec3 normal(glm::dmat3(motion) * glm::dvec3(before.normals[v]));
        ASSERT_LE(test::angle_between(after.normals[v], normal), 1e-4) << info.letter;
        const glm::vec3 tangent(glm::dmat3(motion) * glm::dvec3(before.tangents[v]));
        ASSERT_LE(test::angle_between(glm::vec3(after.tangents[v]), tangent), 1e-4) << info.letter;
      }
    }
  }
}

TEST_P(Laws, C7_8_OneHotWeightsMoveRigidly) {
  if (!has(method().laws, Law::kOneHotIsRigid)) {
    GTEST_SKIP() << method().id << " does not declare this law";
  }
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
    const rig::Character character = test::random_rig({.seed = seed, .scaled = seed % 2 == 0});
    const mesh::Primitive& primitive = character.meshes[0].primitives[0];
    const mesh::Influences one_hot = mesh::limit_influences(primitive.influences, 1);
    test::Random random(seed);
    const std::vector<glm::mat4> matrices =
        matrices_of(character, test::random_pose(character, random, std::numbers::pi));
    for (const NormalVariantInfo& info : variants()) {
      const Shape out = skin(method(), primitive, one_hot, matrices, info.variant);
      const double diagonal = static_cast<double>(bounds_of(out.positions).diagonal());
      for (std::size_t v = 0; v < out.positions.size(); ++v) {
        const glm::dmat4 m(matrices[one_hot.joint[v]]);
        ASSERT_LE(glm::distance(glm::dvec3(out.positions[v]),
                                glm::dvec3(m * glm::dvec4(glm::dvec3(primitive.positions[v]), 1))),
                  1e-6 * diagonal);
        if (seed % 2 != 0) {  // where joints are scaled, the variants differ
          ASSERT_LE(test::angle_between(out.normals[v], glm::vec3(glm::dmat3(m) * glm::dvec3(primitive.normals[v]))),
                    1e-5);
        }
      }
    }
  }
}

TEST_P(Laws, C7_7_OrderOfInfluencesDoesNotMatter) {
  if (!has(method().laws, Law::kPermutation)) {
    GTEST_SKIP() << method().id << " does not declare this law";
  }
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
    const rig::Character character = test::random_rig({.seed = seed, .influences = 8});
    const mesh::Primitive& primitive = character.meshes[0].primitives[0];
    const mesh::Influences& rows = primitive.influences;
    mesh::Influences reversed;
    for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
      const std::vector<std::uint16_t> joints(rows.joint.rend() - rows.offset[v + 1],
                                              rows.joint.rend() - rows.offset[v]);
      const std::vector<float> weights(rows.weight.rend() - rows.offset[v + 1], rows.weight.rend() - rows.offset[v]);
      mesh::append_row(reversed, joints, weights);
    }
    test::Random random(seed);
    const std::vector<glm::mat4> matrices = matrices_of(character, test::random_pose(character, random, 2.0));
    const Shape a = skin(method(), primitive, rows, matrices, NormalVariant::kBlend);
    const Shape b = skin(method(), primitive, reversed, matrices, NormalVariant::kBlend);
    const double diagonal = static_cast<double>(bounds_of(a.positions).diagonal());
    for (std::size_t v = 0; v < a.positions.size(); ++v) {
      ASSERT_LE(glm::distance(a.positions[v], b.positions[v]), 1e-6 * diagonal);
    }
  }
}

TEST_P(Laws, UnusedJointsDoNotMatter) {
  if (!has(method().laws, Law::kUnusedJoints)) {
    GTEST_SKIP() << method().id << " does not declare this law";
  }
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
    const rig::Character character = test::random_rig({.seed = seed});
    const mesh::Primitive& primitive = character.meshes[0].primitives[0];
    test::Random random(seed);
    std::vector<glm::mat4> matrices = matrices_of(character, test::random_pose(character, random, 2.0));
    const Shape before =
        skin(method(), primitive, primitive.influences, matrices, NormalVariant::kInverseTransposeOfBlend);
    matrices.emplace_back(std::numeric_limits<float>::quiet_NaN());
    matrices.insert(matrices.begin(), glm::mat4(std::numeric_limits<float>::quiet_NaN()));
    mesh::Influences shifted = primitive.influences;
    for (std::uint16_t& joint : shifted.joint) {
      ++joint;
    }
    const Shape after = skin(method(), primitive, shifted, matrices, NormalVariant::kInverseTransposeOfBlend);
    ASSERT_EQ(before.positions, after.positions);
    ASSERT_EQ(before.normals, after.normals);
    ASSERT_EQ(before.tangents, after.tangents);
  }
}

TEST_P(Laws, VerticesWithoutInfluencesFollowTheIdentity) {
  const rig::Character character = test::random_rig({.seed = 5, .influences = 0});
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  test::Random random(5);
  const std::vector<glm::mat4> matrices = matrices_of(character, test::random_pose(character, random, 2.0));
  for (const NormalVariantInfo& info : variants()) {
    const Shape out = skin(method(), primitive, primitive.influences, matrices, info.variant);
    EXPECT_EQ(out.positions, primitive.positions);
    for (std::size_t v = 0; turns_normals(info.variant) && v < out.normals.size(); ++v) {
      EXPECT_LE(test::angle_between(out.normals[v], primitive.normals[v]), 1e-6);
    }
  }
}

TEST_P(Laws, C22_5_SignsOfQuaternionsDoNotMatter) {
  if (method().pack != pack_dual_quat) {
    GTEST_SKIP() << method().id << " has no quaternions";
  }
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
    const rig::Character character = test::random_rig({.seed = seed, .influences = 8, .scaled = seed % 2 == 0});
    const mesh::Primitive& primitive = character.meshes[0].primitives[0];
    test::Random random(seed);
    const std::vector<glm::mat4> matrices = matrices_of(character, test::random_pose(character, random, 2.0));
    const Shape expected =
        skin(method(), primitive, primitive.influences, matrices, NormalVariant::kInverseTransposeOfBlend);

    std::vector<glm::vec4> palette;
    pack_palette(method(), matrices, std::vector<glm::vec3>(matrices.size(), glm::vec3(0.0f)), palette);
    for (std::size_t j = 0; j < matrices.size(); ++j) {
      if (random.below(2) == 0) {
        palette[j * kDualQuatVec4s] *= -1.0f;
        palette[j * kDualQuatVec4s + 1] *= -1.0f;
      }
    }
    const mesh::Primitive* const primitives[] = {&primitive};
    const mesh::Influences* const rows[] = {&primitive.influences};
    std::vector<Prepared> prepared(1);
    if (method().prepare != nullptr) {
      ASSERT_TRUE(method().prepare(make_mesh_surface(primitives, rows), {}, {}, prepared));
    }
    SkinInput input;
    input.positions = primitive.positions;
    input.normals = primitive.normals;
    input.tangents = primitive.tangents;
    input.influences = &primitive.influences;
    input.skin_matrices = matrices;
    input.palette = palette;
    input.prepared = method().prepare != nullptr ? prepared.data() : nullptr;
    Shape out = expected;
    skin_all(method(), input, {out.positions, out.normals, out.tangents});
    EXPECT_EQ(out.positions, expected.positions);
    EXPECT_EQ(out.normals, expected.normals);
    EXPECT_EQ(out.tangents, expected.tangents);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, Laws, testing::Range<std::size_t>(0, skinning_methods().size()),
                         [](const testing::TestParamInfo<std::size_t>& row) {
                           std::string name(skinning_methods()[row.param].id);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace pelt::deform
