#pragma once

#include <glm/glm.hpp>

namespace pelt::motion {

/// ALGORITHMS.md §49. What a spring with damping does within one step, in closed form: the numbers that take its
/// displacement x and velocity v over the step, whatever the step is long.
///
///     x'' = -frequency^2 x - 2 decay x' + a
///     x(h) = from_x.x x + from_v.x v + from_a.x a,   v(h) = from_x.y x + from_v.y v + from_a.y a
///
/// Covers under-damped, critical and over-damped springs and those without stiffness or damping without a seam.
struct DampedStep {
  double x_from_x, x_from_v, x_from_a;
  double v_from_x, v_from_v, v_from_a;

  /// @param frequency  sqrt(k / m), radians per second, >= 0
  /// @param decay      c / (2 m), per second, >= 0
  /// @param step       seconds, >= 0
  DampedStep(double frequency, double decay, double step);

  /// @param a  acceleration, the same for the whole step
  template <typename T>
  void take(T& x, T& v, const T& a) const {
    const T before = x;
    x = before * x_from_x + v * x_from_v + a * x_from_a;
    v = before * v_from_x + v * v_from_v + a * v_from_a;
  }
};

}  // namespace pelt::motion
