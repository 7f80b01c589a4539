#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <glm/glm.hpp>

#include "rig/character.h"
#include "rig/joint_types.h"

namespace pelt::rig {

struct LimitOptions {
  float margin = 0.05f;             ///< share of the range that clips show, added at each end
  std::size_t most_samples = 2000;  ///< of one clip; with more keys an even choice of them is looked at
};

/// Confidence from which limits are taken over where nobody looks at them: three in four of what is held out lies
/// within limits learned without it, after eight sweeps; or all of it after four.
inline constexpr float kTrustedConfidence = 0.5f;

/// What clips say about one number. Radians, metres or factors, as the DOF is.
struct LearnedDof {
  float lower = 0;
  float upper = 0;
  float confidence = 0;  ///< 0..1, see learn_limits(); 0: the clips say nothing, and the limits are the present ones
  float seen_lower = 0;  ///< what the clips show, without margin
  float seen_upper = 0;
  float sweeps = 0;    ///< how many times the motion went from one end of its range to the other
  float coverage = 0;  ///< 0..1: how much of the clips lies within limits learned from the others
};

struct LearnedLimits {
  std::vector<LearnedDof> dofs;     ///< one per DOF
  std::optional<LearnedDof> swing;  ///< the cone of joints with three rotations: `upper` is its half angle, `lower` 0
  int clip_count = 0;               ///< clips with tracks of the joint
  std::size_t sample_count = 0;
};

/// How far the clips of a character move one joint.
///
/// Each clip that has tracks of the joint is sampled at their keys and halfway between (most_samples at most), and each
/// local transform is turned into DOF values next to those before it, each clip beginning next to the default values.
/// A clip tells of rotations where it has rotation keys, of translations and scales alike.
///
/// *Limits.* The range that is seen, widened at each end by `margin` of itself; of rotations rounded outwards to whole
/// degrees; then as far as the default value, so that the zero pose stays possible. The swing cone is that of
/// clamp_to_limits(), at most 180 degrees.
///
/// *Confidence* = coverage * sweeps / (sweeps + 4). Sweeps: all samples are taken as one motion that begins at the
/// default value; the way that the DOF travels in it, without what is less than a tenth of its range (which would count
/// noise and the density of keys), divided by its range. Coverage: for each clip the share of its samples that lies
/// within the limits learned from all other clips, averaged by how far each clip travels. Where one clip alone moves
/// the DOF, its two halves stand for clips. A monotonous move or a single pose therefore tells next to nothing; ten
/// walks that agree say 0.8 or more.
///
/// A DOF that moves by less than half a degree, or by a thousandth of the joint's largest distance or scale, is not
/// moved: confidence 0, and its limits stay. The same where no clip has such tracks. Samples that are not finite are
/// left out.
/// @pre  check_dofs(dofs)
/// @cost O(all channels + samples of the joint)
LearnedLimits learn_limits(const Character& character, int joint, const JointDofs& dofs,
                           const LimitOptions& options = {});

/// The DOFs with those learned limits that are trusted. A swing cone of 180 degrees is none.
/// @pre  `learned` was made for these DOFs
JointDofs with_limits(JointDofs dofs, const LearnedLimits& learned, float least_confidence = kTrustedConfidence);

// When a joint counts as turning about one axis or two. A twentieth of the range is what an eye takes for the same
// motion: 5 degrees of error in an elbow that bends by 100.
inline constexpr double kOffAxisShare = 0.05;  ///< RMS angle off the axes at most, of the range of the turn
inline constexpr double kLeastTurn = 5;        ///< degrees between the extremes of an axis, else the axis tells nothing
inline constexpr double kStill = 0.5;          ///< degrees: what a fixed joint may turn

/// What kind of joint the clips show.
struct JointRecognition {
  JointMotion motion;    ///< fixed, hinge, universal or ball; `translates` where clips move the joint
  glm::vec3 axis{0};     ///< best common axis of all turns against rest, in the joint's space at rest; unit or zero
  double residual = 0;   ///< RMS angle that is off this axis, radians
  double lower = 0;      ///< range of the turn about it, radians
  double upper = 0;      ///< upper >= -lower: that is how the sign of the axis is chosen
  double two_axes = 0;   ///< RMS angle off the best two perpendicular axes, radians
  float confidence = 0;  ///< of the limits of the rotations: the least of them
  JointDofs dofs;        ///< recommended, with learned limits
  LearnedLimits limits;  ///< what the clips tell of these
  std::size_t sample_count = 0;
};

/// Recognises hinges (and fixed and universal joints) from the clips that turn a joint.
///
/// The axis is the one about which the turns against rest leave the least: with v the vector part of the quaternion of
/// a turn, sin^2 of half the angle off axis a is |v|^2 - (v.a)^2, so a is the largest principal direction of all v. It
/// is a hinge where the RMS angle off the axis is at most kOffAxisShare of the range about it and that range at least
/// kLeastTurn; then the recommended DOFs are one rotation "bend" about the axis in the frame of the rest pose. It is
/// fixed where nothing turns by more than kStill away from rest. It is universal where two perpendicular axes, one
/// fixed to the parent (a1) and one to the joint (a0), leave as little: a1 . R a0 is the sine of the angle that is
/// missing, and both are found in turns as least eigenvectors. Else it is a ball, with the present DOFs made one by
/// change_type(). Translation DOFs are there where clips move the joint by more than learn_limits() overlooks.
/// @param present  the joint's DOFs: the skeleton's, or what somebody has made of them, such as another rotation order
/// @return nothing where no clip has rotation keys of the joint. Limits that nothing tells are +-180 degrees, of a ball
/// the present ones.
/// @pre  check_dofs(present)
std::optional<JointRecognition> recognise_joint(const Character& character, int joint, const JointDofs& present,
                                                const LimitOptions& options = {});

/// The DOFs that recognise_joint() recommends, for a joint whose limits have changed since: those that nothing tells
/// are the present ones.
/// @param present  as it was then, but for limits
/// @param bone_direction  see bone_direction()
/// @cost O(DOFs)
JointDofs recommended_dofs(const JointRecognition& found, const JointDofs& present, const glm::vec3& bone_direction);

/// The DOFs as far as learn_limits() and recognise_joint() depend on them: without limits and swing cone, which say
/// nothing of what the clips do. Whoever keeps their results compares these.
JointDofs without_limits(JointDofs dofs);

}  // namespace pelt::rig
