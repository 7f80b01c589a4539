#include "ui/behind_section.h"

#include <cmath>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "core/text.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

// How far a slider goes; a session may hold more.
constexpr float kLargestShown = 4;
constexpr float kFarthestShown = 1;

void draw_placement(render::Behind& behind, Desk& desk) {
  bool ended = false;
  row_label(desk, "Opacity");
  value_slider(desk, "behind.opacity", behind.opacity, {.upper = 1, .factor = 100, .format = "%.0f %%", .origin = 1},
               ImGui::GetContentRegionAvail().x, ended);
  row_label(desk, "Size", "1 is as large as it fits whole");
  value_slider(desk, "behind.scale", behind.scale,
               {.lower = 0.1f, .upper = kLargestShown, .format = "%.2f \u00d7", .origin = 1},
               ImGui::GetContentRegionAvail().x, ended);
  constexpr SliderStyle kOffset = {
      .lower = -kFarthestShown, .upper = kFarthestShown, .factor = 100, .format = "%.0f %%"};
  row_label(desk, "Right", "Of its middle from the picture's, in percent of the picture's height");
  value_slider(desk, "behind.right", behind.offset.x, kOffset, ImGui::GetContentRegionAvail().x, ended);
  row_label(desk, "Up");
  value_slider(desk, "behind.up", behind.offset.y, kOffset, ImGui::GetContentRegionAvail().x, ended);
  checkbox(desk, "behind.without-background", "Also without a background", behind.without_background,
           "Where the background is clear, the picture is left out of what is shown and saved, unless this is on");
}

}  // namespace

void draw_behind_section(Desk& desk) {
  render::Behind& behind = desk.workspace.view.behind;
  if (!section(desk, "Picture behind", behind.picture != nullptr)) {
    return;
  }
  const float spacing = ImGui::GetStyle().ItemInnerSpacing.x;
  const float room = ImGui::GetContentRegionAvail().x;
  const bool has = behind.picture != nullptr;
  const float width = has ? std::floor((room - spacing) / 2) : room;
  if (ImGui::Button(has ? "Another\u2026" : "Open a picture\u2026", ImVec2(width, 0))) {
    open(desk.workspace.browser, BrowserPurpose::kOpenBehind, desk);
  }
  report_item(desk, "behind.open");
  tip("PNG, JPEG or WebP, to compare the character with");
  if (!has) {
    return;
  }
  ImGui::SameLine(0, spacing);
  if (ImGui::Button("Remove", ImVec2(width, 0))) {
    behind = {};
    report_item(desk, "behind.remove");
    return;
  }
  report_item(desk, "behind.remove");
  const std::string name = printable(std::filesystem::path(behind.picture->path).filename().string());
  checkbox(desk, "behind.shown", name.c_str(), behind.shown,
           fmt::format("{}, {}", printable(behind.picture->path, 200),
                       behind.picture->width > 0
                           ? fmt::format("{} x {} pixels", behind.picture->width, behind.picture->height)
                           : std::string("not found")));
  draw_placement(behind, desk);
}

}  // namespace pelt::ui
