// The rotation closest to a matrix, by one-sided Jacobi rotations: singular_values() of math/polar.h in single precision.

const float kOrthogonal = 1e-7;
const int kSweeps = 5;  // convergence is quadratic: three suffice in single precision

void turn_columns(inout vec3 bp, inout vec3 bq, inout vec3 vp, inout vec3 vq) {
  float pp = dot(bp, bp);
  float qq = dot(bq, bq);
  float pq = dot(bp, bq);
  if (abs(pq) <= kOrthogonal * sqrt(pp * qq)) {
    return;
  }
  float zeta = (qq - pp) / (2.0 * pq);
  float tangent = (zeta < 0.0 ? -1.0 : 1.0) / (abs(zeta) + sqrt(1.0 + zeta * zeta));
  float cosine = 1.0 / sqrt(1.0 + tangent * tangent);
  float sine = cosine * tangent;
  vec3 b = bp;
  bp = b * cosine - bq * sine;
  bq = b * sine + bq * cosine;
  vec3 v = vp;
  vp = v * cosine - vq * sine;
  vq = v * sine + vq * cosine;
}

// Exchanging two columns and turning one round keeps v a rotation.
void sort_columns(inout vec3 bp, inout vec3 bq, inout vec3 vp, inout vec3 vq) {
  if (dot(bp, bp) < dot(bq, bq)) {
    vec3 b = bp;
    bp = bq;
    bq = -b;
    vec3 v = vp;
    vp = vq;
    vq = -v;
  }
}

vec3 perpendicular_part(vec3 v, vec3 n) {
  return v - n * dot(v, n);
}

// @param a               not zero
// @param rank_tolerance  share of the largest singular value below which the second one counts as zero
mat3 closest_rotation(mat3 a, float rank_tolerance) {
  float largest = 0.0;
  for (int c = 0; c < 3; ++c) {
    vec3 size = abs(a[c]);
    largest = max(largest, max(size.x, max(size.y, size.z)));
  }
  mat3 b = a / largest;
  mat3 v = mat3(1.0);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    turn_columns(b[0], b[1], v[0], v[1]);
    turn_columns(b[0], b[2], v[0], v[2]);
    turn_columns(b[1], b[2], v[1], v[2]);
  }
  sort_columns(b[0], b[1], v[0], v[1]);
  sort_columns(b[1], b[2], v[1], v[2]);
  sort_columns(b[0], b[1], v[0], v[1]);
  float sigma = length(b[0]);
  vec3 u0 = b[0] / sigma;
  vec3 u1 = perpendicular_part(b[1], u0);
  if (length(u1) <= rank_tolerance * sigma) {
    // Rank one: as near to where v's other axes are as the first one allows.
    vec3 from_second = perpendicular_part(v[1], u0);
    vec3 from_third = cross(perpendicular_part(v[2], u0), u0);
    u1 = length(from_second) >= length(from_third) ? from_second : from_third;
  }
  u1 = normalize(u1);
  return mat3(u0, u1, cross(u0, u1)) * transpose(v);
}
