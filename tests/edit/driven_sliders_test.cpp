// What moves a slider after a person has set it, and what then becomes of the value.
#include "edit/driven_sliders.h"

#include <gmock/gmock.h>

#include "edit/behaviour_edits.h"
#include "edit/layer_edits.h"
#include "edit/reach_edits.h"
#include "edit_fixtures.h"

namespace pelt::edit {
namespace {

using testing::HasSubstr;

// Which slider values the pose has at a joint.
std::vector<float> posed_values(const Document& document, int joint) {
  return rig::dofs_from_local(joint_dofs(document, joint), evaluate_pose(document).local[joint],
                              dof_values(document, joint));
}

void add(Document& document, motion::Behaviour behaviour) {
  document.content.behaviour = std::move(behaviour);  // another value, which caches notice
}

TEST(DrivenSliders, ADriverReplacesAValueThatIsKept) {
  Document document = test::arm_document();
  EXPECT_TRUE(drivers_of_slider(document, test::kElbow, 0).empty());
  add(document, {.drivers = {{.target = "elbow_l.bend", .expression = "60"}}});
  const std::vector<SliderDriver> found = drivers_of_slider(document, test::kElbow, 0);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].by, "the driver 60");
  EXPECT_TRUE(found[0].replaces);
  EXPECT_THAT(found[0].fate, HasSubstr("does not show"));
  // That is what happens.
  test::apply(document, SetDof{test::kElbow, 0, 20 * test::kDegree});
  EXPECT_NEAR(posed_values(document, test::kElbow)[0], 60 * test::kDegree, 1e-4f);
  add(document, {.drivers = {{.target = "elbow_l.bend", .expression = "60", .on = false}}});
  EXPECT_TRUE(drivers_of_slider(document, test::kElbow, 0).empty());
  EXPECT_NEAR(posed_values(document, test::kElbow)[0], 20 * test::kDegree, 1e-4f) << "it was kept";
  EXPECT_TRUE(drivers_of_slider(document, test::kShoulder, 0).empty());
}

TEST(DrivenSliders, AConstraintOfPartOfItsWeightLeavesTheRest) {
  Document document = test::arm_document();
  motion::Constraint constraint{.kind = motion::ConstraintKind::kRotation, .joint = "hand_l", .target = "shoulder_r"};
  constraint.weight = 0.25f;
  add(document, {.constraints = {constraint}});
  const int twist = joint_dofs(document, test::kHand).find("twist");
  const std::vector<SliderDriver> found = drivers_of_slider(document, test::kHand, twist);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].by, HasSubstr("to shoulder_r"));
  EXPECT_THAT(found[0].fate, HasSubstr("takes 75 % of a value"));
  EXPECT_FALSE(found[0].replaces);
  test::apply(document, SetDof{test::kHand, twist, 40 * test::kDegree});
  EXPECT_NEAR(posed_values(document, test::kHand)[static_cast<std::size_t>(twist)], 30 * test::kDegree, 1e-3f);
  const int tx = joint_dofs(document, test::kHand).find("tx");
  EXPECT_TRUE(drivers_of_slider(document, test::kHand, tx).empty()) << "a rotation moves no joint";
}

TEST(DrivenSliders, SwitchedOffLayersAndTheBindPoseMoveNothing) {
  Document document = test::arm_document();
  add(document, {.drivers = {{.target = "elbow_l.bend", .expression = "60"}}});
  Document bound = document;
  test::apply(bound, SetBasePose{BasePose::kBind});
  EXPECT_TRUE(drivers_of_slider(bound, test::kElbow, 0).empty());
  for (std::size_t k = 0; k < layer_count(document.content); ++k) {
    if (layer_at(document.content, k).kind == "drivers") {
      Document stopped = document;
      stopped.view.layer_limit = static_cast<int>(k);
      EXPECT_TRUE(drivers_of_slider(stopped, test::kElbow, 0).empty()) << "behind what is seen";
      test::apply(document, SetLayer{k, false, layer_at(document.content, k).values});
    }
  }
  EXPECT_TRUE(drivers_of_slider(document, test::kElbow, 0).empty());
}

TEST(DrivenSliders, SlidersThatMeanSomethingAddAndSpringsSwing) {
  Document document = test::arm_document();
  motion::Behaviour behaviour;
  behaviour.sliders.push_back({.name = "flex", .rows = {{.target = "elbow_l.bend", .amount = 30}}, .value = 1});
  behaviour.springs.chains.push_back({.name = "arm", .joints = {{.joint = "shoulder_r"}}});
  add(document, behaviour);
  const std::vector<SliderDriver> elbow = drivers_of_slider(document, test::kElbow, 0);
  ASSERT_EQ(elbow.size(), 1u);
  EXPECT_EQ(elbow[0].by, "the slider flex");
  EXPECT_THAT(elbow[0].fate, HasSubstr("adds"));
  test::apply(document, SetDof{test::kElbow, 0, 20 * test::kDegree});
  EXPECT_NEAR(posed_values(document, test::kElbow)[0], 50 * test::kDegree, 1e-4f);
  const std::vector<SliderDriver> swings = drivers_of_slider(document, 4, 0);
  ASSERT_EQ(swings.size(), 1u);
  EXPECT_EQ(swings[0].by, "a spring");
}

}  // namespace
}  // namespace pelt::edit
