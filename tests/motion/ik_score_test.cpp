#include "motion/ik_score.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "support/effort.h"

namespace pelt::motion {
namespace {

IkSolve with(const IkSolver& solver) {
  return [&solver](const IkTree& tree, std::span<const IkGoal> goals, const IkSettings& settings,
                   std::span<float> values, IkReport& report) { report = solver.solve(tree, goals, settings, values); };
}

TEST(IkScoreBoard, LimitsHoldForEverySolverOnEveryChain) {
  const int targets = test::rounds(40);
  int rows = 0;
  for (const IkChain& chain : ik_chains()) {
    for (const IkSolver& solver : ik_solvers()) {
      for (const bool previous : {false, true}) {
        if (suits(solver, chain)) {
          const IkScore score =
              score_ik(chain, solver.id, chain.oriented && solver.oriented, with(solver), targets, previous);
          EXPECT_EQ(score.limit_violations, 0) << chain.id << " " << solver.id;
          EXPECT_EQ(score.targets, targets);
          std::printf("%s %s %s: %.1f %% mean %.4f ms p99 %.4f iterations %.1f\n", score.chain.c_str(),
                      score.solver.c_str(), score.start.c_str(), score.solved_percent, score.mean_ms, score.p99_ms,
                      score.iterations);
          ++rows;
        }
      }
    }
  }
  EXPECT_GE(rows, 30);
}

}  // namespace
}  // namespace pelt::motion
