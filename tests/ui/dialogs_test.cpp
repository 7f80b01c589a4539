// Keys that end what is open, and the file dialog driven by them.

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include "headless_window.h"
#include "support/output_folder.h"
#include "ui/display_panel.h"
#include "ui/pose_panel.h"
#include "ui/skinning_panel.h"

namespace pelt::ui {
namespace {

namespace fs = std::filesystem;

enum Keys { kEscape = 1, kEnter, kTabulator, kDown, kUp, kPageDown, kBack };

class Dialogs : public HeadlessWindow {
 protected:
  void SetUp() override {
    HeadlessWindow::SetUp();
    ImGuiIO& io = ImGui::GetIO();
    io.KeyMap[ImGuiKey_Escape] = kEscape;
    io.KeyMap[ImGuiKey_Enter] = kEnter;
    io.KeyMap[ImGuiKey_Tab] = kTabulator;
    io.KeyMap[ImGuiKey_DownArrow] = kDown;
    io.KeyMap[ImGuiKey_UpArrow] = kUp;
    io.KeyMap[ImGuiKey_PageDown] = kPageDown;
    io.KeyMap[ImGuiKey_Backspace] = kBack;
    folder_ = test::output_folder() / "dialogs" / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "rigs" / "deep");
    fs::create_directories(folder_ / "poses");
    for (const char* name : {"hero.glb", "rigs/horse.glb", "poses/sit.json"}) {
      std::ofstream(folder_ / name) << "{}";
    }
    unsetenv("HOME");
    setenv("HOME", folder_.c_str(), 1);
  }
  void begin(const char* action) {
    act(action);
    enter(workspace_.browser, folder_);
    frames(4);
  }
  void type(const std::string& text) {
    ImGui::GetIO().AddInputCharactersUTF8(text.c_str());
    frames(2);
  }
  /// What the frames asked for together.
  Requests press_and_collect(int key) {
    Requests all;
    for (const bool down : {true, false}) {
      ImGui::GetIO().KeysDown[key] = down;
      for (int i = 0; i < 3; ++i) {
        const Requests requests = frame();
        all.open_file += requests.open_file;
        all.open_pose += requests.open_pose;
        all.save_pose += requests.save_pose;
        all.picture += requests.picture;
        if (requests.export_character) {
          all.export_character = requests.export_character;
        }
      }
    }
    return all;
  }
  fs::path folder_;
};

TEST_F(Dialogs, EscapeClosesAMenuWithItsSubMenus) {
  click("menu.View");
  ASSERT_TRUE(report_.contains("menu.view.front"));
  press(kEscape);
  EXPECT_FALSE(report_.contains("menu.view.front"));
  frames(3);
  EXPECT_FALSE(report_.contains("menu.view.front")) << "although the mouse is over its name";
  click("menu.File");
  move(report_["menu.bundled"].center());
  frames(3);
  press(kEscape);
  EXPECT_FALSE(report_.contains("menu.file.open")) << "all of it at once";
}

TEST_F(Dialogs, EscapeClosesADropDownAndChoosesNothing) {
  workspace_.tab = kSkinningTab;
  frames(2);
  click("skinning.method");
  ASSERT_TRUE(report_.contains("skinning.method.1"));
  move(report_["skinning.method.1"].center());
  press(kEscape);
  EXPECT_FALSE(report_.contains("skinning.method.1"));
  EXPECT_FALSE(document_.history.can_undo());
}

TEST_F(Dialogs, EscapeClosesTheKeyHelpWhileATextFieldHasTheKeyboard) {
  act("help.keys");
  frames(2);
  click("tree.search");
  type("tip");
  ASSERT_TRUE(ImGui::GetIO().WantTextInput);
  press(kEscape);
  EXPECT_FALSE(workspace_.help_open);
}

TEST_F(Dialogs, EscapeTakesADragOfASliderBack) {
  open(test::cylinder());
  document_.view.select_only(document_.character->skeleton->find("tip"));
  workspace_.tab = kPoseTab;
  frames(3);
  ASSERT_TRUE(report_.contains("dof.tip.bend"));
  const Rect slider = report_["dof.tip.bend"];
  const edit::Content before = document_.content;
  move(slider.center());
  button(true);
  move({slider.x + slider.w * 0.8f, slider.center().y});
  ASSERT_NE(document_.content, before);
  press(kEscape);
  EXPECT_EQ(document_.content, before);
  move({slider.x + slider.w * 0.3f, slider.center().y});
  button(false);
  EXPECT_EQ(document_.content, before) << "until the button is pressed again";
  EXPECT_FALSE(document_.history.can_undo());
  EXPECT_FALSE(document_.history.can_redo());
}

TEST_F(Dialogs, EscapeTakesOnlyTheDragInProgressBack) {
  open(test::cylinder());
  document_.view.select_only(document_.character->skeleton->find("tip"));
  workspace_.tab = kPoseTab;
  frames(3);
  const Rect slider = report_["dof.tip.bend"];
  move(slider.center());
  button(true);
  move({slider.x + slider.w * 0.8f, slider.center().y});
  button(false);
  const edit::Content posed = document_.content;
  const glm::vec2 middle = workspace_.layout.viewport.center();
  move(middle);
  button(true);
  move(middle + glm::vec2(80, 40));
  press(kEscape);
  button(false);
  EXPECT_EQ(document_.content, posed) << "the slider's drag was finished";
  EXPECT_EQ(document_.history.cursor(), 1u);
}

TEST_F(Dialogs, EscapeTakesADragOfTheViewBack) {
  workspace_.tab = kDisplayTab;
  frames(3);
  const float exposure = workspace_.view.exposure;
  const Rect slider = report_["display.exposure"];
  move(slider.center());
  button(true);
  move({slider.x + slider.w * 0.9f, slider.center().y});
  ASSERT_NE(workspace_.view.exposure, exposure);
  press(kEscape);
  button(false);
  EXPECT_EQ(workspace_.view.exposure, exposure);

  const render::Camera camera = workspace_.camera;
  const glm::vec2 middle = workspace_.layout.viewport.center();
  move(middle);
  button(true);
  move(middle + glm::vec2(80, 40));
  ASSERT_NE(workspace_.camera, camera);
  press(kEscape);
  move(middle + glm::vec2(120, 40));
  button(false);
  EXPECT_EQ(workspace_.camera, camera);

  const PanelSizes panels = workspace_.preferences.panels;
  const glm::vec2 splitter = report_["splitter.right"].center();
  move(splitter);
  button(true);
  move(splitter - glm::vec2(60, 0));
  ASSERT_NE(workspace_.preferences.panels, panels);
  press(kEscape);
  button(false);
  EXPECT_EQ(workspace_.preferences.panels, panels);
}

TEST_F(Dialogs, ATypedPathIsEnteredOrOpened) {
  begin("file.open");
  type("rigs/deep");
  press(kEnter);
  EXPECT_EQ(workspace_.browser.folder, folder_ / "rigs" / "deep");
  EXPECT_TRUE(workspace_.browser.filter.empty());
  frames(3);
  type("..");
  press(kEnter);
  EXPECT_EQ(workspace_.browser.folder, folder_ / "rigs");
  frames(3);
  type("/nowhere/at/all.glb");
  EXPECT_TRUE(press_and_collect(kEnter).open_file.empty());
  EXPECT_NE(workspace_.browser.error.find("/nowhere/at/all.glb"), std::string::npos);
  ASSERT_TRUE(workspace_.browser.visible);
  frames(3);
  type("~/hero.glb");
  EXPECT_EQ(press_and_collect(kEnter).open_file, (folder_ / "hero.glb").string());
  EXPECT_FALSE(workspace_.browser.visible);
  EXPECT_EQ(workspace_.preferences.folders["character"], folder_.string()) << "where the file is, not what was shown";
}

TEST_F(Dialogs, TheListIsDrivenByKeysAlone) {
  begin("file.open");
  press(kDown);
  press(kDown);
  press(kEnter);
  EXPECT_EQ(workspace_.browser.folder, folder_ / "rigs");
  frames(3);
  ImGui::GetIO().KeyAlt = true;
  press(kUp);
  ImGui::GetIO().KeyAlt = false;
  EXPECT_EQ(workspace_.browser.folder, folder_);
  frames(3);
  press(kPageDown);
  EXPECT_EQ(press_and_collect(kEnter).open_file, (folder_ / "hero.glb").string()) << "the last of the list";
}

TEST_F(Dialogs, TabCompletesAPath) {
  begin("file.open");
  type((folder_ / "ri").string());
  press(kTabulator);
  EXPECT_EQ(workspace_.browser.filter, (folder_ / "rigs").string() + "/");
  type("ho");
  press(kTabulator);
  EXPECT_EQ(press_and_collect(kEnter).open_file, (folder_ / "rigs/horse.glb").string());
}

TEST_F(Dialogs, ANameToSaveUnderMayBeAPath) {
  begin("file.save-pose-as");
  type("poses");
  EXPECT_TRUE(press_and_collect(kEnter).save_pose.empty());
  EXPECT_EQ(workspace_.browser.folder, folder_ / "poses") << "a folder is entered";
  EXPECT_EQ(workspace_.browser.name, workspace_.browser.usual_name);
  frames(3);
  type("~/nowhere/x.json");
  EXPECT_TRUE(press_and_collect(kEnter).save_pose.empty());
  EXPECT_NE(workspace_.browser.error.find("nowhere"), std::string::npos);
  frames(3);
  type("~/rigs/stand");
  EXPECT_EQ(press_and_collect(kEnter).save_pose, (folder_ / "rigs/stand.json").string());
}

TEST_F(Dialogs, AFolderThatCannotBeWrittenToKeepsTheDialogOpen) {
  // Root may write anywhere, so it becomes another user for as long as the question takes.
  const bool is_root = geteuid() == 0;
  const fs::path folder = fs::temp_directory_path() / fmt::format("pelt-dialogs-{}", getpid());
  fs::create_directories(folder);
  fs::permissions(folder, fs::perms(0555));
  begin("file.save-pose-as");
  type((folder / "stand.json").string());
  ASSERT_EQ(is_root ? seteuid(12345) : 0, 0);
  const Requests asked = press_and_collect(kEnter);
  ASSERT_EQ(is_root ? seteuid(0) : 0, 0);
  EXPECT_EQ(asked.save_pose, "");
  EXPECT_TRUE(workspace_.browser.visible);
  EXPECT_EQ(workspace_.browser.error,
            folder.string() + ": nothing can be written there (Permission denied); choose another folder.");
  frames(3);
  type("~/rigs/stand");
  EXPECT_EQ(press_and_collect(kEnter).save_pose, (folder_ / "rigs/stand.json").string());
  fs::remove_all(folder);
}

TEST_F(Dialogs, AnExportSaysThatThePoseStaysBehind) {
  open(test::cylinder());
  begin("file.export");
  EXPECT_FALSE(report_.contains("export.pose-left"));
  press(kEscape);
  const int tip = document_.character->skeleton->find("tip");
  ASSERT_GE(tip, 0);
  edit::apply(document_, {edit::SetDof{tip, 0, 0.5f}, "", true});
  begin("file.export");
  ASSERT_TRUE(report_.contains("export.pose-left"));
  EXPECT_LE(report_["export.pose-left"].y + report_["export.pose-left"].h, report_["browser.accept"].y);
  click("export.bake-pose");
  EXPECT_TRUE(workspace_.browser.export_choices.conversion.bake_pose);
  EXPECT_FALSE(report_.contains("export.pose-left")) << "it is written";
}

TEST_F(Dialogs, APictureHasANameOfWhatCanBeWritten) {
  begin("file.save-picture");
  type("shot.jpg");
  EXPECT_EQ(press_and_collect(kEnter).picture, "");
  EXPECT_TRUE(workspace_.browser.visible);
  EXPECT_EQ(workspace_.browser.error, "The name decides the format: it must end in .png.");
  frames(3);
  type("shot.PNG");
  EXPECT_EQ(press_and_collect(kEnter).picture, (folder_ / "shot.PNG").string());
  begin("file.save-picture");
  type("shot");
  EXPECT_EQ(press_and_collect(kEnter).picture, (folder_ / "shot.png").string());
  begin("file.export");
  type("shot.png");
  EXPECT_FALSE(press_and_collect(kEnter).export_character);
  EXPECT_EQ(workspace_.browser.error, "The name decides the form: it must end in .glb or .gltf.");
}

TEST_F(Dialogs, ReplacingAFileIsAskedInsideTheDialog) {
  begin("file.save-pose-as");
  type("poses/sit.json");
  EXPECT_TRUE(press_and_collect(kEnter).save_pose.empty());
  EXPECT_EQ(workspace_.browser.replaced, (folder_ / "poses/sit.json").string());
  press(kEscape);
  EXPECT_TRUE(workspace_.browser.replaced.empty());
  EXPECT_TRUE(workspace_.browser.visible) << "only the question is over";
  EXPECT_TRUE(press_and_collect(kEnter).save_pose.empty());
  EXPECT_EQ(press_and_collect(kEnter).save_pose, (folder_ / "poses/sit.json").string());
}

TEST_F(Dialogs, EachKindOfFileHasItsFolder) {
  begin("file.save-pose-as");
  type("poses/stand");
  press(kEnter);
  begin("file.export");
  type("rigs/out.glb");
  EXPECT_TRUE(press_and_collect(kEnter).export_character);
  begin("file.save-picture");
  type("rigs/deep/face");
  EXPECT_EQ(press_and_collect(kEnter).picture, (folder_ / "rigs/deep/face.png").string());
  const auto begins_in = [&](const char* action) {
    act(action);
    const fs::path folder = workspace_.browser.folder;
    press(kEscape);
    EXPECT_FALSE(workspace_.browser.visible);
    return folder;
  };
  EXPECT_EQ(begins_in("file.open-pose"), folder_ / "poses");
  EXPECT_EQ(begins_in("file.export"), folder_ / "rigs");
  EXPECT_EQ(begins_in("file.save-picture"), folder_ / "rigs" / "deep");
  EXPECT_EQ(begins_in("compare.export"), begins_in("file.open")) << "no table was saved yet: as for the character";
}

}  // namespace
}  // namespace pelt::ui
