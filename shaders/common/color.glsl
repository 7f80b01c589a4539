// Scene-referred light to display-referred colour.

vec3 encode_srgb(vec3 c) {
  c = clamp(c, 0.0, 1.0);
  return mix(c * 12.92, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
}

vec3 decode_srgb(vec3 c) {
  return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(0.04045, c));
}

// Leaves colours below the shoulder as they are, so that materials look as their author chose them, and rolls brighter ones
// off towards white. Source: Khronos PBR Neutral Tone Mapper, specification 1.0, 2024.
vec3 khronos_neutral(vec3 c) {
  const float kShoulder = 0.76;
  const float kDesaturation = 0.15;
  float low = min(c.r, min(c.g, c.b));
  // Fresnel adds about 4 % of white to every dielectric; taking it away keeps saturated base colours saturated.
  c -= low < 0.08 ? low - 6.25 * low * low : 0.04;
  float peak = max(c.r, max(c.g, c.b));
  if (peak <= kShoulder) {
    return c;
  }
  float room = 1.0 - kShoulder;
  float mapped = 1.0 - room * room / (peak + room - kShoulder);
  c *= mapped / peak;
  float white = 1.0 - 1.0 / (kDesaturation * (peak - mapped) + 1.0);
  return mix(c, vec3(mapped), white);
}

// A film-like curve, each channel alone. Source: Narkowicz, "ACES Filmic Tone Mapping Curve", 2016, with the exposure that
// goes with its constants (0.6) left to the user.
vec3 aces_filmic(vec3 c) {
  return clamp(c * (2.51 * c + 0.03) / (c * (2.43 * c + 0.59) + 0.14), 0.0, 1.0);
}

// @param mode  u_picture.x of the Frame block
vec3 tone_map(vec3 c, float mode) {
  return mode > 1.5 ? c : mode > 0.5 ? aces_filmic(c) : khronos_neutral(c);
}

// Evenly spread over 0..1 per pixel, without visible pattern: Jimenez, "Next Generation Post Processing in Call of Duty", 2014.
float interleaved_noise(vec2 pixel) {
  return fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715))));
}

// Half a step of noise against bands in smooth gradients; for sRGB-encoded targets the step is larger in the dark.
vec3 dithered(vec3 linear_color, vec2 pixel) {
  vec3 step_size = (2.0 * sqrt(max(linear_color, vec3(1e-4)))) / 255.0;
  return max(linear_color + (interleaved_noise(pixel) - 0.5) * step_size, 0.0);
}
