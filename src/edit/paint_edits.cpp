#include "edit/paint_edits.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/index.h"
#include "core/text.h"
#include "edit/weight_area.h"
#include "math/transform.h"
#include "mesh/reachable_weights.h"

namespace pelt::edit {
namespace {

// The skin whose list the rows of a mesh are counted in; null where it hangs on none.
const rig::Skin* skin_of(const rig::Character& character, int mesh) {
  for (const rig::MeshNode& node : character.mesh_nodes) {
    if (node.mesh == mesh && node.skin >= 0) {
      return &character.skins[node.skin];
    }
  }
  return nullptr;
}

int slot_of(const rig::Skin& skin, int joint) {
  const auto found = std::ranges::find(skin.joints, joint);
  return found == skin.joints.end() ? -1 : static_cast<int>(found - skin.joints.begin());
}

std::vector<mesh::WeightEntry> entries_of(const rig::Skin& skin, std::span<const JointShare> shares) {
  std::vector<mesh::WeightEntry> entries;
  for (const JointShare& share : shares) {
    if (const int slot = slot_of(skin, share.joint); slot >= 0) {
      entries.push_back({static_cast<std::uint16_t>(slot), share.weight});
    }
  }
  return entries;
}

bool are_places_of(const mesh::WeldedSurface& surface, std::span<const std::uint32_t> places) {
  return std::ranges::all_of(places, [&](std::uint32_t w) { return w < surface.place_count(); });
}

// The character with one dab; null where that changes nothing.
std::shared_ptr<const rig::Character> with_dab(const rig::Character& character, int mesh, const rig::Skin& skin,
                                               std::span<const std::uint16_t> locked, int limit,
                                               const mesh::WeldedSurface& surface, const PaintDab& dab) {
  const bool one_joint = dab.mode == mesh::DabMode::kAdd || dab.mode == mesh::DabMode::kSubtract ||
                         dab.mode == mesh::DabMode::kReplace || dab.mode == mesh::DabMode::kScale;
  const int slot = slot_of(skin, dab.joint);
  const bool is_sound = dab.amounts.size() == dab.places.size() &&
                        (dab.values.empty() || dab.values.size() == dab.places.size()) &&
                        are_places_of(surface, dab.places);
  if (!is_sound || (one_joint && slot < 0)) {
    return nullptr;
  }
  const std::vector<mesh::WeightEntry> first = entries_of(skin, dab.first);
  const std::vector<mesh::WeightEntry> second = entries_of(skin, dab.second);
  mesh::Dab touch;
  touch.mode = dab.mode;
  touch.places = dab.places;
  touch.amounts = dab.amounts;
  touch.value = dab.value;
  touch.values = dab.values;
  touch.joint = static_cast<std::uint16_t>(std::max(slot, 0));
  touch.first = first;
  touch.second = second;
  touch.locked = locked;
  touch.limit = limit;
  return with_patches(
      character, mesh,
      mesh::dabbed_weights(surface, influences_of(character.meshes[static_cast<std::size_t>(mesh)]), touch));
}

std::string joint_list(const rig::Skeleton& skeleton, std::span<const int> joints) {
  return joints.size() == 1 ? skeleton.label(joints[0]) : fmt::format("{} joints", joints.size());
}

// What a dab does, in the word that the brush has.
std::string_view word_of(const PaintDab& dab) {
  switch (dab.mode) {
    case mesh::DabMode::kAdd:
      return "add";
    case mesh::DabMode::kSubtract:
      return "subtract";
    case mesh::DabMode::kReplace:
      return dab.values.empty() ? "replace" : "gradient";
    case mesh::DabMode::kScale:
      return "scale";
    case mesh::DabMode::kSmooth:
      return "smooth";
    case mesh::DabMode::kSharpen:
      return "sharpen";
    case mesh::DabMode::kBlend:
      return "blend";
  }
  return "";
}

}  // namespace

std::shared_ptr<const rig::Character> painted(const rig::Character& character, std::span<const int> locked,
                                              const PaintWeights& change) {
  const rig::Skin* const skin = has_index(character.meshes, change.mesh) ? skin_of(character, change.mesh) : nullptr;
  if (skin == nullptr) {
    return nullptr;
  }
  const std::shared_ptr<const mesh::WeldedSurface> surface =
      surface_for(character.meshes[static_cast<std::size_t>(change.mesh)], change.surface);
  const std::vector<std::uint16_t> slots = slots_of(character, change.mesh, locked);
  std::shared_ptr<const rig::Character> after;
  for (const PaintDab& dab : change.dabs) {
    const rig::Character& now = after != nullptr ? *after : character;
    if (auto next = with_dab(now, change.mesh, *skin, slots, change.limit, *surface, dab)) {
      after = std::move(next);
    }
  }
  if (after == nullptr || change.dabs.size() < 2) {
    return after;
  }
  // One dab may take back what another did, and a limit both.
  const auto mesh = static_cast<std::size_t>(change.mesh);
  const bool is_same = std::ranges::equal(
      character.meshes[mesh].primitives, after->meshes[mesh].primitives,
      [](const mesh::Primitive& a, const mesh::Primitive& b) { return *a.influences == *b.influences; });
  return is_same ? nullptr : after;
}

std::shared_ptr<const rig::Character> pulled(const rig::Character& character, std::span<const int> locked,
                                             const PullWeights& change) {
  const rig::Skin* const skin = has_index(character.meshes, change.mesh) ? skin_of(character, change.mesh) : nullptr;
  if (skin == nullptr || change.amounts.size() != change.places.size() || change.poses.empty()) {
    return nullptr;
  }
  const std::shared_ptr<const mesh::WeldedSurface> surface =
      surface_for(character.meshes[static_cast<std::size_t>(change.mesh)], change.surface);
  if (!are_places_of(*surface, change.places)) {
    return nullptr;
  }
  std::vector<std::vector<glm::dmat4>> matrices;
  std::vector<std::vector<glm::dvec3>> targets;
  std::vector<mesh::PullPose> poses;
  for (const PullTo& pose : change.poses) {
    if (pose.world.size() != character.skeleton->parent.size() ||
        !(pose.targets.empty() || pose.targets.size() == change.places.size())) {
      return nullptr;
    }
    targets.emplace_back(pose.targets.begin(), pose.targets.end());
    matrices.push_back(skin_matrices(*skin, pose.world));
  }
  for (std::size_t p = 0; p < matrices.size(); ++p) {
    poses.push_back({matrices[p], glm::dvec3(change.poses[p].displacement), change.poses[p].importance, targets[p]});
  }
  const std::vector<std::uint16_t> more = slots_of(character, change.mesh, change.more);
  const std::vector<std::uint16_t> slots = slots_of(character, change.mesh, locked);
  mesh::Pull pull;
  pull.coincident = coincidence_in_world(*surface, matrices);
  pull.places = change.places;
  pull.amounts = change.amounts;
  pull.poses = poses;
  pull.more = more;
  pull.locked = slots;
  pull.limit = change.limit;
  return with_patches(
      character, change.mesh,
      mesh::pulled_weights(*surface, influences_of(character.meshes[static_cast<std::size_t>(change.mesh)]), pull));
}

std::vector<glm::vec3> posed_places(const rig::Character& character, int mesh, const mesh::WeldedSurface& surface,
                                    std::span<const std::uint32_t> places, std::span<const glm::mat4> world) {
  const rig::Skin* const skin = has_index(character.meshes, mesh) ? skin_of(character, mesh) : nullptr;
  std::vector<glm::vec3> out;
  if (skin == nullptr) {
    return out;
  }
  const std::vector<const mesh::Influences*> influences =
      influences_of(character.meshes[static_cast<std::size_t>(mesh)]);
  const std::vector<glm::dmat4> matrices = skin_matrices(*skin, world);
  for (const std::uint32_t w : places) {
    const glm::dvec4 bound(surface.position(w), 1);
    const mesh::InfluenceRow row = mesh::row_at(surface, influences, w);
    glm::dvec3 at(0);
    for (std::size_t k = 0; k < row.joints.size(); ++k) {
      at += static_cast<double>(row.weights[k]) * glm::dvec3(matrices[row.joints[k]] * bound);
    }
    out.emplace_back(row.joints.empty() ? glm::dvec3(bound) : at);
  }
  return out;
}

bool is_locked(const Content& content, int joint) {
  return std::ranges::binary_search(content.locked_joints, joint);
}

std::string label(const Document& document, const LockJoints& change) {
  return fmt::format("{} {}", change.locked ? "Lock" : "Unlock",
                     joint_list(own_character(document)->skeleton, change.joints));
}

void carry_out(const Document&, const LockJoints& change, Content& content, View&) {
  std::vector<int> locked(content.locked_joints.begin(), content.locked_joints.end());
  for (const int joint : change.joints) {
    if (joint < 0 || joint >= content.character->skeleton->size()) {
      continue;
    }
    const auto at = std::ranges::lower_bound(locked, joint);
    const bool is_there = at != locked.end() && *at == joint;
    if (change.locked && !is_there) {
      locked.insert(at, joint);
    } else if (!change.locked && is_there) {
      locked.erase(at);
    }
  }
  if (locked != content.locked_joints.get()) {
    content.locked_joints = SharedArray<int>(std::move(locked));
  }
}

std::string label(const Document& document, const PaintWeights& change) {
  const rig::Character& character = *own_character(document);
  // A mirrored dab stands before the one that was painted.
  const auto one = std::find_if(change.dabs.rbegin(), change.dabs.rend(),
                                [&](const PaintDab& dab) { return has_index(character.skeleton->parent, dab.joint); });
  return fmt::format(
      "Paint weights of {}{}",
      one == change.dabs.rend() ? mesh_name(character, change.mesh) : character.skeleton->label(one->joint),
      change.dabs.empty() ? "" : fmt::format(", {}", word_of(change.dabs.back())));
}

void carry_out(const Document& document, const PaintWeights& change, Content& content, View&) {
  const std::shared_ptr<const rig::Character> from = change.from != nullptr ? change.from : own_character(document);
  auto character = painted(*from, document.content.locked_joints.get(), change);
  content.character = character != nullptr ? std::move(character) : from;
}

std::string remark(const Document& document, const PaintWeights& change) {
  return remark_on_weights(document, change.mesh);
}

std::string label(const Document& document, const PullWeights& change) {
  return fmt::format("Pull vertices of {}", mesh_name(*own_character(document), change.mesh));
}

void carry_out(const Document& document, const PullWeights& change, Content& content, View&) {
  const std::shared_ptr<const rig::Character> from = change.from != nullptr ? change.from : own_character(document);
  auto character = pulled(*from, document.content.locked_joints.get(), change);
  content.character = character != nullptr ? std::move(character) : from;
}

std::string remark(const Document& document, const PullWeights& change) {
  std::string text = remark_on_weights(document, change.mesh);
  const bool has_way =
      std::ranges::any_of(change.poses, [](const PullTo& pose) { return pose.displacement != glm::vec3(0); });
  if (has_way && !change.amounts.empty() && change.amounts.size() == change.places.size()) {
    PullWeights middle = change;
    const auto strongest = std::ranges::max_element(change.amounts) - change.amounts.begin();
    middle.places = {change.places[static_cast<std::size_t>(strongest)]};
    middle.amounts = {1.0f};
    for (PullTo& pose : middle.poses) {
      if (pose.targets.size() == change.places.size()) {
        pose.targets = {pose.targets[static_cast<std::size_t>(strongest)]};
      }
    }
    const std::shared_ptr<const rig::Character> from = change.from != nullptr ? change.from : own_character(document);
    if (pulled(*from, document.content.locked_joints.get(), middle) == nullptr) {
      text += text.empty() ? "" : "; ";
      text += "the vertex stays: in this pose its joints put it to one place, or only one of them is free";
    }
  }
  return text;
}

}  // namespace pelt::edit
