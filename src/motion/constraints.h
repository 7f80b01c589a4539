#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "math/transform.h"
#include "motion/pose_sources.h"
#include "rig/character.h"
#include "rig/pose_builder.h"

namespace pelt::motion {

enum class ConstraintKind {
  kPosition,  ///< its place in the world is that of the target
  kParent,    ///< it moves as if it were fixed to the target
  kRotation,  ///< it turns from its rest as the target does from its own, each in its own space
  kRoll,      ///< the same about one axis alone
  kAim,       ///< an axis of it points at the target
  kFloor      ///< it stays above a plane across the world's y axis
};

/// A kind of constraints, as windows, flags and sessions show it.
struct ConstraintKindInfo {
  ConstraintKind kind;
  std::string_view id;     ///< "position"
  const char* label;       ///< "Position"
  const char* help;        ///< one sentence
  bool has_target = true;  ///< it follows another joint
  bool has_axis = false;   ///< of the joint's own space
  bool has_axes = false;   ///< of the world, each of which it may follow or not
};
/// In the order of the enumeration.
std::span<const ConstraintKindInfo> constraint_kinds();

/// A joint that follows another one (ALGORITHMS.md §18, "Constraints"). Made by a person; those of a VRM file are
/// rig::NodeConstraint.
struct Constraint {
  ConstraintKind kind = ConstraintKind::kPosition;
  std::string joint = {};   ///< that is moved, as find_named_joint() takes it
  std::string target = {};  ///< that it follows; of kFloor none
  bool on = true;
  float weight = 1;                               ///< 0: the pose as it is, 1: all of what the constraint says
  glm::vec3 axis = glm::vec3(1, 0, 0);            ///< of kRoll and kAim: unit, in the joint's space
  std::array<bool, 3> axes = {true, true, true};  ///< of kPosition: of the world
  /// Of kPosition what is added in the world; of kParent the joint as the target sees it.
  Transform offset = {};
  float height = 0;  ///< of kFloor: y of the plane in the world, metres
  bool operator==(const Constraint&) const = default;
};

inline constexpr std::size_t kMostDocumentConstraints = 1000;

/// Constraints as they work on one character.
struct ConstraintRig {
  struct Row {
    Constraint says;
    int joint;
    int target;  ///< -1: none
  };
  std::vector<Row> rows;  ///< those that are on and can work; what is followed comes first, else in their order
  /// [constraints] Why one does not work: a joint that is not there, or a cycle with its names (C18.4); empty: it
  /// works.
  std::vector<std::string> faults;
};
/// @cost O(C^2 * depth)
ConstraintRig make_constraint_rig(const rig::Character& character, std::span<const Constraint> constraints);

/// The offset with which a constraint leaves the joint where it is in a pose: "keep offset". Not finite where a joint
/// would have to be seen by a target that is scaled to nothing.
Transform kept_offset(ConstraintKind kind, int joint, int target, rig::PoseBuilder& pose);

/// Applies them one after the other. A constraint moves its joint alone; what hangs on it goes along.
void apply_constraint_rig(const ConstraintRig& constraints, rig::PoseBuilder& pose);

}  // namespace pelt::motion
