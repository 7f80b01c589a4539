#include "edit/mend_foresight.h"

#include <algorithm>

#include "core/index.h"
#include "deform/deform.h"
#include "mesh/influences.h"

namespace pelt::edit {
namespace {

// Share of the character's diagonal: skinning in float alone moves a vertex by less.
constexpr double kMoved = 1e-5;

bool are_alike(const rig::Character& a, const rig::Character& b) {
  if (a.meshes.size() != b.meshes.size() || a.skins.size() != b.skins.size()) {
    return false;
  }
  for (std::size_t m = 0; m < a.meshes.size(); ++m) {
    if (a.meshes[m].primitives.size() != b.meshes[m].primitives.size()) {
      return false;
    }
  }
  return true;
}

std::size_t turned_triangles(const mesh::Primitive& before, const mesh::Primitive& after) {
  if (before.indices.is(after.indices) || before.triangle_count() != after.triangle_count() ||
      before.vertex_count() != after.vertex_count()) {
    return 0;
  }
  std::size_t count = 0;
  for (std::size_t t = 0; t < before.triangle_count(); ++t) {
    const std::size_t i = 3 * t;
    const bool is_same = before.indices[i] == after.indices[i] && before.indices[i + 1] == after.indices[i + 1] &&
                         before.indices[i + 2] == after.indices[i + 2];
    count += is_same ? 0U : 1U;
  }
  return count;
}

// Marks meshes on a skin that lists other joints than before: their rows have other numbers of joints.
std::vector<char> meshes_of_other_joints(const rig::Character& before, const rig::Character& after) {
  std::vector<char> out(before.meshes.size(), 0);
  for (const rig::MeshNode& node : before.mesh_nodes) {
    if (node.skin >= 0 && has_index(out, node.mesh)) {
      const auto s = static_cast<std::size_t>(node.skin);
      char& has_others = out[static_cast<std::size_t>(node.mesh)];
      has_others = before.skins[s].joints != after.skins[s].joints ? char{1} : has_others;
    }
  }
  return out;
}

const rig::RenumberedVertices* numbers_of(std::span<const rig::RenumberedVertices> renumbered, const rig::Part& part) {
  const auto at = std::ranges::find_if(renumbered, [&](const rig::RenumberedVertices& one) {
    return one.mesh == part.mesh && one.primitive == part.primitive;
  });
  return at == renumbered.end() ? nullptr : &*at;
}

}  // namespace

MendedParts mended_parts(const rig::Character& before, const rig::Character& after) {
  MendedParts out;
  if (!are_alike(before, after)) {
    return out;
  }
  const std::vector<char> has_other_joints = meshes_of_other_joints(before, after);
  for (std::size_t m = 0; m < before.meshes.size(); ++m) {
    for (std::size_t p = 0; p < before.meshes[m].primitives.size(); ++p) {
      const mesh::Primitive& was = before.meshes[m].primitives[p];
      const mesh::Primitive& now = after.meshes[m].primitives[p];
      out.removed += was.vertex_count() - std::min(was.vertex_count(), now.vertex_count());
      out.turned += turned_triangles(was, now);
      if (has_other_joints[m] == 0 && was.vertex_count() == now.vertex_count()) {
        mesh::for_changed_rows(*was.influences, *now.influences, [&](std::size_t) { ++out.reweighted; });
      }
    }
  }
  for (std::size_t s = 0; s < before.skins.size(); ++s) {
    const rig::Skin& was = before.skins[s];
    const rig::Skin& now = after.skins[s];
    out.removed_joints += was.joints.size() - std::min(was.joints.size(), now.joints.size());
    for (std::size_t k = 0; was.joints.size() == now.joints.size() && k < was.joints.size(); ++k) {
      out.matrices += was.joint_from_mesh[k] != now.joint_from_mesh[k] ? 1U : 0U;
    }
  }
  return out;
}

void measure_moves(const rig::Character& before, const rig::Character& after,
                   std::span<const rig::RenumberedVertices> renumbered, MendedParts& out) {
  const deform::DeformedCharacter was = deform::deform_once(before, rig::rest_pose(before), {});
  const deform::DeformedCharacter now = deform::deform_once(after, rig::rest_pose(after), {});
  const double least = kMoved * was.bounds.diagonal();
  for (std::size_t i = 0; i < std::min(was.parts.size(), now.parts.size()); ++i) {
    const rig::RenumberedVertices* const numbers = numbers_of(renumbered, before.parts[i]);
    for (std::size_t v = 0; v < was.parts[i].positions.size(); ++v) {
      const std::size_t to = numbers != nullptr ? numbers->number[v] : v;
      if (to >= now.parts[i].positions.size()) {
        continue;  // it is gone
      }
      const double way = glm::length(glm::dvec3(now.parts[i].positions[to]) - glm::dvec3(was.parts[i].positions[v]));
      if (way > least) {
        ++out.moved;
        out.farthest = std::max(out.farthest, way);
      }
    }
  }
}

MendedParts foreseen_mend(const rig::Character& character, std::span<const std::string> codes) {
  std::vector<rig::RenumberedVertices> renumbered;
  const rig::Character mended = rig::fixed(character, codes, &renumbered);
  MendedParts out = mended_parts(character, mended);
  measure_moves(character, mended, renumbered, out);
  return out;
}

}  // namespace pelt::edit
