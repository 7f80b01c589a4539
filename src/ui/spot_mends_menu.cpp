#include "ui/spot_mends_menu.h"

#include <algorithm>
#include <cfloat>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "core/index.h"
#include "core/text.h"
#include "ui/bind_panel.h"
#include "ui/icons.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr std::chrono::seconds kMendPatience(120);  // for pictures, of machines that are busy
constexpr double kBetterShare = 0.9;                // of the badness is left of what is called better, at most

void close(SpotMendsMenu& menu) {
  menu.prospects.clear();
  menu.spot = -1;
  menu.chosen = -1;
}

// Makes all of them in the background.
void foresee(SpotMendsMenu& menu, const std::shared_ptr<const edit::WorstSpots>& spots, std::size_t i, Desk& desk) {
  menu.spots = spots;
  menu.spot = static_cast<int>(i);
  menu.of = edit::own_character(desk.document());
  menu.locked = desk.document().content.locked_joints;
  menu.prospects.clear();
  BindPanel& bind = desk.workspace.panel<BindPanel>();
  const edit::BindSkin binding = binding_by(bind, desk, chosen_binder(bind).id);
  // A copy, since the document goes on.
  const auto document = std::make_shared<const edit::Document>(edit::without_history(desk.document()));
  for (const edit::SpotMend& mend : edit::spot_mends()) {
    SpotMendsMenu::Prospect& prospect = menu.prospects.emplace_back();
    prospect.job = std::make_unique<JobSlot<edit::MendedSpot>>(desk.workspace.jobs, Jobs::Kind::kAsked,
                                                               fmt::format("Trying a mend: {}", mend.label));
    if (mend.id == "rebind" && binding.request.joints.empty()) {
      prospect.result =
          edit::MendedSpot{.why = "No joint is to deform: choose some in the tab Bind", .verdict = "cannot be done"};
      continue;
    }
    prospect.job->start(
        [document, spots, i, id = mend.id, binding, cache = desk.scene.skin_cache](const Progress& progress) {
          return edit::mend_spot(*document, *spots, i, id, binding, cache, progress);
        });
  }
}

void take_results(SpotMendsMenu& menu) {
  for (SpotMendsMenu::Prospect& prospect : menu.prospects) {
    if (prospect.result) {
      continue;
    }
    if (menu.patient) {
      prospect.job->wait(kMendPatience);
    }
    const bool runs = prospect.job->active();  // asked first: what ends meanwhile has its result
    prospect.result = prospect.job->take();
    if (!prospect.result && !runs) {
      prospect.result = edit::MendedSpot{.why = "It did not come to an end", .verdict = "no end"};
    }
  }
}

// Of those that can be done the one that leaves the area best.
int best_of(const SpotMendsMenu& menu) {
  int best = -1;
  for (std::size_t m = 0; m < menu.prospects.size(); ++m) {
    const auto& result = menu.prospects[m].result;
    if (!result) {
      return -1;  // nobody knows yet
    }
    if (result->change && (best < 0 || edit::area_left(*result) < edit::area_left(*menu.prospects[best].result))) {
      best = static_cast<int>(m);
    }
  }
  return best;
}

std::string consequence(const edit::WorstSpots& spots, const edit::MendedSpot& result) {
  return fmt::format("{:.2f} \u2192 {:.2f}. {}.", result.before.badness, result.now.badness,
                     edit::difference_in_words(spots, result));
}

void draw_mend(SpotMendsMenu& menu, std::size_t m, Desk& desk) {
  const edit::SpotMend& mend = edit::spot_mends()[m];
  const auto& result = menu.prospects[m].result;
  const bool can = !result || result->change.has_value();
  const std::string mark = std::cmp_equal(best_of(menu), m) ? fmt::format("{}  ", icon::kCheck) : std::string();
  const std::string shortcut =
      !result ? std::string("trying\u2026")
      : can   ? fmt::format("{}{:.2f} \u2192 {:.2f}{}", mark, result->before.badness, result->now.badness,
                          result->worse > 0 ? fmt::format(", {} worse", result->worse) : std::string())
              : std::string(result->verdict);
  if (ImGui::MenuItem(fmt::format("{}###{}", mend.label, mend.id).c_str(), shortcut.c_str(), false, can)) {
    menu.chosen = static_cast<int>(m);
  }
  report_item(desk, fmt::format("tools.spot.{}.mend.{}", menu.spot, mend.id));
  const std::string help = fmt::format("{}.", mend.help);
  tip(!result ? help
      : can   ? fmt::format("{}\n{}", help, consequence(*menu.spots, *result))
              : fmt::format("{}\n{}.", help, result->why));
}

// "edges 1.05 -> 0.50, standing out 0.30 -> 0.10, flipped -> not flipped"
std::string parts_in_words(const edit::WorstSpot& before, const edit::WorstSpot& now) {
  const auto edges = [](const edit::WorstSpot& spot) {
    return spot.badness - static_cast<double>(spot.jump) - (spot.flipped ? 1 : 0);
  };
  std::string out = fmt::format("edges {:.2f} \u2192 {:.2f}, standing out {:.2f} \u2192 {:.2f}", edges(before),
                                edges(now), before.jump, now.jump);
  if (before.flipped || now.flipped) {
    out += fmt::format(", {}", before.flipped == now.flipped ? "still flipped"
                               : now.flipped                 ? "now flipped"
                                                             : "no longer flipped");
  }
  return out;
}

