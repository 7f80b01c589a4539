#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/progress.h"
#include "motion/ik_solvers.h"
#include "rig/pose.h"

namespace pelt::motion {

/// A chain on which solvers of inverse kinematics are compared: a skeleton, where it begins and what is to be reached.
struct IkChain {
  std::string_view id;     ///< "arm"
  std::string_view label;  ///< "Arm, 7 degrees of freedom"
  rig::Skeleton skeleton = {};
  rig::Pose rest = {};
  std::vector<int> tips = {};
  bool oriented = false;     ///< the tips are to be turned as in the target, too: of solvers that can
  bool root_slides = false;  ///< as of make_ik_tree()
};

/// Arm, leg, spine, tentacle and whole body, metres, with limits as bodies have them.
std::vector<IkChain> ik_chains();

/// One row of the score board.
struct IkScore {
  std::string chain;
  std::string solver;
  std::string start;  ///< "rest" or "previous": where the solver began
  bool oriented = false;
  int targets = 0;
  double solved_percent = 0;  ///< within 1e-4 of the chain's length, and 0.1 degrees where oriented
  int limit_violations = 0;   ///< DOFs outside of their limits by more than a rounding, over all targets
  double mean_ms = 0;
  double p99_ms = 0;
  double iterations = 0;  ///< mean
};

/// What a solver is asked and what it gives; another library's solver is held against ours through the same.
using IkSolve = std::function<void(const IkTree& tree, std::span<const IkGoal> goals, const IkSettings& settings,
                                   std::span<float> values, IkReport& report)>;

/// Lets a solver try `targets` targets of a chain, each the tips of a random pose within the limits, the same for every
/// solver; restarts are allowed.
/// @param from_previous  begins at the last result instead of at rest
/// @param progress  may stop it; the row is then of the targets so far
IkScore score_ik(const IkChain& chain, std::string_view solver, bool oriented, const IkSolve& solve, int targets,
                 bool from_previous, const Progress& progress = {});

/// Whether a solver can be tried on a chain.
bool suits(const IkSolver& solver, const IkChain& chain);

}  // namespace pelt::motion
