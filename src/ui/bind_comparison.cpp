#include "ui/bind_comparison.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "core/index.h"
#include "core/text.h"
#include "render/difference_map.h"
#include "ui/actions.h"
#include "ui/bind_panel.h"
#include "ui/candidate_table.h"
#include "ui/icons.h"
#include "ui/weight_curves.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr std::chrono::seconds kComparisonPatience(120);  // for pictures, of machines that are busy
constexpr int kPicturesOfUse = 2;                         // this one, which asks for it, and the next

using Done = std::vector<std::size_t>;  // rows that have weights, in the order of the panes

Done done_rows(const BindComparison& comparison) {
  Done done;
  for (std::size_t r = 0; r < comparison.rows.size(); ++r) {
    if (comparison.rows[r].candidate != nullptr) {
      done.push_back(r);
    }
  }
  return done;
}

int pane_of_row(const Done& done, int row) {
  const auto at = std::ranges::find_if(done, [&](std::size_t r) { return std::cmp_equal(r, row); });
  return at != done.end() ? static_cast<int>(at - done.begin()) : -1;
}

bool has_file_weights(const Desk& desk) {
  return edit::has_file_weights(*edit::own_character(desk.document()), *desk.document().file);
}

// Candidates that a character cannot have are replaced when it comes, the others stay as they were chosen.
void follow_file_weights(BindComparison& comparison, const Desk& desk) {
  const bool has_them = has_file_weights(desk);
  if (std::exchange(comparison.had_file_weights, has_them) == has_them) {
    return;
  }
  if (comparison.wanted == BindComparison::usual(!has_them)) {
    comparison.wanted = BindComparison::usual(has_them);
    return;
  }
  for (std::string& one : comparison.wanted) {
    if (!has_them && one == edit::kFileWeights) {
      const auto is_free = [&](const std::string& id) { return std::ranges::count(comparison.wanted, id) == 0; };
      const BindComparison::Wanted offered = BindComparison::usual(false);
      const auto next = std::ranges::find_if(offered, is_free);
      one = next != offered.end() ? *next : std::string();
    }
  }
}

std::string binder_label(const std::string& id) {
  const bind::Binder* const binder = bind::find_binder(id);
  return binder != nullptr          ? std::string(binder->label)
         : id == edit::kFileWeights ? std::string("Weights of the file")
                                    : std::string("None");
}

// Not undone, as nobody asked for other panes.
void ask_for_panes(Desk& desk, int count) {
  desk.requests.commands.push_back({edit::SetPanes{count}, {}, false});
}

void leave_panes(BindComparison& comparison, Desk& desk) {
  if (std::exchange(comparison.coloured, false) && desk.workspace.view.look == render::Look::kDifference) {
    desk.workspace.view.look = desk.workspace.look_before_difference;
    desk.workspace.view.compare = {};
  }
  const int set = std::exchange(comparison.panes_set, 0);
  comparison.side_by_side = false;
  if (set > 0 && edit::pane_count(desk.document().content) == set && set != comparison.panes_before) {
    ask_for_panes(desk, comparison.panes_before);
  }
}

void drop_candidates(BindComparison& comparison, Desk& desk) {
  if (comparison.job != nullptr) {
    comparison.job->cancel();
  }
  leave_panes(comparison, desk);
  comparison.rows.clear();
  comparison.said.clear();
  comparison.running.reset();
  comparison.of.reset();
  comparison.used.reset();
  comparison.using_for = 0;
  comparison.shown = -1;
}

void start_row(BindComparison& comparison, std::size_t row, Desk& desk) {
  comparison.running = row;
  if (comparison.job == nullptr) {
    comparison.job = std::make_unique<JobSlot<Result<edit::BindCandidate>>>(desk.workspace.jobs, Jobs::Kind::kLong,
                                                                            "Comparing binders");
  }
  comparison.job->start(
      fmt::format("Binding by {}", comparison.rows[row].label),
      [character = comparison.of, file = desk.document().file, change = comparison.rows[row].change,
       locked = comparison.locked](const Progress& progress) -> std::optional<Result<edit::BindCandidate>> {
        return edit::make_candidate(character, *file, change, locked, {progress, {}});
      });
}