void use(SpotMendsMenu& menu, Desk& desk) {
  edit::MendedSpot& result = *menu.prospects[menu.chosen].result;
  SpotMendsMenu::Outcome& outcome = menu.outcomes[menu.spot];
  outcome.said.clear();
  if (!edit::same_weights(*menu.of, *edit::own_character(desk.document())) ||
      menu.locked.get() != desk.document().content.locked_joints.get() || !edit::shows_own_surface(desk.document())) {
    outcome.said = "The weights, locks or surface have changed meanwhile; mend it again.";
  } else if (!result.change) {
    outcome.said = result.why + ".";
  } else {
    outcome.label = edit::spot_mends()[static_cast<std::size_t>(menu.chosen)].label;
    outcome.now = result.now;
    desk.change(*std::move(result.change), {}, std::move(result.label));
    desk.requests.end_merge = true;
    result.change.reset();
    outcome.mended = std::move(result);
    outcome.made = nullptr;  // seen in the next picture
  }
}

}  // namespace

float mends_width() {
  return ImGui::CalcTextSize("Mending\u2026").x + 2 * ImGui::GetStyle().FramePadding.x +
         ImGui::GetStyle().ItemSpacing.x;
}

bool draw_mends(SpotMendsMenu& menu, const std::shared_ptr<const edit::WorstSpots>& spots, std::size_t i, Desk& desk) {
  const std::string name = fmt::format("tools.spot.{}.mend", i);
  ImGui::SameLine();
  ImGui::BeginDisabled(menu.chosen >= 0);
  const bool mends = menu.chosen >= 0 && std::cmp_equal(menu.spot, i);
  const bool opens = ImGui::SmallButton(mends ? "Mending\u2026" : "Mend\u2026");
  if (opens) {
    foresee(menu, spots, i, desk);
    ImGui::OpenPopup("##mends");
  }
  report_item(desk, name);
  ImGui::EndDisabled();
  tip("Tries ways to change the weights round this place and says what each would do; a click does it in one step");
  // As wide as what is to come, so that no row grows out of the window.
  const float width = ImGui::CalcTextSize("Re-bind        \u2713  0.00 \u2192 0.00, 00 worse").x + desk.theme.px(24);
  ImGui::SetNextWindowSizeConstraints(ImVec2(width, 0), ImVec2(FLT_MAX, FLT_MAX));
  if (!ImGui::BeginPopup("##mends")) {
    return opens;
  }
  menu.is_open = true;
  for (std::size_t m = 0; m < menu.prospects.size(); ++m) {
    draw_mend(menu, m, desk);
  }
  ImGui::EndPopup();
  return opens;
}

void draw_outcome(const SpotMendsMenu& menu, const edit::WorstSpots& spots, std::size_t i, Desk& desk) {
  const auto found = menu.outcomes.find(static_cast<int>(i));
  if (found == menu.outcomes.end()) {
    return;
  }
  const SpotMendsMenu::Outcome& outcome = found->second;
  if (!outcome.said.empty()) {
    wrapped_text(outcome.said, color::kWarning);
  }
  if (outcome.label.empty()) {
    return;
  }
  const edit::WorstSpot& before = spots.spots[i];
  const double ratio = before.badness > 0 ? outcome.now.badness / before.badness : 1;
  wrapped_text(fmt::format("Measured again: {:.2f} \u2192 {:.2f} ({})", before.badness, outcome.now.badness,
                           parts_in_words(before, outcome.now)),
               ratio <= kBetterShare       ? color::kGood
               : ratio >= 1 / kBetterShare ? color::kWarning
                                           : color::kTextDim);
  report_item(desk, fmt::format("tools.spot.{}.again", i));
  if (outcome.made != edit::own_character(desk.document())) {
    return;  // undone, or other weights by now
  }
  wrapped_text(fmt::format("{}: {}.", outcome.label, edit::difference_in_words(spots, outcome.mended)),
               outcome.mended.worse > 0 ? color::kWarning : color::kTextDim);
  report_item(desk, fmt::format("tools.spot.{}.done", i));
}

void follow_mends(SpotMendsMenu& menu, const std::shared_ptr<const edit::WorstSpots>& spots, Desk& desk) {
  const bool is_open = std::exchange(menu.is_open, false);
  for (auto& [spot, outcome] : menu.outcomes) {
    if (!outcome.label.empty() && outcome.made == nullptr) {
      outcome.made = edit::own_character(desk.document());
    }
  }
  if (menu.spot < 0) {
    return;
  }
  if ((!is_open && menu.chosen < 0) || menu.spots != spots) {
    close(menu);  // nobody waits for them
    return;
  }
  take_results(menu);
  if (menu.chosen >= 0 && menu.prospects[menu.chosen].result) {
    use(menu, desk);
    close(menu);
  }
}

}  // namespace pelt::ui
