#include "edit/method_battery.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.h"
#include "deform/skinning_methods.h"
#include "edit/edit_fixtures.h"
#include "rig/kinematics.h"

namespace pelt::edit {
namespace {

std::vector<int> methods_of(std::initializer_list<const char*> ids) {
  std::vector<int> rows;
  for (const char* id : ids) {
    rows.push_back(deform::find_method(id));
  }
  return rows;
}

std::string label_of(const MethodBattery& battery, std::size_t method) {
  return std::string(deform::skinning_methods()[battery.methods[method]].label);
}

MethodBattery tube_battery() {
  const Document document = make_document(std::make_shared<rig::Character>(test::cylinder()));
  return *run_battery(document, methods_of({"lbs", "dqs"}), {.clips = false}, std::make_shared<deform::SkinCache>(),
                      {});
}

// A quarter turn each way: linear blending loses 2/15 sin^2(45 degrees) of the whole tube by a twist, dual quaternions
// nothing but what facets cost.
TEST(MethodBattery, C53_2_DualQuaternionsKeepTheTubesVolume) {
  const MethodBattery battery = tube_battery();
  ASSERT_EQ(battery.joints.size(), battery.cells.size());
  ASSERT_FALSE(battery.joints.empty());
  EXPECT_EQ(battery.best_method(), 1);
  EXPECT_LT(battery.mean_severity(1), battery.mean_severity(0));
  const std::size_t worst = battery.worst_joint(0);
  const BatteryCell& cell = battery.cells[worst][0];
  ASSERT_TRUE(cell.volume_ratio.has_value());
  EXPECT_LT(*cell.volume_ratio, 1 - 2.0 / 15 * 0.5) << "a zone is only a part of the tube";
  ASSERT_GE(cell.volume_pose, 0);
  EXPECT_THAT(battery.poses[cell.volume_pose].label, testing::HasSubstr("=")) << "a limit";
}

TEST(MethodBattery, TheWorstOfACellIsNoBetterThanAnyPose) {
  const Document document = make_document(std::make_shared<rig::Character>(test::cylinder()));
  const auto cache = std::make_shared<deform::SkinCache>();
  const MethodBattery few = *run_battery(document, methods_of({"lbs"}), {.clips = false}, cache, {});
  const MethodBattery more = *run_battery(document, methods_of({"lbs"}), {.clips = false, .random = 8}, cache, {});
  EXPECT_EQ(more.poses.size(), few.poses.size() + 8);
  ASSERT_EQ(more.joints, few.joints);
  for (std::size_t j = 0; j < few.cells.size(); ++j) {
    EXPECT_GE(more.cells[j][0].severity(), few.cells[j][0].severity());
    EXPECT_GE(more.cells[j][0].max_edge_stretch, few.cells[j][0].max_edge_stretch);
  }
}

TEST(MethodBattery, VerdictLeavesOutWhatHasNoVolume) {
  const rig::Character character = test::cylinder();
  MethodBattery battery;
  battery.methods = methods_of({"rigid", "lbs", "dqs"});
  const measure::ZoneMeasures open{.joint = 0};
  const auto closed = [](double ratio) { return measure::ZoneMeasures{.joint = 1, .volume_ratio = ratio}; };
  battery.enter(std::array{open, closed(1.0)}, 0, 0);
  battery.enter(std::array{open, closed(0.6)}, 1, 0);
  battery.enter(std::array{open, closed(1.1)}, 2, 0);
  EXPECT_EQ(battery.judged_joints(), 1u);
  EXPECT_EQ(battery.best_method(), 2) << "rigid parts are no candidate";
  EXPECT_NEAR(battery.mean_severity(1), 0.4, 1e-12) << "of one joint, not of two";
  EXPECT_EQ(verdict(battery, character),
            label_of(battery, 2) + " keeps the volume best: 10.0 % off on average, at worst +10.0 % at tip. " +
                label_of(battery, 1) +
                ", the standard, is 40.0 % off on average, 30.0 points more. Not counted: 1 of 2 joints, around which "
                "the skin is flat or not closed.");
  EXPECT_EQ(volume_change_text(battery.cells[0][1].volume_ratio), "not closed");
  EXPECT_EQ(volume_change_text(battery.cells[1][1].volume_ratio), "-40.0 %");
  MethodBattery nothing;
  nothing.methods = battery.methods;
  nothing.enter(std::array{open}, 1, 0);
  EXPECT_EQ(nothing.best_method(), -1);
  EXPECT_THAT(verdict(nothing, character), testing::HasSubstr("volume says nothing"));
}

/// One closed joint and what each method makes of its volume.
MethodBattery battery_of(std::initializer_list<const char*> ids, std::initializer_list<double> ratios) {
  MethodBattery battery;
  battery.methods = methods_of(ids);
  std::size_t m = 0;
  for (const double ratio : ratios) {
    battery.enter(std::array{measure::ZoneMeasures{.joint = 1, .volume_ratio = ratio}}, m++, 0);
  }
  return battery;
}

measure::ZoneMeasures zone(double volume, double stretch = 1, std::int64_t flipped = 0, int joint = 1) {
  return {.joint = joint, .volume_ratio = volume, .max_edge_stretch = stretch, .flipped_triangles = flipped};
}

TEST(MethodBattery, ACellHoldsTheWorstOfEachNumberAndItsPose) {
  MethodBattery battery;
  battery.methods = methods_of({"lbs"});
  const measure::ZoneMeasures poses[] = {zone(1), zone(0.9, 2, 3), zone(1.2, 1.5, 1), zone(0.8, 2, 3), zone(1.1, 3, 4)};
  for (int pose = 0; pose < 5; ++pose) {
    battery.enter(std::array{poses[pose]}, 0, pose);
  }
  const BatteryCell& cell = battery.cells[0][0];
  EXPECT_EQ(cell.volume_ratio, 1.2) << "the first of those as far from one";
  EXPECT_EQ(cell.volume_pose, 2);
  EXPECT_EQ(cell.max_edge_stretch, 3);
  EXPECT_EQ(cell.stretch_pose, 4);
  EXPECT_EQ(cell.flipped_triangles, 4);
  EXPECT_EQ(cell.flipped_pose, 4);
  EXPECT_FALSE(cell.odd_ratio);
  EXPECT_EQ(cell.odd_pose, -1);
  MethodBattery first;
  first.methods = battery.methods;
  for (int pose = 0; pose < 2; ++pose) {
    first.enter(std::array{zone(0.75, 2, 3)}, 0, pose);
  }
  EXPECT_EQ(first.cells[0][0].volume_pose, 0);
  EXPECT_EQ(first.cells[0][0].stretch_pose, 0);
  EXPECT_EQ(first.cells[0][0].flipped_pose, 0);
}

TEST(MethodBattery, TheFirstOddNumberIsKept) {
  const auto odd_of = [](std::initializer_list<measure::ZoneMeasures> zones) {
    MethodBattery battery;
    battery.methods = methods_of({"lbs"});
    int pose = 0;
    for (const measure::ZoneMeasures& each : zones) {
      battery.enter(std::array{each}, 0, pose++);
    }
    return std::pair(battery.cells[0][0].odd_ratio, battery.cells[0][0].odd_pose);
  };
  EXPECT_EQ(odd_of({zone(kLargestRatio, kLargestRatio)}), std::pair(std::optional<double>(), -1));
  EXPECT_EQ(odd_of({zone(1), zone(200, 300)}), std::pair(std::optional(200.0), 1));
  EXPECT_EQ(odd_of({zone(1), zone(1, 300)}), std::pair(std::optional(300.0), 1)) << "volume is sound";
  EXPECT_EQ(odd_of({zone(-500), zone(900, 900)}), std::pair(std::optional(-500.0), 0));
}

TEST(MethodBattery, WorstJointsComeFirst) {
  MethodBattery battery;
  battery.methods = methods_of({"lbs", "dqs"});
  battery.enter(
      std::array{zone(0.9, 2, 0, 5), zone(0.5, 1, 0, 6), zone(0.9, 4, 0, 7), zone(1, 9, 0, 8), zone(0.9, 2, 0, 9)}, 0,
      0);
  battery.enter(std::array{zone(1), zone(1), zone(1), zone(0.3), zone(1)}, 1, 0);
  EXPECT_THAT(battery.worst_first(), testing::ElementsAre(3, 1, 2, 0, 4)) << "equal ones stay in order";
  EXPECT_EQ(battery.worst_joint(0), 1);
  EXPECT_EQ(battery.worst_joint(1), 3);
  EXPECT_NEAR(battery.mean_severity(0), (0.1 + 0.5 + 0.1 + 0 + 0.1) / 5, 1e-12);
  EXPECT_EQ(battery.best_method(), 1);
  MethodBattery open;
  open.methods = battery.methods;
  open.enter(std::array{measure::ZoneMeasures{.joint = 1}}, 0, 0);
  EXPECT_EQ(open.mean_severity(0), 0);
  EXPECT_EQ(open.worst_joint(0), -1);
}

TEST(MethodBattery, TheFirstOfEqualsIsBestAndRigidPartsAloneAre) {
  EXPECT_EQ(battery_of({"dqs", "lbs", "cor"}, {0.9, 0.9, 1.1}).best_method(), 0);
  EXPECT_EQ(battery_of({"rigid"}, {0.9}).best_method(), 0);
  EXPECT_EQ(battery_of({"rigid", "lbs"}, {1.0, 0.5}).best_method(), 1);
}

TEST(MethodBattery, OfSeveralOddMethodsTheStandardIsNamed) {
  EXPECT_EQ(battery_of({"dqs", "lbs"}, {1e6, 1e6}).beyond_reason()->method, 1u);
  EXPECT_EQ(battery_of({"lbs", "dqs"}, {1e6, 1e6}).beyond_reason()->method, 0u);
  EXPECT_EQ(battery_of({"dqs", "lbs", "cor"}, {0.9, 0.9, 1e6}).beyond_reason()->method, 2u);
  EXPECT_EQ(battery_of({"dqs", "cor"}, {1e6, 1e6}).beyond_reason()->method, 0u) << "the first, where it is not there";
  EXPECT_FALSE(MethodBattery().beyond_reason());
  MethodBattery battery;
  battery.methods = methods_of({"lbs"});
  battery.enter(std::array{zone(1, 1, 0, 3), zone(1e6, 1, 0, 4)}, 0, 0);
  EXPECT_EQ(battery.beyond_reason()->joint, 1u);
}

TEST(MethodBattery, TheStandardIsShownBesideABetterOne) {
  const rig::Character character = test::cylinder();
  const MethodBattery battery = battery_of({"lbs", "dqs", "cor"}, {0.8, 0.9, 0.85});
  EXPECT_THAT(verdict(battery, character),
              testing::EndsWith(label_of(battery, 0) + ", the standard, is 20.0 % off on average, 10.0 points more."));
  EXPECT_THAT(verdict(battery_of({"lbs", "dqs"}, {0.9, 0.897}), character), testing::HasSubstr("0.3 points more."));
  EXPECT_EQ(verdict(MethodBattery(), character), "No skin of this character bends at a joint.");
  EXPECT_EQ(volume_change_text(1.0), "0 %");
  EXPECT_EQ(volume_change_text(0.9999), "0 %");
  EXPECT_EQ(volume_change_text(1.2346), "+23.5 %");
}

TEST(MethodBattery, ARunKeepsWhatItTriedAndHow) {
  Document document = make_document(std::make_shared<rig::Character>(test::cylinder()));
  test::apply(document, SetPanes{2});
  deform::SkinningSettings settings = skinning_of(document.content, 1);
  settings.influence_limit = 1;
  test::apply(document, SetSkinning{settings, 1});
  std::vector<float> told;
  const auto run = [&] {
    told.clear();
    return *run_battery(document, methods_of({"lbs"}), {.clips = false, .random = 1},
                        std::make_shared<deform::SkinCache>(), [&](float done, std::string_view) {
                          told.push_back(done);
                          return true;
                        });
  };
  const MethodBattery first_pane = run();
  EXPECT_EQ(first_pane.options.random, 1);
  EXPECT_EQ(first_pane.tried_from.content, document.content);
  EXPECT_EQ(first_pane.tried_from.view, document.view);
  EXPECT_EQ(first_pane.character, document.character);
  ASSERT_GE(told.size(), first_pane.poses.size());
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_EQ(told.front(), 0);
  EXPECT_FLOAT_EQ(told.back(), 1 - 1.0f / static_cast<float>(first_pane.poses.size()));
  document.view.active_pane = 1;
  const MethodBattery second_pane = run();
  EXPECT_GT(second_pane.cells[0][0].max_edge_stretch, first_pane.cells[0][0].max_edge_stretch)
      << "as the active pane skins: one joint per vertex tears the tube";
  // The worst is what the pose makes of it when it is tried alone.
  const BatteryCell& cell = first_pane.cells[0][0];
  ASSERT_GE(cell.stretch_pose, 0);
  document.view.active_pane = 0;
  const measure::SkinMeter meter(*document.character, true);
  const rig::Pose pose = evaluate_pose(posed(document, first_pane.poses[cell.stretch_pose]));
  rig::WorldMatrices world;
  world.evaluate(document.character->skeleton, pose);
  const auto zones = meter.zones(deform::deform_once(*document.character, pose, {.method = deform::find_method("lbs")}),
                                 pose, world.world());
  EXPECT_DOUBLE_EQ(zones[0].max_edge_stretch, cell.max_edge_stretch);
}

TEST(MethodBattery, TheFileSaysNumbersAndPoses) {
  MethodBattery battery;
  battery.methods = methods_of({"lbs", "dqs"});
  battery.poses = {{"rest, as it is", ClipMoment{}}, {"bent", ClipMoment{}}};
  battery.enter(std::array{zone(0.75, 2, 3)}, 0, 1);
  battery.enter(std::array{zone(1)}, 1, 0);
  EXPECT_EQ(to_csv(battery, test::cylinder()),
            "joint,method,volume_ratio,volume_pose,max_edge_stretch,stretch_pose,flipped_triangles,flipped_pose\n"
            "tip,lbs,0.75,bent,2,bent,3,bent\n"
            "tip,dqs,1,,1,,0,\n");
  MethodBattery open;
  open.methods = methods_of({"lbs"});
  open.poses = battery.poses;
  open.enter(std::array{measure::ZoneMeasures{.joint = 1, .max_edge_stretch = 2}}, 0, 0);
  EXPECT_THAT(to_csv(open, test::cylinder()), testing::EndsWith("\ntip,lbs,,,2,\"rest, as it is\",0,\n"));
}

TEST(MethodBattery, VerdictShowsTheNextBestWhereTheStandardWins) {
  const rig::Character character = test::cylinder();
  const MethodBattery battery = battery_of({"rigid", "dqs", "lbs", "cor"}, {1.0, 1.4, 0.9, 1.2});
  EXPECT_EQ(battery.best_method(), 2);
  EXPECT_EQ(battery.second_method(), 3);
  EXPECT_EQ(battery.standard_method(), 2);
  EXPECT_EQ(verdict(battery, character),
            label_of(battery, 2) + " keeps the volume best: 10.0 % off on average, at worst -10.0 % at tip. " +
                label_of(battery, 3) + ", the next best, is 20.0 % off on average, 10.0 points more.");
  const MethodBattery even = battery_of({"lbs", "dqs"}, {0.9, 0.9001});
  EXPECT_THAT(verdict(even, character), testing::HasSubstr("10.0 % off on average, hardly more."));
  const MethodBattery alone = battery_of({"dqs"}, {0.9});
  EXPECT_EQ(alone.standard_method(), -1);
  EXPECT_THAT(verdict(alone, character), testing::EndsWith("at tip.")) << "nothing to compare with";
}

TEST(MethodBattery, NumbersBeyondReasonAreSaidInsteadOfAVerdict) {
  const rig::Character character = test::cylinder();
  for (const double odd : {1e6, -1e6, std::numeric_limits<double>::infinity(), std::nan("")}) {
    const MethodBattery battery = battery_of({"dqs", "lbs"}, {0.9, odd});
    SCOPED_TRACE(odd);
    EXPECT_EQ(battery.best_method(), -1) << "the standard method is how everybody shows the file";
    EXPECT_EQ(battery.second_method(), -1);
    ASSERT_TRUE(battery.beyond_reason().has_value());
    EXPECT_EQ(battery.beyond_reason()->method, 1u);
    const std::string text = verdict(battery, character);
    EXPECT_THAT(text, testing::HasSubstr("beyond reason: around tip, " + label_of(battery, 1) + " gives "));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("best")));
  }
  // Another method's own trouble only takes that method out.
  const MethodBattery one = battery_of({"dqs", "lbs"}, {1e6, 0.9});
  EXPECT_EQ(one.best_method(), 1);
  EXPECT_THAT(verdict(one, character), testing::HasSubstr(" keeps the volume best: "));
  EXPECT_EQ(battery_of({"dqs", "lbs"}, {std::nan(""), 0.9}).best_method(), 1) << "no number is not no change";
  // So does a longest edge.
  MethodBattery stretched;
  stretched.methods = methods_of({"lbs"});
  stretched.enter(std::array{measure::ZoneMeasures{.joint = 1, .volume_ratio = 1.0, .max_edge_stretch = 1e4}}, 0, 0);
  EXPECT_THAT(verdict(stretched, character), testing::HasSubstr("1e+04 times"));
}

