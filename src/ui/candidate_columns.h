#pragma once

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
  Shown shown = kAlways;  ///< truth: the weights of the file
};

/// The columns that have something to say: without weights in the file there are none to be distant from.
std::vector<const CandidateColumn*> columns_of(const BindComparison& comparison);

/// All numbers of a candidate and the remarks of its binder, for a tooltip.
std::string all_scores(const BindComparison::Row& row);

}  // namespace pelt::ui
