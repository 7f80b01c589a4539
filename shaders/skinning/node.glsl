// Parts that follow one node, and parts whose vertices arrive in world space with u_from_mesh the identity.

#include "skinning/vertex_frame.glsl"

void skin_vertex(inout vec3 position, inout vec3 normal, inout vec4 tangent) {
  mat4x3 world = mat4x3(u_from_mesh);
  place_vertex(world, world, position, normal, tangent);
}
