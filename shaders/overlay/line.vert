// One instance per line, a normal, an edge of a cage or what leads from a centre to its vertex: a quad of constant width
// in pixels.

layout(location = 0) in vec3 a_position;
layout(location = 1) in vec3 a_direction;

uniform mat4 u_clip_from_world;
uniform vec4 u_eye;        // xyz eye, w 1; or xyz direction towards the eye, w 0
uniform vec2 u_half_size;  // of the picture, pixels
uniform float u_length;    // metres per unit of the direction
uniform float u_half_width;  // pixels

noperspective out vec2 v_across;  // pixels from the middle; 0 at the start, 1 at the tip

// Moved towards the eye by a little, so that the surface does not hide what starts on it.
vec4 clip_at(vec3 position) {
  vec4 clip = u_clip_from_world * vec4(position, 1.0);
#ifndef THROUGH_THE_SURFACE
  vec3 towards = u_eye.w > 0.0 ? normalize(u_eye.xyz - position) : u_eye.xyz;
  vec4 nearer = u_clip_from_world * vec4(position + towards * (0.06 * u_length), 1.0);
  if (nearer.w > 0.0) {
    clip.z = nearer.z / nearer.w * clip.w;
  }
#endif
  return clip;
}

void main() {
  vec4 a = clip_at(a_position);
  vec4 b = clip_at(a_position + a_direction * u_length);
  float least = 1e-6 * max(abs(a.w), abs(b.w));
  bool drawn = max(a.w, b.w) > least;
#ifndef THROUGH_THE_SURFACE
  drawn = drawn && dot(a_direction, a_direction) > 0.0;  // vertices without a normal have zero
#endif
  if (a.w < least) {
    a = mix(a, b, (least - a.w) / (b.w - a.w));
  } else if (b.w < least) {
    b = mix(b, a, (least - b.w) / (a.w - b.w));
  }
  vec2 along = b.xy / b.w * u_half_size - a.xy / a.w * u_half_size;
  float pixels = length(along);
  along = pixels > 1e-4 ? along / pixels : vec2(1.0, 0.0);
  float side = (gl_VertexID & 1) == 0 ? -1.0 : 1.0;
  bool tip = gl_VertexID >= 2;
  vec4 clip = tip ? b : a;
  clip.xy += vec2(-along.y, along.x) * side * (u_half_width + 1.0) / u_half_size * clip.w;
  v_across = vec2(side * (u_half_width + 1.0), tip ? 1.0 : 0.0);
  gl_Position = drawn ? clip : vec4(2.0, 2.0, 2.0, 1.0);
}
