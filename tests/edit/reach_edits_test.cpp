// Dragging joints and pinning them, as edits of a document.
#include "edit/reach_edits.h"

#include <gtest/gtest.h>

#include "edit/breakdown_edits.h"
#include "edit/commands.h"
#include "edit/edit_fixtures.h"
#include "edit/remap.h"
#include "edit/session.h"
#include "motion/reach.h"
#include "rig/kinematics.h"

namespace pelt::edit {
namespace {

using namespace test;  // NOLINT: joints of arm()

class ReachEdits : public testing::Test {
 protected:
  Document document_ = make_document(std::make_shared<const rig::Character>(arm()));

  [[nodiscard]] glm::vec3 place(int joint) const {
    rig::Pose pose = evaluate_pose(document_);
    rig::PoseBuilder builder(document_.character->skeleton, pose);
    return glm::vec3(builder.world(joint)[3]);
  }
  void drag(int joint, const glm::vec3& target, const char* merge = "") {
    const motion::ReachChain chain{kShoulder, false};
    apply(document_, {DragJoint{.joint = joint, .target = target, .chain = chain}, merge, true});
  }
  void pin(int joint, bool pinned = true) { apply(document_, {PinJoints{{joint}, pinned}, "", true}); }
  void move(int joint, const glm::vec3& by) {
    Transform local = evaluate_pose(document_).local[joint];
    local.translation += by;
    apply(document_, {SetJointLocal{joint, local, false}, "", true});
  }
};

TEST_F(ReachEdits, ADragPosesTheLimbAndIsOneStep) {
  const glm::vec3 before = place(kHand);
  const Content start = document_.content;
  for (int i = 1; i <= 5; ++i) {
    drag(kHand, before + glm::vec3(-0.03f, 0.03f, 0) * static_cast<float>(i), "reach");
  }
  end_merge(document_);
  EXPECT_LT(glm::distance(place(kHand), before + glm::vec3(-0.15f, 0.15f, 0)), 1e-3f);
  EXPECT_TRUE(document_.content.overrides->contains(kShoulder));
  EXPECT_FALSE(document_.content.overrides->contains(kRoot));
  const JointOverride& elbow = document_.content.overrides->at(kElbow);
  EXPECT_GT(elbow.dof_values.at(0), 0.1f) << "its slider shows how far it is bent";
  EXPECT_EQ(label(document_, DragJoint{.joint = kHand, .target = {}, .chain = {}}), "Drag hand_l");
  undo(document_);
  EXPECT_EQ(document_.content, start) << "to the bit";
}

TEST_F(ReachEdits, APinnedHandStaysWhileItsBodyMovesAndAfterItIsLetGo) {
  move(kElbow, {});
  drag(kHand, place(kHand) + glm::vec3(-0.1f, 0.1f, 0));
  pin(kHand);
  EXPECT_TRUE(is_pinned(document_.content, kHand));
  const glm::vec3 held = place(kHand);
  move(kRoot, {0.05f, -0.04f, 0});
  EXPECT_LT(glm::distance(place(kHand), held), 1e-3f);
  const rig::Pose pose = evaluate_pose(document_);
  pin(kHand, false);
  EXPECT_TRUE(document_.content.pins.empty());
  EXPECT_LT(glm::distance(place(kHand), held), 1e-3f) << "nothing jumps";
  undo(document_);
  EXPECT_EQ(evaluate_pose(document_).local, pose.local);
}

TEST_F(ReachEdits, APinGoesWithTheJointThatIsDragged) {
  pin(kHand);
  const glm::vec3 target = place(kHand) + glm::vec3(-0.1f, 0.1f, 0);
  drag(kHand, target);
  EXPECT_LT(glm::distance(place(kHand), target), 1e-3f);
  ASSERT_EQ(document_.content.pins.size(), 1u);
  EXPECT_LT(glm::distance(document_.content.pins[0].position, target), 1e-3f);
}

TEST_F(ReachEdits, TheSwitchOfTheirLayerTurnsPinsOff) {
  pin(kHand);
  const glm::vec3 held = place(kHand);
  move(kRoot, {0, -0.1f, 0});
  std::size_t pins = 0;
  while (document_.content.pose_layers[pins].kind != "pins") {
    ++pins;
  }
  apply(document_, {SetLayer{pins, false, {1}}, "", true});
  EXPECT_NEAR(place(kHand).y, held.y - 0.1f, 1e-5f);
}

TEST_F(ReachEdits, PinsFollowTheirJointsIntoAnotherVersion) {
  pin(kHand);
  Remap numbers = identity(*document_.character);
  std::vector<std::string> lost;
  const Content same = remap(document_.content, numbers, document_.content.character, &lost);
  EXPECT_EQ(same.pins, document_.content.pins);
  EXPECT_TRUE(lost.empty());
  numbers.joints[kHand] = -1;
  const Content without = remap(document_.content, numbers, document_.content.character, &lost);
  EXPECT_TRUE(without.pins.empty());
  EXPECT_EQ(lost, std::vector<std::string>{"the pin of hand_l"});
}

TEST_F(ReachEdits, ABreakdownGoesToItsReferenceAndAsFarAgain) {
  const float bent = 0.5f;
  apply(document_, {SetDof{kElbow, 0, bent}, "", true});
  const std::vector<JointLocal> from = posed_joints(document_, {kShoulder}, ResetScope::kSubtree);
  ASSERT_EQ(from.size(), 3u);
  const Content start = document_.content;
  const auto slide = [&](float share) {
    apply(document_, {BreakDownPose{from, ResetTo::kRest, share}, "breakdown", true});
    return dof_values(document_, kElbow)[0];
  };
  EXPECT_NEAR(slide(0.5f), 1.5f * bent, 1e-5f);
  EXPECT_NEAR(slide(-0.5f), 0.5f * bent, 1e-5f) << "from where the drag began, not from where it is";
  EXPECT_NEAR(slide(-1.0f), 0.0f, 1e-5f);
  EXPECT_TRUE(document_.content.overrides->empty()) << "the rest pose is not posed";
  EXPECT_NEAR(slide(1.0f), 2 * bent, 1e-5f);
  slide(0);
  EXPECT_EQ(document_.content, start);
  end_merge(document_);
  // Limits hold: the hinge goes to 140 degrees.
  apply(document_, {SetDof{kElbow, 0, 2.0f}, "", true});
  apply(document_, {BreakDownPose{posed_joints(document_, {kElbow}, ResetScope::kJoint), ResetTo::kRest, 1}, "", true});
  EXPECT_NEAR(dof_values(document_, kElbow)[0], 140 * kDegree, 1e-4f);
}

// Layers behind what is posed by hand add to it. Whoever drags, lets go or relaxes what is seen may not pose that, too.
class ReachEditsUnderLayers : public ReachEdits {
 protected:
  ReachEditsUnderLayers() {
    motion::Behaviour& behaviour = document_.content.behaviour.edit();
    behaviour.sliders = {{.name = "curl", .rows = {{"elbow_l.bend", 30}}, .value = 1}};
    motion::SpringChain chain{.name = "hand", .joints = {{.joint = "hand_l"}}};
    behaviour.springs.chains = {chain};
  }
};

TEST_F(ReachEditsUnderLayers, ADragMovesTheJointToTheMouse) {
  const glm::vec3 before = place(kHand);
  for (int i = 1; i <= 8; ++i) {
    const glm::vec3 target = before + glm::vec3(-0.02f, 0.02f, 0) * static_cast<float>(i);
    drag(kHand, target, "reach");
    EXPECT_LT(glm::distance(place(kHand), target), 1e-3f) << i;
  }
  EXPECT_NEAR(dof_values(document_, kElbow)[0] + 30 * kDegree,
              rig::dofs_from_local(joint_dofs(document_, kElbow), evaluate_pose(document_).local[kElbow])[0], 1e-4f)
      << "its own slider shows what is posed, without what the other slider adds";
}

TEST_F(ReachEditsUnderLayers, LettingGoOfAPinMovesNothing) {
  drag(kHand, place(kHand) + glm::vec3(-0.1f, 0.1f, 0));
  pin(kHand);
  move(kRoot, {0.03f, -0.02f, 0});
  const rig::Pose held = evaluate_pose(document_);
  pin(kHand, false);
  const rig::Pose after = evaluate_pose(document_);
  for (const int joint : {kShoulder, kElbow}) {
    EXPECT_NEAR(std::abs(glm::dot(after.local[joint].rotation, held.local[joint].rotation)), 1, 1e-5f) << joint;
  }
}

TEST_F(ReachEditsUnderLayers, ABreakdownBeginsWhereThePoseIs) {
  apply(document_, {SetDof{kElbow, 0, 0.5f}, "", true});
  const Content start = document_.content;
  const std::vector<JointLocal> from = posed_joints(document_, {kShoulder}, ResetScope::kSubtree);
  apply(document_, {BreakDownPose{from, ResetTo::kRest, 0}, "breakdown", true});
  EXPECT_EQ(document_.content, start);
  apply(document_, {BreakDownPose{from, ResetTo::kRest, -0.5f}, "breakdown", true});
  EXPECT_NEAR(dof_values(document_, kElbow)[0], 0.25f, 1e-5f);
}

// With automatic keys each step of a drag changes what the clip says; the reference is that of its beginning.
TEST_F(ReachEdits, ABreakdownOfKeysGoesToWhereTheClipWas) {
  apply(document_, {SetClip{0}, "", true});
  document_.view.timing.auto_key = true;
  document_.view.time = 1.25f;
  const float before = dof_values(document_, kElbow)[0];
  const std::vector<JointLocal> reference =
      in_reference(document_, posed_joints(document_, {kElbow}, ResetScope::kJoint), ResetTo::kBase);
  apply(document_, {SetDof{kElbow, 0, before + 0.4f}, "", true});
  const std::vector<JointLocal> from = posed_joints(document_, {kElbow}, ResetScope::kJoint);
  for (const float share : {-0.1f, -0.4f, -0.7f, -1.0f}) {
    apply(document_, {BreakDownPose{from, ResetTo::kBase, share, reference}, "breakdown", true});
    EXPECT_NEAR(dof_values(document_, kElbow)[0], before + 0.4f * (1 + share), 1e-4f) << share;
  }
}

}  // namespace
}  // namespace pelt::edit
