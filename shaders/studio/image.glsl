// An image of a whole sphere: longitude from left to right, the zenith on top; -z is a quarter from the left.

uniform sampler2D t_source;

// Read at the level whose texels are as large as what the sample stands for (Colbert, Krivanek, "GPU-Based Importance
// Sampling", GPU Gems 3, 2007): a small bright sun neither falls between samples nor speckles.
vec3 environment_radiance(vec3 d, float solid_angle) {
  vec2 uv = vec2(atan(d.z, d.x) / 6.28318530718 + 0.5, acos(clamp(d.y, -1.0, 1.0)) / 3.14159265359);
  vec2 size = vec2(textureSize(t_source, 0));
  float texel = 2.0 * 3.14159265359 * 3.14159265359 * sin(3.14159265359 * clamp(uv.y, 0.02, 0.98)) / (size.x * size.y);
  return textureLod(t_source, uv, max(0.5 * log2(solid_angle / texel) + 0.5, 0.0)).rgb;
}
