#include "ui/listed_findings.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/index.h"
#include "edit/mend_foresight.h"
#include "ui/info_panel.h"
#include "ui/mend_words.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr double kSettled = 1.0;  // seconds without an edit after which a search begins

// Vertices and numbers of a finding change with each edit, and with its vertices the first primitive that has some; its
// code and its joint do not.
bool same_matter(const rig::Finding& a, const rig::Finding& b) {
  if (a.code != b.code) {
    return false;
  }
  if (!a.mesh_vertices.empty() && !b.mesh_vertices.empty()) {
    return a.place.mesh == b.place.mesh && a.place.skin == b.place.skin && a.place.joint == b.place.joint;
  }
  rig::LintPlace place = b.place;
  place.vertices = a.place.vertices;
  return a.where == b.where && a.place == place;
}

// Codes of findings about weights, from what a fault looks like to what it is. A later one explains an earlier one.
constexpr std::array<std::string_view, 6> kFromSignToCause = {"weight-asymmetry", "hard-edge-weight",  "rogue-weight",
                                                              "far-joint-weight", "wrong-side-weight", "neutral-bone"};

// Whether the cause explains the sign: the same mesh, the same joint where both name one, and all of its vertices.
bool explains(const rig::Finding& cause, const rig::Finding& sign) {
  const auto rank_of = [](const rig::Finding& finding) {
    const auto at = std::ranges::find(kFromSignToCause, std::string_view(finding.code));
    return at == kFromSignToCause.end() ? -1 : static_cast<int>(at - kFromSignToCause.begin());
  };
  const bool has_other_joint = cause.place.joint >= 0 && sign.place.joint >= 0 &&
                               (cause.place.joint != sign.place.joint || cause.place.skin != sign.place.skin);
  return rank_of(sign) >= 0 && rank_of(cause) > rank_of(sign) && cause.place.mesh == sign.place.mesh &&
         !has_other_joint && !sign.mesh_vertices.empty() &&
         std::ranges::includes(cause.mesh_vertices, sign.mesh_vertices);
}

// What was explained once keeps the line that says so, also when one of the two is mended.
void note_causes(ListedFindings& list) {
  for (std::size_t r = 0; r < list.rows.size(); ++r) {
    for (std::size_t c = 0; c < list.rows.size() && !list.rows[r].is_done; ++c) {
      if (!list.rows[c].is_done && explains(list.findings[c], list.findings[r])) {
        list.rows[r].same_as = static_cast<int>(c);
      }
    }
  }
}

// Each finding goes to the first row about it that has none yet.
// @param now    the character that they are about
// @param steps  of the history since the last search
void take_findings(ListedFindings& list, const rig::Findings& findings, const rig::Character& now, std::size_t steps) {
  std::vector<char> is_taken(list.rows.size(), 0);
  for (const rig::Finding& finding : findings) {
    std::size_t r = 0;
    while (r < is_taken.size() && (is_taken[r] != 0 || !same_matter(list.findings[r], finding))) {
      ++r;
    }
    if (r == is_taken.size()) {
      list.findings.push_back(finding);
      list.rows.emplace_back();
      continue;
    }
    is_taken[r] = 1;
    const std::size_t before = list.findings[r].mesh_vertices.size();
    if (list.changed && before != finding.mesh_vertices.size()) {
      list.rows[r].named_before = before;
    }
    // The edited character is not judged by the specification, which weighs what was noted on reading as an error.
    const Severity judged = list.findings[r].severity;
    list.findings[r] = finding;
    if (finding.mesh_vertices.empty()) {
      list.findings[r].severity = std::max(judged, finding.severity);
    }
    list.rows[r].is_done = false;
    list.rows[r].mend.reset();
  }
  std::vector<std::size_t> done;
  for (std::size_t r = 0; r < is_taken.size(); ++r) {
    if (is_taken[r] == 0 && !list.rows[r].is_done) {
      done.push_back(r);
    }
  }
  if (!done.empty() && list.changed && list.looked_at != nullptr) {
    list.changed->steps = steps;
    list.changed->changed = done_in_words(edit::mended_parts(*list.looked_at, now));
    list.changed->is_alone = done.size() == 1 && steps == 1;
  }
  for (const std::size_t r : done) {
    list.rows[r].is_done = true;
    list.rows[r].mend = list.changed;
  }
  note_causes(list);
}

