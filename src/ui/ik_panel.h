#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/jobs.h"
#include "motion/ik_score.h"

namespace pelt::ui {

struct Desk;

inline constexpr std::string_view kIkTab = "ik";

/// What solvers make of the standard chains, as `pelt bench --ik` says it.
struct IkScores {
  std::vector<motion::IkScore> rows;
};

/// The tab IK: how a drag is solved, what is pinned, and the score board of the solvers.
struct IkPanel {
  std::shared_ptr<JobSlot<IkScores>> scoring;  ///< null: it was never asked for
  IkScores scores;
};
void draw(IkPanel& panel, Desk& desk);

}  // namespace pelt::ui
