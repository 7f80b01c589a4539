#pragma once

#include "cli/cli.h"

namespace pelt::app {

/// Draws the window's panels over an offscreen picture of `frame.size`: what the window would show for this request,
/// with the character in its viewport. Reads no preferences, so the same request gives the same picture everywhere.
/// @pre the renderer's context is current
Result<render::ImageRgba> render_with_panels(render::Renderer& renderer, const cli::ViewRequest& request,
                                             render::Frame frame);

/// Writes words into the bound framebuffer, which is a picture of that size.
/// @pre a context is current
void write_texts(std::span<const render::PictureText> texts, glm::ivec2 size);

}  // namespace pelt::app
