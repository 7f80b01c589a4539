// A clear sky with the sun low on the left: a warm band along the horizon, brightest round the sun, under blue that deepens
// upwards. The sun's disc is the key light and not in here.

vec3 environment_radiance(vec3 d, float solid_angle) {
  const vec3 kSun = vec3(0.8184, 0.2120, 0.5341);  // kSunsetDirection of render/environment.cpp
  float up = max(d.y, 0.0);
  float toward = dot(d, kSun);
  vec3 sky = mix(vec3(0.62, 0.50, 0.46), vec3(0.13, 0.22, 0.42), 1.0 - exp(-4.0 * up));
  // The band is warm towards the sun and violet away from it.
  sky += mix(vec3(0.16, 0.10, 0.16), vec3(1.15, 0.52, 0.16), smoothstep(-0.4, 0.9, toward)) * exp(-7.0 * up);
  // Glow round the sun, wide and narrow.
  sky += vec3(1.6, 0.75, 0.28) * exp(-6.0 * (1.0 - toward)) + vec3(7.0, 3.9, 1.7) * exp(-70.0 * (1.0 - toward));
  vec3 ground = vec3(0.17, 0.125, 0.105);
  return mix(ground, sky, smoothstep(-0.04, 0.02, d.y));
}
