// ALGORITHMS.md §52 with the skinning methods.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "deform/deform.h"
#include "deform/skinning_methods.h"
#include "measure/posed_cracks.h"
#include "mesh/nurbs.h"
#include "mesh/subdivide.h"
#include "mesh/surface_checks.h"
#include "mesh/t_junctions.h"
#include "rig/surface_lint.h"
#include "rig/surface_variants.h"
#include "support/fixtures.h"
#include "support/surfaces.h"

namespace pelt::measure {
namespace {

deform::SkinningSettings lbs() {
  deform::SkinningSettings settings;
  settings.method = deform::find_method("lbs");
  settings.backend = deform::Backend::kCpu;
  return settings;
}

// Joint 0 at the origin, joint 1 at the pivot (1,0,0); a = (0,0) on joint 0, b = (2,0) on joint 1; the vertex in the
// middle, half on each, belongs to the two triangles on the other side.
rig::Character t_junction() {
  rig::Character character;
  test::add_node(character, "root", -1, {});
  test::add_node(character, "tip", 0, {.translation = {1, 0, 0}});
  mesh::Primitive primitive;
  primitive.positions = {{0, 0, 0}, {2, 0, 0}, {1, 1, 0}, {1, 0, 0}, {1, -1, 0}};
  primitive.indices = {0, 1, 2, 0, 4, 3, 3, 4, 1};
  const std::uint16_t joints[] = {0, 1};
  for (const float w : {0.0f, 1.0f, 0.5f, 0.5f, 0.5f}) {
    mesh::append_row(primitive.influences.edit(), joints, std::array{1 - w, w});
  }
  test::add_skinned_mesh(character, "mesh", {0, 1}, std::move(primitive));
  rig::finish(character);
  return character;
}

std::vector<PosedCrack> cracks(const rig::Character& character, const rig::Pose& pose,
                               const deform::SkinningSettings& settings) {
  std::vector<std::vector<rig::PlacedTJunction>> junctions;
  for (const mesh::Mesh& mesh : character.meshes) {
    junctions.push_back(rig::t_junctions(mesh));
  }
  return posed_cracks(character, junctions, deform::deform_once(character, pose, settings));
}

TEST(Surface, C52_1_CrackIsTheSineOfHalfTheBend) {
  const rig::Character character = t_junction();
  const struct { double degrees, crack; } cases[] = {{0, 0}, {30, 0.258819}, {60, 0.5}, {90, 0.707107}};
  for (const auto& [degrees, crack] : cases) {
    rig::Pose pose = rig::rest_pose(character);
    pose.local[1].rotation = glm::angleAxis(static_cast<float>(degrees * std::numbers::pi / 180), glm::vec3(0, 0, 1));
    const std::vector<PosedCrack> found = cracks(character, pose, lbs());
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NEAR(found[0].size, crack, 1e-6);
    EXPECT_LE(glm::length(found[0].vertex - glm::vec3(1, 0, 0)), 1e-6f);
    if (degrees == 90) {
      EXPECT_LE(glm::length(found[0].b - glm::vec3(1, 1, 0)), 1e-6f);
    }
  }
}

TEST(Surface, C52_3_AfterSplittingThereIsNoCrackInAnyPose) {
  test::Random random(52);
  rig::Character character = test::random_rig({.seed = 3, .joints = 8, .vertices = 3, .morph_targets = 1});
  // A closed surface on the rig's joints, with every fourth triangle cut on one side only.
  mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
  const auto joint_count = static_cast<int>(character.skins[0].joints.size());
  primitive = test::sphere(2);
  const std::size_t triangles = primitive.triangle_count();
  for (std::size_t t = 0; t < triangles; t += 4) {
    const std::uint32_t a = primitive.indices[3 * t + 1];  // the triangle in the middle of four is the neighbour
    const std::uint32_t b = primitive.indices[3 * t + 2];
    const std::uint32_t c = primitive.indices[3 * t];
    const auto v = static_cast<std::uint32_t>(primitive.vertex_count());
    primitive.positions.push_back(glm::mix(primitive.positions[a], primitive.positions[b], random.real(0.2f, 0.8f)));
    primitive.indices.edit()[3 * t + 2] = v;
    primitive.indices.append({c, v, b});
  }
  primitive.normals.clear();
  mesh::MorphTarget target;
  for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
    target.position_deltas.push_back(random.vector(-0.1f, 0.1f));
    const std::uint16_t joints[] = {static_cast<std::uint16_t>(random.below(joint_count)),
                                    static_cast<std::uint16_t>(random.below(joint_count))};
    mesh::append_row(primitive.influences.edit(), joints, std::array{random.real(0.1f, 1.0f), random.real(0.1f, 1.0f)});
  }
  primitive.morph_targets = {target};
  const std::vector<mesh::TJunction> junctions = mesh::find_t_junctions(primitive.positions, primitive.indices);
  ASSERT_EQ(junctions.size(), triangles / 4);
  ASSERT_EQ(test::edge_degrees(primitive)[1], 3 * junctions.size());

