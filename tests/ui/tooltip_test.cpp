// Tooltips stand beside what they explain.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <imgui_internal.h>

#include "gltf/bundled.h"
#include "headless_window.h"
#include "ui/modes.h"
#include "ui/tooltip.h"
#include "ui/widgets.h"

namespace pelt::ui {
namespace {

constexpr float kGap = 4;
constexpr float kCursor = 18;

TEST(TooltipPlace, IsBesideTheItemAndInsideTheWindowWhereverTheItemIs) {
  constexpr glm::vec2 kWindow(400, 300);
  for (const glm::vec2 tip : {glm::vec2(120, 40), glm::vec2(300, 90), glm::vec2(390, 20)}) {
    for (const glm::vec2 item : {glm::vec2(24, 24), glm::vec2(200, 22), glm::vec2(90, 120), glm::vec2(400, 60)}) {
      for (float x = 0; x + item.x <= kWindow.x; x += 19) {
        for (float y = 0; y + item.y <= kWindow.y; y += 17) {
          const Rect rect{x, y, item.x, item.y};
          for (const glm::vec2 mouse : {glm::vec2(x + 1, y + 1), rect.center(), glm::vec2(x, y) + item - 1.0f}) {
            const Rect place = tooltip_place(rect, mouse, tip, kWindow, kGap, kCursor);
            EXPECT_GE(place.x, 0);
            EXPECT_GE(place.y, 0);
            EXPECT_LE(place.x + place.w, kWindow.x);
            EXPECT_LE(place.y + place.h, kWindow.y);
            EXPECT_FALSE(place.contains(mouse.x, mouse.y));
            EXPECT_FALSE(meet(place, rect)) << x << " " << y << " of " << item.x << " by " << item.y;
          }
        }
      }
    }
  }
}

TEST(TooltipPlace, OfAnItemThatFillsTheWindowIsBesideTheMouse) {
  for (const glm::vec2 mouse : {glm::vec2(3, 3), glm::vec2(397, 297), glm::vec2(200, 150), glm::vec2(399, 5)}) {
    const Rect place = tooltip_place({0, 0, 400, 300}, mouse, {150, 60}, {400, 300}, kGap, kCursor);
    EXPECT_FALSE(place.contains(mouse.x, mouse.y));
    EXPECT_GE(place.x, 0);
    EXPECT_GE(place.y, 0);
    EXPECT_LE(place.x + place.w, 400);
    EXPECT_LE(place.y + place.h, 300);
  }
}

class CutTexts : public HeadlessWindow {};

TEST_F(CutTexts, AreWholeInTheirTooltips) {
  for (const float width : {60.0f, 600.0f}) {
    for (int picture = 0; picture < 3; ++picture) {
      ImGui::GetIO().MousePos = ImVec2(30, 40);
      ImGui::NewFrame();
      ImGui::SetNextWindowPos(ImVec2(0, 0));
      ImGui::SetNextWindowSize(ImVec2(700, 300));
      ImGui::Begin("cut", nullptr, ImGuiWindowFlags_NoDecoration);
      ImGui::SetCursorScreenPos(ImVec2(20, 32));
      clipped_text("a heading that is longer than there is room", width);
      ImGui::End();
      ImGui::Render();
    }
    const ImGuiWindow* const tip = ImGui::FindWindowByName("##Tooltip_00");
    EXPECT_EQ(tip != nullptr && tip->Active, width < 100) << width;
  }
}

TEST_F(CutTexts, ANoticeIsReadBeforeWhatAlwaysStandsThere) {
  resize({640, 480}, 1);
  workspace_.notice = Notice{Severity::kInfo, "Something happened that takes a sentence to say", now_};
  frames(2);
  ASSERT_TRUE(report_.contains("status.notice"));
  EXPECT_GT(report_["status.notice"].w, 0.5f * 640);
}

class Tooltips : public HeadlessWindow {
 protected:
  void SetUp() override {
    HeadlessWindow::SetUp();
    open(*gltf::import_bundled("mannequin"));
    document_.view.select_only(3);
  }
  // The tooltip of the last picture; empty: there is none.
  static Rect tooltip() {
    const ImGuiWindow* const window = ImGui::FindWindowByName("##Tooltip_00");
    return window != nullptr && window->Active && !window->Hidden
               ? Rect{window->Pos.x, window->Pos.y, window->Size.x, window->Size.y}
               : Rect{};
  }
};

TEST_F(Tooltips, NoneCoversWhatItExplainsInAnyTabAtAnyEdge) {
  int seen = 0;
  for (const auto& [size, scale] : {std::pair(glm::vec2(1440, 900), 1.0f), std::pair(glm::vec2(760, 520), 1.0f),
                                    std::pair(glm::vec2(1000, 700), 2.0f)}) {
    resize(size, scale);
    for (const Mode& mode : modes()) {
      act(fmt::format("mode.{}", mode.id).c_str());
      for (const Tab* tab : tabs_of(mode)) {
        workspace_.tab = tab->id;
        frames(2);
        const WidgetReport widgets = report_;
        for (const auto& [name, rect] : widgets) {
          // A panel's own rectangle is no item, and what is scrolled out of sight needs no room.
          Rect shown = rect;
          if (const Rect panel = workspace_.layout.right; panel.contains(rect.x, rect.y)) {
            shown.h = std::min(rect.h, panel.y + panel.h - rect.y);
          }
          const bool is_item =
              !name.starts_with("panel.") && !name.starts_with("viewport") && !name.starts_with("bone.");
          if (!is_item || shown.h < rect.h / 2) {
            continue;
          }
          const glm::vec2 mouse = shown.center();
          move(mouse);
          const Rect tip = tooltip();
          if (tip.empty()) {
            continue;
          }
          ++seen;
          EXPECT_FALSE(tip.contains(mouse.x, mouse.y)) << name;
          EXPECT_FALSE(meet(tip, shown)) << mode.id << " " << tab->id << " " << name << " of " << shown.x << " "
                                         << shown.y << " " << shown.w << " " << shown.h << " under " << tip.x << " "
                                         << tip.y << " " << tip.w << " " << tip.h << " at " << size.x;
          EXPECT_GE(tip.x, 0) << name;
          EXPECT_GE(tip.y, 0) << name;
          EXPECT_LE(tip.x + tip.w, size.x) << name;
          EXPECT_LE(tip.y + tip.h, size.y) << name;
        }
        move({-1000, -1000});
      }
    }
  }
  EXPECT_GT(seen, 200);
}

}  // namespace
}  // namespace pelt::ui
