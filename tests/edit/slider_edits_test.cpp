// Other degrees of freedom for joints: what is seen stays, and the file and the session keep them.
#include <gtest/gtest.h>

#include "edit/edit_fixtures.h"
#include "edit/slider_edits.h"
#include "gltf/bundled.h"
#include "gltf/export.h"
#include "gltf/import.h"
#include "rig/character_parts.h"
#include "rig/joint_types.h"

namespace pelt {
namespace {

using namespace edit;  // NOLINT: the names that the tests are about

Document mannequin() {
  return make_document(std::make_shared<rig::Character>(*gltf::import_bundled("mannequin")));
}

rig::JointDofs of_type(const Document& document, int joint, rig::JointType type) {
  return rig::change_type(joint_dofs(document, joint), {.type = type},
                          rig::bone_direction(document.character->skeleton, joint));
}

TEST(SliderEdits, WhatIsSeenStays) {
  test::Random random(3);
  Document document = mannequin();
  const int elbow = document.character->skeleton->find("elbow_l");
  const Transform posed{{0.1f, 0, 0}, glm::quat(random.rotation()), glm::vec3(1)};
  apply(document, {SetJointLocal{elbow, posed, false}, {}, true});
  const rig::Pose before = evaluate_pose(document);
  for (int type = 0; type < rig::kJointTypeCount; ++type) {
    apply(document,
          {SetJointSliders{{{elbow, of_type(document, elbow, static_cast<rig::JointType>(type))}}}, {}, true});
    EXPECT_EQ(evaluate_pose(document).local[static_cast<std::size_t>(elbow)],
              before.local[static_cast<std::size_t>(elbow)])
        << type;
    const rig::JointDofs& now = document.character->skeleton->dofs[static_cast<std::size_t>(elbow)];
    EXPECT_TRUE(now.authored);
    EXPECT_EQ(dof_values(document, elbow).size(), now.dofs.size());
    EXPECT_EQ(document.content.overrides->at(elbow).dof_values.size(), now.dofs.size());
  }
  while (can_undo(document)) {
    undo(document);
  }
  EXPECT_TRUE(rig::equal(*document.content.character, *document.file));
}

TEST(SliderEdits, OneStepForSeveralAndNoneForTheSame) {
  Document document = mannequin();
  SetJointSliders change;
  for (const int joint : {3, 5, 7}) {
    change.joints.push_back({joint, of_type(document, joint, rig::JointType::kHinge)});
  }
  apply(document, {change, {}, true});
  EXPECT_EQ(document.history.cursor(), 1u);
  EXPECT_EQ(document.history.undo_label(), "Sliders of 3 joints");
  apply(document, {change, {}, true});
  EXPECT_EQ(document.history.cursor(), 1u);
  // One that is wrong: nothing is changed, and a sentence says so.
  change.joints[1].dofs.dofs[0].axis = glm::vec3(0);
  change.joints[0].dofs.dofs[0].lower = -0.25f;
  EXPECT_NE(notice(document, change), "");
  apply(document, {change, {}, true});
  EXPECT_EQ(document.history.cursor(), 1u);
}

TEST(SliderEdits, AChosenOrderBecomesPartOfThem) {
  Document document = make_document(std::make_shared<rig::Character>(*gltf::import_bundled("cylinder")));
  int joint = -1;
  for (int j = 0; j < document.character->skeleton->size(); ++j) {
    joint = rig::euler_order(document.character->skeleton->dofs[static_cast<std::size_t>(j)]) ? j : joint;
  }
  if (joint < 0) {
    document = mannequin();
    for (int j = 0; j < document.character->skeleton->size(); ++j) {
      joint = rig::euler_order(document.character->skeleton->dofs[static_cast<std::size_t>(j)]) ? j : joint;
    }
  }
  ASSERT_GE(joint, 0);
  apply(document, {SetEulerOrder{joint, EulerOrder::kZYX}, {}, true});
  rig::JointDofs dofs = joint_dofs(document, joint);
  dofs.dofs[0].upper = 0.75f;
  apply(document, {SetJointSliders{{{joint, dofs}}}, {}, true});
  EXPECT_FALSE(document.content.euler_orders->contains(joint));
  EXPECT_EQ(rig::euler_order(document.character->skeleton->dofs[static_cast<std::size_t>(joint)]), EulerOrder::kZYX);
  undo(document);
  EXPECT_TRUE(document.content.euler_orders->contains(joint));
}

TEST(SliderEdits, AnExportGivesThemBack) {
  Document document = mannequin();
  const int elbow = document.character->skeleton->find("elbow_l");
  rig::JointDofs ball = of_type(document, elbow, rig::JointType::kBall);
  ball.swing_limit = 0.625f;
  ball.dofs[0].lower = -0.5f;
  ball.dofs[1].name = "sway";
  const int knee = document.character->skeleton->find("knee_r");
  ASSERT_GE(knee, 0);
  const rig::JointDofs hinge = of_type(document, knee, rig::JointType::kHinge);
  apply(document, {SetJointSliders{{{elbow, ball}, {knee, hinge}}}, {}, true});
  const auto bytes = gltf::export_glb(*document.character);
  ASSERT_TRUE(bytes) << bytes.error().message;
  const Result<rig::Character> back = gltf::import_memory(*bytes, {});
  ASSERT_TRUE(back) << back.error().message;
  for (const int joint : {elbow, knee}) {
    const std::string name = document.character->skeleton->label(joint);
    const rig::JointDofs& wanted = document.character->skeleton->dofs[static_cast<std::size_t>(joint)];
    const rig::JointDofs& got = back->skeleton->dofs[static_cast<std::size_t>(back->skeleton->find(name))];
    EXPECT_TRUE(rig::equal(got, wanted)) << name;
  }
}

}  // namespace
}  // namespace pelt
