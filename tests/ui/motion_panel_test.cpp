// The tab "Motion": a motion of another skeleton is opened, tried, changed and applied.
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include "edit/motion_edits.h"
#include "edit/pose_edits.h"
#include "gltf/bundled.h"
#include "headless_window.h"
#include "rig/clip.h"
#include "ui/motion_panel.h"
#include "ui/pose_panel.h"

namespace pelt::ui {
namespace {

using testing::HasSubstr;

class MotionTab : public HeadlessWindow {
 protected:
  void SetUp() override {
    HeadlessWindow::SetUp();
    resize({1440, 3200}, 1);
    auto robot = gltf::open_character("@robot");
    ASSERT_TRUE(robot) << robot.error().message;
    open(*std::move(robot));
    show_tab(workspace_, kMotionTab);
    panel().patient = true;
    frames(2);
  }
  [[nodiscard]] MotionPanel& panel() { return workspace_.panel<MotionPanel>(); }
  void open_mannequin() {
    open_motion(panel(), workspace_, "takes/mannequin.glb",
                [](const Progress&) { return gltf::open_character("@mannequin"); });
    frames(3);
  }
  [[nodiscard]] int joint(const char* name) const { return document_.character->skeleton->find(name); }
};

TEST_F(MotionTab, BeginsWithAButtonThatOpensTheFileBrowser) {
  ASSERT_TRUE(report_.contains("motion.open"));
  EXPECT_FALSE(report_.contains("motion.apply"));
  click("motion.open");
  EXPECT_TRUE(workspace_.browser.visible);
  EXPECT_EQ(workspace_.browser.purpose, BrowserPurpose::kOpenMotion);
}

TEST_F(MotionTab, TriesWhatIsOpenedAndChangesNothing) {
  const std::size_t steps = document_.history.size();
  open_mannequin();
  ASSERT_NE(panel().shown, nullptr);
  EXPECT_EQ(panel().shown->error, "");
  EXPECT_LT(panel().shown->certificate.all.max, 0.05);
  for (const char* widget : {"motion.preview", "motion.apply", "motion.align.1", "motion.hold-feet", "motion.clip"}) {
    EXPECT_TRUE(report_.contains(widget)) << widget;
  }
  EXPECT_THAT(words(), HasSubstr("mannequin.glb"));
  EXPECT_EQ(document_.history.size(), steps);
}

TEST_F(MotionTab, AppliesAsOneUndoableStepThatAddsTheClip) {
  open_mannequin();
  const std::size_t clips = document_.character->clips.size();
  const std::size_t steps = document_.history.size();
  click("motion.apply");
  ASSERT_EQ(document_.character->clips.size(), clips + 1);
  EXPECT_EQ(document_.history.size(), steps + 1);
  EXPECT_EQ(document_.content.clip, static_cast<int>(clips));
  EXPECT_EQ(document_.history.undo_label(), "Add motion idle");
  const rig::Clip& made = document_.character->clips[clips];
  EXPECT_EQ(made.channels.size(), panel().shown->clip().channels.size());
  click("motion.apply");
  EXPECT_NE(document_.character->clips[clips + 1].name, document_.character->clips[clips].name) << "names stay unique";
  edit::undo(document_);
  edit::undo(document_);
  EXPECT_EQ(document_.character->clips.size(), clips);
}

TEST_F(MotionTab, RowsOfTheMapAreChangedByHand) {
  open_mannequin();
  const motion::MappedJoint* before = nullptr;
  for (const motion::MappedJoint& row : panel().shown->map.rows) {
    before = row.role == "leftUpperArm" ? &row : before;
  }
  ASSERT_NE(before, nullptr);
  const int target = before->target;
  const std::string widget = "motion.map." + std::to_string(target);
  ASSERT_TRUE(report_.contains(widget));
  click(widget);
  const int source = before->source;
  click(widget + "." + std::to_string(source + 2));  // the first entry is none
  frames(2);
  ASSERT_TRUE(panel().map.has_value());
  EXPECT_EQ(panel().map->find(target)->source, source + 1);
  EXPECT_EQ(panel().shown->map.find(target)->source, source + 1) << "tried anew";
  EXPECT_EQ(panel().shown->map.find(target)->role, "leftUpperArm");
  EXPECT_EQ(panel().shown->map.find(target)->reason, "chosen by hand");
  click("motion.match");
  frames(2);
  EXPECT_FALSE(panel().map.has_value());
  EXPECT_EQ(panel().shown->map.find(target)->source, source);
  EXPECT_FALSE(report_.contains("motion.match")) << "nothing is by hand any more";
}

TEST_F(MotionTab, SettingsAndOtherClipsAreTriedAnew) {
  open_mannequin();
  const auto first = panel().shown;
  click("motion.hold-feet");
  frames(2);
  EXPECT_TRUE(panel().settings.hold_feet);
  EXPECT_NE(panel().shown, first);
  click("motion.clip");
  click("motion.clip.1");
  frames(2);
  EXPECT_EQ(panel().clip, 1);
  EXPECT_EQ(panel().shown->clip().name, "walk");
  const float azimuth = panel().azimuth;
  const Rect preview = report_["motion.preview"];
  drag(preview.center(), preview.center() + glm::vec2(60, 0));
  EXPECT_NE(panel().azimuth, azimuth);
}

TEST_F(MotionTab, SaysWhatCannotBeOpened) {
  open_motion(panel(), workspace_, "broken.bvh",
              [](const Progress&) -> Result<rig::Character> { return error("broken.bvh: line 1: no"); });
  frames(3);
  EXPECT_THAT(words(), HasSubstr("broken.bvh: line 1: no"));
  EXPECT_FALSE(report_.contains("motion.apply"));
}

TEST_F(MotionTab, AnotherCharacterGetsAMapOfItsOwn) {
  open_mannequin();
  panel().map = panel().shown->map;
  auto mannequin = gltf::open_character("@mannequin");
  ASSERT_TRUE(mannequin);
  open(*std::move(mannequin));
  frames(2);
  EXPECT_FALSE(panel().map.has_value());
  EXPECT_GE(panel().shown->map.rows.size(), 56u);
}

TEST_F(MotionTab, MovesTheCharacterAndTheSourceBesideItWithoutChangingAnything) {
  open_mannequin();
  const std::uint64_t before = edit::content_hash(document_.content);
  panel().time = 0.4f;
  Requests asked = frame();
  ASSERT_FALSE(asked.preview.subject.empty());
  ASSERT_EQ(asked.preview.changes.size(), 1u);
  EXPECT_EQ(asked.preview.time, 0.4f);
  ASSERT_TRUE(report_.contains("motion.source"));
  const auto* const insert = asked.preview.changes[0].get_if<edit::InsertClip>();
  ASSERT_NE(insert, nullptr);
  EXPECT_EQ(insert->clip.get(), &panel().good->clip());
  EXPECT_EQ(edit::content_hash(document_.content), before);

  click("motion.beside");
  EXPECT_FALSE(report_.contains("motion.source"));
  click("motion.on-character");
  EXPECT_TRUE(frame().preview.subject.empty());
  click("motion.reference");
  asked = frame();
  ASSERT_EQ(asked.preview.changes.size(), 1u);
  const auto* const pose = asked.preview.changes[0].get_if<edit::ReplacePose>();
  ASSERT_NE(pose, nullptr);
  for (const auto& [j, posed] : pose->overrides) {
    EXPECT_EQ(posed.local, panel().good->reference[j]);
  }
  click("motion.on-character");
  press_escape();
  EXPECT_TRUE(frame().preview.subject.empty()) << "Esc takes it away";
  click("motion.align.0");
  frames(2);
  EXPECT_FALSE(frame().preview.subject.empty()) << "what is tried next is shown again";
  show_tab(workspace_, kPoseTab);
  frames(1);
  EXPECT_TRUE(frame().preview.subject.empty()) << "and so does leaving";
}

TEST_F(MotionTab, TheSourceStandsOnTheGroundAsLargeAsTheCharacter) {
  open_mannequin();
  const MotionPreview& shown = *panel().good;
  const std::vector<glm::vec3> lines = source_lines(shown, shown.clip().start, 2.0f);
  ASSERT_GT(lines.size(), 20u);
  Bounds source;
  for (const glm::vec3& at : lines) {
    source.add(at);
  }
  const int hips = shown.target.body.find("hips");
  Bounds target;
  for (const int j : shown.target.character.skeleton->subtree(hips)) {
    target.add(glm::vec3(shown.target.frames.position[j]));
  }
  const float height = target.upper.y - target.lower.y;
  EXPECT_NEAR(source.lower.y, target.lower.y, 0.1f * height);
  EXPECT_NEAR(source.upper.y - source.lower.y, height, 0.35f * height);
  const std::vector<glm::vec3> nearer = source_lines(shown, shown.clip().start, 0.5f);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_NEAR(glm::distance(lines[i] - glm::vec3(1.5f, 0, 0), nearer[i]), 0, 1e-5f);
  }
}

TEST_F(MotionTab, KeepsShowingTheLastGoodResultWhereNoneCanBeMade) {
  open_mannequin();
  const auto good = panel().good;
  panel().map = motion::JointMap{};
  panel().changed = true;
  frames(3);
  ASSERT_FALSE(panel().shown->error.empty());
  EXPECT_EQ(panel().good, good);
  EXPECT_FALSE(frame().preview.subject.empty());
}

TEST_F(MotionTab, PlaysItsOwnClock) {
  open_mannequin();
  panel().time = panel().good->clip().start;
  click("motion.play");
  const float start = panel().time;
  now_ += 0.1;
  EXPECT_TRUE(frame().preview.moves);
  EXPECT_NEAR(panel().time, start + 0.1f, 1e-4f);
  now_ += 1000;
  frame();
  EXPECT_NEAR(panel().time, start + 0.35f, 1e-4f) << "a pause makes no leap";
}

}  // namespace
}  // namespace pelt::ui
