#pragma once

#include <string>

#include "edit/document.h"

namespace pelt::edit {

struct SetSkinning {
  deform::SkinningSettings settings;
  int pane = 0;
};
/// So many panes, 1 to kPaneLimit (clamped). New ones copy the active one, but each gets a method that no pane shows
/// yet, since two equal pictures say nothing; those that are too many go from the end.
struct SetPanes {
  int count;
};

// Each of them in words, and what it makes of the document's content and view.
std::string label(const Document& document, const SetSkinning& change);
void carry_out(const Document& document, const SetSkinning& change, Content& content, View& view);
std::string label(const Document& document, const SetPanes& change);
void carry_out(const Document& document, const SetPanes& change, Content& content, View& view);

}  // namespace pelt::edit
