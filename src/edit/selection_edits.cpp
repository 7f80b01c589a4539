#include "edit/selection_edits.h"

#include <fmt/format.h>

namespace pelt::edit {

std::string label(const Document&, const NameSelection& change) {
  return fmt::format("Name the selection {}", change.name);
}

void carry_out(const Document& document, const NameSelection& change, Content& content, View&) {
  NamedSelection named = change.selection;
  std::erase_if(named.joints, [&](int joint) { return joint < 0 || joint >= content.character->skeleton->size(); });
  keep_valid(named.vertices, *own_character(document));
  if (change.name.empty() || (named.joints.empty() && named.vertices.empty())) {
    return;
  }
  const auto known = content.selections->find(change.name);
  if (known == content.selections->end() || known->second != named) {
    content.selections.edit()[change.name] = std::move(named);
  }
}

std::string label(const Document&, const RemoveSelection& change) {
  return fmt::format("Forget the selection {}", change.name);
}

void carry_out(const Document&, const RemoveSelection& change, Content& content, View&) {
  if (content.selections->contains(change.name)) {
    content.selections.edit().erase(change.name);
  }
}

NamedSelection selected(const Document& document, bool with_vertices) {
  NamedSelection out{document.view.selected_joints, {}};
  if (with_vertices && shows_own_surface(document)) {
    out.vertices = named_vertices(*own_character(document), document.view.selected_vertices);
  }
  return out;
}

}  // namespace pelt::edit
