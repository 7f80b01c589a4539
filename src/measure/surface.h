#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "deform/deform.h"
#include "rig/character.h"

namespace pelt::measure {

/// The triangles of several parts as one surface: all skinned parts of one skin (seams between materials are no
/// borders), or all parts of one node that places its mesh. Vertices and triangles are counted through, part by part.
/// Index letters v and t.
struct Surface {
  struct Piece {
    int part = -1;
    std::uint32_t first_vertex = 0;
    std::uint32_t first_triangle = 0;
  };
  int skin = -1;                       ///< -1: placed by its node
  std::vector<Piece> pieces;           ///< ascending
  std::vector<std::uint32_t> indices;  ///< 3 per triangle
  std::vector<std::uint32_t> welded;   ///< [V] the first vertex at the same place of the mesh

  [[nodiscard]] std::size_t vertex_count() const { return welded.size(); }
  [[nodiscard]] std::size_t triangle_count() const { return indices.size() / 3; }
  /// Positions of a deformation, [V]. @pre of the character from which the surface was made
  [[nodiscard]] std::vector<glm::vec3> positions(const deform::DeformedCharacter& shape) const;
};

/// All surfaces of a character: those of its skins first, in the order in which parts name them.
std::vector<Surface> surfaces_of(const rig::Character& character);

/// The character as it was bound: skinned parts as their meshes are stored, without morph targets, others where the
/// rest pose places them. Skinned parts are taken times what their skin has in common_stretches(), so that lengths
/// compare with those of any pose, also where a file stores meshes in units of its own.
deform::DeformedCharacter bind_shape(const rig::Character& character);

/// Triangles that close the holes of a surface, for the volume alone: each boundary loop becomes a fan around its
/// centroid. Vertices welded count as one.
struct HoleFans {
  std::vector<std::vector<std::uint32_t>> loops;  ///< vertices along each boundary
  /// Six times the signed volume between the fans and the origin. @param positions  [V]
  [[nodiscard]] double six_volumes(std::span<const glm::vec3> positions) const;
  /// @param positions  [V]
  [[nodiscard]] double area(std::span<const glm::vec3> positions) const;
};
HoleFans close_holes(const Surface& surface);
/// The same for some triangles of a surface. @param indices 3 per triangle @param welded  the surface's
HoleFans close_holes(std::span<const std::uint32_t> indices, std::span<const std::uint32_t> welded);

}  // namespace pelt::measure
