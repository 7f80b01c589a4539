#include <cmath>
#include <cstring>
#include <numbers>

#include <gtest/gtest.h>
#include <glm/gtc/matrix_transform.hpp>

#include "deform/deform.h"
#include "deform/skin_lbs.h"
#include "deform/vertex_frame.h"
#include "math/angle.h"
#include "one_vertex.h"
#include "support/fixtures.h"

namespace pelt::deform {
namespace {

using test::kPrintedDigits;
using test::OneVertex;
using test::skin_one;
using test::turned;

rig::Pose tip_turned(const rig::Character& character, double degrees, const glm::dvec3& axis) {
  rig::Pose pose = rig::rest_pose(character);
  pose.local[1].rotation = glm::quat(glm::angleAxis(degrees * kDegree, axis));
  return pose;
}

std::span<const glm::vec3> ring_source(const DeformedCharacter& out) {
  return out.parts[0].positions;
}

// Points of a ring of F-CYL relative to the centre of the undeformed ring at x = 0.5.
std::vector<glm::dvec3> mid_ring(const DeformedCharacter& out) {
  std::vector<glm::dvec3> ring;
  for (int k = 0; k < test::kCylinderAround; ++k) {
    ring.push_back(glm::dvec3(ring_source(out)[test::cylinder_vertex(20, k)]) - glm::dvec3(0.5, 0, 0));
  }
  return ring;
}

double ring_radius(const DeformedCharacter& out, int ring, int around) {
  const glm::dvec3 p(ring_source(out)[test::cylinder_vertex(ring, around)]);
  return std::hypot(p.y, p.z);
}

// A box of edge 1 hung on its own node below a joint.
rig::Character armed() {
  rig::Character character;
  test::add_node(character, "shoulder", -1, {});
  test::add_node(character, "hand", 0, {.translation = {1, 0, 0}});
  const int sword = test::add_node(character, "sword", 1, {.translation = {0, 0.3f, 0}});
  mesh::Primitive box;
  for (int corner = 0; corner < 8; ++corner) {
    box.positions.emplace_back(corner & 1, (corner >> 1) & 1, (corner >> 2) & 1);
  }
  for (std::uint32_t a = 0; a < 8; ++a) {
    for (std::uint32_t b = a + 1; b < 8; ++b) {
      box.indices.append({a, b});
    }
  }
  box.topology = mesh::Topology::kLines;
  character.meshes.push_back({.name = "box", .primitives = {box}, .morph_names = {}, .morph_weights = {}});
  character.mesh_nodes.push_back({.joint = sword, .mesh = 0, .skin = -1, .morph_weights = {}});
  rig::finish(character);
  return character;
}

TEST(RigidParts, C5_1_EdgeLengthsStay) {
  const rig::Character character = armed();
  const std::vector<std::uint32_t>& edges = character.meshes[0].primitives[0].indices;
  const std::vector<glm::vec3>& rest = character.meshes[0].primitives[0].positions;
  test::Random random(51);
  for (int round = 0; round < 100; ++round) {
    const DeformedCharacter out = deform_once(character, test::random_pose(character, random, std::numbers::pi), {});
    const std::span<const glm::vec3> posed = out.parts[0].positions;
    for (std::size_t e = 0; e < edges.size(); e += 2) {
      const double before = glm::length(glm::dvec3(rest[edges[e]]) - glm::dvec3(rest[edges[e + 1]]));
      const double after = glm::length(glm::dvec3(posed[edges[e]]) - glm::dvec3(posed[edges[e + 1]]));
      ASSERT_NEAR(after / before, 1.0, 1e-6);
    }
  }
}

TEST(RigidParts, C5_2_FollowsItsJoint) {
  const rig::Character character = armed();
  test::Random random(52);
  for (int round = 0; round < 100; ++round) {
    rig::Pose pose = test::random_pose(character, random, std::numbers::pi);
    pose.local[0].translation = random.vector(-1, 1);
    rig::WorldMatrices world;
    world.evaluate(character.skeleton, pose);
    const DeformedCharacter out = deform_once(character, pose, {});
    const double distance = glm::length(glm::dvec3(out.parts[0].positions[0]) - glm::dvec3(world[1][3]));
    ASSERT_NEAR(distance, 0.3, 1e-6);
  }
}

TEST(SimpleSkin, C6_1_EqualsOneHotLinearBlendBitwise) {
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    const rig::Character character = test::random_rig({.seed = seed});
    rig::Character one_hot = character;
    mesh::Primitive& primitive = one_hot.meshes.edit(0).primitives.edit(0);
    primitive.influences = mesh::limit_influences(primitive.influences, 1);
    test::Random random(seed);
    const rig::Pose pose = test::random_pose(character, random, std::numbers::pi, 0.1f, 0.5f);
    for (const NormalVariantInfo& info : kVertexNormalVariants) {
      const DeformedCharacter a =
          deform_once(character, pose, {.method = find_method("rigid"), .normals = info.variant});
      const DeformedCharacter b = deform_once(one_hot, pose, {.method = find_method("lbs"), .normals = info.variant});
      EXPECT_EQ(a.parts[0].positions, b.parts[0].positions);
      EXPECT_EQ(a.parts[0].normals, b.parts[0].normals);
      EXPECT_EQ(a.parts[0].tangents, b.parts[0].tangents);
      // C16.2: a limit of one influence is the same thing.
      const DeformedCharacter c = deform_once(character, pose, {.normals = info.variant, .influence_limit = 1});
      EXPECT_EQ(a.parts[0].positions, c.parts[0].positions);
    }
  }
}

TEST(SimpleSkin, C6_2_StraddlingEdgesStretch) {
  const auto edge = [](double degrees, float y) {
    const OneVertex left = {
        .position = {-0.05f, y, 0}, .matrices = {glm::mat4(1.0f), turned(-degrees)}, .weights = {0.7f, 0.3f}};
    const OneVertex right = {
        .position = {0.05f, y, 0}, .matrices = {glm::mat4(1.0f), turned(-degrees)}, .weights = {0.3f, 0.7f}};
    return (glm::dvec3(skin_one(right, "rigid").position) - glm::dvec3(skin_one(left, "rigid").position)) / 0.1;
  };
  // Coordinates near 0.5 in single precision, divided by 0.1.
  constexpr double kTolerance = 2e-6;
  EXPECT_NEAR(glm::length(edge(30, 0.5f)), 3.554116, kTolerance);
  EXPECT_NEAR(glm::length(edge(60, 0.5f)), 5.866025, kTolerance);
  EXPECT_NEAR(glm::length(edge(90, 0.5f)), 7.778175, kTolerance);
  EXPECT_NEAR(glm::length(edge(90, -0.5f)), 6.363961, kTolerance);
  EXPECT_LT(edge(90, -0.5f).x, 0.0);
}

TEST(Skinning, C7_1_ElbowBlend) {
  const rig::Character character = test::elbow();
  const rig::Pose pose = test::elbow_bent(character);
  EXPECT_VEC_NEAR(deform_once(character, pose, {}).parts[0].positions[0], glm::dvec3(3.4, 1, 0), kPrintedDigits);
  for (const int joint : {0, 1}) {
    rig::Character alone = character;
    mesh::Influences& influences = alone.meshes.edit(0).primitives.edit(0).influences.edit();
    influences = {};
    const auto only = static_cast<std::uint16_t>(joint);
    const float one = 1.0f;
    mesh::append_row(influences, {&only, 1}, {&one, 1});
    const glm::dvec3 expected = joint == 0 ? glm::dvec3(3, 1, 0) : glm::dvec3(5, 1, 0);
    EXPECT_VEC_NEAR(deform_once(alone, pose, {}).parts[0].positions[0], expected, kPrintedDigits);
  }
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  std::vector<glm::mat4> m(2);
  rig::skin_matrices(character.skins[0], world.world(), m);
  std::vector<glm::vec4> rows;
  pack_palette(skinning_methods()[find_method("lbs")], loose_binding(joint_pivots(character.skins[0])), m, rows);
  rows.erase(rows.begin(), rows.begin() + 3);
  EXPECT_VEC_NEAR(glm::vec3(rows[0]), glm::dvec3(0, 1, 0), kPrintedDigits);
  EXPECT_NEAR(rows[0].w, 4, kPrintedDigits);
  EXPECT_VEC_NEAR(glm::vec3(rows[1]), glm::dvec3(-1, 0, 0), kPrintedDigits);
  EXPECT_NEAR(rows[1].w, 4, kPrintedDigits);
}

TEST(Skinning, C7_2_Chord) {
  const OneVertex vertex = {.position = {1, 0, 0}, .matrices = {glm::mat4(1.0f), turned(90)}, .weights = {0.5f, 0.5f}};
  const glm::vec3 out = skin_one(vertex).position;
  EXPECT_VEC_NEAR(out, glm::dvec3(0.5, 0.5, 0), kPrintedDigits);
  EXPECT_NEAR(glm::length(out), 0.707107, kPrintedDigits);
}

TEST(Skinning, C7_3_CandyWrapper) {
  const rig::Character character = test::cylinder();
  const std::pair<double, double> halves[] = {{30, 0.9659},  {60, 0.8660},  {90, 0.7071}, {120, 0.5},
                                              {150, 0.2588}, {170, 0.0872}, {180, 0}};
  for (const auto& [degrees, ratio] : halves) {
    const DeformedCharacter out = deform_once(character, tip_turned(character, degrees, {1, 0, 0}), {});
    for (int k = 0; k < test::kCylinderAround; ++k) {
      EXPECT_NEAR(ring_radius(out, 20, k) / 0.1, ratio, 5e-5) << degrees;
      EXPECT_NEAR(ring_radius(out, 20, k) / 0.1, std::cos(degrees * kDegree / 2), 5e-6) << degrees;
    }
  }
  // w = 1/4 lies at x = 0.45, ring 18.
  const std::pair<double, double> quarters[] = {{90, 0.790569}, {120, 0.661438}, {180, 0.5}};
  for (const auto& [degrees, ratio] : quarters) {
    const DeformedCharacter out = deform_once(character, tip_turned(character, degrees, {1, 0, 0}), {});
    for (int k = 0; k < test::kCylinderAround; ++k) {
      EXPECT_NEAR(ring_radius(out, 18, k) / 0.1, ratio, 5e-6) << degrees;
    }
  }
}

TEST(Skinning, C7_4_TwistVolumeOfTheBlendZone) {
  const rig::Character character = test::cylinder();
  for (const double degrees : {60.0, 90.0, 120.0, 180.0}) {
    const DeformedCharacter out = deform_once(character, tip_turned(character, degrees, {1, 0, 0}), {});
    // The area of a ring is quadratic in its weight, so Simpson's rule over the zone's nine rings is exact.
    double sum = 0;
    for (int ring = 16; ring <= 24; ++ring) {
      const double area = std::pow(ring_radius(out, ring, 5) / 0.1, 2);
      sum += area * (ring == 16 || ring == 24 ? 1 : ring % 2 == 0 ? 2 : 4);
    }
    EXPECT_NEAR(sum / 24, 1 - 2.0 / 3 * std::pow(std::sin(degrees * kDegree / 2), 2), 5e-6) << degrees;
  }
}

TEST(Skinning, C7_5_ElbowWidth) {
  const rig::Character character = test::cylinder();
  for (const double degrees : {30.0, 60.0, 90.0, 120.0}) {
    const DeformedCharacter out = deform_once(character, tip_turned(character, degrees, {0, 0, 1}), {});
    const std::vector<glm::dvec3> ring = mid_ring(out);
    double in_plane = 0;
    double out_of_plane = 0;
    for (const glm::dvec3& p : ring) {
      in_plane = std::max(in_plane, std::hypot(p.x, p.y));
      out_of_plane = std::max(out_of_plane, std::abs(p.z));
    }
    EXPECT_NEAR(in_plane, 0.1 * std::cos(degrees * kDegree / 2), 1e-6) << degrees;
    EXPECT_NEAR(out_of_plane, 0.1, 1e-6) << degrees;
  }
}

TEST(Skinning, C53_2_MidRing) {
  const rig::Character character = test::cylinder();
  for (const double degrees : {60.0, 90.0, 120.0, 180.0}) {
    const double shrunk = 0.1 * std::cos(degrees * kDegree / 2);
    for (const glm::dvec3& p : mid_ring(deform_once(character, tip_turned(character, degrees, {1, 0, 0}), {}))) {
      EXPECT_NEAR(glm::length(p), shrunk, 1e-6);
    }
    double smallest = 1;
    double largest = 0;
    for (const glm::dvec3& p : mid_ring(deform_once(character, tip_turned(character, degrees, {0, 0, 1}), {}))) {
      smallest = std::min(smallest, glm::length(p));
      largest = std::max(largest, glm::length(p));
    }
    EXPECT_NEAR(smallest, shrunk, 1e-6);
    EXPECT_NEAR(largest, 0.1, 1e-6);
  }
}

// The pieces of a random rig that a kernel is called with.
struct KernelCase {
  rig::Character character;
  std::vector<glm::mat4> matrices;
  SkinInput input;
};

KernelCase kernel_case(std::uint32_t seed, double largest_angle) {
  KernelCase out;
  out.character = test::random_rig({.seed = seed, .influences = 8, .scaled = true});
  test::Random random(seed);
  rig::WorldMatrices world;
  world.evaluate(out.character.skeleton, test::random_pose(out.character, random, largest_angle, 0.1f, 0.2f));
  out.matrices.resize(out.character.skins[0].joints.size());
  rig::skin_matrices(out.character.skins[0], world.world(), out.matrices);
  const mesh::Primitive& primitive = out.character.meshes[0].primitives[0];
  out.input.positions = primitive.positions;
  out.input.influences = &*primitive.influences;
  out.input.skin_matrices = out.matrices;
  return out;
}

TEST(Skinning, C7_7_InsideTheHullOfTheGhostPoints) {
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    const KernelCase one = kernel_case(seed, std::numbers::pi);
    const std::size_t vertex_count = one.input.positions.size();
    std::vector<glm::vec3> matrix_form(vertex_count);
    std::vector<glm::vec3> sum_form(vertex_count);
    skin_lbs(one.input, {matrix_form, {}, {}}, 0, vertex_count);
    skin_lbs_sum_of_points(one.input, {sum_form, {}, {}}, 0, vertex_count);
    const double diagonal = static_cast<double>(bounds_of(matrix_form).diagonal());
    test::Random random(seed);
    for (std::size_t v = 0; v < vertex_count; ++v) {
      EXPECT_LE(glm::length(matrix_form[v] - sum_form[v]), 1e-6 * diagonal);
      const VertexRow row = row_of(one.input, v);
      for (int direction = 0; direction < 20; ++direction) {
        const glm::dvec3 d = random.unit();
        double lowest = 1e30;
        double highest = -1e30;
        for (std::uint32_t k = 0; k < row.count; ++k) {
          const glm::dvec3 ghost(transform_point(row.matrices[row.joint[k]], one.input.positions[v]));
          lowest = std::min(lowest, glm::dot(d, ghost));
          highest = std::max(highest, glm::dot(d, ghost));
        }
        const double along = glm::dot(d, glm::dvec3(matrix_form[v]));
        EXPECT_GE(along, lowest - 1e-6 * diagonal);
        EXPECT_LE(along, highest + 1e-6 * diagonal);
      }
    }
  }
}

