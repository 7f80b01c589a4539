// The tab "Joints" of the Rig mode: types, limits, what clips tell, the other side, and arcs in the picture.
#include "ui/joints_panel.h"

#include <gtest/gtest.h>
#include <imgui.h>

#include <cmath>

#include "gltf/bundled.h"
#include "headless_window.h"
#include "rig/character_parts.h"
#include "rig/joint_types.h"

namespace pelt::ui {
namespace {

class JointsTab : public HeadlessWindow {
 protected:
  void SetUp() override {
    HeadlessWindow::SetUp();
    resize({1440, 1600}, 1);
    open(*gltf::import_bundled("mannequin"));
    elbow_ = document_.character->skeleton->find("elbow_l");
    workspace_.tab = kJointsTab;
    document_.view.select_only(elbow_);
    frames(3);
  }
  [[nodiscard]] const rig::JointDofs& dofs(int joint) const { return document_.character->skeleton->dofs[joint]; }
  int elbow_ = -1;
};

TEST_F(JointsTab, AnotherTypeKeepsThePoseAndIsOneStep) {
  ASSERT_EQ(rig::joint_type(dofs(elbow_))->type, rig::JointType::kHinge);
  edit::apply(document_, {edit::SetDof{elbow_, 0, 0.5f}, {}, true});
  const Transform posed = document_.content.overrides->at(elbow_).local;
  frames(2);
  click("joints.type");
  click("joints.type." + std::to_string(static_cast<int>(rig::JointType::kBall)));
  ASSERT_EQ(rig::joint_type(dofs(elbow_))->type, rig::JointType::kBall);
  EXPECT_EQ(document_.content.overrides->at(elbow_).local, posed);
  EXPECT_EQ(document_.history.cursor(), 2u);
  frames(2);
  click("joints.translates");
  EXPECT_TRUE(rig::joint_type(dofs(elbow_))->translates);
  EXPECT_EQ(dofs(elbow_).count(rig::DofKind::kTranslation), 3);
  act("edit.undo");
  act("edit.undo");
  EXPECT_EQ(rig::joint_type(dofs(elbow_))->type, rig::JointType::kHinge);
}

TEST_F(JointsTab, LimitsFollowTheSliderAndPushEachOther) {
  const float upper = dofs(elbow_).dofs[0].upper;
  const Rect slider = report_["joints.bend.upper"];
  ASSERT_FALSE(slider.empty());
  const float y = slider.center().y;
  const std::size_t steps = document_.history.cursor();
  // To the very left: below the lower limit, which gives way.
  drag({slider.x + slider.w * 0.6f, y}, {slider.x + 2, y});
  frames(2);
  const rig::Dof& dof = dofs(elbow_).dofs[0];
  EXPECT_LT(dof.upper, upper);
  EXPECT_LE(dof.lower, dof.upper);
  EXPECT_LE(dof.default_value, dof.upper);
  EXPECT_TRUE(rig::check_dofs(dofs(elbow_)));
  act("edit.undo");
  EXPECT_EQ(document_.history.cursor(), steps) << "one drag is one step";
  EXPECT_EQ(dofs(elbow_).dofs[0].upper, upper);
}

TEST_F(JointsTab, EveryButtonLeavesSoundDofs) {
  const int shoulder = document_.character->skeleton->find("shoulder_l");
  document_.view.select_only(shoulder);
  frames(3);
  ASSERT_GE(dofs(shoulder).dofs.size(), 2u);
  const std::string first = dofs(shoulder).dofs[0].name;
  const std::string second = dofs(shoulder).dofs[1].name;
  click("joints." + second + ".earlier");
  EXPECT_EQ(dofs(shoulder).dofs[0].name, second);
  EXPECT_EQ(dofs(shoulder).dofs[1].name, first);
  frames(2);
  const rig::Dof before = dofs(shoulder).dofs[0];
  click("joints." + second + ".flip");
  EXPECT_EQ(dofs(shoulder).dofs[0].axis, -before.axis);
  EXPECT_EQ(dofs(shoulder).dofs[0].upper, -before.lower);
  EXPECT_TRUE(rig::check_dofs(dofs(shoulder)));
  // The other side becomes its mirror image.
  frames(2);
  click("joints.copy-to-other-side");
  const int partner = document_.character->skeleton->find("shoulder_r");
  EXPECT_TRUE(rig::equal(dofs(partner), rig::mirrored_dofs(*document_.character, shoulder, partner)));
}

TEST_F(JointsTab, ClipsTellLimitsAndTooLittleIsSaid) {
  rig::Character mannequin = *gltf::import_bundled("mannequin");
  ASSERT_FALSE(mannequin.clips.empty());
  open(std::move(mannequin));
  workspace_.tab = kJointsTab;
  // Many joints at once: those with enough confidence take them, in one step.
  document_.view.selected_joints.clear();
  for (int j = 0; j < document_.character->skeleton->size(); ++j) {
    if (j != elbow_) {
      document_.view.selected_joints.push_back(j);
    }
  }
  document_.view.selected_joints.push_back(elbow_);  // what the panel is about: it has few sliders
  frames(3);
  std::vector<int> trusted;
  for (const int j : document_.view.selected_joints) {
    const rig::LearnedLimits learned = rig::learn_limits(*document_.character, j, dofs(j));
    if (!rig::equal(rig::with_limits(dofs(j), learned), dofs(j))) {
      trusted.push_back(j);
    }
  }
  const auto before = document_.character;
  click("joints.take-limits");
  int changed = 0;
  for (const int j : document_.view.selected_joints) {
    changed += rig::equal(dofs(j), before->skeleton->dofs[j]) ? 0 : 1;
  }
  EXPECT_EQ(changed, static_cast<int>(trusted.size()));
  EXPECT_EQ(document_.history.cursor(), trusted.empty() ? 0u : 1u);
  EXPECT_EQ(workspace_.notice.has_value(), trusted.empty()) << "too little is told in words";
}

TEST_F(JointsTab, ArcsAreDrawnInTheRigModeAlone) {
  const auto drawn = [&](std::string_view tab) {
    workspace_.tab = tab;
    frames(3);
    return ImGui::GetDrawData()->TotalVtxCount;
  };
  const int with = drawn(kJointsTab);
  // The same panel with nothing to turn draws no sector.
  rig::JointDofs narrow = dofs(elbow_);
  narrow.dofs[0].lower = narrow.dofs[0].default_value = 0;
  narrow.dofs[0].upper = 0.01f;
  edit::apply(document_, {edit::SetJointSliders{elbow_, narrow}, {}, true});
  EXPECT_LT(drawn(kJointsTab), with - 40) << "a sector of half a degree";
}

TEST_F(JointsTab, WorksWithoutSelectionClipsAndDofs) {
  document_.view.select_only(-1);
  frames(2);
  open(test::cylinder());
  workspace_.tab = kJointsTab;
  for (int j = 0; j < document_.character->skeleton->size(); ++j) {
    document_.view.select_only(j);
    for (int type = 0; type < rig::kJointTypeCount; ++type) {
      const rig::JointDofs now = edit::joint_dofs(document_, j);
      edit::apply(document_,
                  {edit::SetJointSliders{j, rig::change_type(now, {.type = static_cast<rig::JointType>(type)},
                                                             rig::bone_direction(document_.character->skeleton, j))},
                   {},
                   true});
      frames(2);
    }
  }
}

}  // namespace
}  // namespace pelt::ui
