// One of many characters at different moments, ALGORITHMS.md section 51: linear blend skinning with matrices baked to a
// texture. A row is a moment, three texels make a matrix; each instance blends two rows. Indices count all matrices of a row.

#include "skinning/vertex_frame.glsl"
#include "skinning/row.glsl"

layout(location = ATTRIBUTE_INSTANCE) in vec4 a_instance[4];  // three rows of the placing matrix; rows, share, tint

uniform sampler2D t_baked;

mat4x3 baked_matrix(int matrix, int row) {
  return transpose(mat3x4(texelFetch(t_baked, ivec2(3 * matrix, row), 0), texelFetch(t_baked, ivec2(3 * matrix + 1, row), 0),
                          texelFetch(t_baked, ivec2(3 * matrix + 2, row), 0)));
}

mat4x3 moment_matrix(int matrix) {
  int row0 = int(a_instance[3].x);
  int row1 = int(a_instance[3].y);
  mat4x3 a = baked_matrix(matrix, row0);
  return row0 == row1 ? a : a + (baked_matrix(matrix, row1) - a) * a_instance[3].z;
}

// 8 bits each, in a float that holds 24 bits exactly.
vec3 instance_tint() {
  int bits = int(a_instance[3].w);
  return vec3(bits & 255, (bits >> 8) & 255, bits >> 16) / 255.0;
}

void skin_vertex(inout vec3 position, inout vec3 normal, inout vec4 tangent) {
  mat4x3 heaviest = row_is_empty() ? mat4x3(1.0) : moment_matrix(int(row_slot(0)));
  mat4x3 blended = heaviest;
  if (!row_is_empty()) {
    blended *= row_weight(0);
    for (int k = 1; k < ROW_SLOTS; ++k) {
      if (row_weight(k) > 0.0) {
        blended += moment_matrix(int(row_slot(k))) * row_weight(k);
      }
    }
  }
  mat4x3 place = transpose(mat3x4(a_instance[0], a_instance[1], a_instance[2]));
  position = transform_point(place, transform_point(blended, position));
  // Instances are placed by rigid motions and uniform scales, which turn normals like directions.
  VertexFrame frame = vertex_frame(blended, heaviest);
  vec3 size = vec3(length(place[0]));
  if (u_part.y != 0) {
    normal = finished_normal(frame, cofactor_times(frame.blended, normal) * frame.orientation, normal);
  }
  if (u_part.z != 0) {
    tangent = skinned_tangent(frame, normal, tangent);
    tangent.xyz = mat3(place) * tangent.xyz / size;
  }
  normal = mat3(place) * normal / size;
}
