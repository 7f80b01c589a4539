#include "edit/bind_edits.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "bind/character_binding.h"
#include "core/index.h"
#include "core/text.h"
#include "edit/weight_edits.h"
#include "mesh/weight_rows.h"
#include "rig/character_parts.h"

namespace pelt::edit {
namespace {

std::vector<double> values_of(const bind::Binder& binder, const BindSkin& change) {
  return change.values.size() == binder.fields.size() ? change.values : bind::standard_values(binder);
}

// [V] of a primitive: whether its vertices are to be bound anew; empty: all of them.
std::vector<char> chosen_vertices(const rig::Character& character, const BindSkin& change, int mesh, int primitive) {
  if (change.vertices.empty()) {
    return {};
  }
  std::vector<char> chosen(character.meshes[mesh].primitives[primitive].vertex_count(), 0);
  for (const PartVertices& of_part : change.vertices) {
    const rig::Part& part = character.parts[of_part.part];
    if (part.mesh != mesh || part.primitive != primitive) {
      continue;
    }
    for (const std::uint32_t v : of_part.vertices) {
      chosen[v] = 1;
    }
  }
  return chosen;
}

// The slots of a mesh's skin that keep what they have: those of joints that are locked, or not among the chosen ones.
std::vector<std::uint16_t> kept_slots(const rig::Character& character, const BindSkin& change,
                                      std::span<const int> locked, int mesh) {
  const auto node = std::ranges::find_if(character.mesh_nodes,
                                         [&](const rig::MeshNode& one) { return one.mesh == mesh && one.skin >= 0; });
  std::vector<std::uint16_t> kept;
  const std::vector<int>& joints = character.skins[static_cast<std::size_t>(node->skin)].joints;
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const bool is_chosen = change.joints.empty() || std::ranges::find(change.joints, joints[k]) != change.joints.end();
    if (!is_chosen || std::ranges::find(locked, joints[k]) != locked.end()) {
      kept.push_back(static_cast<std::uint16_t>(k));
    }
  }
  return kept;
}

// The rows of one primitive where only some vertices or joints are bound anew: the others share what they had together.
// @param limit  0: any number; nothing: as many as the made rows have a place for
mesh::Influences kept_rows(const mesh::Influences& before, const mesh::Influences& made, std::span<const char> vertices,
                           std::span<const std::uint16_t> kept, std::optional<int> limit) {
  mesh::Influences out = before;
  out.set_budget(std::max(before.budget(), made.budget()));
  mesh::WeightRow row(kept);
  std::vector<mesh::WeightEntry> wanted;
  for (std::size_t v = 0; v < made.vertex_count(); ++v) {
    if (!vertices.empty() && vertices[v] == 0) {
      continue;
    }
    mesh::InfluenceRow now = made.row(v);
    if (!kept.empty() && before.count(v) > 0) {
      wanted.clear();
      for (std::size_t k = 0; k < now.joints.size(); ++k) {
        wanted.push_back({now.joints[k], double{now.weights[k]}});
      }
      row.read(before.row(v));
      row.towards(wanted, 1);
      if (limit != 0) {
        row.limit(limit ? static_cast<std::size_t>(*limit) : std::max<std::size_t>(before.count(v), made.most(v)));
      }
      if (!row.is_changed()) {
        continue;
      }
      now = row.stored();
    }
    if (!mesh::same_row(before.row(v), now)) {
      out.put_row(v, now);
    }
  }
  return out;
}

std::string bound_meshes(const rig::Character& character, const BindSkin& change) {
  if (change.request.meshes.size() == 1) {
    const std::string& name = character.meshes[change.request.meshes[0]].name;
    return name.empty() ? fmt::format("mesh {}", change.request.meshes[0]) : name;
  }
  return character.name.empty() ? std::string("the character") : character.name;
}

// Whether a mesh can take the rows that the file has for it: the slots of its skin are those of the file's.
bool takes_rows_of(const rig::Character& file, const rig::Character& character, std::size_t mesh,
                   std::size_t primitive) {
  const mesh::Primitive& now = character.meshes[mesh].primitives[primitive];
  const mesh::Primitive& before = file.meshes[mesh].primitives[primitive];
  if (before.influences->empty() || !before.positions.is(now.positions) || !before.indices.is(now.indices)) {
    return false;
  }
  const auto skin_of = [&](const rig::Character& one) -> const rig::Skin* {
    const int skin = rig::first_skin_of(one, static_cast<int>(mesh));
    return skin >= 0 ? &one.skins[static_cast<std::size_t>(skin)] : nullptr;
  };
  const rig::Skin* const of_file = skin_of(file);
  const rig::Skin* const skin = skin_of(character);
  return of_file != nullptr && skin != nullptr && skin->joints.size() >= of_file->joints.size() &&
         std::equal(of_file->joints.begin(), of_file->joints.end(), skin->joints.begin());
}

// Whether the joints of the file have their numbers still: others may stand behind them, and names may have changed.
bool has_joints_of_file(const rig::Skeleton& file, const rig::Skeleton& now) {
  return now.size() >= file.size() && std::equal(file.parent.begin(), file.parent.end(), now.parent.begin()) &&
         std::equal(file.source_node.begin(), file.source_node.end(), now.source_node.begin());
}

// Calls body(mesh, primitive) for each that can take the rows of the file.
template <typename Body>
void for_rows_of_file(const rig::Character& character, const rig::Character& file, const Body& body) {
  if (!has_joints_of_file(*file.skeleton, *character.skeleton) || file.meshes.size() != character.meshes.size()) {
    return;
  }
  for (std::size_t m = 0; m < file.meshes.size(); ++m) {
    const std::size_t count = file.meshes[m].primitives.size();
    for (std::size_t p = 0; p < count && count == character.meshes[m].primitives.size(); ++p) {
      if (takes_rows_of(file, character, m, p)) {
        body(m, p);
      }
    }
  }
}

// A sentence for each mesh that several nodes carry, and on the surface that is shown.
std::string remark_on_meshes(const Document& document, std::span<const int> meshes) {
  const rig::Character& character = *own_character(document);
  std::string text;
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    const int nodes = node_count(character, static_cast<int>(m));
    const bool is_bound = meshes.empty() || std::ranges::find(meshes, static_cast<int>(m)) != meshes.end();
    if (nodes > 1 && is_bound && bind::why_not_bound(character, static_cast<int>(m)).empty()) {
      text = fmt::format(
          "{} nodes share {}: all of them change", nodes,
          character.meshes[m].name.empty() ? fmt::format("mesh {}", m) : printable(character.meshes[m].name));
    }
  }
  if (!shows_own_surface(document)) {
    text += text.empty() ? "" : "; ";
    text += "weights are edited on the file's own surface, which is shown again";
  }
  return text;
}

}  // namespace