// Which step made another character of the one that was searched.
void note_change(ListedFindings& list, const edit::History& history) {
  if (!list.changed && history.cursor() > list.place && list.place + 1 < history.size()) {
    list.changed = {list.place, history.step(list.place + 1).label};
  }
}

bool is_known_of(const Desk& desk, const std::shared_ptr<const rig::Character>& character) {
  const Measurements* const measured = desk.scene.measurements;
  return measured != nullptr && measured->lint && measured->lint->character == character;
}

// Whether the step that mended something was taken back: what it mended is there again, though nobody has looked.
bool is_mend_taken_back(const ListedFindings& list, const Desk& desk) {
  return std::ranges::any_of(list.rows, [&](const ListedFinding& row) {
    return row.is_done && row.mend && desk.document().history.cursor() <= row.mend->before;
  });
}

// Whether the list is in front, or the banner says how many there are.
bool is_told(const ListedFindings& list, const Desk& desk) {
  const std::array<std::size_t, 3> counts = count_findings(list);
  const bool has_banner =
      !list.is_dismissed &&
      (is_mend_taken_back(list, desk) ||
       counts[static_cast<std::size_t>(Severity::kWarning)] + counts[static_cast<std::size_t>(Severity::kError)] > 0);
  return has_banner || (desk.workspace.tab == kInfoTab && !desk.workspace.panels_hidden);
}

}  // namespace

void follow_findings(Desk& desk) {
  ListedFindings& list = desk.workspace.panel<ListedFindings>();
  const edit::Document& document = desk.document();
  if (list.file != document.file) {
    list = {};
    list.file = document.file;
  }
  // A surface that is subdivided or thinned for the picture alone has no findings of its own.
  const std::shared_ptr<const rig::Character>& character = edit::own_character(document);
  if (list.seen != character) {
    list.seen = character;
    list.seen_since = desk.scene.now;
  }
  if (list.looked_at != nullptr && list.looked_at != character) {
    note_change(list, document.history);
  }
  const bool is_known = is_known_of(desk, character);
  if (is_known && list.looked_at != character) {
    const std::size_t cursor = document.history.cursor();
    take_findings(list, desk.scene.measurements->lint->findings, *character,
                  cursor > list.place ? cursor - list.place : 1);
    list.looked_at = character;
  }
  if (list.looked_at == character) {
    list.place = document.history.cursor();
    list.changed.reset();
  }
  // A search costs a second of a processor on a large mesh: who animates a sound rig does not pay for it at each key.
  if (is_known || (list.looked_at != nullptr && !is_told(list, desk))) {
    return;
  }
  if (list.looked_at == nullptr || desk.scene.now - list.seen_since >= kSettled) {
    desk.requests.lint = true;
  } else {
    desk.requests.next_picture = true;  // so that the search begins although nothing moves any more
  }
}

bool is_looking_for_findings(const Desk& desk) {
  const Measurements* const measured = desk.scene.measurements;
  return measured != nullptr && measured->lint_work.active && !is_known_of(desk, edit::own_character(desk.document()));
}

std::array<std::size_t, 3> count_findings(const ListedFindings& list) {
  std::array<std::size_t, 3> counts{};
  for (std::size_t r = 0; r < list.rows.size(); ++r) {
    counts[static_cast<std::size_t>(list.findings[r].severity)] += list.rows[r].is_done ? 0 : 1;
  }
  return counts;
}

bool can_undo_mend(const Desk& desk, std::size_t row) {
  const ListedFindings& list = desk.workspace.panel<ListedFindings>();
  const edit::History& history = desk.document().history;
  if (!has_index(list.rows, static_cast<int>(row)) || !list.rows[row].mend) {
    return false;
  }
  const ListedFinding::Mend& mend = *list.rows[row].mend;
  return mend.before < history.cursor() && history.step(mend.before + 1).label == mend.label;
}

void undo_mend(Desk& desk, std::size_t row) {
  if (can_undo_mend(desk, row)) {
    desk.requests.travel = desk.workspace.panel<ListedFindings>().rows[row].mend->before;
  }
}

}  // namespace pelt::ui
