#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace pelt::ui {

struct Desk;

enum class RowKind { kGroup, kNode, kSkin, kMesh, kPart, kMaterial, kVariant, kClip, kScene, kCamera, kLight };

/// One line of the character tree.
struct TreeRow {
  RowKind kind = RowKind::kNode;
  int index = -1;  ///< of the node, skin ... ; of a group its number
  int depth = 0;
  bool has_children = false;
  bool expanded = false;
};

/// A name that is being typed in place of a joint's row: Enter gives it, Esc and a click elsewhere leave things as they
/// were.
struct Renaming {
  int joint = -1;
  std::string text = {};  ///< filled with the present name when the field is drawn first
  bool open = false;      ///< it was drawn before
  bool drawn = false;     ///< in this picture
};

/// The character's parts as one list of equal rows, so that thousands cost no more than those on screen.
struct TreePanel {
  std::string filter;
  std::set<int> collapsed_nodes;
  std::set<int> collapsed_groups;
  std::set<int> collapsed_meshes;  ///< their parts are not listed
  std::vector<TreeRow> rows;       ///< what is unfolded
  std::uint64_t character_version = 0;
  std::vector<int> parents;  ///< of its nodes, by which a newer version of it is known
  std::vector<std::string> names;
  std::string prefix;  ///< that joints' names are shown without, see rig::common_joint_prefix()
  bool rows_valid = false;
  int last_selected = -1;
  std::optional<Renaming> renaming = {};
};

void draw(TreePanel& panel, Desk& desk);

/// As much of both ends of `what` as has room in `width` pixels, with an ellipsis in between: names differ there.
std::string fitted_in_the_middle(const std::string& what, float width);

}  // namespace pelt::ui
