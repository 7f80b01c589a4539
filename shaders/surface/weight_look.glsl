// The look of weights from the blend attributes: the ramp of one joint's weight, or the colours of all joints blended.
// Mirrors look_colors() of src/render/look_colors.cpp, which colours what is not skinned here. Define: WEIGHT_LOOK, stops
// of the ramp.

// The ramp, no weight, no influence; then the joints of each batch.
uniform samplerBuffer t_look_colors;

vec4 ramp_color(float weight) {
  float at = clamp(weight, 0.0, 1.0) * float(WEIGHT_LOOK - 1);
  int i = min(int(at), WEIGHT_LOOK - 2);
  float share = at - float(i);
  return texelFetch(t_look_colors, i) * (1.0 - share) + texelFetch(t_look_colors, i + 1) * share;
}

// The alpha of one joint's is its weight, of which look.frag draws isolines.
// @param batch  the same for all vertices of a batch. x: the slot of the joint, -1 where the batch reads it not; y: the
//               first colour of its joints where all are shown, else -1; z: 1 where weights need not sum to one
vec4 weight_look(vec4 batch) {
  if (batch.y < 0.0) {
    float weight = 0.0;
    for (int k = 0; k < ROW_SLOTS; ++k) {
      if (row_weight(k) > 0.0 && int(row_slot(k)) == int(batch.x)) {
        weight = row_weight(k);
      }
    }
    return vec4((weight > 0.0 ? ramp_color(weight) : texelFetch(t_look_colors, WEIGHT_LOOK)).rgb, weight);
  }
  if (row_is_empty()) {
    return texelFetch(t_look_colors, WEIGHT_LOOK + 1);
  }
  vec3 blend = vec3(0.0);
  float total = 0.0;
  for (int k = 0; k < ROW_SLOTS; ++k) {
    if (row_weight(k) > 0.0) {
      blend += row_weight(k) * texelFetch(t_look_colors, int(batch.y) + int(row_slot(k))).rgb;
      total += row_weight(k);
    }
  }
  return vec4(batch.z > 0.5 ? blend / total : blend, 1.0);
}
