// The tab "Joints" of the Rig mode: types, limits, what clips tell, the other side, and arcs in the picture.
#include "ui/joints_panel.h"

#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gltf/bundled.h"
#include "headless_window.h"
#include "rig/character_parts.h"
#include "rig/joint_types.h"
#include "ui/modes.h"

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
  /// Of what panels draw over the picture, beside which no panel stands.
  int picture_vertices() {
    workspace_.panels_hidden = true;
    frames(2);
    const int count = ImGui::GetDrawData()->TotalVtxCount;
    workspace_.panels_hidden = false;
    return count;
  }
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

TEST_F(JointsTab, ClipsTellLimitsOfManyJointsInOneStep) {
  ASSERT_FALSE(document_.character->clips.empty());
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
  ASSERT_GT(trusted.size(), 3u) << "the clips of the mannequin move that many";
  ASSERT_LT(trusted.size(), document_.view.selected_joints.size());
  const auto before = document_.character;
  click("joints.take-limits");
  for (const int j : document_.view.selected_joints) {
    EXPECT_EQ(rig::equal(dofs(j), before->skeleton->dofs[j]), std::ranges::count(trusted, j) == 0) << j;
  }
  EXPECT_EQ(document_.history.cursor(), 1u);
  EXPECT_EQ(document_.history.undo_label(), "Degrees of freedom of " + std::to_string(trusted.size()) + " joints");
  EXPECT_FALSE(workspace_.notice.has_value());
}

TEST_F(JointsTab, TooLittleInTheClipsIsSaid) {
  rig::Character still = *gltf::import_bundled("mannequin");
  for (std::size_t c = 0; c < still.clips.size(); ++c) {
    std::erase_if(still.clips.edit(c).channels, [&](const rig::Channel& channel) { return channel.joint == elbow_; });
  }
  open(std::move(still));
  workspace_.tab = kJointsTab;
  document_.view.select_only(elbow_);
  frames(3);
  const rig::JointDofs before = dofs(elbow_);
  ASSERT_TRUE(report_.contains("joints.take-limits"));
  click("joints.take-limits");
  EXPECT_TRUE(rig::equal(dofs(elbow_), before));
  EXPECT_EQ(document_.history.cursor(), 0u);
  ASSERT_TRUE(workspace_.notice.has_value());
  EXPECT_EQ(workspace_.notice->text, "The clips tell too little to take limits from them");
}

TEST_F(JointsTab, ArcsAreDrawnInTheRigModeAlone) {
  // What a joint's limits add to a picture that is otherwise the same.
  const auto sector = [&] {
    const auto drawn = [&](float upper) {
      rig::JointDofs limits = dofs(elbow_);
      limits.dofs[0].lower = limits.dofs[0].default_value = 0;
      limits.dofs[0].upper = upper;
      edit::apply(document_, {edit::SetJointSliders{elbow_, limits}, {}, false});
      frames(3);
      return picture_vertices();
    };
    return drawn(2.0f) - drawn(0.01f);
  };
  EXPECT_GT(sector(), 40) << "a sector of 115 degrees against one of half a degree";
  for (const char* mode : {"look", "pose", "weights", "learn"}) {
    enter_mode(workspace_, mode);
    frames(3);
    EXPECT_EQ(sector(), 0) << mode;
  }
  enter_mode(workspace_, "rig");
  frames(3);
  EXPECT_GT(sector(), 40);
}

TEST_F(JointsTab, EveryJointOfEveryTypeShowsItsDofs) {
  document_.view.select_only(-1);
  frames(2);
  EXPECT_FALSE(report_.contains("joints.type")) << "without a joint there is nothing to be shown";
  open(test::cylinder());
  workspace_.tab = kJointsTab;
  for (int j = 0; j < document_.character->skeleton->size(); ++j) {
    document_.view.select_only(j);
    for (int type = 0; type < rig::kJointTypeCount; ++type) {
      SCOPED_TRACE(std::to_string(j) + ", type " + std::to_string(type));
      const rig::JointDofs now = edit::joint_dofs(document_, j);
      edit::apply(document_,
                  {edit::SetJointSliders{j, rig::change_type(now, {.type = static_cast<rig::JointType>(type)},
                                                             rig::bone_direction(document_.character->skeleton, j))},
                   {},
                   true});
      frames(2);
      EXPECT_TRUE(report_.contains("joints.type"));
      EXPECT_FALSE(report_.contains("joints.take-limits")) << "there are no clips";
      std::size_t limits = 0;
      for (const rig::Dof& dof : dofs(j).dofs) {
        EXPECT_TRUE(report_.contains("joints." + dof.name + ".lower")) << dof.name;
        EXPECT_TRUE(report_.contains("joints." + dof.name + ".upper")) << dof.name;
      }
      for (const auto& [name, rect] : report_) {
        limits += name.starts_with("joints.") && name.ends_with(".upper") ? 1 : 0;
      }
      EXPECT_EQ(limits, dofs(j).dofs.size()) << "and no others";
    }
  }
}

TEST_F(JointsTab, ANameThatNoFileCanHoldIsRefusedInWords) {
  rig::JointDofs named = dofs(elbow_);
  const Rect field = report_["joints.bend.name"];
  ASSERT_FALSE(field.empty());
  click("joints.bend.name");
  ImGui::GetIO().AddInputCharactersUTF8(std::string(41, 'x').c_str());
  frames(2);
  click("section.Type");  // leaves the field
  EXPECT_EQ(dofs(elbow_).dofs[0].name, named.dofs[0].name);
  EXPECT_EQ(document_.history.cursor(), 0u);
  ASSERT_TRUE(workspace_.error.has_value());
  EXPECT_NE(workspace_.error->text.find("at most 40 bytes"), std::string::npos) << workspace_.error->text;
}

}  // namespace
}  // namespace pelt::ui
