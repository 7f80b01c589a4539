// A point of constant size in pixels.

layout(location = 0) in vec3 a_position;

uniform mat4 u_clip_from_world;
uniform float u_radius;  // pixels

void main() {
  gl_Position = u_clip_from_world * vec4(a_position, 1.0);
  gl_PointSize = 2.0 * u_radius + 2.0;
}
