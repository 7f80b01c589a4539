#include "deform/surface_normals.h"

#include <cmath>
#include <vector>

#include "core/expect.h"
#include "deform/vertex_frame.h"

namespace pelt::deform {

void recompute_normals(const MeshSurface& surface, std::span<const SkinOutput> inout) {
  PELT_EXPECT(inout.size() == surface.primitives.size(), "one output per primitive");
  std::vector<glm::dvec3> sums(surface.welded_count(), glm::dvec3(0.0));
  for (std::size_t p = 0; p < inout.size(); ++p) {
    const mesh::Primitive& primitive = *surface.primitives[p];
    const std::span<const glm::vec3> positions = inout[p].positions;
    for (std::size_t i = 0; i < 3 * primitive.triangle_count(); i += 3) {
      const std::uint32_t* corner = &primitive.indices[i];
      const glm::dvec3 a(positions[corner[0]]);
      const glm::dvec3 twice_area =
          glm::cross(glm::dvec3(positions[corner[1]]) - a, glm::dvec3(positions[corner[2]]) - a);
      for (int c = 0; c < 3; ++c) {
        sums[surface.welded[surface.first[p] + corner[c]]] += twice_area;
      }
    }
  }
  for (std::size_t p = 0; p < inout.size(); ++p) {
    if (surface.influences[p]->empty()) {
      continue;
    }
    for (std::size_t v = 0; v < inout[p].normals.size(); ++v) {
      const glm::dvec3 sum = sums[surface.welded[surface.first[p] + v]];
      const double length = glm::length(sum);
      if (length > 1e-300 && std::isfinite(length)) {
        inout[p].normals[v] = glm::vec3(sum / length);
        if (!inout[p].tangents.empty()) {
          inout[p].tangents[v] =
              glm::vec4(perpendicular(inout[p].normals[v], glm::vec3(inout[p].tangents[v])), inout[p].tangents[v].w);
        }
      }
    }
  }
}

}  // namespace pelt::deform
