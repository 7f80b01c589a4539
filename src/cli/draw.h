#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "cli/options.h"
#include "core/result.h"
#include "edit/document.h"
#include "edit/evaluation.h"
#include "edit/skin_numbers.h"
#include "edit/surface_marks.h"
#include "render/camera.h"
#include "render/panes.h"
#include "render/picture_text.h"
#include "render/renderer.h"
#include "render/view_settings.h"

namespace pelt::cli {

/// The box of what is seen: the deformed shape with the ghost points of the pinned vertex, or the joints of a skeleton
/// without a mesh.
Bounds shown_bounds(const edit::Document& document, edit::Evaluation& evaluation);

/// Where ghosts of these settings stand.
edit::GhostMoments ghost_moments(const render::GhostSettings& settings);

/// The view settings that the drawing flags ask for; a joint name that the character lacks is an error, and so are
/// centres that no pane's method has. A skeleton without a mesh is always drawn.
/// @pre  open_panes() was called
Result<render::ViewSettings> view_settings(const edit::Document& document, const DrawingOptions& options);

/// Opens the panes that the drawing flags ask for; not undoable, since nobody did it.
void open_panes(edit::Document& document, const DrawingOptions& options);

/// What --plot runs over; nothing without the flag.
Result<std::optional<edit::SeriesAxis>> plot_axis(const edit::Document& document, const DrawingOptions& options);

/// What a picture of a document is about besides the document.
struct FrameRequest {
  render::ViewSettings view = {};
  render::Camera camera = {};
  glm::ivec2 size = glm::ivec2(1280, 720);  ///< pixels of the pane's picture
  float pixel_scale = 1;
  Bounds bounds = {};  ///< of the posed shape, and what else is to be in sight
  int hovered_joint = -1;
  bool select = false;  ///< the document's selected joints stand out
  bool time_skinning = false;
  bool paint = false;  ///< weights are being edited, see render::Frame::paint
};

/// The frame of a pane: the one place where a document becomes one. Computes the CPU's result where `needs_cpu` says
/// so, and what the view compares with.
/// @param marks  where the lines and points over the surface stay that the view asks for; null: none
/// @pre  evaluation.update() saw that pane
render::Frame make_frame(const edit::Document& document, edit::Evaluation& evaluation, FrameRequest request, int pane,
                         edit::SurfaceMarks* marks, const std::function<bool(const render::Frame&)>& needs_cpu);

/// One frame for each pane of a layout, for verbs: with the CPU's result, whose bounds are added.
std::vector<render::Frame> pane_frames(const edit::Document& document, edit::Evaluation& evaluation,
                                       const FrameRequest& request, std::size_t count,
                                       edit::SurfaceMarks* marks = nullptr);

/// The words beside what the views of these frames point out, in pixels of the whole picture: joint names, the weights
/// of the pinned vertex, the sizes of cracks. What lies under another pane is left out.
/// @param cracks  of a pane; asked where T-junctions are marked
std::vector<render::PictureText> picture_texts(std::span<const render::Frame> frames, const render::PaneLayout& layout,
                                               const std::function<std::span<const measure::PosedCrack>(int)>& cracks);

/// The camera that the drawing flags ask for: the scene's, or an orbit around `bounds` that fills the picture unless a
/// distance is given.
/// @param document  whose clip and time a scene camera's lens follows
/// @param world     [J] of the pose in which it stands
Result<render::Camera> make_camera(const edit::Document& document, std::span<const glm::mat4> world,
                                   const Bounds& bounds, const DrawingOptions& options);

}  // namespace pelt::cli
