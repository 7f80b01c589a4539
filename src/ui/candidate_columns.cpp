#include "ui/candidate_columns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "core/text.h"
#include "measure/binding_score.h"
#include "ui/widgets.h"

namespace pelt::ui {
namespace {

std::string score_text(const edit::BindCandidate& one, double measure::BindingScore::*member, int decimals) {
  return one.score ? fmt::format("{:.{}f}", (*one.score).*member, decimals) : std::string(kNoNumber);
}
template <double measure::BindingScore::*kMember>
std::optional<double> score_badness(const edit::BindCandidate& one) {
  return one.score ? std::optional((*one.score).*kMember) : std::nullopt;
}
std::optional<std::size_t> unbound_of(const edit::BindCandidate& one) {
  return one.score ? std::optional(one.score->unbound) : one.shape ? std::optional(one.shape->unbound) : std::nullopt;
}

constexpr std::array kCandidateColumns = {
    CandidateColumn{"rms", "RMS %",
                    "How far vertices are from where the file's weights take them, root mean square over the poses of "
                    "the clips and 20 random ones, in percent of the diagonal. Less is better",
                    [](const edit::BindCandidate& one) { return score_text(one, &measure::BindingScore::rms, 2); },
                    score_badness<&measure::BindingScore::rms>, CandidateColumn::kWithTruth},
    CandidateColumn{"max", "max %",
                    "The largest distance of a vertex from where the file's weights take it, in the same poses, in "
                    "percent of the diagonal. Less is better",
                    [](const edit::BindCandidate& one) { return score_text(one, &measure::BindingScore::worst, 1); },
                    score_badness<&measure::BindingScore::worst>, CandidateColumn::kWithTruth},
    CandidateColumn{
        "strain", "strain",
        "The longest stretch of the edges in any pose, divided by that under the file's weights: a ratio, 1 is as "
        "smooth. Less is better",
        [](const edit::BindCandidate& one) { return score_text(one, &measure::BindingScore::strain_ratio, 2); },
        score_badness<&measure::BindingScore::strain_ratio>, CandidateColumn::kWithTruth},
    CandidateColumn{
        "stretch", "strain",
        "The longest stretch of the edges in any pose of the clips and 20 random ones, divided by their length as "
        "bound: a ratio, 1 is not stretched. Less is better. The file has no weights to compare it with",
        [](const edit::BindCandidate& one) {
          return one.shape ? fmt::format("{:.2f}", one.shape->stretch) : std::string(kNoNumber);
        },
        [](const edit::BindCandidate& one) { return one.shape ? std::optional(one.shape->stretch) : std::nullopt; },
        CandidateColumn::kWithoutTruth},
    CandidateColumn{"volume", "vol. %",
                    "What the surface encloses in the pose that changes its volume most, in percent of its volume as "
                    "bound. Nearer to 100 is better; a dash where it encloses nothing",
                    [](const edit::BindCandidate& one) {
                      return one.shape && one.shape->volume ? fmt::format("{:.0f}", 100 * *one.shape->volume)
                                                            : std::string(kNoNumber);
                    },
                    [](const edit::BindCandidate& one) {
                      return one.shape && one.shape->volume ? std::optional(std::abs(*one.shape->volume - 1))
                                                            : std::nullopt;
                    }},
    CandidateColumn{"unbound", "unb.", "Vertices without a weight, a number of them. Less is better",
                    [](const edit::BindCandidate& one) {
                      const std::optional<std::size_t> count = unbound_of(one);
                      return count ? fmt::format("{}", *count) : std::string(kNoNumber);
                    },
                    [](const edit::BindCandidate& one) {
                      const std::optional<std::size_t> count = unbound_of(one);
                      return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
                    }},
    CandidateColumn{"time", "s", "Seconds that binding took. Less is better, but says nothing of the weights",
                    [](const edit::BindCandidate& one) {
                      return one.change.made != nullptr ? fmt::format("{:.2f}", one.seconds) : std::string(kNoNumber);
                    },
                    [](const edit::BindCandidate& one) {
                      return one.change.made != nullptr ? std::optional(one.seconds) : std::nullopt;
                    }},
};

bool is_file(const BindComparison::Row& row) {
  return row.change.binder == edit::kFileWeights;
}

std::optional<double> badness_of(const BindComparison::Row& row, const CandidateColumn& column) {
  return row.candidate != nullptr ? column.badness(*row.candidate) : std::nullopt;
}

// "Bone heat is better in strain and s": where the binder "Best" is not the best.
std::string lost_to(const BindComparison& comparison, std::span<const CandidateColumn* const> columns) {
  const auto best = std::ranges::find_if(comparison.rows, [](const auto& row) { return row.change.binder == "best"; });
  if (best == comparison.rows.end() || best->candidate == nullptr) {
    return {};
  }
  const auto at = static_cast<std::size_t>(best - comparison.rows.begin());
  std::string out;
  for (std::size_t r = 0; r < comparison.rows.size(); ++r) {
    std::vector<std::string> better;
    for (const CandidateColumn* column : columns) {
      const std::vector<char> wins = winners(comparison, *column);
      if (wins[r] != 0 && wins[at] == 0) {
        better.emplace_back(column->heading);
      }
    }
    if (!better.empty()) {
      out += fmt::format("{}{} in {}", out.empty() ? "" : "; ", comparison.rows[r].label, fmt::join(better, ", "));
    }
  }
  return out;
}

}  // namespace

std::vector<const CandidateColumn*> columns_of(const BindComparison& comparison) {
  const auto is_made = [](const BindComparison::Row& row) { return row.candidate != nullptr; };
  const auto has_score = [&](const BindComparison::Row& row) { return is_made(row) && row.candidate->score; };
  const bool has_truth = std::ranges::any_of(comparison.rows, is_made) ? std::ranges::any_of(comparison.rows, has_score)
                                                                       : comparison.had_file_weights;
  std::vector<const CandidateColumn*> columns;
  for (const CandidateColumn& column : kCandidateColumns) {
    if (column.shown == CandidateColumn::kAlways || (column.shown == CandidateColumn::kWithTruth) == has_truth) {
      columns.push_back(&column);
    }
  }
  return columns;
}

const CandidateColumn& sorting_column(const BindComparison& comparison,
                                      std::span<const CandidateColumn* const> columns) {
  const auto chosen =
      std::ranges::find(columns, comparison.sorted_by, [](const auto* column) { return std::string_view(column->id); });
  return chosen != columns.end() ? **chosen : *columns.front();
}

std::vector<std::size_t> ranked_rows(const BindComparison& comparison, const CandidateColumn& column) {
  std::vector<std::size_t> order(comparison.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!comparison.running) {
    std::ranges::stable_sort(order, {}, [&](std::size_t r) {
      return badness_of(comparison.rows[r], column).value_or(std::numeric_limits<double>::infinity());
    });
  }
  return order;
}

std::vector<char> winners(const BindComparison& comparison, const CandidateColumn& column) {
  const auto competes = [&](const BindComparison::Row& row) {
    return badness_of(row, column) && !(column.shown == CandidateColumn::kWithTruth && is_file(row));
  };
  const BindComparison::Row* best = nullptr;
  for (const BindComparison::Row& row : comparison.rows) {
    if (competes(row) && (best == nullptr || *badness_of(row, column) < *badness_of(*best, column))) {
      best = &row;
    }
  }
  std::vector<char> out(comparison.rows.size(), 0);
  bool is_contested = false;
  for (std::size_t r = 0; best != nullptr && r < out.size(); ++r) {
    const BindComparison::Row& row = comparison.rows[r];
    out[r] = competes(row) && column.text(*row.candidate) == column.text(*best->candidate) ? 1 : 0;
    is_contested = is_contested || (competes(row) && out[r] == 0);
  }
  return is_contested ? out : std::vector<char>(comparison.rows.size(), 0);
}

std::string judgement(const BindComparison& comparison, std::span<const CandidateColumn* const> columns) {
  std::string out = fmt::format(
      "Sorted by {}, the best first; a click on another heading sorts by it. A frame marks the best of a column; "
      "columns can disagree.",
      sorting_column(comparison, columns).heading);
  if (const std::string others = lost_to(comparison, columns); !others.empty()) {
    out += fmt::format(" \"Best\" chooses by the shape of the mesh alone, before any pose is tried. Better here: {}.",
                       others);
  }
  return out;
}

std::string all_scores(const BindComparison::Row& row) {
  if (!row.error.empty()) {
    return fmt::format("{}: {}", row.label, row.error);
  }
  if (row.candidate == nullptr) {
    return row.label;
  }
  std::string out = row.label;
  if (const bind::Binder* const binder = bind::find_binder(row.change.binder); binder != nullptr) {
    out += fmt::format("\n{}", binder->help);
  }
  if (const auto& score = row.candidate->score) {
    for (const measure::ScoreColumn& column : measure::score_columns()) {
      out += fmt::format("\n{}: {:.3f}", column.heading, (*score).*column.member);
    }
    out += fmt::format("\nof {} in {}", count_of(static_cast<std::int64_t>(score->vertices), "vertex", "vertices"),
                       count_of(static_cast<std::int64_t>(score->poses), "pose", "poses"));
  } else {
    out += "\nThe file has no weights to compare these with";
  }
  if (const auto& shape = row.candidate->shape) {
    out += fmt::format("\nlongest stretch of the edges: {:.3f}", shape->stretch);
    if (shape->volume) {
      out += fmt::format("\nvolume that changes most: {:.1f}\u2009%", 100 * *shape->volume);
    }
    if (!row.candidate->score) {
      out += fmt::format("\nof {} in {}", count_of(static_cast<std::int64_t>(shape->vertices), "vertex", "vertices"),
                         count_of(static_cast<std::int64_t>(shape->poses), "pose", "poses"));
    }
  }
  if (row.candidate->change.made != nullptr) {
    const std::vector<bind::Remark>& remarks = row.candidate->change.made->binding.remarks;
    constexpr std::size_t kMostRemarks = 6;
    for (std::size_t r = 0; r < std::min(remarks.size(), kMostRemarks); ++r) {
      out += "\n" + printable(bind::sentence(remarks[r], row.candidate->change.made->problem->names), 120);
    }
    if (remarks.size() > kMostRemarks) {
      out += fmt::format("\nand {} more", remarks.size() - kMostRemarks);
    }
  }
  return out + "\nClick: shows these weights";
}

}  // namespace pelt::ui