// The first that is still to be made; nothing where all are.
void start_next(BindComparison& comparison, Desk& desk) {
  comparison.running.reset();
  for (std::size_t r = 0; r < comparison.rows.size(); ++r) {
    if (comparison.rows[r].candidate == nullptr && comparison.rows[r].error.empty()) {
      start_row(comparison, r, desk);
      return;
    }
  }
}

void start_comparison(BindComparison& comparison, BindPanel& panel, Desk& desk) {
  drop_candidates(comparison, desk);
  comparison.of = edit::own_character(desk.document());
  comparison.locked = desk.document().content.locked_joints.get();
  for (const std::string& id : comparison.wanted) {
    if (!id.empty()) {
      comparison.rows.push_back({.change = binding_by(panel, desk, id), .label = binder_label(id)});
    }
  }
  if (!edit::shows_own_surface(desk.document())) {
    desk.requests.surface = rig::SurfaceChoice{};  // weights are of that one
  }
  start_next(comparison, desk);
}

std::string why_not_compare(const BindComparison& comparison, const BindPanel& panel, const Desk& desk) {
  if (std::ranges::count_if(comparison.wanted, [](const std::string& id) { return !id.empty(); }) < 2) {
    return "Choose two or more.";
  }
  if (std::ranges::none_of(panel.deforming, [](char on) { return on != 0; })) {
    return "No joint is to deform: choose some below.";
  }
  const bool wants_file = std::ranges::count(comparison.wanted, edit::kFileWeights) > 0;
  if (wants_file && !has_file_weights(desk)) {
    return "The file has no weights for vertices and joints as they are now: choose others.";
  }
  return {};
}

void draw_wanted(BindComparison& comparison, Desk& desk) {
  std::vector<std::string> ids = {"", std::string(edit::kFileWeights)};
  for (const bind::Binder& binder : bind::binders()) {
    ids.emplace_back(binder.id);
  }
  for (std::size_t i = 0; i < comparison.wanted.size(); ++i) {
    row_label(desk, i == 0 ? "Candidates" : "",
              "Each with its numbers as they were set above. All vertices are bound, to the bones below");
    int choice = static_cast<int>(std::ranges::find(ids, comparison.wanted[i]) - ids.begin());
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
    if (combo(desk, fmt::format("bind.compare.{}", i).c_str(), static_cast<int>(ids.size()), choice,
              [&](int c) { return binder_label(ids[static_cast<std::size_t>(c)]); })) {
      comparison.wanted[i] = ids[static_cast<std::size_t>(choice)];
    }
  }
}

