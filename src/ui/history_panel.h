#pragma once

#include <cstddef>
#include <string>

#include "edit/document.h"

namespace pelt::ui {

struct Desk;

/// What stands in the list for a place of the history: what led there, "As opened" where the document began.
std::string history_label(const edit::Document& document, std::size_t place);

/// The window of all places of the history, where it is open: the present one is marked, those to be redone are dim, a
/// click goes there. The arrow keys, Home and End go there as well. Call outside of other windows.
void draw_history(Desk& desk);

}  // namespace pelt::ui
