#include "edit/commands.h"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/expect.h"
#include "edit/edits.h"
#include "edit/remap.h"

namespace pelt::edit {
namespace {

// Whether a vertex of that part has the same number in both.
bool part_has_same_vertices(const rig::Character& before, const rig::Character& after, int part) {
  const std::size_t p = part;  // -1 is none of them
  if (p >= before.parts.size() || p >= after.parts.size()) {
    return false;
  }
  return has_same_vertices(before.primitive(before.parts[p]), after.primitive(after.parts[p]));
}

// Whether they differ in their skeletons or clips alone, as by names: then what was made of the surface of one is that
// of the other.
bool have_one_surface(const rig::Character& before, const rig::Character& after) {
  return (!before.skeleton.is(after.skeleton) || !before.clips.is(after.clips)) && before.meshes.is(after.meshes) &&
         before.skins.is(after.skins) && before.mesh_nodes.is(after.mesh_nodes) && before.parts.is(after.parts) &&
         before.morph_offset.is(after.morph_offset) && before.skeleton->parent == after.skeleton->parent;
}

// With another character its own surface is shown: that is the one which all steps hold. Another surface stays where
// the character differs in its skeleton or clips alone.
void show(Document& document, Content content, const View& view) {
  document.view = view;
  if (content.character != document.content.character && !shows_own_surface(document) &&
      have_one_surface(*document.content.character, *content.character)) {
    auto shown = std::make_shared<rig::Character>(*content.character);
    shown->meshes = document.character->meshes;
    shown->parts = document.character->parts;
    document.character = std::move(shown);
    ++document.character_version;
  } else if (content.character != document.content.character) {
    const auto lost = [&](int part) {
      return !shows_own_surface(document) || !part_has_same_vertices(*document.character, *content.character, part);
    };
    if (lost(view.pinned_part)) {
      document.view.pinned_part = -1;
      document.view.pinned_vertex = -1;
    }
    const auto is_lost = [&](const PartVertices& of_part) { return lost(of_part.part); };
    if (std::ranges::any_of(view.selected_vertices, is_lost)) {
      std::erase_if(document.view.selected_vertices.edit(), is_lost);
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

// Whether it poses joints one by one; a mirrored pose or a pose file says itself what both sides do.
bool poses_by_hand(const Change& change) {
  return change.is<SetDof>() || change.is<SetDofs>() || change.is<SetJointLocal>() || change.is<SetJointLocals>() ||
         change.is<ResetDof>() || change.is<ResetDofs>() || change.is<ResetJoints>() || change.is<DragJoint>() ||
         change.is<BreakDownPose>();
}

// Records the step, or makes it part of the drag that goes on. @return what to show
Content record(Document& document, const Command& command, Content content, bool continues) {
  History& history = document.history;
  if (!continues) {
    history.record(document.content, content, command.label.empty() ? label(document, command.change) : command.label);
    document.open_merge_key = command.merge_key;
    if (command.merge_key.empty()) {
      history.close(content);
    }
  } else if (history.content(history.cursor() - 1, document.content) == content) {
    document.open_merge_key.clear();
    return history.take_back(document.content);
  } else {
    history.go_on(content);
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
    end_merge(document);
  }
  Content content = document.content;
  View view = document.view;
  edit.carry_out(document, command.change, content, view);
  if (is_step && document.view.symmetric_posing && poses_by_hand(command.change)) {
    pose_other_side(document, content);
  }
  const Shared<std::map<int, JointOverride>> posed = content.overrides;
  if (is_step && document.view.timing.auto_key) {
    key_what_was_posed(document, content);
  }
  const bool is_changed = content != document.content;
  if (!is_changed && view == document.view) {
    return;
  }
  keep_meant_sliders(document, document.content.overrides, content);
  keep_meant_sliders(document, posed, content);
  if (is_changed && is_step) {
    content = record(document, command, std::move(content), continues);
  } else if (is_changed) {
    document.history.show_other(document.content, content);
  }
  show(document, std::move(content), view);
}

void end_merge(Document& document) {
  document.open_merge_key.clear();
  document.history.close(document.content);
}

void cancel_merge(Document& document, std::string_view merge_key) {
  if (merge_key.empty() || document.open_merge_key != merge_key || !document.history.can_undo()) {
    return;
  }
  document.open_merge_key.clear();
  show(document, document.history.take_back(document.content), document.view);
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
  if (index == document.history.cursor()) {
    end_merge(document);
  } else {
    document.open_merge_key.clear();
    document.lost.clear();
    Content content = document.history.travel(document.content, index, &document.lost);
    show(document, std::move(content), document.view);
  }
}

}  // namespace pelt::edit
