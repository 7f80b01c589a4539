// Metallic-roughness surface in the studio: GGX with height-correlated Smith visibility (Heitz 2014), Schlick's Fresnel,
// split-sum image-based light (Karis 2013) with the energy lost between facets given back (Fdez-Aguera 2019).

#include "common/frame.glsl"
#define VARYING in
#include "surface/varyings.glsl"
#include "common/part.glsl"
#include "common/color.glsl"
#include "studio/lights.glsl"
#include "surface/material.glsl"

uniform samplerCube t_irradiance;
uniform samplerCube t_radiance;
uniform sampler2D t_brdf;
uniform sampler2D t_openness;

out vec4 o_color;

const float kPi = 3.14159265359;
const float kRadianceLevels = 6.0;  // mirror of kRadianceLevels in render/studio.cpp

void main() {
  vec4 base = surface_color();
  if (u_textures.z == 1 && base.a < u_emissive.w) {
    discard;
  }
  float alpha = u_textures.z == 2 ? base.a : 1.0;
  float exposure = u_viewport.w;
  if (u_textures.w != 0) {
    o_color = vec4(dithered(tone_map(base.rgb * exposure), gl_FragCoord.xy) * alpha, alpha);
    return;
  }
  float metallic = u_factors.x;
  float roughness = u_factors.y;
  if (has_texture(1)) {
    vec4 sampled = texture(t_metallic_roughness, texcoord_of(1));
    metallic *= sampled.b;
    roughness *= sampled.g;
  }
  float occlusion = has_texture(3) ? 1.0 + u_factors.w * (texture(t_occlusion, texcoord_of(3)).r - 1.0) : 1.0;
  vec3 emissive = u_emissive.rgb;
  if (has_texture(4)) {
    emissive *= texture(t_emissive, texcoord_of(4)).rgb;
  }

  vec3 smooth_normal = interpolated_normal();
  vec3 n = mapped_normal(smooth_normal);
  vec3 v = u_eye_world.w > 0.5 ? normalize(u_eye_world.xyz - v_position_world) : u_eye_world.xyz;
  float n_dot_v = clamp(dot(n, v), 1e-3, 1.0);
  // Normals that change within a pixel are roughness (Tokuyoshi, Kaplanyan 2019): without it thin highlights flicker.
  vec3 change_x = dFdx(n);
  vec3 change_y = dFdy(n);
  float variance = min(0.25 * (dot(change_x, change_x) + dot(change_y, change_y)), 0.18);
  roughness = clamp(roughness, 0.045, 1.0);
  float a = sqrt(clamp(roughness * roughness * roughness * roughness + variance, 0.0, 1.0));
  float a2 = a * a;
  float perceptual = sqrt(a);

  vec3 f0 = mix(vec3(0.04), base.rgb, metallic);
  vec3 diffuse = base.rgb * (1.0 - metallic);

  // Studio light.
  vec2 brdf = texture(t_brdf, vec2(n_dot_v, perceptual)).rg;
  vec3 r = reflect(-v, n);
  vec3 radiance = textureLod(t_radiance, r, perceptual * (kRadianceLevels - 1.0)).rgb;
  vec3 irradiance = texture(t_irradiance, n).rgb;
  vec3 single = f0 * brdf.x + brdf.y;
  float scattered = brdf.x + brdf.y;
  vec3 average = f0 + (1.0 - f0) / 21.0;
  vec3 multiple = single * average * (1.0 - scattered) / (1.0 - average * (1.0 - scattered));
  // Reflections that dip below the smooth surface are hidden by it.
  float horizon = clamp(1.0 + 1.2 * dot(r, smooth_normal), 0.0, 1.0);
  float ground_near = 1.0;
  if (u_backdrop_low.w > 0.5) {
    // Close to the ground, light from below is blocked by the character's own shadow there.
    float height = max(v_position_world.y - u_ground.x, 0.0) / max(u_shadow_size.w, 1e-6);
    ground_near = mix(1.0, 0.55 + 0.45 * smoothstep(0.0, 0.25, height), clamp(-n.y * 0.5 + 0.5, 0.0, 1.0));
  }
  float openness = texture(t_openness, gl_FragCoord.xy / u_viewport.xy).r;
  float ambient = min(occlusion, openness) * ground_near;
  // Light that bounced between surfaces of this colour: creases in bright stuff are less dark than in black.
  vec3 bounced = ambient + (1.0 - ambient) * 0.5 * diffuse * ambient;
  // Lagarde, de Rousiers, "Moving Frostbite to Physically Based Rendering", SIGGRAPH 2014.
  float reflected_part = clamp(pow(n_dot_v + ambient, exp2(-16.0 * perceptual - 1.0)) - 1.0 + ambient, 0.0, 1.0);
  vec3 color = (multiple + diffuse * (1.0 - single - multiple)) * irradiance * bounced +
               single * radiance * horizon * horizon * reflected_part;

  // Key light.
  vec3 l = u_key_direction.xyz;
  float n_dot_l = dot(n, l);
  if (n_dot_l > 0.0) {
    float lit = key_visibility(v_position_world, smooth_normal, gl_FragCoord.xy, interleaved_noise(gl_FragCoord.xy));
    // A normal map must not light what the surface itself turns away.
    lit *= smoothstep(-0.05, 0.15, dot(smooth_normal, l));
    vec3 h = normalize(l + v);
    float n_dot_h = clamp(dot(n, h), 0.0, 1.0);
    float v_dot_h = clamp(dot(v, h), 0.0, 1.0);
    float d = a2 / (kPi * pow(n_dot_h * n_dot_h * (a2 - 1.0) + 1.0, 2.0));
    float visibility = 0.5 / (n_dot_l * sqrt(n_dot_v * n_dot_v * (1.0 - a2) + a2) +
                              n_dot_v * sqrt(n_dot_l * n_dot_l * (1.0 - a2) + a2));
    vec3 fresnel = f0 + (1.0 - f0) * pow(1.0 - v_dot_h, 5.0);
    vec3 reflected = diffuse * (1.0 - fresnel) / kPi + fresnel * (d * visibility);
    color += reflected * u_key_color.rgb * (n_dot_l * lit);
  }
  color += emissive;
  o_color = vec4(dithered(tone_map(color * exposure), gl_FragCoord.xy) * alpha, alpha);
}
