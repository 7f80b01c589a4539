#include "ui/pane_section.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "deform/skinning_methods.h"
#include "ui/actions.h"
#include "ui/backend_switch.h"
#include "ui/compare_panel.h"
#include "ui/icons.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

// Runs the action from a button; its key is in the tip.
void action_button(Desk& desk, const char* id, const char* icon, const char* name) {
  const Action* action = find_action(id);
  const std::string key = name_of(action->key);
  const std::string help = key.empty() ? action->label : fmt::format("{} ({})", action->label, key);
  const bool on = action->checked != nullptr && action->checked(desk);
  if (icon_button(desk, name, icon, help, on, enabled(*action, desk))) {
    run(*action, desk);
  }
}

void draw_pane(int pane, int panes, Desk& desk) {
  const edit::Document& document = desk.document();
  const deform::SkinningSettings before = edit::skinning_of(document.content, pane);
  deform::SkinningSettings settings = before;
  const std::string name = fmt::format("compare.pane.{}", pane);
  ImGui::PushID(pane);
  // The number in the pane's colour; filled where the pane is the active one.
  const float side = ImGui::GetFrameHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool active = document.view.active_pane == pane;
  if (ImGui::InvisibleButton("##number", ImVec2(side, side))) {
    desk.requests.active_pane = pane;
  }
  report_item(desk, name);
  tip("Makes this pane the active one: the other tabs show and change it");
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 lower(at.x + desk.theme.px(3), at.y + desk.theme.px(3));
  const ImVec2 upper(at.x + side - desk.theme.px(3), at.y + side - desk.theme.px(3));
  const float rounding = ImGui::GetStyle().FrameRounding;
  if (active && panes > 1) {
    list.AddRectFilled(lower, upper, pane_color(pane), rounding);
  } else {
    list.AddRect(lower, upper, pane_color(pane), rounding, 0, desk.theme.scale);
  }
  const std::string digit = std::to_string(pane + 1);
  const ImVec2 size = ImGui::CalcTextSize(digit.c_str());
  list.AddText(ImVec2(std::floor((lower.x + upper.x - size.x) / 2), std::floor((lower.y + upper.y - size.y) / 2)),
               active && panes > 1 ? color::kLine : color::kText, digit.c_str());

  const float gap = ImGui::GetStyle().ItemInnerSpacing.x;
  ImGui::SameLine(0, gap);
  ImGui::SetNextItemWidth(-1);
  const auto methods = deform::skinning_methods();
  combo(desk, (name + ".method").c_str(), static_cast<int>(methods.size()), settings.method,
        [&](int i) { return methods[i].label; });
  tip(methods[before.method].help);

  ImGui::SetCursorScreenPos(ImVec2(at.x + side + gap, ImGui::GetCursorScreenPos().y));
  const float room = ImGui::GetContentRegionAvail().x;
  const float narrow = std::floor(std::max(std::min(desk.theme.px(80), room / 3), backend_switch_width(desk)));
  const float half = std::floor((room - narrow - 2 * gap) / 2);
  // Drop-downs name what they hold where there is room for it; nothing is cut.
  const auto fitting = [&](const std::string& longer, const std::string& shorter) {
    const float space = half - ImGui::GetFrameHeight() - 2 * ImGui::GetStyle().FramePadding.x;
    return ImGui::CalcTextSize(longer.c_str()).x <= space ? longer : shorter;
  };
  backend_switch(desk, (name + ".backend").c_str(), settings.backend, narrow);
  ImGui::SameLine(0, gap);
  ImGui::SetNextItemWidth(half);
  const auto& variants = deform::kNormalVariants;
  const deform::SkinningMethod& method = methods[before.method];
  const deform::NormalVariant in_effect = deform::normals_under(method, settings.normals);
  int normals = 0;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    normals = variants[i].variant == in_effect ? static_cast<int>(i) : normals;
  }
  const char letter = variants[normals].letter;
  const auto variant_label = [&](int i) {
    const deform::NormalVariantInfo& variant = variants[i];
    const bool offered = (method.normals & deform::one_of(variant.variant)) != 0;
    return fmt::format(
        "{}  {}{}", variant.letter, variant.label,
        offered ? "" : fmt::format(" (not offered here, {} is shown)", deform::letter_of(method.default_normals)));
  };
  if (combo(desk, (name + ".normals").c_str(), static_cast<int>(variants.size()), normals, variant_label,
            fitting(fmt::format("Normals {}", letter), std::string(1, letter)))) {
    settings.normals = variants[normals].variant;
  }
  tip(fmt::format("Normals: {}", variants[normals].help));
  ImGui::SameLine(0, gap);
  ImGui::SetNextItemWidth(-1);
  const int limit = settings.influence_limit;
  combo(
      desk, (name + ".influences").c_str(), 9, settings.influence_limit,
      [](int i) {
        return i == 0 ? std::string("All influences") : fmt::format("{} influence{}", i, i == 1 ? "" : "s");
      },
      fitting(limit == 0 ? "All infl." : fmt::format("{} infl.", limit), limit == 0 ? "all" : std::to_string(limit)));
  tip("Limit influences: keeps so many of each vertex, the heaviest, and renormalises them");
  if (!(settings == before)) {
    desk.change(edit::SetSkinning{settings, pane});
  }
  ImGui::PopID();
}

}  // namespace

void draw_pane_section(Desk& desk) {
  const int panes = edit::pane_count(desk.document().content);
  constexpr const char* kCounts[] = {"1", "2", "3", "4"};
  row_label(desk, "Panes", "Side by side in the viewport, with one camera, pose and clip (S: next number)");
  int count = panes - 1;
  const float buttons = ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x;
  if (segmented(desk, "compare.count", kCounts, count, ImGui::GetContentRegionAvail().x - buttons)) {
    set_pane_count(desk, count + 1);
  }
  ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  action_button(desk, "compare.wipe", icon::kWipe, "compare.wipe");
  for (int pane = 0; pane < panes; ++pane) {
    draw_pane(pane, panes, desk);
  }
}

}  // namespace pelt::ui
