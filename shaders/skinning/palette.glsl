// The skin matrices of one palette batch in a block, or with PALETTE_TEXTURE of the whole skin in a buffer texture.
// Defines: PALETTE_JOINTS (of a block), VEC4S_PER_JOINT.

#ifdef PALETTE_TEXTURE
uniform samplerBuffer t_palette;  // VEC4S_PER_JOINT texels per joint

// The first of a joint's entries.
int palette_entry(uint slot) {
  return VEC4S_PER_JOINT * int(slot);
}

vec4 palette_row(int entry) {
  return texelFetch(t_palette, entry);
}
#else
layout(std140) uniform Palette {
  vec4 u_palette[PALETTE_JOINTS * VEC4S_PER_JOINT];
};

int palette_entry(uint slot) {
  return VEC4S_PER_JOINT * int(min(slot, uint(PALETTE_JOINTS - 1)));
}

vec4 palette_row(int entry) {
  return u_palette[entry];
}
#endif

// An affine matrix stored as its first three rows.
mat4x3 palette_matrix(uint slot) {
  int at = palette_entry(slot);
  return transpose(mat3x4(palette_row(at), palette_row(at + 1), palette_row(at + 2)));
}