void draw_comparing(BindComparison& comparison, Desk& desk) {
  const std::optional<Jobs::Row> row = comparison.job->row();
  progress_bar(desk, row ? row->fraction : 1.0f, ImGui::GetContentRegionAvail().x,
               row ? std::string_view(row->name) : std::string_view());
  if (ImGui::Button("Cancel###bind.compare.cancel", ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
    drop_candidates(comparison, desk);
  }
  report_item(desk, "bind.compare.cancel");
}

void show_row(BindComparison& comparison, int row, const Done& done, Desk& desk) {
  comparison.shown = row;
  ++comparison.serial;
  if (comparison.side_by_side) {
    desk.requests.active_pane = pane_of_row(done, row);
  }
}

void draw_arrangement(BindComparison& comparison, const Done& done, Desk& desk) {
  constexpr const char* kArrangements[] = {"One", "Side by side"};
  int arrangement = comparison.side_by_side ? 1 : 0;
  row_label(desk, "Show", "The weights of one candidate, or a pane for each: one pose, one camera");
  if (segmented(desk, "bind.compare.show", kArrangements, arrangement)) {
    if (arrangement == 1) {
      comparison.side_by_side = true;
      comparison.panes_before = edit::pane_count(desk.document().content);
      comparison.panes_set = 0;
      comparison.pane_to_show = pane_of_row(done, comparison.shown);
    } else {
      leave_panes(comparison, desk);
    }
    ++comparison.serial;
  }
  if (comparison.side_by_side && done.size() > 1) {
    render::ViewSettings& view = desk.workspace.view;
    const bool on = view.look == render::Look::kDifference && view.compare.reference == render::Reference::kPane;
    int against = on ? 1 + view.compare.pane : 0;
    row_label(desk, "Difference", "Colours each pane by how far its vertices are from where another one has them");
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
    if (combo(desk, "bind.compare.against", 1 + static_cast<int>(done.size()), against, [&](int i) {
          return i == 0 ? std::string("Off")
                        : fmt::format("Against {}", comparison.rows[done[static_cast<std::size_t>(i - 1)]].label);
        })) {
      if (against == 0) {
        view.look = desk.workspace.look_before_difference;
      } else {
        if (view.look != render::Look::kDifference) {
          desk.workspace.look_before_difference = view.look;
        }
        view.look = render::Look::kDifference;
        view.compare = {.measure = measure::Measure::kDistance, .reference = render::Reference::kPane};
        view.compare.pane = against - 1;
      }
      comparison.coloured = against != 0;
    }
  }
}

// How far the panes' shapes are from that of the reference in this pose: where the ramp of the picture ends follows
// from the largest.
void draw_largest_differences(const BindComparison& comparison, const Done& done, Desk& desk) {
  const render::ViewSettings& view = desk.workspace.view;
  if (!comparison.side_by_side || view.look != render::Look::kDifference || !desk.scene.difference) {
    return;
  }
  for (std::size_t pane = 0; pane < done.size(); ++pane) {
    const render::DifferenceMap* const map = desk.scene.difference(static_cast<int>(pane));
    if (map == nullptr || std::cmp_equal(pane, view.compare.pane)) {
      continue;
    }
    number_line(desk, comparison.rows[done[pane]].label.c_str(),
                render::difference_text(map->measure, map->highest, map->diagonal),
                "The largest difference of a vertex in this pose");
    report_item(desk, fmt::format("bind.difference.{}", pane));
  }
}

// What using a row does to a character that it can stand in for.
std::string use_in_words(const BindComparison::Row& row, const rig::Character& before) {
  std::int64_t changed = 0;
  const rig::Character& after = *row.candidate->character;
  for (std::size_t m = 0; m < after.meshes.size(); ++m) {
    for (std::size_t p = 0; p < after.meshes[m].primitives.size(); ++p) {
      mesh::for_changed_rows(before.meshes[m].primitives[p].influences, after.meshes[m].primitives[p].influences,
                             [&](std::size_t) { ++changed; });
    }
  }
  const std::string how = row.change.binder == edit::kFileWeights ? std::string("Given back the weights of the file")
                                                                  : fmt::format("Bound with {}", row.label);
  return fmt::format("{}: {} changed; {} takes it back", how, count_of(changed, "vertex", "vertices"),
                     name_of(find_action("edit.undo")->key));
}

void use_candidate(BindComparison& comparison, Desk& desk) {
  const BindComparison::Row& row = comparison.rows[static_cast<std::size_t>(comparison.shown)];
  desk.change(edit::use_of(*row.candidate));
  comparison.using_for = kPicturesOfUse;
  comparison.said = use_in_words(row, *edit::own_character(desk.document()));
  desk.workspace.notice = Notice{Severity::kInfo, comparison.said, desk.scene.now};
}

// Whether the character has the weights that are shown.
bool is_in_use(const BindComparison& comparison, const Desk& desk) {
  const auto& candidate = comparison.rows[static_cast<std::size_t>(comparison.shown)].candidate;
  return candidate != nullptr && edit::same_weights(*candidate->character, *edit::own_character(desk.document()));
}

void draw_buttons(BindComparison& comparison, Desk& desk) {
  const float gap = ImGui::GetStyle().ItemInnerSpacing.x;
  const float width = (ImGui::GetContentRegionAvail().x - gap) / 2;
  const bool is_chosen = has_index(comparison.rows, comparison.shown);
  const bool is_used = is_chosen && is_in_use(comparison, desk);
  const bool can_use = is_chosen && !is_used;
  ImGui::BeginDisabled(!can_use);
  if (ImGui::Button(fmt::format("{}  Use", icon::kCheck).c_str(), ImVec2(width, 0))) {
    use_candidate(comparison, desk);
  }
  report_item(desk, "bind.compare.use");
  ImGui::EndDisabled();
  tip(can_use   ? fmt::format("Gives the character the weights shown: {}",
                              comparison.rows[static_cast<std::size_t>(comparison.shown)].label)
      : is_used ? std::string("The character has these weights")
                : std::string("Click a row to see its weights"));
  ImGui::SameLine(0, gap);
  if (ImGui::Button("Close###bind.compare.close", ImVec2(width, 0))) {
    drop_candidates(comparison, desk);
  }
  report_item(desk, "bind.compare.close");
  tip("Drops all candidates (Esc)");
  if (is_used && !comparison.said.empty()) {
    wrapped_text(fmt::format("{}  {}", icon::kCheck, comparison.said), color::kGood);
    report_item(desk, "bind.compare.said");
  }
}

// The document goes on with the weights that they were made beside, or with those of a candidate. Clips and materials
// may change meanwhile; other locks would make other candidates.
bool is_still_of(BindComparison& comparison, const Desk& desk) {
  const std::shared_ptr<const rig::Character>& now = edit::own_character(desk.document());
  const bool was_using = comparison.using_for > 0;
  comparison.using_for = std::max(0, comparison.using_for - 1);
  if (!(desk.document().content.locked_joints == comparison.locked)) {
    return false;
  }
  for (std::shared_ptr<const rig::Character>* known : {&comparison.of, &comparison.used}) {
    if (*known == now || (*known != nullptr && edit::same_weights(*now, **known))) {
      *known = now;
      return true;
    }
  }
  if (was_using && edit::can_stand_in(*now, *comparison.of)) {
    comparison.used = now;
    return true;
  }
  return false;
}

void take_candidate(BindComparison& comparison, Result<edit::BindCandidate> made, Desk& desk) {
  BindComparison::Row& row = comparison.rows[*comparison.running];
  if (!made) {
    row.error = made.error().message;
  } else {
    row.candidate = std::make_shared<const edit::BindCandidate>(*std::move(made));
    if (comparison.shown < 0) {
      comparison.shown = static_cast<int>(*comparison.running);
    }
  }
  ++comparison.serial;
  start_next(comparison, desk);
}

void take_results(BindComparison& comparison, Desk& desk) {
  while (comparison.running) {
    if (comparison.patient) {
      comparison.job->wait(kComparisonPatience);
    }
    if (std::optional<Result<edit::BindCandidate>> made = comparison.job->take()) {
      take_candidate(comparison, *std::move(made), desk);
    } else if (comparison.job->failed()) {
      take_candidate(comparison, error("not enough memory"), desk);
    } else {
      return;
    }
  }
}

// As many panes as there are candidates; where somebody chose another number, that is what they want to see.
void follow_panes(BindComparison& comparison, const Done& done, Desk& desk) {
  const int wanted = static_cast<int>(std::min(done.size(), static_cast<std::size_t>(edit::kPaneLimit)));
  const int panes = edit::pane_count(desk.document().content);
  if (!comparison.side_by_side || wanted == 0) {
    return;
  }
  if (comparison.panes_set > 0 && panes != comparison.panes_set) {
    comparison.side_by_side = false;
    comparison.panes_set = 0;
    ++comparison.serial;
    return;
  }
  if (panes != wanted) {
    ask_for_panes(desk, wanted);
    // New panes would get a method each: only the weights are to differ.
    const edit::Document& document = desk.document();
    const deform::SkinningSettings& settings = edit::skinning_of(document.content, document.view.active_pane);
    for (int pane = panes; pane < wanted; ++pane) {
      desk.requests.commands.push_back({edit::SetSkinning{settings, pane}, {}, false});
    }
  }
  comparison.panes_set = wanted;
  if (panes == wanted && comparison.pane_to_show >= 0) {  // the row that was chosen stays chosen
    desk.requests.active_pane = std::exchange(comparison.pane_to_show, -1);
  }
  if (const int active = desk.document().view.active_pane; panes == wanted && !desk.requests.active_pane) {
    comparison.shown = static_cast<int>(done[static_cast<std::size_t>(active)]);
  }
}

const edit::BindCandidate* candidate_of_pane(const BindComparison& comparison, const Done& done, int pane) {
  if (comparison.side_by_side) {
    return has_index(done, pane) ? comparison.rows[done[static_cast<std::size_t>(pane)]].candidate.get() : nullptr;
  }
  return has_index(comparison.rows, comparison.shown)
             ? comparison.rows[static_cast<std::size_t>(comparison.shown)].candidate.get()
             : nullptr;
}

void preview_candidates(BindComparison& comparison, const Done& done, Desk& desk) {
  if (done.empty() || comparison.shown < 0 || !edit::shows_own_surface(desk.document())) {
    return;
  }
  Preview& preview = desk.requests.preview;
  for (int pane = 0; pane < edit::kPaneLimit; ++pane) {
    const edit::BindCandidate* const one = candidate_of_pane(comparison, done, pane);
    preview.stand_ins.push_back(one != nullptr ? one->character : nullptr);
  }
  // Another panel's preview goes on with these weights.
  preview.key += fmt::format(" candidates {} {}", comparison.serial, comparison.shown);
  if (preview.subject.empty()) {
    preview.subject = kCandidatesSubject;
  }
}

}  // namespace

