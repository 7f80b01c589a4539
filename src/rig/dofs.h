#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>

#include "core/result.h"
#include "math/euler.h"
#include "math/transform.h"

namespace pelt::rig {

enum class DofKind { kRotation, kTranslation, kScale };

/// One number a person can move. Rotations in radians, translations in metres, scales as factors.
struct Dof {
  std::string name;  ///< lower case, unique within the joint: "twist", "bend", "side", "tx", "sx"
  DofKind kind = DofKind::kRotation;
  /// Unit. Of a rotation: in the frame of JointDofs::orientation. Of a translation: in the parent's frame. Of a scale:
  /// (1,0,0) scales along the joint's own x, and so on; the normalised (1,1,1) scales uniformly.
  glm::vec3 axis = glm::vec3(1, 0, 0);
  float lower = 0;
  float upper = 0;
  float default_value = 0;  ///< of the zero pose: 0, or the rest scale for a scale
  bool folded = false;      ///< shown only when asked for
};

/// ALGORITHMS.md §2. How the rotation DOFs of a joint combine.
enum class RotationKind {
  kAxes,            ///< product of axis rotations, first listed applied first: hinge, universal, ball by Euler angles
  kRotationVector,  ///< three DOFs are the components of axis times angle: exp([r]x)
};

/// The degrees of freedom of one joint: L = T(offset + tau) * R_orientation * R(phi) * S(sigma).
///
/// DOFs are listed rotations first, in the order of application, then translations, then scales. With kAxes there are
/// at most three rotations; two and three must have mutually perpendicular axes.
struct JointDofs {
  glm::vec3 offset = glm::vec3(0.0f);     ///< o
  glm::quat orientation = kIdentityQuat;  ///< R_o, unit
  glm::vec3 scale = glm::vec3(1.0f);      ///< sigma along axes that no scale DOF drives
  RotationKind rotation = RotationKind::kAxes;
  std::vector<Dof> dofs;
  std::optional<float> swing_limit;  ///< cone half angle, radians; ball joints only
  bool authored = false;             ///< came from extras.pelt.dofs, not from the default rule

  [[nodiscard]] int find(std::string_view dof_name) const;
  [[nodiscard]] int count(DofKind kind) const;
};

/// Whether sliders can be made of it: names that differ, unit axes, lower <= upper, rotations first, then translations,
/// then scales, at most three rotations about perpendicular axes, the three of a rotation vector, a swing limit between
/// 0 and pi. The error names what is wrong.
Status check_dofs(const JointDofs& joint);

/// phi <- clamp(phi, lower, upper), then the swing cone: the angle between the twist axis (the DOF named "twist", else
/// the first rotation) and where the rotation takes it. Outside of the cone the other two angles shrink in proportion.
/// A value that is not a number becomes the default. @param values  one per DOF
void clamp_to_limits(const JointDofs& joint, std::span<float> values);

/// The local transform for DOF values, which are used as they are (clamp first).
Transform local_from_dofs(const JointDofs& joint, std::span<const float> values);

/// The DOF values that reproduce a local transform as closely as the joint's DOFs can; exact for six or nine DOFs.
/// Angles nearest to `hint` among equivalent ones (whole turns, the other Euler triple, gimbal lock) when given, else
/// within +-180 degrees unless only another turn is within the limits. What no DOF expresses is lost: compare
/// local_from_dofs().
std::vector<float> dofs_from_local(const JointDofs& joint, const Transform& local, std::span<const float> hint = {});

/// Values of the zero pose: each DOF's default.
std::vector<float> default_values(const JointDofs& joint);

/// The DOFs of a joint of which the file says nothing: twist, bend, side about a bone-aligned frame (x of the frame
/// runs along the bone), translations and, folded, scales; relative to the rest pose, within +-180 degrees.
/// @param bone_direction  unit, joint local; zero where the joint has no length
/// @param order  order in which twist (X), side (Y) and bend (Z) are applied
JointDofs default_dofs(const Transform& rest, const glm::vec3& bone_direction, EulerOrder order = EulerOrder::kXZY);

/// The rotation that takes x to `bone_direction` and z to the bend axis: the coordinate axis most perpendicular to the
/// bone, z preferred, then x (another must be clearly better). Identity for a zero direction.
glm::quat bone_frame(const glm::vec3& bone_direction);

/// The Euler order of three rotation DOFs named twist, side and bend, if they are that.
std::optional<EulerOrder> euler_order(const JointDofs& joint);

/// Reorders the rotation DOFs twist (X), side (Y), bend (Z). @pre euler_order(joint) has a value
void set_euler_order(JointDofs& joint, EulerOrder order);

}  // namespace pelt::rig
