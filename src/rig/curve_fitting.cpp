// Piecewise cubic least squares with values given at the knots; knots are added greedily, as by de Boor, "A Practical
// Guide to Splines", 1978, chapter XIV does for B-splines.
#include "rig/curve_fitting.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/expect.h"
#include "rig/keys.h"

namespace pelt::rig {
namespace {

std::vector<float> with_middles(const std::vector<float>& times) {
  std::vector<float> out;
  for (std::size_t k = 0; k < times.size(); ++k) {
    out.push_back(times[k]);
    if (k + 1 < times.size()) {
      const float middle = times[k] + (times[k + 1] - times[k]) * 0.5f;
      if (middle > times[k] && middle < times[k + 1]) {
        out.push_back(middle);
      }
    }
  }
  return out;
}

// Rotations as unit quaternions, apart by the angle between them; else the length of the difference.
double distance(std::span<const double> a, std::span<const double> b, bool is_rotation) {
  double square = 0;
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    square += (a[i] - b[i]) * (a[i] - b[i]);
    sum += (a[i] + b[i]) * (a[i] + b[i]);
  }
  if (!is_rotation) {
    return std::sqrt(square);
  }
  constexpr double kTurn = 4;  // a rotation turns by twice the angle of its quaternion, which is twice this one
  return kTurn * std::atan2(std::sqrt(std::min(square, sum)), std::sqrt(std::max(square, sum)));
}

void normalize(std::span<double> q) {
  double square = 0;
  for (const double x : q) {
    square += x * x;
  }
  if (square > 0) {
    for (double& x : q) {
      x /= std::sqrt(square);
    }
  }
}

class Fitter {
 public:
  Fitter(const Channel& channel, double tolerance)
      : channel_(channel),
        tolerance_(tolerance),
        width_(channel.width),
        is_rotation_(channel.path == ChannelPath::kRotation),
        times_(with_middles(channel.times)) {
    std::vector<float> value(width_);
    for (const float time : times_) {
      sample(channel, time, value);
      const std::size_t at = samples_.size();
      samples_.insert(samples_.end(), value.begin(), value.end());
      if (!is_rotation_) {
        continue;
      }
      normalize(std::span(samples_).subspan(at, width_));
      double cosine = 1;
      if (at > 0) {
        cosine = 0;
        for (std::size_t i = 0; i < width_; ++i) {
          cosine += samples_[at + i] * samples_[at - width_ + i];
        }
      }
      for (std::size_t i = at; i < samples_.size() && cosine < 0; ++i) {
        samples_[i] = -samples_[i];
      }
    }
    knots_ = {0};
    if (times_.size() > 1) {
      knots_.push_back(times_.size() - 1);
    }
  }

  Channel fitted() {
    do {
      solve();
    } while (refine());
    Channel out{.joint = channel_.joint,
                .path = channel_.path,
                .interpolation = Interpolation::kCubicSpline,
                .times = {},
                .values = {},
                .width = channel_.width,
                .morph_target = channel_.morph_target,
                .source = channel_.source,
                .source_sampler = channel_.source_sampler};
    for (std::size_t k = 0; k < knots_.size(); ++k) {
      out.times.push_back(times_[knots_[k]]);
      for (const bool is_tangent : {true, false, true}) {
        for (std::size_t i = 0; i < width_; ++i) {
          out.values.push_back(static_cast<float>(is_tangent ? slopes_[k * width_ + i] : at(knots_[k], i)));
        }
      }
    }
    return out;
  }

 private:
  [[nodiscard]] double at(std::size_t sample, std::size_t i) const { return samples_[sample * width_ + i]; }
  [[nodiscard]] double length(std::size_t piece) const {
    return static_cast<double>(times_[knots_[piece + 1]]) - static_cast<double>(times_[knots_[piece]]);
  }

  // Least squares for the slopes: normal equations, which couple each knot with its neighbours, by elimination.
  void solve() {
    const std::size_t count = knots_.size();
    std::vector<double> diagonal(count, 0);
    std::vector<double> beside(count, 0);
    std::vector<double> right(count * width_, 0);
    for (std::size_t k = 0; k + 1 < count; ++k) {
      const double d = length(k);
      // Far below what one sample says: where none does, a slope is that of the samples beside its knot.
      constexpr double kRidge = 1e-9;
      for (const std::size_t knot : {k, k + 1}) {
        diagonal[knot] += kRidge * d * d;
        for (std::size_t i = 0; i < width_; ++i) {
          right[knot * width_ + i] += kRidge * d * d * slope_beside(knots_[knot], i);
        }
      }
      for (std::size_t s = knots_[k] + 1; s < knots_[k + 1]; ++s) {
        const Weights w = weights(k, s);
        diagonal[k] += w.leaving * w.leaving;
        beside[k] += w.leaving * w.arriving;
        diagonal[k + 1] += w.arriving * w.arriving;
        for (std::size_t i = 0; i < width_; ++i) {
          const double rest = at(s, i) - w.from * at(knots_[k], i) - w.to * at(knots_[k + 1], i);
          right[k * width_ + i] += w.leaving * rest;
          right[(k + 1) * width_ + i] += w.arriving * rest;
        }
      }
    }
    for (std::size_t k = 1; k < count; ++k) {
      const double factor = beside[k - 1] / diagonal[k - 1];
      diagonal[k] -= factor * beside[k - 1];
      for (std::size_t i = 0; i < width_; ++i) {
        right[k * width_ + i] -= factor * right[(k - 1) * width_ + i];
      }
    }
    slopes_.assign(count * width_, 0);
    for (std::size_t k = count; k-- > 0;) {
      for (std::size_t i = 0; i < width_ && diagonal[k] > 0; ++i) {
        const double next = k + 1 < count ? beside[k] * slopes_[(k + 1) * width_ + i] : 0;
        slopes_[k * width_ + i] = (right[k * width_ + i] - next) / diagonal[k];
      }
    }
  }

