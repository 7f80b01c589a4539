#include "math/polar.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pelt {
namespace {

constexpr int kLargestSweeps = 30;  // five are usual
constexpr double kOrthogonal = 1e-15;
constexpr double kSinglePrecisionRank = 1e-5;

// The part of `v` perpendicular to unit `n`.
glm::dvec3 across(const glm::dvec3& v, const glm::dvec3& n) {
  return v - n * glm::dot(v, n);
}

double largest_element(const glm::dmat3& a) {
  double largest = 0;
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r) {
      if (!std::isfinite(a[c][r])) {
        return a[c][r];
      }
      largest = std::max(largest, std::abs(a[c][r]));
    }
  }
  return largest;
}

}  // namespace

SingularValues singular_values(const glm::dmat3& a, double rank_tolerance) {
  SingularValues out{glm::dmat3(1.0), glm::dvec3(0.0), glm::dmat3(1.0)};
  const double scale = largest_element(a);
  if (!(scale > 0) || !std::isfinite(scale)) {
    return out;
  }
  // Turning columns against each other until they are orthogonal makes A V, whose column lengths are the values.
  glm::dmat3 av = a / scale;
  for (int sweep = 0; sweep < kLargestSweeps; ++sweep) {
    bool turned = false;
    for (const auto& [p, q] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 2)}) {
      const double pp = glm::dot(av[p], av[p]);
      const double qq = glm::dot(av[q], av[q]);
      const double pq = glm::dot(av[p], av[q]);
      if (std::abs(pq) <= kOrthogonal * std::sqrt(pp * qq)) {
        continue;
      }
      turned = true;
      const double zeta = (qq - pp) / (2 * pq);
      const double tangent = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
      const double cosine = 1 / std::sqrt(1 + tangent * tangent);
      const double sine = cosine * tangent;
      for (glm::dmat3* m : {&av, &out.v}) {
        const glm::dvec3 old = (*m)[p];
        (*m)[p] = old * cosine - (*m)[q] * sine;
        (*m)[q] = old * sine + (*m)[q] * cosine;
      }
    }
    if (!turned) {
      break;
    }
  }
  // Descending; exchanging two columns and turning one round keeps v a rotation.
  for (const auto& [p, q] : {std::pair(0, 1), std::pair(1, 2), std::pair(0, 1)}) {
    if (glm::dot(av[p], av[p]) < glm::dot(av[q], av[q])) {
      for (glm::dmat3* m : {&av, &out.v}) {
        std::swap((*m)[p], (*m)[q]);
        (*m)[q] = -(*m)[q];
      }
    }
  }
  out.sigma.x = glm::length(av[0]);
  out.u[0] = av[0] / out.sigma.x;
  const glm::dvec3 second = across(av[1], out.u[0]);
  if (glm::length(second) > rank_tolerance * out.sigma.x) {
    out.u[1] = glm::normalize(second);
  } else {
    // Rank one: as near to where v's other axes are as the first one allows.
    const glm::dvec3 from_second = across(out.v[1], out.u[0]);
    const glm::dvec3 from_third = glm::cross(across(out.v[2], out.u[0]), out.u[0]);
    out.u[1] = glm::normalize(glm::length(from_second) >= glm::length(from_third) ? from_second : from_third);
  }
  out.u[2] = glm::cross(out.u[0], out.u[1]);
  out.sigma = glm::dvec3(out.sigma.x, glm::dot(out.u[1], av[1]), glm::dot(out.u[2], av[2])) * scale;
  return out;
}

Polar polar(const glm::dmat3& a) {
  if (!std::isfinite(largest_element(a))) {
    return {glm::dmat3(1.0), a};
  }
  const SingularValues s = singular_values(a, kSinglePrecisionRank);
  const double side = s.sigma.z < -kSinglePrecisionRank * s.sigma.x ? -1.0 : 1.0;
  const glm::dmat3 v_sigma(s.v[0] * (s.sigma.x * side), s.v[1] * (s.sigma.y * side), s.v[2] * s.sigma.z);
  const glm::dmat3 u(s.u[0] * side, s.u[1] * side, s.u[2]);
  return {u * glm::transpose(s.v), v_sigma * glm::transpose(s.v)};
}

}  // namespace pelt
