// C3.3: what is measured and told of a bind pose in which each skin stands as it was bound.

#include "rig/own_bindings.h"

#include <gtest/gtest.h>

#include "deform/vertex_steps.h"
#include "math/angle.h"
#include "measure/degenerate_normals.h"
#include "measure/skin_meter.h"
#include "one_vertex.h"
#include "support/two_skins.h"

namespace pelt::deform {
namespace {

constexpr double kTubeDigits = 2e-6;  // metres, of a tube a metre long

// Both tubes as they were bound, the tip then turned about its axis.
struct InTheirBindPoses {
  rig::Character character;
  rig::Pose pose;
  rig::WorldMatrices matrices;
  SkinningSettings settings;

  explicit InTheirBindPoses(double bend_degrees, double turn_degrees = 0)
      : character(test::two_skins(static_cast<float>(bend_degrees * kDegree))), pose(rig::bind_pose(character)) {
    rig::add_own_bindings(character, pose);
    pose.local[1].rotation =
        pose.local[1].rotation * glm::quat(glm::angleAxis(turn_degrees * kDegree, glm::dvec3(0, 0, 1)));
    matrices.evaluate(character.skeleton, pose);
    settings.method = find_method("lbs");
  }
  [[nodiscard]] const std::vector<glm::mat4>& world() const { return matrices.world(); }
  [[nodiscard]] DeformedCharacter shape() const { return deform_once(character, pose, settings); }
};

TEST(OwnBindings, C3_3_NoNormalIsLostWhereNothingIsPosed) {
  const auto count = [](double turn) {
    InTheirBindPoses bound(180, turn);
    bound.settings.normals = NormalVariant::kBlend;
    SkinCache cache;
    return measure::count_degenerate_normals(bound.character, bound.pose, bound.world(), bound.settings, cache)->count;
  };
  EXPECT_EQ(count(0), 0);
  const std::int64_t lost = count(180);  // two vertices of the middle ring, of either tube
  EXPECT_GT(lost, 0);
  EXPECT_EQ(lost % 2, 0);
}

TEST(OwnBindings, C3_3_AVertexGoesNowhereInItsBindPose) {
  const InTheirBindPoses bound(120);
  const DeformedCharacter shape = bound.shape();
  const std::vector<SkinBinding> bindings = skin_bindings(bound.character);
  for (int part = 0; part < 2; ++part) {
    const VertexSteps steps = vertex_steps(bound.character, bound.pose, bound.world(), bound.settings, shape, part,
                                           static_cast<int>(test::cylinder_vertex(20, 3)));
    ASSERT_EQ(steps.joints.size(), 2u);
    for (const JointStep& step : steps.joints) {
      const glm::mat4& world = bound.world()[step.joint];
      EXPECT_VEC_NEAR(step.ghost, steps.bind, kTubeDigits);
      EXPECT_VEC_NEAR(glm::vec3(world * glm::vec4(step.in_joint, 1.0f)), step.ghost, kTubeDigits) << "part " << part;
    }
    for (const char* method : {"lbs", "dqs"}) {
      for (const glm::vec3& at :
           blend_arc(bound.character, bound.pose, bound.world(), bindings, find_method(method), {}, steps, 5)) {
        EXPECT_VEC_NEAR(at, steps.bind, kTubeDigits) << method << ", part " << part;
      }
    }
  }
}

// The ends of the arc are the ghosts, whatever the pose.
TEST(OwnBindings, C3_3_AnArcRunsFromGhostToGhost) {
  const InTheirBindPoses bent(120, 50);
  const VertexSteps steps = vertex_steps(bent.character, bent.pose, bent.world(), bent.settings, bent.shape(), 1,
                                         static_cast<int>(test::cylinder_vertex(19, 5)));
  const std::vector<glm::vec3> arc = blend_arc(bent.character, bent.pose, bent.world(), skin_bindings(bent.character),
                                               find_method("dqs"), {}, steps, 9);
  EXPECT_VEC_NEAR(arc.front(), steps.joints[0].ghost, kTubeDigits);
  EXPECT_VEC_NEAR(arc.back(), steps.joints[1].ghost, kTubeDigits);
}

TEST(OwnBindings, C3_3_NothingIsFlippedPinchedOrBulgedInTheBindPose) {
  const InTheirBindPoses bound(150);
  const DeformedCharacter shape = bound.shape();
  const measure::SkinMeter meter(bound.character, true);
  EXPECT_EQ(meter.flipped_triangles(shape, bound.pose, bound.world()), 0);
  for (const measure::ZoneMeasures& zone : meter.zones(shape, bound.pose, bound.world())) {
    EXPECT_EQ(zone.flipped_triangles, 0) << "joint " << zone.joint;
  }
  const measure::BoneDistance bones = meter.bone_distance(shape, bound.pose, bound.world());
  EXPECT_NEAR(bones.min_ratio, 1, 1e-4);
  EXPECT_NEAR(bones.max_ratio, 1, 1e-4);
  EXPECT_NEAR(bones.min, 0.1, 1e-5);  // the tube's radius
}

// A joint takes along what each skin has on it: where the root turns, bones and skins turn with it.
TEST(OwnBindings, C3_3_BonesOfASkinMoveWithIt) {
  InTheirBindPoses turned(100);
  turned.pose.local[0].rotation = glm::angleAxis(1.2f, glm::normalize(glm::vec3(1, 2, 3)));
  turned.matrices.evaluate(turned.character.skeleton, turned.pose);
  const measure::BoneDistance bones =
      measure::SkinMeter(turned.character).bone_distance(turned.shape(), turned.pose, turned.world());
  EXPECT_NEAR(bones.min_ratio, 1, 1e-4);
  EXPECT_NEAR(bones.max_ratio, 1, 1e-4);
}

}  // namespace
}  // namespace pelt::deform
