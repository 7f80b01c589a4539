// The tab "Joints" of the Rig mode: types, limits, what clips tell, the other side, and arcs in the picture.
#include "ui/joints_panel.h"

#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "gltf/bundled.h"
#include "joints_tab.h"
#include "rig/character_parts.h"
#include "rig/conversions.h"
#include "rig/joint_types.h"
#include "ui/modes.h"

namespace pelt::ui {
namespace {

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

TEST_F(JointsTab, AnAxisIsTypedInOneStep) {
  click("joints.type");
  click("joints.type." + std::to_string(static_cast<int>(rig::JointType::kHinge)));
  frames(3);
  const std::string name = dofs(elbow_).dofs[0].name;
  const std::size_t steps = document_.history.cursor();
  const auto type = [&](const char* field, const char* number) {
    click("joints." + name + ".axis." + field);
    frames(2);
    ImGui::GetIO().AddInputCharactersUTF8(number);
    frames(2);
  };
  type("x", "0");
  type("y", "3");
  type("z", "4");
  EXPECT_EQ(document_.history.cursor(), steps) << "leaving one field for another is not the end";
  click("section.Type");
  frames(6);
  EXPECT_EQ(document_.history.cursor(), steps + 1) << "three numbers are one step";
  EXPECT_NEAR(glm::distance(dofs(elbow_).dofs[0].axis, glm::vec3(0, 0.6f, 0.8f)), 0, 1e-5f);
  act("edit.undo");
  EXPECT_EQ(document_.history.cursor(), steps);
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
  EXPECT_TRUE(rig::equal(dofs(partner), rig::mirrored_dofs(*document_.character, shoulder, partner, dofs(shoulder))));
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
  ASSERT_TRUE(workspace_.notice.has_value());
  EXPECT_EQ(workspace_.notice->text, std::to_string(trusted.size()) + " joints took limits from the clips");
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
  EXPECT_NE(workspace_.notice->text.find("The clips tell too little to take limits from them"), std::string::npos);
}

// Two joints of one name have one partner, whose partner only one of them can be.
TEST_F(JointsTab, TheOtherSideIsOneJointWhosePartnerIsThisOne) {
  rig::Character twins = *gltf::import_bundled("mannequin");
  const int elbow = twins.skeleton->find("elbow_l");
  const int shoulder = twins.skeleton->find("shoulder_l");
  const int right = twins.skeleton->find("shoulder_r");
  ASSERT_LT(shoulder, elbow);
  twins.skeleton.edit().name[elbow] = "shoulder_l";
  ASSERT_EQ(rig::mirrored_joint(twins.skeleton, elbow), right);
  ASSERT_EQ(rig::mirrored_joint(twins.skeleton, right), shoulder);
  open(std::move(twins));
  workspace_.tab = kJointsTab;
  document_.view.select_only(elbow);
  frames(3);
  EXPECT_TRUE(report_.contains("section.Other side")) << "which says why";
  EXPECT_FALSE(report_.contains("joints.copy-to-other-side"));
  document_.view.select_only(shoulder);
  frames(3);
  EXPECT_TRUE(report_.contains("joints.copy-to-other-side"));
  document_.view.select_only(document_.character->skeleton->find("head"));
  frames(3);
  EXPECT_FALSE(report_.contains("joints.copy-to-other-side")) << "in the middle";
}

TEST_F(JointsTab, TheOtherSideGetsTheRotationOrderToo) {
  const int shoulder = document_.character->skeleton->find("shoulder_l");
  const int partner = document_.character->skeleton->find("shoulder_r");
  ASSERT_TRUE(rig::euler_order(dofs(shoulder)));
  ASSERT_NE(*rig::euler_order(dofs(shoulder)), EulerOrder::kZYX);
  edit::apply(document_, {edit::SetEulerOrder{shoulder, EulerOrder::kZYX}, {}, true});
  edit::apply(document_, {edit::SetEulerOrder{partner, EulerOrder::kYXZ}, {}, true});
  document_.view.select_only(shoulder);
  frames(3);
  click("joints.copy-to-other-side");
  EXPECT_EQ(rig::euler_order(edit::joint_dofs(document_, partner)), EulerOrder::kZYX);
  EXPECT_EQ(rig::euler_order(edit::joint_dofs(document_, shoulder)), EulerOrder::kZYX);
}

TEST_F(JointsTab, WhatClipsTellFollowsTheRotationOrder) {
  const int shoulder = document_.character->skeleton->find("shoulder_l");
  document_.view.select_only(shoulder);
  frames(3);
  edit::apply(document_, {edit::SetEulerOrder{shoulder, EulerOrder::kZYX}, {}, true});
  frames(3);
  const rig::JointDofs now = edit::joint_dofs(document_, shoulder);
  const rig::LearnedLimits expected = rig::learn_limits(*document_.character, shoulder, now);
  const std::optional<JointFindings>& shown = workspace_.panel<JointsPanel>().learning.findings;
  ASSERT_TRUE(shown);
  ASSERT_EQ(shown->limits.dofs.size(), expected.dofs.size());
  for (std::size_t d = 0; d < expected.dofs.size(); ++d) {
    EXPECT_EQ(shown->limits.dofs[d].seen_lower, expected.dofs[d].seen_lower) << d;
    EXPECT_EQ(shown->limits.dofs[d].seen_upper, expected.dofs[d].seen_upper) << d;
  }
  ASSERT_TRUE(shown->recognised);
  ASSERT_EQ(shown->recognised->motion.type, rig::JointType::kBall);
  click("joints.make-recognised");
  EXPECT_EQ(rig::euler_order(edit::joint_dofs(document_, shoulder)), EulerOrder::kZYX);
}

// The slider's track holds the value that is dragged, and must not grow or shrink with it.
TEST_F(JointsTab, ALimitStaysUnderThePointer) {
  constexpr float kPi = std::numbers::pi_v<float>;
  rig::JointDofs wheel = dofs(elbow_);
  wheel.dofs[0].lower = -kPi;
  wheel.dofs[0].upper = 1.5f * kPi;
  edit::apply(document_, {edit::SetJointSliders{elbow_, wheel}, {}, true});
  frames(3);
  const Rect slider = report_["joints.bend.upper"];
  ASSERT_FALSE(slider.empty());
  const float margin = theme_.px(6);
  const auto at = [&](float value) {  // of the track as it is now: from -180 to 270 degrees
    return glm::vec2(slider.x + margin + (slider.w - 2 * margin) * (value + kPi) / (2.5f * kPi), slider.center().y);
  };
  const float pixel = 1.2f * 2.5f * kPi / (slider.w - 2 * margin);  // radians
  move(at(1.5f * kPi));
  button(true);
  for (const float value : {1.4f * kPi, 1.3f * kPi, 1.2f * kPi, 1.25f * kPi, 0.5f * kPi, 1.2f * kPi}) {
    move(at(value));
    EXPECT_NEAR(dofs(elbow_).dofs[0].upper, value, pixel);
    ImGui::GetIO().MousePos.y += 1;  // it trembles
    frames(2);
    EXPECT_NEAR(dofs(elbow_).dofs[0].upper, value, pixel);
  }
  button(false);
  frames(2);
  EXPECT_NEAR(dofs(elbow_).dofs[0].upper, 1.2f * kPi, pixel);
}

TEST_F(JointsTab, TheNumberGoesFurtherThanTheTrack) {
  frames(2);
  click("joints.translates");
  frames(3);
  const auto upper = [&](const char* name) { return dofs(elbow_).dofs[dofs(elbow_).find(name)].upper; };
  for (const auto& [name, least] : {std::pair("bend", 1.2f * std::numbers::pi_v<float>), std::pair("tx", 4.0f)}) {
    for (int i = 0; i < 8; ++i) {
      const Rect field = report_["joints." + std::string(name) + ".upper.field"];
      ASSERT_FALSE(field.empty()) << name;
      drag(field.center(), field.center() + glm::vec2(400, 0));
      frames(2);
    }
    EXPECT_GT(upper(name), least) << name;
    EXPECT_TRUE(rig::check_dofs(dofs(elbow_)));
  }
}

// A long motion: the window goes on while limits are learned, says how far that is, and takes them in any tab.
TEST_F(JointsTab, LimitsOfManyJointsAreLearnedInTheBackground) {
  open(long_motion());
  workspace_.panel<JointsPanel>().learning.patient = false;
  workspace_.tab = kJointsTab;
  for (int j = 0; j < document_.character->skeleton->size(); ++j) {
    document_.view.selected_joints.push_back(j);
  }
  frames(3);
  const auto before = document_.character;
  const auto asked = [&] {
    click("joints.take-limits");
    return report_.contains("joints.take-cancel");
  };
  ASSERT_TRUE(asked()) << "it goes on";
  EXPECT_FALSE(report_.contains("joints.take-limits"));
  click("joints.take-cancel");
  const LimitLearning& learning = workspace_.panel<JointsPanel>().learning;
  learning.collecting->wait(std::chrono::minutes(5));
  frames(3);
  EXPECT_EQ(document_.character, before) << "cancelled";
  EXPECT_FALSE(workspace_.notice);
  EXPECT_TRUE(report_.contains("joints.take-limits"));
  ASSERT_TRUE(asked());
  workspace_.tab = "pose";
  frames(2);
  EXPECT_EQ(document_.character, before);
  learning.collecting->wait(std::chrono::minutes(5));
  frames(2);
  EXPECT_NE(document_.character, before);
  EXPECT_EQ(document_.history.cursor(), 1u);
  const rig::LearnedLimits learned = rig::learn_limits(*before, elbow_, before->skeleton->dofs[elbow_]);
  EXPECT_TRUE(rig::equal(dofs(elbow_), rig::with_limits(before->skeleton->dofs[elbow_], learned)));
}

// What has changed meanwhile stays as it is, and that is said.
TEST_F(JointsTab, LimitsAreNotTakenForWhatHasChangedSince) {
  open(long_motion());
  workspace_.panel<JointsPanel>().learning.patient = false;
  workspace_.tab = kJointsTab;
  const int shoulder = document_.character->skeleton->find("shoulder_l");
  document_.view.selected_joints = {shoulder, elbow_};
  frames(3);
  move(report_["joints.take-limits"].center());
  button(true);
  ImGui::GetIO().MouseDown[0] = false;
  frame();
  edit::apply(document_, {edit::SetEulerOrder{shoulder, EulerOrder::kZYX}, {}, true});
  const rig::JointDofs own = edit::joint_dofs(document_, shoulder);
  workspace_.panel<JointsPanel>().learning.collecting->wait(std::chrono::minutes(5));
  frames(2);
  EXPECT_TRUE(rig::equal(edit::joint_dofs(document_, shoulder), own));
  EXPECT_TRUE(workspace_.notice.has_value());
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
