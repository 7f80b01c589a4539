// What the methods that blend rotations share: a palette of dual quaternions and stretches, and the blends of one row.
// Mirrors src/deform/dual_quaternion_row.h and src/math/dual_quaternion.h: same formulas, same order, same thresholds.
// Quaternions are (x, y, z, w). u_method.x: 1 where every dual quaternion is turned to the heaviest one's side.

#include "skinning/vertex_frame.glsl"
#include "skinning/palette.glsl"
#include "skinning/row.glsl"

struct DualQuat {
  vec4 real;
  vec4 dual;
};

vec4 quat_product(vec4 a, vec4 b) {
  return vec4(b.xyz * a.w + a.xyz * b.w + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

vec4 quat_conjugate(vec4 q) {
  return vec4(-q.xyz, q.w);
}

mat3 rotation_matrix(vec4 q) {
  return mat3(1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y + q.w * q.z), 2.0 * (q.x * q.z - q.w * q.y),
              2.0 * (q.x * q.y - q.w * q.z), 1.0 - 2.0 * (q.x * q.x + q.z * q.z), 2.0 * (q.y * q.z + q.w * q.x),
              2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x), 1.0 - 2.0 * (q.x * q.x + q.y * q.y));
}

vec3 translation_of(DualQuat q) {
  return (q.dual.xyz * q.real.w - q.real.xyz * q.dual.w + cross(q.real.xyz, q.dual.xyz)) * 2.0;
}

// False, and b left alone, where the real parts cancelled out.
bool normalize_dual(inout DualQuat b) {
  float square = dot(b.real, b.real);
  if (!(square > 1e-12)) {
    return false;
  }
  float inverse_length = 1.0 / sqrt(square);
  b.real *= inverse_length;
  b.dual *= inverse_length;
  return true;
}

int row_entry(int k) {
  return palette_entry(row_slot(k));
}

DualQuat row_rigid(int k) {
  int at = row_entry(k);
  return DualQuat(palette_row(at), palette_row(at + 1));
}

mat4x3 row_stretch(int k) {
  int at = row_entry(k);
  return transpose(mat3x4(palette_row(at + 2), palette_row(at + 3), palette_row(at + 4)));
}

float row_side(int k) {
  return u_method.x > 0.5 && dot(palette_row(row_entry(0)), palette_row(row_entry(k))) < -1e-6 ? -1.0 : 1.0;
}

mat4x3 rigid_after(DualQuat rigid, mat4x3 stretch) {
  mat3 rotation = rotation_matrix(rigid.real);
  return mat4x3(rotation * stretch[0], rotation * stretch[1], rotation * stretch[2],
                rotation * stretch[3] + translation_of(rigid));
}

mat4x3 joint_matrix(int k) {
  return rigid_after(row_rigid(k), row_stretch(k));
}

mat4x3 linear_blend() {
  mat4x3 blended = joint_matrix(0) * row_weight(0);
  for (int k = 1; k < ROW_SLOTS; ++k) {
    if (row_weight(k) > 0.0) {
      blended += joint_matrix(k) * row_weight(k);
    }
  }
  return blended;
}

mat4x3 blended_stretch() {
  mat4x3 blended = row_stretch(0) * row_weight(0);
  for (int k = 1; k < ROW_SLOTS; ++k) {
    if (row_weight(k) > 0.0) {
      blended += row_stretch(k) * row_weight(k);
    }
  }
  return blended;
}

bool blended_rigid(out DualQuat rigid) {
  rigid = DualQuat(vec4(0.0), vec4(0.0));
  for (int k = 0; k < ROW_SLOTS; ++k) {
    if (row_weight(k) > 0.0) {
      DualQuat joint = row_rigid(k);
      float weight = row_weight(k) * row_side(k);
      rigid.real += joint.real * weight;
      rigid.dual += joint.dual * weight;
    }
  }
  return normalize_dual(rigid);
}

mat4x3 dual_quat_blend() {
  DualQuat rigid;
  return blended_rigid(rigid) ? rigid_after(rigid, blended_stretch()) : linear_blend();
}
