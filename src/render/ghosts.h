#pragma once

#include <glm/glm.hpp>

#include "deform/settings.h"
#include "render/view_settings.h"
#include "rig/character.h"

namespace pelt::render {

/// Linear, straight alpha: warm before the playhead, cool after it, fainter the further away.
/// @param place  -1 the last one before, 1 the first one after
glm::vec4 ghost_color(const GhostSettings& settings, int place);

/// The settings that a pane's ghosts are skinned with: its own on the GPU, or where the shader cannot do those, linear
/// blending.
deform::SkinningSettings ghost_skinning(const rig::Character& character, deform::SkinningSettings of_pane);

}  // namespace pelt::render
