// Edges over the surface, in one colour.

#define VARYING in
#include "surface/varyings.glsl"

uniform vec4 u_color;  // linear, straight alpha
out vec4 o_color;

void main() {
  o_color = vec4(u_color.rgb * u_color.a, u_color.a);
}