TEST(Skinning, C7_8_EqualMatricesMoveRigidly) {
  KernelCase one = kernel_case(8, 1.0);
  const glm::mat4 m = glm::translate(turned(77, glm::normalize(glm::dvec3(1, 2, 3))), glm::vec3(1, 2, 3));
  std::fill(one.matrices.begin(), one.matrices.end(), m);
  const std::size_t vertex_count = one.input.positions.size();
  std::vector<glm::vec3> out(vertex_count);
  skin_lbs(one.input, {out, {}, {}}, 0, vertex_count);
  for (std::size_t v = 0; v < vertex_count; ++v) {
    EXPECT_VEC_NEAR(out[v], glm::dmat4(m) * glm::dvec4(glm::dvec3(one.input.positions[v]), 1), 3e-6);
  }
}

TEST(Skinning, C7_9_WeightsAsStored) {
  rig::Character character = test::elbow();
  mesh::Influences& influences = character.meshes.edit(0).primitives.edit(0).influences.edit();
  influences = {};
  const std::uint16_t joints[] = {0, 1};
  const float weights[] = {0.784f, 0.196f};  // 0.98 in all
  mesh::append_row(influences, joints, weights);
  const rig::Pose pose = test::elbow_bent(character);
  const glm::vec3 normalised = deform_once(character, pose, {}).parts[0].positions[0];
  const glm::vec3 stored = deform_once(character, pose, {.weights_as_stored = true}).parts[0].positions[0];
  EXPECT_VEC_NEAR(normalised, glm::dvec3(3.4, 1, 0), kPrintedDigits);
  EXPECT_NEAR(glm::length(normalised - stored), 0.02 * glm::length(glm::dvec3(3.4, 1, 0)), kPrintedDigits);
  // The strongest joint alone has no sum.
  const int rigid = find_method("rigid");
  EXPECT_EQ(deform_once(character, pose, {.method = rigid, .weights_as_stored = true}).parts[0].positions[0],
            glm::vec3(3, 1, 0));
}

