// The key light's shadow on the ground, once per pose instead of once per pixel of the picture: the ground fills most of the
// picture and its shadow is soft, so a map of its own costs a fraction and can be smoothed when read.

#include "common/color.glsl"
#include "studio/lights.glsl"

in vec2 v_uv;
out vec4 o_color;

void main() {
  vec2 p = u_ground_map.xy + v_uv * u_ground_map.z;
  o_color = vec4(key_visibility(vec3(p.x, u_ground.x, p.y), vec3(0.0, 1.0, 0.0), gl_FragCoord.xy,
                                interleaved_noise(gl_FragCoord.xy)));
}
