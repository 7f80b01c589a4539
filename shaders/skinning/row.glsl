// The influences of one vertex, heaviest first, in one or two attribute sets (INFLUENCE_SETS); unused slots have weight
// 0 and are never looked up, so that whatever stands in them, or in the matrices they name, does no harm.

layout(location = ATTRIBUTE_BLEND_INDICES) in uvec4 a_blend_indices;
layout(location = ATTRIBUTE_BLEND_WEIGHTS) in vec4 a_blend_weights;
#if INFLUENCE_SETS > 1
layout(location = ATTRIBUTE_BLEND_INDICES1) in uvec4 a_blend_indices1;
layout(location = ATTRIBUTE_BLEND_WEIGHTS1) in vec4 a_blend_weights1;
#endif
#if VEC4S_PER_VERTEX > 0
// What the method prepared for this vertex, see SkinningMethod::prepare.
layout(location = ATTRIBUTE_PREPARED) in vec4 a_prepared[VEC4S_PER_VERTEX];
#endif

#define ROW_SLOTS (4 * INFLUENCE_SETS)

uint row_slot(int k) {
#if INFLUENCE_SETS > 1
  if (k >= 4) {
    return a_blend_indices1[k - 4];
  }
#endif
  return a_blend_indices[k];
}

// A vertex that follows no joint is placed as if by the identity.
bool row_is_empty() {
  return !(a_blend_weights[0] > 0.0);
}

// What three 8-bit weights leave of 255; counted in integers, so that nothing left is nothing.
float row_implied_weight() {
  vec3 units = floor(a_blend_weights.xyz * 255.0 + 0.5);
  return row_is_empty() ? 0.0 : (255.0 - units.x - units.y - units.z) / 255.0;
}

float row_weight(int k) {
  // Attributes shorter than four are filled up by OpenGL, with 1 at the end.
  if (u_part.w != 0 && k >= abs(u_part.w)) {
    return 0.0;
  }
  if (k + 1 == -u_part.w) {
    return row_implied_weight();
  }
#if INFLUENCE_SETS > 1
  if (k >= 4) {
    return a_blend_weights1[k - 4];
  }
#endif
  return a_blend_weights[k];
}
