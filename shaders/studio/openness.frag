// Screen-space ambient visibility from a depth map, in two passes: OPENNESS_GATHER counts what stands above the tangent
// plane within a radius; without it, the noise of the turned tap pattern is averaged over 4x4 pixels of like depth.
// McGuire et al., "The Alchemy Screen-Space Ambient Obscurance Algorithm", HPG 2011.
// In green, how much of a light behind the character comes round an edge: where the surface ends, or falls away from its
// tangent plane, within a few millimetres on a person. Normals alone would light flat faces seen at a grazing angle.

#include "common/color.glsl"

uniform sampler2D t_source;    // depth
uniform sampler2D t_openness;  // of the first pass
uniform mat4 u_view_from_clip;
uniform vec4 u_gather;  // radius, metres; pixels per metre at distance 1 (at any distance where orthographic); 1: perspective
uniform vec4 u_section; // the pixel of the picture at the lower left of the target; the picture's size
uniform vec4 u_rim;     // towards the light behind, on the screen, unit; how far from an edge it reaches, metres

out vec4 o_color;

// Only the elements that a centred projection has are multiplied: this is most of the pass.
float view_depth(float depth) {
  float z = 2.0 * depth - 1.0;
  return (u_view_from_clip[2][2] * z + u_view_from_clip[3][2]) / (u_view_from_clip[2][3] * z + u_view_from_clip[3][3]);
}

vec3 view_position(ivec2 pixel) {
  ivec2 size = textureSize(t_source, 0);
  pixel = clamp(pixel, ivec2(0), size - 1);
  vec3 ndc = vec3((vec2(pixel) + u_section.xy + 0.5) / u_section.zw, texelFetch(t_source, pixel, 0).r) * 2.0 - 1.0;
  float w = u_view_from_clip[2][3] * ndc.z + u_view_from_clip[3][3];
  return vec3(u_view_from_clip[0][0] * ndc.x, u_view_from_clip[1][1] * ndc.y,
              u_view_from_clip[2][2] * ndc.z + u_view_from_clip[3][2]) / w;
}

#ifdef OPENNESS_GATHER
vec3 shorter(vec3 a, vec3 b) {
  return abs(a.z) < abs(b.z) ? a : b;
}

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  float depth = texelFetch(t_source, pixel, 0).r;
  const int kTaps = 14;
  const int kRimTaps = 8;
  int taps = depth < 1.0 ? kTaps : 0;
  vec3 p = view_position(pixel);
  vec3 n = vec3(0.0, 0.0, 1.0);
  for (int once = 0; once < min(taps, 1); ++once) {
    vec3 right = shorter(view_position(pixel + ivec2(1, 0)) - p, p - view_position(pixel - ivec2(1, 0)));
    vec3 up = shorter(view_position(pixel + ivec2(0, 1)) - p, p - view_position(pixel - ivec2(0, 1)));
    n = normalize(cross(right, up));
  }
  float radius = u_gather.x;
  float pixels = min(radius * u_gather.y / (u_gather.z > 0.5 ? max(-p.z, 1e-6) : 1.0), 160.0);
  float turn = 6.2831853 * interleaved_noise(gl_FragCoord.xy + u_section.xy);
  float sum = 0.0;
  for (int i = 0; i < taps; ++i) {
    float a = (float(i) + 0.5) / float(kTaps);
    float angle = turn + 2.3999632 * float(i);
    vec3 v = view_position(pixel + ivec2(round(pixels * a * vec2(cos(angle), sin(angle))))) - p;
    float square = dot(v, v);
    float above = dot(v, n) * inversesqrt(max(square, 1e-20)) - 0.08;
    float near = max(1.0 - square / (radius * radius), 0.0);
    sum += max(above, 0.0) * near;
  }
  float rim = 0.0;
  float reach = max(u_rim.z, 1.5 * radius / max(pixels, 1.0));
  float reach_pixels = min(pixels * reach / radius, 40.0);
  for (int i = 0; i < (taps > 0 ? kRimTaps : 0); ++i) {
    float angle = 6.2831853 * (float(i) + interleaved_noise(gl_FragCoord.xy + u_section.xy + 31.0)) / float(kRimTaps);
    vec2 towards = vec2(cos(angle), sin(angle));
    // Light from behind and above reaches no lower edges, and the far side only little.
    float weight = clamp(0.3 + 0.7 * dot(towards, u_rim.xy), 0.0, 1.0) * smoothstep(-0.7, 0.1, towards.y);
    float far = reach_pixels * (0.4 + 0.6 * fract(float(i) * 0.618 + turn * 0.159));
    vec3 v = view_position(pixel + ivec2(round(towards * max(far, 1.0)))) - p;
    rim += weight * smoothstep(0.15 * reach, 0.9 * reach, -dot(v, n));
  }
  o_color = vec4(clamp(1.0 - 2.3 * sum / float(kTaps), 0.0, 1.0), clamp(rim * 4.0 / float(kRimTaps), 0.0, 1.0), 0.0, 1.0);
}
#else
void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  ivec2 last = textureSize(t_source, 0) - 1;
  // Pixels of the background next to the character take its value: samples on the outline read them too.
  float z = 1e30;
  for (int i = 0; i < 9; ++i) {
    ivec2 at = clamp(pixel + ivec2(i % 3 - 1, i / 3 - 1), ivec2(0), last);
    float depth = texelFetch(t_source, at, 0).r;
    if (depth < 1.0 && (i == 4 || z > 1e29)) {
      z = view_depth(depth);
    }
  }
  int taps = z < 1e29 ? 16 : 0;
  vec2 sum = vec2(0.0);
  float weight = 0.0;
  for (int i = 0; i < taps; ++i) {
    ivec2 at = clamp(pixel + ivec2(i % 4 - 2, i / 4 - 2), ivec2(0), last);
    float depth = texelFetch(t_source, at, 0).r;
    float like = depth < 1.0 && abs(view_depth(depth) - z) < 0.35 * u_gather.x ? 1.0 : 0.0;
    sum += like * texelFetch(t_openness, at, 0).rg;
    weight += like;
  }
  o_color = vec4(weight > 0.0 ? sum / weight : vec2(1.0, 0.0), 0.0, 1.0);
}
#endif