TEST(MethodBattery, AFileThatExplodesGetsNoVerdict) {
  for (const float size : {1e3f, 1e18f}) {  // the second is beyond what single precision can multiply
    SCOPED_TRACE(size);
    rig::Character character = test::cylinder();
    rig::Clip clip;
    clip.end = 1;
    clip.channels.push_back({.joint = 1, .path = rig::ChannelPath::kScale, .times = {0, 1}, .values = {}});
    clip.channels[0].values = {1, 1, 1, size, size, size};
    character.clips = {clip};
    const Document document = make_document(std::make_shared<rig::Character>(character));
    const MethodBattery battery =
        *run_battery(document, methods_of({"lbs", "dqs"}), kClipBattery, std::make_shared<deform::SkinCache>(), {});
    EXPECT_EQ(battery.best_method(), -1);
    EXPECT_THAT(verdict(battery, character), testing::HasSubstr("beyond reason"));
  }
}

TEST(MethodBattery, StopsWhenAsked) {
  const Document document = make_document(std::make_shared<rig::Character>(test::cylinder()));
  EXPECT_FALSE(run_battery(document, methods_of({"lbs"}), {}, std::make_shared<deform::SkinCache>(),
                           [](float, std::string_view) { return false; })
                   .has_value());
}

TEST(MethodBattery, TheFileHasALinePerJointAndMethod) {
  const MethodBattery battery = tube_battery();
  const std::string csv = to_csv(battery, test::cylinder());
  const std::vector<std::string_view> lines = split(csv, '\n');
  EXPECT_EQ(lines.size(), 2 + 2 * battery.joints.size());
  EXPECT_THAT(std::string(lines[0]), testing::StartsWith("joint,method,volume_ratio,volume_pose,"));
  EXPECT_THAT(csv, testing::HasSubstr("tip,dqs,"));
}

}  // namespace
}  // namespace pelt::edit
