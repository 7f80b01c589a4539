#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "core/shared.h"
#include "rig/character.h"

namespace pelt::rig {

/// What a person has put out of sight of a character's surface: whole parts, and faces by their vertices. A face is
/// hidden where one of its vertices is, as modelling programs have it. The one place that says so: whoever draws,
/// picks, selects or paints asks here. Immutable once shared, so that two are the same where their pointers are.
struct Hiding {
  /// Hidden vertices of one part.
  struct Vertices {
    SharedArray<std::uint32_t> elements;  ///< of the primitive that the numbers are of; of another they say nothing
    SharedArray<char> hidden;             ///< [V] 1: the vertex and all of its faces are hidden
  };
  SharedArray<Part> made_of;         ///< the parts that the numbers are of
  std::vector<int> parts;            ///< hidden as a whole, ascending
  std::map<int, Vertices> vertices;  ///< by part; none without a hidden vertex

  [[nodiscard]] bool empty() const { return parts.empty() && vertices.empty(); }
  [[nodiscard]] bool hides_part(int part) const;
  /// [V] of a part, as Vertices::hidden; empty where no vertex of it is hidden.
  [[nodiscard]] std::span<const char> of_part(int part) const;
};
/// Null: all is shown.
using SharedHiding = std::shared_ptr<const Hiding>;

/// Hides also those vertices of a part that `more` marks. @param more  [V]
void hide_vertices(Hiding& hiding, const Character& character, int part, std::span<const char> more);
/// Hides or shows a whole part.
void hide_part(Hiding& hiding, const Character& character, int part, bool hidden);

/// As much of it as is about this character's parts and elements; the very same pointer where that is all of it, null
/// where nothing is left. @cost O(P), no vertex is read
SharedHiding fitting(SharedHiding hiding, const Character& character);

/// Faces that are hidden by their vertices; elements of lines and points count as faces. @cost O(T) of parts with
/// hidden vertices
std::int64_t hidden_face_count(const Hiding& hiding, const Character& character);

/// Everything of a surface that is out of sight, whatever hid it.
struct HiddenSurface {
  std::vector<char> nodes;  ///< [J] or empty: neither they nor what hangs on them is shown, see hidden_nodes()
  SharedHiding by_hand;     ///< fits the character, or null

  /// @param p  the number of `part` in its character
  [[nodiscard]] bool hides(const Part& part, int p) const;
  /// [V] of a part, empty where no vertex of it is hidden by itself.
  [[nodiscard]] std::span<const char> vertices(int part) const;
  bool operator==(const HiddenSurface&) const = default;
};

}  // namespace pelt::rig
