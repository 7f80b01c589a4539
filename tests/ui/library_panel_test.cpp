#include "ui/library_panel.h"

#include <chrono>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ui/file_browser.h"
#include "ui/headless_window.h"
#include "ui/modes.h"

namespace pelt::ui {
namespace {

using testing::HasSubstr;

class LibraryWindow : public HeadlessWindow {
 protected:
  void SetUp() override {
    HeadlessWindow::SetUp();
    show_tab(workspace_, kLibraryTab);
    elbow_ = document_.character->skeleton->size() - 1;
    frames(2);
  }
  void turn(float radians) {
    Transform local = document_.character->skeleton->rest[elbow_];
    local.rotation = local.rotation * glm::angleAxis(radians, glm::vec3(1, 0, 0));
    edit::apply(document_, {edit::SetJointLocal{elbow_, local, false}, {}, true});
    frames(1);
  }
  // Library with the pose "bent", while the character is at rest.
  void store_bent() {
    turn(1.0f);
    workspace_.panel<LibraryPanel>().name = "bent";
    click("library.store");
    edit::apply(document_, {edit::SetBasePose{edit::BasePose::kRest}, {}, true});
    frames(2);
  }
  [[nodiscard]] glm::quat turned() const { return edit::evaluate_pose(document_).local[elbow_].rotation; }

