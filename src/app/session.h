#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/opened_file.h"
#include "app/posed_bounds.h"
#include "edit/document.h"
#include "edit/evaluation.h"
#include "edit/surface_marks.h"
#include "render/panes.h"
#include "render/renderer.h"
#include "render/surface_parts.h"
#include "ui/workspace.h"

namespace pelt::app {

/// What of the document is saved somewhere.
struct Kept {
  std::map<int, edit::JointOverride> overrides;  ///< as a file or the command line gave them, or last saved
  std::map<int, float> morphs;
  std::shared_ptr<const rig::Character> character;  ///< with its own surface
  edit::Content content;                            ///< of the session, where one was opened or saved
};

/// How panes are drawn in palette batches, by their settings; null where it could not be computed.
using BatchPlans = std::vector<std::pair<deform::SkinningSettings, std::shared_ptr<const render::CharacterPlan>>>;

/// The last export of the open character.
struct ExportedWork {
  std::weak_ptr<const rig::Character> character;  ///< the version that was exported
  std::string file;
  double when = 0;        ///< seconds of Scene::now
  bool is_whole = false;  ///< nothing of that character was left out
};

/// What a preview shows.
struct ShownPreview {
  std::string key;
  std::uint64_t character_version = 0;  ///< of the document that it was made of
  std::uint64_t state_version = 0;
  bool moves = false;
  edit::Document document;  ///< with versions that no other has
};

/// The open character, what follows from it and how it is shown. Knows no window: a picture with panels is made of the
/// same.
struct Session {
  edit::Document document;
  OpenedFile opened;
  edit::Evaluation evaluation;
  ui::Workspace workspace;
  render::RenderStats stats;
  std::string device;
  std::optional<ui::Parity> parity;
  std::string parity_error;
  std::uint64_t parity_tried = 0;  ///< evaluation.version() when parity was measured last, or failed to be
  ui::Measurements measurements;
  Kept kept;
  std::optional<ExportedWork> exported = {};
  double frame_milliseconds = 0;
  float frames_per_second = 0;

  std::optional<ShownPreview> preview = {};  ///< nothing: the document itself is shown
  edit::SurfaceMarks surface_marks;
  std::optional<rig::SurfaceChoice> surface_to_come;  ///< being made
  bool paint = false;  ///< panes are drawn in the layout for weights that are being edited, see PaintLayout
  BatchPlans plans;    ///< made in the background for the next picture
  PosedBounds posed_bounds;
};

/// Shows the document as it would be after the changes of a preview; as it is where none is asked for. The document
/// itself stays. Call before update().
void show_preview(Session& session, const ui::Preview& preview);
/// What is evaluated and drawn: the document, or that of a preview.
const edit::Document& shown_document(const Session& session);

/// Brings evaluation and bounds up to date. Tells whether the pose changed.
bool update(Session& session);

/// Whether the character is as it was read: nothing was mended or bound anew since.
bool is_as_read(const Session& session);

/// From now on the pose counts as kept: it was opened, or saved.
void keep_pose(Session& session);
/// Everything does: a character was opened, or the session saved as it was in that content.
void keep_all(Session& session, const edit::Content& content);
/// Another scene of the character is shown: what was kept is kept.
/// @param before  its own character before
void keep_in_scene(Session& session, const std::shared_ptr<const rig::Character>& before);
/// Whether leaving loses work: a pose that differs from what was kept last and from none, an edited character, other
/// named selections, rotation orders or layers than were kept, and of a session whatever undo would take back.
bool has_unsaved_work(const Session& session);

/// The content was exported. Where the file holds everything that was made since the character was opened, leaving
/// loses nothing; not so in a session, whose own file is then the older one.
/// @param is_whole  nothing of the character was left out
void note_export(Session& session, const edit::Content& content, const std::string& file, bool is_whole, double now);
/// The last export, when it was and what it does not hold; empty where nothing was exported.
std::string words_of_export(const Session& session, double now);

/// Box of the posed shape; of the joints where there is no mesh.
Bounds posed_bounds(const Session& session);

/// What panels read. Valid until the session changes.
ui::Scene make_scene(Session& session, const ui::Loading& loading, double now);

/// What the renderer draws of one pane into `size` pixels. Computes the CPU result where the renderer needs it.
/// @pre update() saw that pane
render::Frame make_frame(Session& session, const render::Renderer& renderer, glm::ivec2 size, float pixel_scale,
                         int pane = 0);
/// The panes of a viewport of `size` pixels.
render::PaneLayout pane_layout(const Session& session, glm::ivec2 size, float pixel_scale);
/// One frame for each pane of the layout.
std::vector<render::Frame> make_frames(Session& session, const render::Renderer& renderer,
                                       const render::PaneLayout& layout, float pixel_scale);

/// What the picture of a pane depends on, without what it is drawn from: equal keys, equal pictures.
struct PictureKey {
  int pane = 0;
  render::AppearanceParts character;
  std::uint64_t pose_version = 0;
  deform::SkinningSettings skinning;
  bool paint = false;
  bool hold_shadows = false;
  bool time_skinning = false;
  render::ViewSettings view;
  render::Camera camera;
  glm::ivec2 size = glm::ivec2(0);
  float pixel_scale = 0;
  std::vector<int> selected_joints = {};
  int hovered_joint = -1;
  glm::ivec2 pinned = glm::ivec2(-1);
  std::vector<std::uint64_t> ghosts = {};  ///< versions of their poses
  std::size_t surface_marks = 0;           ///< how many lines and points lie over the surface
  bool operator==(const PictureKey&) const = default;
};
std::vector<PictureKey> picture_key(std::span<const render::Frame> frames);

/// Compares the GPU's result with the CPU's for the pose and the active pane's settings, into session.parity or
/// parity_error.
void measure_parity(Session& session, render::Renderer& renderer);

}  // namespace pelt::app
