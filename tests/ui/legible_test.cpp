// Text can be read on what is drawn beneath it, in every tab and under the mouse.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <imgui_internal.h>

#include "gltf/bundled.h"
#include "headless_window.h"
#include "render/look_colors.h"
#include "ui/bind_panel.h"
#include "ui/ink.h"
#include "ui/modes.h"
#include "ui/tabs.h"
#include "ui/widgets.h"

namespace pelt::ui {
namespace {

constexpr float kLeastContrastOfIcons = 3.0f;  // WCAG 2.1, 1.4.11
constexpr float kSwitchedOff = 0.9f;           // alpha of text below it: a widget that is switched off

std::string hex(ImU32 color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color & 0xFF, (color >> 8) & 0xFF, (color >> 16) & 0xFF);
}

/// A triangle of the last picture.
struct Drawn {
  ImVec2 corner[3];
  ImU32 color;
  bool solid;
  ImVec4 clip;
  ImVec2 uv;  // of the upper left corner of a letter

  [[nodiscard]] bool covers(ImVec2 p) const {
    return p.x >= clip.x && p.y >= clip.y && p.x < clip.z && p.y < clip.w &&
           ImTriangleContainsPoint(corner[0], corner[1], corner[2], p);
  }
};

std::vector<Drawn> drawn_triangles() {
  std::vector<Drawn> out;
  const ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  const ImDrawData& data = *ImGui::GetDrawData();
  for (int l = 0; l < data.CmdListsCount; ++l) {
    const ImDrawList& list = *data.CmdLists[l];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      for (unsigned i = 0; i + 2 < command.ElemCount; i += 3) {
        Drawn one{};
        one.clip = command.ClipRect;
        one.solid = true;
        for (unsigned k = 0; k < 3; ++k) {
          const ImDrawVert& vertex = list.VtxBuffer[static_cast<int>(command.VtxOffset) +
                                                    list.IdxBuffer[static_cast<int>(command.IdxOffset + i + k)]];
          one.corner[k] = vertex.pos;
          one.color = k == 0 ? vertex.col : one.color;
          one.uv = k == 0 ? vertex.uv : one.uv;
          one.solid = one.solid && vertex.uv.x == atlas.TexUvWhitePixel.x && vertex.uv.y == atlas.TexUvWhitePixel.y;
        }
        out.push_back(one);
      }
    }
  }
  return out;
}

class Legible : public HeadlessWindow {
 protected:
  void SetUp() override {
    HeadlessWindow::SetUp();
    resize({1440, 1100}, 1);
    open(*gltf::import_bundled("mannequin"));
    read_glyphs();
  }
  void read_glyphs() {
    glyphs_.clear();
    for (const ImFont* font : ImGui::GetIO().Fonts->Fonts) {
      for (const ImFontGlyph& glyph : font->Glyphs) {
        glyphs_[{glyph.U0, glyph.V0}] = static_cast<unsigned>(glyph.Codepoint);
      }
    }
  }
  // What cannot be read in the last picture: "letters, ink on ground". Letters over the picture itself are left out,
  // whose colours nobody knows.
  std::set<std::string> illegible() {
    std::map<std::string, std::string> found;
    const std::vector<Drawn> all = drawn_triangles();
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      const auto glyph = glyphs_.find({all[i].uv.x, all[i].uv.y});
      if (all[i].solid || glyph == glyphs_.end()) {
        continue;
      }
      const ImVec2 middle((all[i].corner[0].x + all[i].corner[2].x) / 2, (all[i].corner[0].y + all[i].corner[2].y) / 2);
      const float alpha = ImGui::ColorConvertU32ToFloat4(all[i].color).w;
      const std::optional<ImU32> ground = ground_at(all, i, middle);
      ++i;  // the other half of the letter
      letters_ += ground ? 1 : 0;
      if (!ground || alpha < kSwitchedOff || !all[i - 1].covers(middle)) {
        continue;
      }
      const bool is_icon = glyph->second >= 0xF000;
      const float seen = contrast(*ground, laid_over(*ground, all[i].color));
      if (seen < (is_icon ? kLeastContrastOfIcons : kLeastContrast)) {
        std::string& letters = found[fmt::format("{} on {}: {:.1f}", hex(all[i].color), hex(*ground), seen)];
        letters += is_icon ? std::string("(icon)") : std::string(1, static_cast<char>(std::min(glyph->second, 126u)));
      }
    }
    std::set<std::string> out;
    for (const auto& [colours, letters] : found) {
      out.insert(fmt::format("{} \"{}\"", colours, letters.substr(0, 60)));
    }
    return out;
  }

 private:
  static std::optional<ImU32> ground_at(const std::vector<Drawn>& all, std::size_t end, ImVec2 at) {
    std::optional<ImU32> ground;
    for (std::size_t i = 0; i < end; ++i) {
      if (!all[i].solid || !all[i].covers(at)) {
        continue;
      }
      const float alpha = ImGui::ColorConvertU32ToFloat4(all[i].color).w;
      if (ground) {
        ground = laid_over(*ground, all[i].color);
      } else if (alpha > 0.85f) {
        ground = all[i].color | IM_COL32_A_MASK;
      }
    }
    return ground;
  }
  std::map<std::pair<float, float>, unsigned> glyphs_;

 protected:
  int letters_ = 0;  // that were looked at
};

