#include "motion/damped_step.h"

#include <cmath>

namespace pelt::motion {
namespace {

// e^(-decay h) times cos and sine / frequency of the damped swing, which become their hyperbolic twins beyond critical
// damping. The product is formed of exponents that are never positive, so that nothing overflows.
struct Swing {
  double cosine;
  double sine;  // seconds
};

Swing swing_of(double frequency, double decay, double h) {
  const double square = frequency * frequency - decay * decay;  // of the damped frequency
  const double angle2 = square * h * h;
  constexpr double kSeries = 1e-6;  // below it the next term of either series is beyond double precision
  if (std::abs(angle2) < kSeries) {
    const double fade = std::exp(-decay * h);
    return {fade * (1 - angle2 / 2 + angle2 * angle2 / 24), fade * h * (1 - angle2 / 6 + angle2 * angle2 / 120)};
  }
  if (square > 0) {
    const double damped = std::sqrt(square);
    const double fade = std::exp(-decay * h);
    return {fade * std::cos(damped * h), fade * std::sin(damped * h) / damped};
  }
  // decay - rate without the cancellation that it has where the decay is by far the larger.
  const double rate = std::sqrt(-square);
  const double slow = std::exp(-frequency * frequency / (decay + rate) * h);
  const double fast = std::exp(-(decay + rate) * h);
  return {(slow + fast) / 2, (slow - fast) / (2 * rate)};
}

// The way under an acceleration of 1 from rest: the integral of Swing::sine over the step.
double way_of(double frequency, double decay, double h, const Swing& swing) {
  const double stiff = frequency * h;
  constexpr double kLoose = 1e-3;  // below it the closed form loses more to cancellation than the spring matters
  if (stiff >= kLoose) {
    return (1 - swing.cosine - decay * swing.sine) / (frequency * frequency);
  }
  const double damped = 2 * decay * h;
  if (damped < kLoose) {
    return h * h / 2 * (1 - damped / 3 + damped * damped / 12 - stiff * stiff / 12);
  }
  return h * h * (damped - 1 + std::exp(-damped)) / (damped * damped);
}

}  // namespace

DampedStep::DampedStep(double frequency, double decay, double step) {
  const Swing swing = swing_of(frequency, decay, step);
  x_from_x = swing.cosine + decay * swing.sine;
  x_from_v = swing.sine;
  x_from_a = way_of(frequency, decay, step, swing);
  v_from_x = -frequency * frequency * swing.sine;
  v_from_v = swing.cosine - decay * swing.sine;
  v_from_a = swing.sine;
}

}  // namespace pelt::motion