bool fits(const MadeBinding& made, const rig::Character& character) {
  const rig::Character& of = *made.character;
  if (!same_joints(of.skeleton, character.skeleton) || of.meshes.size() != character.meshes.size()) {
    return false;
  }
  return std::ranges::all_of(made.problem->parts, [&](const bind::CharacterProblem::Part& part) {
    const auto& before = of.meshes[part.mesh].primitives;
    const auto& now = character.meshes[part.mesh].primitives;
    return before.size() == now.size() && has_index(now, part.primitive) &&
           before[part.primitive].positions.is(now[part.primitive].positions) &&
           before[part.primitive].indices.is(now[part.primitive].indices);
  });
}

Result<std::shared_ptr<const MadeBinding>> make_binding(const std::shared_ptr<const rig::Character>& character,
                                                        const BindSkin& change, const bind::Watcher& watcher) {
  const bind::Binder* const binder = bind::find_binder(change.binder);
  if (binder == nullptr) {
    return error("no binder is called \"{}\"", printable(change.binder));
  }
  auto made = std::make_shared<MadeBinding>();
  made->character = character;
  PELT_TRY_TO(made->problem, bind::make_problem(*character, change.request));
  std::optional<bind::Binding> binding =
      bind::run(*binder, made->problem->problem, values_of(*binder, change), watcher);
  if (!binding) {
    return error("binding was cancelled");
  }
  made->binding = *std::move(binding);
  return std::shared_ptr<const MadeBinding>(std::move(made));
}

bind::JointVolumes volumes_of(const BindSkin& change) {
  const bind::Binder* const binder = bind::find_binder(kVolumesBinder);
  bind::JointVolumes out{bind::containment_numbers(values_of(*binder, change)), change.request.volumes};
  // As a session holds them.
  out.numbers.size = double{static_cast<float>(out.numbers.size)};
  out.numbers.how.range = double{static_cast<float>(out.numbers.how.range)};
  return out;
}

rig::Character with_made_binding(const rig::Character& character, const BindSkin& change, const MadeBinding& made,
                                 std::span<const int> locked) {
  std::span<const std::uint32_t> only;
  if (made.changed && made.character.get() == &character) {
    if (made.changed->empty()) {
      return character;
    }
    only = *made.changed;
  }
  rig::Character bound = bind::with_binding(character, made.problem, made.binding, change.limit, only);
  if (change.vertices.empty() && change.joints.empty() && locked.empty()) {
    return bound;
  }
  for (const bind::CharacterProblem::Part& part : made.problem->parts) {
    const std::size_t m = static_cast<std::size_t>(part.mesh);
    const std::size_t p = static_cast<std::size_t>(part.primitive);
    const mesh::Influences& before = character.meshes[m].primitives[p].influences;
    if (before.empty()) {
      continue;  // there is nothing to keep
    }
    mesh::Influences rows = kept_rows(before, bound.meshes[m].primitives[p].influences,
                                      chosen_vertices(character, change, part.mesh, part.primitive),
                                      kept_slots(bound, change, locked, part.mesh), change.limit);
    bound.meshes.edit(m).primitives.edit(p).influences = std::move(rows);
  }
  return bound;
}

