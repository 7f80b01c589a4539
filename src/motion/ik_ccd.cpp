// L.-C. T. Wang, C. C. Chen, "A combined optimization method for solving the inverse kinematics problem of mechanical
// manipulators", IEEE Transactions on Robotics and Automation 7(4), 1991; ALGORITHMS.md §46.
#include "motion/ik_ccd.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/expect.h"
#include "math/transform.h"
#include "motion/ik_chain_state.h"
#include "motion/ik_solvers.h"

namespace pelt::motion {

void ccd_sweep(std::span<glm::dvec3> points, const glm::dvec3& target) {
  for (std::size_t j = points.size() - 1; j-- > 0;) {
    const glm::dquat turn = shortest_rotation(points.back() - points[j], target - points[j]);
    for (std::size_t i = j + 1; i < points.size(); ++i) {
      points[i] = points[j] + turn * (points[i] - points[j]);
    }
  }
}

IkReport solve_ccd(const IkTree& tree, std::span<const IkGoal> goals, const IkSettings& settings,
                   std::span<float> values) {
  IkReport report = judge(tree, goals, settings, values);
  int n = 0;
  for (; n < settings.iterations && !report.converged; ++n) {
    for (const IkGoal& goal : goals) {
      ChainState chain(tree, goal, values);
      if (n == 0) {
        chain.leave_line(settings);
      }
      for (std::size_t k = chain.size(); k-- > 0;) {
        chain.aim(k, chain.effector(), goal.target, settings.limits);
      }
    }
    report = judge(tree, goals, settings, values);
  }
  report.iterations = n;
  return report;
}

}  // namespace pelt::motion
