#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace pelt::ui {

struct Desk;

enum class RowKind { kGroup, kNode, kSkin, kMesh, kMaterial, kVariant, kClip, kScene, kCamera, kLight };

/// One line of the character tree.
struct TreeRow {
  RowKind kind = RowKind::kNode;
  int index = -1;  ///< of the node, skin ... ; of a group its number
  int depth = 0;
  bool has_children = false;
  bool expanded = false;
};

/// The character's parts as one list of equal rows, so that thousands cost no more than those on screen.
struct TreePanel {
  std::string filter;
  std::set<int> collapsed_nodes;
  std::set<int> collapsed_groups;
  std::vector<TreeRow> rows;  ///< what is unfolded
  std::uint64_t character_version = 0;
  std::vector<int> parents;  ///< of its nodes, by which a newer version of it is known
  std::vector<std::string> names;
  std::string prefix;  ///< that joints' names are shown without, see rig::common_joint_prefix()
  bool rows_valid = false;
  int last_selected = -1;
};

void draw(TreePanel& panel, Desk& desk);

/// As much of both ends of `what` as has room in `width` pixels, with an ellipsis in between: names differ there.
std::string fitted_in_the_middle(const std::string& what, float width);

}  // namespace pelt::ui
