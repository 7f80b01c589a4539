// Symmetric posing: what is done to one side is done to the other, seen in the mirror, and is one step.
#include <gtest/gtest.h>

#include "edit/local_transforms.h"
#include "edit_fixtures.h"
#include "gltf/bundled.h"
#include "rig/kinematics.h"
#include "rig/mirror.h"

namespace pelt::edit {
namespace {

using test::apply;

class SymmetricPosing : public testing::Test {
 protected:
  void SetUp() override {
    document_ = make_document(std::make_shared<rig::Character>(*gltf::import_bundled("mannequin")));
    document_.view.symmetric_posing = true;
  }
  [[nodiscard]] int joint(const char* name) const { return document_.character->skeleton->find(name); }
  // How far places of joints are from those of their partners in the mirror, metres.
  [[nodiscard]] float asymmetry() const {
    const rig::Mirror mirror(*document_.character);
    rig::WorldMatrices world;
    world.evaluate(document_.character->skeleton, evaluate_pose(document_));
    float worst = 0;
    for (int j = 0; j < document_.character->skeleton->size(); ++j) {
      if (const int partner = mirror.partner(j); partner >= 0) {
        const glm::vec3 image = glm::vec3(world.world()[partner][3]) * glm::vec3(-1, 1, 1);
        worst = std::max(worst, glm::distance(glm::vec3(world.world()[j][3]), image));
      }
    }
    return worst;
  }
  Document document_;
};

TEST_F(SymmetricPosing, ASymmetricRigStaysSymmetricWhateverIsPosed) {
  const float at_rest = asymmetry();
  ASSERT_LT(at_rest, 1e-5f);
  test::Random random(7);
  const char* const kNames[] = {"shoulder_l", "elbow_l", "wrist_r", "hip_l", "knee_r", "clavicle_r", "ankle_l"};
  for (int i = 0; i < 60; ++i) {
    const int j = joint(kNames[random.below(static_cast<int>(std::size(kNames)))]);
    const rig::JointDofs dofs = joint_dofs(document_, j);
    ASSERT_FALSE(dofs.dofs.empty());
    const int dof = random.below(static_cast<int>(dofs.dofs.size()));
    switch (random.below(3)) {
      case 0:
        apply(document_, SetDof{j, dof, random.real(-1.0f, 1.0f)});
        break;
      case 1: {
        Transform local = current_local(document_, j);
        local.rotation = glm::normalize(local.rotation * glm::quat(random.rotation()));
        apply(document_, SetJointLocals{{{j, local}}});
        break;
      }
      default:
        apply(document_, ResetDof{j, dof});
        break;
    }
    ASSERT_LT(asymmetry(), 1e-5f) << i << " " << document_.history.undo_label();
  }
  EXPECT_FALSE(document_.content.overrides->empty());
}

TEST_F(SymmetricPosing, BothSidesAreOneStepWhichUndoTakesBackBitByBit) {
  const Content before = document_.content;
  apply(document_, SetDof{joint("elbow_l"), 0, 1.0f});
  EXPECT_EQ(document_.history.cursor(), 1u);
  EXPECT_TRUE(document_.content.overrides->contains(joint("elbow_r")));
  EXPECT_NEAR(dof_values(document_, joint("elbow_r"))[0], 1.0f, 1e-5f);
  undo(document_);
  EXPECT_EQ(document_.content, before);
}

TEST_F(SymmetricPosing, GoingBackToTheBasePoseFreesBothSides) {
  apply(document_, SetDof{joint("elbow_l"), 0, 1.0f});
  apply(document_, ResetDof{joint("elbow_l"), 0});
  EXPECT_TRUE(document_.content.overrides->empty());
}

TEST_F(SymmetricPosing, WhatPosesBothSidesOrTheMiddleIsLeftAlone) {
  apply(document_, SetDofs{{{joint("elbow_l"), 0, 1.0f}, {joint("elbow_r"), 0, 0.25f}}});
  EXPECT_NEAR(dof_values(document_, joint("elbow_l"))[0], 1.0f, 1e-5f);
  EXPECT_NEAR(dof_values(document_, joint("elbow_r"))[0], 0.25f, 1e-5f);
  const std::size_t posed = document_.content.overrides->size();
  apply(document_, SetDof{joint("hips"), 0, 0.2f});
  EXPECT_EQ(document_.content.overrides->size(), posed + 1);
}

TEST_F(SymmetricPosing, ThePartnersOwnLimitsHold) {
  rig::JointDofs dofs = joint_dofs(document_, joint("elbow_r"));
  dofs.dofs[0].upper = 0.5f;
  dofs.authored = true;
  apply(document_, SetJointSliders{joint("elbow_r"), dofs});
  apply(document_, SetDof{joint("elbow_l"), 0, 1.0f});
  EXPECT_NEAR(dof_values(document_, joint("elbow_l"))[0], 1.0f, 1e-5f);
  EXPECT_NEAR(dof_values(document_, joint("elbow_r"))[0], 0.5f, 1e-5f);
}

TEST_F(SymmetricPosing, OffItLeavesTheOtherSideAlone) {
  document_.view.symmetric_posing = false;
  apply(document_, SetDof{joint("elbow_l"), 0, 1.0f});
  EXPECT_FALSE(document_.content.overrides->contains(joint("elbow_r")));
}

TEST_F(SymmetricPosing, KeysOfBothSidesAreSetWhereKeysAreAutomatic) {
  apply(document_, SetClip{0});
  document_.view.timing.auto_key = true;
  apply(document_, SetDof{joint("elbow_l"), 0, 1.0f});
  EXPECT_TRUE(document_.content.overrides->empty()) << "it is in keys";
  EXPECT_NEAR(dof_values(document_, joint("elbow_l"))[0], 1.0f, 1e-4f);
  EXPECT_NEAR(dof_values(document_, joint("elbow_r"))[0], 1.0f, 1e-4f);
}

// With automatic keys nothing is posed by hand: the other side takes what the clip says now, mirrored, as keys.
TEST_F(SymmetricPosing, MirroringKeysMirrorsWhatIsSeen) {
  document_.view.symmetric_posing = false;
  apply(document_, SetClip{1});
  document_.view.timing.auto_key = true;
  apply(document_, SetTime{0.3f});
  apply(document_, SetDof{joint("elbow_l"), 0, 1.0f});
  ASSERT_TRUE(document_.content.overrides->empty());
  apply(document_, MirrorPose{MirrorDirection::kLeftToRight, {joint("shoulder_l")}});
  EXPECT_TRUE(document_.content.overrides->empty());
  EXPECT_NEAR(dof_values(document_, joint("elbow_r"))[0], 1.0f, 1e-4f);
  const rig::Mirror mirror(*document_.character);
  const rig::Pose pose = evaluate_pose(document_);
  const int right = joint("shoulder_r");
  const Transform image = mirror.image(right, pose.local[joint("shoulder_l")]);
  EXPECT_NEAR(std::abs(glm::dot(image.rotation, pose.local[right].rotation)), 1, 1e-5f);
}

}  // namespace
}  // namespace pelt::edit
