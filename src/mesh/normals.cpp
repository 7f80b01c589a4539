#include "mesh/normals.h"

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/expect.h"
#include "mesh/weld.h"

namespace pelt::mesh {

void compute_vertex_normals(std::span<const glm::vec3> positions, std::span<const glm::vec3> weld_positions,
                            std::span<const std::uint32_t> indices, std::span<glm::vec3> out_normals) {
  PELT_EXPECT(out_normals.size() == positions.size(), "one normal per vertex");
  PELT_EXPECT(weld_positions.empty() || weld_positions.size() == positions.size(), "one weld position per vertex");
  std::vector<std::uint32_t> group = weld_by_position(weld_positions);
  if (weld_positions.empty()) {
    group.resize(positions.size());
    std::iota(group.begin(), group.end(), 0u);
  }
  std::vector<glm::dvec3> sums(positions.size(), glm::dvec3(0));
  for (std::size_t i = 0; i + 2 < indices.size(); i += 3) {
    const glm::dvec3 a(positions[indices[i]]);
    const glm::dvec3 twice_area =
        glm::cross(glm::dvec3(positions[indices[i + 1]]) - a, glm::dvec3(positions[indices[i + 2]]) - a);
    for (std::size_t corner = 0; corner < 3; ++corner) {
      sums[group[indices[i + corner]]] += twice_area;
    }
  }
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const glm::dvec3 sum = sums[group[v]];
    const double length = glm::length(sum);
    out_normals[v] = length > 1e-300 && std::isfinite(length) ? glm::vec3(sum / length) : glm::vec3(0, 1, 0);
  }
}

}  // namespace pelt::mesh
