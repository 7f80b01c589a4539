// Sentences that matter are seen whole, in as many lines as it takes.
#include <string>

#include <gmock/gmock.h>

#include "edit/pose_edits.h"
#include "edit/worst_spots.h"
#include "gltf/bundled.h"
#include "headless_window.h"
#include "ui/bind_panel.h"
#include "ui/weight_tools_panel.h"
#include "ui/widgets.h"
#include "ui/worst_spots_section.h"

namespace pelt::ui {
namespace {

class Sentences : public HeadlessWindow {
 protected:
  // Whether the picture has the words, in one line or broken into several.
  bool says(const std::string& what) {
    move({-1000, -1000});
    const auto plain = [](std::string text) {
      std::string out;
      for (const char c : text) {
        const char one = c == '\n' ? ' ' : c;
        if (one != ' ' || (!out.empty() && out.back() != ' ')) {
          out += one;
        }
      }
      return out;
    };
    return plain(words()).find(plain(what)) != std::string::npos;
  }
  const Rect& room() const { return workspace_.layout.right; }
};

TEST_F(Sentences, RemarksOfABindingAreReadWhole) {
  resize({760, 1600}, 1);
  open(*gltf::import_bundled("mannequin"));
  act("mode.weights");
  show_tab(workspace_, kBindTab);
  BindPanel& panel = workspace_.panel<BindPanel>();
  panel.patient = true;
  panel.binder = "heat";
  frames(2);
  click("bind.bind");
  frames(3);
  ASSERT_NE(panel.made, nullptr) << panel.error;
  const std::string sentence =
      "Skin 0 has a very long name that no panel of two hundred and forty pixels shows in one line, and it ends here";
  panel.report.assign(panel.made->binding.remarks.size(), sentence);
  if (panel.report.empty()) {
    auto made = std::make_shared<edit::MadeBinding>(*panel.made);
    made->binding.remarks.push_back({});
    panel.made = made;
    panel.report = {sentence};
  }
  frames(2);
  EXPECT_TRUE(says(sentence));
}

TEST_F(Sentences, TheWarningOfAnExportIsReadWholeAboveItsButtons) {
  rig::Character tube = test::cylinder();
  open(std::move(tube));
  edit::apply(document_, {edit::SetDof{document_.character->skeleton->find("tip"), 0, 0.5f}, "", true});
  for (const auto& [size, scale] : {std::pair(glm::vec2(420, 420), 1.0f), std::pair(glm::vec2(900, 700), 2.0f)}) {
    resize(size, scale);
    act("file.export");
    frames(4);
    ASSERT_TRUE(report_.contains("export.pose-left"));
    const Rect warning = report_["export.pose-left"];
    EXPECT_LE(warning.y + warning.h, report_["browser.accept"].y) << size.x;
    EXPECT_LE(report_["browser.accept"].y + report_["browser.accept"].h, size.y) << size.x;
    EXPECT_TRUE(says("The pose set by hand is not written (\"Pose as rest\" does, or keys in a clip).")) << size.x;
    workspace_.browser.visible = false;
    press_escape();
    frames(2);
  }
}

TEST_F(Sentences, TheWorstSpotsAreReadWhole) {
  resize({760, 1400}, 1);
  open(*gltf::import_bundled("mannequin"));
  act("mode.weights");
  show_tab(workspace_, kWorstSpotsTab);
  WorstSpotsSection& panel = workspace_.panel<WorstSpotsSection>();
  panel.patient = true;
  frames(2);
  click("tools.spots");
  frames(3);
  ASSERT_NE(panel.spots, nullptr);
  ASSERT_FALSE(panel.spots->spots.empty());
  ASSERT_TRUE(report_.contains("tools.spot.0"));
  EXPECT_TRUE(says(edit::short_sentence(*panel.spots, panel.spots->spots[0])));
  const Rect first = report_["tools.spot.0"];
  EXPECT_LE(first.x + first.w, room().x + room().w);
}

TEST_F(Sentences, AClickableSentenceIsAsTallAsItsLines) {
  Scene scene;
  scene.document = &document_;
  Requests requests;
  Desk desk{scene, workspace_, requests, report_, theme_};
  for (const float width : {80.0f, 160.0f, 600.0f}) {
    report_.clear();
    ImGui::NewFrame();
    ImGui::SetNextWindowSize(ImVec2(width, 400));
    ImGui::Begin("narrow", nullptr, ImGuiWindowFlags_NoDecoration);
    const float line = ImGui::GetTextLineHeight();
    clickable_sentence(desk, "sentence", "a sentence of ten short words ## with signs in it");
    ImGui::End();
    ImGui::Render();
    ASSERT_TRUE(report_.contains("sentence"));
    EXPECT_LE(report_["sentence"].w, width);
    if (width < 200) {
      EXPECT_GE(report_["sentence"].h, 2 * line);
    } else {
      EXPECT_LT(report_["sentence"].h, 2 * line);
    }
  }
}

}  // namespace
}  // namespace pelt::ui
