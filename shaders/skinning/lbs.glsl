// Linear blend skinning, ALGORITHMS.md section 7: joint matrices are averaged by weight, heaviest first.

#include "skinning/vertex_frame.glsl"
#include "skinning/palette.glsl"
#include "skinning/row.glsl"

mat4x3 row_matrix(int k) {
  return row_is_empty() ? mat4x3(1.0) : palette_matrix(row_slot(k));
}

// ALGORITHMS.md section 13, variants a to e and h by u_part.x.
vec3 skinned_normal(VertexFrame frame, vec3 n) {
  vec3 sum = vec3(0.0);
  switch (u_part.x) {
    case 0:
    case 7:
      sum = frame.blended * n;
      break;
    case 1:
      for (int k = 0; k < ROW_SLOTS; ++k) {
        if (row_weight(k) > 0.0) {
          sum += inverse_transpose_times(mat3(row_matrix(k)) * frame.inverse_size, n) * row_weight(k);
        }
      }
      break;
    case 2:
      for (int k = 0; k < ROW_SLOTS; ++k) {
        if (row_weight(k) > 0.0) {
          vec3 m = inverse_transpose_times(mat3(row_matrix(k)) * frame.inverse_size, n);
          float square = dot(m, m);
          if (square > 0.0) {
            sum += m * (row_weight(k) / sqrt(square));
          }
        }
      }
      // Here the summands are of unit length whatever the length of n.
      sum *= sqrt(dot(n, n));
      break;
    case 3:
      sum = cofactor_times(frame.blended, n) * frame.orientation;
      break;
  }
  return finished_normal(frame, u_part.x, sum, n);
}

void skin_vertex(inout vec3 position, inout vec3 normal, inout vec4 tangent) {
  mat4x3 heaviest = row_matrix(0);
  mat4x3 blended = heaviest;
  if (!row_is_empty()) {
    blended *= row_weight(0);
    for (int k = 1; k < ROW_SLOTS; ++k) {
      if (row_weight(k) > 0.0) {
        blended += row_matrix(k) * row_weight(k);
      }
    }
  }
#ifdef SUM_OF_POINTS
  vec3 sum = vec3(0.0);
  for (int k = 0; k < ROW_SLOTS; ++k) {
    if (row_weight(k) > 0.0) {
      sum += transform_point(row_matrix(k), position) * row_weight(k);
    }
  }
  position = row_is_empty() ? position : sum;
#else
  position = transform_point(blended, position);
#endif
  VertexFrame frame = vertex_frame(blended, heaviest);
  if (u_part.y != 0) {
    normal = skinned_normal(frame, normal);
  }
  if (u_part.z != 0) {
    tangent = skinned_tangent(frame, exactly_unit(u_part.x, normal), tangent);
  }
}
