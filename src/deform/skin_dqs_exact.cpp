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

}  // namespace

void skin_dqs_exact(const SkinInput& input, const SkinOutput& output, std::size_t begin, std::size_t end) {
  skin_dual_quat_rows(input, output, begin, end, [](const DualQuatRow& row, std::size_t) {
    DualQuat<float> rigid;
    if (!blended_rigid(row, rigid)) {
      return linear_blend(row);
    }
    if (row.joints.count > 1) {
      refine(row, rigid);
    }
    return rigid_after(rigid, blended_stretch(row));
  });
}

}  // namespace pelt::deform
