#pragma once

#include <memory>
#include <vector>

#include "edit/document.h"

namespace pelt::edit {

/// For each joint of `before` the joint of `after` that is the same one by name, -1 where there is none: the one of the
/// same index where that has the name, else the only one of that name. Joints without a name keep their index where
/// that one has no name either.
std::vector<int> matching_joints(const rig::Skeleton& before, const rig::Skeleton& after);

/// Replaces the open character by a newer version of it. What was done to it stays, with its history, as far as joints,
/// morph targets and clips can be found again by name; so do selection, panes and, where its part still has as many
/// vertices, the pinned vertex. The surface is the new version's own.
/// @param character  finished (rig::finish)
void reload_character(Document& document, std::shared_ptr<const rig::Character> character);

}  // namespace pelt::edit
