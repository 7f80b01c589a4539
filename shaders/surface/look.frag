// What is not a picture of light: heat maps (v_look, the default), or by a LOOK_ define normals, tangents, texture coordinates
// or one quantity of the material. ISOLINES adds lines of equal weight. None is exposed or tone mapped; where the hue is data, light only scales it.

#include "common/frame.glsl"
#define VARYING in
#include "surface/varyings.glsl"
#include "common/part.glsl"
#include "common/color.glsl"
#include "surface/material.glsl"
#include "surface/form.glsl"

uniform sampler2D t_openness;

out vec4 o_color;

// A value as the grey of that code.
vec3 grey(float value) {
  return decode_srgb(vec3(clamp(value, 0.0, 1.0)));
}

#ifdef LOOK_UV_CHECKER
// Eight by eight cells in the unit square, hue along u, lightness along v, a line between the cells.
vec3 checker(vec2 uv) {
  vec2 cell = uv * 8.0;
  vec2 width = fwidth(cell);
  // Box-filtered, so that distant cells turn grey instead of flickering.
  vec2 side = clamp((abs(fract(cell * 0.5 + 0.25) - 0.5) - 0.25) * 2.0 / max(width, vec2(1e-6)), -0.5, 0.5) * 2.0;
  side *= 1.0 - smoothstep(0.3, 1.0, width);
  vec3 hue = clamp(abs(fract(uv.x + vec3(0.0, 2.0, 1.0) / 3.0) * 6.0 - 3.0) - 1.0, 0.0, 1.0);
  vec3 color = mix(vec3(0.5), hue, 0.5) * mix(0.55, 1.0, fract(uv.y));
  return color * mix(0.35, 1.0, 0.5 - 0.5 * side.x * side.y);
}
#endif

#ifdef ISOLINES
// Lines where the weight (alpha of v_look) is a tenth, two tenths ... nine tenths, that of a half twice as wide. Derivatives
// on the screen give them the same width everywhere. They fade where they would lie closer than they can be told apart, and
// there is none where the weight is the same all around.
vec3 with_isolines(vec3 color) {
  float scale = max(u_viewport.z, 1.0);
  float level = v_look.a * 10.0;
  float slope = length(vec2(dFdx(level), dFdy(level)));  // levels per pixel
  float nearest = clamp(floor(level + 0.5), 1.0, 9.0);
  float away = abs(level - nearest) / max(slope, 1e-6);  // pixels
  float half_width = (nearest == 5.0 ? 1.2 : 0.6) * scale;
  float line = 1.0 - smoothstep(half_width - 0.5, half_width + 0.5, away);
  line *= smoothstep(2.5 * scale, 5.0 * scale, 1.0 / max(slope, 1e-6)) * smoothstep(1e-4, 5e-4, slope);
  float light = dot(v_look.rgb, vec3(0.2126, 0.7152, 0.0722));
  return mix(color, light < 0.13 ? vec3(0.8) : vec3(0.015), 0.85 * line);
}
#endif

void main() {
  vec4 base = surface_color();
  float covered = mask_coverage(base.a);
  vec3 n = interpolated_normal();
  float openness = texture(t_openness, gl_FragCoord.xy / vec2(textureSize(t_openness, 0))).r;
#if defined(LOOK_NORMALS)
  vec3 color = pow(n * 0.5 + 0.5, vec3(2.2)) * mix(0.55, 1.0, openness);
#elif defined(LOOK_TANGENTS)
  vec3 t;
  vec3 b;
  vec3 color = tangent_frame(n, v_texcoord0, t, b) ? pow(normalize(t) * 0.5 + 0.5, vec3(2.2))
                                                   : vec3(0.2) * form_light(view_normal(n));
  color *= mix(0.55, 1.0, openness);
#elif defined(LOOK_BASE_COLOR)
  vec3 color = base.rgb;
#elif defined(LOOK_UV_CHECKER)
  vec3 color = checker(v_texcoord0) * form_light(view_normal(n)) * mix(0.55, 1.0, openness);
#elif defined(LOOK_OCCLUSION)
  vec3 color = grey(min(surface_occlusion(), openness));
#elif defined(LOOK_ROUGHNESS)
  vec3 color = grey(surface_metal().y);
#elif defined(LOOK_METALLIC)
  vec3 color = grey(surface_metal().x);
#elif defined(LOOK_WIREFRAME)
  vec3 color = vec3(0.62, 0.64, 0.67) * mix(0.82, 1.0, form_light(view_normal(n)));
#elif defined(LOOK_MASK)
  // Where there is no weight at all the shape is seen in slate; the least weight has its own grey, of that code.
  vec3 slate = vec3(0.034, 0.041, 0.056) * form_light(view_normal(n)) * mix(0.7, 1.0, openness);
  vec3 color = mix(slate, v_look.rgb, smoothstep(0.0, 0.004, v_look.r));
#else
  vec3 color = v_look.rgb * form_light(view_normal(n)) * mix(0.55, 1.0, openness);
#endif
#ifdef ISOLINES
  color = with_isolines(color);
#endif
  o_color = vec4(dithered(color, picture_pixel()), covered);
}
