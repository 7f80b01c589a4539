#include "ui/findings_banner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "ui/handled_joints.h"
#include "ui/icons.h"
#include "ui/info_panel.h"
#include "ui/listed_findings.h"
#include "ui/viewport_geometry.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr double kUnnoticedSearch = 0.3;  // seconds of a search that nobody is told of
constexpr float kBannerPad = 3;           // layout units around the buttons
constexpr float kBannerGap = 8;           // from the edges of the picture
constexpr float kRoomOfHandles = 100;     // around the point that they move, layout units
constexpr const char* kShow = "Show###findings.show";

/// What the banner says.
struct BannerWords {
  Severity severity = Severity::kInfo;
  std::string whole;  ///< empty: there is nothing to say
  std::string brief;  ///< where there is less room
};

BannerWords words_of(const Desk& desk) {
  const ListedFindings& list = desk.workspace.panel<ListedFindings>();
  if (list.is_dismissed || desk.workspace.panels_hidden) {
    return {};
  }
  if (list.looked_at == nullptr) {
    const bool is_long = is_looking_for_findings(desk) && desk.scene.now - list.seen_since >= kUnnoticedSearch;
    return is_long ? BannerWords{Severity::kInfo, "Looking for faults \u2026", "Looking \u2026"} : BannerWords{};
  }
  const std::array<std::size_t, 3> counts = count_findings(list);
  const std::size_t warnings = counts[static_cast<std::size_t>(Severity::kWarning)];
  const std::size_t errors = counts[static_cast<std::size_t>(Severity::kError)];
  BannerWords words{errors > 0 ? Severity::kError : Severity::kWarning, {}, {}};
  if (errors > 0) {
    words.whole = count_of(static_cast<std::int64_t>(errors), "error", "errors");
  }
  if (warnings > 0) {
    words.whole += fmt::format("{}{}", words.whole.empty() ? "" : ", ",
                               count_of(static_cast<std::int64_t>(warnings), "warning", "warnings"));
  }
  words.brief = words.whole.empty() ? "" : count_text(static_cast<std::int64_t>(errors + warnings));
  return words;
}

bool is_search(const BannerWords& words) {
  return words.severity == Severity::kInfo;
}

float width_of(const std::string& words, bool has_button, const Desk& desk) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float button = has_button ? ImGui::CalcTextSize("Show").x + 2 * style.FramePadding.x + desk.theme.px(6) : 0;
  return 2 * desk.theme.px(kBannerPad) + desk.theme.px(6) + ImGui::CalcTextSize(icon::kWarning).x + desk.theme.px(6) +
         ImGui::CalcTextSize(words.c_str()).x + desk.theme.px(8) + button + ImGui::GetFrameHeight();
}

// Where the handles of the selected joints are in the pane that the mouse is in.
Rect room_of_handles(const Desk& desk) {
  const HandledJoints handled = handled_joints(desk);
  const std::optional<glm::vec2> at =
      handled.joints.empty() ? std::nullopt : Projector(desk)(glm::vec3(handled.center));
  const float room = desk.theme.px(kRoomOfHandles);
  return at ? Rect{at->x - room, at->y - room, 2 * room, 2 * room} : Rect{};
}

/// A place for the banner and what has room there.
struct PlacedBanner {
  Rect rect;
  std::string words;
};

PlacedBanner placed(const BannerWords& words, bool is_below, const Desk& desk) {
  const Rect& view = desk.workspace.layout.viewport;
  const Rect& toolbar = desk.workspace.viewport.toolbar;
  const float gap = desk.theme.px(kBannerGap);
  const float height = ImGui::GetFrameHeight() + 2 * desk.theme.px(kBannerPad);
  const float left = is_below || toolbar.empty() ? view.x + gap : toolbar.x + toolbar.w + gap;
  const float right = view.x + view.w - gap;
  const float top = is_below ? view.y + view.h - gap - height : (toolbar.empty() ? view.y + gap : toolbar.y);
  for (const std::string& one : {words.whole, words.brief}) {
    const float width = width_of(one, !is_search(words), desk);
    if (width <= right - left) {
      return {{std::floor(right - width), std::floor(top), std::ceil(width), height}, one};
    }
  }
  return {};
}

// The banner keeps its place until it would lie over handles, or has no room there.
PlacedBanner place_banner(const BannerWords& words, const Desk& desk) {
  const Rect& view = desk.workspace.layout.viewport;
  FindingsBanner& banner = desk.workspace.panel<FindingsBanner>();
  if (words.whole.empty() || view.empty() || view.h < 5 * ImGui::GetFrameHeight()) {
    return {};
  }
  const PlacedBanner here = placed(words, banner.is_below, desk);
  const PlacedBanner there = placed(words, !banner.is_below, desk);
  const bool is_held = ImGui::IsMouseDown(ImGuiMouseButton_Left);
  const Rect handles = room_of_handles(desk);
  const bool is_covering = !handles.empty() && meet(here.rect, handles) && !meet(there.rect, handles);
  if (there.rect.empty() || (!here.rect.empty() && (is_held || !is_covering))) {
    return here;
  }
  banner.is_below = !banner.is_below;
  return there;
}

void draw_words(const BannerWords& words, const PlacedBanner& placed, Desk& desk) {
  ImGui::SetCursorPos(ImVec2(desk.theme.px(kBannerPad + 6), desk.theme.px(kBannerPad)));
  ImGui::AlignTextToFramePadding();
  ImGui::PushStyleColor(ImGuiCol_Text, severity_color(static_cast<int>(words.severity)));
  text(is_search(words) ? icon::kSearch : words.severity == Severity::kError ? icon::kError : icon::kWarning);
  ImGui::PopStyleColor();
  ImGui::SameLine(0, desk.theme.px(6));
  text(placed.words);
  report_item(desk, "findings.banner.words");
  tip(is_search(words) ? "The rig is being searched for what is wrong or risky in it"
                       : words.whole + " in this file: what is wrong or risky in its rig");
  ImGui::SameLine(0, desk.theme.px(8));
}

}  // namespace

Rect findings_banner_rect(const Desk& desk) {
  return place_banner(words_of(desk), desk).rect;
}

void draw_findings_banner(Desk& desk) {
  const BannerWords words = words_of(desk);
  const PlacedBanner placed = place_banner(words, desk);
  desk.workspace.viewport.findings = placed.rect;
  if (placed.rect.empty()) {
    return;
  }
  const Rect& rect = placed.rect;
  desk.report["findings.banner"] = rect;
  ImGui::SetCursorScreenPos(ImVec2(rect.x, rect.y));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, desk.theme.px(5));
  ImGui::PushStyleVar(ImGuiStyleVar_ChildBorderSize, 1.0f);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, faded(color::kPanel, 0.95f));
  ImGui::PushStyleColor(ImGuiCol_Border, severity_color(static_cast<int>(words.severity)));
  const bool is_visible = ImGui::BeginChild("##findings.banner", ImVec2(rect.w, rect.h), true,
                                            ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar(3);
  if (is_visible) {
    draw_words(words, placed, desk);
    if (!is_search(words)) {
      if (ImGui::Button(kShow)) {
        show_findings(desk);
      }
      report_item(desk, "findings.show");
      tip("Opens the Info tab, which lists them");
      ImGui::SameLine(0, desk.theme.px(6));
    }
    if (icon_button(desk, "findings.dismiss", icon::kClose,
                    "Says no more of this character; the Info tab still lists them")) {
      desk.workspace.panel<ListedFindings>().is_dismissed = true;
    }
  }
  ImGui::EndChild();
}

}  // namespace pelt::ui
