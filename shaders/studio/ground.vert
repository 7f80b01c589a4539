// A square on the ground around the character.

#include "common/frame.glsl"
#include "studio/lights.glsl"

out vec3 v_position_world;

void main() {
  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
  vec3 center = vec3(u_ground_center.x, u_ground.x, u_ground_center.z);
  v_position_world = center + vec3(corner.x, 0.0, corner.y) * u_ground.y;
  gl_Position = u_clip_from_world * vec4(v_position_world, 1.0);
}
