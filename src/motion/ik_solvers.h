#pragma once

#include <random>
#include <span>
#include <string_view>

#include "motion/ik_tree.h"

namespace pelt::motion {

/// A solver of inverse kinematics, ALGORITHMS.md §46.
struct IkSolver {
  std::string_view id;     ///< stable: "damped"
  std::string_view label;  ///< "Damped least squares"
  std::string_view help;   ///< one sentence
  bool several;            ///< more than one goal at a time
  bool oriented;           ///< goals may say how the effector is turned
  int bones;               ///< joints with length that the chain must have; 0: any number
  /// Changes the values so that the effectors come as close to the goals as the solver brings them. Joint lengths never
  /// change; with settings.limits no value leaves its limits.
  /// @param values  [IkTree::values] where it begins, and the result
  /// @pre  goals that the solver can take; all of them are joints of the tree
  IkReport (*solve)(const IkTree& tree, std::span<const IkGoal> goals, const IkSettings& settings,
                    std::span<float> values);
};

/// Every solver; window, flags, benchmark and laws iterate these rows.
std::span<const IkSolver> ik_solvers();
/// Null where there is none of that id.
const IkSolver* find_ik_solver(std::string_view id);

/// The joints from the tree's root down to a goal's joint, ascending.
std::vector<int> chain_to(const IkTree& tree, int joint);

/// Random values within the limits of all DOFs that a solver moves; raw values of the generator, so that they are the
/// same everywhere. Angles without limits are taken from +-180 degrees.
void random_values(const IkTree& tree, std::mt19937& random, std::span<float> values);

}  // namespace pelt::motion
