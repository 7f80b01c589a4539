#include "ui/volume_work.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "rig/skin_sides.h"

namespace pelt::ui {

using bind::Volume;

namespace {

constexpr double kMirrorTolerance = 0.05;  // diagonals: what of a pose still has two sides

bool has_same_surface(const rig::Character& of, const rig::Character& character) {
  return of.meshes.size() == character.meshes.size() &&
         std::ranges::equal(of.meshes, character.meshes, [](const mesh::Mesh& one, const mesh::Mesh& other) {
           return std::ranges::equal(one.primitives, other.primitives,
                                     [](const mesh::Primitive& a, const mesh::Primitive& b) {
                                       return a.positions.is(b.positions) && a.indices.is(b.indices);
                                     });
         });
}

void find_sides(VolumeWork& work) {
  const bind::Problem& problem = work.problem->problem;
  const std::vector<int> mirrored = rig::mirrored_joints(work.character->skeleton);
  std::vector<std::optional<glm::dvec3>> heads;
  for (const bind::Bone& bone : problem.bones) {
    heads.emplace_back(bone.head);
    const auto found =
        std::ranges::find(problem.bones, mirrored[static_cast<std::size_t>(bone.joint)], &bind::Bone::joint);
    work.partner.push_back(found == problem.bones.end() ? -1 : static_cast<int>(found - problem.bones.begin()));
  }
  if (const auto plane = rig::mirror_plane(heads, work.partner, kMirrorTolerance * problem.diagonal)) {
    work.mirror = {plane->normal, plane->offset};
  }
}

// Which of the volumes shown is the mirror image of another one; -1 where none is.
int partner_of(const VolumeWork& work, std::span<const Volume> shown, std::size_t volume) {
  const int bone = work.partner[shown[volume].bone];
  if (bone < 0 || !work.mirror) {
    return -1;
  }
  const auto& [normal, offset] = *work.mirror;
  const glm::dvec3 image = bind::mirrored(shown[volume], 0, normal, offset).center;
  int best = -1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < shown.size(); ++k) {
    const double distance = glm::distance(shown[k].center, image);
    if (shown[k].bone == static_cast<std::size_t>(bone) && distance < least) {
      least = distance;
      best = static_cast<int>(k);
    }
  }
  return best == static_cast<int>(volume) ? -1 : best;
}

}  // namespace

VolumeWork::VolumeWork(bind::CharacterProblem of) : problem(std::move(of)), solver(problem->problem) {}

Result<std::shared_ptr<const VolumeWork>> make_volume_work(const std::shared_ptr<const rig::Character>& character,
                                                           const bind::Request& request,
                                                           const bind::ContainmentNumbers& numbers) {
  PELT_TRY_TO(bind::CharacterProblem problem, bind::make_problem(*character, request));
  auto work = std::make_shared<VolumeWork>(std::move(problem));
  work->character = character;
  work->joints = request.joints;
  work->numbers = numbers;
  work->fitted = bind::fitted_volumes(work->problem->problem, numbers.kind, numbers.size);
  for (const glm::dmat4& from_joint : work->problem->bind_from_joint) {
    const bool is_flat = !(std::abs(glm::determinant(glm::dmat3(from_joint))) > 0);
    work->joint_from_space.push_back(is_flat ? glm::dmat4(1.0) : glm::inverse(from_joint));
  }
  find_sides(*work);
  return std::shared_ptr<const VolumeWork>(std::move(work));
}

bool is_work_of(const VolumeWork& work, const rig::Character& character, std::span<const int> joints,
                const bind::ContainmentNumbers& numbers) {
  const rig::Character& of = *work.character;
  const bool same_places = of.skins.is(character.skins) && of.mesh_nodes.is(character.mesh_nodes) &&
                           edit::same_joints(of.skeleton, character.skeleton);
  if (!same_places || !std::ranges::equal(work.joints, joints) || work.numbers.kind != numbers.kind ||
      work.numbers.size != numbers.size) {
    return false;
  }
  return has_same_surface(of, character);
}

bool is_about(const VolumeWork& work, const rig::Character& character) {
  return edit::same_joints(work.character->skeleton, character.skeleton) &&
         has_same_surface(*work.character, character);
}

