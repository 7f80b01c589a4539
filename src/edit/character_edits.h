#pragma once

#include <memory>
#include <string>

#include "edit/document.h"

namespace pelt::edit {

/// A mended copy of the character takes its place (rig::fixed()); pose and selection go on meaning the same, a pinned
/// vertex is let go. @pre not null, finished, and with the nodes, parts, clips and morph targets of the present one
struct ReplaceCharacter {
  std::shared_ptr<const rig::Character> character;
};
/// "Re-bind here": the character with the skin bound in the pose that the document shows (rig::bound_in_pose); the
/// picture stays under linear blending. Nothing where the skin cannot be bound there, see rig::can_be_bound(). With
/// another surface than the file's own shown, the own one comes back.
struct RebindSkin {
  int skin;
};

// Each of them in words, and what it makes of the document's content and view.
std::string label(const Document& document, const ReplaceCharacter& change);
void carry_out(const Document& document, const ReplaceCharacter& change, Content& content, View& view);
std::string label(const Document& document, const RebindSkin& change);
void carry_out(const Document& document, const RebindSkin& change, Content& content, View& view);

}  // namespace pelt::edit
