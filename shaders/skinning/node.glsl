// Parts that follow one node, and parts whose vertices arrive in world space with u_world_from_mesh the identity.

#include "skinning/vertex_frame.glsl"

void skin_vertex(inout vec3 position, inout vec3 normal, inout vec4 tangent) {
  mat4x3 world = mat4x3(u_world_from_mesh);
  position = transform_point(world, position);
  VertexFrame frame = vertex_frame(world, world);
  if (u_part.y != 0) {
    normal = finished_normal(frame, cofactor_times(frame.blended, normal) * frame.orientation, normal);
  }
  if (u_part.z != 0) {
    tangent = skinned_tangent(frame, normal, tangent);
  }
}
