#pragma once

#include <memory>
#include <string>

#include "edit/document.h"

namespace pelt::edit {

/// A clip made elsewhere, such as motion of another skeleton, behind all others. Its name becomes one that no other
/// clip has, and it becomes the one that plays. Channels of joints that the character does not have are left out.
struct InsertClip {
  std::shared_ptr<const rig::Clip> clip;  ///< never null
};

std::string label(const Document& document, const InsertClip& change);
void carry_out(const Document& document, const InsertClip& change, Content& content, View& view);

}  // namespace pelt::edit
