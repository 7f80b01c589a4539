// Faces, lines, balls, dots and rings with smooth edges, all measured in pixels.

#include "overlay/visibility.glsl"

const int kFace = 0;
const int kLine = 1;
const int kBall = 2;
const int kDot = 3;
const int kRing = 4;

noperspective in vec4 v_color;
noperspective in vec4 v_shape;
flat in vec3 v_style;  // kind; opacity where hidden, where visible
out vec4 o_color;

void main() {
  int kind = int(v_style.x + 0.5);
  vec4 color = v_color;
  if (kind == kLine) {
    // x along from the first end, y across, z length, w half width
    float beyond = max(max(-v_shape.x, v_shape.x - v_shape.z), 0.0);
    color.a *= clamp(v_shape.w + 0.5 - length(vec2(beyond, v_shape.y)), 0.0, 1.0);
  } else if (kind != kFace) {
    // xy from the centre, z radius, w width of the rim
    float r = length(v_shape.xy);
    float rim = clamp(r - (v_shape.z - v_shape.w) + 0.5, 0.0, 1.0);
    color.a *= clamp(v_shape.z + 0.5 - r, 0.0, 1.0);
    if (kind == kRing) {
      color.a *= rim;
    } else {
      if (kind == kBall) {
        vec2 p = v_shape.xy / v_shape.z;
        vec3 n = vec3(p, sqrt(max(1.0 - dot(p, p), 0.0)));
        color.rgb *= 0.62 + 0.46 * max(dot(n, normalize(vec3(-0.35, 0.6, 0.72))), 0.0);
      }
      color.rgb = mix(color.rgb, color.rgb * 0.22, rim * 0.85);
    }
  }
  color.a *= mix(v_style.y, v_style.z, visibility());
  if (color.a <= 0.0) {
    discard;
  }
  o_color = vec4(min(color.rgb, vec3(1.0)) * color.a, color.a);
}
