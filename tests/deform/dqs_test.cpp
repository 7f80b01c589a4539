// Dual quaternion skinning, ALGORITHMS.md §22. The numbers in double precision are in
// tests/math/dual_quaternion_test.cpp; volumes, radii and bulge of F-CYL in skin_meter_test.cpp; laws of all rows in
// laws_test.cpp.
#include <array>
#include <cmath>

#include <gtest/gtest.h>
#include <glm/gtc/matrix_transform.hpp>

#include "deform/deform.h"
#include "deform/dual_quaternion_row.h"
#include "math/angle.h"
#include "one_vertex.h"
#include "support/fixtures.h"

namespace pelt::deform {
namespace {

using test::OneResult;
using test::OneVertex;
using test::skin_one;
using test::turned;

constexpr double kSingle = 1e-6;  // single precision at lengths of a few metres

glm::mat4 scaled(const glm::vec3& s) {
  return glm::scale(glm::mat4(1.0f), s);
}

OneResult skin_with(const OneVertex& vertex, std::string_view method, const MethodParameters& parameters,
                    const glm::vec3& pivot = glm::vec3(0.0f)) {
  mesh::Primitive primitive;
  primitive.positions = {vertex.position};
  primitive.normals = {vertex.normal};
  primitive.tangents = {vertex.tangent};
  std::vector<std::uint16_t> joints;
  for (std::size_t j = 0; j < vertex.matrices.size(); ++j) {
    joints.push_back(static_cast<std::uint16_t>(j));
  }
  mesh::append_row(primitive.influences.edit(), joints, vertex.weights);
  const std::vector<glm::vec3> pivots(vertex.matrices.size(), pivot);
  const DeformedPart out = skin_once(skinning_methods()[find_method(method)], primitive, primitive.influences,
                                     vertex.matrices, pivots, vertex.variant, parameters, vertex.as_stored);
  return {out.positions[0], out.normals[0], out.tangents[0]};
}

TEST(Dqs, C22_2_Elbow) {
  const rig::Character character = test::elbow();
  const SkinningSettings settings = {.method = find_method("dqs")};
  const glm::vec3 a = deform_once(character, test::elbow_bent(character), settings).parts[0].positions[0];
  EXPECT_VEC_NEAR(a, glm::dvec3(3.337949, 1.249675, 0), kSingle);
  EXPECT_NEAR(glm::distance(glm::dvec3(a), glm::dvec3(4, 0, 0)), std::sqrt(2.0), kSingle);
  // The iterative blend turns by exactly a fifth of the angle.
  const SkinningSettings exact = {.method = find_method("dqs-exact")};
  const glm::vec3 b = deform_once(character, test::elbow_bent(character), exact).parts[0].positions[0];
  const glm::dvec3 expected = glm::dvec3(4, 0, 0) + glm::dvec3(glm::rotate(glm::dmat4(1.0), -18 * kDegree, {0, 0, 1}) *
                                                               glm::dvec4(-1, 1, 0, 0));
  EXPECT_VEC_NEAR(b, expected, kSingle);
}

TEST(Dqs, C22_3_TwistTurnsRingsAndKeepsTheirRadius) {
  const rig::Character character = test::cylinder();
  for (const char* id : {"dqs", "dqs-exact"}) {
    for (const double degrees : {60.0, 120.0, 170.0}) {
      rig::Pose pose = rig::rest_pose(character);
      pose.local[1].rotation = glm::quat(glm::angleAxis(degrees * kDegree, glm::dvec3(1, 0, 0)));
      const auto out = deform_once(character, pose, {.method = find_method(id)});
      for (int ring = 15; ring <= 25; ++ring) {
        const double w = test::cylinder_weight(ring / 40.0);
        const double half = degrees * kDegree / 2;
        const double angle = std::string_view(id) == "dqs"
                                 ? 2 * std::atan2(w * std::sin(half), 1 - w + w * std::cos(half))
                                 : w * degrees * kDegree;
        const glm::dvec3 p(out.parts[0].positions[test::cylinder_vertex(ring, 0)]);
        EXPECT_VEC_NEAR(p, glm::dvec3(ring / 40.0, 0.1 * std::cos(angle), 0.1 * std::sin(angle)), 2e-7);
        EXPECT_NEAR(std::hypot(p.y, p.z), 0.1, 1e-7);
        const glm::dvec3 n(out.parts[0].normals[test::cylinder_vertex(ring, 0)]);
        EXPECT_VEC_NEAR(n, glm::dvec3(0, std::cos(angle), std::sin(angle)), kSingle);
      }
    }
  }
}

TEST(Dqs, C22_6_StretchComesBeforeTheRotation) {
  for (const char* id : {"dqs", "dqs-exact"}) {
    OneVertex vertex = {.position = {1, 0, 0}, .matrices = {turned(90) * scaled({2, 1, 1})}, .weights = {1}};
    EXPECT_VEC_NEAR(skin_one(vertex, id).position, glm::dvec3(0, 2, 0), kSingle);
    // Normals go by the inverse transpose of the stretch, C13.1, then with the rotation.
    vertex.normal = glm::normalize(glm::vec3(1, 1, 0));
    EXPECT_VEC_NEAR(skin_one(vertex, id).normal, glm::dvec3(-0.894427, 0.447214, 0), kSingle);
    // Half stretched twofold along x, half not: by 1.5, then turned by half the angle.
    vertex.matrices.emplace_back(1.0f);
    vertex.weights = {0.5f, 0.5f};
    EXPECT_VEC_NEAR(skin_one(vertex, id).position, glm::dvec3(1.5 * std::sqrt(0.5), 1.5 * std::sqrt(0.5), 0), kSingle);
  }
}

TEST(Dqs, ScaleIsAboutTheJointsPivot) {
  // M stretches twofold about (3,0,0). At half weight the point between stays where it is, whatever is taken as pivot;
  // with a quarter turn about the same point, only the true pivot keeps its distance to the joint.
  const glm::vec3 pivot(3, 0, 0);
  const glm::mat4 about =
      glm::translate(glm::mat4(1.0f), pivot) * turned(90) * scaled({2, 2, 2}) * glm::translate(glm::mat4(1.0f), -pivot);
  const OneVertex vertex = {.position = {4, 0, 0}, .matrices = {about, glm::mat4(1.0f)}, .weights = {0.5f, 0.5f}};
  const glm::dvec3 expected = glm::dvec3(3, 0, 0) + 1.5 * glm::dvec3(std::sqrt(0.5), std::sqrt(0.5), 0);
  EXPECT_VEC_NEAR(skin_with(vertex, "dqs", {}, pivot).position, expected, kSingle);
}

TEST(Dqs, PackedJointGivesItsMatrixBack) {
  test::Random random(1);
  for (int i = 0; i < 200; ++i) {
    glm::mat4 m = to_matrix({random.vector(-2, 2), glm::quat(random.rotation()), random.vector(0.5f, 2)});
    m *= to_matrix({random.vector(-2, 2), glm::quat(random.rotation()), random.vector(0.5f, 2)});  // sheared
    if (i % 2 == 1) {
      m[0] *= -1.0f;
    }
    std::array<glm::vec4, kDualQuatVec4s> packed{};
    const glm::vec3 pivot = random.vector(-1, 1);
    pack_dual_quats(loose_binding({&pivot, 1}), {&m, 1}, packed);
    const glm::mat3x4 stretch(packed[2], packed[3], packed[4]);
    const glm::mat4 back = rigid_after({packed[0], packed[1]}, glm::transpose(stretch));
    for (int c = 0; c < 4; ++c) {
      EXPECT_VEC_NEAR(glm::vec3(back[c]), glm::vec3(m[c]), 5e-6);
    }
    EXPECT_GE(packed[0].w, 0.0f);
  }
}

TEST(Dqs, HalfTurnsHaveOneNameHoweverTheyWereRounded) {
  for (const float noise : {-1e-7f, 0.0f, 1e-7f}) {
    glm::mat4 m = turned(180, {1, 0, 0});
    m[1].z = noise;
    m[2].y = -noise;
    std::array<glm::vec4, kDualQuatVec4s> packed{};
    const glm::vec3 pivot(0.0f);
    pack_dual_quats(loose_binding({&pivot, 1}), {&m, 1}, packed);
    EXPECT_VEC_NEAR(glm::vec3(packed[0]), glm::dvec3(1, 0, 0), kSingle);
  }
}

TEST(Dqs, AMirroringJointMirrorsAndTurnsHandedness) {
  const OneVertex alone = {.position = {1, 2, 3}, .matrices = {scaled({-1, 1, 1})}, .weights = {1}};
  const OneResult mirrored = skin_one(alone, "dqs");
  EXPECT_VEC_NEAR(mirrored.position, glm::dvec3(-1, 2, 3), kSingle);
  EXPECT_VEC_NEAR(mirrored.normal, glm::dvec3(0, 0, 1), kSingle);
  EXPECT_VEC_NEAR(glm::vec3(mirrored.tangent), glm::dvec3(-1, 0, 0), kSingle);
  EXPECT_EQ(mirrored.tangent.w, -1.0f);
  // Between a mirrored joint and one that is not, the stretch passes through zero: no shape, but finite.
  OneVertex between = alone;
  between.matrices.emplace_back(1.0f);
  between.weights = {0.5f, 0.5f};
  for (const char* id : {"dqs", "dqs-exact", "lbs-dqs"}) {
    const OneResult out = skin_one(between, id);
    EXPECT_TRUE(is_finite(out.position) && is_finite(out.normal) && is_finite(glm::vec3(out.tangent))) << id;
    EXPECT_NEAR(glm::length(out.normal), 1.0f, 1e-6f) << id;
  }
}

TEST(Dqs, ZeroScaleStaysFinite) {
  const OneVertex vertex = {.position = {1, 2, 3},
                            .matrices = {turned(40) * scaled({0, 0, 0}), turned(20) * scaled({1, 0, 1})},
                            .weights = {0.6f, 0.4f}};
  for (const char* id : {"dqs", "dqs-exact", "lbs-dqs"}) {
    const OneResult out = skin_one(vertex, id);
    EXPECT_TRUE(is_finite(out.position) && is_finite(out.normal) && is_finite(glm::vec3(out.tangent))) << id;
  }
}

TEST(Dqs, AntipodalitySwitchShowsTheLongWayRound) {
  // 100 degrees one way and 100 the other: 160 degrees apart the short way, through the half turn.
  const OneVertex vertex = {.position = {1, 0, 0}, .matrices = {turned(100), turned(-100)}, .weights = {0.5f, 0.5f}};
  MethodParameters parameters;
  EXPECT_VEC_NEAR(skin_with(vertex, "dqs", parameters).position, glm::dvec3(-1, 0, 0), kSingle);
  EXPECT_VEC_NEAR(skin_with(vertex, "dqs-exact", parameters).position, glm::dvec3(-1, 0, 0), kSingle);
  parameters.antipodality = false;
  EXPECT_VEC_NEAR(skin_with(vertex, "dqs", parameters).position, glm::dvec3(1, 0, 0), kSingle);
  EXPECT_VEC_NEAR(skin_with(vertex, "dqs-exact", parameters).position, glm::dvec3(1, 0, 0), kSingle);
}

TEST(Dqs, RotationsThatCancelOutGiveWayToLinearBlending) {
  // Without antipodality, quaternions of one rotation given with opposite signs cancel: only by hand, since packing
  // gives one name to each.
  const glm::mat4 m = glm::translate(turned(30), glm::vec3(1, 2, 3));
  mesh::Primitive primitive;
  primitive.positions = {{0.5f, 0.25f, 0}};
  const std::uint16_t joints[] = {0, 1};
  const float weights[] = {0.5f, 0.5f};
  mesh::append_row(primitive.influences.edit(), joints, weights);
  const SkinningMethod& method = skinning_methods()[find_method("dqs")];
  const std::vector<glm::mat4> matrices = {m, m};
  std::vector<glm::vec4> palette;
  pack_palette(method, loose_binding(std::vector<glm::vec3>(2, glm::vec3(0.0f))), matrices, palette);
  palette[kDualQuatVec4s] *= -1.0f;
  palette[kDualQuatVec4s + 1] *= -1.0f;
  SkinInput input;
  input.positions = primitive.positions;
  input.influences = &*primitive.influences;
  input.skin_matrices = matrices;
  input.palette = palette;
  input.parameters.antipodality = false;
  std::vector<glm::vec3> out(1);
  skin_all(method, input, {out, {}, {}});
  EXPECT_VEC_NEAR(out[0], glm::vec3(m * glm::vec4(primitive.positions[0], 1)), kSingle);
}

TEST(Dqs, WeightsAsStoredScaleTheBindShape) {
  OneVertex vertex = {.position = {1, 2, 3}, .matrices = {turned(90), turned(90)}, .weights = {0.5f, 0.25f}};
  vertex.as_stored = true;
  for (const char* id : {"dqs", "dqs-exact", "lbs-dqs"}) {
    EXPECT_VEC_NEAR(skin_one(vertex, id).position, glm::dvec3(-1.5, 0.75, 2.25), kSingle) << id;
  }
}

// The mean that no influence pulls any way: one joint at a time, in double precision, by rotations alone and by screws.
TEST(DqsExact, NoInfluencePullsAnyWay) {
  const rig::Character character = test::random_rig({.seed = 9, .influences = 8});
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  test::Random random(4);
  std::vector<glm::dquat> rotation;
  std::vector<glm::mat4> matrices;
  for (std::size_t j = 0; j < character.skins[0].joints.size(); ++j) {
    rotation.push_back(random.rotation(0.9));
    matrices.emplace_back(glm::mat4_cast(rotation.back()));
  }
  const DeformedPart out =
      skin_once(skinning_methods()[find_method("dqs-exact")], primitive, primitive.influences, matrices);
  const mesh::Influences& rows = primitive.influences;
  for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
    glm::dquat mean = rotation[rows.joints(v)[0]];
    for (int i = 0; i < 200; ++i) {
      glm::dvec3 pull(0.0);
      const mesh::InfluenceRow row = rows.row(v);
      for (std::size_t k = 0; k < row.joints.size(); ++k) {
        pull += rotation_vector(glm::conjugate(mean) * rotation[row.joints[k]]) * static_cast<double>(row.weights[k]);
      }
      mean = glm::normalize(mean * quat_from_rotation_vector(pull));
    }
    EXPECT_VEC_NEAR(out.positions[v], mean * glm::dvec3(primitive.positions[v]), 3e-6);
  }
}

TEST(DqsExact, TwoScrewsAreBlendedAtConstantSpeed) {
  // A turn by 120 degrees about an axis through (1,2,0) with a shift of 3 along it.
  const glm::dvec3 point(1, 2, 0);
  const glm::dvec3 axis = glm::normalize(glm::dvec3(1, 1, 2));
  const auto screw = [&](double share) {
    return glm::translate(glm::dmat4(1.0), point + axis * (3 * share)) *
           glm::rotate(glm::dmat4(1.0), 120 * kDegree * share, axis) * glm::translate(glm::dmat4(1.0), -point);
  };
  for (const float w : {0.1f, 0.25f, 0.5f, 0.8f, 0.99f}) {
    const OneVertex vertex = {
        .position = {0.5f, -1, 2}, .matrices = {glm::mat4(1.0f), glm::mat4(screw(1))}, .weights = {1 - w, w}};
    const glm::dvec4 expected = screw(static_cast<double>(w)) * glm::dvec4(0.5, -1, 2, 1);
    EXPECT_VEC_NEAR(skin_one(vertex, "dqs-exact").position, glm::dvec3(expected), 3e-6);
  }
}

TEST(Dqs, NormalsOfTheHeaviestJointAndOfThePlainBlend) {
  OneVertex vertex = {.normal = {1, 0, 0}, .matrices = {glm::mat4(1.0f), turned(90)}, .weights = {0.6f, 0.4f}};
  for (const char* id : {"dqs", "dqs-exact", "lbs-dqs"}) {
    vertex.variant = NormalVariant::kLargestWeight;
    EXPECT_VEC_NEAR(skin_one(vertex, id).normal, glm::dvec3(1, 0, 0), kSingle);
  }
  // Stretched twofold along x: turned without the inverse transpose, C13.1's naive normal.
  const OneVertex stretched = {.normal = glm::normalize(glm::vec3(1, 1, 0)),
                               .matrices = {turned(90) * scaled({2, 1, 1})},
                               .weights = {1},
                               .variant = NormalVariant::kBlend};
  for (const char* id : {"dqs", "dqs-exact", "lbs-dqs"}) {
    EXPECT_VEC_NEAR(skin_one(stretched, id).normal, glm::dvec3(-0.447214, 0.894427, 0), kSingle);
  }
}

TEST(LbsDqs, ShareGoesFromTheOneToTheOther) {
  const OneVertex vertex = {.position = {3, 1, 0},
                            .matrices = {glm::mat4(1.0f), glm::translate(glm::mat4(1.0f), {4, 4, 0}) * turned(-90)},
                            .weights = {0.8f, 0.2f}};
  MethodParameters parameters;
  parameters.dual_quaternion_share = 0;
  EXPECT_VEC_NEAR(skin_with(vertex, "lbs-dqs", parameters).position, glm::dvec3(3.4, 1, 0), kSingle);
  EXPECT_VEC_NEAR(skin_with(vertex, "lbs-dqs", parameters).normal, skin_one(vertex, "lbs").normal, kSingle);
  parameters.dual_quaternion_share = 1;
  EXPECT_VEC_NEAR(skin_with(vertex, "lbs-dqs", parameters).position, glm::dvec3(3.337949, 1.249675, 0), kSingle);
  EXPECT_VEC_NEAR(skin_with(vertex, "lbs-dqs", parameters).normal, skin_one(vertex, "dqs").normal, kSingle);
  parameters.dual_quaternion_share = 0.25f;
  EXPECT_VEC_NEAR(skin_with(vertex, "lbs-dqs", parameters).position,
                  glm::dvec3(3.4, 1, 0) * 0.75 + glm::dvec3(3.337949, 1.249675, 0) * 0.25, kSingle);
}

TEST(LbsSum, C7_7_SumFormEqualsMatrixForm) {
  const rig::Character character = test::random_rig({.seed = 3, .influences = 8, .scaled = true});
  test::Random random(3);
  const rig::Pose pose = test::random_pose(character, random, 2.0);
  const auto sum = deform_once(character, pose, {.method = find_method("lbs-sum")});
  const auto matrix = deform_once(character, pose, {.method = find_method("lbs")});
  for (std::size_t v = 0; v < sum.parts[0].positions.size(); ++v) {
    EXPECT_LE(glm::distance(sum.parts[0].positions[v], matrix.parts[0].positions[v]), 1e-6f * sum.bounds.diagonal());
  }
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  std::vector<glm::mat4> matrices(character.skins[0].joints.size());
  rig::skin_matrices(character.skins[0], world.world(), matrices);
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  const SkinningMethod& lbs = skinning_methods()[find_method("lbs")];
  const DeformedPart plain =
      skin_once(lbs, primitive, primitive.influences, matrices, {}, NormalVariant::kInverseTransposeOfBlend);
  EXPECT_EQ(sum.parts[0].normals, plain.normals);
  EXPECT_EQ(sum.parts[0].tangents, plain.tangents);
}

}  // namespace
}  // namespace pelt::deform
