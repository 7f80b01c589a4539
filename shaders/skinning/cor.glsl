// Optimised centres of rotation, ALGORITHMS.md section 23. a_prepared[0]: the vertex's centre in mesh space and 1, or
// zero where it has none. Mirrors src/deform/skin_cor.cpp.

#include "skinning/dual_quaternion.glsl"

mat4x3 about_center(vec4 rotation, mat3 stretch, mat4x3 blended, vec3 center) {
  mat3 linear = rotation_matrix(rotation) * stretch;
  return mat4x3(linear[0], linear[1], linear[2], transform_point(blended, center) - linear * center);
}

mat4x3 center_blend() {
  mat4x3 blended = linear_blend();
  DualQuat rigid;
  if (!(a_prepared[0].w > 0.0) || !blended_rigid(rigid)) {
    return blended;
  }
  return about_center(rigid.real, mat3(blended_stretch()), blended, a_prepared[0].xyz);
}

void skin_vertex(inout vec3 position, inout vec3 normal, inout vec4 tangent) {
  if (row_is_empty()) {
    place_vertex(mat4x3(1.0), mat4x3(1.0), u_part.x, position, normal, tangent);
  } else {
    place_vertex(center_blend(), joint_matrix(0), u_part.x, position, normal, tangent);
  }
}
