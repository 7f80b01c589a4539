// Dual quaternion linear blending with scale in a phase of its own, ALGORITHMS.md section 22.

#include "skinning/dual_quaternion.glsl"

void skin_vertex(inout vec3 position, inout vec3 normal, inout vec4 tangent) {
  if (row_is_empty()) {
    place_vertex(mat4x3(1.0), mat4x3(1.0), u_part.x, position, normal, tangent);
  } else {
    place_vertex(dual_quat_blend(), joint_matrix(0), u_part.x, position, normal, tangent);
  }
}
