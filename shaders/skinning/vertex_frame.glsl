// What every skinning file does to one vertex once its joints are known: place the point, turn the normal
// (ALGORITHMS.md section 13) and the tangent (section 14). Mirrors src/deform/vertex_frame.h: same formulas, same order,
// same thresholds.

const float kCancelled = 1e-6;
const float kLeastSquare = 1e-30;
const float kParallel = 1e-4;

vec3 transform_point(mat4x3 m, vec3 p) {
  return m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3];
}

float orientation_of(float determinant) {
  return determinant < -kCancelled ? -1.0 : 1.0;
}

vec3 cofactor_times(mat3 a, vec3 n) {
  return cross(a[1], a[2]) * n.x + cross(a[2], a[0]) * n.y + cross(a[0], a[1]) * n.z;
}

float determinant_of(mat3 a) {
  return dot(a[0], cross(a[1], a[2]));
}

// The inverse transpose of `a` times n. Towards singular `a` it goes over into the cofactor.
vec3 inverse_transpose_times(mat3 a, vec3 n) {
  float determinant = determinant_of(a);
  return cofactor_times(a, n) * (orientation_of(determinant) / max(abs(determinant), kCancelled));
}

// Linear parts, divided by the size of the heaviest joint's.
struct VertexFrame {
  mat3 blended;
  mat3 heaviest;
  float inverse_size;
  float orientation;  // -1 where the blend mirrors
};

VertexFrame vertex_frame(mat4x3 blended, mat4x3 heaviest) {
  VertexFrame frame;
  mat3 h = mat3(heaviest);
  float square = (dot(h[0], h[0]) + dot(h[1], h[1]) + dot(h[2], h[2])) * (1.0 / 3.0);
  frame.inverse_size = square > kLeastSquare ? 1.0 / sqrt(square) : 1.0;
  frame.heaviest = h * frame.inverse_size;
  frame.blended = mat3(blended) * frame.inverse_size;
  frame.orientation = orientation_of(determinant_of(frame.blended));
  return frame;
}

// What the square of a blended direction must exceed, so that it counts; `square` of what was blended.
float least_square(float square) {
  return max(kCancelled * kCancelled * square, kLeastSquare);
}

// Ends every normal variant. A sum that cancelled out gives way to the heaviest joint's, that one to n itself.
vec3 finished_normal(VertexFrame frame, vec3 sum, vec3 n) {
  float square = dot(n, n);
  float least = least_square(square);
  float sum_square = dot(sum, sum);
  if (sum_square <= least) {
    sum = frame.heaviest * n;
    sum_square = dot(sum, sum);
    if (sum_square <= least) {
      return square > kLeastSquare ? n * (1.0 / sqrt(square)) : vec3(0.0, 1.0, 0.0);
    }
  }
  return sum * (1.0 / sqrt(sum_square));
}

// Mirrors src/deform/fast_root.h.
float fast_inverse_root(float x) {
  float guess = uintBitsToFloat(0x5f3759dfu - (floatBitsToUint(x) >> 1u));
  return guess * (1.5 - 0.5 * x * guess * guess);
}

// The same by an approximate root, for variant 7 (h).
vec3 fast_finished_normal(VertexFrame frame, vec3 sum, vec3 n) {
  float least = least_square(dot(n, n));
  if (dot(sum, sum) <= least) {
    sum = frame.heaviest * n;
    if (dot(sum, sum) <= least) {
      return finished_normal(frame, sum, n);
    }
  }
  return sum * fast_inverse_root(dot(sum, sum));
}

// Ends a variant by its number.
vec3 finished_normal(VertexFrame frame, int variant, vec3 sum, vec3 n) {
  return variant == 7 ? fast_finished_normal(frame, sum, n) : finished_normal(frame, sum, n);
}

// What tangents are made perpendicular to.
vec3 exactly_unit(int variant, vec3 n) {
  return variant == 7 && u_part.y != 0 ? n * (1.0 / sqrt(dot(n, n))) : n;
}

vec3 any_tangent(vec3 n) {
  vec3 size = abs(n);
  vec3 axis = vec3(1.0, 0.0, 0.0);
  if (size.y < size.x && size.y <= size.z) {
    axis = vec3(0.0, 1.0, 0.0);
  } else if (size.z < size.x && size.z < size.y) {
    axis = vec3(0.0, 0.0, 1.0);
  }
  vec3 t = axis - n * dot(n, axis);
  return t * (1.0 / sqrt(dot(t, t)));
}

// @param n  the skinned normal, unit; zero where there is none
vec4 skinned_tangent(VertexFrame frame, vec3 n, vec4 tangent) {
  float handedness = tangent.w * frame.orientation;
  vec3 t = frame.blended * tangent.xyz;
  float square = dot(t, t);
  if (square <= least_square(dot(tangent.xyz, tangent.xyz))) {
    return vec4(any_tangent(n), handedness);
  }
  vec3 unit = t * (1.0 / sqrt(square));
  vec3 across = unit - n * dot(unit, n);
  float across_square = dot(across, across);
  if (across_square <= kParallel * kParallel) {
    return vec4(any_tangent(n), handedness);
  }
  across *= 1.0 / sqrt(across_square);
  across -= n * dot(across, n);
  return vec4(across * (1.0 / sqrt(dot(across, across))), handedness);
}

// The whole vertex by one matrix, with normals of variant 0, 3, 4 or 7 (a, d, e, h).
void place_vertex(mat4x3 blended, mat4x3 heaviest, int variant, inout vec3 position, inout vec3 normal,
                  inout vec4 tangent) {
  position = transform_point(blended, position);
  VertexFrame frame = vertex_frame(blended, heaviest);
  if (u_part.y != 0) {
    vec3 sum = vec3(0.0);
    if (variant == 0 || variant == 7) {
      sum = frame.blended * normal;
    } else if (variant == 3) {
      sum = cofactor_times(frame.blended, normal) * frame.orientation;
    }
    normal = finished_normal(frame, variant, sum, normal);
  }
  if (u_part.z != 0) {
    tangent = skinned_tangent(frame, exactly_unit(variant, normal), tangent);
  }
}

void place_vertex(mat4x3 blended, mat4x3 heaviest, inout vec3 position, inout vec3 normal, inout vec4 tangent) {
  place_vertex(blended, heaviest, 3, position, normal, tangent);
}
