// The average of a pixel's samples, as light. Drivers that rasterise on the CPU take several times as long for their own.

uniform sampler2DMS t_samples;
uniform int u_sample_count;
uniform ivec2 u_origin;  // where the samples' first pixel lies in the target

out vec4 o_color;

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy) - u_origin;
  vec4 sum = vec4(0.0);
  for (int i = 0; i < u_sample_count; ++i) {
    sum += texelFetch(t_samples, at, i);
  }
  o_color = sum / float(u_sample_count);
}
