#pragma once

#include "edit/remap.h"
#include "edit/selection.h"
#include "rig/hiding.h"

namespace pelt::edit {

// Faces and parts put out of sight, see rig::Hiding: a matter of what is seen, which no undo takes back. All return a
// value of their own, null where nothing is hidden.
/// Hides the faces of the selected vertices; across seams, since a place is hidden in all of its vertices.
/// @cost O(V) of the meshes concerned, the first time of a mesh also its welding
rig::SharedHiding hide_faces(const rig::SharedHiding& hiding, const rig::Character& character, SurfaceCache& surfaces,
                             const VertexSelection& selection);
/// Hides all faces but those whose vertices are all selected.
rig::SharedHiding hide_other_faces(const rig::SharedHiding& hiding, const rig::Character& character,
                                   SurfaceCache& surfaces, const VertexSelection& selection);
/// Shows all faces; parts stay as they are.
rig::SharedHiding show_faces(const rig::SharedHiding& hiding);

/// Hides or shows one part.
rig::SharedHiding set_part_hidden(const rig::SharedHiding& hiding, const rig::Character& character, int part,
                                  bool hidden);
/// Hides all parts but these.
rig::SharedHiding show_only_parts(const rig::SharedHiding& hiding, const rig::Character& character,
                                  std::span<const int> parts);

/// What of the selection is in sight.
VertexSelection shown(const VertexSelection& selection, const rig::Character& character,
                      const rig::HiddenSurface& hidden);

/// The same of a newer version of the character: parts that are still there, and faces of those whose vertices have the
/// numbers that they had. @param lost  set to how many parts or sets of faces are shown again
rig::SharedHiding remapped(const Remap& numbers, const rig::SharedHiding& hiding, const rig::Character& after,
                           int& lost);

}  // namespace pelt::edit
