// Lights, ground and backdrop of one picture, and the shadow that all surfaces share.

layout(std140) uniform Studio {
  mat4 u_shadow_from_world;   // to 0..1 in the key light's depth map
  mat4 u_contact_from_world;  // to 0..1 over the ground below the character
  vec4 u_key_direction;       // towards the light, unit; w: tangent of the light's half angle
  vec4 u_key_color;           // radiance times pi; w: 1 where shadows are drawn
  vec4 u_shadow_size;         // width of the map in metres, texel in metres, depth range in metres, radius of the character
  vec4 u_ground;              // height, radius of its fade, grid spacing, grid strength
  vec4 u_backdrop_low;        // at the horizon; w: 1 ground is a surface, 0 it only catches shadow
  vec4 u_backdrop_high;       // w: 1 the environment itself is the backdrop
  vec4 u_ground_color;
  vec4 u_ground_center;       // xyz: where the ground is brightest
  vec4 u_ground_map;          // world x and z of a corner of the shadow map of the ground, its side; 1 where it is drawn
  vec4 u_rim_color;           // radiance at silhouettes
};

uniform sampler2DShadow t_shadow;
uniform sampler2D t_shadow_depth;

vec2 vogel(int i, int n, float turn) {
  float angle = float(i) * 2.39996323 + turn;
  return vec2(cos(angle), sin(angle)) * sqrt((float(i) + 0.5) / float(n));
}

// 1 lit, 0 in shadow. Penumbra as wide as an area light of that half angle makes it (Fernando, "Percentage-Closer Soft
// Shadows", 2005), so that feet stand firmly and heads throw a soft shadow.
float key_visibility(vec3 position, vec3 normal, vec2 pixel, float noise) {
  if (u_key_color.w == 0.0) {
    return 1.0;
  }
  // Offset along the normal by the widest filter's slope keeps lit surfaces from shadowing themselves.
  float slope = 1.0 - clamp(dot(normal, u_key_direction.xyz), 0.0, 1.0);
  vec3 from = position + normal * u_shadow_size.y * (1.2 + 3.0 * slope);
  vec3 p = (u_shadow_from_world * vec4(from, 1.0)).xyz;
  if (any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) {
    return 1.0;
  }
  float turn = noise * 6.2831853;
  const int kSearch = 12;
  const int kFilter = 20;
  float search_radius = 0.035 * u_shadow_size.w / u_shadow_size.x + 2.0 * u_shadow_size.y / u_shadow_size.x;
  float bias = 1.5 * u_shadow_size.y / u_shadow_size.z;
  float blockers = 0.0;
  float depth = 0.0;
  for (int i = 0; i < kSearch; ++i) {
    float d = texture(t_shadow_depth, p.xy + vogel(i, kSearch, turn) * search_radius).r;
    if (d < p.z - bias) {
      depth += d;
      blockers += 1.0;
    }
  }
  if (blockers == 0.0) {
    return 1.0;
  }
  float gap = (p.z - depth / blockers) * u_shadow_size.z;  // metres along the light
  float radius = clamp(gap * u_key_direction.w, 1.2 * u_shadow_size.y, 0.06 * u_shadow_size.w) / u_shadow_size.x;
  float filter_bias = bias + radius * 0.6 * u_shadow_size.x * slope / u_shadow_size.z;
  float lit = 0.0;
  for (int i = 0; i < kFilter; ++i) {
    lit += texture(t_shadow, vec3(p.xy + vogel(i, kFilter, turn) * radius, p.z - filter_bias));
  }
  return lit / float(kFilter);
}