  const rig::Character split = rig::without_t_junctions(character);
  const mesh::Primitive& repaired = split.meshes[0].primitives[0];
  EXPECT_TRUE(rig::t_junctions(split.meshes[0]).empty());
  EXPECT_EQ(test::edge_degrees(repaired).size(), 1u);
  for (std::size_t row = 0; row < deform::skinning_methods().size(); ++row) {
    deform::SkinningSettings settings = lbs();
    settings.method = static_cast<int>(row);
    settings.parameters.direct_iterations = 3;
    for (int trial = 0; trial < 5; ++trial) {
      const rig::Pose pose = test::random_pose(character, random, 2.0, 0.3f, 0.5f);
      double largest = 0;
      for (const PosedCrack& crack : cracks(character, pose, settings)) {
        largest = std::max(largest, crack.size);
      }
      EXPECT_GT(largest, 0.01);
      // No edge has come open: wherever two vertices stood together they still do, to the bit.
      mesh::Primitive posed = repaired;
      const deform::DeformedCharacter deformed = deform::deform_once(split, pose, settings);
      posed.positions.assign(deformed.parts[0].positions.begin(), deformed.parts[0].positions.end());
      EXPECT_EQ(test::edge_degrees(posed).size(), 1u) << deform::skinning_methods()[row].id;
    }
  }
}

// A cage of one joint, of an affine map and of several joints.
class Refined : public testing::Test {
 protected:
  static std::vector<glm::vec3> skin(const mesh::Primitive& primitive, const std::vector<glm::mat4>& matrices) {
    std::vector<glm::vec3> out(primitive.vertex_count());
    deform::SkinInput input;
    input.positions = primitive.positions;
    input.influences = &*primitive.influences;
    input.skin_matrices = matrices;
    deform::skin_all(deform::skinning_methods()[deform::find_method("lbs")], input, {out, {}, {}});
    return out;
  }
  static float largest(const std::vector<glm::vec3>& a, const std::vector<glm::vec3>& b) {
    EXPECT_EQ(a.size(), b.size());
    float most = 0;
    for (std::size_t v = 0; v < a.size(); ++v) {
      most = std::max(most, glm::length(a[v] - b[v]));
    }
    return most;
  }
  static glm::mat4 bend(float angle) {
    const glm::vec3 pivot(0.5f, 0, 0);
    glm::mat4 m(glm::mat3_cast(glm::angleAxis(angle, glm::vec3(0, 0, 1))));
    m[3] = glm::vec4(pivot - glm::mat3(m) * pivot, 1);
    return m;
  }
  // Any affine map: turned, sheared, stretched, moved.
  static glm::mat4 affine() {
    return {{1.1f, 0.2f, 0, 0}, {-0.3f, 0.8f, 0.1f, 0}, {0.4f, 0, 1.3f, 0}, {0.5f, -0.25f, 0.75f, 1}};
  }
};

TEST_F(Refined, C52_4_OneJointSubdividingAndSkinningCommute) {
  const mesh::Primitive cage = test::cylinder_primitive();
  for (int levels = 1; levels <= 2; ++levels) {
    const mesh::Subdivision fine = mesh::subdivide_loop(cage, levels);
    for (const glm::mat4& m : {affine(), bend(1.5f)}) {
      const std::vector<glm::mat4> one_motion = {m, m};
      EXPECT_LE(largest(mesh::refine(fine, skin(cage, one_motion)), skin(fine.primitive, one_motion)), 1e-6f);
    }
  }
}

TEST_F(Refined, C52_4_SeveralJointsTheyDiffer) {
  const mesh::Primitive cage = test::cylinder_primitive();
  const mesh::Subdivision fine = mesh::subdivide_loop(cage, 2);
  const std::vector<glm::mat4> bent = {glm::mat4(1.0f), bend(1.5f)};
  const float difference = largest(mesh::refine(fine, skin(cage, bent)), skin(fine.primitive, bent));
  EXPECT_GT(difference, 1e-5f);
  EXPECT_LT(difference, 1e-2f);  // both are near the bent tube of radius 0.1
}

TEST_F(Refined, C52_4_NurbsLikewise) {
  // A tube from quarter circles, swept along x with a knot at the joint.
  const double w = std::numbers::sqrt2 / 2;
  mesh::NurbsSurface tube;
  tube.u = {2, 9, {0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4}};
  tube.v = {2, 4, {0, 0, 0, 0.5, 1, 1, 1}};
  for (int j = 0; j < 4; ++j) {
    const float x = std::array{0.0f, 0.25f, 0.75f, 1.0f}[static_cast<std::size_t>(j)];
    for (int i = 0; i < 9; ++i) {
      const glm::vec2 around[] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}, {1, 0}};
      tube.cage.positions.emplace_back(x, around[i].x * 0.1f, around[i].y * 0.1f);
      tube.weights.push_back(i % 2 == 0 ? 1.0 : w);
      const std::uint16_t joints[] = {0, 1};
      mesh::append_row(tube.cage.influences.edit(), joints, std::array{1 - x, x});
    }
  }
  ASSERT_TRUE(mesh::check(tube));
  const mesh::TessellatedNurbs surface = mesh::tessellate(tube, 4, 6);
  const auto both_ways = [&](const std::vector<glm::mat4>& matrices) {
    return largest(mesh::apply(surface.rows, skin(tube.cage, matrices)), skin(surface.primitive, matrices));
  };
  EXPECT_LE(both_ways({affine(), affine()}), 1e-6f);
  EXPECT_GT(both_ways({glm::mat4(1.0f), bend(1.5f)}), 1e-3f);

  // And in double precision, with the evaluation itself.
  mesh::NurbsSurface moved = tube;
  moved.cage.positions = skin(tube.cage, {affine(), affine()});
  for (int i = 0; i <= 20; ++i) {
    const glm::dvec3 expected(glm::dmat4(affine()) * glm::dvec4(mesh::evaluate(tube, i / 5.0, 0.3), 1));
    EXPECT_LE(glm::length(mesh::evaluate(moved, i / 5.0, 0.3) - expected), 1e-6);
  }
}

