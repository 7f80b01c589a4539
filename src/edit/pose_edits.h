#pragma once

#include <map>
#include <string>
#include <vector>

#include "edit/document.h"

namespace pelt::edit {

enum class ResetTo { kBase, kRest, kBind, kZero };
enum class ResetScope { kJoint, kSubtree, kAll };

/// Moves one slider; the value is clamped to the DOF's limits (and the joint to its swing cone). What the joint's DOFs
/// cannot express of its present transform stays, so that touching a slider never makes the joint jump.
struct SetDof {
  int joint;
  int dof;
  float value;  ///< radians, metres, factor
};
/// Several sliders in one step, as SetDof one after the other, but for the cost of one pose and not of one pose each.
struct SetDofs {
  std::vector<SetDof> sliders;
};
/// Viewport drag. With `respect_limits`, joints whose DOFs the file authored get the nearest transform that those
/// allow.
struct SetJointLocal {
  int joint;
  Transform local;  ///< rotation is normalised
  bool respect_limits = true;
};
/// Several joints in one step of a handle in the viewport, each as by SetJointLocal from the pose before.
struct SetJointLocals {
  std::vector<SetJointLocal> joints;
  rig::DofKind how = rig::DofKind::kRotation;  ///< what the step is called: Rotate, Move or Scale
};
/// One slider back to what base pose and clip say now.
struct ResetDof {
  int joint;
  int dof;
};
/// Several sliders back in one step, as ResetDof one after the other.
struct ResetDofs {
  std::vector<ResetDof> sliders;
};
/// kBase drops overrides; the others write the joints' transforms of that pose. `joints` are not used with
/// ResetScope::kAll.
struct ResetJoints {
  std::vector<int> joints;
  ResetScope scope;
  ResetTo to;
};
/// Drops overrides and the clip, so that the chosen pose is what one sees. Morph weights stay.
struct SetBasePose {
  BasePose base;
};
enum class MirrorDirection { kSwap, kLeftToRight, kRightToLeft };
/// What was posed by hand on one side goes to the other, seen in the mirror; what only the clip (or the base pose)
/// moves is left alone. Where a side was not posed, the other is no longer either. Joints in the middle are mirrored
/// onto themselves by a swap and stay as they are otherwise.
struct MirrorPose {
  MirrorDirection direction = MirrorDirection::kSwap;
  std::vector<int> joints = {};  ///< with what hangs below and the partners of both; empty: all joints
};
struct SetMorph {
  int index;  ///< flat, into Pose::morph_weights
  float value;
};
struct ResetMorphs {};
/// Keeps the pose; only the sliders read differently. Joints without twist, side and bend keep their order.
struct SetEulerOrder {
  int joint;
  EulerOrder order;
};
/// Opens a pose file: rest pose, no clip, these overrides and morph weights and no others.
struct ReplacePose {
  std::map<int, JointOverride> overrides;
  std::map<int, float> morphs;
};

/// Symmetric posing: each joint that a change has posed, and whose partner on the other side that change has left
/// alone, gives its pose to the partner, seen in the mirror, as far as the partner's limits go.
/// @param before   the document before the change
/// @param content  what the change has made of it
void pose_other_side(const Document& before, Content& content);

// Each of them in words, and what it makes of the document's content and view.
std::string label(const Document& document, const SetDof& change);
void carry_out(const Document& document, const SetDof& change, Content& content, View& view);
std::string label(const Document& document, const SetDofs& change);
void carry_out(const Document& document, const SetDofs& change, Content& content, View& view);
std::string label(const Document& document, const SetJointLocal& change);
void carry_out(const Document& document, const SetJointLocal& change, Content& content, View& view);
std::string label(const Document& document, const SetJointLocals& change);
void carry_out(const Document& document, const SetJointLocals& change, Content& content, View& view);
std::string label(const Document& document, const ResetDof& change);
void carry_out(const Document& document, const ResetDof& change, Content& content, View& view);
std::string label(const Document& document, const ResetDofs& change);
void carry_out(const Document& document, const ResetDofs& change, Content& content, View& view);
std::string label(const Document& document, const ResetJoints& change);
void carry_out(const Document& document, const ResetJoints& change, Content& content, View& view);
std::string label(const Document& document, const SetBasePose& change);
void carry_out(const Document& document, const SetBasePose& change, Content& content, View& view);
std::string label(const Document& document, const MirrorPose& change);
void carry_out(const Document& document, const MirrorPose& change, Content& content, View& view);
std::string label(const Document& document, const SetMorph& change);
void carry_out(const Document& document, const SetMorph& change, Content& content, View& view);
std::string label(const Document& document, const ResetMorphs& change);
void carry_out(const Document& document, const ResetMorphs& change, Content& content, View& view);
std::string label(const Document& document, const SetEulerOrder& change);
void carry_out(const Document& document, const SetEulerOrder& change, Content& content, View& view);
std::string label(const Document& document, const ReplacePose& change);
void carry_out(const Document& document, const ReplacePose& change, Content& content, View& view);

}  // namespace pelt::edit
