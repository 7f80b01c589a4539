// The file's own lights, by KHR_lights_punctual. They cast no shadows.

struct PunctualLight {
  vec4 position;   // world; w: 0 directional
  vec4 color;      // times intensity; w: range, 0 infinite
  vec4 direction;  // in which it shines, unit
  vec4 cone;       // scale and offset of the cosine from the axis; 0 and 1 where there is no cone
};

layout(std140) uniform Lights {
  ivec4 u_light_count;
  PunctualLight u_lights[LIGHT_LIMIT];
};

// Illuminance of a surface that faces the light.
// @param l  out: towards the light, unit
vec3 punctual_light(PunctualLight light, vec3 position, out vec3 l) {
  l = -light.direction.xyz;
  if (light.position.w == 0.0) {
    return light.color.rgb;
  }
  vec3 to_light = light.position.xyz - position;
  float square = max(dot(to_light, to_light), 1e-8);
  float distance_to = sqrt(square);
  l = to_light / distance_to;
  float falloff = 1.0;
  if (light.color.w > 0.0) {
    float share = distance_to / light.color.w;
    falloff = clamp(1.0 - share * share * share * share, 0.0, 1.0);
  }
  float cone = clamp(dot(light.direction.xyz, -l) * light.cone.x + light.cone.y, 0.0, 1.0);
  return light.color.rgb * (falloff * cone * cone / square);
}