TEST(Surface, C52_5_SeamsOfEqualWeightsNeverSeparate) {
  test::Random random(5);
  rig::Character character = test::random_rig({.seed = 9, .joints = 12, .vertices = 300, .morph_targets = 2});
  mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
  // Each vertex twice: the copy has another normal and texture coordinate. Every other triangle is of copies, so that
  // what looks at neighbours finds seams everywhere.
  const auto count = static_cast<std::uint32_t>(primitive.vertex_count());
  mesh::Influences rows;
  for (std::uint32_t v = 0; v < 2 * count; ++v) {
    mesh::append_row(rows, primitive.influences->joints(v % count), primitive.influences->weights(v % count));
  }
  for (std::uint32_t v = 0; v < count; ++v) {
    primitive.positions.push_back(primitive.positions[v]);
    primitive.normals.push_back(-primitive.normals[v]);
    primitive.tangents.push_back(primitive.tangents[v]);
    primitive.texcoords[0].emplace_back(0.0f);
    for (mesh::MorphTarget& target : primitive.morph_targets.edit_each()) {
      target.position_deltas.push_back(target.position_deltas[v]);
      target.normal_deltas.push_back(target.normal_deltas[v]);
      target.tangent_deltas.push_back(target.tangent_deltas[v]);
    }
  }
  primitive.influences = rows;
  for (std::size_t i = 0; i < primitive.indices.size(); ++i) {
    primitive.indices.edit()[i] += i / 3 % 2 == 0 ? 0 : count;
  }
  EXPECT_TRUE(mesh::find_open_seams(primitive).empty());
  for (std::size_t row = 0; row < deform::skinning_methods().size(); ++row) {
    deform::SkinningSettings settings = lbs();
    settings.method = static_cast<int>(row);
    settings.parameters.direct_iterations = 3;
    for (int trial = 0; trial < 5; ++trial) {
      const rig::Pose pose = test::random_pose(character, random, 3.0, 0.2f, 0.5f);
      const deform::DeformedCharacter deformed = deform::deform_once(character, pose, settings);
      for (std::uint32_t v = 0; v < count; ++v) {
        ASSERT_EQ(deformed.parts[0].positions[v], deformed.parts[0].positions[v + count])
            << deform::skinning_methods()[row].id;
      }
    }
  }
}

}  // namespace
}  // namespace pelt::measure
