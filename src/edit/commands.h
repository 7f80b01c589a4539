#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/one_of.h"
#include "edit/bake_edits.h"
#include "edit/behaviour_edits.h"
#include "edit/bind_edits.h"
#include "edit/breakdown_edits.h"
#include "edit/character_edits.h"
#include "edit/clip_edits.h"
#include "edit/constraint_edits.h"
#include "edit/document.h"
#include "edit/kept_poses.h"
#include "edit/key_edits.h"
#include "edit/layer_edits.h"
#include "edit/library_edits.h"
#include "edit/motion_edits.h"
#include "edit/paint_edits.h"
#include "edit/pose_edits.h"
#include "edit/reach_edits.h"
#include "edit/relax_edits.h"
#include "edit/selection_edits.h"
#include "edit/skeleton_edits.h"
#include "edit/skinning_edits.h"
#include "edit/slider_edits.h"
#include "edit/weight_edits.h"
#include "edit/weight_tools.h"

namespace pelt::edit {

/// Every change of a document's content and playhead, with its parameters; edits.cpp has a row for each, in this order.
/// Indices must be valid. A change that carries a number which is not finite does nothing.
class Change
    : public OneOf<SetDof, SetDofs, SetJointLocal, ResetDof, ResetDofs, ResetJoints, SetBasePose, MirrorPose, SetMorph,
                   ResetMorphs, SetClip, SetTime, SetEulerOrder, SetSkinning, SetPanes, ReplacePose, ReplaceCharacter,
                   RebindSkin, SetLayer, RenameJoint, SmoothWeights, NameSelection, RemoveSelection, SetJointSliders,
                   SetSlidersOfJoints, SetKeys, KeyJoints, RemoveKeys, MoveKeys, SetInterpolation, SetTangents,
                   SetTangent, AddClip, RenameClip, RemoveClip, ChangeClip, InsertClip, DragJoint, PinJoints,
                   BreakDownPose, SetDrivers, SetSemanticSliders, SetSemanticValue, SetSprings, SetJointLocals,
                   StorePoses, ReplaceStoredPose, RenameStoredPose, RemoveStoredPose, MoveStoredPose, ApplyPose,
                   SetClipLayers, BakeClipLayers, BakeSprings, BakePins, SetConstraints, SetFileConstraintWeight,
                   BindSkin, LockJoints, PaintWeights, PullWeights, UseWeightTool, UseFileWeights, AddJoints,
                   PlaceJoints, RemoveNewJoints, KeepPose, ForgetPose, RelaxWeights> {
 public:
  using OneOf::OneOf;
};

/// A requested change. Consecutive commands with the same non-empty merge key become one step of the history: a drag
/// uses one key for its whole length and sends end_merge() when the button is released. What moves the playhead alone
/// is no step and leaves a drag in progress alone.
struct Command {
  Change change;
  std::string merge_key;
  bool undoable = true;    ///< false: as if the document had been opened so
  std::string label = {};  ///< names the step in the words that the user clicked on; empty: label() of the change
};
using Commands = std::vector<Command>;

/// The line shown for a change in the Edit menu, for example "Rotate elbow_l".
std::string label(const Document& document, const Change& change);

/// What whoever asks for a change should know beside its label, for example that another node changes with it; empty
/// for nothing. Before the change is made.
std::string notice(const Document& document, const Change& change);
/// Why a change will be refused and change nothing, in words; empty where it is not.
std::string why_refused(const Document& document, const Change& change);

/// Applies one command and records the step; clears what could be redone, in a drag as soon as that ends. A command
/// that changes nothing records nothing, and a drag that returns to where it began leaves no step.
void apply(Document& document, const Command& command);
/// Ends the drag: the next command starts a step of its own whatever its key.
void end_merge(Document& document);
/// Takes the drag with that key back as if it had never begun, what could be redone then included; nothing where it
/// changed nothing yet.
void cancel_merge(Document& document, std::string_view merge_key);

bool can_undo(const Document& document);
bool can_redo(const Document& document);
// Selection and playhead stay where they are, as far as they still mean something.
void undo(Document& document);
void redo(Document& document);
/// Goes to any place of the history. @pre index < document.history.size()
void travel(Document& document, std::size_t index);

}  // namespace pelt::edit
