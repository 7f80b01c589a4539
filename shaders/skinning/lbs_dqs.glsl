// A mix of linear and dual quaternion blending, ALGORITHMS.md section 22. u_method.y: share of the latter.

#include "skinning/dual_quaternion.glsl"

void skin_vertex(inout vec3 position, inout vec3 normal, inout vec4 tangent) {
  if (row_is_empty()) {
    place_vertex(mat4x3(1.0), mat4x3(1.0), u_part.x, position, normal, tangent);
  } else {
    mat4x3 blended = linear_blend() * (1.0 - u_method.y) + dual_quat_blend() * u_method.y;
    place_vertex(blended, joint_matrix(0), u_part.x, position, normal, tangent);
  }
}
