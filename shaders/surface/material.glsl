// glTF's metallic-roughness material, textures included.

layout(std140) uniform Material {
  vec4 u_base_color;  // linear
  vec4 u_emissive;    // linear; w: alpha cutoff
  vec4 u_factors;     // metallic, roughness, normal scale, occlusion strength
  ivec4 u_textures;   // bits 0..4: base colour, metallic-roughness, normal, occlusion, emissive are there; x present, y use texcoord 1
                      // z: 0 opaque, 1 mask, 2 blend; w: 1 unlit
};

uniform sampler2D t_base_color;
uniform sampler2D t_metallic_roughness;
uniform sampler2D t_normal;
uniform sampler2D t_occlusion;
uniform sampler2D t_emissive;

vec2 texcoord_of(int slot) {
  return (u_textures.y & (1 << slot)) != 0 ? v_texcoord1 : v_texcoord0;
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

// The shading normal, towards the viewer's side. Flat from the triangle where the part has no normals.
vec3 geometric_normal(vec3 position) {
  vec3 n = cross(dFdx(position), dFdy(position));
  return dot(n, n) > 0.0 ? normalize(n) : vec3(0.0, 1.0, 0.0);
}

vec3 interpolated_normal() {
  vec3 flat_normal = geometric_normal(v_position_world);
  float square = dot(v_normal_world, v_normal_world);
  if (square < 1e-12) {
    // Derivatives run with the screen: this normal faces the viewer already.
    vec3 to_eye = u_eye_world.w > 0.5 ? u_eye_world.xyz - v_position_world : u_eye_world.xyz;
    return dot(flat_normal, to_eye) < 0.0 ? -flat_normal : flat_normal;
  }
  vec3 n = v_normal_world * inversesqrt(square);
  return gl_FrontFacing ? n : -n;
}

// With the normal map. Without tangents the frame comes from screen derivatives of position and texture coordinates
// (Mikkelsen, "Bump Mapping Unparametrized Surfaces on the GPU", JGT 2010).
vec3 mapped_normal(vec3 n) {
  if (!has_texture(2)) {
    return n;
  }
  vec2 uv = texcoord_of(2);
  vec3 sampled = texture(t_normal, uv).xyz * 2.0 - 1.0;
  sampled.xy *= u_factors.z;
  vec3 t = v_tangent_world.xyz - n * dot(n, v_tangent_world.xyz);
  vec3 b;
  if (dot(t, t) > 1e-8) {
    t = normalize(t);
    b = cross(n, t) * (v_tangent_world.w < 0.0 ? -1.0 : 1.0) * (gl_FrontFacing ? 1.0 : -1.0);
  } else {
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
      return n;
    }
    float scale = inversesqrt(size);
    t *= scale;
    b *= scale;
  }
  vec3 result = t * sampled.x + b * sampled.y + n * sampled.z;
  return dot(result, result) > 1e-12 ? normalize(result) : n;
}
