#pragma once

// What edits of weights share; nothing outside src/edit and its tests includes this.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "edit/document.h"
#include "mesh/influences_patch.h"
#include "mesh/welded_surface.h"

namespace pelt::edit {

/// Where to edit: places, ascending, each with the strength of its strongest copy.
struct WeightArea {
  std::vector<std::uint32_t> places;
  std::vector<float> strengths;  ///< one per place, or empty: 1 each
};

/// @param primitive  -1: vertices are counted through all primitives of the mesh
/// @param vertices   empty: all of the primitive or mesh @param strengths  one per vertex, or empty: 1 each
/// @cost O(vertices named)
WeightArea area_of(const mesh::WeldedSurface& surface, int primitive, std::span<const std::uint32_t> vertices,
                   std::span<const float> strengths);

/// The slots that these joints have in the skins that the mesh hangs on, ascending.
std::vector<std::uint16_t> slots_of(const rig::Character& character, int mesh, std::span<const int> joints);

std::vector<const mesh::Influences*> influences_of(const mesh::Mesh& mesh);

/// By slot of the skin what takes a vertex from the mesh into the world, were it to follow that slot alone.
/// @param world  [J] of a pose
std::vector<glm::dmat4> skin_matrices(const rig::Skin& skin, std::span<const glm::mat4> world);
/// Within how much of each other two places of a mesh count as one, metres: a hundred thousandth of its diagonal, as
/// large as the joint that makes it largest has it.
double coincidence_in_world(const mesh::WeldedSurface& surface, std::span<const std::vector<glm::dmat4>> matrices);

/// The given surface where it is the mesh's, else one made anew.
std::shared_ptr<const mesh::WeldedSurface> surface_for(const mesh::Mesh& mesh,
                                                       const std::shared_ptr<const mesh::WeldedSurface>& given);

/// The character with other rows in one mesh; null where no patch changes anything. @param patches  one per primitive
std::shared_ptr<const rig::Character> with_patches(const rig::Character& character, int mesh,
                                                   std::span<const mesh::InfluencesPatch> patches);

/// The change with the document's locks beside its own: what is locked is so for whoever asks for an edit.
template <typename Change>
Change with_locks_of(const Document& document, Change change) {
  const auto& locked = document.content.locked_joints.get();
  change.locked.insert(change.locked.end(), locked.begin(), locked.end());
  return change;
}

/// Its name, or "mesh 2".
std::string mesh_name(const rig::Character& character, int mesh);

/// What whoever edits the weights of a mesh should know: other nodes that carry it, the surface that is shown, control
/// points.
std::string remark_on_weights(const Document& document, int mesh);

}  // namespace pelt::edit
