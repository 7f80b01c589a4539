// One face and level of the maps of what shines from all around: light gathered about a direction. Karis 2013.

#include ENVIRONMENT
#include "studio/sampling.glsl"
#ifdef GATHER_SHEEN
#include "surface/sheen.glsl"
#endif

uniform int u_face;
uniform float u_alpha;  // below 0: by cosine (diffuse irradiance over pi); 0: the direction itself; above: by GGX, or with
                        // GATHER_SHEEN by the fibres' distribution, with the view along the normal
uniform int u_sample_count;
uniform float u_texel;  // solid angle of a texel

in vec2 v_uv;
out vec4 o_color;

void main() {
  vec3 n = cube_direction(u_face, v_uv);
  if (u_alpha == 0.0) {
    o_color = vec4(environment_radiance(n, u_texel), 1.0);
    return;
  }
  mat3 frame = basis(n);
  vec3 sum = vec3(0.0);
  float weight = 0.0;
  uint count = uint(u_sample_count);
  float share = 1.0 / float(count);
  for (uint i = 0u; i < count; ++i) {
    vec2 point = hammersley(i, count);
    if (u_alpha < 0.0) {
      float radius = sqrt(point.y);
      float phi = 2.0 * kPi * point.x;
      float cosine = sqrt(1.0 - point.y);
      sum += environment_radiance(frame * vec3(cos(phi) * radius, sin(phi) * radius, cosine),
                                  share * kPi / max(cosine, 1e-3));
      weight += 1.0;
    } else {
#ifdef GATHER_SHEEN
      float sine = pow(point.y, u_alpha / (2.0 * u_alpha + 1.0));
      float phi = 2.0 * kPi * point.x;
      vec3 h = vec3(cos(phi) * sine, sin(phi) * sine, sqrt(max(1.0 - sine * sine, 0.0)));
      float density = charlie_distribution(h.z, u_alpha);
#else
      vec3 h = sample_ggx(point, u_alpha);
      float root = 1.0 + h.z * h.z * (u_alpha * u_alpha - 1.0);
      float density = u_alpha * u_alpha / (kPi * root * root);
#endif
      vec3 l = vec3(2.0 * h.z * h.xy, 2.0 * h.z * h.z - 1.0);
      if (l.z > 0.0) {
        // With the view along the normal n.h = v.h, so the density of l is a quarter of that of facets.
        sum += environment_radiance(frame * l, 4.0 * share / max(density, 1e-6)) * l.z;
        weight += l.z;
      }
    }
  }
  o_color = vec4(sum / max(weight, 1e-6), 1.0);
}
