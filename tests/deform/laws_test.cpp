// Every row of the table keeps the laws it declares, on seeded random rigs.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <gtest/gtest.h>
#include <glm/gtc/matrix_transform.hpp>

#include "deform/deform.h"
#include "deform/dual_quaternion_row.h"
#include "deform/skinning_methods.h"
#include "deform/vertex_frame.h"
#include "one_vertex.h"
#include "support/fixtures.h"
#include "support/surfaces.h"

namespace pelt::deform {
namespace {

constexpr std::uint32_t kSeeds = 6;
// By how much the joints of a ball turn at most, radians: where it folds it has no normal to speak of.
constexpr double kUnfolded = 0.4;

// No law is about how much is smoothed.
constexpr MethodParameters kQuick = {.direct_iterations = 3};

DeformedPart skin(const SkinningMethod& method, const mesh::Primitive& primitive, const mesh::Influences& influences,
                  std::span<const glm::mat4> matrices, NormalVariant variant) {
  return skin_once(method, primitive, influences, matrices, {}, variant, kQuick);
}

std::vector<glm::mat4> matrices_of(const rig::Character& character, const rig::Pose& pose) {
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  std::vector<glm::mat4> out(character.skins[0].joints.size());
  rig::skin_matrices(character.skins[0], world.world(), out);
  return out;
}

// A ball on a random rig. Its weights change along x on one half and are the same all over the other, so that exact
// normals mean something and are asked for with gradients and without. The soup of random_rig() has no surface.
rig::Character ball(std::uint32_t seed) {
  constexpr std::size_t kJointCount = 6;
  rig::Character character = test::random_rig({.seed = seed, .joints = kJointCount, .vertices = 3});
  mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
  primitive = test::sphere(3);
  test::Random random(seed + 500);
  std::array<std::uint16_t, kJointCount> joints;
  std::array<float, kJointCount> slopes;
  for (std::uint16_t j = 0; j < kJointCount; ++j) {
    joints[j] = j;
    slopes[j] = random.real(-1.5f, 1.5f);
  }
  for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
    std::array<float, kJointCount> weights;
    for (std::size_t j = 0; j < kJointCount; ++j) {
      // Far enough apart for the heaviest one to be the same before and after rounding.
      weights[j] =
          (1.0f + 0.2f * static_cast<float>(j)) * std::exp(slopes[j] * std::max(0.0f, primitive.positions[v].x));
    }
    mesh::append_row(primitive.influences.edit(), joints, weights);
    primitive.tangents.emplace_back(any_tangent(primitive.normals[v]), v % 2 == 0 ? 1.0f : -1.0f);
  }
  return character;
}

class Laws : public testing::TestWithParam<std::size_t> {
 protected:
  [[nodiscard]] const SkinningMethod& method() const { return skinning_methods()[GetParam()]; }
  // The variants that differ under this method; on a triangle soup only those that look at one vertex alone, but for
  // a method that has no such.
  [[nodiscard]] std::vector<NormalVariantInfo> variants(bool surface) const {
    std::vector<NormalVariantInfo> out;
    for (const NormalVariantInfo& info : kNormalVariants) {
      const bool of_vertices = info.variant != NormalVariant::kExact && info.variant != NormalVariant::kRecomputed;
      if (normals_under(method(), info.variant) == info.variant &&
          (of_vertices || surface || info.variant == method().default_normals)) {
        out.push_back(info);
      }
    }
    return out;
  }
};

// Random rigs, every other one with scaled joints, and surfaces.
struct Subject {
  rig::Character character;
  std::uint32_t seed;
  bool surface;

