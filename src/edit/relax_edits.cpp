#include "edit/relax_edits.h"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/index.h"
#include "deform/common_stretch.h"
#include "edit/weight_area.h"
#include "mesh/elastic_weights.h"

namespace pelt::edit {
namespace {

std::shared_ptr<const rig::Character> relaxed(const rig::Character& character, std::span<const int> locked,
                                              const RelaxWeights& change) {
  const int skin_index = has_index(character.meshes, change.mesh) ? rig::first_skin_of(character, change.mesh) : -1;
  if (skin_index < 0 || change.amounts.size() != change.places.size()) {
    return nullptr;
  }
  const rig::Skin& skin = character.skins[skin_index];
  const std::shared_ptr<const mesh::WeldedSurface> surface = surface_for(character.meshes[change.mesh], change.surface);
  if (std::ranges::any_of(change.places, [&](std::uint32_t w) { return w >= surface->place_count(); }) ||
      std::ranges::any_of(change.worlds, [&](const auto& world) {
        return std::cmp_not_equal(world.size(), character.skeleton->size());
      })) {
    return nullptr;
  }
  std::vector<std::vector<glm::dmat4>> matrices;
  for (const std::vector<glm::mat4>& world : change.worlds) {
    matrices.push_back(skin_matrices(skin, world));
  }
  const std::vector<std::span<const glm::dmat4>> poses(matrices.begin(), matrices.end());
  const std::vector<std::uint16_t> more = slots_of(character, change.mesh, change.more);
  const std::vector<std::uint16_t> slots = slots_of(character, change.mesh, locked);
  mesh::Relaxing relaxing;
  relaxing.places = change.places;
  relaxing.amounts = change.amounts;
  relaxing.poses = poses;
  relaxing.reference = deform::common_stretches(character)[static_cast<std::size_t>(skin_index)];
  relaxing.more = more;
  relaxing.locked = slots;
  relaxing.coincident = coincidence_in_world(*surface, matrices);
  return with_patches(character, change.mesh,
                      mesh::relaxed_weights(*surface, influences_of(character.meshes[change.mesh]), relaxing));
}

}  // namespace

std::string label(const Document& document, const RelaxWeights& change) {
  return fmt::format("Relax weights of {}", mesh_name(*own_character(document), change.mesh));
}

void carry_out(const Document& document, const RelaxWeights& change, Content& content, View&) {
  const std::shared_ptr<const rig::Character>& from = own_character(document);
  if (change.made != nullptr && change.from == from && change.locked.get() == document.content.locked_joints.get()) {
    content.character = change.made;
    return;
  }
  auto character = relaxed(*from, document.content.locked_joints.get(), change);
  content.character = character != nullptr ? std::move(character) : from;
}

std::string remark(const Document& document, const RelaxWeights& change) {
  return remark_on_weights(document, change.mesh);
}

}  // namespace pelt::edit
