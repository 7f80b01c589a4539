// A covered sky over grey ground. CIE Standard General Sky type 1 (ISO 15469:2004): the zenith is three times as bright as
// the horizon (Moon, Spencer, "Illumination from a Non-Uniform Sky", 1942).

vec3 environment_radiance(vec3 d, float solid_angle) {
  const vec3 kZenith = vec3(1.08, 1.13, 1.20);
  vec3 sky = kZenith * (1.0 + 2.0 * max(d.y, 0.0)) / 3.0;
  // The ground returns a fifth of the sky's illuminance over pi, which is 7/9 of the zenith's radiance (Moon, Spencer).
  vec3 ground = 0.2 * 7.0 / 9.0 * kZenith * vec3(1.0, 0.96, 0.9);
  return mix(ground, sky, smoothstep(-0.03, 0.03, d.y));
}
