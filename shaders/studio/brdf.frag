// Split-sum table: scale and bias of F0 over n.v (x) and perceptual roughness (y). Karis 2013. With SHEEN, in blue, the
// share of light from all around that white fibres of that roughness scatter towards the eye.

#include "studio/sampling.glsl"
#ifdef SHEEN
#include "surface/sheen.glsl"
#endif

in vec2 v_uv;
out vec4 o_color;

void main() {
  float n_dot_v = max(v_uv.x, 1e-3);
  float alpha = v_uv.y * v_uv.y;
  vec3 v = vec3(sqrt(1.0 - n_dot_v * n_dot_v), 0.0, n_dot_v);
  float a2 = alpha * alpha;
  vec2 sum = vec2(0.0);
  const uint kCount = 128u;
  for (uint i = 0u; i < kCount; ++i) {
    vec3 h = sample_ggx(hammersley(i, kCount), alpha);
    float v_dot_h = max(dot(v, h), 0.0);
    float n_dot_l = 2.0 * v_dot_h * h.z - v.z;
    if (n_dot_l > 0.0) {
      float visibility = 0.5 / (n_dot_l * sqrt(n_dot_v * n_dot_v * (1.0 - a2) + a2) +
                                n_dot_v * sqrt(n_dot_l * n_dot_l * (1.0 - a2) + a2));
      float g = visibility * v_dot_h * n_dot_l / max(h.z, 1e-6) * 4.0;
      float fresnel = pow(1.0 - v_dot_h, 5.0);
      sum += vec2(1.0 - fresnel, fresnel) * g;
    }
  }
  float fibres = 0.0;
#ifdef SHEEN
  const uint kFibreCount = 512u;
  float fibre_alpha = charlie_alpha(v_uv.y);
  for (uint i = 0u; i < kFibreCount; ++i) {
    vec2 point = hammersley(i, kFibreCount);
    float sine = sqrt(1.0 - point.y * point.y);
    vec3 l = vec3(cos(2.0 * kPi * point.x) * sine, sin(2.0 * kPi * point.x) * sine, point.y);
    float n_dot_h = clamp(normalize(l + v).z, 0.0, 1.0);
    fibres += charlie_distribution(n_dot_h, fibre_alpha) * charlie_visibility(max(l.z, 1e-3), n_dot_v, fibre_alpha) * l.z;
  }
  fibres = min(fibres * 2.0 * kPi / float(kFibreCount), 1.0);
#endif
  o_color = vec4(sum / float(kCount), fibres, 1.0);
}
