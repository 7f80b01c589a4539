// glTF's metallic-roughness material, textures included.

layout(std140) uniform Material {
  vec4 u_base_color;    // linear
  vec4 u_emissive;      // linear; w: alpha cutoff
  vec4 u_factors;       // metallic, roughness, normal scale, occlusion strength
  ivec4 u_textures;     // bits 0..12: the texture of that slot is there; y: it reads texcoord 1, and from bit 16 on: it is
                        // moved by u_texture_rows; z: 0 opaque, 1 mask, 2 blend; w: 1 unlit
  vec4 u_dielectric;    // reflection at normal incidence of what is not metal, unclamped; w: weight
  vec4 u_clearcoat;     // factor, roughness, normal scale
  vec4 u_sheen;         // colour, roughness
  vec4 u_transmission;  // factor, roughness of the refracted image per roughness of the surface
  vec4 u_texture_rows[26];  // two rows of an affine map per slot
};

// Slots: 0 base colour, 1 metallic-roughness, 2 normal, 3 occlusion, 4 emissive, 5 specular, 6 specular colour, 7 clearcoat,
// 8 clearcoat roughness, 9 clearcoat normal, 10 sheen colour, 11 sheen roughness, 12 transmission.
uniform sampler2D t_base_color;
uniform sampler2D t_metallic_roughness;
uniform sampler2D t_normal;
uniform sampler2D t_occlusion;
uniform sampler2D t_emissive;

vec2 texcoord_of(int slot) {
  vec2 uv = (u_textures.y & (1 << slot)) != 0 ? v_texcoord1 : v_texcoord0;
  if ((u_textures.y & (65536 << slot)) != 0) {
    uv = vec2(dot(u_texture_rows[2 * slot].xyz, vec3(uv, 1.0)), dot(u_texture_rows[2 * slot + 1].xyz, vec3(uv, 1.0)));
  }
  return uv;
}
bool has_texture(int slot) {
  return (u_textures.x & (1 << slot)) != 0;
}

vec4 surface_color() {
  vec4 c = u_base_color * v_color;
  if (has_texture(0)) {
    c *= texture(t_base_color, texcoord_of(0));
  }
  return c;
}

// Share of the pixel that a surface with holes covers: all or nothing, unless samples can tell. Then the edge is a pixel wide
// however blurred the texture is there (Golus, "Anti-aliased Alpha Test", 2017). 1 for surfaces without holes.
float mask_coverage(float alpha) {
  if (u_textures.z != 1) {
    return 1.0;
  }
  float edge = u_picture.y > 0.5 ? clamp((alpha - u_emissive.w) / max(fwidth(alpha), 1e-4) + 0.5, 0.0, 1.0)
                                 : step(u_emissive.w, alpha);
  if (edge <= 0.0) {
    discard;
  }
  return edge;
}

vec3 towards_eye() {
  return normalize(u_eye_world.w > 0.5 ? u_eye_world.xyz - v_position_world : u_eye_world.xyz);
}

// The shading normal, towards the viewer's side. Flat from the triangle where the part has no normals; points and lines
// without normals, which a part with NO_SURFACE consists of, have none that derivatives could tell.
vec3 geometric_normal(vec3 position) {
  vec3 n = cross(dFdx(position), dFdy(position));
  return dot(n, n) > 0.0 ? normalize(n) : vec3(0.0, 1.0, 0.0);
}

vec3 interpolated_normal() {
#ifdef NO_SURFACE
  return towards_eye();
#else
  vec3 flat_normal = geometric_normal(v_position_world);
  float square = dot(v_normal_world, v_normal_world);
  if (square < 1e-12) {
    // Derivatives run with the screen: this normal faces the viewer already.
    return dot(flat_normal, towards_eye()) < 0.0 ? -flat_normal : flat_normal;
  }
  vec3 n = v_normal_world * inversesqrt(square);
  return gl_FrontFacing ? n : -n;
#endif
}

// Directions in which texture coordinates grow, along the surface. Without tangents they come from screen derivatives of
// position and texture coordinates (Mikkelsen, "Bump Mapping Unparametrized Surfaces on the GPU", JGT 2010). False where
// there are no texture coordinates either.
bool tangent_frame(vec3 n, vec2 uv, out vec3 t, out vec3 b) {
  t = v_tangent_world.xyz - n * dot(n, v_tangent_world.xyz);
  if (dot(t, t) > 1e-8) {
    t = normalize(t);
    b = cross(n, t) * (v_tangent_world.w < 0.0 ? -1.0 : 1.0) * (gl_FrontFacing ? 1.0 : -1.0);
    return true;
  }
  vec3 px = dFdx(v_position_world);
  vec3 py = dFdy(v_position_world);
  vec2 ux = dFdx(uv);
  vec2 uy = dFdy(uv);
  vec3 r1 = cross(py, n);
  vec3 r2 = cross(n, px);
  float det = dot(px, r1);
  t = (r1 * ux.x + r2 * uy.x) * sign(det);
  b = (r1 * ux.y + r2 * uy.y) * sign(det);
  float size = max(dot(t, t), dot(b, b));
  if (size < 1e-20) {
    return false;
  }
  float scale = inversesqrt(size);
  t *= scale;
  b *= scale;
  return true;
}

// A normal map's normal.
// @param sampled  in tangent space, of any length
vec3 bent_normal(vec3 n, vec3 sampled, vec2 uv) {
  vec3 t;
  vec3 b;
  if (!tangent_frame(n, uv, t, b)) {
    return n;
  }
  vec3 result = t * sampled.x + b * sampled.y + n * sampled.z;
  return dot(result, result) > 1e-12 ? normalize(result) : n;
}

vec3 mapped_normal(vec3 n) {
  if (!has_texture(2)) {
    return n;
  }
  vec2 uv = texcoord_of(2);
  vec3 sampled = texture(t_normal, uv).xyz * 2.0 - 1.0;
  sampled.xy *= u_factors.z;
  return bent_normal(n, sampled, uv);
}

float surface_occlusion() {
  return has_texture(3) ? 1.0 + u_factors.w * (texture(t_occlusion, texcoord_of(3)).r - 1.0) : 1.0;
}

// Metallic, roughness.
vec2 surface_metal() {
  vec2 metal = u_factors.xy;
  if (has_texture(1)) {
    metal *= texture(t_metallic_roughness, texcoord_of(1)).bg;
  }
  return metal;
}
