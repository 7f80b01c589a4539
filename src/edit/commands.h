#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/result.h"
#include "edit/document.h"

namespace pelt::edit {

enum class ResetTo { kBase, kRest, kBind, kZero };
enum class ResetScope { kJoint, kSubtree, kAll };

// Every change of Document::state and of the character shown. Indices must be valid. A change that carries a number
// which is not finite does nothing.

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
/// One slider back to what base pose and clip say now.
struct ResetDof {
  int joint;
  int dof;
};
/// kBase drops overrides; the others write the joints' transforms of that pose. `joint` is not used with
/// ResetScope::kAll.
struct ResetJoints {
  int joint;
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
  int joint = -1;  ///< with what hangs below and the partners of both; -1: all joints
};
struct SetMorph {
  int index;  ///< flat, into Pose::morph_weights
  float value;
};
struct ResetMorphs {};
/// Keeps overrides, which win over the clip; the time goes to the clip's start.
struct SetClip {
  int clip;  ///< -1: none
};
/// Clamped to the clip; without a clip there is no time and nothing changes.
struct SetTime {
  float time;
};
/// Keeps the pose; only the sliders read differently. Joints without twist, side and bend keep their order.
struct SetEulerOrder {
  int joint;
  EulerOrder order;
};
struct SetSkinning {
  deform::SkinningSettings settings;
  int pane = 0;
};
/// So many panes, 1 to kPaneLimit (clamped). New ones copy the active one, but each gets a method that no pane shows
/// yet, since two equal pictures say nothing; those that are too many go from the end.
struct SetPanes {
  int count;
};
/// Opens a pose file: rest pose, no clip, these overrides and morph weights and no others.
struct ReplacePose {
  std::map<int, JointOverride> overrides;
  std::map<int, float> morphs;
};
/// A mended copy of the character takes its place (rig::fixed()); state and selection go on meaning the same, a pinned
/// vertex is let go. @pre not null, finished, and with the nodes, parts, clips and morph targets of the present one
struct ReplaceCharacter {
  std::shared_ptr<const rig::Character> character;
};
/// "Re-bind here": the character with the skin bound in the pose that the document shows (rig::bound_in_pose); the
/// picture stays under linear blending. Nothing where the skin cannot be bound there, see rig::can_be_bound(). With
/// another surface than the file's own shown, the own one comes back.
struct RebindSkin {
  int skin;
};

using Change =
    std::variant<SetDof, SetDofs, SetJointLocal, ResetDof, ResetJoints, SetBasePose, MirrorPose, SetMorph, ResetMorphs,
                 SetClip, SetTime, SetEulerOrder, SetSkinning, SetPanes, ReplacePose, ReplaceCharacter, RebindSkin>;

/// A requested change. Consecutive commands with the same non-empty merge key become one undo step: a drag uses one key
/// for its whole length and sends end_merge() when the button is released. Playback sends SetTime with `undoable`
/// false: it leaves history and a drag in progress alone, and undoing an earlier step keeps the time unless that step
/// moved it.
struct Command {
  Change change;
  std::string merge_key;
  bool undoable = true;
};
using Commands = std::vector<Command>;

/// The line shown for a change in the Edit menu, for example "Rotate elbow_l".
std::string label(const Document& document, const Change& change);

/// Applies one command and records the step; clears what could be redone. A command that changes nothing records
/// nothing, and a drag that returns to where it began leaves no step.
void apply(Document& document, const Command& command);
/// Ends the drag: the next command starts a step of its own whatever its key.
void end_merge(Document& document);
/// Takes the drag with that key back as if it had never begun; nothing where it changed nothing yet.
void cancel_merge(Document& document, std::string_view merge_key);

bool can_undo(const Document& document);
bool can_redo(const Document& document);
void undo(Document& document);
void redo(Document& document);

}  // namespace pelt::edit
