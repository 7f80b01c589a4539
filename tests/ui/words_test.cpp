// What things are called, in menus, panels and steps.

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include "deform/skinning_methods.h"
#include "headless_window.h"
#include "ui/about.h"
#include "ui/compare_panel.h"
#include "ui/pose_panel.h"
#include "ui/skinning_panel.h"

namespace pelt::ui {
namespace {

class Words : public HeadlessWindow {};

TEST_F(Words, TheAboutBoxNamesVersionLicencePackagesAndOpenGl) {
  EXPECT_FALSE(report_.contains("about"));
  click("menu.Help");
  click("menu.help.about");
  frames(3);
  ASSERT_TRUE(report_.contains("about"));
  click("about.copy");
  EXPECT_THAT(ImGui::GetClipboardText(), testing::MatchesRegex("Pelt [0-9]+[.][0-9]+[.][0-9]+, none"));
  press_escape();
  EXPECT_FALSE(report_.contains("about"));
}

TEST(About, PackagesAreThoseOfTheTable) {
  const std::vector<UsedPackage> packages = used_packages();
  const auto package = [&](std::string_view name) {
    return std::ranges::find_if(packages, [&](const UsedPackage& p) { return p.name.find(name) != std::string::npos; });
  };
  ASSERT_NE(package("libimgui-dev"), packages.end());
  EXPECT_EQ(package("libglm-dev")->licence, "MIT");
  EXPECT_EQ(package("libglfw3-dev")->purpose, "window and input");
  EXPECT_EQ(package("libgtest-dev"), packages.end()) << "the program is not made of it";
  EXPECT_EQ(package("xvfb"), packages.end());
  for (const UsedPackage& p : packages) {
    EXPECT_FALSE(p.name.empty() || p.purpose.empty() || p.licence.empty()) << p.name;
  }
}

TEST(Menus, SpeakToPeople) {
  for (const Action& action : actions()) {
    const std::string label = action.label;
    EXPECT_EQ(label.find("ImGui"), std::string::npos) << label;
    EXPECT_EQ(label.find("F-"), std::string::npos) << label << ": a name from our own pages";
    for (const deform::SkinningMethod& method : deform::skinning_methods()) {
      EXPECT_NE(label, method.id) << "methods are called by their labels";
    }
  }
}

TEST_F(Words, TheBackendIsTheSameSwitchInToolbarTabAndPanes) {
  for (const auto& [tab, name] : {std::pair{kSkinningTab, std::string("skinning.backend")},
                                  std::pair{kCompareTab, std::string("compare.pane.0.backend")},
                                  std::pair{kPoseTab, std::string("toolbar.backend")}}) {
    workspace_.tab = tab;
    frames(3);
    ASSERT_TRUE(report_.contains(name + ".1")) << name;
    click(name + ".1");
    EXPECT_EQ(document_.content.skinning.backend, deform::Backend::kCpu) << name;
    click(name + ".0");
    EXPECT_EQ(document_.content.skinning.backend, deform::Backend::kGpu) << name;
  }
  click("menu.Skinning");
  click("menu.skinning.cpu");
  EXPECT_EQ(document_.content.skinning.backend, deform::Backend::kCpu);
}

TEST_F(Words, TheToolbarGivesUpTheSwitchBeforeItself) {
  resize({640, 480}, 1);
  frames(3);
  EXPECT_TRUE(report_.contains("toolbar.view.skeleton"));
  EXPECT_FALSE(report_.contains("toolbar.backend.0"));
}

TEST_F(Words, ADragOfASliderIsCalledLikeOneOfARing) {
  open(test::cylinder());
  document_.view.select_only(document_.character->skeleton->find("tip"));
  workspace_.tab = kPoseTab;
  frames(3);
  const Rect slider = report_["dof.tip.bend"];
  drag(slider.center(), {slider.x + slider.w * 0.8f, slider.center().y});
  ASSERT_EQ(document_.history.cursor(), 1u);
  EXPECT_EQ(document_.history.undo_label(), "Rotate tip");
}

}  // namespace
}  // namespace pelt::ui
