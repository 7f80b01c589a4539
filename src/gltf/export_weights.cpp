#include "gltf/export_weights.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/expect.h"

namespace pelt::gltf {
namespace {

/// Weights as multiples of a unit of 23 bits, as many in sum as the stored sum has. What is read from these tells them
/// again: dividing by the sum moves none by half of the unit or more. Ratios of floats do not do that: a sum that is
/// not one may move them by a last bit each time.
struct WholeWeights {
  double unit = 0;
  double total = 0;

  explicit WholeWeights(float stored_sum) {
    PELT_EXPECT(std::isfinite(stored_sum), "the sum of a row of weights");
    constexpr float kLeast = 1e-30f;  // below it floats have fewer bits
    if (stored_sum < kLeast) {
      return;
    }
    int exponent = 0;
    std::frexp(stored_sum, &exponent);
    unit = std::ldexp(1.0, exponent - 23);
    total = std::round(static_cast<double>(stored_sum) / unit);
  }
  /// Whether a normalised row was read from such; then it is made what it was.
  [[nodiscard]] bool restore(std::vector<float>& weights, float stored_sum) const {
    constexpr double kRounding = 6e-8;  // of a float
    if (total * unit != static_cast<double>(stored_sum)) {
      return false;
    }
    std::vector<float> out;
    double sum = 0;
    for (const float weight : weights) {
      const double exact = static_cast<double>(weight) * total;
      const double whole = std::round(exact);
      if (whole < 1 || std::abs(exact - whole) > kRounding * whole) {
        return false;
      }
      sum += whole;
      out.push_back(static_cast<float>(whole * unit));
    }
    if (sum != total) {
      return false;
    }
    weights = std::move(out);
    return true;
  }
  /// Makes a normalised row such: each weight at least one unit, the heaviest take what rounding leaves.
  void impose(std::vector<float>& weights) const {
    if (total == 0 || weights.empty()) {
      return;
    }
    double rest = total;
    std::vector<double> whole;
    for (const float weight : weights) {
      whole.push_back(std::max(1.0, std::round(static_cast<double>(weight) * total)));
      rest -= whole.back();
    }
    for (std::size_t k = 0; rest != 0; k = (k + 1) % whole.size()) {
      const double step = rest > 0 ? 1 : whole[k] > 1 ? -1 : 0;
      whole[k] += step;
      rest -= step;
    }
    for (std::size_t k = 0; k < weights.size(); ++k) {
      weights[k] = static_cast<float>(whole[k] * unit);
    }
  }
};

}  // namespace

void settle_row(std::span<const std::uint16_t> from_joints, std::span<const float> from_weights, float stored_sum,
                bool sum_as_stored, std::vector<std::uint16_t>& joints, std::vector<float>& weights,
                mesh::FlatInfluences& read) {
  constexpr int kMostRounds = 3;
  const auto scale = [&](std::vector<float>& row, float sum) {
    if (!sum_as_stored || sum == 1.0f || WholeWeights(sum).restore(row, sum)) {
      return;
    }
    for (float& weight : row) {
      weight *= sum;
    }
  };
  // Takes what the row is read as; true where that is the same.
  const auto read_again = [&] {
    read.joint.clear();
    read.weight.clear();
    const float sum = mesh::append_normalised(joints, weights, read.joint, read.weight);
    scale(read.weight, sum);
    const bool same = read.joint == joints && read.weight == weights;
    joints.swap(read.joint);
    weights.swap(read.weight);
    return same;
  };
  const auto restart = [&] {
    joints.assign(from_joints.begin(), from_joints.end());
    weights.assign(from_weights.begin(), from_weights.end());
  };
  restart();
  scale(weights, stored_sum);
  for (int round = 0; round < kMostRounds; ++round) {
    if (read_again()) {
      return;
    }
  }
  restart();
  WholeWeights(stored_sum).impose(weights);
  read_again();  // sorts
}

}  // namespace pelt::gltf
