// Simple skin, ALGORITHMS.md section 6: each vertex follows its heaviest joint alone.

#include "skinning/vertex_frame.glsl"
#include "skinning/palette.glsl"
#include "skinning/row.glsl"

void skin_vertex(inout vec3 position, inout vec3 normal, inout vec4 tangent) {
  mat4x3 joint = row_is_empty() ? mat4x3(1.0) : palette_matrix(row_slot(0));
  position = transform_point(joint, position);
  VertexFrame frame = vertex_frame(joint, joint);
  if (u_part.y != 0) {
    vec3 sum = vec3(0.0);
    switch (u_part.x) {
      case 0:
      case 7:
        sum = frame.blended * normal;
        break;
      case 1:
        sum = inverse_transpose_times(frame.blended, normal);
        break;
      case 2:
        sum = inverse_transpose_times(frame.blended, normal);
        sum *= dot(sum, sum) > 0.0 ? sqrt(dot(normal, normal) / dot(sum, sum)) : 0.0;
        break;
      case 3:
        sum = cofactor_times(frame.blended, normal) * frame.orientation;
        break;
    }
    normal = finished_normal(frame, u_part.x, sum, normal);
  }
  if (u_part.z != 0) {
    tangent = skinned_tangent(frame, exactly_unit(u_part.x, normal), tangent);
  }
}
