#pragma once

#include <string>

#include "edit/document.h"

namespace pelt::edit {

// What layers say becomes keys, at each frame (frame_rate()) of the played range and at its end. A file that is
// exported then plays in any program what the window shows at these frames.

/// A clip of what base pose, clip and clip layers say together, behind all others; it becomes the one that plays, and
/// the layers are switched off.
struct BakeClipLayers {};
/// The joints that springs turn get rotation keys of the clip as they are seen; what was posed of them by hand is then
/// not held against the clip any more, and the springs are switched off. Keys outside the played range stay.
struct BakeSprings {};
/// The joints from the roots of pinned limbs to what is pinned get keys of the clip that hold it there, and the pins
/// are let go. What was posed of them by hand is in the keys. Keys outside the played range stay.
struct BakePins {};

std::string label(const Document& document, const BakeClipLayers& change);
void carry_out(const Document& document, const BakeClipLayers& change, Content& content, View& view);
std::string refusal(const Document& document, const BakeClipLayers& change);
std::string label(const Document& document, const BakeSprings& change);
void carry_out(const Document& document, const BakeSprings& change, Content& content, View& view);
std::string refusal(const Document& document, const BakeSprings& change);

std::string label(const Document& document, const BakePins& change);
void carry_out(const Document& document, const BakePins& change, Content& content, View& view);
std::string refusal(const Document& document, const BakePins& change);

}  // namespace pelt::edit
