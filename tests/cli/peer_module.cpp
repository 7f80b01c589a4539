// A library as `pelt bench --peer` takes it, built twice: as it should be, and with PEER_FORGETS_THE_LAST_WEIGHT as one
// that does not know that the last weight of a vertex is what the others leave.

#include <cstddef>
#include <cstdint>

extern "C" {

const char* peer_name() {
#ifdef PEER_FORGETS_THE_LAST_WEIGHT
  return "forgetful";
#else
  return "textbook";
#endif
}

void peer_skin(const float* positions, const float* normals, const std::uint16_t* joint_indices,
               const float* joint_weights, const float* palette_4x4, int /*joint_count*/, int vertex_count,
               int influence_count, float* out_positions, float* out_normals) {
  for (int v = 0; v < vertex_count; ++v) {
    const auto at = static_cast<std::size_t>(3) * static_cast<std::size_t>(v);
    for (std::size_t row = 0; row < 3; ++row) {
      out_positions[at + row] = 0;
      if (normals != nullptr) {
        out_normals[at + row] = 0;
      }
    }
    float left = 1;
    for (int k = 0; k < influence_count; ++k) {
      const bool last = k + 1 == influence_count;
      float weight = last ? left
                          : joint_weights[static_cast<std::size_t>(v) * static_cast<std::size_t>(influence_count - 1) +
                                          static_cast<std::size_t>(k)];
#ifdef PEER_FORGETS_THE_LAST_WEIGHT
      weight = last ? 0 : weight;
#endif
      left -= weight;
      const float* m =
          palette_4x4 + 16 * static_cast<std::size_t>(
                                 joint_indices[static_cast<std::size_t>(v) * static_cast<std::size_t>(influence_count) +
                                               static_cast<std::size_t>(k)]);
      for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) {
          out_positions[at + row] += weight * m[4 * column + row] * positions[at + column];
          if (normals != nullptr) {
            out_normals[at + row] += weight * m[4 * column + row] * normals[at + column];
          }
        }
        out_positions[at + row] += weight * m[12 + row];
      }
    }
  }
}
}
