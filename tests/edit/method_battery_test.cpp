#include "edit/method_battery.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.h"
#include "deform/skinning_methods.h"
#include "edit/edit_fixtures.h"

namespace pelt::edit {
namespace {

std::vector<int> methods_of(std::initializer_list<const char*> ids) {
  std::vector<int> rows;
  for (const char* id : ids) {
    rows.push_back(deform::find_method(id));
  }
  return rows;
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
  const auto worst = static_cast<std::size_t>(battery.worst_joint(0));
  const BatteryCell& cell = battery.cells[worst][0];
  ASSERT_TRUE(cell.volume_ratio.has_value());
  EXPECT_LT(*cell.volume_ratio, 1 - 2.0 / 15 * 0.5) << "a zone is only a part of the tube";
  ASSERT_GE(cell.volume_pose, 0);
  EXPECT_THAT(battery.poses[static_cast<std::size_t>(cell.volume_pose)].label, testing::HasSubstr("=")) << "a limit";
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
  const deform::ZoneMeasures open{.joint = 0};
  const auto closed = [](double ratio) { return deform::ZoneMeasures{.joint = 1, .volume_ratio = ratio}; };
  battery.enter(std::array{open, closed(1.0)}, 0, 0);
  battery.enter(std::array{open, closed(0.6)}, 1, 0);
  battery.enter(std::array{open, closed(1.1)}, 2, 0);
  EXPECT_EQ(battery.judged_joints(), 1u);
  EXPECT_EQ(battery.best_method(), 2) << "rigid parts are no candidate";
  EXPECT_NEAR(battery.mean_severity(1), 0.4, 1e-12) << "of one joint, not of two";
  EXPECT_EQ(verdict(battery, character),
            std::string(deform::skinning_methods()[static_cast<std::size_t>(battery.methods[2])].label) +
                " keeps the volume best: 10.0 % off on average, at worst +10.0 % at tip. Not counted: 1 of 2 joints, "
                "around which the skin is flat or not closed.");
  EXPECT_EQ(volume_change_text(battery.cells[0][1].volume_ratio), "not closed");
  EXPECT_EQ(volume_change_text(battery.cells[1][1].volume_ratio), "-40.0 %");
  MethodBattery nothing;
  nothing.methods = battery.methods;
  nothing.enter(std::array{open}, 1, 0);
  EXPECT_EQ(nothing.best_method(), -1);
  EXPECT_THAT(verdict(nothing, character), testing::HasSubstr("volume says nothing"));
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