std::string label(const Document& document, const BindSkin& change) {
  const bind::Binder* const binder = bind::find_binder(change.binder);
  return fmt::format("Bind {} by {}{}", bound_meshes(*own_character(document), change),
                     binder != nullptr ? std::string(binder->label) : change.binder,
                     change.request.pose.empty() ? "" : " in this pose");
}

void carry_out(const Document& document, const BindSkin& change, Content& content, View&) {
  if (change.binder == kVolumesBinder) {
    bind::JointVolumes volumes = volumes_of(change);
    if (!(volumes == *content.volumes)) {
      content.volumes = std::move(volumes);
    }
  }
  const std::shared_ptr<const rig::Character> character = own_character(document);
  std::shared_ptr<const MadeBinding> made = change.made;
  if (made == nullptr || !fits(*made, *character)) {
    Result<std::shared_ptr<const MadeBinding>> now = make_binding(character, change);
    if (!now) {
      return;
    }
    made = *std::move(now);
  }
  rig::Character bound = with_made_binding(*character, change, *made, document.content.locked_joints.get());
  if (!rig::equal(bound, *character)) {
    content.character = std::make_shared<const rig::Character>(std::move(bound));
  }
}

std::string remark(const Document& document, const BindSkin& change) {
  return remark_on_meshes(document, change.request.meshes);
}

std::string refusal(const Document& document, const BindSkin& change) {
  const std::shared_ptr<const rig::Character> character = own_character(document);
  for (const bind::JointVolume& volume : change.request.volumes) {
    if (!has_index(character->skeleton->parent, volume.joint)) {
      return fmt::format("the volume of joint {}: expected 0 to {}", volume.joint, character->skeleton->size() - 1);
    }
  }
  if (bind::find_binder(change.binder) == nullptr) {
    return fmt::format("no binder is called \"{}\"", printable(change.binder));
  }
  if (change.limit < 0) {
    return fmt::format("expected a limit of 0 or more influences, got {}", change.limit);
  }
  if (!change.vertices.empty() && !shows_own_surface(document)) {
    return "the selected vertices are not of the file's own surface";
  }
  for (const PartVertices& of_part : change.vertices) {
    if (!has_index(character->parts, of_part.part)) {
      return fmt::format("part {}: expected 0 to {}", of_part.part, static_cast<int>(character->parts.size()) - 1);
    }
  }
  if (change.made != nullptr && fits(*change.made, *character)) {
    return {};
  }
  const Result<bind::CharacterProblem> problem = bind::make_problem(*character, change.request);
  return problem ? std::string() : problem.error().message;
}

bool has_file_weights(const rig::Character& character, const rig::Character& file) {
  bool has_any = false;
  for_rows_of_file(character, file, [&](std::size_t, std::size_t) { has_any = true; });
  return has_any;
}

rig::Character with_file_weights(const rig::Character& character, const rig::Character& file,
                                 std::span<const int> locked) {
  rig::Character out = character;
  for_rows_of_file(character, file, [&](std::size_t m, std::size_t p) {
    const Shared<mesh::Influences>& rows = file.meshes[m].primitives[p].influences;
    mesh::Primitive& primitive = out.meshes.edit(m).primitives.edit(p);
    if (locked.empty() || primitive.influences->empty()) {
      primitive.influences = rows;
    } else {
      primitive.influences = kept_rows(primitive.influences, rows, {},
                                       kept_slots(character, BindSkin{}, locked, static_cast<int>(m)), std::nullopt);
    }
    primitive.cage = file.meshes[m].primitives[p].cage;
    primitive.cage_rows = file.meshes[m].primitives[p].cage_rows;
  });
  rig::finish(out);
  return out;
}

std::string label(const Document& document, const UseFileWeights&) {
  return fmt::format("Weights of the file for {}", bound_meshes(*own_character(document), BindSkin{}));
}

void carry_out(const Document& document, const UseFileWeights&, Content& content, View&) {
  const rig::Character& character = *own_character(document);
  rig::Character restored = with_file_weights(character, *document.file, document.content.locked_joints.get());
  if (!rig::equal(restored, character)) {
    content.character = std::make_shared<const rig::Character>(std::move(restored));
  }
}

std::string remark(const Document& document, const UseFileWeights&) {
  return remark_on_meshes(document, {});
}

std::string refusal(const Document& document, const UseFileWeights&) {
  return has_file_weights(*own_character(document), *document.file)
             ? std::string()
             : "the file has no weights for vertices and joints as they are now";
}

}  // namespace pelt::edit
