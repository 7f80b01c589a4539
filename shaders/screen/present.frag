// The finished picture to an 8-bit target that does no encoding of its own; straight alpha.

#include "common/color.glsl"

uniform sampler2D t_source;
in vec2 v_uv;
out vec4 o_color;

void main() {
  vec4 c = texture(t_source, v_uv);
  o_color = vec4(encode_srgb(c.a > 0.0 ? c.rgb / c.a : vec3(0.0)), c.a);
}
