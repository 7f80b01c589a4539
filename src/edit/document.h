#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "deform/settings.h"
#include "rig/character.h"
#include "rig/surface_variants.h"

namespace pelt::edit {

/// Where joints without an override get their local transforms from.
enum class BasePose { kRest, kBind, kZero };

/// A joint's own local transform, which replaces what base pose and clip say.
struct JointOverride {
  Transform local;                ///< the truth
  std::vector<float> dof_values;  ///< the sliders that made it (or the closest to it); one per DOF
  bool operator==(const JointOverride&) const = default;
};

/// What undo restores: everything that decides the picture's geometry. A value.
struct State {
  BasePose base = BasePose::kRest;
  int clip = -1;                                ///< -1: none
  float time = 0;                               ///< seconds on the clip's own axis
  std::map<int, JointOverride> overrides;       ///< by skeleton index
  std::map<int, float> morph_overrides;         ///< by flat index into Pose::morph_weights
  std::map<int, EulerOrder> euler_orders;       ///< joints whose rotation order was changed from the character's
  deform::SkinningSettings skinning;            ///< of the first pane
  std::vector<deform::SkinningSettings> panes;  ///< of the panes beyond the first, which show the same pose beside it
  bool operator==(const State&) const = default;
};

/// Ways of skinning that can be looked at side by side.
inline constexpr int kPaneLimit = 4;
/// 1 to kPaneLimit.
int pane_count(const State& state);
/// @pre 0 <= pane < pane_count(state)
const deform::SkinningSettings& skinning_of(const State& state, int pane);

/// One entry of the undo or redo stack.
struct Step {
  State state;        ///< what going back (or forth) restores
  std::string label;  ///< for the Edit menu, for example "Rotate elbow_l"
  bool moves_time =
      false;  ///< the step itself moved the playhead or changed the clip; otherwise going back keeps the time
  std::shared_ptr<const rig::Character> character = {};  ///< what going back (or forth) shows; null: the same as now
  bool operator==(const Step&) const = default;
};

/// Oldest steps beyond this many are forgotten.
inline constexpr std::size_t kUndoLimit = 256;

/// The open character, what was done to it, and what is selected. Never includes GL or UI types; indices only.
struct Document {
  std::shared_ptr<const rig::Character> character;  ///< never null; with the surface that is shown
  std::shared_ptr<const rig::Character> own;        ///< with its own surface; null: `character` is that
  rig::SurfaceChoice surface = {};                  ///< how `character` was made of `own`
  double detail_error = 0;                          ///< of its level of detail, metres in mesh space
  State state;
  std::uint64_t character_version = 1;  ///< grows when another character is opened or this one is replaced
  std::uint64_t state_version = 1;      ///< grows with every change of `state`

  // Selection: shared by tree, viewport and tabs; not undone.
  int selected_joint = -1;
  int pinned_part = -1;  ///< vertex inspector
  int pinned_vertex = -1;
  int active_pane = 0;  ///< the one that panels show and change; below pane_count(state) after every change

  std::vector<Step> undo_stack;  ///< last: the next to be undone
  std::vector<Step> redo_stack;  ///< last: the next to be redone
  std::string open_merge_key;    ///< of the drag in progress; see Command::merge_key
};

/// @pre character is not null and finished (rig::finish)
Document make_document(std::shared_ptr<const rig::Character> character);

/// Replaces the open character: a fresh state, no history, no selection; panes and skinning settings stay, but for
/// weights as stored, which are about one file. Versions grow, so that who holds results of the old one notices.
void open_character(Document& document, std::shared_ptr<const rig::Character> character);

/// Shows another scene of the same character: pose, history and the selected joint stay; the pinned vertex does not,
/// since parts are other ones. The version of the character grows. @pre the character has that scene
void show_scene(Document& document, int scene);

/// The character with its own surface.
const std::shared_ptr<const rig::Character>& own_character(const Document& document);

/// Shows another surface of the same character: pose, history and the selected joint stay, the pinned vertex where only
/// the explosion is another, which adds vertices behind the others. The version of the character grows.
/// @param character  made by rig::with_surface(*own, surface), or `own` itself for the default choice
/// @pre  both have the document's joints and morph targets
void show_surface(Document& document, std::shared_ptr<const rig::Character> own,
                  std::shared_ptr<const rig::Character> character, const rig::SurfaceChoice& surface,
                  double detail_error);

/// The joint's DOFs as the document has them: the character's with the chosen Euler order.
rig::JointDofs joint_dofs(const Document& document, int joint);
/// Current slider values: the override's, or those closest to what base pose and clip say.
std::vector<float> dof_values(const Document& document, int joint);

/// The pose that the state describes: base pose, then clip, then overrides, then what the file's constraints make of it
/// (but for the bind pose, which is where the skin was fitted whatever they say). An override replaces the joint's
/// translation, rotation and scale; a shear that the file gave the node stays.
rig::Pose evaluate_pose(const Document& document);

/// Seconds since the start of the clip; 0 without one.
double clip_seconds(const Document& document);

/// Base pose plus clip, without overrides.
rig::Pose evaluate_base_pose(const Document& document);

}  // namespace pelt::edit
