// Inverse kinematics of two bones in closed form, ALGORITHMS.md §46.
#include "motion/ik_two_bone.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/expect.h"
#include "math/transform.h"
#include "motion/ik_chain_state.h"
#include "motion/ik_solvers.h"

namespace pelt::motion {
namespace {

glm::dvec3 across(const glm::dvec3& v, const glm::dvec3& unit) {
  return v - unit * glm::dot(unit, v);
}

// The direction, perpendicular to the unit vector `line`, to which the middle joint goes.
glm::dvec3 bend_side(const ChainState& chain, const glm::dvec3& line, const IkSettings& settings, double length,
                     double bend) {
  const glm::dvec3 root = chain.point(0);
  constexpr double kStraight = 1e-6;  // of the length
  if (settings.pole) {
    if (const glm::dvec3 wish = across(*settings.pole - root, line); glm::length(wish) > kStraight * length) {
      return glm::normalize(wish);
    }
  }
  // Where it is bent today, carried along by the shortest turn of the line from root to effector.
  const glm::dvec3 reach = chain.effector() - root;
  const glm::dvec3 unit = glm::length(reach) > 0 ? glm::normalize(reach) : line;
  const glm::dvec3 side = glm::cross(unit, chain.bend_normal(bend));
  const glm::dvec3 carried = across(shortest_rotation(unit, line) * side, line);
  if (glm::length(carried) > 0) {
    return glm::normalize(carried);
  }
  const glm::dvec3 any = std::abs(line.x) < 0.9 ? glm::dvec3(1, 0, 0) : glm::dvec3(0, 1, 0);
  return glm::normalize(across(any, line));
}

}  // namespace

TwoBones two_bones(double upper, double lower, double distance) {
  constexpr double kLeast = 1e-9;  // metres: an angle at a point is none
  const double d = std::max(std::clamp(distance, std::abs(upper - lower), upper + lower), kLeast);
  const auto angle = [](double a, double b, double opposite) {
    return std::acos(std::clamp((a * a + b * b - opposite * opposite) / (2 * a * b), -1.0, 1.0));
  };
  return {.elbow = angle(upper, lower, d), .root_offset = angle(upper, d, lower), .distance = d};
}

IkReport solve_two_bone(const IkTree& tree, std::span<const IkGoal> goals, const IkSettings& settings,
                        std::span<float> values) {
  PELT_EXPECT(goals.size() == 1, "one goal");
  const IkGoal& goal = goals.front();
  ChainState chain(tree, goal, values);
  PELT_EXPECT(chain.size() >= 2, "two bones");
  const glm::dvec3 root = chain.point(0);
  const double upper = glm::length(chain.point(1) - root);
  const double lower = glm::length(chain.effector() - chain.point(1));
  const glm::dvec3 wish = goal.target - root;
  const glm::dvec3 reach = glm::length(wish) > 0 ? wish : chain.effector() - root;
  if (upper > 0 && lower > 0 && glm::length(reach) > 0) {
    const glm::dvec3 line = glm::normalize(reach);
    const TwoBones bones = two_bones(upper, lower, glm::length(wish));
    const glm::dvec3 side = bend_side(chain, line, settings, tree.length, std::numbers::pi - bones.elbow);
    const glm::dvec3 middle = root + upper * (std::cos(bones.root_offset) * line + std::sin(bones.root_offset) * side);
    chain.place_two_bones(middle, root + line * bones.distance, glm::cross(side, line), settings.limits);
  }
  IkReport report = judge(tree, goals, settings, values);
  report.iterations = 1;
  return report;
}

}  // namespace pelt::motion
