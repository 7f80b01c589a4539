#pragma once

// Surfaces and bones of ALGORITHMS.md §0 and §31 to §36, as binders get them.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "bind/binders.h"

namespace pelt::test {

inline bind::Bone bone_between(const glm::dvec3& head, const glm::dvec3& tail, int parent = -1) {
  return {-1, parent, head, {tail}};
}

/// Rings about lines parallel to x with quads split A-C-B and A-D-C, outward; caps as fans where asked for.
inline void add_tube(bind::Problem& problem, double from, double to, int bands, int around, const glm::dvec3& axis,
                     double radius, bool caps) {
  const auto first = static_cast<std::uint32_t>(problem.positions.size());
  for (int i = 0; i <= bands; ++i) {
    for (int k = 0; k < around; ++k) {
      const double a = 2 * std::numbers::pi * k / around;
      const double u = radius * std::cos(a);
      const double v = radius * std::sin(a);
      problem.positions.push_back(axis + glm::dvec3(from + (to - from) * i / bands, u, v));
    }
  }
  const auto at = [&](int i, int k) { return first + static_cast<std::uint32_t>(i * around + k % around); };
  for (int i = 0; i < bands; ++i) {
    for (int k = 0; k < around; ++k) {
      problem.triangles.push_back({at(i, k), at(i + 1, k + 1), at(i + 1, k)});
      problem.triangles.push_back({at(i, k), at(i, k + 1), at(i + 1, k + 1)});
    }
  }
  if (caps) {
    const auto low = static_cast<std::uint32_t>(problem.positions.size());
    problem.positions.push_back(axis + glm::dvec3(from, 0, 0));
    problem.positions.push_back(axis + glm::dvec3(to, 0, 0));
    for (int k = 0; k < around; ++k) {
      problem.triangles.push_back({low, at(0, k + 1), at(0, k)});
      problem.triangles.push_back({low + 1, at(bands, k), at(bands, k + 1)});
    }
  }
}

/// F-TUBE: an open cylinder about x in [-1, 1], bones that meet at 0.
inline bind::Problem tube_to_bind(int bands = 100, int around = 32) {
  bind::Problem problem;
  add_tube(problem, -1, 1, bands, around, {}, 0.1, false);
  problem.bones = {bone_between({-1, 0, 0}, {0, 0, 0}), bone_between({0, 0, 0}, {1, 0, 0}, 0)};
  finish(problem);
  return problem;
}

/// F-FINGERS: two closed tubes beside each other, A (first 1346 places) thick, B thin, with a bone each.
inline bind::Problem fingers_to_bind() {
  bind::Problem problem;
  add_tube(problem, 0, 2, 20, 64, {}, 0.3, true);
  add_tube(problem, 0, 2, 20, 64, {0, 0.45, 0}, 0.1, true);
  problem.bones = {bone_between({0, 0, 0}, {2, 0, 0}), bone_between({0, 0.45, 0}, {2, 0.45, 0})};
  finish(problem);
  return problem;
}

/// F-CYL: closed, x in [0, 1] in 40 bands of 32, bones that meet at 0.5.
inline bind::Problem cylinder_to_bind() {
  bind::Problem problem;
  add_tube(problem, 0, 1, 40, 32, {}, 0.1, true);
  problem.bones = {bone_between({0, 0, 0}, {0.5, 0, 0}), bone_between({0.5, 0, 0}, {1, 0, 0}, 0)};
  finish(problem);
  return problem;
}

/// F-CYL under a flat plate, 2 % of the diagonal above it, that begins at x = 0.6 and overhangs the end by 0.04: most
/// of it lies on the cylinder, and a part on nothing. Its places are those from 1314 on.
inline bind::Problem cylinder_under_plate() {
  bind::Problem problem = cylinder_to_bind();
  const auto first = static_cast<std::uint32_t>(problem.positions.size());
  const double height = 0.1 + 0.02 * problem.diagonal;
  constexpr std::uint32_t kAlong = 44;
  constexpr std::uint32_t kAcross = 12;
  for (std::uint32_t i = 0; i <= kAlong; ++i) {
    for (std::uint32_t k = 0; k <= kAcross; ++k) {
      problem.positions.emplace_back(0.6 + 0.44 * i / kAlong, height, -0.03 + 0.06 * k / kAcross);
    }
  }
  const auto at = [&](std::uint32_t i, std::uint32_t k) { return first + i * (kAcross + 1) + k; };
  for (std::uint32_t i = 0; i < kAlong; ++i) {
    for (std::uint32_t k = 0; k < kAcross; ++k) {
      problem.triangles.push_back({at(i, k), at(i, k + 1), at(i + 1, k + 1)});
      problem.triangles.push_back({at(i, k), at(i + 1, k + 1), at(i + 1, k)});
    }
  }
  finish(problem);
  return problem;
}

/// A closed ball of `rings` rings of twice as many places.
inline void add_ball(bind::Problem& problem, const glm::dvec3& middle, double radius, int rings) {
  const auto first = static_cast<std::uint32_t>(problem.positions.size());
  const int around = 2 * rings;
  for (int i = 1; i <= rings; ++i) {
    for (int k = 0; k < around; ++k) {
      const double down = std::numbers::pi * i / (rings + 1);
      const double turn = 2 * std::numbers::pi * k / around;
      problem.positions.push_back(middle + radius * glm::dvec3(std::sin(down) * std::cos(turn), std::cos(down),
                                                               -std::sin(down) * std::sin(turn)));
    }
  }
  problem.positions.push_back(middle + glm::dvec3(0, radius, 0));
  problem.positions.push_back(middle - glm::dvec3(0, radius, 0));
  const auto top = static_cast<std::uint32_t>(problem.positions.size() - 2);
  const auto at = [&](int i, int k) { return first + static_cast<std::uint32_t>(i * around + k % around); };
  for (int k = 0; k < around; ++k) {
    problem.triangles.push_back({top, at(0, k), at(0, k + 1)});
    problem.triangles.push_back({top + 1, at(rings - 1, k + 1), at(rings - 1, k)});
    for (int i = 0; i + 1 < rings; ++i) {
      problem.triangles.push_back({at(i, k), at(i + 1, k), at(i + 1, k + 1)});
      problem.triangles.push_back({at(i, k), at(i + 1, k + 1), at(i, k + 1)});
    }
  }
}

/// The largest difference of two weights of one bone at one place.
inline double largest_difference(const bind::Rows& a, const bind::Rows& b) {
  double largest = 0;
  for (std::size_t w = 0; w < a.size(); ++w) {
    for (const bind::Share& share : a[w]) {
      largest = std::max(largest, std::abs(share.weight - b.weight(w, share.bone)));
    }
    for (const bind::Share& share : b[w]) {
      largest = std::max(largest, std::abs(share.weight - a.weight(w, share.bone)));
    }
  }
  return largest;
}

/// A binder by its id with some of its fields set, the others as they stand.
inline bind::Binding bound(const bind::Problem& problem, std::string_view id,
                           const std::vector<std::pair<std::string_view, double>>& set = {}) {
  const bind::Binder* binder = bind::find_binder(id);
  std::vector<double> values = bind::standard_values(*binder);
  for (const auto& [field, value] : set) {
    for (std::size_t f = 0; f < binder->fields.size(); ++f) {
      if (binder->fields[f].id == field) {
        values[f] = value;
      }
    }
  }
  return *bind::run(*binder, problem, values);
}

}  // namespace pelt::test
