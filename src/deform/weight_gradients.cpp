#include "deform/weight_gradients.h"

#include <algorithm>
#include <map>

namespace pelt::deform {
namespace {

double weight_of(const mesh::Influences& influences, std::uint32_t v, std::uint16_t joint) {
  const mesh::InfluenceRow row = influences.row(v);
  for (std::size_t k = 0; k < row.joints.size(); ++k) {
    if (row.joints[k] == joint) {
      return static_cast<double>(row.weights[k]);
    }
  }
  return 0;
}

}  // namespace

CornerGradients corner_gradients(const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& c,
                                 const glm::dmat3& shape_from_mesh) {
  const glm::dvec3 ab = shape_from_mesh * (b - a);
  const glm::dvec3 bc = shape_from_mesh * (c - b);
  const glm::dvec3 ca = shape_from_mesh * (a - c);
  const glm::dvec3 normal = glm::cross(ca, ab);  // twice the area long
  const double square = glm::dot(normal, normal);
  if (!(square > 0)) {
    return {{glm::dvec3(0.0), glm::dvec3(0.0), glm::dvec3(0.0)}, 0};
  }
  // A gradient comes back to mesh space by the transpose, being a row.
  const glm::dmat3 back = glm::transpose(shape_from_mesh) / square;
  return {{back * glm::cross(normal, bc), back * glm::cross(normal, ca), back * glm::cross(normal, ab)},
          std::sqrt(square)};
}

std::vector<WeightGradients> weight_gradients(const mesh::MeshSurface& surface) {
  std::vector<std::map<std::uint16_t, glm::dvec3>> sums(surface.welded_count());
  std::vector<double> areas(surface.welded_count(), 0.0);
  std::vector<std::uint16_t> joints;
  for (std::size_t p = 0; p < surface.primitives.size(); ++p) {
    const mesh::Primitive& primitive = *surface.primitives[p];
    const mesh::Influences& influences = *surface.influences[p];
    if (influences.empty()) {
      continue;
    }
    for (std::size_t t = 0; t < primitive.triangle_count(); ++t) {
      const std::uint32_t* corner = &primitive.indices[3 * t];
      const CornerGradients across =
          corner_gradients(glm::dvec3(primitive.positions[corner[0]]), glm::dvec3(primitive.positions[corner[1]]),
                           glm::dvec3(primitive.positions[corner[2]]), surface.shape_from_mesh);
      const double area = across.twice_area;
      if (!(area > 0)) {
        continue;
      }
      joints.clear();
      for (int i = 0; i < 3; ++i) {
        const std::span<const std::uint16_t> of_corner = influences.joints(corner[i]);
        joints.insert(joints.end(), of_corner.begin(), of_corner.end());
      }
      std::ranges::sort(joints);
      joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
      for (const std::uint16_t joint : joints) {
        glm::dvec3 gradient(0.0);
        for (std::size_t i = 0; i < 3; ++i) {
          gradient += across.of[i] * weight_of(influences, corner[i], joint);
        }
        for (int i = 0; i < 3; ++i) {
          sums[surface.welded[surface.first[p] + corner[i]]][joint] += gradient * area;
        }
      }
      for (int i = 0; i < 3; ++i) {
        areas[surface.welded[surface.first[p] + corner[i]]] += area;
      }
    }
  }
  std::vector<WeightGradients> out(surface.primitives.size());
  for (std::size_t p = 0; p < out.size(); ++p) {
    if (surface.influences[p]->empty()) {
      continue;
    }
    out[p].offset.push_back(0);
    for (std::uint32_t v = surface.first[p]; v < surface.first[p + 1]; ++v) {
      const std::uint32_t w = surface.welded[v];
      for (const auto& [joint, sum] : sums[w]) {
        if (sum != glm::dvec3(0.0)) {
          out[p].joint.push_back(joint);
          out[p].gradient.emplace_back(sum / areas[w]);
        }
      }
      out[p].offset.push_back(static_cast<std::uint32_t>(out[p].joint.size()));
    }
  }
  return out;
}

}  // namespace pelt::deform
