#include "rig/lint_fix.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "mesh/orientation.h"
#include "mesh/weld.h"
#include "rig/lint.h"
#include "rig/lint_checks.h"

namespace pelt::rig {
namespace {

/// `kept` vertices of `values` in a row. @param kept  ascending
template <typename T>
void keep_vertices(std::vector<T>& values, std::span<const std::uint32_t> kept) {
  if (values.empty()) {
    return;
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    values[i] = values[kept[i]];
  }
  values.resize(kept.size());
}

void keep_vertices(mesh::Influences& rows, std::span<const std::uint32_t> kept) {
  if (rows.empty()) {
    return;
  }
  mesh::Influences out;
  for (const std::uint32_t v : kept) {
    out.push_row(rows.row(v));
  }
  rows = std::move(out);
}

void keep_vertices(std::vector<mesh::KeptAttribute>& all, std::span<const std::uint32_t> kept) {
  for (mesh::KeptAttribute& values : all) {
    values = mesh::gathered(values, kept);
  }
}

/// One vertex for each class of copies that something uses. @param copies  are merged @param unused  are dropped
/// @returns the new number of each vertex, kDroppedVertex for unused ones; empty where nothing changes
std::vector<std::uint32_t> weld(mesh::Primitive& primitive, bool copies, bool unused) {
  std::vector<std::uint32_t> first(primitive.vertex_count());
  std::iota(first.begin(), first.end(), 0U);
  std::vector<char> used(first.size(), 0);
  for (const std::uint32_t v : primitive.indices) {
    used[v] = 1;
  }
  if (copies) {
    const std::vector<std::uint32_t> copy_of = mesh::weld_copies(primitive);
    for (std::uint32_t v = 0; v < first.size(); ++v) {
      first[v] = used[v] != 0 || unused ? copy_of[v] : v;
    }
  }
  std::vector<std::uint32_t> number(first.size(), kDroppedVertex);
  for (std::uint32_t v = 0; v < first.size(); ++v) {
    if (used[v] != 0 || !unused) {
      number[first[v]] = 0;
    }
  }
  std::vector<std::uint32_t> kept;
  for (std::uint32_t v = 0; v < number.size(); ++v) {
    if (number[v] != kDroppedVertex) {
      number[v] = static_cast<std::uint32_t>(kept.size());
      kept.push_back(v);
    }
  }
  if (kept.size() == number.size() || kept.empty()) {
    return {};
  }
  for (std::uint32_t v = 0; v < number.size(); ++v) {
    number[v] = number[first[v]];
  }
  for (std::uint32_t& v : primitive.indices.edit()) {
    v = number[v];
  }
  primitive.drop_cage();  // whose surface has other vertices now
  keep_vertices(primitive.positions.edit(), kept);
  keep_vertices(primitive.normals.edit(), kept);
  keep_vertices(primitive.tangents.edit(), kept);
  keep_vertices(primitive.texcoords[0].edit(), kept);
  keep_vertices(primitive.texcoords[1].edit(), kept);
  keep_vertices(primitive.colors.edit(), kept);
  keep_vertices(primitive.influences.edit(), kept);
  keep_vertices(primitive.kept.edit(), kept);
  for (mesh::MorphTarget& target : primitive.morph_targets.edit_each()) {
    keep_vertices(target.position_deltas.edit(), kept);
    keep_vertices(target.normal_deltas.edit(), kept);
    keep_vertices(target.tangent_deltas.edit(), kept);
    keep_vertices(target.kept.edit(), kept);
  }
  return number;
}

void renumber(std::vector<std::uint32_t>& vertices, const std::vector<std::uint32_t>& number) {
  for (std::uint32_t& v : vertices) {
    v = v < number.size() ? number[v] : kDroppedVertex;
  }
  std::erase(vertices, kDroppedVertex);
  std::ranges::sort(vertices);
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
}

/// Takes joints that no vertex follows, and none below, from the skins' lists.
void drop_unused_joints(Character& character) {
  const JointUse use = joint_use(character);
  std::vector<char> is_renumbered(character.meshes.size(), 0);
  for (const SkinnedMesh& skinned : skinned_meshes(character)) {
    const std::vector<char>& kept = use.kept[skinned.skin];
    // Once for a mesh: all of its skins keep the same numbers.
    if (std::exchange(is_renumbered[skinned.mesh], char{1}) != 0) {
      continue;
    }
    std::vector<std::uint16_t> number(kept.size(), 0);
    std::uint16_t next = 0;
    for (std::size_t k = 0; k < kept.size(); ++k) {
      number[k] = next;
      next = static_cast<std::uint16_t>(next + (kept[k] != 0 ? 1 : 0));
    }
    for (mesh::Primitive& primitive : character.meshes.edit(skinned.mesh).primitives.edit_each()) {
      mesh::renumber_joints(primitive, [&](std::uint16_t k) { return number[k]; });
    }
  }
  for (std::size_t s = 0; s < character.skins.size(); ++s) {
    Skin& skin = character.skins.edit(s);
    std::size_t to = 0;
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      if (use.kept[s][k] != 0) {
        skin.joints[to] = skin.joints[k];
        skin.joint_from_mesh[to] = skin.joint_from_mesh[k];
        ++to;
      }
    }
    skin.joints.resize(to);
    skin.joint_from_mesh.resize(to);
  }
}

}  // namespace

