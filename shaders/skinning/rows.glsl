// Rows of any length: what a vertex follows in place of its influences, and the whole palette of its skin. Both are
// buffer textures, so neither is split into batches. Defines: VEC4S_PER_JOINT, VEC4S_PER_ROW, VEC4S_PER_VERTEX.

layout(location = ATTRIBUTE_ROW) in uvec2 a_row;  // first entry, number of entries
#if VEC4S_PER_VERTEX > 0
// What the method prepared for this vertex, see SkinningMethod::prepare.
layout(location = ATTRIBUTE_PREPARED) in vec4 a_prepared[VEC4S_PER_VERTEX];
#endif

uniform samplerBuffer t_rows;     // VEC4S_PER_ROW texels per entry
uniform samplerBuffer t_palette;  // VEC4S_PER_JOINT texels per joint

// A vertex that follows no joint is placed as if by the identity.
bool row_is_empty() {
  return a_row.y == 0u;
}

vec4 row_data(uint k, int i) {
  return texelFetch(t_rows, VEC4S_PER_ROW * int(a_row.x + k) + i);
}

// An affine matrix stored as its first three rows.
mat4x3 joint_matrix(int joint) {
  int at = VEC4S_PER_JOINT * joint;
  return transpose(mat3x4(texelFetch(t_palette, at), texelFetch(t_palette, at + 1), texelFetch(t_palette, at + 2)));
}

// Whatever the method packs behind the matrix.
vec4 joint_data(int joint, int i) {
  return texelFetch(t_palette, VEC4S_PER_JOINT * joint + 3 + i);
}
