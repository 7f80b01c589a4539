#include "cli/goals.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pelt::cli {

std::string goal_table(std::span<const BenchmarkGoal> goals) {
  std::string text = fmt::format("\n{:<58} {:>9} {:>8}\n", "goal", "wanted", "reached");
  for (const BenchmarkGoal& goal : goals) {
    text += fmt::format("{:<58} {:>9} {:>8.2f}  {}\n", goal.text,
                        fmt::format("{} {:.2f}", goal.at_most ? "<=" : ">=", goal.wanted), goal.reached,
                        goal.met() ? "met" : "missed");
  }
  return text;
}

nlohmann::ordered_json goal_json(std::span<const BenchmarkGoal> goals) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const BenchmarkGoal& goal : goals) {
    out.push_back({{"goal", goal.text},
                   {"wanted", goal.wanted},
                   {"at_most", goal.at_most},
                   {"reached", goal.reached},
                   {"met", goal.met()}});
  }
  return out;
}

}  // namespace pelt::cli
