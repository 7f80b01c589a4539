// Metallic-roughness surface in the studio: GGX with height-correlated Smith visibility (Heitz 2014), Schlick's Fresnel,
// split-sum image-based light (Karis 2013) with the energy lost between facets given back (Fdez-Aguera 2019). Over it,
// where a material has them, sheen and then a clear coat; through it what stands behind.

#include "common/interface.glsl"
#include "common/frame.glsl"
#define VARYING in
#include "surface/varyings.glsl"
#include "common/part.glsl"
#include "common/color.glsl"
#include "studio/lights.glsl"
#include "surface/material.glsl"
#include "surface/layers.glsl"
#ifdef MATERIAL_SHEEN
#include "surface/sheen.glsl"
#endif
#ifdef PUNCTUAL
#include "studio/punctual.glsl"
#endif

uniform samplerCube t_irradiance;
uniform samplerCube t_radiance;
uniform sampler2D t_brdf;
uniform sampler2D t_openness;
#ifdef MATERIAL_SHEEN
uniform samplerCube t_sheen_radiance;
#endif

out vec4 o_color;

const float kPi = 3.14159265359;
const float kRadianceLevels = 6.0;  // mirror of kRadianceLevels in render/studio.cpp
const float kSheenLevels = 4.0;     // likewise

struct Surface {
  vec3 v;
  vec3 n;
  float n_dot_v;
  float a2;       // of GGX
  vec3 f0;
  float f90;
  vec3 diffuse;   // scattered back
  vec3 passing;   // transmitted
#ifdef MATERIAL_SHEEN
  vec4 sheen;     // colour, roughness
#endif
#ifdef MATERIAL_CLEARCOAT
  vec3 coat_n;
  vec2 coat;      // factor times Fresnel towards the eye, a2
#endif
};

float largest(vec3 c) {
  return max(c.r, max(c.g, c.b));
}

// Distribution times visibility.
float ggx(float n_dot_h, float n_dot_l, float n_dot_v, float a2) {
  float d = a2 / (kPi * pow(n_dot_h * n_dot_h * (a2 - 1.0) + 1.0, 2.0));
  float visibility = 0.5 / (n_dot_l * sqrt(n_dot_v * n_dot_v * (1.0 - a2) + a2) +
                            n_dot_v * sqrt(n_dot_l * n_dot_l * (1.0 - a2) + a2));
  return d * visibility;
}

// Perceptual roughness and how much the normal changes within the pixel, as GGX's alpha: without the latter (Tokuyoshi,
// Kaplanyan 2019) thin highlights flicker.
float filtered_alpha(float roughness, vec3 n) {
  vec3 change_x = dFdx(n);
  vec3 change_y = dFdy(n);
  float variance = min(0.25 * (dot(change_x, change_x) + dot(change_y, change_y)), 0.18);
  roughness = clamp(roughness, 0.045, 1.0);
  return sqrt(clamp(roughness * roughness * roughness * roughness + variance, 0.0, 1.0));
}

#ifdef MATERIAL_SHEEN
// Share of light from all around that fibres of white sheen scatter towards v.
float sheen_albedo(float n_dot_v, float roughness) {
  return texture(t_brdf, vec2(n_dot_v, roughness)).b;
}
#endif

// Radiance towards the eye for light of illuminance 1 from l.
vec3 reflected(Surface s, vec3 l) {
  vec3 h = normalize(l + s.v);
  float n_dot_l = dot(s.n, l);
  vec3 sum = vec3(0.0);
  if (n_dot_l > 0.0) {
    float v_dot_h = clamp(dot(s.v, h), 0.0, 1.0);
    vec3 fresnel = s.f0 + (s.f90 - s.f0) * pow(1.0 - v_dot_h, 5.0);
#ifdef MATERIAL_SPECULAR
    vec3 entering = vec3(1.0 - largest(fresnel));
#else
    vec3 entering = 1.0 - fresnel;
#endif
    sum = (s.diffuse * entering / kPi +
           fresnel * ggx(clamp(dot(s.n, h), 0.0, 1.0), n_dot_l, s.n_dot_v, s.a2)) * n_dot_l;
#ifdef MATERIAL_SHEEN
    float most = largest(s.sheen.rgb);
    float alpha = charlie_alpha(s.sheen.w);
    sum *= 1.0 - most * max(sheen_albedo(s.n_dot_v, s.sheen.w), sheen_albedo(n_dot_l, s.sheen.w));
    sum += s.sheen.rgb * charlie_distribution(clamp(dot(s.n, h), 0.0, 1.0), alpha) *
           charlie_visibility(n_dot_l, s.n_dot_v, alpha) * n_dot_l;
#endif
  }
#ifdef MATERIAL_TRANSMISSION
  else {
    // From behind: as if the light stood in front, mirrored by the sheet.
    vec3 mirrored = l - 2.0 * s.n * n_dot_l;
    vec3 half_way = normalize(mirrored + s.v);
    vec3 fresnel = s.f0 + (s.f90 - s.f0) * pow(1.0 - clamp(dot(s.v, half_way), 0.0, 1.0), 5.0);
    float a2 = max(s.a2 * u_transmission.y * u_transmission.y, 1e-6);
    sum = s.passing * (1.0 - largest(fresnel)) *
          ggx(clamp(dot(s.n, half_way), 0.0, 1.0), max(-n_dot_l, 1e-4), s.n_dot_v, a2) * -n_dot_l;
  }
#endif
#ifdef MATERIAL_CLEARCOAT
  float coat_n_dot_l = dot(s.coat_n, l);
  sum *= 1.0 - s.coat.x;
  if (coat_n_dot_l > 0.0) {
    sum += s.coat.x * coat_n_dot_l * ggx(clamp(dot(s.coat_n, h), 0.0, 1.0), coat_n_dot_l,
                                         clamp(dot(s.coat_n, s.v), 1e-3, 1.0), s.coat.y);
  }
#endif
  return sum;
}

