#include "edit/commands.h"

#include <utility>

#include "core/expect.h"
#include "edit/edits.h"

namespace pelt::edit {
namespace {

// Whether a vertex of that part has the same number in both.
bool has_same_vertices(const rig::Character& before, const rig::Character& after, int part) {
  const auto p = static_cast<std::size_t>(part);  // -1 is none of them
  if (p >= before.parts.size() || p >= after.parts.size()) {
    return false;
  }
  const mesh::Primitive& one = before.primitive(before.parts[p]);
  const mesh::Primitive& other = after.primitive(after.parts[p]);
  return one.vertex_count() == other.vertex_count() && one.indices.is(other.indices);
}

// With another character its own surface is shown: that is the one which all steps hold.
void show(Document& document, Content content, const View& view) {
  document.view = view;
  if (content.character != document.content.character) {
    if (!shows_own_surface(document) || !has_same_vertices(*document.character, *content.character, view.pinned_part)) {
      document.view.pinned_part = -1;
      document.view.pinned_vertex = -1;
    }
    document.character = content.character;
    document.surface = {};
    document.detail_error = 0;
    ++document.character_version;
  }
  document.content = std::move(content);
  keep_valid(document.view, document);
  ++document.state_version;
}

// Records the step, or makes it part of the drag that goes on. @return what to show
Content record(Document& document, const Command& command, Content content, bool continues) {
  if (!continues) {
    document.history.record(document.content, content, label(document, command.change));
    document.open_merge_key = command.merge_key;
  } else if (document.history.before() == content) {
    document.open_merge_key.clear();
    return document.history.take_back();
  } else {
    document.history.go_on(content);
  }
  return content;
}

}  // namespace

void apply(Document& document, const Command& command) {
  const Edit& edit = edit_of(command.change);
  const bool is_step = command.undoable && edit.is_step;
  const bool continues =
      !command.merge_key.empty() && command.merge_key == document.open_merge_key && document.history.can_undo();
  if (is_step && !continues) {
    document.open_merge_key.clear();
  }
  Content content = document.content;
  View view = document.view;
  edit.carry_out(document, command.change, content, view);
  const bool is_changed = content != document.content;
  if (!is_changed && view == document.view) {
    return;
  }
  if (is_changed && is_step) {
    content = record(document, command, std::move(content), continues);
  }
  show(document, std::move(content), view);
}

void end_merge(Document& document) {
  document.open_merge_key.clear();
}

void cancel_merge(Document& document, std::string_view merge_key) {
  if (merge_key.empty() || document.open_merge_key != merge_key || !document.history.can_undo()) {
    return;
  }
  document.open_merge_key.clear();
  show(document, document.history.take_back(), document.view);
}

bool can_undo(const Document& document) {
  return document.history.can_undo();
}

bool can_redo(const Document& document) {
  return document.history.can_redo();
}

void undo(Document& document) {
  travel(document, document.history.cursor() - (can_undo(document) ? 1 : 0));
}

void redo(Document& document) {
  travel(document, document.history.cursor() + (can_redo(document) ? 1 : 0));
}

void travel(Document& document, std::size_t index) {
  document.open_merge_key.clear();
  if (index != document.history.cursor()) {
    show(document, document.history.travel(document.content, index), document.view);
  }
}

}  // namespace pelt::edit