  int elbow_ = -1;
};

TEST_F(LibraryWindow, StoresNamesAndOrdersPoses) {
  EXPECT_EQ(workspace_.mode, "pose");
  turn(0.5f);
  click("library.store");
  ASSERT_EQ(document_.content.library.size(), 1u);
  EXPECT_EQ(document_.content.library[0].name, "Pose 1");
  EXPECT_EQ(document_.content.library[0].joints.size(), document_.character->skeleton->rest.size());
  workspace_.panel<LibraryPanel>().name = "Fist";
  frames(1);
  edit::apply(document_, {edit::ResetJoints{{}, edit::ResetScope::kAll, edit::ResetTo::kRest}, {}, true});
  document_.view.select_only(elbow_);
  click("library.selected");
  click("library.store");
  ASSERT_EQ(document_.content.library.size(), 2u);
  EXPECT_EQ(document_.content.library[1].name, "Fist");
  EXPECT_EQ(document_.content.library[1].joints.size(), 1u);
  EXPECT_FALSE(report_.contains("library.2"));
  edit::undo(document_);
  edit::undo(document_);
  EXPECT_EQ(document_.content.library.size(), 1u);
}

TEST_F(LibraryWindow, PointingShowsAndChangesNothing) {
  store_bent();
  const std::uint64_t before = edit::content_hash(document_.content);
  const std::uint64_t version = document_.state_version;
  move(report_["library.0"].center());
  const Requests asked = frame();
  EXPECT_EQ(asked.preview.subject, "library.0");
  ASSERT_EQ(asked.preview.changes.size(), 1u);
  EXPECT_TRUE(asked.commands.empty());
  edit::Document shown = edit::without_history(document_);
  edit::apply(shown, {asked.preview.changes[0], {}, false});
  EXPECT_EQ(edit::evaluate_pose(shown).local[elbow_].rotation, document_.content.library[0].joints.at(elbow_).rotation);
  EXPECT_EQ(edit::content_hash(document_.content), before);
  EXPECT_EQ(document_.state_version, version);
  document_.view.select_only(elbow_);
  press_escape();
  EXPECT_EQ(frame().preview.subject, "");
  EXPECT_EQ(document_.view.selected_joint(), elbow_) << "Esc ended the preview alone";
  move({-100, -100});
  move(report_["library.0"].center());
  EXPECT_EQ(frame().preview.subject, "library.0");
  move({-100, -100});
  EXPECT_EQ(frame().preview.subject, "");
}

TEST_F(LibraryWindow, AClickAppliesAndADragBlendsInOneStep) {
  store_bent();
  const edit::Content before = document_.content;
  const std::size_t steps = document_.history.cursor();
  click("library.0");
  EXPECT_EQ(turned(), document_.content.library[0].joints.at(elbow_).rotation);
  EXPECT_EQ(document_.history.cursor(), steps + 1);
  edit::undo(document_);
  EXPECT_EQ(document_.content, before);
  const glm::vec2 at = report_["library.0"].center();
  move(at);
  button(true);
  move(at + glm::vec2(40, 0));
  move(at + glm::vec2(80, 3));
  const float angle =
      2 * std::acos(std::min(1.0f, std::abs(glm::dot(turned(), before.character->skeleton->rest[elbow_].rotation))));
  EXPECT_NEAR(angle, 0.5f, 1e-3f) << "80 of 160 pixels";
  move(at + glm::vec2(900, 0));
  EXPECT_EQ(turned(), document_.content.library[0].joints.at(elbow_).rotation);
  button(false);
  frames(2);
  EXPECT_EQ(document_.history.cursor(), steps + 1) << "one step";
  edit::undo(document_);
  EXPECT_EQ(document_.content, before);
  move(at);
  button(true);
  move(at + glm::vec2(60, 0));
  EXPECT_NE(turned(), before.character->skeleton->rest[elbow_].rotation);
  ImGui::GetIO().KeyMap[ImGuiKey_Escape] = 1;
  press(1);
  EXPECT_EQ(document_.content, before) << "Esc";
  button(false);
  EXPECT_EQ(document_.content, before) << "and the button that goes up later is no click";
}

TEST_F(LibraryWindow, SearchesByName) {
  store_bent();
  for (const char* name : {"Fist", "Open hand", "fist, tight"}) {
    edit::apply(document_, {edit::StorePoses{{edit::stored_pose(document_, name)}}, {}, true});
  }
  workspace_.panel<LibraryPanel>().search = "FIST";
  frames(2);
  EXPECT_TRUE(report_.contains("library.1"));
  EXPECT_TRUE(report_.contains("library.3"));
  EXPECT_FALSE(report_.contains("library.0"));
  EXPECT_FALSE(report_.contains("library.2"));
  workspace_.panel<LibraryPanel>().search = "nobody";
  move({-100, -100});
  EXPECT_THAT(words(), HasSubstr("No pose has that in its name"));
}

// library_panel_cost_test.cpp measures the time.
TEST_F(LibraryWindow, FiveHundredPosesCostWhatIsInSight) {
  edit::StorePoses change;
  for (int i = 0; i < 500; ++i) {
    change.poses.emplace_back(edit::stored_pose(document_, "pose with a name " + std::to_string(i)));
  }
  edit::apply(document_, {change, {}, true});
  frames(3);
  ASSERT_EQ(document_.content.library.size(), 500u);
  const auto drawn = std::ranges::count_if(report_, [](const auto& entry) {
    return entry.first.starts_with("library.") && std::isdigit(entry.first.back()) != 0;
  });
  EXPECT_LT(drawn, 60);
  EXPECT_GT(drawn, 4);
}

TEST_F(LibraryWindow, HostileNamesAndSizesStayInTheWindow) {
  for (const std::string& name :
       {std::string("a\nb"), std::string(10'000, 'w'), std::string("%s%n"), std::string("##x")}) {
    edit::apply(document_, {edit::StorePoses{{edit::stored_pose(document_, name)}}, {}, true});
  }
  for (const auto& [size, scale] : {std::pair(glm::vec2(640, 480), 1.0f), std::pair(glm::vec2(1440, 900), 2.0f)}) {
    resize(size, scale);
    frames(3);
    ASSERT_TRUE(report_.contains("library.0"));
    for (const auto& [name, rect] : report_) {
      if (name.starts_with("library.")) {
        EXPECT_LE(rect.x + rect.w, size.x + 1) << name;
      }
    }
  }
}

// The field is that of one pose: where undo or another list puts another one in its place, or it is not in sight, it is
// gone, and nothing gets the name.
TEST_F(LibraryWindow, ANameThatIsTypedIsForNoOtherPose) {
  store_bent();
  for (const char* name : {"second", "third"}) {
    edit::apply(document_, {edit::StorePoses{{edit::stored_pose(document_, name)}}, {}, true});
  }
  frames(2);
  const auto begin_renaming = [&] {
    move(report_["library.1"].center());
    ImGui::GetIO().MouseDown[1] = true;
    frames(2);
    ImGui::GetIO().MouseDown[1] = false;
    frames(3);
    click("library.menu.rename");
    frames(3);
    ASSERT_TRUE(report_.contains("library.rename"));
    workspace_.panel<LibraryPanel>().new_name = "typed";
  };
  const auto names = [&] {
    std::vector<std::string> out;
    for (const edit::StoredPose& pose : document_.content.library) {
      out.push_back(pose.name);
    }
    return out;
  };
  begin_renaming();
  edit::apply(document_, {edit::RemoveStoredPose{1}, {}, true});
  frames(3);
  EXPECT_FALSE(report_.contains("library.rename"));
  EXPECT_EQ(names(), (std::vector<std::string>{"bent", "third"}));
  edit::undo(document_);
  frames(2);
  EXPECT_FALSE(report_.contains("library.rename"));
  begin_renaming();
  workspace_.panel<LibraryPanel>().search = "bent";
  frames(3);
  workspace_.panel<LibraryPanel>().search = "";
  frames(3);
  EXPECT_FALSE(report_.contains("library.rename"));
  begin_renaming();
  forget_character(workspace_);
  frames(3);
  EXPECT_FALSE(report_.contains("library.rename"));
  EXPECT_EQ(names(), (std::vector<std::string>{"bent", "second", "third"}));
}

TEST_F(LibraryWindow, TheMenuOfAPoseChangesTheLibrary) {
  store_bent();
  edit::apply(document_, {edit::StorePoses{{edit::stored_pose(document_, "second")}}, {}, true});
  frames(2);
  const auto choose = [&](const std::string& pose, const std::string& entry) {
    move(report_[pose].center());
    ImGui::GetIO().MouseDown[1] = true;
    frames(2);
    ImGui::GetIO().MouseDown[1] = false;
    frames(3);
    click("library.menu." + entry);
    frames(2);
  };
  choose("library.1", "first");
  EXPECT_EQ(document_.content.library[0].name, "second");
  choose("library.1", "duplicate");
  ASSERT_EQ(document_.content.library.size(), 3u);
  EXPECT_EQ(document_.content.library[2].name, "bent 2");
  choose("library.0", "replace");
  EXPECT_EQ(document_.content.library[0].name, "second");
  choose("library.0", "delete");
  EXPECT_EQ(document_.content.library.size(), 2u);
  choose("library.0", "flipped");
  EXPECT_EQ(document_.content.library[0].name, "bent");
}

}  // namespace
}  // namespace pelt::ui
