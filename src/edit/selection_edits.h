#pragma once

#include <string>

#include "edit/document.h"

namespace pelt::edit {

/// Gives what is selected a name, under which it is found again; what had the name before is replaced. Nothing happens
/// with an empty name, or with nothing selected.
struct NameSelection {
  std::string name;
  NamedSelection selection;
};
struct RemoveSelection {
  std::string name;
};

// Each of them in words, and what it makes of the document's content and view.
std::string label(const Document& document, const NameSelection& change);
void carry_out(const Document& document, const NameSelection& change, Content& content, View& view);
std::string label(const Document& document, const RemoveSelection& change);
void carry_out(const Document& document, const RemoveSelection& change, Content& content, View& view);

/// What is selected now; vertices only on the file's own surface.
/// @param with_vertices  where the person sees which they are
NamedSelection selected(const Document& document, bool with_vertices);

}  // namespace pelt::edit
