// The Skinning tab: what it knows, what it remembers, what a drag in it does.

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include "deform/skinning_methods.h"
#include "headless_window.h"
#include "support/control_points.h"
#include "ui/compare_panel.h"
#include "ui/pose_panel.h"
#include "ui/skinning_panel.h"

namespace pelt::ui {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int kEscapeInTab = 1;

class SkinningTab : public HeadlessWindow {
 protected:
  void SetUp() override {
    HeadlessWindow::SetUp();
    ImGui::GetIO().KeyMap[ImGuiKey_Escape] = kEscapeInTab;
    resize({1440, 2400}, 1);
    open(test::cylinder());
    workspace_.tab = kSkinningTab;
    frames(3);
  }
  void skin(const deform::SkinningSettings& settings) {
    edit::apply(document_, {edit::SetSkinning{settings}, {}, true});
    frames(2);
  }
  /// What stands behind a label.
  std::string after(const std::string& label) {
    const std::string all = words();
    const std::size_t at = all.find(label);
    return at == std::string::npos ? "" : all.substr(at + label.size(), 40);
  }
  /// The owner of surfaces has made what was asked for.
  void make_surface() {
    ASSERT_TRUE(surface_to_come_);
    document_.surface = *surface_to_come_;
    surface_to_come_.reset();
  }
  Requests drag_to(glm::vec2 at) {
    ImGui::GetIO().MousePos = ImVec2(at.x, at.y);
    Requests requests = frame();
    if (requests.surface) {
      surface_to_come_ = requests.surface;
    }
    return requests;
  }
};

TEST_F(SkinningTab, LostNormalsAreNotKnownWhileAMethodIsPrepared) {
  EXPECT_THAT(after("Lost normals"), HasSubstr("none of"));
  evaluation_.hold_unprepared(true);
  const deform::SkinningSettings cor{.method = deform::find_method("cor")};
  skin(cor);
  ASSERT_TRUE(evaluation_.waits(0));
  EXPECT_THAT(after("Lost normals"), HasSubstr("not known yet")) << "not what linear blending lost";
  ASSERT_TRUE(evaluation_.cache()->prepare(*document_.character, cor, {}));
  frames(2);
  EXPECT_THAT(after("Lost normals"), HasSubstr("none of"));
  skin({.method = deform::find_method("ddm")});
  EXPECT_THAT(words(), Not(HasSubstr("Lost normals"))) << "there it is no question";
}

TEST_F(SkinningTab, TheNumberOfInfluencesFollowsASlowDrag) {
  const glm::vec2 at = report_["skinning.influences.field"].center();
  move(at);
  button(true);
  for (int i = 1; i <= 120; ++i) {
    move(at - glm::vec2(i, 0));
  }
  EXPECT_EQ(document_.content.skinning.influence_limit, 7) << "fifty pixels for each";
  for (int i = 119; i >= -60; --i) {
    move(at - glm::vec2(i, 0));
  }
  button(false);
  EXPECT_EQ(document_.content.skinning.influence_limit, 0) << "and back";
  // A number that is typed is one.
  const glm::vec2 field = report_["skinning.influences.field"].center();
  click("skinning.influences.field");
  click("skinning.influences.field");
  ASSERT_TRUE(ImGui::GetIO().WantTextInput) << field.x;
  ImGui::GetIO().AddInputCharactersUTF8("4");
  frames(2);
  move({5, 5});
  button(true);
  button(false);
  EXPECT_EQ(document_.content.skinning.influence_limit, 4);
}

TEST_F(SkinningTab, ColoursByJointGiveBackTheLookFromBefore) {
  workspace_.view.look = render::Look::kClay;
  skin({.partition = true});
  click("surface.rigid-colors");
  EXPECT_EQ(workspace_.view.look, render::Look::kBatches);
  click("surface.rigid-colors");
  EXPECT_EQ(workspace_.view.look, render::Look::kClay);
  EXPECT_TRUE(document_.content.skinning.partition) << "it was on before";
  workspace_.view.look = render::Look::kBatches;
  skin({.partition = false});
  click("surface.rigid-colors");
  EXPECT_TRUE(document_.content.skinning.partition);
  click("surface.rigid-colors");
  EXPECT_EQ(workspace_.view.look, render::Look::kBatches);
  EXPECT_FALSE(document_.content.skinning.partition);
}

TEST_F(SkinningTab, FastNormalsAreLookedAtOncePerPose) {
  skin({.normals = deform::NormalVariant::kFastRenormalised});
  ASSERT_TRUE(report_.contains("skinning.fast-normals.worst"));
  deformed_asked_ = 0;
  frames(5);
  EXPECT_EQ(deformed_asked_, 0);
  edit::apply(document_, {edit::SetJointLocal{1, {.translation = {0.5f, 0, 0}, .scale = {1, 3, 1}}, false}, {}, true});
  frames(2);
  EXPECT_EQ(deformed_asked_, 1);
  deformed_asked_ = 0;
  open(test::random_rig({.seed = 4, .joints = 30, .influences = 4}));
  EXPECT_EQ(deformed_asked_, 1) << "of another character";
}

TEST_F(SkinningTab, TheBackendSaysWhatItIsOnBothItsHalves) {
  for (const auto& [tab, name] : {std::pair{kSkinningTab, std::string("skinning.backend")},
                                  std::pair{kCompareTab, std::string("compare.pane.0.backend")},
                                  std::pair{kPoseTab, std::string("toolbar.backend")}}) {
    workspace_.tab = tab;
    frames(3);
    for (const char* half : {".0", ".1"}) {
      ASSERT_TRUE(report_.contains(name + half)) << name;
      const Rect rect = report_[name + half];
      for (const float x : {rect.x + 2, rect.center().x, rect.x + rect.w - 2}) {
        move({x, rect.center().y});
        EXPECT_THAT(words(), HasSubstr("Where the skin is computed; the shape is the same"))
            << name << half << " " << x;
      }
    }
  }
}

TEST_F(SkinningTab, ADragOfTheExplosionAsksForOneSurfaceAtATime) {
  const Rect slider = report_["surface.explode"];
  const auto at = [&](float share) { return glm::vec2(slider.x + slider.w * share, slider.center().y); };
  move(at(0.05f));
  button(true);
  const Requests first = drag_to(at(0.3f));
  ASSERT_TRUE(first.surface);
  const float asked = first.surface->explode;
  EXPECT_GT(asked, 0);
  for (const float share : {0.4f, 0.5f, 0.6f}) {
    EXPECT_FALSE(drag_to(at(share)).surface) << "the first is on its way";
  }
  make_surface();
  const Requests second = drag_to(at(0.6f));
  ASSERT_TRUE(second.surface) << "the hand has gone on";
  EXPECT_GT(second.surface->explode, asked);
  make_surface();
  EXPECT_FALSE(drag_to(at(0.6f)).surface) << "it is there";
  drag_to(at(0.7f));
  drag_to(at(0.8f));
  ImGui::GetIO().MouseDown[0] = false;
  const Requests last = drag_to(at(0.8f));
  ASSERT_TRUE(last.surface) << "where it was let go, whatever is on its way";
  EXPECT_GT(last.surface->explode, second.surface->explode);
  make_surface();
  EXPECT_FALSE(drag_to(at(0.8f)).surface);
  EXPECT_FALSE(drag_to(at(0.9f)).surface) << "the button is up";
}

TEST_F(SkinningTab, ASlowExplosionIsMadeWhenTheSliderIsLetGo) {
  const Rect slider = report_["surface.explode"];
  const auto at = [&](float share) { return glm::vec2(slider.x + slider.w * share, slider.center().y); };
  move(at(0.05f));
  button(true);
  ASSERT_TRUE(drag_to(at(0.3f)).surface);
  now_ += 0.5;
  make_surface();
  EXPECT_FALSE(drag_to(at(0.5f)).surface) << "the picture stood still for half a second";
  EXPECT_FALSE(drag_to(at(0.6f)).surface);
  ImGui::GetIO().MouseDown[0] = false;
  EXPECT_TRUE(drag_to(at(0.6f)).surface);
}

TEST_F(SkinningTab, EscapeTakesADragOfTheExplosionBack) {
  document_.surface.explode = 0.25f;
  frames(2);
  const Rect slider = report_["surface.explode"];
  const auto at = [&](float share) { return glm::vec2(slider.x + slider.w * share, slider.center().y); };
  move(at(0.1f));
  button(true);
  frames(1);
  drag_to(at(0.5f));
  ASSERT_TRUE(surface_to_come_);
  make_surface();
  drag_to(at(0.7f));
  ASSERT_TRUE(surface_to_come_) << "one has come, another is on its way";
  ImGui::GetIO().KeysDown[kEscapeInTab] = true;
  const Requests requests = frame();
  ASSERT_TRUE(requests.surface);
  EXPECT_EQ(requests.surface->explode, 0.25f);
  surface_to_come_ = requests.surface;
  make_surface();
  ImGui::GetIO().KeysDown[kEscapeInTab] = false;
  EXPECT_FALSE(drag_to(at(0.9f)).surface);
  ImGui::GetIO().MouseDown[0] = false;
  EXPECT_FALSE(drag_to(at(0.9f)).surface) << "what the mouse does until it is released is lost";
  EXPECT_THAT(after("Explode"), HasSubstr("0.25"));
}

TEST_F(SkinningTab, ChoosesWhatTheSkinMovesWhereThereAreControlPoints) {
  EXPECT_FALSE(report_.contains("skinning.refine.1")) << "the tube of the fixture has none";
  open(test::control_character());
  workspace_.tab = kSkinningTab;
  frames(3);
  ASSERT_TRUE(report_.contains("skinning.refine.1"));
  EXPECT_THAT(words(), Not(HasSubstr("made on the CPU")));
  click("skinning.refine.1");
  frames(2);
  EXPECT_EQ(document_.content.skinning.refine, deform::Refine::kAfterSkin);
  EXPECT_THAT(words(), HasSubstr("made on the CPU"));
  EXPECT_EQ(document_.history.undo_label(), "Skin control points");
  edit::undo(document_);
  frames(2);
  EXPECT_EQ(document_.content.skinning.refine, deform::Refine::kBeforeSkin);
}

}  // namespace
}  // namespace pelt::ui
