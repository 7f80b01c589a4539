#pragma once

#include <string>
#include <string_view>

#include "rig/character.h"
#include "ui/tree_panel.h"

namespace pelt::ui {

/// The groups of the character tree, in their order.
enum TreeGroup { kNodes, kSkins, kMeshes, kMaterials, kVariants, kClips, kScenes, kCameras, kLights, kGroupCount };
/// How many rows a group has.
int tree_group_size(const rig::Character& character, int group);
/// Of the rows of a group.
RowKind row_kind_of(int group);

/// What a row is called. @param prefix  that names of joints are shown without
std::string row_name(const rig::Character& character, const TreeRow& row, std::string_view prefix = {});
/// What stands dimmed at the right end of a row.
std::string row_note(const rig::Character& character, const TreeRow& row);
/// What stands before the name; empty for a group.
const char* row_icon(const rig::Character& character, const TreeRow& row);

}  // namespace pelt::ui