void main() {
  vec4 base = surface_color();
  float covered = mask_coverage(base.a);
  // Blended colours are premultiplied; elsewhere alpha says how many samples are covered.
  float alpha = u_textures.z == 2 ? base.a : 1.0;
  float exposure = u_viewport.w;
  if (u_textures.w != 0) {
    o_color = vec4(dithered(tone_map(base.rgb * exposure, u_picture.x), picture_pixel()) * alpha, alpha * covered);
    return;
  }
  vec3 emissive = u_emissive.rgb;
  if (has_texture(4)) {
    emissive *= texture(t_emissive, texcoord_of(4)).rgb;
  }
#ifdef NO_SURFACE
  // Points and lines without normals are not lit (glTF 2.0, 3.9.7).
  o_color = vec4(dithered(tone_map((base.rgb + emissive) * exposure, u_picture.x), picture_pixel()) * alpha, alpha * covered);
#else
  vec2 metal = surface_metal();
  float metallic = metal.x;
  float occlusion = surface_occlusion();

  Surface s;
  vec3 smooth_normal = interpolated_normal();
  vec3 n = mapped_normal(smooth_normal);
  vec3 v = towards_eye();
  float n_dot_v = clamp(dot(n, v), 1e-3, 1.0);
  float a = filtered_alpha(metal.y, n);
  float perceptual = sqrt(a);

  vec4 dielectric = dielectric_reflection();
  vec3 f0 = mix(dielectric.rgb, base.rgb, metallic);
  float f90 = mix(dielectric.w, 1.0, metallic);
  vec3 diffuse = base.rgb * (1.0 - metallic);
  vec3 passing = vec3(0.0);
#ifdef MATERIAL_TRANSMISSION
  float through = transmission();
  passing = diffuse * through;
  diffuse *= 1.0 - through;
#endif
  s.v = v;
  s.n = n;
  s.n_dot_v = n_dot_v;
  s.a2 = a * a;
  s.f0 = f0;
  s.f90 = f90;
  s.diffuse = diffuse;
  s.passing = passing;

  // Studio light.
  vec2 brdf = texture(t_brdf, vec2(n_dot_v, perceptual)).rg;
  vec3 r = reflect(-v, n);
  vec3 radiance = textureLod(t_radiance, r, perceptual * (kRadianceLevels - 1.0)).rgb;
  vec3 irradiance = texture(t_irradiance, n).rgb;
  vec3 single = f0 * brdf.x + f90 * brdf.y;
  float scattered = brdf.x + brdf.y;
  vec3 average = f0 + (f90 - f0) / 21.0;
  vec3 multiple = single * average * (1.0 - scattered) / (1.0 - average * (1.0 - scattered));
  vec3 entering = 1.0 - single - multiple;
#ifdef MATERIAL_SPECULAR
  entering = vec3(min(entering.r, min(entering.g, entering.b)));
#endif
  // Reflections that dip below the smooth surface are hidden by it.
  float horizon = clamp(1.0 + 1.2 * dot(r, smooth_normal), 0.0, 1.0);
  float ground_near = 1.0;
  float above_ground = 1.0;
  if (u_backdrop_low.w > 0.5) {
    // Close to the ground, light from below is blocked by the character's own shadow there.
    float height = max(v_position_world.y - u_ground.x, 0.0) / max(u_shadow_size.w, 1e-6);
    above_ground = smoothstep(0.01, 0.08, height);
    ground_near = mix(1.0, 0.55 + 0.45 * smoothstep(0.0, 0.25, height), clamp(-n.y * 0.5 + 0.5, 0.0, 1.0));
  }
#ifdef MATERIAL_TRANSMISSION
  float openness = 1.0;  // the map knows what stands behind
  float rim = 0.0;
#else
  vec2 around = texture(t_openness, gl_FragCoord.xy / vec2(textureSize(t_openness, 0))).rg;
  float openness = around.r;
  float rim = u_textures.z == 2 ? 0.0 : around.g;
#endif
  float ambient = min(occlusion, openness) * ground_near;
  // Light that bounced between surfaces of this colour: creases in bright stuff are less dark than in black.
  vec3 bounced = ambient + (1.0 - ambient) * 0.5 * diffuse * ambient;
  // Lagarde, de Rousiers, "Moving Frostbite to Physically Based Rendering", SIGGRAPH 2014.
  float reflected_part = clamp(pow(n_dot_v + ambient, exp2(-16.0 * perceptual - 1.0)) - 1.0 + ambient, 0.0, 1.0);
  vec3 color = (multiple + diffuse * entering) * irradiance * bounced +
               single * radiance * horizon * horizon * reflected_part;
  vec3 passed = vec3(0.0);  // exposed already
#ifdef MATERIAL_TRANSMISSION
  vec4 behind = scene_behind(picture_pixel() / u_viewport.xy, perceptual * u_transmission.y);
  passed = passing * entering * behind.rgb;
  covered *= 1.0 - through * (1.0 - metallic) * (1.0 - behind.a);
#endif

#ifdef MATERIAL_SHEEN
  s.sheen = sheen();
  float fibres = sheen_albedo(n_dot_v, s.sheen.w);
  float below_fibres = 1.0 - largest(s.sheen.rgb) * fibres;
  color = color * below_fibres +
          s.sheen.rgb * fibres * textureLod(t_sheen_radiance, r, s.sheen.w * (kSheenLevels - 1.0)).rgb * bounced;
  passed *= below_fibres;
#endif
#ifdef MATERIAL_CLEARCOAT
  vec2 coat = clearcoat();
  s.coat_n = clearcoat_normal(smooth_normal);
  float coat_n_dot_v = clamp(dot(s.coat_n, v), 1e-3, 1.0);
  float coat_a = filtered_alpha(coat.y, s.coat_n);
  s.coat = vec2(coat.x * (0.04 + 0.96 * pow(1.0 - coat_n_dot_v, 5.0)), coat_a * coat_a);
  float coat_perceptual = sqrt(coat_a);
  vec2 coat_brdf = texture(t_brdf, vec2(coat_n_dot_v, coat_perceptual)).rg;
  float coat_reflection = coat.x * (0.04 * coat_brdf.x + coat_brdf.y);
  vec3 coat_r = reflect(-v, s.coat_n);
  float coat_horizon = clamp(1.0 + 1.2 * dot(coat_r, smooth_normal), 0.0, 1.0);
  float coat_part = clamp(pow(coat_n_dot_v + ambient, exp2(-16.0 * coat_perceptual - 1.0)) - 1.0 + ambient, 0.0, 1.0);
  color = color * (1.0 - coat_reflection) +
          coat_reflection * textureLod(t_radiance, coat_r, coat_perceptual * (kRadianceLevels - 1.0)).rgb *
              (coat_horizon * coat_horizon * coat_part);
  passed *= 1.0 - coat_reflection;
  emissive *= 1.0 - s.coat.x;
#endif

  // Key light.
  vec3 key = u_key_direction.xyz;
  float facing = dot(n, key);
#ifdef MATERIAL_CLEARCOAT
  facing = max(facing, dot(s.coat_n, key));
#endif
  if (facing > 0.0 && u_key_color.r > 0.0) {
    float lit = key_visibility(v_position_world, smooth_normal, picture_pixel(), interleaved_noise(picture_pixel()));
    // A normal map must not light what the surface itself turns away.
    lit *= smoothstep(-0.05, 0.15, dot(smooth_normal, key));
    // In creases that the shadow map is too coarse for (Chan, "Material Advances in Call of Duty: WWII", SIGGRAPH 2018).
    float aperture = clamp(max(facing, 0.0) + 2.0 * ambient * ambient - 1.0, 0.0, 1.0);
    lit *= aperture * aperture;
    color += reflected(s, key) * u_key_color.rgb * lit;
  }
  // Round their edges surfaces scatter light from behind whatever their colour: hair, dust, weave.
  float edge = 1.0 - n_dot_v;
  color += u_rim_color.rgb * (rim * edge * edge * above_ground);
#ifdef PUNCTUAL
  for (int i = 0; i < u_light_count.x; ++i) {
    vec3 l;
    vec3 illuminance = punctual_light(u_lights[i], v_position_world, l);
    color += reflected(s, l) * illuminance;
  }
#endif
  color += emissive;
  o_color = vec4(dithered(tone_map(color * exposure + passed, u_picture.x), picture_pixel()) * alpha, alpha * covered);
#endif
}
