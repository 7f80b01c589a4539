#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "edit/content.h"
#include "edit/history.h"
#include "edit/motion_cache.h"
#include "rig/surface_variants.h"

namespace pelt::edit {

struct HeldEdits;

/// Where a document was opened from.
struct SessionOrigin {
  std::string path;    ///< of the session; empty: from none
  std::string file;    ///< of its character, as it can be opened from here
  std::string hash;    ///< of that as it was opened
  std::string window;  ///< how it was drawn, a JSON object: the caller's matter
  /// Of a session in one piece: the character's files by their names in it, as data URIs. Null: they lie elsewhere.
  std::shared_ptr<const std::map<std::string, std::string>> packed = nullptr;
  bool outside_uris = false;           ///< its character was read with files outside of its folder allowed
  bool is_changed = false;             ///< its character's file was another than the session knew
  std::vector<std::string> lost = {};  ///< what of it does not apply to its character, one phrase each
  /// What of that can be carried over by position; null: nothing, or the user has answered.
  std::shared_ptr<const HeldEdits> held = nullptr;
};

/// Slider values of a joint with the degrees of freedom that they are of.
struct MeantSliders {
  rig::JointDofs dofs;
  JointOverride pose;
};

/// The open character, what was done to it, where one looks, and how it came about. Never includes GL or UI types;
/// indices only.
struct Document {
  std::shared_ptr<const rig::Character> character;  ///< never null; with the surface that is shown
  rig::SurfaceChoice surface = {};                  ///< how `character` was made of content.character
  double detail_error = 0;                          ///< of its level of detail, metres in mesh space
  std::shared_ptr<const rig::Character> file;       ///< as its file has it, with the scene that is shown; never null
  Content content;
  View view;
  History history;
  std::uint64_t character_version = 1;  ///< grows when another character is opened or this one is replaced
  std::uint64_t state_version = 1;      ///< grows with every change of `content` and of the playhead
  std::vector<std::string> lost;        ///< what a newer version of the file, or travelling to before it, gave up
  SessionOrigin origin;                 ///< the session that it was opened from
  /// What behaviours have computed; copies share it. Says nothing that the content does not.
  std::shared_ptr<MotionCache> motion = std::make_shared<MotionCache>();
  std::string open_merge_key;  ///< of the drag in progress; see Command::merge_key
  /// Sliders of joints whose overrides became keys, by joint. Several sets of angles make one rotation, and a person
  /// typed one of them; while the joint stands there, its sliders have that one. Like the history this tells how one
  /// came here; no session holds it.
  std::map<int, MeantSliders> meant = {};
  /// [panes] what a pane shows in place of `character`: the same with other weights; null or absent: that itself. Of
  /// what is shown for a while, not of what is edited: no change keeps it, no session holds it.
  std::vector<std::shared_ptr<const rig::Character>> stand_ins = {};
};

/// With the layers that the file says, else the standard ones. @pre character is not null and finished (rig::finish)
Document make_document(std::shared_ptr<const rig::Character> character);

/// Replaces the open character: a fresh content, no history, no selection; panes and skinning settings stay, but for
/// weights as stored, which are about one file. Versions grow, so that who holds results of the old one notices.
void open_character(Document& document, std::shared_ptr<const rig::Character> character);

/// The same with a document that was opened whole, from a session.
void open_document(Document& document, Document opened);

/// Shows another scene of the same character: pose, history and the selected joint stay; the pinned vertex does not,
/// since parts are other ones. The version of the character grows. @pre the character has that scene
void show_scene(Document& document, int scene);

/// The same document as if it had been opened as it is, for who works on a copy.
Document without_history(const Document& document);

/// The character with its own surface.
const std::shared_ptr<const rig::Character>& own_character(const Document& document);
inline bool shows_own_surface(const Document& document) {
  return document.character == own_character(document);
}

/// What a pane shows: the character, or what stands in for it.
const rig::Character& shown_character(const Document& document, int pane);
/// Whether two characters have the same joints, at rest in the same places. Which of them skins list may differ: new
/// weights may need more, and rig::finish() makes the skeleton anew.
bool same_joints(const Shared<rig::Skeleton>& a, const Shared<rig::Skeleton>& b);
/// Whether one character can stand in for another in its poses: the same joints, vertices and triangles, and its skins
/// with joints added at most; meshes that follow no skin may follow one.
bool can_stand_in(const rig::Character& candidate, const rig::Character& character);
/// The character with the weights and skins of a candidate, all else being its own: clips and materials, say, may have
/// been edited since the candidate was made. @pre can_stand_in(candidate, character)
std::shared_ptr<const rig::Character> stand_in(const rig::Character& candidate, const rig::Character& character);
/// Whether two characters have the same joints, surface, skins and weights, whatever their clips and materials are.
/// @cost O(influences) where their meshes are not the same objects
bool same_weights(const rig::Character& a, const rig::Character& b);

/// Brings back into range what a change of the content has put out of it: the active pane, the playhead while there is
/// a clip, the selected joint, the pinned vertex.
void keep_valid(View& view, const Document& document);

/// Shows another surface of the same character: pose, history and the selected joint stay, the pinned vertex where only
/// the explosion is another, which adds vertices behind the others. The version of the character grows.
/// @param character  made by rig::with_surface(*own_character(document), surface), or that itself for the default
/// choice
/// @pre  it has the document's joints and morph targets
void show_surface(Document& document, std::shared_ptr<const rig::Character> character,
                  const rig::SurfaceChoice& surface, double detail_error);

/// The joint's DOFs as the document has them: the character's with the chosen Euler order.
rig::JointDofs joint_dofs(const Document& document, int joint);
/// Current slider values: the override's, or base_dof_values().
std::vector<float> dof_values(const Document& document, int joint);
/// The same for who asks about many joints. @param base  evaluate_base_pose(document)
std::vector<float> dof_values(const Document& document, int joint, const rig::Pose& base);
/// The slider values of the base pose, whatever the joint's override is: those that were meant (Document::meant) where
/// the joint stands as they made it, those nearest to them where it stands close by, else rig::dofs_from_local().
std::vector<float> base_dof_values(const Document& document, int joint, const rig::Pose& base);
/// Keeps the sliders of joints whose overrides a step turns into keys (Document::meant).
/// @param posed  the overrides before the step
/// @param content  the content after it
void keep_meant_sliders(Document& document, const Shared<std::map<int, JointOverride>>& posed, const Content& content);

/// The pose that the content describes at the playhead: what its pose layers make one after the other, up to the limit
/// of the view. In the bind pose, which is where the skin was fitted whatever they say, the file's constraints do
/// nothing. A joint that was posed by hand has the translation, rotation and scale that it was given; a shear that the
/// file gave the node stays.
rig::Pose evaluate_pose(const Document& document);

/// The pose as it is deformed: as the deformer layers before the skin want it. Under the standard stack the same.
rig::Pose deformed_pose(const Document& document, rig::Pose pose);

/// What of settings takes effect under the document's deformer layers.
deform::SkinningSettings in_effect(const Document& document, deform::SkinningSettings settings);

/// Where the playhead can be, seconds: from the first to the last key of the clip, in its room for keys (Clip::room)
/// and in the work range.
struct TimeRange {
  float start = 0;
  float end = 0;
};
/// @pre  clip is of the clips of the document's character
TimeRange playhead_range(const Document& document, int clip);
/// What plays: the work range, else the clip, with its room for keys until they take time.
TimeRange played_range(const Document& document, int clip);
/// Frames per second: the chosen ones, else what the clip's keys suggest; 30 without a clip.
float frame_rate(const Document& document);

/// Seconds since the start of the clip; 0 without one.
double clip_seconds(const Document& document);

/// What the pose layers make before that of what is posed by hand, wherever the view stops.
rig::Pose evaluate_base_pose(const Document& document);

}  // namespace pelt::edit
