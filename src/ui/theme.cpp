#include "ui/theme.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <imgui_freetype.h>

#include "core/embedded.h"
#include "core/expect.h"

namespace pelt::embedded {
std::span<const EmbeddedFile> ui_fonts();
}

namespace pelt::ui {
namespace {

constexpr float kTextSize = 15;
constexpr float kSmallTextSize = 13;

// What names and labels use: Latin with its extensions, Greek, Cyrillic, punctuation, super- and subscripts, arrows,
// signs.
constexpr ImWchar kTextRanges[] = {0x0020, 0x024F, 0x0370, 0x052F, 0x1E00, 0x1EFF, 0x2000, 0x206F, 0x2070,
                                   0x209F, 0x20A0, 0x20BF, 0x2100, 0x218F, 0x2190, 0x2199, 0};
// Signs that Inter lacks and our labels use.
constexpr ImWchar kSignRanges[] = {0x1D2C, 0x1D6A, 0x2196, 0x22FF, 0};
constexpr ImWchar kIconRanges[] = {0xF000, 0xF2E0, 0};

ImFont* add_font(ImFontAtlas& atlas, std::string_view file, float size, const ImWchar* ranges, bool merge,
                 float offset_y = 0) {
  const EmbeddedFile* found = find_embedded(embedded::ui_fonts(), file);
  PELT_EXPECT(found != nullptr, "the font is embedded at build time");
  ImFontConfig config;
  config.FontDataOwnedByAtlas = false;
  config.MergeMode = merge;
  config.GlyphOffset.y = std::round(offset_y);
  if (merge && ranges == kIconRanges) {
    config.GlyphMinAdvanceX = size * 1.15f;  // icons of one width line up in rows
  }
  // The atlas only reads the data, although its interface does not say so.
  void* data = const_cast<char*>(found->bytes.data());
  return atlas.AddFontFromMemoryTTF(data, static_cast<int>(found->bytes.size()), size, &config, ranges);
}

ImFont* add_face(ImFontAtlas& atlas, std::string_view file, float size) {
  ImFont* font = add_font(atlas, file, size, kTextRanges, false);
  add_font(atlas, "DejaVuSans.ttf", size, kSignRanges, true);
  add_font(atlas, "FontAwesome.otf", std::round(size * 0.93f), kIconRanges, true);
  return font;
}

ImVec4 vec(ImU32 packed, float alpha = 1) {
  ImVec4 result = ImGui::ColorConvertU32ToFloat4(packed);
  result.w *= alpha;
  return result;
}

void set_colors(ImGuiStyle& style) {
  ImGui::StyleColorsDark(&style);
  auto set = [&](ImGuiCol index, ImU32 value, float alpha = 1) { style.Colors[index] = vec(value, alpha); };
  set(ImGuiCol_Text, color::kText);
  set(ImGuiCol_TextDisabled, color::kTextDim);
  set(ImGuiCol_WindowBg, color::kPanel);
  set(ImGuiCol_ChildBg, color::kPanel, 0);
  set(ImGuiCol_PopupBg, color::kPanel);
  set(ImGuiCol_Border, color::kLine);
  set(ImGuiCol_BorderShadow, color::kLine, 0);
  set(ImGuiCol_FrameBg, color::kField);
  set(ImGuiCol_FrameBgHovered, color::kRaised);
  set(ImGuiCol_FrameBgActive, color::kHover);
  set(ImGuiCol_TitleBg, color::kRaised);
  set(ImGuiCol_TitleBgActive, color::kRaised);
  set(ImGuiCol_TitleBgCollapsed, color::kRaised);
  set(ImGuiCol_MenuBarBg, color::kBackground);
  set(ImGuiCol_ScrollbarBg, color::kPanel, 0);
  set(ImGuiCol_ScrollbarGrab, color::kHover);
  set(ImGuiCol_ScrollbarGrabHovered, IM_COL32(80, 87, 99, 255));
  set(ImGuiCol_ScrollbarGrabActive, IM_COL32(96, 104, 118, 255));
  set(ImGuiCol_CheckMark, color::kAccent);
  set(ImGuiCol_SliderGrab, color::kAccent);
  set(ImGuiCol_SliderGrabActive, IM_COL32(124, 178, 248, 255));
  set(ImGuiCol_PlotHistogram, color::kAccent);  // progress; text on it takes ink_on()
  set(ImGuiCol_Button, color::kRaised);
  set(ImGuiCol_ButtonHovered, color::kHover);
  set(ImGuiCol_ButtonActive, color::kAccentSoft);
  set(ImGuiCol_Header, color::kAccentSoft);
  set(ImGuiCol_HeaderHovered, color::kHover);
  set(ImGuiCol_HeaderActive, color::kAccentSoft);
  set(ImGuiCol_Separator, color::kLine);
  set(ImGuiCol_SeparatorHovered, color::kAccentSoft);
  set(ImGuiCol_SeparatorActive, color::kAccent);
  set(ImGuiCol_ResizeGrip, color::kHover);
  set(ImGuiCol_ResizeGripHovered, color::kAccentSoft);
  set(ImGuiCol_ResizeGripActive, color::kAccent);
  set(ImGuiCol_Tab, color::kBackground);
  set(ImGuiCol_TabHovered, color::kHover);
  set(ImGuiCol_TabActive, color::kPanel);
  set(ImGuiCol_TabUnfocused, color::kBackground);
  set(ImGuiCol_TabUnfocusedActive, color::kPanel);
  set(ImGuiCol_TableHeaderBg, color::kRaised);
  set(ImGuiCol_TableBorderStrong, color::kLine);
  set(ImGuiCol_TableBorderLight, color::kLine, 0.6f);
  set(ImGuiCol_TableRowBg, color::kPanel, 0);
  set(ImGuiCol_TableRowBgAlt, IM_COL32(255, 255, 255, 7));
  set(ImGuiCol_TextSelectedBg, color::kAccent, 0.4f);
  set(ImGuiCol_DragDropTarget, color::kAccent);
  set(ImGuiCol_NavHighlight, color::kAccent);
  set(ImGuiCol_ModalWindowDimBg, IM_COL32(8, 9, 11, 255), 0.6f);
}

void set_measures(ImGuiStyle& style) {
  style.WindowPadding = ImVec2(10, 10);
  style.FramePadding = ImVec2(8, 4);
  style.CellPadding = ImVec2(4, 3);
  style.ItemSpacing = ImVec2(8, 6);
  style.ItemInnerSpacing = ImVec2(6, 4);
  style.IndentSpacing = 16;
  style.ScrollbarSize = 11;
  style.GrabMinSize = 9;
  style.WindowBorderSize = 1;
  style.ChildBorderSize = 0;
  style.PopupBorderSize = 1;
  style.FrameBorderSize = 0;
  style.TabBorderSize = 0;
  style.WindowRounding = 4;
  style.ChildRounding = 0;
  style.FrameRounding = 3;
  style.PopupRounding = 4;
  style.ScrollbarRounding = 6;
  style.GrabRounding = 3;
  style.TabRounding = 3;
  style.WindowTitleAlign = ImVec2(0, 0.5f);
  style.WindowMenuButtonPosition = ImGuiDir_None;
  style.ColorButtonPosition = ImGuiDir_Left;
  style.SelectableTextAlign = ImVec2(0, 0.5f);
  style.DisabledAlpha = 0.42f;
}

}  // namespace

Theme apply_theme(float scale) {
  Theme theme;
  theme.scale = std::clamp(scale, 0.75f, 4.0f);
  ImGuiStyle style;
  set_colors(style);
  set_measures(style);
  style.ScaleAllSizes(theme.scale);
  style.WindowBorderSize = 1;
  style.PopupBorderSize = 1;
  ImGui::GetStyle() = style;
  ImGui::GetIO().ConfigDragClickToInputText = true;  // a click on a number types, a drag turns it

  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
  atlas.FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
  atlas.TexGlyphPadding = 1;
  theme.regular = add_face(atlas, "Inter-Regular.otf", theme.px(kTextSize));
  theme.strong = add_face(atlas, "Inter-SemiBold.otf", theme.px(kTextSize));
  theme.small = add_face(atlas, "Inter-Regular.otf", theme.px(kSmallTextSize));
  atlas.Build();
  return theme;
}

}  // namespace pelt::ui
