#pragma once

#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/benchmark_goal.h"

namespace pelt::cli {

/// One line per goal below a heading: what was wanted, what was reached, whether that meets it.
std::string goal_table(std::span<const BenchmarkGoal> goals);

/// The same as an array of objects: `goal`, `wanted`, `at_most`, `reached`, `met`.
nlohmann::ordered_json goal_json(std::span<const BenchmarkGoal> goals);

}  // namespace pelt::cli