std::vector<Volume> placed_volumes(const VolumeWork& work, std::span<const bind::JointVolume> volumes) {
  std::vector<Volume> placed;
  for (std::size_t b = 0; b < work.problem->problem.bone_count(); ++b) {
    const int joint = work.problem->problem.bones[b].joint;
    for (const bind::JointVolume& volume : volumes) {
      if (volume.joint == joint) {
        placed.push_back(bind::placed(volume, b, work.problem->bind_from_joint[static_cast<std::size_t>(joint)]));
      }
    }
  }
  return bind::with_volumes_by_hand(work.fitted, placed);
}

std::vector<bind::JointVolume> with_changes(const VolumeWork& work, std::span<const bind::JointVolume> before,
                                            std::span<const Volume> shown,
                                            const std::map<std::size_t, Volume>& changes) {
  std::set<std::size_t> bones;
  for (const auto& [k, volume] : changes) {
    bones.insert(shown[k].bone);
  }
  std::vector<bind::JointVolume> out(before.begin(), before.end());
  for (const std::size_t bone : bones) {
    const int joint = work.problem->problem.bones[bone].joint;
    const glm::dmat4& from_joint = work.problem->bind_from_joint[static_cast<std::size_t>(joint)];
    std::vector<bind::JointVolume> stored;
    std::ranges::copy_if(before, std::back_inserter(stored), [&](const auto& one) { return one.joint == joint; });
    std::erase_if(out, [&](const auto& one) { return one.joint == joint; });
    std::size_t nth = 0;
    for (std::size_t k = 0; k < shown.size(); ++k) {
      if (shown[k].bone != bone) {
        continue;
      }
      const auto changed = changes.find(k);
      out.push_back(changed != changes.end() ? bind::on_joint(changed->second, joint, from_joint)
                    : nth < stored.size()    ? stored[nth]
                                             : bind::on_joint(shown[k], joint, from_joint));
      ++nth;
    }
  }
  std::ranges::stable_sort(out, {}, &bind::JointVolume::joint);
  return out;
}

std::map<std::size_t, Volume> on_both_sides(const VolumeWork& work, std::span<const Volume> shown,
                                            std::map<std::size_t, Volume> changes) {
  if (!work.mirror) {
    return changes;
  }
  const auto& [normal, offset] = *work.mirror;
  const std::map<std::size_t, Volume> asked = changes;
  for (const auto& [k, volume] : asked) {
    const int other = partner_of(work, shown, k);
    if (other >= 0) {
      changes.try_emplace(static_cast<std::size_t>(other),
                          bind::mirrored(volume, shown[static_cast<std::size_t>(other)].bone, normal, offset));
    }
  }
  return changes;
}

bool goes_on_from(const VolumeBinding& before, const VolumeBinding& now) {
  return before.is_in_document && before.work == now.work && before.character == now.character &&
         before.volumes.size() == now.volumes.size() && before.change.values == now.change.values &&
         before.change.limit == now.change.limit && before.change.joints == now.change.joints &&
         before.change.vertices == now.change.vertices && before.locked == now.locked &&
         std::ranges::equal(before.volumes, now.volumes, {}, &Volume::bone, &Volume::bone);
}

std::shared_ptr<const VolumeBinding> bound_by_volumes(VolumeBinding now,
                                                      const std::shared_ptr<const VolumeBinding>& before,
                                                      const Progress& progress) {
  const bind::Containment how = bind::containment_numbers(now.change.values).how;
  const bind::ContainmentSolver& solver = now.work->solver;
  std::optional<bind::ContainedPlaces> places =
      before != nullptr ? solver.places_after(*before->places, before->volumes, now.volumes, how, progress)
                        : solver.places(now.volumes, how, progress);
  if (!places) {
    return nullptr;
  }
  auto made = std::make_shared<edit::MadeBinding>();
  made->character = now.character;
  made->problem = now.work->problem;
  made->binding = solver.binding(*places, how);
  if (before != nullptr) {
    const bind::Rows& was = before->made->binding.rows;
    std::vector<std::uint32_t>& changed = made->changed.emplace();
    for (std::uint32_t w = 0; w < was.size(); ++w) {
      if (!std::ranges::equal(was[w], made->binding.rows[w])) {
        changed.push_back(w);
      }
    }
  }
  now.places = std::make_shared<const bind::ContainedPlaces>(*std::move(places));
  now.made = std::move(made);
  return std::make_shared<const VolumeBinding>(std::move(now));
}

}  // namespace pelt::ui
