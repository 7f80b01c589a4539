#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ui/bind_comparison.h"

namespace pelt::ui {

/// In place of a number that a candidate does not have.
inline constexpr const char* kNoNumber = "\u2013";

/// A number of the table of candidates.
struct CandidateColumn {
  enum Shown { kAlways, kWithTruth, kWithoutTruth };
  const char* id;  ///< in the widget report
  const char* heading;
  const char* help;
  std::string (*text)(const edit::BindCandidate&);
  /// Less is better; nothing where the candidate has no such number.
  std::optional<double> (*badness)(const edit::BindCandidate&);
  Shown shown = kAlways;  ///< truth: the weights of the file
};

/// The columns that have something to say: without weights in the file there are none to be distant from.
std::vector<const CandidateColumn*> columns_of(const BindComparison& comparison);

/// The column that the table is sorted by: the one that the user chose, else the first. @pre  there is a column
const CandidateColumn& sorting_column(const BindComparison& comparison,
                                      std::span<const CandidateColumn* const> columns);
/// Rows with the best of a column first, those without its number last; equal ones stay in the order of `rows`, and all
/// do as long as some are being made, so that none moves under the mouse.
std::vector<std::size_t> ranked_rows(const BindComparison& comparison, const CandidateColumn& column);
/// Per row, whether no other has a better number in a column, as it is shown. None where all are alike, and never the
/// file's weights where the number is the distance from them.
std::vector<char> winners(const BindComparison& comparison, const CandidateColumn& column);
/// How the table is sorted, that its columns can disagree, and which candidates the binder "Best" loses to.
std::string judgement(const BindComparison& comparison, std::span<const CandidateColumn* const> columns);

/// All numbers of a candidate and the remarks of its binder, for a tooltip.
std::string all_scores(const BindComparison::Row& row);

}  // namespace pelt::ui
