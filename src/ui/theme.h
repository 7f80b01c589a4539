#pragma once

#include <imgui.h>

namespace pelt::ui {

/// The window's colours, sRGB. Everything drawn by hand takes its colour from here.
namespace color {
inline constexpr ImU32 kBackground = IM_COL32(24, 26, 30, 255);
inline constexpr ImU32 kPanel = IM_COL32(35, 38, 43, 255);
inline constexpr ImU32 kRaised = IM_COL32(47, 51, 58, 255);
inline constexpr ImU32 kField = IM_COL32(22, 24, 28, 255);
inline constexpr ImU32 kHover = IM_COL32(60, 66, 76, 255);
inline constexpr ImU32 kEdge = IM_COL32(112, 120, 134, 255);  ///< of an empty box: seen on every ground above
inline constexpr ImU32 kLine = IM_COL32(15, 16, 19, 255);
inline constexpr ImU32 kText = IM_COL32(219, 222, 228, 255);
inline constexpr ImU32 kTextDim = IM_COL32(140, 147, 159, 255);
inline constexpr ImU32 kAccent = IM_COL32(84, 148, 232, 255);
inline constexpr ImU32 kAccentSoft = IM_COL32(58, 92, 138, 255);
inline constexpr ImU32 kGood = IM_COL32(104, 190, 128, 255);
inline constexpr ImU32 kWarning = IM_COL32(232, 180, 84, 255);
inline constexpr ImU32 kError = IM_COL32(232, 104, 96, 255);
inline constexpr ImU32 kAxis[3] = {IM_COL32(226, 98, 92, 255), IM_COL32(122, 190, 96, 255),
                                   IM_COL32(90, 146, 240, 255)};
/// Of the panes: told apart by lightness, too.
inline constexpr ImU32 kPane[4] = {IM_COL32(96, 160, 244, 255), IM_COL32(240, 176, 80, 255),
                                   IM_COL32(120, 204, 140, 255), IM_COL32(214, 132, 214, 255)};
}  // namespace color

/// Fonts and measures of the current scale. Owned by whoever owns the ImGui context; fonts belong to its atlas.
struct Theme {
  float scale = 1;  ///< pixels per layout unit: 1, 1.5, 2 ...
  ImFont* regular = nullptr;
  ImFont* strong = nullptr;
  ImFont* small = nullptr;

  /// Layout units to whole pixels.
  [[nodiscard]] float px(float units) const { return static_cast<float>(static_cast<int>(units * scale + 0.5f)); }
};

/// Colours, spacing and fonts for `scale` into the current ImGui context. Rebuilds the font atlas: a renderer backend
/// has to upload its texture again afterwards. @param scale  0.75..4
Theme apply_theme(float scale);

/// The scales offered in menus.
inline constexpr float kScales[] = {1.0f, 1.25f, 1.5f, 2.0f};

}  // namespace pelt::ui
