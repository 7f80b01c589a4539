// What material extensions add to the metallic-roughness surface; each is compiled in where a material has it. Formulas are
// those of KHR_materials_specular, _clearcoat, _sheen and _transmission.

#ifdef SPECULAR_TEXTURE
uniform sampler2D t_specular;
#endif
#ifdef SPECULAR_COLOR_TEXTURE
uniform sampler2D t_specular_color;
#endif
#ifdef CLEARCOAT_TEXTURE
uniform sampler2D t_clearcoat;
#endif
#ifdef CLEARCOAT_ROUGHNESS_TEXTURE
uniform sampler2D t_clearcoat_roughness;
#endif
#ifdef CLEARCOAT_NORMAL_TEXTURE
uniform sampler2D t_clearcoat_normal;
#endif
#ifdef SHEEN_COLOR_TEXTURE
uniform sampler2D t_sheen_color;
#endif
#ifdef SHEEN_ROUGHNESS_TEXTURE
uniform sampler2D t_sheen_roughness;
#endif
#ifdef TRANSMISSION_TEXTURE
uniform sampler2D t_transmission;
#endif

// F0 of what is not metal, and its F90.
vec4 dielectric_reflection() {
  vec4 d = u_dielectric;
#ifdef SPECULAR_TEXTURE
  d.w *= texture(t_specular, texcoord_of(5)).a;
#endif
#ifdef SPECULAR_COLOR_TEXTURE
  d.rgb *= texture(t_specular_color, texcoord_of(6)).rgb;
#endif
  return vec4(min(d.rgb, vec3(1.0)) * d.w, d.w);
}

#ifdef MATERIAL_CLEARCOAT
// Factor, roughness.
vec2 clearcoat() {
  vec2 coat = u_clearcoat.xy;
#ifdef CLEARCOAT_TEXTURE
  coat.x *= texture(t_clearcoat, texcoord_of(7)).r;
#endif
#ifdef CLEARCOAT_ROUGHNESS_TEXTURE
  coat.y *= texture(t_clearcoat_roughness, texcoord_of(8)).g;
#endif
  return coat;
}
vec3 clearcoat_normal(vec3 n) {
#ifdef CLEARCOAT_NORMAL_TEXTURE
  vec2 uv = texcoord_of(9);
  vec3 sampled = texture(t_clearcoat_normal, uv).xyz * 2.0 - 1.0;
  sampled.xy *= u_clearcoat.z;
  return bent_normal(n, sampled, uv);
#else
  return n;
#endif
}
#endif

#ifdef MATERIAL_SHEEN
// Colour, roughness.
vec4 sheen() {
  vec4 s = u_sheen;
#ifdef SHEEN_COLOR_TEXTURE
  s.rgb *= texture(t_sheen_color, texcoord_of(10)).rgb;
#endif
#ifdef SHEEN_ROUGHNESS_TEXTURE
  s.w *= texture(t_sheen_roughness, texcoord_of(11)).a;
#endif
  return s;
}
#endif

#ifdef MATERIAL_TRANSMISSION
uniform sampler2D t_scene;  // exposed, before tone mapping, premultiplied

float transmission() {
#ifdef TRANSMISSION_TEXTURE
  return u_transmission.x * texture(t_transmission, texcoord_of(12)).r;
#else
  return u_transmission.x;
#endif
}

// What stands behind the pixel, as blurred as a thin rough sheet shows it. Four taps half a texel off smooth the coarse
// levels.
vec4 scene_behind(vec2 uv, float roughness) {
  vec2 size = vec2(textureSize(t_scene, 0));
  float level = log2(max(size.x, size.y)) * roughness;
  vec2 texel = 0.5 * exp2(level) / size * min(level, 1.0);
  return 0.25 * (textureLod(t_scene, uv + texel, level) + textureLod(t_scene, uv - texel, level) +
                 textureLod(t_scene, uv + vec2(texel.x, -texel.y), level) +
                 textureLod(t_scene, uv + vec2(-texel.x, texel.y), level));
}
#endif
