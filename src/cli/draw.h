#pragma once

#include <functional>
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

/// The view settings that the drawing flags ask for; a joint name that the character lacks is an error, and so are
/// centres that no pane's method has. A skeleton without a mesh is always drawn.
/// @pre  open_panes() was called
Result<render::ViewSettings> view_settings(const edit::Document& document, const DrawingOptions& options);

/// Opens the panes that the drawing flags ask for; not undoable, since nobody did it.
void open_panes(edit::Document& document, const DrawingOptions& options);

/// What --plot runs over; nothing without the flag.
Result<std::optional<edit::SeriesAxis>> plot_axis(const edit::Document& document, const DrawingOptions& options);

/// One frame for each pane of a layout, but for view, camera, size and bounds. Computes what the renderer may need.
/// @pre view is set: what it compares with decides the reference
std::vector<render::Frame> pane_frames(const edit::Document& document, edit::Evaluation& evaluation,
                                       const render::ViewSettings& view, std::size_t count);

/// The words beside what the views of these frames point out, in pixels of the whole picture: joint names, the weights
/// of the pinned vertex, the sizes of cracks. What lies under another pane is left out.
/// @param cracks  of a pane; asked where T-junctions are marked
std::vector<render::PictureText> picture_texts(std::span<const render::Frame> frames, const render::PaneLayout& layout,
                                               const std::function<std::span<const measure::PosedCrack>(int)>& cracks);

/// Sets what the look kDifference compares a pane's frame with, where it shows that look. A pane that differs from its
/// reference in the backend alone is compared with the other backend: the CPU's word for both would hide everything.
/// While the evaluation holds back a method that is not prepared, the pane is clay: no map may say that all is equal.
void set_reference(render::Frame& frame, const edit::Document& document, edit::Evaluation& evaluation);

/// Sets the lines and points over the surface that a frame's view asks for. They stay in `marks`.
void set_surface_marks(render::Frame& frame, const edit::Document& document, edit::Evaluation& evaluation,
                       edit::SurfaceMarks& marks);

/// The camera that the drawing flags ask for: the scene's, or an orbit around `bounds` that fills the picture unless a
/// distance is given.
/// @param document  whose clip and time a scene camera's lens follows
/// @param world     [J] of the pose in which it stands
Result<render::Camera> make_camera(const edit::Document& document, std::span<const glm::mat4> world,
                                   const Bounds& bounds, const DrawingOptions& options);

}  // namespace pelt::cli
