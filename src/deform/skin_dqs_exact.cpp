#include "deform/skin_dqs_exact.h"

#include <cmath>

#include "deform/dual_quaternion_row.h"

// Logarithm and exponential are written with square roots and polynomials only: the arc functions of some shader
// compilers are good to five digits, which is less than what the two backends must agree to.

namespace pelt::deform {
namespace {

constexpr int kLargestIterations = 16;  // two joints take one or two, eight joints two radians apart about ten
constexpr float kConverged = 1e-6f;     // radians, and the same share of the translations

/// A dual number without its scalar parts: half the screw axis times angle and shift.
struct DualVector {
  glm::vec3 real;
  glm::vec3 dual;
};

DualQuat<float> dual_quat_product(const DualQuat<float>& a, const DualQuat<float>& b) {
  return {quat_product(a.real, b.real), quat_product(a.real, b.dual) + quat_product(a.dual, b.real)};
}

/// log(w + v) = f(w) v with f = acos(w) / sqrt(1 - w^2); on dual numbers f(w + eps e) = f + eps f'(w) e.
/// @pre  q is unit and not -1
DualVector logarithm(const DualQuat<float>& q) {
  const glm::vec3 v(q.real);
  const glm::vec3 e(q.dual);
  const float w = q.real.w;
  const float square = glm::dot(v, v);  // sin^2 of the half angle
  // Halving the half angle three times, without differences: sin^2(a/2) = sin^2(a) / (2 (1 + cos a)).
  const float c0 = 2.0f * (1.0f + w);
  const float w1 = std::sqrt(c0 * 0.25f);
  const float c1 = 2.0f * (1.0f + w1);
  const float w2 = std::sqrt(c1 * 0.25f);
  const float c2 = 2.0f * (1.0f + w2);
  const float u = square / (c0 * c1 * c2);
  // asin(sqrt(u)) / sqrt(u), u <= sin^2(pi/8)
  const float series =
      1.0f + u * (1.0f / 6.0f +
                  u * (3.0f / 40.0f +
                       u * (5.0f / 112.0f + u * (35.0f / 1152.0f + u * (63.0f / 2816.0f + u * (231.0f / 13312.0f))))));
  const float f = 8.0f * series / std::sqrt(c0 * c1 * c2);
  // f' = (w f - 1) / (1 - w^2), which loses its digits for small angles.
  const float slope =
      w > 0.0f && square < 0.1f
          ? -(1.0f / 3.0f + square * (2.0f / 15.0f + square * (8.0f / 105.0f + square * (16.0f / 315.0f +
                                                                                         square * (128.0f / 3465.0f)))))
          : (w * f - 1.0f) / square;
  return {v * f, e * f + v * (slope * q.dual.w)};
}

/// exp(x) for |x.real| below about one radian, beyond which the result is only near unit.
DualQuat<float> exponential(const DualVector& x) {
  const float square = glm::dot(x.real, x.real);
  // sin(a)/a, and (cos(a) - sin(a)/a) / a^2
  const float g = 1.0f + square * (-1.0f / 6.0f +
                                   square * (1.0f / 120.0f + square * (-1.0f / 5040.0f + square * (1.0f / 362880.0f))));
  const float h =
      -1.0f / 3.0f +
      square * (1.0f / 30.0f + square * (-1.0f / 840.0f + square * (1.0f / 45360.0f + square * (-1.0f / 3991680.0f))));
  const float along = glm::dot(x.real, x.dual);
  return {glm::vec4(x.real * g, g + h * square), glm::vec4(x.dual * g + x.real * (h * along), -g * along)};
}

/// The linear blend divides by |b.real| alone, which is enough to read off its motion; the logarithm needs the dual
/// number |b| to be one.
bool make_unit(DualQuat<float>& q) {
  if (!normalize(q)) {
    return false;
  }
  q.dual -= q.real * glm::dot(q.real, q.dual);
  return true;
}

/// Algorithm 3. @param rigid  the linear blend, unit; receives the exact one
void refine(const DualQuatRow& row, DualQuat<float>& rigid) {
  float total = 0.0f;
  float size = 0.0f;  // of the translations, squared
  for (std::uint32_t k = 0; k < row.joints.count; ++k) {
    const glm::vec4 dual = row.rigid(k).dual;
    total += row.weight_of(k);
    size += row.weight_of(k) * glm::dot(dual, dual);
  }
  make_unit(rigid);
  for (int iteration = 0; iteration < kLargestIterations; ++iteration) {
    const DualQuat<float> inverse = {quat_conjugate(rigid.real), quat_conjugate(rigid.dual)};
    DualVector mean = {glm::vec3(0.0f), glm::vec3(0.0f)};
    for (std::uint32_t k = 0; k < row.joints.count; ++k) {
      DualQuat<float> joint = row.rigid(k);
      const float side = row.side(joint.real);
      joint.real *= side;
      joint.dual *= side;
      const DualVector way = logarithm(dual_quat_product(inverse, joint));
      mean.real += way.real * (row.weight_of(k) / total);
      mean.dual += way.dual * (row.weight_of(k) / total);
    }
    DualQuat<float> next = dual_quat_product(rigid, exponential(mean));
    if (!make_unit(next)) {
      return;
    }
    rigid = next;
    if (glm::dot(mean.real, mean.real) <= kConverged * kConverged &&
        glm::dot(mean.dual, mean.dual) * total <= kConverged * kConverged * size) {
      return;
    }
  }
}

/// The mean motion. @returns false where the rotations cancelled out
bool exact_rigid(const DualQuatRow& row, DualQuat<float>& out) {
  if (!blended_rigid(row, out)) {
    return false;
  }
  if (row.joints.count > 1) {
    refine(row, out);
  }
  return true;
}

/// log(c* q), q on the heaviest joint's side: the way from the mean c to a joint.
DualVector way_to(const DualQuatRow& row, const DualQuat<float>& mean, const glm::vec4* entry) {
  const float side = row.side(entry[0]);
  return logarithm(
      dual_quat_product({quat_conjugate(mean.real), quat_conjugate(mean.dual)}, {entry[0] * side, entry[1] * side}));
}

/// (1 - a cot a) / a^2 and its derivative, by s = a^2. @pre  0 <= s < pi^2
glm::dvec2 turning_back(double s) {
  if (s < 0.1) {
    return {1.0 / 3 + s * (1.0 / 45 + s * (2.0 / 945 + s * (1.0 / 4725 + s * (2.0 / 93555)))),
            1.0 / 45 + s * (4.0 / 945 + s * (3.0 / 4725 + s * (8.0 / 93555)))};
  }
  const double a = std::sqrt(s);
  const double sine = std::sin(a);
  const double cotangent = std::cos(a) / sine;
  const double g = 1 - a * cotangent;
  return {g / s, ((a / (sine * sine) - cotangent) * a / 2 - g) / (s * s)};
}

/// The derivative of where the exact blend takes a point by the weight of a joint, by the implicit function theorem.
/// The mean c is where sum w log(c* q) vanishes. A step c exp(x) changes log(c* q) = y by -(1 - [y] + k(|y|^2) [y]^2) x
/// to first order, with [y] z = y x z and k = (1 - a cot a) / a^2 of a = |y|: the series of Baker, Campbell and
/// Hausdorff summed up, all in dual numbers. At the mean the [y] cancel, so that H x = log(c* q) / sum w for a weight
/// that grows, H = 1 + sum w k [y]^2 / sum w. The point then moves by R(c) (2 x.real x p + 2 x.dual + K v), p = sum w K
/// v.
auto exact_change(const DualQuatRow& row, const glm::vec3& point) {
  constexpr double kSingular = 1e-6;  // joints half a turn from their mean: it has no derivative there
  DualQuat<float> mean;
  const bool turned = exact_rigid(row, mean);
  glm::dmat3 h(1.0);
  glm::dmat3 h_dual(0.0);
  double total = 0;
  for (std::uint32_t k = 0; turned && k < row.joints.count; ++k) {
    total += static_cast<double>(row.weight_of(k));
  }
  for (std::uint32_t k = 0; turned && k < row.joints.count; ++k) {
    const DualVector way = way_to(row, mean, row.entry(k));
    const double share = static_cast<double>(row.weight_of(k)) / total;
    const glm::dvec3 y(way.real);
    const glm::dvec3 z(way.dual);
    const double square = glm::dot(y, y);
    const double along = glm::dot(y, z);
    const glm::dvec2 k_and_slope = turning_back(square);
    const glm::dmat3 crossed = glm::outerProduct(y, y) - glm::dmat3(square);  // [y]^2
    const glm::dmat3 crossed_dual = glm::outerProduct(y, z) + glm::outerProduct(z, y) - glm::dmat3(2 * along);
    h += crossed * (share * k_and_slope.x);
    h_dual += crossed * (share * k_and_slope.y * 2 * along) + crossed_dual * (share * k_and_slope.x);
  }
  const glm::dmat3 inverse = std::abs(glm::determinant(h)) > kSingular ? glm::inverse(h) : glm::dmat3(1.0);
  const glm::mat3 rotation = rotation_matrix(mean.real);
  const glm::vec3 stretched = blended_stretch(row) * glm::vec4(point, 1.0f);
  return [=](std::uint16_t joint) {
    if (!turned) {
      return transform_point(row.joints.matrices[joint], point);
    }
    const glm::vec4* entry = row.palette + joint * kDualQuatVec4s;
    const DualVector way = way_to(row, mean, entry);
    const glm::dvec3 turn = inverse * glm::dvec3(way.real) / total;
    const glm::dvec3 shift = inverse * (glm::dvec3(way.dual) / total - h_dual * turn);
    const glm::vec3 grown = glm::vec4(point, 1.0f) * glm::mat3x4(entry[2], entry[3], entry[4]);
    return rotation * (glm::vec3(2.0 * (glm::cross(turn, glm::dvec3(stretched)) + shift)) + grown);
  };
}

}  // namespace

void skin_dqs_exact(const SkinInput& input, const SkinOutput& output, std::size_t begin, std::size_t end) {
  skin_dual_quat_rows(
      input, output, begin, end,
      [](const DualQuatRow& row, std::size_t) {
        DualQuat<float> rigid;
        return exact_rigid(row, rigid) ? rigid_after(rigid, blended_stretch(row)) : linear_blend(row);
      },
      [&input](const DualQuatRow& row, std::size_t v) { return exact_change(row, input.positions[v]); });
}

}  // namespace pelt::deform