TEST(Skinning, C8_2_ShuffledJointListGivesTheSameMesh) {
  const rig::Character character = test::random_rig({.seed = 82, .morph_targets = 1});
  rig::Character shuffled = character;
  test::Random random(82);
  const std::size_t count = character.skins[0].joints.size();
  std::vector<std::uint16_t> to(count);
  for (std::size_t j = 0; j < count; ++j) {
    to[j] = static_cast<std::uint16_t>(j);
  }
  for (std::size_t j = count; j-- > 1;) {
    std::swap(to[j], to[random.below(static_cast<int>(j) + 1)]);
  }
  for (std::size_t j = 0; j < count; ++j) {
    shuffled.skins.edit(0).joints[to[j]] = character.skins[0].joints[j];
    shuffled.skins.edit(0).joint_from_mesh[to[j]] = character.skins[0].joint_from_mesh[j];
  }
  shuffled.meshes.edit(0).primitives.edit(0).influences.edit().renumber_joints(
      [&](std::uint16_t joint) { return to[joint]; });
  const rig::Pose pose = test::random_pose(character, random, std::numbers::pi, 0.1f);
  for (std::size_t method = 0; method < skinning_methods().size(); ++method) {
    const SkinningSettings settings = {.method = static_cast<int>(method)};
    const DeformedCharacter a = deform_once(character, pose, settings);
    const DeformedCharacter b = deform_once(shuffled, pose, settings);
    EXPECT_EQ(a.parts[0].positions, b.parts[0].positions);
    EXPECT_EQ(a.parts[0].normals, b.parts[0].normals);
    EXPECT_EQ(a.parts[0].tangents, b.parts[0].tangents);
  }
}

