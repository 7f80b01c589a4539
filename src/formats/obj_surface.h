#pragma once

// Internal to the module: the corners of an OBJ file's elements, and the primitives that they become.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <glm/glm.hpp>

#include "mesh/mesh.h"

namespace pelt::formats {

inline constexpr std::uint32_t kNoObjIndex = UINT32_MAX;

/// A corner by what the file says of it.
struct ObjCorner {
  std::uint32_t position = 0;
  std::uint32_t texcoord = kNoObjIndex;
  std::uint32_t normal = kNoObjIndex;  ///< into vn; kNoObjIndex: see smoothing
  std::uint32_t smoothing = 0;         ///< group; 0: flat
  auto operator<=>(const ObjCorner&) const = default;
};

/// Elements of one object, group, material and topology.
struct ObjElements {
  std::size_t object = 0;
  int material = -1;
  mesh::Topology topology = mesh::Topology::kTriangles;
  std::vector<ObjCorner> corners;  ///< 3, 2 or 1 per element
};

/// The lists that corners point into.
struct ObjLists {
  std::vector<glm::vec3> positions;
  std::vector<glm::vec4> colors;  ///< [positions] or empty
  std::vector<glm::vec2> texcoords;
  std::vector<glm::vec3> normals;
};

/// Equal corners become one vertex, numbered by first appearance. Corners without normals get smoothed ones within
/// their smoothing group, where the elements are triangles and any of them has a normal or is smooth.
mesh::Primitive obj_primitive(const ObjLists& lists, const ObjElements& elements);

}  // namespace pelt::formats
