#include "edit/pose_battery.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "edit/edit_fixtures.h"
#include "edit/evaluation.h"
#include "edit/sweep.h"

namespace pelt::edit {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

std::vector<std::string> labels(const std::vector<TrialPose>& poses) {
  std::vector<std::string> out;
  for (const TrialPose& pose : poses) {
    out.push_back(pose.label);
  }
  return out;
}

TEST(PoseBattery, EachDofAtBothLimits) {
  const Document document = test::arm_document();
  const std::vector<std::string> all = labels(make_battery(document, {.clips = false}));
  // The elbow stands at 0, its lower limit: only the upper one is a pose. Default joints turn a quarter both ways.
  EXPECT_THAT(all, Contains("elbow_l.bend=140"));
  EXPECT_THAT(all, Not(Contains("elbow_l.bend=0")));
  for (const char* label : {"shoulder_l.twist=-90", "shoulder_l.twist=90", "root.side=-90", "hand_l.bend=90"}) {
    EXPECT_THAT(all, Contains(label));
  }
  EXPECT_THAT(all, Not(Contains(testing::HasSubstr(".tx"))));
  EXPECT_THAT(all, Not(Contains(testing::HasSubstr("twin")))) << "no skin lists it";
  // Joints 0, 1, 3, 4: three rotations each both ways; two hinges one way.
  EXPECT_EQ(all.size(), 4u * 6u + 2u);
  const std::vector<std::string> wider =
      labels(make_battery(document, {.clips = false, .unlimited_angle = 120 * test::kDegree}));
  EXPECT_THAT(wider, Contains("root.side=-120"));
}

TEST(PoseBattery, PosesAreWhatTheirLabelsSay) {
  const Document document = test::arm_document();
  for (const TrialPose& pose : make_battery(document, {.clips = false})) {
    const Document moved = posed(document, pose);
    const auto& slider = std::get<SetDof>(pose.what);
    EXPECT_NEAR(dof_values(moved, slider.joint)[slider.dof], slider.value, 1e-6f) << pose.label;
    EXPECT_EQ(moved.content.overrides->size(), 1u) << pose.label;
    EXPECT_FALSE(moved.history.can_undo());
    EXPECT_GT(moved.state_version, document.state_version);
  }
}

/// The arm with one more degree of freedom, or another one, at its left elbow.
Document arm_with_sliders(std::vector<rig::Dof> dofs) {
  rig::Character character = test::arm();
  character.skeleton.edit().dofs[test::kElbow].dofs = std::move(dofs);
  return make_document(std::make_shared<const rig::Character>(std::move(character)));
}

TEST(PoseBattery, WhoeverWroteSlidersHasThemTriedWithinTheirLimits) {
  const rig::Dof wheel = {
      .name = "turn", .axis = {0, 0, 1}, .lower = -180 * test::kDegree, .upper = 180 * test::kDegree};
  rig::Dof slide = {
      .name = "slide", .kind = rig::DofKind::kTranslation, .axis = {1, 0, 0}, .lower = -0.5f, .upper = 0.25f};
  std::vector<std::string> all = labels(make_battery(arm_with_sliders({wheel, slide}), {.clips = false}));
  for (const char* label : {"elbow_l.turn=-90", "elbow_l.turn=90", "elbow_l.slide=-0.5", "elbow_l.slide=0.25"}) {
    EXPECT_THAT(all, Contains(label)) << "a whole turn is no limit";
  }
  slide.folded = true;
  all = labels(make_battery(arm_with_sliders({wheel, slide}), {.clips = false}));
  EXPECT_THAT(all, Not(Contains(testing::HasSubstr("slide")))) << "nobody is shown it";
}

// A slider that stands at a limit is not tried there, whatever other sliders would make the same rotation.
TEST(PoseBattery, WhereASliderStandsIsNoPose) {
  Document document = test::arm_document();
  const int twist = test::dof(document, test::kShoulder, "twist");
  test::apply(document, SetDof{test::kShoulder, twist, -90 * test::kDegree});
  EXPECT_THAT(labels(make_battery(document, {.clips = false})), Contains("shoulder_l.twist=90"));
  EXPECT_THAT(labels(make_battery(document, {.clips = false})), Not(Contains("shoulder_l.twist=-90")));
  for (const char* name : {"bend", "side"}) {
    test::apply(document, SetDof{test::kShoulder, test::dof(document, test::kShoulder, name), 2.0f});
  }
  const std::vector<float> same = rig::dofs_from_local(joint_dofs(document, test::kShoulder),
                                                       document.content.overrides->at(test::kShoulder).local);
  ASSERT_GT(std::abs(same[twist] + 90 * test::kDegree), 0.1f);
  EXPECT_THAT(labels(make_battery(document, {.clips = false})), Not(Contains("shoulder_l.twist=-90")));
}

TEST(PoseBattery, LabelsAreShort) {
  const Document document = test::arm_document();
  const auto label = [&](const char* dof, float value) {
    return slider_label(document, {test::kShoulder, test::dof(document, test::kShoulder, dof), value});
  };
  EXPECT_EQ(label("tx", 0.25f), "shoulder_l.tx=0.25");
  EXPECT_EQ(label("sx", 2), "shoulder_l.sx=2");
  EXPECT_EQ(label("bend", -1e-9f), "shoulder_l.bend=0");
  EXPECT_EQ(label("bend", 30 * test::kDegree), "shoulder_l.bend=30");
}

TEST(PoseBattery, AnOpenedPoseIsOneToo) {
  const Document document = test::arm_document();
  ReplacePose file;
  file.overrides[test::kHand] = {{{1, 2, 3}, kIdentityQuat, {1, 1, 1}}, {}};
  EXPECT_EQ(evaluate_pose(posed(document, {"file", file})).local[test::kHand].translation, glm::vec3(1, 2, 3));
}

TEST(PoseBattery, StartsFromThePoseOfTheDocument) {
  Document document = test::arm_document();
  test::apply(document, SetDof{2, 0, 60 * test::kDegree});
  const std::vector<TrialPose> poses = make_battery(document, {.clips = false});
  EXPECT_THAT(labels(poses), Contains("elbow_l.bend=0"));
  for (const TrialPose& pose : poses) {
    if (std::get<SetDof>(pose.what).joint != 2) {
      EXPECT_FLOAT_EQ(dof_values(posed(document, pose), 2)[0], 60 * test::kDegree) << pose.label;
    }
  }
}

TEST(PoseBattery, APoseIsShownAsItWasTried) {
  Document document = test::arm_document();
  test::apply(document, SetDof{2, 0, 60 * test::kDegree});
  const Document tried_from = document;
  const std::vector<TrialPose> poses = make_battery(document, {.clips = false, .random = 2});
  const Document tried = document;
  test::apply(document, SetDof{2, 0, 10 * test::kDegree});  // the user goes on meanwhile
  test::apply(document, SetDof{1, 0, 20 * test::kDegree});
  for (const TrialPose& pose : poses) {
    Document shown = document;
    for (Change& change : changes_of(document, tried_from, pose)) {
      test::apply(shown, std::move(change));
    }
    EXPECT_EQ(evaluate_pose(shown), evaluate_pose(posed(tried, pose))) << pose.label;
  }
}

TEST(PoseBattery, MomentsAtWhichClipsTurnJointsFarthest) {
  rig::Character character = test::arm();
  // The hand turns back before the end; the right shoulder turns farthest when the left does; the root hardly moves.
  const auto turn = [](float angle) { return std::pair{std::sin(angle / 2), std::cos(angle / 2)}; };
  const auto channel = [&](int joint, std::vector<float> times, const std::vector<float>& angles) {
    rig::Channel out{
        .joint = joint, .path = rig::ChannelPath::kRotation, .times = std::move(times), .values = {}, .width = 4};
    for (const float angle : angles) {
      const auto [s, c] = turn(angle);
      out.values.insert(out.values.end(), {0, 0, s, c});
    }
    return out;
  };
  rig::Clip& wave = character.clips.edit(0);
  wave.channels.push_back(channel(3, {1, 1.5f, 3}, {0, -2, 1}));
  wave.channels.push_back(channel(4, {1, 3}, {0, 0.5f}));
  wave.channels.push_back(channel(0, {1, 2}, {0, 1e-5f}));
  const Document document = make_document(std::make_shared<rig::Character>(character));
  const std::vector<TrialPose> poses = make_battery(document, {.limits = false});
  EXPECT_THAT(labels(poses), ElementsAre("wave 1.5 s", "wave 3 s"));
  const Document moved = posed(document, poses[0]);
  EXPECT_EQ(moved.content.clip, 0);
  EXPECT_FLOAT_EQ(moved.view.time, 1.5f);
}

// k moments of each clip at (i + 1/2) / k of its length, or the middles of some.
TEST(PoseBattery, MomentsAreSpreadEvenlyOverAllClips) {
  rig::Character character = test::cylinder();
  const auto clip = [](std::string name, float start, float end) {
    rig::Clip out;
    out.name = std::move(name);
    out.start = start;
    out.end = end;
    return out;
  };
  character.clips = {clip("a", 0, 4), clip("", 1, 2)};
  Document document = make_document(std::make_shared<rig::Character>(character));
  BatteryOptions options = kClipBattery;
  options.moments = 5;
  EXPECT_THAT(labels(make_battery(document, options)), ElementsAre("a 1 s", "a 3 s", "clip 1 1.25 s", "clip 1 1.75 s"));
  options.random = 1;
  EXPECT_THAT(labels(make_battery(document, options)), Contains("random 0"));

  character.clips.clear();
  for (int i = 0; i < 100; ++i) {
    character.clips.push_back(clip("clip" + std::to_string(i), 0, 2));
  }
  document = make_document(std::make_shared<rig::Character>(character));
  const std::vector<TrialPose> many = make_battery(document, kClipBattery);
  ASSERT_EQ(many.size(), 40u);
  EXPECT_EQ(many[0].label, "clip0 1 s");
  EXPECT_EQ(many[1].label, "clip2 1 s");
  EXPECT_EQ(many[39].label, "clip97 1 s");
  const auto& moment = std::get<ClipMoment>(many[39].what);
  EXPECT_EQ(moment.clip, 97);
  EXPECT_EQ(moment.time, 1.0f);

  character.clips.clear();
  document = make_document(std::make_shared<rig::Character>(character));
  EXPECT_TRUE(make_battery(document, kClipBattery).empty());
}

TEST(PoseBattery, RandomPosesKeepToLimitsAndRepeat) {
  const Document document = test::arm_document();
  const std::vector<TrialPose> poses =
      make_battery(document, {.limits = false, .clips = false, .random = 20, .seed = 7});
  ASSERT_EQ(poses.size(), 20u);
  EXPECT_EQ(poses[3].label, "random 3");
  std::set<float> angles;
  for (const TrialPose& pose : poses) {
    const Content state = posed(document, pose).content;
    EXPECT_EQ(state, posed(document, pose).content);
    EXPECT_EQ(state, posed(document, random_poses(20, 7)[std::get<RandomPose>(pose.what).number]).content);
    EXPECT_NE(state, posed(document, random_poses(20, 8)[std::get<RandomPose>(pose.what).number]).content);
    const float bend = state.overrides->at(2).dof_values[0];
    EXPECT_GE(bend, 0.0f);
    EXPECT_LE(bend, 140 * test::kDegree);
    EXPECT_FALSE(state.overrides->contains(6)) << "no skin lists it";
    EXPECT_EQ(state.overrides->at(1).local.translation, document.character->skeleton->rest[1].translation);
    for (std::size_t d = 0; d < 3; ++d) {
      const float angle = state.overrides->at(1).dof_values[d];
      EXPECT_LT(std::abs(angle), 90 * test::kDegree);
      angles.insert(angle);
    }
  }
  EXPECT_EQ(angles.size(), 3 * poses.size()) << "all over the range";
}

// From how the joint rests, and the first of moments that turn it as far; a node that no skin lists does not count.
TEST(PoseBattery, TurnsOfAClipCountFromRest) {
  rig::Character character = test::arm();
  const auto about = [](const glm::vec3& axis, float angle) { return glm::angleAxis(angle, axis); };
  const glm::quat rest = about({0, 1, 0}, 1.5f);
  character.skeleton.edit().rest[test::kHand].rotation = rest;
  const auto channel = [&](int joint, const std::vector<glm::quat>& keys) {
    rig::Channel out{.joint = joint, .path = rig::ChannelPath::kRotation, .times = {1, 2, 3}, .values = {}, .width = 4};
    for (const glm::quat& q : keys) {
      out.values.insert(out.values.end(), {q.x, q.y, q.z, q.w});
    }
    return out;
  };
  rig::Clip& wave = character.clips.edit(0);
  wave.channels = {channel(test::kHand, {rest, rest * about({1, 0, 0}, 0.5f), kIdentityQuat})};
  const auto moments = [&] {
    return labels(make_battery(make_document(std::make_shared<const rig::Character>(character)), {.limits = false}));
  };
  EXPECT_THAT(moments(), ElementsAre("wave 3 s")) << "though it has no turn of its own there";
  wave.channels = {channel(test::kHand, {rest, rest * about({1, 0, 0}, 0.5f), rest * about({1, 0, 0}, -0.5f)})};
  EXPECT_THAT(moments(), ElementsAre("wave 2 s"));
  wave.channels = {channel(test::kHand, {rest * about({1, 0, 0}, 0.5f), rest * about({0, 1, 0}, 0.75f), rest})};
  EXPECT_THAT(moments(), ElementsAre("wave 2 s"));
  wave.channels = {channel(6, {kIdentityQuat, about({1, 0, 0}, 0.5f), kIdentityQuat})};
  EXPECT_THAT(moments(), ElementsAre());
}

TEST(PoseBattery, SlidersInOneStepAreSlidersOneByOne) {
  Document together = test::arm_document();
  Document singly = together;
  const SetDofs all{{{1, 0, 0.4f}, {1, 2, -0.3f}, {2, 0, 9.0f}, {3, 1, 0.2f}}};
  test::apply(together, all);
  for (const SetDof& one : all.sliders) {
    test::apply(singly, one);
  }
  EXPECT_EQ(together.content, singly.content);
  EXPECT_EQ(together.history.cursor(), 1u);
  EXPECT_EQ(together.history.undo_label(), "Rotate 3 joints");
  undo(together);
  EXPECT_TRUE(together.content.overrides->empty());
}

TEST(Sweep, EndsIncluded) {
  const Document document = test::arm_document();
  const Sweep sweep{.joint = 2, .dof = 0, .from = 0, .to = 120 * test::kDegree, .steps = 5};
  const std::vector<TrialPose> poses = make_sweep(document, sweep);
  EXPECT_THAT(labels(poses), ElementsAre("elbow_l.bend=0", "elbow_l.bend=30", "elbow_l.bend=60", "elbow_l.bend=90",
                                         "elbow_l.bend=120"));
  EXPECT_FLOAT_EQ(dof_values(posed(document, poses[3]), 2)[0], 90 * test::kDegree);
  EXPECT_THAT(labels(make_sweep(document, {.joint = 2, .dof = 0, .from = 1, .to = 2, .steps = 1})),
              ElementsAre("elbow_l.bend=57.2958"));
  // Beyond the limits it stays at them, and downwards is a direction too.
  EXPECT_THAT(labels(make_sweep(document, {.joint = 2, .dof = 0, .from = 4, .to = -1, .steps = 2})),
              ElementsAre("elbow_l.bend=140", "elbow_l.bend=0"));
}

}  // namespace
}  // namespace pelt::edit
