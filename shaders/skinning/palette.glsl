// The skin matrices of one palette batch. Defines: PALETTE_JOINTS, VEC4S_PER_JOINT.

layout(std140) uniform Palette {
  vec4 u_palette[PALETTE_JOINTS * VEC4S_PER_JOINT];
};

// An affine matrix stored as its first three rows.
mat4x3 palette_matrix(uint slot) {
  int at = 3 * int(min(slot, uint(PALETTE_JOINTS - 1)));
  return transpose(mat3x4(u_palette[at], u_palette[at + 1], u_palette[at + 2]));
}
