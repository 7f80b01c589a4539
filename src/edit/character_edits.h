#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "edit/document.h"
#include "rig/lint_fix.h"

namespace pelt::edit {

/// A mended copy of the character takes its place (rig::fixed()); pose, selected joints and selections with a name go
/// on meaning the same, selected vertices and a pinned one are let go. Vertices with a name that have other numbers now
/// are found by `renumbered`, and those of a primitive that has others without being in it are lost: remark() says so.
/// @pre not null, finished, and with the nodes, parts, clips and morph targets of the present one
struct ReplaceCharacter {
  std::shared_ptr<const rig::Character> character;
  std::vector<rig::RenumberedVertices> renumbered = {};
  std::string words = {};  ///< the step's label in the history; empty: a mend
};
/// The label of a step that mends findings: "Fix weight-sum, winding", and of more than two kinds "Fix weight-sum and 3
/// more".
std::string label_of_fix(std::span<const std::string> codes);
/// "Re-bind here": the character with the skin bound in the pose that the document shows (rig::bound_in_pose); the
/// picture stays under linear blending. Nothing where the skin cannot be bound there, see rig::can_be_bound(). With
/// another surface than the file's own shown, the own one comes back.
struct RebindSkin {
  int skin;
};

/// Another name for a joint or node: nothing but the name changes. Any text may be one, an empty one or one that others
/// have, too; it becomes one line of UTF-8 (single_line()) of at most kLongestName bytes.
struct RenameJoint {
  int joint;
  std::string name;
};

inline constexpr std::size_t kLongestName = 200;

// Each of them in words, and what it makes of the document's content and view.
std::string label(const Document& document, const ReplaceCharacter& change);
void carry_out(const Document& document, const ReplaceCharacter& change, Content& content, View& view);
std::string remark(const Document& document, const ReplaceCharacter& change);
std::string label(const Document& document, const RebindSkin& change);
void carry_out(const Document& document, const RebindSkin& change, Content& content, View& view);
/// What whoever asked for it should know beside its label; empty for nothing.
std::string remark(const Document& document, const RebindSkin& change);
std::string label(const Document& document, const RenameJoint& change);
void carry_out(const Document& document, const RenameJoint& change, Content& content, View& view);
std::string remark(const Document& document, const RenameJoint& change);

}  // namespace pelt::edit
