#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <glm/glm.hpp>

#include "bind/joint_volumes.h"
#include "core/progress.h"
#include "core/result.h"
#include "edit/bind_edits.h"

namespace pelt::ui {

/// What stays while volumes are dragged: a surface, its bones, and the volumes that fit it.
struct VolumeWork {
  explicit VolumeWork(bind::CharacterProblem of);
  std::shared_ptr<const rig::Character> character;
  std::vector<int> joints;  ///< that deform
  bind::ContainmentNumbers numbers;
  Shared<bind::CharacterProblem> problem;
  bind::ContainmentSolver solver;
  std::vector<bind::Volume> fitted;
  std::vector<glm::dmat4> joint_from_space;             ///< [J]
  std::vector<int> partner;                             ///< [B] bone on the other side, itself in the middle, -1: none
  std::optional<std::pair<glm::dvec3, double>> mirror;  ///< the plane between both sides: unit normal, offset
};

/// Fits volumes to a character. Fails as bind::make_problem() does.
Result<std::shared_ptr<const VolumeWork>> make_volume_work(const std::shared_ptr<const rig::Character>& character,
                                                           const bind::Request& request,
                                                           const bind::ContainmentNumbers& numbers);
/// Whether make_volume_work() would make the same of these.
bool is_work_of(const VolumeWork& work, const rig::Character& character, std::span<const int> joints,
                const bind::ContainmentNumbers& numbers);
/// Whether the character has the joints and the surface of the work, so that it can be drawn and bound from.
bool is_about(const VolumeWork& work, const rig::Character& character);

/// All volumes, by ascending bone, in the space of the problem. @param by_hand  in place of those that fit
std::vector<bind::Volume> placed_volumes(const VolumeWork& work, std::span<const bind::JointVolume> by_hand);
/// The volumes by hand with some of those shown changed: all of a bone are by hand from then on.
/// @param changes  by their place among `shown`
std::vector<bind::JointVolume> with_changes(const VolumeWork& work, std::span<const bind::JointVolume> before,
                                            std::span<const bind::Volume> shown,
                                            const std::map<std::size_t, bind::Volume>& changes);
/// Changes with those of the other side, where there is one.
std::map<std::size_t, bind::Volume> on_both_sides(const VolumeWork& work, std::span<const bind::Volume> shown,
                                                  std::map<std::size_t, bind::Volume> changes);

/// What volumes made of a character, for the next ones to begin with.
struct VolumeBinding {
  std::shared_ptr<const VolumeWork> work;
  edit::BindSkin change;        ///< without what was made
  SharedArray<int> locked;      ///< joints
  bool is_in_document = false;  ///< `character` is what the document had after it
  std::shared_ptr<const rig::Character> character;
  std::vector<bind::Volume> volumes;
  std::shared_ptr<const bind::ContainedPlaces> places;
  std::shared_ptr<const edit::MadeBinding> made;
};
/// Whether the rows that a character has are those of the volumes before, so that few of them can change.
bool goes_on_from(const VolumeBinding& before, const VolumeBinding& now);
/// Makes the weights of volumes. @param before  that it goes on from, or null. Null where it is to stop.
std::shared_ptr<const VolumeBinding> bound_by_volumes(VolumeBinding now,
                                                      const std::shared_ptr<const VolumeBinding>& before,
                                                      const Progress& progress);

}  // namespace pelt::ui
