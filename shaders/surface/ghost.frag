// The character at another moment of its clip: one colour, see-through; masked materials (WITH_HOLES) cut their holes.

#ifdef WITH_HOLES
#define VARYING in
#include "surface/varyings.glsl"
#include "common/frame.glsl"
#include "surface/material.glsl"
#endif

uniform vec4 u_color;  // linear, straight alpha
out vec4 o_color;

void main() {
#ifdef WITH_HOLES
  mask_coverage(surface_color().a);
#endif
  o_color = vec4(u_color.rgb * u_color.a, u_color.a);
}
