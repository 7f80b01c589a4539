#include "ui/sliders_section.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "core/text.h"
#include "edit/behaviour_readings.h"
#include "ui/icons.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

void draw_slider(std::size_t s, Desk& desk) {
  const std::vector<motion::SemanticSlider>& sliders = desk.document().content.behaviour->sliders;
  const motion::SemanticSlider& slider = sliders[s];
  const std::string name = fmt::format("sliders.{}", s);
  const float height = ImGui::GetFrameHeight();
  const float start = ImGui::GetCursorPosX();
  const float label = std::min(desk.theme.px(116), ImGui::GetContentRegionAvail().x * 0.38f);
  ImGui::AlignTextToFramePadding();
  clipped_text(printable(slider.name, 60), label - desk.theme.px(6));
  std::string rows;
  for (std::size_t r = 0; r < std::min(slider.rows.size(), std::size_t{8}); ++r) {
    rows += fmt::format("\n{} {:+.3g}", printable(slider.rows[r].target, 40), slider.rows[r].amount);
  }
  tip(fmt::format("{}{}{}", printable(slider.name, 60), rows,
                  slider.rows.size() > 8 ? fmt::format("\nand {} more", slider.rows.size() - 8) : ""));
  ImGui::SameLine(start + label, 0);
  const float width = ImGui::GetContentRegionAvail().x - 2 * (height + desk.theme.px(2));
  bool ended = false;
  bool reset = false;
  float value = slider.value;
  if (value_slider(desk, name.c_str(), value, {.lower = slider.lower, .upper = slider.upper}, width, ended, &reset)) {
    desk.change(edit::SetSemanticValue{s, value}, name);
  }
  if (reset) {
    desk.change(edit::SetSemanticValue{s, 0}, name);
  }
  desk.requests.end_merge |= ended;
  ImGui::SameLine(0, desk.theme.px(2));
  if (icon_button(desk, (name + ".reset").c_str(), icon::kReset, "Back to neutral", false, slider.value != 0)) {
    desk.change(edit::SetSemanticValue{s, 0}, name);
    desk.requests.end_merge = true;
  }
  ImGui::SameLine(0, desk.theme.px(2));
  if (icon_button(desk, (name + ".remove").c_str(), icon::kClose,
                  "Remove this slider; the pose goes back to neutral")) {
    std::vector<motion::SemanticSlider> fewer = sliders;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(s));
    desk.change(edit::SetSemanticSliders{std::move(fewer)});
  }
}

// Those that the character does not have yet.
std::vector<motion::SemanticSlider> still_proposed(const Desk& desk) {
  const std::vector<motion::SemanticSlider>& own = desk.document().content.behaviour->sliders;
  std::vector<motion::SemanticSlider> out = motion::proposed_sliders(desk.character());
  std::erase_if(out, [&](const motion::SemanticSlider& slider) {
    return std::ranges::find(own, slider.name, &motion::SemanticSlider::name) != own.end();
  });
  return out;
}

void draw_making(SlidersSection& state, Desk& desk) {
  const std::vector<motion::SemanticSlider>& sliders = desk.document().content.behaviour->sliders;
  if (ImGui::Button("Propose", ImVec2(desk.theme.px(72), 0))) {
    edit::SetSemanticSliders more{sliders};
    std::ranges::move(still_proposed(desk), std::back_inserter(more.sliders));
    desk.change(std::move(more));
  }
  report_item(desk, "sliders.propose");
  tip("Adds sliders that names of joints and shapes suggest: fists, spread fingers, where the head looks, smiles");
  ImGui::SameLine(0, desk.theme.px(4));
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - desk.theme.px(68));
  ImGui::InputTextWithHint("##sliders.name", "name", &state.name);
  report_item(desk, "sliders.name");
  ImGui::SameLine(0, desk.theme.px(4));
  const edit::Content& content = desk.document().content;
  const bool is_posed = !content.overrides->empty() || !content.morph_overrides->empty();
  ImGui::BeginDisabled(state.name.empty() || !is_posed);
  if (ImGui::Button("Learn", ImVec2(-1, 0))) {
    if (Result<edit::SetSemanticSliders> learned = edit::learned_slider(desk.document(), state.name); learned) {
      desk.change(*std::move(learned));
      state.name.clear();
    }
  }
  ImGui::EndDisabled();
  report_item(desk, "sliders.learn");
  tip("A slider of that name that leads to what is posed by hand now; pose, learn, then reset the pose");
}

}  // namespace

void draw(SlidersSection& state, Desk& desk) {
  if (!section(desk, "Sliders with a meaning")) {
    return;
  }
  ImGui::PushID("sliders");
  for (std::size_t s = 0; s < desk.document().content.behaviour->sliders.size(); ++s) {
    ImGui::PushID(static_cast<int>(s));
    draw_slider(s, desk);
    ImGui::PopID();
  }
  const std::vector<std::string> held = edit::held_back(desk.document());
  if (!held.empty()) {
    wrapped_text(fmt::format("Limits hold back {}{}", printable(held.front(), 60),
                             held.size() > 1 ? fmt::format(" and {} more", held.size() - 1) : ""),
                 color::kTextDim);
  }
  draw_making(state, desk);
  ImGui::PopID();
  ImGui::Spacing();
}

}  // namespace pelt::ui
