#include "deform/surface_normals.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/expect.h"
#include "deform/vertex_frame.h"

namespace pelt::deform {

namespace {

// Bind normals this close, radians, are the same one: a seam in everything but the normal.
constexpr float kSameNormal = 1e-3f;

// The vertices at one place that share a bind normal are one; across a hard edge they are not.
struct SmoothGroups {
  std::vector<std::uint32_t> of;  // [V]
  std::uint32_t count = 0;
};

SmoothGroups smooth_groups(const mesh::MeshSurface& surface) {
  constexpr std::uint32_t kNone = 0xffffffff;
  SmoothGroups groups;
  groups.of.resize(surface.vertex_count());
  std::vector<std::uint32_t> first(surface.welded_count(), kNone);  // group at a place
  std::vector<std::uint32_t> next;                                  // another group at the same place
  std::vector<glm::vec3> normals;
  for (std::size_t p = 0; p < surface.primitives.size(); ++p) {
    const std::vector<glm::vec3>& bind = surface.primitives[p]->normals;
    for (std::uint32_t v = surface.first[p]; v < surface.first[p + 1]; ++v) {
      const glm::vec3 given = bind.empty() ? glm::vec3(0.0f) : bind[v - surface.first[p]];
      const float square = glm::dot(given, given);
      const glm::vec3 normal = square > 0.0f ? given / std::sqrt(square) : glm::vec3(0.0f);
      std::uint32_t group = first[surface.welded[v]];
      const auto differs = [&] {
        const glm::vec3 d = normals[group] - normal;
        return !(glm::dot(d, d) <= kSameNormal * kSameNormal);
      };
      while (group != kNone && differs()) {
        group = next[group];
      }
      if (group == kNone) {
        group = groups.count++;
        normals.push_back(normal);
        next.push_back(first[surface.welded[v]]);
        first[surface.welded[v]] = group;
      }
      groups.of[v] = group;
    }
  }
  return groups;
}

}  // namespace

void recompute_normals(const mesh::MeshSurface& surface, std::span<const glm::mat4> skin_matrices,
                       std::span<const SkinOutput> inout) {
  PELT_EXPECT(inout.size() == surface.primitives.size(), "one output per primitive");
  const SmoothGroups groups = smooth_groups(surface);
  std::vector<glm::dvec3> sums(groups.count, glm::dvec3(0.0));
  for (std::size_t p = 0; p < inout.size(); ++p) {
    const mesh::Primitive& primitive = *surface.primitives[p];
    const std::span<const glm::vec3> positions = inout[p].positions;
    for (std::size_t i = 0; i < 3 * primitive.triangle_count(); i += 3) {
      const std::uint32_t* corner = &primitive.indices[i];
      const glm::dvec3 a(positions[corner[0]]);
      const glm::dvec3 twice_area =
          glm::cross(glm::dvec3(positions[corner[1]]) - a, glm::dvec3(positions[corner[2]]) - a);
      for (int c = 0; c < 3; ++c) {
        sums[groups.of[surface.first[p] + corner[c]]] += twice_area;
      }
    }
  }
  std::vector<double> side_of_joint(skin_matrices.size());
  std::ranges::transform(skin_matrices, side_of_joint.begin(),
                         [](const glm::mat4& m) { return glm::determinant(glm::dmat3(m)) < 0 ? -1.0 : 1.0; });
  for (std::size_t p = 0; p < inout.size(); ++p) {
    const mesh::Influences& rows = *surface.influences[p];
    if (rows.empty()) {
      continue;
    }
    for (std::size_t v = 0; v < inout[p].normals.size(); ++v) {
      const glm::dvec3 sum = sums[groups.of[surface.first[p] + v]];
      const double length = glm::length(sum);
      if (length > 1e-300 && std::isfinite(length)) {
        const double side = rows.count(v) > 0 ? side_of_joint[rows.joints(v)[0]] : 1.0;
        inout[p].normals[v] = glm::vec3(sum * (side / length));
        if (!inout[p].tangents.empty()) {
          inout[p].tangents[v] =
              glm::vec4(perpendicular(inout[p].normals[v], glm::vec3(inout[p].tangents[v])), inout[p].tangents[v].w);
        }
      }
    }
  }
}

}  // namespace pelt::deform
