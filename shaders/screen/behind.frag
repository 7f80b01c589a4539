// A picture over background and ground, under the character; as it is, neither lit nor tone mapped. Premultiplied.

uniform sampler2D t_source;
uniform vec4 u_place;  // lower left corner and size, in sizes of the pane
uniform float u_opacity;

in vec2 v_uv;
out vec4 o_color;

void main() {
  vec2 at = (v_uv - u_place.xy) / u_place.zw;
  vec4 c = texture(t_source, vec2(at.x, 1.0 - at.y));
  if (any(lessThan(at, vec2(0.0))) || any(greaterThan(at, vec2(1.0)))) {
    discard;
  }
  float alpha = c.a * u_opacity;
  o_color = vec4(c.rgb * alpha, alpha);
}