  // Of the samples around one.
  [[nodiscard]] double slope_beside(std::size_t s, std::size_t i) const {
    const std::size_t before = s > 0 ? s - 1 : s;
    const std::size_t after = std::min(s + 1, times_.size() - 1);
    return (at(after, i) - at(before, i)) / (static_cast<double>(times_[after]) - static_cast<double>(times_[before]));
  }

  struct Weights {
    double from, leaving, to, arriving;
  };
  [[nodiscard]] Weights weights(std::size_t piece, std::size_t s) const {
    const double d = length(piece);
    const double t = (static_cast<double>(times_[s]) - static_cast<double>(times_[knots_[piece]])) / d;
    const double t2 = t * t;
    const double t3 = t2 * t;
    return {2 * t3 - 3 * t2 + 1, d * (t3 - 2 * t2 + t), -2 * t3 + 3 * t2, d * (t3 - t2)};
  }

  [[nodiscard]] double error(std::size_t piece, std::size_t s) const {
    const Weights w = weights(piece, s);
    std::vector<double> value(width_);
    for (std::size_t i = 0; i < width_; ++i) {
      value[i] = w.from * at(knots_[piece], i) + w.leaving * slopes_[piece * width_ + i] +
                 w.to * at(knots_[piece + 1], i) + w.arriving * slopes_[(piece + 1) * width_ + i];
    }
    if (is_rotation_) {
      normalize(value);
    }
    return distance(value, std::span(samples_).subspan(s * width_, width_), is_rotation_);
  }

  // A new knot in each piece that does not fit, where that is worst: at a key, as long as it has one.
  bool refine() {
    std::vector<std::size_t> refined;
    for (std::size_t k = 0; k + 1 < knots_.size(); ++k) {
      refined.push_back(knots_[k]);
      double worst = 0;
      double worst_key = -1;
      std::size_t anywhere = 0;
      std::size_t at_key = 0;
      for (std::size_t s = knots_[k] + 1; s < knots_[k + 1]; ++s) {
        const double apart = error(k, s);
        if (apart > worst) {
          worst = apart;
          anywhere = s;
        }
        if (apart > worst_key && find_key(channel_, times_[s])) {
          worst_key = apart;
          at_key = s;
        }
      }
      if (worst > tolerance_) {
        refined.push_back(worst_key >= 0 ? at_key : anywhere);
      }
    }
    refined.push_back(knots_.back());
    const bool is_changed = refined.size() > knots_.size();
    knots_ = std::move(refined);
    return is_changed;
  }

  const Channel& channel_;
  double tolerance_;
  std::size_t width_;
  bool is_rotation_;
  std::vector<float> times_;
  std::vector<double> samples_;      ///< [times][width]
  std::vector<std::size_t> knots_;   ///< ascending, of times_
  std::vector<double> slopes_ = {};  ///< [knots][width] per second
};

}  // namespace

Channel fitted(const Channel& channel, double tolerance) {
  PELT_EXPECT(tolerance > 0, "a tolerance above zero");
  if (channel.interpolation == Interpolation::kStep || channel.times.size() < 3) {
    return channel;
  }
  // Single precision and the rounding of what is stored cost a little of what is allowed.
  constexpr double kStored = 0.98;
  Channel out = Fitter(channel, kStored * tolerance).fitted();
  return out.times.size() < channel.times.size() ? out : channel;
}

double largest_distance(const Channel& a, const Channel& b) {
  PELT_EXPECT(a.width == b.width && a.path == b.path, "channels of one property");
  std::vector<float> times = a.times;
  times.insert(times.end(), b.times.begin(), b.times.end());
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  double largest = 0;
  std::vector<float> x(a.width);
  std::vector<float> y(a.width);
  for (const float time : with_middles(times)) {
    sample(a, time, x);
    sample(b, time, y);
    std::vector<double> p(x.begin(), x.end());
    std::vector<double> q(y.begin(), y.end());
    if (a.path == ChannelPath::kRotation) {
      normalize(p);
      normalize(q);
    }
    largest = std::max(largest, distance(p, q, a.path == ChannelPath::kRotation));
  }
  return largest;
}

}  // namespace pelt::rig
