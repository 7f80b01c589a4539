// Which triangle of which part is seen: what picking reads back.

uniform uvec2 u_ids;  // the part plus one; the batch's first triangle in the buffers
out uvec2 o_ids;

void main() {
  o_ids = uvec2(u_ids.x, u_ids.y + uint(gl_PrimitiveID));
}
