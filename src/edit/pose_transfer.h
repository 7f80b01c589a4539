#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "rig/joint_matching.h"

namespace pelt::edit {

/// What a pose file says of one joint; what it does not say is as at rest.
struct PosedJoint {
  std::optional<glm::quat> rotation;  ///< unit
  std::optional<glm::vec3> translation;
  std::optional<glm::vec3> scale;
};

/// The rig that a pose was saved of, as far as its file tells. Index letter i.
struct PosedRig {
  rig::NamedJoints joints;
  std::vector<Transform> rest;      ///< [I] local; empty: the file does not say
  std::map<int, PosedJoint> posed;  ///< by i
  std::vector<int> unlisted;        ///< posed without a rest pose although others have one: taken over as they are
};

/// Local transforms that give `to` the pose of another rig. Only joints that change are in it.
///
/// Where the file does not tell its rest pose, or a joint rests in `to` as it does there, local components are taken
/// over bit by bit. Else a joint turns in the world as much as it does there since the rest pose, whatever way its axes
/// lie and which joints in between are missing; moves as far, in sizes of the body; and grows as much. Both bodies are
/// brought to face the same way. Arms and legs that rest in another direction (arms held out, arms hanging) end in the
/// direction that they have there: what is turned is the direction of the limb in `from`, by the shortest way.
/// @param matches  [I] rig::match_joints()
std::map<int, Transform> transfer_pose(const PosedRig& from, std::span<const rig::JointMatch> matches,
                                       const rig::Character& to);

}  // namespace pelt::edit
