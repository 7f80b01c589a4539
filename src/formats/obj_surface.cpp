#include "formats/obj_surface.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <utility>

namespace pelt::formats {
namespace {

// Flat triangles among others keep their edges: each is a smoothing group of its own.
void give_flat_triangles_groups(std::span<ObjCorner> corners) {
  std::uint32_t flat_group = kNoObjIndex;
  for (std::size_t i = 0; i < corners.size(); i += 3) {
    const std::span<ObjCorner> triangle = corners.subspan(i, 3);
    const bool flat = std::ranges::any_of(
        triangle, [](const ObjCorner& corner) { return corner.normal == kNoObjIndex && corner.smoothing == 0; });
    if (flat) {
      for (ObjCorner& corner : triangle) {
        corner.smoothing = corner.normal == kNoObjIndex ? flat_group : 0;
      }
      --flat_group;
    }
  }
}

// Fills `indices` by corner and returns the vertices.
std::vector<ObjCorner> merged(std::span<const ObjCorner> corners, std::vector<std::uint32_t>& indices) {
  std::vector<std::uint32_t> order(corners.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) { return corners[a] < corners[b]; });
  std::vector<std::uint32_t> first(corners.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && corners[order[i]] == corners[order[i - 1]];
    first[order[i]] = same ? first[order[i - 1]] : order[i];
  }
  std::vector<std::uint32_t> number(corners.size());
  std::vector<ObjCorner> vertices;
  for (std::uint32_t i = 0; i < corners.size(); ++i) {
    if (first[i] == i) {
      number[i] = static_cast<std::uint32_t>(vertices.size());
      vertices.push_back(corners[i]);
    }
    indices.push_back(number[first[i]]);
  }
  return vertices;
}

// Summed at the points of one position and smoothing group. Weighted by angle, since that does not depend on how
// polygons were cut: G. Thuermer, C. A. Wuethrich, "Computing Vertex Normals from Polygonal Facets", 1998.
std::vector<glm::vec3> normals_of(const ObjLists& lists, std::span<const ObjCorner> corners,
                                  std::span<const ObjCorner> vertices) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, glm::dvec3> sums;
  for (std::size_t i = 0; i < corners.size(); i += 3) {
    const auto at = [&](std::size_t c) { return glm::dvec3(lists.positions[corners[i + c % 3].position]); };
    const glm::dvec3 area = glm::cross(at(1) - at(0), at(2) - at(0));
    for (std::size_t c = 0; c < 3; ++c) {
      const ObjCorner& corner = corners[i + c];
      if (corner.normal == kNoObjIndex && glm::length(area) > 0) {
        const glm::dvec3 a = at(c + 1) - at(c);
        const glm::dvec3 b = at(c + 2) - at(c);
        const double angle = std::atan2(glm::length(glm::cross(a, b)), glm::dot(a, b));
        sums[{corner.position, corner.smoothing}] += angle * glm::normalize(area);
      }
    }
  }
  std::vector<glm::vec3> normals;
  for (const ObjCorner& vertex : vertices) {
    glm::dvec3 normal(0, 1, 0);
    if (vertex.normal != kNoObjIndex) {
      normal = glm::dvec3(lists.normals[vertex.normal]);
    } else if (const glm::dvec3& sum = sums[{vertex.position, vertex.smoothing}]; glm::length(sum) > 0) {
      normal = glm::normalize(sum);
    }
    normals.emplace_back(normal);
  }
  return normals;
}

}  // namespace

mesh::Primitive obj_primitive(const ObjLists& lists, const ObjElements& elements) {
  mesh::Primitive out;
  out.topology = elements.topology;
  out.material = elements.material;
  std::vector<ObjCorner> corners = elements.corners;
  const auto has = [&](auto member, std::uint32_t none) {
    return std::ranges::any_of(corners, [&](const ObjCorner& corner) { return corner.*member != none; });
  };
  const bool with_texcoords = has(&ObjCorner::texcoord, kNoObjIndex);
  const bool with_normals = elements.topology == mesh::Topology::kTriangles &&
                            (has(&ObjCorner::normal, kNoObjIndex) || has(&ObjCorner::smoothing, 0));
  if (with_normals) {
    give_flat_triangles_groups(corners);
  } else {
    for (ObjCorner& corner : corners) {
      corner.smoothing = 0;
    }
  }
  std::vector<std::uint32_t> indices;
  const std::vector<ObjCorner> vertices = merged(corners, indices);
  out.indices = std::move(indices);
  for (const ObjCorner& vertex : vertices) {
    out.positions.push_back(lists.positions[vertex.position]);
    if (with_texcoords) {
      out.texcoords[0].push_back(vertex.texcoord == kNoObjIndex ? glm::vec2(0.0f) : lists.texcoords[vertex.texcoord]);
    }
    if (!lists.colors.empty()) {
      out.colors.push_back(lists.colors[vertex.position]);
    }
  }
  if (with_normals) {
    out.normals = normals_of(lists, corners, vertices);
  }
  return out;
}

}  // namespace pelt::formats
