#include "ui/ink.h"

#include <algorithm>
#include <cmath>

namespace pelt::ui {
namespace {

constexpr ImU32 kWhite = IM_COL32(255, 255, 255, 255);
constexpr ImU32 kBlack = IM_COL32(0, 0, 0, 255);

// @param t  0: a, 1: b
ImU32 mixed(ImU32 a, ImU32 b, float t) {
  const ImVec4 from = ImGui::ColorConvertU32ToFloat4(a);
  const ImVec4 to = ImGui::ColorConvertU32ToFloat4(b);
  const auto mix = [t](float x, float y) { return x + t * (y - x); };
  return ImGui::ColorConvertFloat4ToU32(ImVec4(mix(from.x, to.x), mix(from.y, to.y), mix(from.z, to.z), 1.0f));
}

}  // namespace

float luminance(ImU32 color) {
  const ImVec4 srgb = ImGui::ColorConvertU32ToFloat4(color);
  const auto linear = [](float value) {
    return value <= 0.04045f ? value / 12.92f : std::pow((value + 0.055f) / 1.055f, 2.4f);
  };
  return 0.2126f * linear(srgb.x) + 0.7152f * linear(srgb.y) + 0.0722f * linear(srgb.z);
}

float contrast(ImU32 a, ImU32 b) {
  const auto [darker, lighter] = std::minmax({luminance(a), luminance(b)});
  return (lighter + 0.05f) / (darker + 0.05f);
}

ImU32 laid_over(ImU32 ground, ImU32 layer) {
  return mixed(ground, layer, ImGui::ColorConvertU32ToFloat4(layer).w);
}

ImU32 ink_on(ImU32 ground, ImU32 wanted) {
  if (contrast(ground, wanted) >= kLeastContrast) {
    return wanted;
  }
  // Towards the end that stands out more; the hue stays where the ink is on that side already.
  const ImU32 end = contrast(ground, kWhite) >= contrast(ground, kBlack) ? kWhite : kBlack;
  const bool is_there = (luminance(wanted) >= luminance(ground)) == (end == kWhite);
  constexpr int kSteps = 16;
  for (int step = is_there ? 1 : kSteps; step < kSteps; ++step) {
    const ImU32 ink = mixed(wanted, end, static_cast<float>(step) / kSteps);
    if (contrast(ground, ink) >= kLeastContrast) {
      return ink;
    }
  }
  return end;
}

void text_on(ImDrawList& list, const Rect& part, ImU32 ground, ImVec2 at, std::string_view what) {
  list.PushClipRect(ImVec2(part.x, part.y), ImVec2(part.x + part.w, part.y + part.h), true);
  list.AddText(at, ink_on(ground), what.data(), what.data() + what.size());
  list.PopClipRect();
}

}  // namespace pelt::ui
