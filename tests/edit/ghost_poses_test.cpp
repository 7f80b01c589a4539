// Ghosts before and after the playhead: where they are, and that an unmoved playhead costs nothing.
#include "edit/ghost_poses.h"

#include <gtest/gtest.h>

#include "edit/behaviour_edits.h"
#include "edit_fixtures.h"
#include "gltf/bundled.h"
#include "motion/memory.h"
#include "rig/kinematics.h"

namespace pelt::edit {
namespace {

using test::apply;

class Ghosts : public testing::Test {
 protected:
  void SetUp() override {
    document_ = make_document(std::make_shared<rig::Character>(*gltf::import_bundled("mannequin")));
    apply(document_, SetClip{1});
    document_.view.timing.frame_rate = 30;
    apply(document_, SetTime{0.5f});
  }
  Document document_;
  GhostPoses ghosts_;
};

TEST_F(Ghosts, StandAtFramesOnBothSidesAndTheNearestAreDrawnLast) {
  const std::vector<GhostMoment> moments = ghost_moments(document_, {.before = 2, .after = 1, .step = 3});
  ASSERT_EQ(moments.size(), 3u);
  EXPECT_EQ(moments[0].place, -2);
  EXPECT_NEAR(moments[0].time, 0.3f, 1e-6f);
  EXPECT_EQ(moments[1].place, -1);
  EXPECT_NEAR(moments[1].time, 0.4f, 1e-6f);
  EXPECT_EQ(moments[2].place, 1);
  EXPECT_NEAR(moments[2].time, 0.6f, 1e-6f);
}

TEST_F(Ghosts, NoneStandsWhereThePlayheadCannotGo) {
  apply(document_, SetTime{0.05f});
  for (const GhostMoment& moment : ghost_moments(document_, {.before = 9, .after = 99, .step = 2})) {
    EXPECT_GE(moment.time, -1e-5f);
    EXPECT_LE(moment.time, document_.character->clips[1].end + 1e-5f);
  }
  apply(document_, SetBasePose{BasePose::kRest});
  EXPECT_TRUE(ghost_moments(document_, {.before = 2, .after = 2}).empty()) << "no clip";
}

TEST_F(Ghosts, OnKeysTheyStandAtTheNearestKeysOfTheClip) {
  rig::Character character = test::arm();
  Document document = make_document(std::make_shared<rig::Character>(character));
  apply(document, SetClip{0});
  apply(document, SetTime{2.0f});
  const std::vector<GhostMoment> moments = ghost_moments(document, {.before = 5, .after = 5, .on_keys = true});
  ASSERT_EQ(moments.size(), 2u) << "keys at 1, 2 and 3 s; the playhead stands on one";
  EXPECT_EQ(moments[0], (GhostMoment{1.0f, -1}));
  EXPECT_EQ(moments[1], (GhostMoment{3.0f, 1}));
}

TEST_F(Ghosts, HaveThePoseThatThePlayheadWouldShowThere) {
  apply(document_, SetDof{document_.character->skeleton->find("elbow_l"), 0, 1.0f});
  apply(document_, PinJoints{{document_.character->skeleton->find("wrist_r")}, true});
  for (const GhostPose& ghost : ghosts_.at(document_, {.before = 2, .after = 2, .step = 2})) {
    Document there = document_;
    apply(there, SetTime{ghost.moment.time});
    const rig::Pose pose = deformed_pose(there, evaluate_pose(there));
    ASSERT_EQ(pose.local.size(), ghost.pose.local.size());
    for (std::size_t j = 0; j < pose.local.size(); ++j) {
      EXPECT_LT(test::distance(pose.local[j], ghost.pose.local[j]), 1e-6f) << j;
    }
    rig::WorldMatrices world;
    world.evaluate(there.character->skeleton, pose);
    EXPECT_LT(glm::distance(ghost.world.back()[3], world.world().back()[3]), 1e-5f);
  }
}

TEST_F(Ghosts, AnUnmovedPlayheadMakesNoPoseAndAStepMakesOne) {
  const GhostMoments wanted{.before = 3, .after = 3, .step = 1};
  EXPECT_EQ(ghosts_.at(document_, wanted).size(), 6u);
  EXPECT_EQ(ghosts_.made(), 6u);
  document_.view.selected_joints = {3};
  const GhostPose* const first = ghosts_.at(document_, wanted).data();
  EXPECT_EQ(ghosts_.at(document_, wanted).data(), first) << "panes share them";
  EXPECT_EQ(ghosts_.made(), 6u) << "nothing moved";
  const std::vector<GhostMoment> moments = ghost_moments(document_, {.after = 1, .step = 1});
  apply(document_, SetTime{moments.front().time});
  ghosts_.at(document_, wanted);
  EXPECT_LE(ghosts_.made(), 8u) << "one new at the end, and one where the playhead was";
  apply(document_, SetDof{document_.character->skeleton->find("elbow_l"), 0, 1.0f});
  ghosts_.at(document_, wanted);
  EXPECT_LE(ghosts_.made(), 14u);
  EXPECT_GE(ghosts_.made(), 13u) << "all anew";
}

TEST_F(Ghosts, HiddenOnesLetTheirCharacterGo) {
  const GhostMoments wanted{.before = 1, .after = 1};
  ghosts_.at(document_, wanted);
  const std::weak_ptr<const rig::Character> character = document_.character;
  open_character(document_, std::make_shared<rig::Character>(test::arm()));
  EXPECT_FALSE(character.expired()) << "the poses are of it";
  EXPECT_TRUE(ghosts_.at(document_, {}).empty());
  EXPECT_TRUE(character.expired());
}

// With springs each ghost needs what was before it: the playhead's way to the next picture, and each ghost's, go on
// from where they were.
TEST_F(Ghosts, GoOnFromPictureToPictureBelowSprings) {
  motion::SpringSet springs;
  springs.chains = {{.name = "arm", .joints = {{.joint = "elbow_l"}}, .end = "wrist_l"}};
  apply(document_, SetSprings{springs});
  document_.view.timing.frame_rate = 10;
  const GhostMoments wanted{.before = 3, .after = 3, .step = 1};
  const auto picture = [&](float time) {
    apply(document_, SetTime{time});
    evaluate_pose(document_);
    ghosts_.at(document_, wanted);
    return document_.motion->prepared(document_.content, *document_.character).memory->steps_made();
  };
  constexpr float kFrame = 1 / 60.0f;
  const float start = document_.character->clips[1].start + 0.35f;
  long before = picture(start);
  EXPECT_LE(before, 120) << "one way from the start to the last ghost, 0.65 s of 120 steps a second, and a checkpoint";
  for (int n = 1; n <= 10; ++n) {
    const long now = picture(start + static_cast<float>(n) * kFrame);
    EXPECT_LE(now - before, 7 * 3) << "two steps of each, give or take one";
    before = now;
  }
  // Whatever was kept, it is the pose of a document that knows nothing.
  for (const GhostPose& ghost : ghosts_.at(document_, wanted)) {
    Document fresh = document_;
    fresh.motion = std::make_shared<MotionCache>();
    apply(fresh, SetTime{ghost.moment.time});
    EXPECT_EQ(ghost.pose, deformed_pose(fresh, evaluate_pose(fresh))) << ghost.moment.place;
  }
}

}  // namespace
}  // namespace pelt::edit
