#include "ui/candidate_columns.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "core/text.h"
#include "measure/binding_score.h"
#include "ui/widgets.h"

namespace pelt::ui {
namespace {

std::string score_text(const edit::BindCandidate& one, double measure::BindingScore::*member, int decimals) {
  return one.score ? fmt::format("{:.{}f}", (*one.score).*member, decimals) : std::string(kNoNumber);
}
constexpr std::array kCandidateColumns = {
    CandidateColumn{"rms", "RMS %",
                    "How far vertices are from where the file's weights take them, root mean square over the poses of "
                    "the clips and 20 random ones, in percent of the diagonal",
                    [](const edit::BindCandidate& one) { return score_text(one, &measure::BindingScore::rms, 2); },
                    CandidateColumn::kWithTruth},
    CandidateColumn{"max", "max %", "The largest of these distances",
                    [](const edit::BindCandidate& one) { return score_text(one, &measure::BindingScore::worst, 1); },
                    CandidateColumn::kWithTruth},
    CandidateColumn{
        "strain", "strain",
        "The longest stretch of the edges in any pose, divided by that under the file's weights: 1 is as "
        "smooth",
        [](const edit::BindCandidate& one) { return score_text(one, &measure::BindingScore::strain_ratio, 2); },
        CandidateColumn::kWithTruth},
    CandidateColumn{
        "stretch", "strain",
        "The longest stretch of the edges in any pose of the clips and 20 random ones, divided by their length as "
        "bound: 1 is not stretched. The file has no weights to compare it with",
        [](const edit::BindCandidate& one) {
          return one.shape ? fmt::format("{:.2f}", one.shape->stretch) : std::string(kNoNumber);
        },
        CandidateColumn::kWithoutTruth},
    CandidateColumn{"volume", "vol. %",
                    "What the surface encloses in the pose that changes its volume most, in percent of its volume as "
                    "bound; a dash where it encloses nothing",
                    [](const edit::BindCandidate& one) {
                      return one.shape && one.shape->volume ? fmt::format("{:.0f}", 100 * *one.shape->volume)
                                                            : std::string(kNoNumber);
                    }},
    CandidateColumn{"unbound", "unb.", "Vertices without a weight",
                    [](const edit::BindCandidate& one) {
                      return one.score   ? fmt::format("{}", one.score->unbound)
                             : one.shape ? fmt::format("{}", one.shape->unbound)
                                         : std::string(kNoNumber);
                    }},
    CandidateColumn{"time", "s", "Seconds that binding took",
                    [](const edit::BindCandidate& one) {
                      return one.change.made != nullptr ? fmt::format("{:.2f}", one.seconds) : std::string(kNoNumber);
                    }},
};

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

std::string all_scores(const BindComparison::Row& row) {
  if (!row.error.empty()) {
    return fmt::format("{}: {}", row.label, row.error);
  }
  if (row.candidate == nullptr) {
    return row.label;
  }
  std::string out = row.label;
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
