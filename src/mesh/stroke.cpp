#include "mesh/stroke.h"

#include <algorithm>
#include <cmath>

#include "core/expect.h"

namespace pelt::mesh {
namespace {

constexpr int kMostDabs = 10000;  // of one event: a jump across the world is no stroke

bool is_finite_sample(const StrokeSample& sample) {
  return std::isfinite(sample.position.x) && std::isfinite(sample.position.y) && std::isfinite(sample.position.z) &&
         std::isfinite(sample.time) && std::isfinite(sample.pressure);
}

// At a share of the way from one sample to another.
StrokeDab dab_between(const StrokeSample& from, const StrokeSample& to, double at, double share) {
  return {from.position + at * (to.position - from.position), from.pressure + at * (to.pressure - from.pressure),
          share};
}

}  // namespace

Stroke::Stroke(const StrokeSpacing& spacing) : spacing_(spacing) {
  PELT_EXPECT(spacing.radius > 0 && spacing.share > 0 && spacing.rate > 0, "a brush that has a size");
}

std::vector<StrokeDab> Stroke::add(const StrokeSample& sample) {
  std::vector<StrokeDab> out;
  if (!is_finite_sample(sample) || (last_ && sample.time < last_->time)) {
    return out;
  }
  if (!last_) {
    last_ = sample;
    if (!spacing_.airbrush) {
      out.push_back({sample.position, sample.pressure, 1});
    }
    return out;
  }
  const double length = glm::length(sample.position - last_->position);
  const double step = spacing_.share * spacing_.radius;
  if (spacing_.airbrush) {
    const double full = spacing_.rate * (sample.time - last_->time);
    const int pieces = static_cast<int>(std::clamp(std::ceil(length / step), 1.0, double{kMostDabs}));
    for (int k = 0; k < pieces && full > 0; ++k) {
      out.push_back(dab_between(*last_, sample, (k + 0.5) / pieces, full / pieces));
    }
  } else {
    constexpr double kRounding = 1e-9;  // of a step: where many short ways make one, a dab is neither lost nor early
    double next = step - since_dab_;
    int count = 0;
    for (; next <= length + kRounding * step && count < kMostDabs; next += step, ++count) {
      out.push_back(dab_between(*last_, sample, std::min(1.0, next / length), 1));
    }
    since_dab_ = count < kMostDabs ? length - (next - step) : 0;
  }
  last_ = sample;
  return out;
}

double dab_amount(DabMode mode, const StrokeSpacing& spacing, double strength, const StrokeDab& dab, double value) {
  const double full = std::clamp(strength, 0.0, 1.0);
  if (!spacing.airbrush) {
    return full;
  }
  const double x = full * dab.share;
  switch (mode) {
    case DabMode::kAdd:
    case DabMode::kSubtract:
      return std::min(1.0, x);
    case DabMode::kScale:
      return value == 1 ? 0 : std::min(1.0, std::expm1(x * (value - 1)) / (value - 1));
    default:
      return -std::expm1(-x);
  }
}

}  // namespace pelt::mesh
