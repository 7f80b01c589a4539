#pragma once

#include <span>

#include "motion/ik_tree.h"

namespace pelt::motion {

/// Damped least squares over all goals at once, with positions, orientations and weights: steps of Levenberg-Marquardt
/// whose damping follows the error, so that targets out of reach and singular poses are approached without shaking.
/// Degrees of freedom that a step would take beyond a limit are put on it, and the others take the step again. Each
/// step is the shortest one that does it: the result stays near where it began, without flips along a dragged path.
/// Source: T. Sugihara, "Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method", IEEE
///         Transactions on Robotics 27(5), 2011, eq. 18; C. W. Wampler, "Manipulator inverse kinematic solutions based
///         on vector formulations and damped least-squares methods", IEEE Transactions on Systems, Man, and Cybernetics
///         16(1), 1986.
/// @cost  O(iterations * (goals^2 * dofs + goals^3))
IkReport solve_damped(const IkTree& tree, std::span<const IkGoal> goals, const IkSettings& settings,
                      std::span<float> values);

}  // namespace pelt::motion
