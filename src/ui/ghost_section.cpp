#include "ui/ghost_section.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <imgui.h>

#include "render/ghosts.h"
#include "ui/actions.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

// A whole number with a dot of the ghosts' tint before it.
void draw_ghost_count(Desk& desk, const char* name, const char* label, const char* help, int& count, int place) {
  const glm::vec4 tint = render::ghost_color({.opacity = 1}, place);
  const auto srgb = [](float linear) {
    return linear <= 0.0031308f ? 12.92f * linear : 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f;
  };
  row_label(desk, label, help);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float side = ImGui::GetFrameHeight();
  ImGui::GetWindowDrawList()->AddCircleFilled(ImVec2(at.x + side * 0.3f, at.y + side * 0.5f), desk.theme.px(4.5f),
                                              packed({srgb(tint.r), srgb(tint.g), srgb(tint.b)}), 16);
  ImGui::SetCursorScreenPos(ImVec2(at.x + side * 0.75f, at.y));
  auto value = static_cast<float>(count);
  bool ended = false;
  SliderStyle style{.lower = 0, .upper = 12, .factor = 1, .format = "%.0f"};
  style.step = 1;
  style.number = glm::vec2(0, render::kMostGhosts);
  if (value_slider(desk, name, value, style, ImGui::GetContentRegionAvail().x, ended)) {
    count = std::clamp(static_cast<int>(std::lround(value)), 0, render::kMostGhosts);
  }
}

}  // namespace

void draw_ghost_section(Desk& desk) {
  if (!section(desk, "Ghosts", false)) {
    return;
  }
  render::GhostSettings& ghosts = desk.workspace.view.ghosts;
  checkbox(desk, "ghosts.shown", fmt::format("Show ghosts ({})", name_of(find_action("view.ghosts")->key)).c_str(),
           ghosts.shown, "Silhouettes of the character before and after the playhead, behind it; in all panes");
  ImGui::BeginDisabled(!ghosts.shown);
  draw_ghost_count(desk, "ghosts.before", "Before", "How many stand before the playhead", ghosts.before, -1);
  draw_ghost_count(desk, "ghosts.after", "After", "How many stand after the playhead", ghosts.after, 1);
  constexpr const char* kWhere[] = {"Frames", "Keys"};
  int where = ghosts.on_keys ? 1 : 0;
  row_label(desk, "Stand on", "Frames: as far apart as the step says. Keys: where the clip has keys");
  if (segmented(desk, "ghosts.where", kWhere, where)) {
    ghosts.on_keys = where == 1;
  }
  bool ended = false;
  ImGui::BeginDisabled(ghosts.on_keys);
  row_label(desk, "Step", "Frames between two ghosts");
  auto step = static_cast<float>(ghosts.step);
  SliderStyle steps{.lower = 1, .upper = 20, .factor = 1, .format = "%.0f", .color = 0, .origin = 2};
  steps.step = 1;
  steps.number = glm::vec2(1, render::kMostGhostStep);
  if (value_slider(desk, "ghosts.step", step, steps, ImGui::GetContentRegionAvail().x, ended)) {
    ghosts.step = std::clamp(static_cast<int>(std::lround(step)), 1, render::kMostGhostStep);
  }
  ImGui::EndDisabled();
  row_label(desk, "Opacity", "Of the nearest ones; those further away are fainter");
  SliderStyle opacity{.lower = 0, .upper = 1, .factor = 100, .format = "%.0f %%"};
  opacity.origin = render::GhostSettings{}.opacity;
  value_slider(desk, "ghosts.opacity", ghosts.opacity, opacity, ImGui::GetContentRegionAvail().x, ended);
  ImGui::EndDisabled();
}

}  // namespace pelt::ui