TEST(Ink, TextOnEveryColourOfTheThemeCanBeRead) {
  std::vector<ImU32> grounds = {color::kBackground, color::kPanel, color::kRaised,  color::kField,   color::kHover,
                                color::kEdge,       color::kLine,  color::kText,    color::kTextDim, color::kAccent,
                                color::kAccentSoft, color::kGood,  color::kWarning, color::kError};
  grounds.insert(grounds.end(), std::begin(color::kAxis), std::end(color::kAxis));
  grounds.insert(grounds.end(), std::begin(color::kPane), std::end(color::kPane));
  for (int j = 0; j < 64; ++j) {
    grounds.push_back(packed(render::joint_color(j)));
  }
  for (int level = 0; level < 256; ++level) {
    grounds.push_back(IM_COL32(level, level, level, 255));
  }
  const std::vector<ImU32> inks = {color::kText,    color::kTextDim, color::kAccent, color::kGood,
                                   color::kWarning, color::kError,   IM_COL32_WHITE};
  for (const ImU32 plain : grounds) {
    for (const float share : {1.0f, 0.8f, 0.55f, 0.25f}) {
      for (const ImU32 below : {color::kField, color::kPanel}) {
        const ImU32 ground = laid_over(below, faded(plain, share));
        for (const ImU32 ink : inks) {
          EXPECT_GE(contrast(ground, ink_on(ground, ink)), kLeastContrast) << hex(ink) << " on " << hex(ground);
        }
      }
    }
  }
  EXPECT_EQ(ink_on(color::kPanel, color::kWarning), color::kWarning) << "what can be read stays as it is";
  EXPECT_EQ(ink_on(color::kWarning), IM_COL32(0, 0, 0, 255));
  const ImVec4 lighter = ImGui::ColorConvertU32ToFloat4(ink_on(color::kHover, color::kError));
  EXPECT_GT(lighter.x, lighter.y + 0.1f) << "red stays red";
  EXPECT_NEAR(contrast(IM_COL32_WHITE, IM_COL32(0, 0, 0, 255)), 21, 1e-4f);
  EXPECT_NEAR(contrast(IM_COL32(119, 119, 119, 255), IM_COL32_WHITE), 4.48f, 0.01f) << "the example of WCAG's critics";
}

TEST_F(Legible, TheLabelOfABarIsReadOnBothOfItsParts) {
  for (const ImU32 fill : {color::kWarning, color::kGood, color::kAccent, color::kTextDim, color::kError}) {
    for (const float fraction : {0.0f, 0.3f, 0.5f, 0.97f, 1.0f}) {
      Scene scene;
      scene.document = &document_;
      Requests requests;
      Desk desk{scene, workspace_, requests, report_, theme_};
      ImGui::NewFrame();
      ImGui::Begin("bars", nullptr, ImGuiWindowFlags_NoDecoration);
      bar(desk, fraction, fill, 120, "half of them 50 %");
      progress_bar(desk, fraction, 120, "Binding by Heat");
      progress_bar(desk, fraction, 60, "Binding by everything that there is");
      ImGui::End();
      ImGui::Render();
      EXPECT_THAT(illegible(), testing::IsEmpty()) << hex(fill) << " " << fraction;
    }
  }
}

TEST_F(Legible, AllTextOfAllTabs) {
  std::set<std::string> found;
  for (const Mode& mode : modes()) {
    act(fmt::format("mode.{}", mode.id).c_str());
    for (const Tab* tab : tabs_of(mode)) {
      workspace_.tab = tab->id;
      frames(2);
      for (const std::string& one : illegible()) {
        found.insert(fmt::format("{}/{}: {}", mode.id, tab->id, one));
      }
    }
  }
  EXPECT_THAT(found, testing::IsEmpty());
  EXPECT_GT(letters_, 10'000);
}

TEST_F(Legible, AllTextUnderTheMouse) {
  std::set<std::string> found;
  for (const char* id : {"info", "bind", "pose", "skinning", "joints", "keys"}) {
    show_tab(workspace_, id);
    frames(2);
    const WidgetReport widgets = report_;
    for (const auto& [name, rect] : widgets) {
      if (name.starts_with("viewport") || name.starts_with("bone.")) {
        continue;
      }
      move(rect.center());
      for (const std::string& one : illegible()) {
        found.insert(fmt::format("{} at {}: {}", id, name, one));
      }
    }
    move({-1000, -1000});
  }
  EXPECT_THAT(found, testing::IsEmpty());
}

}  // namespace
}  // namespace pelt::ui