Character fixed(const Character& character, std::span<const std::string> only,
                std::vector<RenumberedVertices>* renumbered) {
  const auto wanted = [&](std::string_view code) {
    const LintRule* const rule = find_lint_rule(code);
    return only.empty() ? rule != nullptr && rule->is_usually_fixed() : std::ranges::find(only, code) != only.end();
  };
  const bool sums = wanted("weight-sum") || wanted("weight-integer-sum");
  Character out = character;
  std::erase_if(out.diagnostics, [&](const Diagnostic& diagnostic) {
    const LintRule* rule = find_lint_rule(diagnostic.code);
    return rule != nullptr && rule->fixable && wanted(diagnostic.code);
  });
  for (std::size_t m = 0; m < out.meshes.size(); ++m) {
    for (std::size_t p = 0; p < out.meshes[m].primitives.size(); ++p) {
      mesh::Primitive& primitive = out.meshes.edit(m).primitives.edit(p);
      for (std::size_t v = 0; sums && v < primitive.influences->vertex_count(); ++v) {
        if (const float sum = primitive.influences->stored_sum(v); sum > 0 && sum != 1.0f) {
          primitive.influences.edit().set_stored_sum(v, 1.0f);
        }
      }
      if (wanted("winding") && !primitive.has_cage()) {
        mesh::turn_round(primitive, mesh::wrongly_wound(primitive));
      }
      std::vector<std::uint32_t> number = weld(primitive, wanted("duplicate-vertex"), wanted("unused-vertex"));
      for (Diagnostic& diagnostic : out.diagnostics) {
        const LintPlace place = place_of(diagnostic);
        if (!number.empty() && place.mesh == static_cast<int>(m) && place.primitive == static_cast<int>(p)) {
          renumber(diagnostic.vertices, number);
        }
      }
      if (!number.empty() && renumbered != nullptr) {
        renumbered->push_back({static_cast<int>(m), static_cast<int>(p), std::move(number)});
      }
    }
  }
  // The character as it came tells which matrices are wrong, whatever else is mended.
  for (const WrongBind& wrong : wanted("inverse-bind-mismatch") ? wrong_binds(character) : std::vector<WrongBind>()) {
    out.skins.edit(static_cast<std::size_t>(wrong.skin)).joint_from_mesh[wrong.joint] = wrong.joint_from_mesh;
  }
  if (wanted("unused-joint")) {
    drop_unused_joints(out);
  }
  for (Skin& skin : out.skins.edit_each()) {
    skin.has_inverse_binds = skin.has_inverse_binds || wanted("inverse-bind-missing");
  }
  finish(out);
  return out;
}

}  // namespace pelt::rig
