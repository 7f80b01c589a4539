#pragma once

#include <span>
#include <string>
#include <string_view>

#include "edit/commands.h"

namespace pelt::edit {

/// What can be done to a document: one row per alternative of Change, which carries its parameters.
struct Edit {
  std::string_view id;  ///< stable: "set-slider"
  std::string (*label)(const Document& document, const Change& change);
  /// Changes copies of the document's content and view. @pre change holds this row's alternative
  void (*carry_out)(const Document& document, const Change& change, Content& content, View& view);
  std::string (*notice)(const Document& document, const Change& change);   ///< see edit::notice()
  std::string (*refusal)(const Document& document, const Change& change);  ///< see edit::why_refused()
  bool is_step = true;  ///< false: changes the view alone, and is not recorded
};

/// In the order of Change.
std::span<const Edit> edits();
const Edit& edit_of(const Change& change);

}  // namespace pelt::edit
