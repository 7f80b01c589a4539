// How much of the scene at this pixel lies behind the fragment, 0..1. The scene's depth has one sample per pixel; taking its
// neighbours along softens the border between what is in front and what is behind.

uniform sampler2D t_source;
uniform ivec2 u_origin;

float visibility() {
  ivec2 size = textureSize(t_source, 0);
  ivec2 at = ivec2(gl_FragCoord.xy) - u_origin;
  float visible = 0.0;
  for (int y = -1; y <= 1; ++y) {
    for (int x = -1; x <= 1; ++x) {
      float scene = texelFetch(t_source, clamp(at + ivec2(x, y), ivec2(0), size - 1), 0).r;
      visible += gl_FragCoord.z <= scene ? 1.0 : 0.0;
    }
  }
  return visible / 9.0;
}
