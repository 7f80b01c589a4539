#pragma once

// What the writers take: plain arrays. Nothing is owned.

#include <cstdint>
#include <span>
#include <string>

#include <glm/glm.hpp>

#include "mesh/mesh.h"

namespace pelt::formats {

/// One part of a surface that is written.
struct WrittenPart {
  std::string name;
  mesh::Topology topology = mesh::Topology::kTriangles;
  std::span<const glm::vec3> positions;    ///< [V]
  std::span<const glm::vec3> normals;      ///< [V] or empty
  std::span<const glm::vec2> texcoords;    ///< [V], v downwards as in glTF, or empty
  std::span<const std::uint32_t> indices;  ///< each < V; 3, 2 or 1 per element of the topology
};

}  // namespace pelt::formats
