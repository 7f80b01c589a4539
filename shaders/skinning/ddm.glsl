// Direct delta mush, variant 0, ALGORITHMS.md section 24: second moments of the shape round the vertex, carried by the
// joints it follows, give a rotation and where its centre goes. deform/direct_delta_mush.h, class DirectSum.

#include "skinning/vertex_frame.glsl"
#include "skinning/rows.glsl"
#include "skinning/rotation.glsl"

// What moves the vertex, for a position relative to the centre.
mat4x3 vertex_motion(vec3 center) {
  float alpha = u_method.x;
  vec3 base = vec3(0.0);
  mat3 heaviest = mat3(1.0);
  float side = 1.0;
  mat3 q = mat3(0.0);
  vec3 image = vec3(0.0);
  float size = 0.0;
  float spread = 0.0;
  for (uint k = 0u; k < a_row.y; ++k) {
    vec4 data0 = row_data(k, 0);  // xx, xy, xz, yy
    vec4 data1 = row_data(k, 1);  // yz, zz, mass, smoothed weight
    vec4 data2 = row_data(k, 2);  // first moment, joint
    int joint = int(data2.w);
    mat4x3 m = joint_matrix(joint);
    vec4 x_axis = joint_data(joint, 0);  // of its rotation; signed size
    mat3 linear = mat3(m);
    vec3 there = transform_point(m, center);
    if (k == 0u) {
      base = there;
      vec3 y_axis = joint_data(joint, 1).xyz;
      heaviest = mat3(x_axis.xyz, y_axis, cross(x_axis.xyz, y_axis));
      side = x_axis.w < 0.0 ? -1.0 : 1.0;
    }
    vec3 away = there - base;
    q[0] += linear[0] * data0.x + linear[1] * data0.y + linear[2] * data0.z + away * data2.x;
    q[1] += linear[0] * data0.y + linear[1] * data0.w + linear[2] * data1.x + away * data2.y;
    q[2] += linear[0] * data0.z + linear[1] * data1.x + linear[2] * data1.y + away * data2.z;
    float share = data1.z * (1.0 - alpha) + data1.w * alpha;
    image += (linear[0] * data2.x + linear[1] * data2.y + linear[2] * data2.z) * (1.0 - alpha) + away * share;
    size += x_axis.w * share;
    spread += (data0.x + data0.w + data1.y) * abs(x_axis.w);
  }
  // Rotations are those behind what the mesh as it is stored has to be stretched by.
  mat3 shape_from_mesh = mat3(u_from_mesh);
  mat3 relative = transpose(heaviest) * (q * transpose(shape_from_mesh)) * side;
  float square = dot(relative[0], relative[0]) + dot(relative[1], relative[1]) + dot(relative[2], relative[2]);
  float q_length = sqrt(square);
  float rounding = spread * 1e-6;
  mat3 rotation = heaviest * side;
  if (q_length > rounding) {
    rotation = heaviest * closest_rotation(relative, max(1e-5, rounding / q_length)) * side;
  }
  mat3 linear = rotation * abs(size) * shape_from_mesh;
  return mat4x3(linear[0], linear[1], linear[2], base + image);
}

void skin_vertex(inout vec3 position, inout vec3 normal, inout vec4 tangent) {
  mat4x3 motion = mat4x3(1.0);
  if (!row_is_empty()) {
    vec3 center = a_prepared[0].xyz;
    motion = vertex_motion(center);
    position -= center;
  }
  place_vertex(motion, motion, position, normal, tangent);
}
