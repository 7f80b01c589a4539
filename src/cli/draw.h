#pragma once

#include <glm/glm.hpp>

#include "cli/options.h"
#include "core/result.h"
#include "edit/document.h"
#include "edit/evaluation.h"
#include "render/camera.h"
#include "render/view_settings.h"

namespace pelt::cli {

/// The box of what is seen: the deformed shape, or the joints of a skeleton without a mesh.
Bounds shown_bounds(const edit::Document& document, edit::Evaluation& evaluation);

/// The view settings that the drawing flags ask for; a joint name that the character lacks is an error. A skeleton
/// without a mesh is always drawn.
Result<render::ViewSettings> view_settings(const rig::Character& character, const DrawingOptions& options);

/// The camera that the drawing flags ask for: the scene's, or an orbit around `bounds` that fills the picture unless a
/// distance is given.
/// @param world  [J] of the pose in which a scene camera stands
Result<render::Camera> make_camera(const rig::Character& character, std::span<const glm::mat4> world,
                                   const Bounds& bounds, const DrawingOptions& options);

}  // namespace pelt::cli
