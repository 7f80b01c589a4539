uniform vec4 u_color;  // sRGB, straight alpha
uniform float u_radius;

out vec4 o_color;

void main() {
  vec2 from_middle = (gl_PointCoord - 0.5) * (2.0 * u_radius + 2.0);
  float alpha = u_color.a * clamp(u_radius + 0.5 - length(from_middle), 0.0, 1.0);
  if (alpha <= 0.0) {
    discard;
  }
  o_color = vec4(u_color.rgb * alpha, alpha);
}
