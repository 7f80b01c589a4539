#ifndef THROUGH_THE_SURFACE
#include "overlay/visibility.glsl"
#endif

uniform vec4 u_color;  // sRGB, straight alpha
uniform float u_half_width;
uniform float u_paler;  // by how much the tip is

noperspective in vec2 v_across;
out vec4 o_color;

void main() {
  float coverage = clamp(u_half_width + 0.5 - abs(v_across.x), 0.0, 1.0);
  float alpha = u_color.a * coverage;
#ifndef THROUGH_THE_SURFACE
  // Normals of the far side would only cover the near ones.
  alpha *= visibility();
#endif
  if (alpha <= 0.0) {
    discard;
  }
  o_color = vec4(mix(u_color.rgb, vec3(1.0), u_paler * v_across.y) * alpha, alpha);
}
