#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bind/joint_volumes.h"
#include "core/shared.h"
#include "deform/layers.h"
#include "deform/settings.h"
#include "edit/kept_poses.h"
#include "edit/pose_library.h"
#include "edit/selection.h"
#include "math/euler.h"
#include "motion/behaviour.h"
#include "motion/pose_layers.h"
#include "rig/character.h"
#include "rig/layers.h"

namespace pelt::edit {

using motion::BasePose;
using motion::JointOverride;

/// A section of a session that this version of the program does not know, kept for writing.
struct KeptSection {
  std::string name;
  std::string json;
  bool operator==(const KeptSection&) const = default;
};

/// What undo restores: the character and everything that was done to it. A value whose copies share what is large, so
/// that a copy costs a few pointers and keeping one costs what the next one changed.
struct Content {
  std::shared_ptr<const rig::Character> character;  ///< with its own surface; null in a content of nothing
  BasePose base = BasePose::kRest;
  int clip = -1;                                   ///< -1: none
  Shared<std::map<int, JointOverride>> overrides;  ///< by skeleton index
  Shared<std::map<int, float>> morph_overrides;    ///< by flat index into Pose::morph_weights
  SharedArray<motion::Pin> pins;                   ///< joints that keep their places, ascending, each once
  Shared<std::map<int, EulerOrder>> euler_orders;  ///< joints whose rotation order is another than the character's
  deform::SkinningSettings skinning;               ///< of the first pane
  SharedArray<deform::SkinningSettings> panes;     ///< of the panes beyond the first, which show the same pose
  SharedArray<rig::Layer> pose_layers = motion::standard_pose_layers();  ///< what makes the pose, in order
  /// What makes the shape of it, in order, in all panes.
  SharedArray<rig::Layer> deformer_layers = deform::standard_deformer_layers();
  Shared<motion::Behaviour> behaviour;              ///< drivers, springs, sliders that mean something
  Shared<NamedSelections> selections;               ///< that a person has given a name
  PoseLibrary library;                              ///< poses that were put aside
  KeptPoses kept_poses;                             ///< in which pulled vertices are to stay where they are
  SharedArray<int> locked_joints;                   ///< whose weights edits leave alone, ascending, each once
  Shared<bind::JointVolumes> volumes;               ///< of the last binding by volumes: what their handles show
  SharedArray<KeptSection> kept;                    ///< of the session that it was opened from
  bool operator==(const Content&) const = default;  ///< of the character: the very same one
};

inline constexpr float kSlowestFrames = 1;  ///< frames per second that can be chosen
inline constexpr float kFastestFrames = 240;

/// How time is counted and edited.
struct TimeSettings {
  float frame_rate = 0;     ///< frames per second, counted from 0 s; 0: what the keys of the clip suggest
  bool in_seconds = false;  ///< shown so, else in frames
  bool snaps = true;        ///< keys go to whole frames
  bool auto_key = false;    ///< what is posed becomes keys of the clip at the playhead
  /// What is worked on and played, seconds; nothing where it ends before it begins. The playhead goes there, too, where
  /// the clip has no keys yet.
  float work_start = 0;
  float work_end = -1;
  bool operator==(const TimeSettings&) const = default;

  [[nodiscard]] bool has_work_range() const { return work_end > work_start; }
};

/// Where one looks: shared by tree, viewport and tabs, and not undone.
struct View {
  /// In the order in which they were selected, each once: the last is the active one, which sliders and panels are
  /// about.
  std::vector<int> selected_joints = {};
  SharedArray<PartVertices> selected_vertices = {};  ///< a VertexSelection of the surface that is shown
  int pinned_part = -1;                              ///< vertex inspector
  int pinned_vertex = -1;
  int active_pane = 0;   ///< the one that panels show and change; below pane_count() after every change
  float time = 0;        ///< the playhead: seconds on the clip's own axis; means nothing without a clip
  int layer_limit = -1;  ///< only so many layers work, pose layers first: what is seen stops there; -1: all do
  TimeSettings timing = {};
  bool symmetric_posing = false;  ///< what is posed on one side is posed on the other as well, see pose_other_side()
  bool operator==(const View&) const = default;

  /// The active one, -1 where none is selected.
  [[nodiscard]] int selected_joint() const { return selected_joints.empty() ? -1 : selected_joints.back(); }
  /// This joint alone; none with -1.
  void select_only(int joint) { selected_joints = joint < 0 ? std::vector<int>{} : std::vector<int>{joint}; }
};

/// Ways of skinning that can be looked at side by side.
inline constexpr int kPaneLimit = 4;
/// 1 to kPaneLimit.
int pane_count(const Content& content);
/// @pre 0 <= pane < pane_count(content)
const deform::SkinningSettings& skinning_of(const Content& content, int pane);

/// A hash of all that the content says, whatever it shares and wherever it lies in memory: equal contents have equal
/// hashes within one run of the program. @cost O(bytes)
std::uint64_t content_hash(const Content& content);

/// Bytes that `content` holds and does not share with `neighbour`: what letting go of it would free.
/// @cost O(parts) where the characters differ, else O(1)
std::size_t exclusive_bytes(const Content& content, const Content& neighbour);

}  // namespace pelt::edit
