#include "deform/rotation_centers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/expect.h"

namespace pelt::deform {
namespace {

constexpr double kCellsPerSigma = 16;
constexpr double kLargestExponent = 80;
constexpr std::size_t kTrianglesPerReport = 1u << 15;

std::uint32_t pair_key(std::uint16_t j, std::uint16_t k) {
  return static_cast<std::uint32_t>(j) << 16 | k;
}

// Mean weights of a triangle's corners, joints in the order in which the corners name them: the sums below then do not
// depend on how joints are numbered.
void mean_weights(const mesh::Influences& influences, std::span<const std::uint32_t> corners,
                  std::vector<std::pair<std::uint16_t, double>>& out) {
  out.clear();
  for (const std::uint32_t v : corners) {
    const mesh::InfluenceRow row = influences.row(v);
    for (std::size_t i = 0; i < row.joints.size(); ++i) {
      const double share = static_cast<double>(row.weights[i]) / 3;
      const auto same = [&](const auto& entry) { return entry.first == row.joints[i]; };
      const auto found = std::find_if(out.begin(), out.end(), same);
      if (found != out.end()) {
        found->second += share;
      } else {
        out.emplace_back(row.joints[i], share);
      }
    }
  }
}

}  // namespace

std::optional<RotationCenters> RotationCenters::make(std::span<const glm::dvec3> positions,
                                                     std::span<const std::uint32_t> triangles,
                                                     const mesh::Influences& influences, double sigma,
                                                     const Progress& progress) {
  PELT_EXPECT(influences.vertex_count() == positions.size(), "one influence row per position");
  PELT_EXPECT(sigma >= 1e-3, "sigma of a thousandth at least");
  RotationCenters out;
  out.sigma_ = sigma;
  const double cells = kCellsPerSigma / sigma;
  std::unordered_map<std::uint64_t, std::uint32_t> cell_of;  // pair and cell -> index among the pair's cells
  std::vector<std::pair<std::uint16_t, double>> mean;
  for (std::size_t t = 0; t < triangles.size(); t += 3) {
    if (t / 3 % kTrianglesPerReport == 0 &&
        !report(progress, static_cast<float>(t) / static_cast<float>(triangles.size()), "sorting triangles")) {
      return std::nullopt;
    }
    const std::span<const std::uint32_t> corners = triangles.subspan(t, 3);
    const glm::dvec3& a = positions[corners[0]];
    const glm::dvec3& b = positions[corners[1]];
    const glm::dvec3& c = positions[corners[2]];
    const double area = 0.5 * glm::length(glm::cross(b - a, c - a));
    if (!(area > 0) || !std::isfinite(area)) {
      continue;
    }
    const glm::dvec3 centroid = (a + b + c) / 3.0;
    mean_weights(influences, corners, mean);
    for (std::size_t first = 0; first < mean.size(); ++first) {
      for (std::size_t second = first + 1; second < mean.size(); ++second) {
        const bool in_order = mean[first].first < mean[second].first;
        const auto& [j, v_j] = mean[in_order ? first : second];
        const auto& [k, v_k] = mean[in_order ? second : first];
        const double mass = v_j * v_k * area;
        if (!(mass > 0)) {
          continue;
        }
        const glm::dvec2 at(std::floor(v_j * cells), std::floor(v_k * cells));
        const glm::dvec2 offset = glm::dvec2(v_j, v_k) - at / cells;  // small numbers keep their digits in the sums
        std::vector<Cell>& of_pair = out.pairs_[pair_key(j, k)];
        const std::uint64_t key = static_cast<std::uint64_t>(pair_key(j, k)) << 32 |
                                  static_cast<std::uint64_t>(at.x) << 16 | static_cast<std::uint64_t>(at.y);
        const auto [found, fresh] = cell_of.try_emplace(key, static_cast<std::uint32_t>(of_pair.size()));
        if (fresh) {
          of_pair.emplace_back();
        }
        Cell& cell = of_pair[found->second];
        cell.mass += mass;
        cell.weights += offset * mass;
        cell.moment += centroid * mass;
        cell.along_first += centroid * (mass * offset.x);
        cell.along_second += centroid * (mass * offset.y);
      }
    }
  }
  // From sums about the cell's corner to sums about its mean.
  for (const auto& [key, index] : cell_of) {
    Cell& cell = out.pairs_[static_cast<std::uint32_t>(key >> 32)][index];
    const glm::dvec2 corner(static_cast<double>(key >> 16 & 0xffff), static_cast<double>(key & 0xffff));
    const glm::dvec2 mean_offset = cell.weights / cell.mass;
    cell.along_first -= cell.moment * mean_offset.x;
    cell.along_second -= cell.moment * mean_offset.y;
    cell.weights = corner / cells + mean_offset;
  }
  return out;
}

RotationCenters::Center RotationCenters::center(std::span<const std::uint16_t> joints,
                                                std::span<const float> weights) const {
  PELT_EXPECT(joints.size() == weights.size(), "one weight per joint");
  const double inverse_square = 1 / (sigma_ * sigma_);
  Center out;
  for (std::size_t first = 0; first < joints.size(); ++first) {
    for (std::size_t second = first + 1; second < joints.size(); ++second) {
      const bool in_order = joints[first] < joints[second];
      const std::size_t j = in_order ? first : second;
      const std::size_t k = in_order ? second : first;
      const auto found = pairs_.find(pair_key(joints[j], joints[k]));
      if (found == pairs_.end()) {
        continue;
      }
      const auto p_j = static_cast<double>(weights[j]);
      const auto p_k = static_cast<double>(weights[k]);
      double mass = 0;
      glm::dvec3 moment(0.0);
      for (const Cell& cell : found->second) {
        const double x = p_j * cell.weights.y - p_k * cell.weights.x;
        const double exponent = x * x * inverse_square;
        if (exponent > kLargestExponent) {
          continue;
        }
        const double likeness = std::exp(-exponent);
        const double slope = -2 * x * inverse_square;
        mass += likeness * cell.mass;
        moment += (cell.moment + (cell.along_second * p_j - cell.along_first * p_k) * slope) * likeness;
      }
      // The sum runs over ordered pairs: each of these counts twice.
      out.similarity += 2 * p_j * p_k * mass;
      out.point += moment * (2 * p_j * p_k);
    }
  }
  if (!(out.similarity > std::numeric_limits<double>::min())) {
    return {};
  }
  out.point /= out.similarity;
  return out;
}

}  // namespace pelt::deform
