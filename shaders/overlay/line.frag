#include "overlay/visibility.glsl"

uniform vec4 u_color;  // sRGB, straight alpha
uniform float u_half_width;

noperspective in vec2 v_across;
out vec4 o_color;

void main() {
  float coverage = clamp(u_half_width + 0.5 - abs(v_across.x), 0.0, 1.0);
  // Normals of the far side would only cover the near ones.
  float alpha = u_color.a * coverage * visibility();
  if (alpha <= 0.0) {
    discard;
  }
  o_color = vec4(mix(u_color.rgb, vec3(1.0), 0.35 * v_across.y) * alpha, alpha);
}
