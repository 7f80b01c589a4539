#pragma once

#include <optional>
#include <string_view>

#include <glm/glm.hpp>

#include "rig/character.h"
#include "rig/mirror.h"

namespace pelt::rig {

/// How a joint turns, ALGORITHMS.md §2.
enum class JointType {
  kFixed,           ///< not at all
  kHinge,           ///< about one axis
  kUniversal,       ///< about two perpendicular axes, one after the other
  kBall,            ///< about three, by Euler angles
  kRotationVector,  ///< about any axis: three DOFs are the components of axis times angle
};
inline constexpr int kJointTypeCount = 5;

/// What people call it: "fixed", "hinge", "universal", "ball", "rotation vector".
std::string_view name_of(JointType type);

/// How a joint moves.
struct JointMotion {
  JointType type = JointType::kBall;
  bool translates = false;  ///< it has translation DOFs
  bool scales = false;      ///< it has scale DOFs
  bool operator==(const JointMotion&) const = default;
};

/// What kind of joint these DOFs make; nothing where check_dofs() refuses them.
std::optional<JointMotion> joint_type(const JointDofs& joint);

/// The DOFs of a wished kind of joint, made from those that it has. DOFs that the wished kind has too stay as they are,
/// with axis, limits and default value, and so do offset and orientation. Of fewer rotations those remain that are
/// named "bend", then "side", then "twist", then others by the width of their limits. New rotations get the free names
/// of "twist", "bend", "side", stand where default_dofs() puts them, turn about the axes of bone_frame() as far as
/// those are perpendicular to the axes that stay, and may turn by +-180 degrees; new translations and scales are those
/// of default_dofs(). The transform in which all DOFs have their default values stays. A swing limit stays where there
/// are three rotations before and after.
/// @param bone_direction  unit, joint local, see bone_direction(); zero where the joint has no length
/// @pre  check_dofs(present)
JointDofs change_type(const JointDofs& present, const JointMotion& wished, const glm::vec3& bone_direction);

/// The DOFs of a joint for its partner on the other side: with the same slider values, rotations and translations make
/// the partner's local transform Mirror::image() of the joint's, within rounding. Scales, whose DOFs are factors, mean
/// the same against the rest pose. Names, order, limits of rotations and translations and the swing limit are the same;
/// the DOFs count as authored.
/// @param source  of from_joint: the skeleton's, or what somebody has made of them, such as another rotation order
/// @pre  to_joint's partner is from_joint; they may be one joint of the middle
JointDofs mirrored_dofs(const Mirror& mirror, const Skeleton& skeleton, int from_joint, int to_joint,
                        const JointDofs& source);
/// The same for a single pair. @cost O(J)
JointDofs mirrored_dofs(const Character& character, int from_joint, int to_joint, const JointDofs& source);

}  // namespace pelt::rig
