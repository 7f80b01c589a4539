// One face and level of the studio's maps: light gathered about a direction. u_alpha < 0 gathers by cosine (diffuse
// irradiance over pi), 0 takes the direction itself, above 0 by GGX with the view along the normal (Karis 2013).

#include "studio/studio.glsl"
#include "studio/sampling.glsl"

uniform int u_face;
uniform float u_alpha;
uniform int u_sample_count;

in vec2 v_uv;
out vec4 o_color;

void main() {
  vec3 n = cube_direction(u_face, v_uv);
  if (u_alpha == 0.0) {
    o_color = vec4(studio_radiance(n), 1.0);
    return;
  }
  mat3 frame = basis(n);
  vec3 sum = vec3(0.0);
  float weight = 0.0;
  uint count = uint(u_sample_count);
  for (uint i = 0u; i < count; ++i) {
    vec2 point = hammersley(i, count);
    if (u_alpha < 0.0) {
      float radius = sqrt(point.y);
      float phi = 2.0 * kPi * point.x;
      sum += studio_radiance(frame * vec3(cos(phi) * radius, sin(phi) * radius, sqrt(1.0 - point.y)));
      weight += 1.0;
    } else {
      vec3 h = sample_ggx(point, u_alpha);
      vec3 l = vec3(2.0 * h.z * h.xy, 2.0 * h.z * h.z - 1.0);
      if (l.z > 0.0) {
        sum += studio_radiance(frame * l) * l.z;
        weight += l.z;
      }
    }
  }
  o_color = vec4(sum / max(weight, 1e-6), 1.0);
}
