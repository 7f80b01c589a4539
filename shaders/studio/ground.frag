// The studio's floor: a pool of light that fades into the backdrop, the key light's shadow, the darkening where something
// stands close above, and an anti-aliased grid.

#include "common/frame.glsl"
#include "common/color.glsl"
#include "studio/lights.glsl"

uniform sampler2D t_contact;
uniform sampler2D t_ground_shadow;
uniform samplerCube t_irradiance;

in vec3 v_position_world;
out vec4 o_color;

// Coverage of lines `spacing` apart, `width` pixels thick, by exact box filtering of one axis at a time.
float grid_lines(vec2 p, float spacing, float width) {
  vec2 q = p / spacing;
  vec2 pixel = max(fwidth(q), vec2(1e-6));
  vec2 line = clamp(0.5 * width + 0.5 - abs(fract(q - 0.5) - 0.5) / pixel, 0.0, 1.0);
  // Lines closer than a few pixels melt into nothing instead of noise.
  line *= 1.0 - smoothstep(0.15, 0.45, pixel);
  return max(line.x, line.y);
}

float axis_line(float x, float width) {
  return clamp(0.5 * width + 0.5 - abs(x) / max(fwidth(x), 1e-9), 0.0, 1.0);
}

void main() {
  vec2 p = v_position_world.xz;
  float distance_out = length(p - u_ground_center.xz) / u_ground.y;
  float presence = 1.0 - smoothstep(0.25, 0.98, distance_out);
  vec2 at = (p - u_ground_map.xy) / u_ground_map.z;
  float visible = 1.0;
  if (u_ground_map.w > 0.5 && all(greaterThan(at, vec2(0.0))) && all(lessThan(at, vec2(1.0)))) {
    // Turned by a third of a right angle, four taps take out the noise of the map's own taps.
    vec2 texel = 1.1 / vec2(textureSize(t_ground_shadow, 0));
    vec2 a = texel * vec2(0.94, 0.34);
    vec2 b = texel * vec2(-0.34, 0.94);
    visible = 0.25 * (texture(t_ground_shadow, at + a).r + texture(t_ground_shadow, at - a).r +
                      texture(t_ground_shadow, at + b).r + texture(t_ground_shadow, at - b).r);
  }
  vec2 contact_uv = (u_contact_from_world * vec4(v_position_world, 1.0)).xy;
  float contact = 0.0;
  if (u_key_color.w > 0.0 && all(greaterThan(contact_uv, vec2(0.0))) && all(lessThan(contact_uv, vec2(1.0)))) {
    vec2 texel = 1.0 / vec2(textureSize(t_contact, 0));
    vec2 a = texel * vec2(0.94, 0.34);
    vec2 b = texel * vec2(-0.34, 0.94);
    contact = 0.25 * (texture(t_contact, contact_uv + a).r + texture(t_contact, contact_uv - a).r +
                      texture(t_contact, contact_uv + b).r + texture(t_contact, contact_uv - b).r);
  }
  float shade = (1.0 - 0.62 * (1.0 - visible)) * (1.0 - contact);

  float pixel_scale = u_viewport.z;
  float fine = grid_lines(p, u_ground.z, 1.0 * pixel_scale);
  float coarse = grid_lines(p, u_ground.z * 10.0, 1.4 * pixel_scale);
  float lines = max(fine * 0.16, coarse * 0.42) * u_ground.w;
  vec4 axes = vec4(vec3(0.62, 0.09, 0.08), axis_line(p.y, 1.6 * pixel_scale));
  float z_axis = axis_line(p.x, 1.6 * pixel_scale);
  vec3 axis_color = z_axis > axes.a ? vec3(0.06, 0.16, 0.6) : axes.rgb;
  float axis_alpha = max(axes.a, z_axis) * u_ground.w * 0.45;

  if (u_backdrop_low.w > 0.5) {
    vec3 color = mix(u_backdrop_low.rgb, u_ground_color.rgb, exp(-4.5 * distance_out * distance_out));
    if (u_backdrop_high.w > 0.5) {
      // Outside the studio the ground is a grey surface in that light, which thins out instead of ending in a sweep.
      vec3 light = texture(t_irradiance, vec3(0.0, 1.0, 0.0)).rgb + u_key_color.rgb * max(u_key_direction.y, 0.0) / 3.14159265;
      color = tone_map(u_ground_color.rgb * light * u_viewport.w, u_picture.x);
      presence *= exp(-2.5 * distance_out * distance_out);
    }
    color = mix(color, color * 0.58, lines);
    color = mix(color, axis_color, axis_alpha);
    color *= shade;
    o_color = vec4(dithered(color, picture_pixel()) * presence, presence);
  } else {
    float dark = (1.0 - shade) * presence;
    vec4 over = vec4(vec3(0.0), dark);
    float line_alpha = max(lines * 0.5, axis_alpha) * presence;
    vec3 line_color = axis_alpha > lines * 0.5 ? axis_color : vec3(0.2);
    o_color = vec4(line_color * line_alpha, line_alpha) + over * (1.0 - line_alpha);
  }
}
