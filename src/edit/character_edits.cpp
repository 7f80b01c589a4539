#include "edit/character_edits.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/text.h"
#include "edit/remap.h"
#include "rig/conversions.h"

namespace pelt::edit {
namespace {

// The numbers that vertices of a mesh's primitive have in the mended character; empty where nobody knows.
std::vector<std::uint32_t> renumbered(const ReplaceCharacter& change, const NodeVertices& of_node, int mesh,
                                      const mesh::Primitive& before, const mesh::Primitive& after) {
  for (const rig::RenumberedVertices& one : change.renumbered) {
    if (one.mesh != mesh || one.primitive != of_node.primitive || one.number.size() != before.vertex_count()) {
      continue;
    }
    std::vector<std::uint32_t> out;
    for (const std::uint32_t v : of_node.vertices) {
      if (one.number[v] < after.vertex_count()) {
        out.push_back(one.number[v]);
      }
    }
    std::ranges::sort(out);
    const auto again = std::ranges::unique(out);
    out.erase(again.begin(), again.end());
    return out;
  }
  return has_same_vertices(before, after) ? of_node.vertices : std::vector<std::uint32_t>{};
}

// The named vertices in the mended character. @param lost  gets set where some are not found again
NamedVertices mended(const Document& document, const ReplaceCharacter& change, const NamedVertices& vertices,
                     bool& lost) {
  const rig::Character& now = *own_character(document);
  NamedVertices out;
  for (const NodeVertices& of_node : vertices) {
    const mesh::Primitive* const before = primitive_at(now, of_node);
    const mesh::Primitive* const after = primitive_at(*change.character, of_node);
    NodeVertices next{of_node.mesh_node, of_node.primitive, {}};
    if (before != nullptr && after != nullptr) {
      next.vertices = renumbered(change, of_node, now.mesh_nodes[of_node.mesh_node].mesh, *before, *after);
    }
    lost = lost || next.vertices.empty();
    if (!next.vertices.empty()) {
      out.push_back(std::move(next));
    }
  }
  return out;
}

}  // namespace

void carry_out(const Document& document, const ReplaceCharacter& change, Content& content, View& view) {
  PELT_EXPECT(change.character != nullptr, "a character takes the place of another");
  const rig::Character& now = *own_character(document);
  const rig::Character& next = *change.character;
  PELT_EXPECT(next.skeleton->size() == now.skeleton->size() && next.parts.size() == now.parts.size() &&
                  next.clips.size() == now.clips.size() && next.morph_offset == now.morph_offset,
              "a mended copy of the same character");
  content.character = change.character;
  for (const auto& [name, selection] : *document.content.selections) {
    bool lost = false;
    NamedVertices vertices = mended(document, change, selection.vertices, lost);
    if (vertices == selection.vertices) {
      continue;
    }
    Shared<NamedSelections>& selections = content.selections;
    if (vertices.empty() && selection.joints.empty()) {
      selections.edit().erase(name);
    } else {
      selections.edit().at(name).vertices = std::move(vertices);
    }
  }
  content.kept_poses = remapped(identity(now), content.kept_poses, now, next, nullptr);
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
  if (*content.behaviour != motion::Behaviour()) {
    std::vector<int> same(renamed->skeleton->parent.size());
    std::iota(same.begin(), same.end(), 0);
    content.behaviour = motion::with_joints_renamed(*content.behaviour, character.skeleton, renamed->skeleton, same);
  }
  content.character = std::move(renamed);
}

std::string label_of_fix(std::span<const std::string> codes) {
  switch (codes.size()) {
    case 0:
      return "Fix findings";
    case 1:
      return fmt::format("Fix {}", codes[0]);
    case 2:
      return fmt::format("Fix {}, {}", codes[0], codes[1]);
    default:
      return fmt::format("Fix {} and {} more", codes[0], codes.size() - 1);
  }
}

std::string label(const Document&, const ReplaceCharacter& change) {
  return change.words.empty() ? label_of_fix({}) : change.words;
}

std::string remark(const Document& document, const ReplaceCharacter& change) {
  std::string names;
  for (const auto& [name, selection] : *document.content.selections) {
    bool lost = false;
    mended(document, change, selection.vertices, lost);
    names += lost ? (names.empty() ? "" : ", ") + name : "";
  }
  std::string text =
      names.empty() ? "" : fmt::format("vertices with a name have other numbers now and are lost: {}", names);
  std::vector<std::string> lost;
  const rig::Character& now = *own_character(document);
  remapped(identity(now), document.content.kept_poses, now, *change.character, &lost);
  for (const std::string& what : lost) {
    text += fmt::format("{}{} is lost", text.empty() ? "" : "; ", what);
  }
  return text;
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
