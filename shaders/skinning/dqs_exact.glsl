// Dual quaternion iterative blending (DIB), ALGORITHMS.md section 22. Mirrors src/deform/skin_dqs_exact.cpp, which says
// where the formulas come from; square roots and polynomials only.

#include "skinning/dual_quaternion.glsl"

const int kLargestIterations = 16;
const float kConverged = 1e-6;

struct DualVector {
  vec3 real;
  vec3 dual;
};

DualQuat dual_quat_product(DualQuat a, DualQuat b) {
  return DualQuat(quat_product(a.real, b.real), quat_product(a.real, b.dual) + quat_product(a.dual, b.real));
}

DualVector logarithm(DualQuat q) {
  vec3 v = q.real.xyz;
  float w = q.real.w;
  float square = dot(v, v);
  float c0 = 2.0 * (1.0 + w);
  float w1 = sqrt(c0 * 0.25);
  float c1 = 2.0 * (1.0 + w1);
  float w2 = sqrt(c1 * 0.25);
  float c2 = 2.0 * (1.0 + w2);
  float u = square / (c0 * c1 * c2);
  float series =
      1.0 +
      u * (1.0 / 6.0 +
           u * (3.0 / 40.0 +
                u * (5.0 / 112.0 + u * (35.0 / 1152.0 + u * (63.0 / 2816.0 + u * (231.0 / 13312.0))))));
  float f = 8.0 * series / sqrt(c0 * c1 * c2);
  float slope =
      w > 0.0 && square < 0.1
          ? -(1.0 / 3.0 +
              square * (2.0 / 15.0 + square * (8.0 / 105.0 + square * (16.0 / 315.0 + square * (128.0 / 3465.0)))))
          : (w * f - 1.0) / square;
  return DualVector(v * f, q.dual.xyz * f + v * (slope * q.dual.w));
}

DualQuat exponential(DualVector x) {
  float square = dot(x.real, x.real);
  float g = 1.0 + square * (-1.0 / 6.0 +
                            square * (1.0 / 120.0 + square * (-1.0 / 5040.0 + square * (1.0 / 362880.0))));
  float h =
      -1.0 / 3.0 +
      square * (1.0 / 30.0 + square * (-1.0 / 840.0 + square * (1.0 / 45360.0 + square * (-1.0 / 3991680.0))));
  float along = dot(x.real, x.dual);
  return DualQuat(vec4(x.real * g, g + h * square), vec4(x.dual * g + x.real * (h * along), -g * along));
}

bool make_unit(inout DualQuat q) {
  if (!normalize_dual(q)) {
    return false;
  }
  q.dual -= q.real * dot(q.real, q.dual);
  return true;
}

void refine(inout DualQuat rigid) {
  float total = 0.0;
  float size = 0.0;
  for (int k = 0; k < ROW_SLOTS; ++k) {
    if (row_weight(k) > 0.0) {
      vec4 dual = row_rigid(k).dual;
      total += row_weight(k);
      size += row_weight(k) * dot(dual, dual);
    }
  }
  make_unit(rigid);
  for (int iteration = 0; iteration < kLargestIterations; ++iteration) {
    DualQuat inverse_rigid = DualQuat(quat_conjugate(rigid.real), quat_conjugate(rigid.dual));
    DualVector mean = DualVector(vec3(0.0), vec3(0.0));
    for (int k = 0; k < ROW_SLOTS; ++k) {
      if (row_weight(k) > 0.0) {
        float side = row_side(k);
        DualQuat joint = row_rigid(k);
        joint.real *= side;
        joint.dual *= side;
        DualVector way = logarithm(dual_quat_product(inverse_rigid, joint));
        mean.real += way.real * (row_weight(k) / total);
        mean.dual += way.dual * (row_weight(k) / total);
      }
    }
    DualQuat next = dual_quat_product(rigid, exponential(mean));
    if (!make_unit(next)) {
      return;
    }
    rigid = next;
    if (dot(mean.real, mean.real) <= kConverged * kConverged &&
        dot(mean.dual, mean.dual) * total <= kConverged * kConverged * size) {
      return;
    }
  }
}

mat4x3 exact_blend() {
  DualQuat rigid;
  if (!blended_rigid(rigid)) {
    return linear_blend();
  }
  refine(rigid);
  return rigid_after(rigid, blended_stretch());
}

void skin_vertex(inout vec3 position, inout vec3 normal, inout vec4 tangent) {
  if (row_is_empty()) {
    place_vertex(mat4x3(1.0), mat4x3(1.0), u_part.x, position, normal, tangent);
  } else {
    place_vertex(exact_blend(), joint_matrix(0), u_part.x, position, normal, tangent);
  }
}
