// A. Aristidou, J. Lasenby, "FABRIK: a fast, iterative solver for the inverse kinematics problem", Graphical Models
// 73(5), 2011; ALGORITHMS.md §46.
#include "motion/ik_fabrik.h"

#include <cmath>
#include <vector>

#include "core/expect.h"
#include "math/transform.h"
#include "motion/ik_chain_state.h"

namespace pelt::motion {
namespace {

// The point at `length` from `from` towards `to`; along x where both are one.
glm::dvec3 towards(const glm::dvec3& from, const glm::dvec3& to, double length) {
  const glm::dvec3 d = to - from;
  const double distance = glm::length(d);
  return distance > 0 ? from + d * (length / distance) : from + glm::dvec3(length, 0, 0);
}

}  // namespace

void fabrik_pass(std::span<glm::dvec3> points, std::span<const double> lengths, const glm::dvec3& target) {
  PELT_EXPECT(points.size() >= 2 && lengths.size() + 1 == points.size(), "one length between two neighbours");
  const glm::dvec3 root = points.front();
  points.back() = target;
  for (std::size_t i = points.size() - 1; i-- > 0;) {
    points[i] = towards(points[i + 1], points[i], lengths[i]);
  }
  points.front() = root;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    points[i + 1] = towards(points[i], points[i + 1], lengths[i]);
  }
}

IkReport solve_fabrik(const IkTree& tree, std::span<const IkGoal> goals, const IkSettings& settings,
                      std::span<float> values) {
  PELT_EXPECT(goals.size() == 1, "one goal");
  const IkGoal& goal = goals.front();
  IkReport report = judge(tree, goals, settings, values);
  if (report.converged) {
    return report;
  }
  ChainState chain(tree, goal, values);
  chain.leave_line(settings);
  // The last joint where the effector is another point than its pivot.
  constexpr double kNoLength = 1e-9;  // of the chain
  const bool has_hand = glm::length(chain.effector() - chain.point(chain.size() - 1)) > kNoLength * tree.length;
  const std::size_t turning = has_hand ? chain.size() : chain.size() - 1;
  const auto point = [&](std::size_t k) { return k < turning ? chain.point(k) : chain.effector(); };
  std::vector<glm::dvec3> points(turning + 1);
  std::vector<double> lengths(turning);
  for (std::size_t k = 0; k < turning; ++k) {
    lengths[k] = glm::length(point(k + 1) - point(k));
  }
  while (turning > 0 && report.iterations < settings.iterations && !report.converged) {
    for (std::size_t k = 0; k <= turning; ++k) {
      points[k] = point(k);
    }
    fabrik_pass(points, lengths, goal.target);
    for (std::size_t k = 0; k < turning; ++k) {
      chain.aim(k, point(k + 1), points[k + 1], settings.limits);
    }
    const int n = report.iterations + 1;
    report = judge(tree, goals, settings, values);
    report.iterations = n;
  }
  return report;
}

}  // namespace pelt::motion
