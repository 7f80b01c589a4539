// Morph targets before skinning, ALGORITHMS.md section 17: base + sum of weight times delta, in the order of the targets.
// Only targets whose weight is not zero are listed. Normals and tangents are left un-normalised, handedness is kept.

layout(location = ATTRIBUTE_SOURCE_VERTEX) in uint a_source_vertex;

// One texel per target, vertex and kind: position, then normal and tangent where the primitive has such deltas.
uniform sampler2D t_morph_deltas;

layout(std140) uniform Morph {
  ivec4 u_morph_layout;                 // active targets, vertices, texels per vertex, 1: normal deltas + 2: tangent deltas
  vec4 u_morph_targets[MORPH_LIMIT];    // x: target, y: weight
};

vec3 morph_delta(int texel) {
  int columns = textureSize(t_morph_deltas, 0).x;
  return texelFetch(t_morph_deltas, ivec2(texel % columns, texel / columns), 0).xyz;
}

void morph_vertex(inout vec3 position, inout vec3 normal, inout vec4 tangent) {
  for (int i = 0; i < u_morph_layout.x; ++i) {
    int target = int(u_morph_targets[i].x);
    float weight = u_morph_targets[i].y;
    int texel = (target * u_morph_layout.y + int(a_source_vertex)) * u_morph_layout.z;
    position += morph_delta(texel) * weight;
    if ((u_morph_layout.w & 1) != 0) {
      ++texel;
      normal += morph_delta(texel) * weight;
    }
    if ((u_morph_layout.w & 2) != 0) {
      ++texel;
      tangent.xyz += morph_delta(texel) * weight;
    }
  }
}
