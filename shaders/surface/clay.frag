// Sculptor's clay: one warm matte material under light that follows the camera, with the key light's shadow for depth.

#include "common/frame.glsl"
#define VARYING in
#include "surface/varyings.glsl"
#include "common/part.glsl"
#include "common/color.glsl"
#include "studio/lights.glsl"
#include "surface/material.glsl"
#include "surface/form.glsl"

uniform sampler2D t_openness;

out vec4 o_color;

void main() {
  float covered = mask_coverage(surface_color().a);
  vec3 n = interpolated_normal();
  vec3 nv = view_normal(n);
  vec3 l = normalize(vec3(-0.45, 0.62, 0.64));
  float wrapped = clamp((dot(nv, l) + 0.35) / 1.35, 0.0, 1.0);
  float fill = clamp(dot(nv, normalize(vec3(0.8, -0.1, 0.45))) * 0.5 + 0.5, 0.0, 1.0);
  float rim = pow(1.0 - clamp(nv.z, 0.0, 1.0), 3.0) * clamp(nv.y * 0.6 + 0.5, 0.0, 1.0);
  vec3 h = normalize(l + vec3(0.0, 0.0, 1.0));
  float shine = pow(clamp(dot(nv, h), 0.0, 1.0), 26.0);
  float lit = mix(0.62, 1.0, key_visibility(v_position_world, n, picture_pixel(), interleaved_noise(picture_pixel())));
  float openness = texture(t_openness, gl_FragCoord.xy / vec2(textureSize(t_openness, 0))).r;
  const vec3 kClay = vec3(0.50, 0.36, 0.285);
  vec3 color = kClay * (vec3(1.12, 1.06, 1.0) * wrapped * wrapped * lit + vec3(0.14, 0.17, 0.23) * fill + 0.055) +
               vec3(0.055) * shine * lit + vec3(0.20, 0.21, 0.24) * rim * 0.5;
  // Clay is judged by its creases: they are drawn deeper than light would.
  color *= mix(vec3(0.34, 0.27, 0.24), vec3(1.0), openness);
  o_color = vec4(dithered(tone_map(color * u_viewport.w, u_picture.x), picture_pixel()), covered);
}
