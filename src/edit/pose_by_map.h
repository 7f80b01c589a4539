#pragma once

#include <map>
#include <optional>
#include <vector>

#include "edit/pose_transfer.h"

namespace pelt::edit {

/// A pose that came over by the shapes of two skeletons.
struct MappedPose {
  std::map<int, Transform> locals;  ///< of the target, by skeleton index: joints that follow a posed one
  std::vector<int> follows;         ///< [I] a joint of the target that follows that joint of the source, -1 where none
};

/// Gives the pose of a rig whose names say nothing to `to`, as motion::retarget() gives a motion of one moment: parts
/// of bodies are found by names and shapes, limbs end in the directions that they have there. Nothing where no body is
/// found in one of the two, or where the rest pose is not known.
std::optional<MappedPose> pose_by_joint_map(const PosedRig& from, const rig::Character& to);

}  // namespace pelt::edit
