#include "deform/vertex_steps.h"

#include <cmath>

#include <gtest/gtest.h>

#include "math/angle.h"
#include "one_vertex.h"
#include "rig/kinematics.h"
#include "support/fixtures.h"

namespace pelt::deform {
namespace {

constexpr double kStepDigits = 1e-5;  // the elbow is nine metres long

struct Posed {
  rig::Character character;
  rig::Pose pose;
  SkinningSettings settings;

  [[nodiscard]] std::vector<glm::mat4> world() const {
    rig::WorldMatrices matrices;
    matrices.evaluate(character.skeleton, pose);
    return matrices.world();
  }
  [[nodiscard]] VertexSteps steps(int part, int vertex) const {
    return vertex_steps(character, pose, world(), settings, deform_once(character, pose, settings), part, vertex);
  }
};

std::vector<glm::vec3> arc_of(const Posed& posed, int method, const VertexSteps& steps, int count) {
  return blend_arc(posed.character, posed.pose, posed.world(), skin_bindings(posed.character), method, {}, steps,
                   count);
}

// F-ELBOW bent by 90 degrees: vertex 0 is A.
constexpr int kA = 0;
Posed bent_elbow(const char* method) {
  Posed out{test::elbow(), {}, {}};
  out.pose = test::elbow_bent(out.character);
  out.settings.method = find_method(method);
  return out;
}

// C7.1: upper arm alone (3, 1), forearm alone (5, 1), blend (3.4, 1).
TEST(VertexSteps, C7_1_ElbowStepByStep) {
  const Posed posed = bent_elbow("lbs");
  const VertexSteps steps = posed.steps(0, kA);
  EXPECT_EQ(steps.vertex, kA);
  EXPECT_VEC_NEAR(steps.bind, glm::dvec3(3, 1, 0), kStepDigits);
  ASSERT_EQ(steps.joints.size(), 2u);
  EXPECT_EQ(steps.joints[0].joint, posed.character.skeleton->find("upper_arm"));
  EXPECT_EQ(steps.joints[1].joint, posed.character.skeleton->find("forearm"));
  EXPECT_NEAR(steps.joints[0].weight, 0.8f, 1e-6f);
  EXPECT_NEAR(steps.joints[1].weight, 0.2f, 1e-6f);
  EXPECT_VEC_NEAR(steps.joints[0].in_joint, glm::dvec3(3, 1, 0), kStepDigits);
  EXPECT_VEC_NEAR(steps.joints[1].in_joint, glm::dvec3(-1, 1, 0), kStepDigits);  // the hinge is at (4, 0)
  EXPECT_VEC_NEAR(steps.joints[0].ghost, glm::dvec3(3, 1, 0), kStepDigits);
  EXPECT_VEC_NEAR(steps.joints[1].ghost, glm::dvec3(5, 1, 0), kStepDigits);
  EXPECT_VEC_NEAR(steps.joints[1].contribution, glm::dvec3(1, 0.2, 0), kStepDigits);
  EXPECT_VEC_NEAR(steps.weighted_sum, glm::dvec3(3.4, 1, 0), kStepDigits);
  EXPECT_VEC_NEAR(steps.result, glm::dvec3(3.4, 1, 0), kStepDigits);
}

TEST(VertexSteps, SumIsLinearWhateverTheMethod) {
  const Posed posed = bent_elbow("dqs");
  const VertexSteps steps = posed.steps(0, kA);
  EXPECT_VEC_NEAR(steps.weighted_sum, glm::dvec3(3.4, 1, 0), kStepDigits);
  EXPECT_NEAR(glm::distance(steps.result, glm::vec3(4, 0, 0)), std::sqrt(2.0f), 1e-5f);  // on the arc
}

TEST(VertexSteps, BlendArcIsAChordOrAnArc) {
  const Posed posed = bent_elbow("lbs");
  const VertexSteps steps = posed.steps(0, kA);
  const std::vector<glm::vec3> chord = arc_of(posed, find_method("lbs"), steps, 11);
  ASSERT_EQ(chord.size(), 11u);
  for (std::size_t i = 0; i < chord.size(); ++i) {
    EXPECT_VEC_NEAR(chord[i], glm::dvec3(3 + 0.2 * static_cast<double>(i), 1, 0), kStepDigits) << i;
  }
  const std::vector<glm::vec3> arc = arc_of(posed, find_method("dqs-exact"), steps, 10);
  ASSERT_EQ(arc.size(), 10u);
  for (std::size_t i = 0; i < arc.size(); ++i) {
    // From (-1, 1) about the hinge, a quarter turn clockwise at constant speed.
    const double angle = (135 - 10 * static_cast<double>(i)) * kDegree;
    EXPECT_VEC_NEAR(arc[i], glm::dvec3(4 + std::sqrt(2) * std::cos(angle), std::sqrt(2) * std::sin(angle), 0),
                    kStepDigits)
        << i;
  }
  EXPECT_TRUE(arc_of(posed, find_method("cor"), steps, 5).empty());
  EXPECT_TRUE(arc_of(posed, find_method("delta-mush"), steps, 5).empty());
}

TEST(VertexSteps, FollowSettingsThatChangeInfluences) {
  Posed posed = bent_elbow("lbs");
  posed.settings.influence_limit = 1;
  const VertexSteps steps = posed.steps(0, kA);
  ASSERT_EQ(steps.joints.size(), 1u);
  EXPECT_EQ(steps.joints[0].weight, 1.0f);
  EXPECT_VEC_NEAR(steps.weighted_sum, glm::dvec3(3, 1, 0), kStepDigits);
  EXPECT_TRUE(arc_of(posed, find_method("lbs"), steps, 5).empty());
}

TEST(VertexSteps, WeightsAsStoredScaleTheSum) {
  Posed posed = bent_elbow("lbs");
  posed.character.meshes.edit(0).primitives.edit(0).influences.edit().set_stored_sum(kA, 0.5f);
  EXPECT_VEC_NEAR(posed.steps(0, kA).weighted_sum, glm::dvec3(3.4, 1, 0), kStepDigits);
  EXPECT_EQ(posed.steps(0, kA).stored_sum, 0.5f);
  posed.settings.weights_as_stored = true;
  const VertexSteps steps = posed.steps(0, kA);
  EXPECT_NEAR(steps.joints[0].weight, 0.4f, 1e-6f);
  EXPECT_VEC_NEAR(steps.weighted_sum, glm::dvec3(1.7, 0.5, 0), kStepDigits);
  EXPECT_VEC_NEAR(steps.result, steps.weighted_sum, kStepDigits);
}

TEST(VertexSteps, MorphTargetsComeFirst) {
  Posed posed = bent_elbow("lbs");
  mesh::Mesh& mesh = posed.character.meshes.edit(0);
  mesh::Primitive& primitive = mesh.primitives.edit(0);
  mesh::MorphTarget target;
  target.position_deltas.assign(primitive.vertex_count(), glm::vec3(0, 2, 0));
  primitive.normals.assign(primitive.vertex_count(), glm::vec3(0, 1, 0));
  target.normal_deltas.assign(primitive.vertex_count(), glm::vec3(2, 0, 0));
  primitive.morph_targets = {target};
  mesh.morph_names = {"taller"};
  posed.character.mesh_nodes.edit()[0].morph_weights = {0.5f};
  rig::finish(posed.character);
  posed.pose = test::elbow_bent(posed.character);
  const VertexSteps steps = posed.steps(0, kA);
  EXPECT_VEC_NEAR(steps.bind, glm::dvec3(3, 2, 0), kStepDigits);
  EXPECT_VEC_NEAR(steps.joints[1].ghost, glm::dvec3(6, 1, 0), kStepDigits);
  ASSERT_TRUE(steps.bind_normal);
  EXPECT_VEC_NEAR(*steps.bind_normal, glm::normalize(glm::dvec3(1, 1, 0)), kStepDigits);
  ASSERT_TRUE(steps.result_normal);
  EXPECT_NEAR(glm::length(*steps.result_normal), 1.0f, 1e-5f);
}

TEST(VertexSteps, PartsWithoutASkinFollowTheirNode) {
  Posed posed;
  rig::Character& character = posed.character;
  Transform place;
  place.translation = {1, 2, 3};
  test::add_node(character, "node", -1, place);
  mesh::Primitive triangle;
  triangle.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  triangle.indices = {0, 1, 2};
  character.meshes.emplace_back();
  character.meshes.edit(0).primitives.push_back(std::move(triangle));
  character.mesh_nodes.push_back({.joint = 0, .mesh = 0, .skin = -1, .morph_weights = {}});
  rig::finish(character);
  posed.pose = rig::rest_pose(character);
  const VertexSteps steps = posed.steps(0, 1);
  EXPECT_TRUE(steps.joints.empty());
  EXPECT_FALSE(steps.bind_normal);
  EXPECT_FALSE(steps.result_normal);
  EXPECT_VEC_NEAR(steps.weighted_sum, glm::dvec3(2, 2, 3), kStepDigits);
  EXPECT_VEC_NEAR(steps.result, glm::dvec3(2, 2, 3), kStepDigits);
}

// In every pose the sum is what linear blending gives, and B^-1 v taken on by the joint's world matrix is its ghost.
TEST(VertexSteps, AgreeWithTheDeformer) {
  test::Random random(5);
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    Posed posed{test::random_rig({.seed = seed, .morph_targets = 2}), {}, {}};
    posed.settings.method = find_method("lbs");
    posed.pose = test::random_pose(posed.character, random, 2.0, 0.3f, 0.5f);
    const std::vector<glm::mat4> world = posed.world();
    const DeformedCharacter shape = deform_once(posed.character, posed.pose, posed.settings);
    for (std::size_t p = 0; p < posed.character.parts.size(); ++p) {
      const auto count = posed.character.primitive(posed.character.parts[p]).vertex_count();
      const int v = random.below(static_cast<int>(count));
      const VertexSteps steps =
          vertex_steps(posed.character, posed.pose, world, posed.settings, shape, static_cast<int>(p), v);
      const double tolerance = 1e-5 * std::max(1.0, static_cast<double>(shape.bounds.diagonal()));
      EXPECT_VEC_NEAR(steps.result, steps.weighted_sum, tolerance);
      EXPECT_FALSE(steps.joints.empty());
      for (const JointStep& step : steps.joints) {
        const glm::vec3 ghost(world[step.joint] * glm::vec4(step.in_joint, 1.0f));
        EXPECT_VEC_NEAR(step.ghost, ghost, tolerance);
      }
    }
  }
}

}  // namespace
}  // namespace pelt::deform