  [[nodiscard]] const mesh::Primitive& primitive() const { return character.meshes[0].primitives[0]; }
};
std::vector<Subject> subjects(const SkinningMethod& method) {
  // What looks at neighbours in every pose smooths a soup to a lump, and its rounding grows with it.
  const std::uint32_t rigs = method.finish != nullptr ? 0 : method.prepare != nullptr ? 3 : kSeeds;
  const std::uint32_t balls = method.finish == nullptr && method.prepare != nullptr ? 1 : 3;
  std::vector<Subject> out;
  for (std::uint32_t seed = 1; seed <= rigs; ++seed) {
    out.push_back({test::random_rig({.seed = seed, .influences = 8, .scaled = seed % 2 == 0}), seed, false});
  }
  for (std::uint32_t seed = 1; seed <= balls; ++seed) {
    out.push_back({ball(seed), seed, true});
  }
  return out;
}

TEST_P(Laws, C3_1_BindPoseGivesTheBindShape) {
  if (!has(method().laws, Law::kBindIdentity)) {
    GTEST_SKIP() << method().id << " does not declare this law";
  }
  for (const Subject& subject : subjects(method())) {
    const mesh::Primitive& primitive = subject.primitive();
    const double diagonal = static_cast<double>(bounds_of(primitive.positions).diagonal());
    for (const NormalVariantInfo& info : variants(subject.surface)) {
      const DeformedPart out = skin(method(), primitive, primitive.influences,
                                    matrices_of(subject.character, rig::rest_pose(subject.character)), info.variant);
      for (std::size_t v = 0; v < out.positions.size(); ++v) {
        ASSERT_LE(glm::distance(out.positions[v], primitive.positions[v]), 1e-6 * diagonal);
        if (info.variant == NormalVariant::kRecomputed) {
          continue;  // those of the triangles are not those of the file
        }
        ASSERT_LE(test::angle_between(out.normals[v], primitive.normals[v]), 1e-5);
        ASSERT_LE(test::angle_between(glm::vec3(out.tangents[v]), glm::vec3(primitive.tangents[v])), 1e-5);
        ASSERT_EQ(out.tangents[v].w, primitive.tangents[v].w);
      }
    }
  }
}

TEST_P(Laws, C7_6_C13_7_C14_2_MotionOfAllJointsMovesTheMesh) {
  if (!has(method().laws, Law::kRigidEquivariance)) {
    GTEST_SKIP() << method().id << " does not declare this law";
  }
  for (const Subject& subject : subjects(method())) {
    const mesh::Primitive& primitive = subject.primitive();
    test::Random random(subject.seed);
    const double angle = subject.surface ? kUnfolded : 1.0;
    const std::vector<glm::mat4> matrices =
        matrices_of(subject.character, test::random_pose(subject.character, random, angle));
    for (const NormalVariantInfo& info : variants(subject.surface)) {
      const DeformedPart before = skin(method(), primitive, primitive.influences, matrices, info.variant);
      const double diagonal = static_cast<double>(bounds_of(before.positions).diagonal());
      // Turned and moved; turned, moved and mirrored, which C14.2 wants to end in normals that still point out, and in
      // tangents of the other handedness.
      for (const bool mirrored : {false, true}) {
        SCOPED_TRACE(std::string(mirrored ? "mirrored, normals " : "normals ") + info.letter);
        const glm::dmat4 motion = glm::translate(glm::dmat4(1.0), random.dvector(-1, 1)) *
                                  glm::mat4_cast(random.rotation()) *
                                  glm::scale(glm::dmat4(1.0), glm::dvec3(mirrored ? -1 : 1, 1, 1));
        std::vector<glm::mat4> moved;
        for (const glm::mat4& m : matrices) {
          moved.emplace_back(motion * glm::dmat4(m));
        }
        const DeformedPart after = skin(method(), primitive, primitive.influences, moved, info.variant);
        for (std::size_t v = 0; v < before.positions.size(); ++v) {
          const glm::dvec3 expected(motion * glm::dvec4(glm::dvec3(before.positions[v]), 1));
          ASSERT_LE(glm::distance(glm::dvec3(after.positions[v]), expected), 1e-6 * diagonal);
          if (!subject.surface && info.variant == NormalVariant::kRecomputed) {
            continue;  // of a soup
          }
          const glm::vec3 normal(glm::dmat3(motion) * glm::dvec3(before.normals[v]));
          ASSERT_LE(test::angle_between(after.normals[v], normal), 1e-4);
          const glm::vec3 tangent(glm::dmat3(motion) * glm::dvec3(before.tangents[v]));
          ASSERT_LE(test::angle_between(glm::vec3(after.tangents[v]), tangent), 1e-4);
          ASSERT_EQ(after.tangents[v].w, before.tangents[v].w * (mirrored ? -1.0f : 1.0f));
        }
      }
    }
  }
}

TEST_P(Laws, C7_8_OneHotWeightsMoveRigidly) {
  if (!has(method().laws, Law::kOneHotIsRigid)) {
    GTEST_SKIP() << method().id << " does not declare this law";
  }
  for (const Subject& subject : subjects(method())) {
    const mesh::Primitive& primitive = subject.primitive();
    const mesh::Influences one_hot = mesh::limit_influences(primitive.influences, 1);
    // Exact normals, and those of triangles, know of the neighbours' joints as well.
    std::vector<char> at_border(primitive.vertex_count(), 0);
    for (std::size_t i = 0; i < primitive.indices.size(); ++i) {
      const std::uint32_t v = primitive.indices[i];
      const std::uint32_t next = primitive.indices[i % 3 == 2 ? i - 2 : i + 1];
      if (one_hot.joints(v)[0] != one_hot.joints(next)[0]) {
        at_border[v] = at_border[next] = 1;
      }
    }
    test::Random random(subject.seed);
    const std::vector<glm::mat4> matrices =
        matrices_of(subject.character, test::random_pose(subject.character, random, std::numbers::pi));
    for (const NormalVariantInfo& info : variants(subject.surface)) {
      const DeformedPart out = skin(method(), primitive, one_hot, matrices, info.variant);
      const double diagonal = static_cast<double>(bounds_of(out.positions).diagonal());
      std::size_t turned = 0;
      for (std::size_t v = 0; v < out.positions.size(); ++v) {
        const glm::dmat4 m(matrices[one_hot.joints(v)[0]]);
        ASSERT_LE(glm::distance(glm::dvec3(out.positions[v]),
                                glm::dvec3(m * glm::dvec4(glm::dvec3(primitive.positions[v]), 1))),
                  1e-6 * diagonal);
        const bool rigid = subject.surface || subject.seed % 2 != 0;  // where joints are scaled, the variants differ
        if (!rigid || info.variant == NormalVariant::kRecomputed ||
            (info.variant == NormalVariant::kExact && at_border[v] != 0)) {
          continue;
        }
        ASSERT_LE(test::angle_between(out.normals[v], glm::vec3(glm::dmat3(m) * glm::dvec3(primitive.normals[v]))),
                  1e-5);
        ++turned;
      }
      ASSERT_TRUE(!subject.surface || info.variant == NormalVariant::kRecomputed || 2 * turned > out.normals.size());
    }
  }
}

// Any number of mirrored joints, with the CPU path's own kernels and pivots.
TEST_P(Laws, C14_2_AMirroredJointKeepsTheOutside) {
  if (!has(method().laws, Law::kOneHotIsRigid)) {
    GTEST_SKIP() << method().id << " does not declare the law of one joint";
  }
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
    rig::Character character = test::random_rig({.seed = seed, .scaled = seed % 2 == 0});
    mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
    primitive.influences = mesh::limit_influences(primitive.influences, 1);
    test::Random random(seed);
    const rig::Pose pose = test::mirrored(test::random_pose(character, random, std::numbers::pi), random);
    const std::vector<glm::mat4> matrices = matrices_of(character, pose);
    for (const NormalVariantInfo& info : variants(false)) {
      SkinningSettings settings;
      settings.method = static_cast<int>(GetParam());
      settings.normals = info.variant;
      settings.parameters = kQuick;
      const DeformedCharacter deformed = deform_once(character, pose, settings);
      const DeformedPart& out = deformed.parts[0];
      const double diagonal = static_cast<double>(bounds_of(out.positions).diagonal());
      const bool plain = info.variant == NormalVariant::kBlend || info.variant == NormalVariant::kLargestWeight ||
                         info.variant == NormalVariant::kFastRenormalised;
      std::size_t mirrored = 0;
      for (std::size_t v = 0; v < out.positions.size(); ++v) {
        const glm::dmat4 m(matrices[primitive.influences->joints(v)[0]]);
        const glm::dmat3 a(m);
        ASSERT_LE(glm::distance(glm::dvec3(out.positions[v]),
                                glm::dvec3(m * glm::dvec4(glm::dvec3(primitive.positions[v]), 1))),
                  1e-6 * diagonal);
        const glm::dvec3 n(primitive.normals[v]);
        const glm::dvec3 normal = glm::normalize(plain ? a * n : glm::transpose(glm::inverse(a)) * n);
        ASSERT_LE(test::angle_between(out.normals[v], glm::vec3(normal)), 1e-5) << info.letter;
        const glm::dvec3 t = a * glm::dvec3(primitive.tangents[v]);
        ASSERT_LE(test::angle_between(glm::vec3(out.tangents[v]), glm::vec3(t - normal * glm::dot(t, normal))), 1e-5);
        const float side = glm::determinant(a) < 0 ? -1.0f : 1.0f;
        ASSERT_EQ(out.tangents[v].w, primitive.tangents[v].w * side);
        mirrored += side < 0 ? 1 : 0;
      }
      ASSERT_GT(mirrored, out.positions.size() / 10);
      ASSERT_LT(mirrored, out.positions.size() * 9 / 10);
    }
  }
}

