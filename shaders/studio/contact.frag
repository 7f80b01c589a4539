// How much of the sky a point on the ground loses to what is close above it: t_source is the height of the lowest surface
// above the ground, seen from below, over u_reach metres (0..1).

uniform sampler2D t_source;
uniform vec4 u_contact;  // radius in texture coordinates, radius in metres, reach in metres

in vec2 v_uv;
out vec4 o_color;

void main() {
  const int kTaps = 40;
  float sum = 0.0;
  float total = 0.0;
  for (int i = 0; i < kTaps; ++i) {
    float angle = float(i) * 2.39996323;
    float r = sqrt((float(i) + 0.5) / float(kTaps));
    float height = texture(t_source, v_uv + vec2(cos(angle), sin(angle)) * r * u_contact.x).r * u_contact.z;
    // Occlusion of the cosine-weighted sky by a patch at this height and distance.
    float away = r * u_contact.y;
    float weight = 1.0 - 0.7 * r;
    float block = height < u_contact.z * 0.999 ? u_contact.y * u_contact.y / (u_contact.y * u_contact.y + 14.0 * height * height + 3.0 * away * away) : 0.0;
    sum += block * weight;
    total += weight;
  }
  o_color = vec4(sum / total);
}
