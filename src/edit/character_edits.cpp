#include "edit/character_edits.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/text.h"
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
  view.selected_vertices.clear();
  view.pinned_vertex = -1;
}

void carry_out(const Document& document, const RebindSkin& change, Content& content, View&) {
  Result<rig::Character> bound = rig::bound_in_pose(*own_character(document), evaluate_pose(document), change.skin);
  if (bound) {
    content.character = std::make_shared<const rig::Character>(*std::move(bound));
  }
}

void carry_out(const Document& document, const RenameJoint& change, Content& content, View&) {
  const rig::Character& character = *own_character(document);
  PELT_EXPECT(change.joint >= 0 && change.joint < character.skeleton->size(), "joint index out of range");
  const std::size_t j = change.joint;
  std::string name = single_line(change.name, kLongestName);
  if (character.skeleton->name[j] == name) {
    return;
  }
  auto renamed = std::make_shared<rig::Character>(character);
  renamed->skeleton.edit().name[j] = std::move(name);
  content.character = std::move(renamed);
}

std::string label(const Document&, const ReplaceCharacter&) {
  return "Fix findings";
}

std::string label(const Document& document, const RebindSkin& change) {
  const std::string& name = document.character->skins[change.skin].name;
  return name.empty() ? fmt::format("Re-bind skin {}", change.skin) : fmt::format("Re-bind {}", name);
}

std::string remark(const Document& document, const RebindSkin& change) {
  const rig::Character& character = *own_character(document);
  const bool drops_cage = std::ranges::any_of(character.parts, [&](const rig::Part& part) {
    return part.skin >= 0 && (change.skin < 0 || part.skin == change.skin) && character.primitive(part).has_cage();
  });
  std::string text =
      shows_own_surface(document) ? "" : "the skin is bound on the file's own surface, which is shown again";
  if (drops_cage) {
    text += text.empty() ? "" : "; ";
    text += "control points are given up: the mesh takes the shape that it has here, which they would not make";
  }
  return text;
}

std::string label(const Document& document, const RenameJoint& change) {
  const std::string before = document.character->skeleton->label(change.joint);
  return change.name.empty() ? fmt::format("Take the name of {}", before)
                             : fmt::format("Rename {} to {}", before, single_line(change.name, kLongestName));
}

std::string remark(const Document& document, const RenameJoint& change) {
  const rig::Skeleton& skeleton = own_character(document)->skeleton;
  const std::size_t j = change.joint;
  const int node = skeleton.source_node[j];
  if (change.name.empty()) {
    return fmt::format("without a name it is node {}, also in pose files", node);
  }
  const std::string name = single_line(change.name, kLongestName);
  const auto others = std::ranges::count(skeleton.name, name) - (skeleton.name[j] == name ? 1 : 0);
  return others == 0
             ? ""
             : fmt::format("{} other {} so called, too; pose files tell them apart by number, this one is node {}",
                           others, others == 1 ? "joint is" : "joints are", node);
}

}  // namespace pelt::edit