TEST_P(Laws, C7_7_OrderOfInfluencesDoesNotMatter) {
  if (!has(method().laws, Law::kPermutation)) {
    GTEST_SKIP() << method().id << " does not declare this law";
  }
  const auto expect_equal = [](const DeformedPart& a, const DeformedPart& b, bool compare_normals) {
    const double diagonal = static_cast<double>(bounds_of(a.positions).diagonal());
    for (std::size_t v = 0; v < a.positions.size(); ++v) {
      ASSERT_LE(glm::distance(a.positions[v], b.positions[v]), 1e-6 * diagonal) << v;
      if (compare_normals) {
        ASSERT_LE(test::angle_between(a.normals[v], b.normals[v]), 1e-4) << v;
        ASSERT_LE(test::angle_between(glm::vec3(a.tangents[v]), glm::vec3(b.tangents[v])), 1e-4) << v;
        ASSERT_EQ(a.tangents[v].w, b.tangents[v].w) << v;
      }
    }
  };
  for (const Subject& subject : subjects(method())) {
    const mesh::Primitive& primitive = subject.primitive();
    test::Random random(subject.seed);
    // Written as they are: append_row() would put them in order again.
    const mesh::Influences rows = test::shuffled_rows(primitive.influences, random);
    ASSERT_FALSE(rows == *primitive.influences);
    rig::Character shuffled = subject.character;
    shuffled.meshes.edit(0).primitives.edit(0).influences = rows;
    const rig::Pose pose = test::random_pose(subject.character, random, subject.surface ? kUnfolded : 2.0);
    const std::vector<glm::mat4> matrices = matrices_of(subject.character, pose);
    for (const NormalVariantInfo& info : variants(subject.surface)) {
      SCOPED_TRACE(std::string("normals ") + info.letter);
      const bool compare_normals = subject.surface || info.variant != NormalVariant::kRecomputed;
      expect_equal(skin(method(), primitive, primitive.influences, matrices, info.variant),
                   skin(method(), primitive, rows, matrices, info.variant), compare_normals);
      if (method().fast == FastMethod::kNone) {
        continue;
      }
      // The CPU path, for its vector kernels.
      SkinningSettings settings;
      settings.method = static_cast<int>(GetParam());
      settings.normals = info.variant;
      settings.parameters = kQuick;
      expect_equal(deform_once(subject.character, pose, settings).parts[0],
                   deform_once(shuffled, pose, settings).parts[0], compare_normals);
      if (HasFatalFailure()) {
        return;
      }
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
    const DeformedPart before =
        skin(method(), primitive, primitive.influences, matrices, NormalVariant::kInverseTransposeOfBlend);
    matrices.emplace_back(std::numeric_limits<float>::quiet_NaN());
    matrices.insert(matrices.begin(), glm::mat4(std::numeric_limits<float>::quiet_NaN()));
    mesh::Influences shifted = primitive.influences;
    shifted.renumber_joints([&](std::uint16_t joint) { return joint + 1; });
    const DeformedPart after = skin(method(), primitive, shifted, matrices, NormalVariant::kInverseTransposeOfBlend);
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
  for (const NormalVariantInfo& info : variants(false)) {
    const DeformedPart out = skin(method(), primitive, primitive.influences, matrices, info.variant);
    EXPECT_TRUE(std::ranges::equal(out.positions, primitive.positions));
    for (std::size_t v = 0; info.variant != NormalVariant::kRecomputed && v < out.normals.size(); ++v) {
      EXPECT_LE(test::angle_between(out.normals[v], primitive.normals[v]), 1e-6);
    }
  }
}

TEST_P(Laws, C22_5_SignsOfQuaternionsDoNotMatter) {
  if (method().pack != pack_dual_quats) {
    GTEST_SKIP() << method().id << " has no quaternions";
  }
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
    const rig::Character character = test::random_rig({.seed = seed, .influences = 8, .scaled = seed % 2 == 0});
    const mesh::Primitive& primitive = character.meshes[0].primitives[0];
    test::Random random(seed);
    const std::vector<glm::mat4> matrices = matrices_of(character, test::random_pose(character, random, 2.0));
    const DeformedPart expected =
        skin(method(), primitive, primitive.influences, matrices, NormalVariant::kInverseTransposeOfBlend);

    std::vector<glm::vec4> palette;
    pack_palette(method(), loose_binding(std::vector<glm::vec3>(matrices.size(), glm::vec3(0.0f))), matrices, palette);
    for (std::size_t j = 0; j < matrices.size(); ++j) {
      if (random.below(2) == 0) {
        palette[j * kDualQuatVec4s] *= -1.0f;
        palette[j * kDualQuatVec4s + 1] *= -1.0f;
      }
    }
    const mesh::Primitive* const primitives[] = {&primitive};
    const mesh::Influences* const rows[] = {&*primitive.influences};
    std::vector<Prepared> prepared(1);
    if (method().prepare != nullptr) {
      ASSERT_TRUE(method().prepare(mesh::make_mesh_surface(primitives, rows), {}, {}, prepared));
    }
    SkinInput input;
    input.positions = primitive.positions;
    input.normals = primitive.normals;
    input.tangents = primitive.tangents;
    input.influences = &*primitive.influences;
    input.skin_matrices = matrices;
    input.palette = palette;
    input.prepared = method().prepare != nullptr ? prepared.data() : nullptr;
    DeformedPart out = expected;
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
