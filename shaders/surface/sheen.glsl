// Light scattered back by fibres. Estevez, Kulla, "Production Friendly Microfacet Sheen BRDF", SIGGRAPH 2017 course, as
// KHR_materials_sheen takes it: alpha is the square of the roughness.

float charlie_distribution(float n_dot_h, float alpha) {
  float inverse = 1.0 / alpha;
  float square = max(1.0 - n_dot_h * n_dot_h, 0.0);
  return (2.0 + inverse) * pow(square, 0.5 * inverse) / 6.28318530718;
}

float charlie_fit(float x, float alpha) {
  float t = (1.0 - alpha) * (1.0 - alpha);
  float a = mix(21.5473, 25.3245, t);
  float b = mix(3.82987, 3.32435, t);
  float c = mix(0.19823, 0.16801, t);
  float d = mix(-1.97760, -1.27393, t);
  float e = mix(-4.32054, -4.85967, t);
  return a / (1.0 + b * pow(x, c)) + d * x + e;
}
float charlie_lambda(float cosine, float alpha) {
  return cosine < 0.5 ? exp(charlie_fit(cosine, alpha))
                      : exp(2.0 * charlie_fit(0.5, alpha) - charlie_fit(1.0 - cosine, alpha));
}
float charlie_visibility(float n_dot_l, float n_dot_v, float alpha) {
  return clamp(1.0 / ((1.0 + charlie_lambda(n_dot_v, alpha) + charlie_lambda(n_dot_l, alpha)) * 4.0 * n_dot_v * n_dot_l),
               0.0, 1.0);
}

// Below this the lobe is too narrow for any table.
float charlie_alpha(float roughness) {
  float r = max(roughness, 0.07);
  return r * r;
}
