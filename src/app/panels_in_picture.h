#pragma once

#include "cli/cli.h"

namespace pelt::app {

/// Draws the window's panels over an offscreen picture of `frame.size`: what the window would show for this request,
/// with the character in its viewport. Reads no preferences, so the same request gives the same picture everywhere.
/// @pre the renderer's context is current
Result<render::ImageRgba> render_with_panels(render::Renderer& renderer, const cli::ViewRequest& request,
                                             render::Frame frame);

}  // namespace pelt::app