TEST(SkinningMethods, TableIsConsistent) {
  ASSERT_FALSE(skinning_methods().empty());
  for (std::size_t m = 0; m < skinning_methods().size(); ++m) {
    const SkinningMethod& method = skinning_methods()[m];
    EXPECT_EQ(find_method(method.id), static_cast<int>(m));
    EXPECT_FALSE(method.label.empty());
    EXPECT_FALSE(method.help.empty());
    EXPECT_TRUE(method.shader.empty() || method.shader.starts_with("skinning/"));
    EXPECT_EQ(method.shader.empty(), !has(method.laws, Law::kCpuEqualsGpu));
    EXPECT_NE(method.normals & one_of(method.default_normals), 0u);
    EXPECT_NE(method.skin, nullptr);
    EXPECT_NE(method.pack, nullptr);
    EXPECT_EQ(method.prepare != nullptr,
              method.vec4s_per_vertex + method.vec4s_per_row > 0 || method.finish != nullptr);
    for (const MethodParameter& parameter : method.parameters) {
      const float standard = parameter.get(MethodParameters());
      EXPECT_GE(standard, parameter.minimum) << parameter.id;
      EXPECT_LE(standard, parameter.maximum) << parameter.id;
      MethodParameters changed;
      parameter.set(changed, parameter.maximum);
      EXPECT_EQ(parameter.get(changed), parameter.maximum) << parameter.id;
    }
  }
  EXPECT_EQ(find_method("no such method"), -1);
  EXPECT_EQ(skinning_methods()[SkinningSettings().method].id, "lbs");
}

TEST(Skinning, C9_3_ThreeRowsHoldTheWholeMatrix) {
  const KernelCase one = kernel_case(93, std::numbers::pi);
  const SkinningMethod& lbs = skinning_methods()[find_method("lbs")];
  std::vector<glm::vec4> rows;
  pack_palette(lbs, loose_binding(std::vector<glm::vec3>(one.matrices.size(), glm::vec3(0.0f))), one.matrices, rows);
  ASSERT_EQ(rows.size(), 3 * one.matrices.size());
  for (std::size_t j = 0; j < one.matrices.size(); ++j) {
    const glm::mat4 back =
        glm::transpose(glm::mat4(rows[3 * j], rows[3 * j + 1], rows[3 * j + 2], glm::vec4(0, 0, 0, 1)));
    EXPECT_EQ(back, one.matrices[j]);
  }
}

}  // namespace
}  // namespace pelt::deform
