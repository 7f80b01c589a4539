#include "edit/character_edits.h"

#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "rig/conversions.h"

namespace pelt::edit {

void carry_out(const Document& document, const ReplaceCharacter& change, Content& content, View& view) {
  PELT_EXPECT(change.character != nullptr, "a character takes the place of another");
  [[maybe_unused]] const rig::Character& now = *own_character(document);
  [[maybe_unused]] const rig::Character& next = *change.character;
  PELT_EXPECT(next.skeleton->size() == now.skeleton->size() && next.parts.size() == now.parts.size() &&
                  next.clips.size() == now.clips.size() && next.morph_offset == now.morph_offset,
              "a mended copy of the same character");
  content.character = change.character;
  view.pinned_part = -1;
  view.pinned_vertex = -1;
}

void carry_out(const Document& document, const RebindSkin& change, Content& content, View&) {
  Result<rig::Character> bound = rig::bound_in_pose(*own_character(document), evaluate_pose(document), change.skin);
  if (bound) {
    content.character = std::make_shared<const rig::Character>(*std::move(bound));
  }
}

std::string label(const Document&, const ReplaceCharacter&) {
  return "Fix findings";
}

std::string label(const Document& document, const RebindSkin& change) {
  const std::string& name = document.character->skins[static_cast<std::size_t>(change.skin)].name;
  return name.empty() ? fmt::format("Re-bind skin {}", change.skin) : fmt::format("Re-bind {}", name);
}

}  // namespace pelt::edit
