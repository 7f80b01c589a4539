// Behind everything: a soft sweep from the horizon up, one colour, or the environment.

#include "common/frame.glsl"
#include "common/color.glsl"
#include "studio/lights.glsl"

uniform mat4 u_world_from_clip;
uniform vec4 u_flat_color;  // linear; w: -1 draw the sweep, -2 what shines from there, out of focus
uniform samplerCube t_radiance;

in vec2 v_uv;
out vec4 o_color;

void main() {
  if (u_flat_color.w >= 0.0) {
    o_color = vec4(u_flat_color.rgb * u_flat_color.w, u_flat_color.w);
    return;
  }
  vec2 p = v_uv * 2.0 - 1.0;
  vec4 near_point = u_world_from_clip * vec4(p, -1.0, 1.0);
  vec4 far_point = u_world_from_clip * vec4(p, 1.0, 1.0);
  vec3 d = normalize(far_point.xyz / far_point.w - near_point.xyz / near_point.w);
  if (u_flat_color.w < -1.5) {
    const float kBlur = 1.5;  // levels
    o_color = vec4(dithered(tone_map(textureLod(t_radiance, d, kBlur).rgb * u_viewport.w, u_picture.x), picture_pixel()),
                   1.0);
    return;
  }
  vec3 color = mix(u_backdrop_low.rgb, u_backdrop_high.rgb, smoothstep(0.0, 0.75, abs(d.y)));
  float vignette = 1.0 - 0.22 * smoothstep(0.45, 1.5, length(p));
  o_color = vec4(dithered(color * vignette, picture_pixel()), 1.0);
}
