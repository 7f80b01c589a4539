#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "core/result.h"
#include "edit/document.h"
#include "mesh/influences.h"

namespace pelt::edit {

/// The surface on which somebody has edited weights or selected vertices, kept with the session: another version of the
/// file may have its vertices in another order, or others.
struct EditedSurface {
  std::vector<glm::vec3> positions;    ///< [V] mesh space, metres
  std::vector<std::uint32_t> corners;  ///< [3 T] vertices of its triangles; empty: it has none
};

/// Rows of weights that a primitive had on such a surface.
struct HeldWeights {
  int mesh = -1;
  int primitive = -1;  ///< target of the rows; -1: the mesh has it no longer, and all primitives are
  std::shared_ptr<const EditedSurface> surface = {};
  std::vector<std::uint32_t> vertices = {};  ///< [R] of the surface, ascending
  mesh::FlatInfluences rows = {};            ///< [R] joints are places in `joints`
  std::vector<int> joints = {};              ///< skeleton indices; -1: gone
  std::string lost = {};  ///< the phrase of SessionOrigin::lost about these alone; empty: there is none
};

/// Vertices of a selection on such a surface.
struct HeldSelection {
  std::string name = {};
  int mesh_node = -1;
  int primitive = 0;
  std::shared_ptr<const EditedSurface> surface = {};
  std::vector<std::uint32_t> vertices = {};  ///< numbers on the surface, ascending
  std::string lost = {};                     ///< see HeldWeights; about all parts of this selection
};

/// What a session holds of another version of its character's file, and what can be carried over by position.
struct HeldEdits {
  std::vector<HeldWeights> weights = {};
  std::vector<HeldSelection> selections = {};
  [[nodiscard]] bool empty() const { return weights.empty() && selections.empty(); }
};

/// In words, mesh by mesh: "2 edits of mesh "body" are of another version of the file: weights of 120 vertices, the
/// selection "left hand"".
std::string sentence(const HeldEdits& held, const rig::Character& character);

/// How far the closest point of the edited surface may be from a vertex, as a share of the mesh's diagonal, and how far
/// the surface there may be turned away, radians: else the vertex keeps what the file gives it.
inline constexpr double kHeldDistance = 0.05;
inline constexpr double kHeldAngle = 1.0472;

/// How far an edited vertex may be from the mesh as it is now, as a share of the diagonal, before it counts as one
/// whose part of the mesh is gone.
inline constexpr double kGoneDistance = 0.005;

/// What came of one mesh.
struct HeldTransfer {
  int mesh = -1;
  std::size_t vertices = 0;  ///< vertices looked for on the edited surface
  std::size_t matched = 0;   ///< vertices that lie near it
  std::size_t changed = 0;   ///< whose weights are others than the file's now
  double largest = 0;        ///< distance of a matched vertex from the edited surface, mesh space, metres
  double diagonal = 0;       ///< the mesh's, mesh space
  std::size_t edited = 0;    ///< vertices of the older version that were edited or selected
  std::size_t beside = 0;    ///< edited vertices near which the mesh has nothing now
  double farthest = 0;       ///< distance of such a vertex from the mesh
  std::size_t gone = 0;      ///< edited vertices that followed joints which the mesh cannot follow any more
  std::size_t cut = 0;       ///< vertices that lost influences for which there is no place
  double largest_cut = 0;    ///< weight
};
/// In words: "body: 1700 of 1800 vertices matched, at most 0.0021 m (0.12 % of the diagonal) away; 240 changed", and
/// what found no place.
std::string sentence(const HeldTransfer& transfer, const rig::Character& character);

/// Weights and selections carried over to a character by the closest point of the surface that they were made on. A
/// vertex at the very place of one that was edited gets its row bit for bit; where copies of a place had different
/// rows, the one whose normal agrees best. Others get the rows at the corners of the closest triangle by barycentric
/// coordinates, in which corners that nobody edited count as what the vertex has.
struct CarriedEdits {
  std::shared_ptr<const rig::Character> character;  ///< null: no weights change
  NamedSelections selections = {};                  ///< those that get vertices, whole
  std::vector<HeldTransfer> transfers;              ///< by mesh
  std::vector<char> takes_weights;                  ///< [held.weights] whether any vertex gets a row of these
  std::vector<char> takes_selections;               ///< [held.selections] whether any vertex is selected by these
};
CarriedEdits carried_edits(const rig::Character& character, const NamedSelections& selections, const HeldEdits& held);

/// Carries over what the document's session holds (SessionOrigin::held), as one step of the history. Edits that found a
/// place leave SessionOrigin::lost; vertices whose joints or whose part of the mesh are gone enter it.
/// @return  what came of it, in a sentence; fails, and changes nothing, where no edit finds a place
Result<std::string> carry_over_held(Document& document, bool undoable = true);

}  // namespace pelt::edit