BindComparison::Wanted BindComparison::usual(bool has_file_weights) {
  return has_file_weights ? Wanted{std::string(edit::kFileWeights), "best", "heat", ""}
                          : Wanted{"best", "heat", "point-to-line", ""};
}

void draw_comparison(BindComparison& comparison, BindPanel& panel, Desk& desk) {
  if (!section(desk, "Compare binders", false)) {
    return;
  }
  follow_file_weights(comparison, desk);
  draw_wanted(comparison, desk);
  if (comparison.running) {
    draw_comparing(comparison, desk);
  } else {
    const std::string reason = why_not_compare(comparison, panel, desk);
    ImGui::BeginDisabled(!reason.empty());
    if (ImGui::Button("Compare###bind.compare", ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
      start_comparison(comparison, panel, desk);
    }
    report_item(desk, "bind.compare");
    ImGui::EndDisabled();
    tip("Runs them one after the other and shows what each makes; the character keeps its weights until one is used");
    if (!reason.empty()) {
      wrapped_text(reason, color::kTextDim);
    }
  }
  if (comparison.rows.empty()) {
    return;
  }
  const Done done = done_rows(comparison);
  if (const std::optional<std::size_t> row = draw_candidate_table(comparison, done, desk)) {
    show_row(comparison, static_cast<int>(*row), done, desk);
  }
  if (done.empty()) {
    return;
  }
  draw_arrangement(comparison, done, desk);
  draw_largest_differences(comparison, done, desk);
  draw_buttons(comparison, desk);
  draw_weight_curves(comparison, desk);
}

void follow_comparison(Desk& desk) {
  BindComparison& comparison = desk.workspace.panel<BindComparison>();
  if (comparison.rows.empty()) {
    return;
  }
  const bool ended = desk.workspace.preview_ended == kCandidatesSubject;
  if (ended || !is_still_of(comparison, desk)) {
    drop_candidates(comparison, desk);
    desk.workspace.preview_ended = ended ? std::string() : desk.workspace.preview_ended;
    return;
  }
  take_results(comparison, desk);
  const Done done = done_rows(comparison);
  follow_panes(comparison, done, desk);
  preview_candidates(comparison, done, desk);
}

std::string candidate_in_pane(const Desk& desk, int pane) {
  const BindComparison& comparison = desk.workspace.panel<BindComparison>();
  if (comparison.rows.empty() || !edit::shows_own_surface(desk.document())) {
    return {};
  }
  const edit::BindCandidate* const one = candidate_of_pane(comparison, done_rows(comparison), pane);
  return one != nullptr ? one->label : std::string();
}

std::string candidate_in_picture(const Desk& desk) {
  return desk.workspace.previewed == kCandidatesSubject ? candidate_in_pane(desk, desk.document().view.active_pane)
                                                        : std::string();
}

}  // namespace pelt::ui
