// How much of the sky a point on the ground loses to what is close above it: t_source is the height of the lowest surface
// above the ground, seen from below, over the map's reach (0..1). Two passes: a soft one, a hand wide, in a small map; then
// with CONTACT_TIGHT, where that one is dark at all, the gap right under soles, a finger wide, and both as one darkness.

#include "common/color.glsl"

uniform sampler2D t_source;
uniform vec4 u_contact;  // radius in texture coordinates, radius in metres, reach in metres
#ifdef CONTACT_TIGHT
uniform sampler2D t_contact;  // of the soft pass
#endif

in vec2 v_uv;
out vec4 o_color;

float height_at(int i, int taps, float turn, out float r) {
  float angle = float(i) * 2.39996323 + turn;
  r = sqrt((float(i) + 0.5) / float(taps));
  return texture(t_source, v_uv + vec2(cos(angle), sin(angle)) * r * u_contact.x).r;
}

#ifdef CONTACT_TIGHT
void main() {
  float soft = texture(t_contact, v_uv).r;
  const int kTaps = 32;
  int taps = soft > 0.004 ? kTaps : 0;
  float turn = 6.2831853 * interleaved_noise(gl_FragCoord.xy);
  float sum = 0.0;
  float total = 1e-6;
  for (int i = 0; i < taps; ++i) {
    float r;
    float gap = height_at(i, kTaps, turn, r) * u_contact.z / u_contact.y;
    float weight = (1.0 - r) * (1.0 - r);
    sum += weight / (1.0 + 10.0 * gap * gap);
    total += weight;
  }
  // At a straight edge half of the surroundings are covered, which is where the gap is darkest.
  float tight = smoothstep(0.0, 0.55, sum / total);
  o_color = vec4(1.0 - (1.0 - 0.72 * soft) * (1.0 - 0.86 * tight));
}
#else
void main() {
  const int kTaps = 40;
  float sum = 0.0;
  float total = 0.0;
  for (int i = 0; i < kTaps; ++i) {
    float r;
    float height = height_at(i, kTaps, 0.0, r) * u_contact.z;
    // Occlusion of the cosine-weighted sky by a patch at this height and distance.
    float away = r * u_contact.y;
    float weight = 1.0 - 0.7 * r;
    float block = height < u_contact.z * 0.999 ? u_contact.y * u_contact.y / (u_contact.y * u_contact.y + 14.0 * height * height + 3.0 * away * away) : 0.0;
    sum += block * weight;
    total += weight;
  }
  o_color = vec4(sum / total);
}
#endif
