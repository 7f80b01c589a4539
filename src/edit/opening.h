#pragma once

#include <string_view>

#include "math/transform.h"
#include "rig/character.h"

namespace pelt::edit {

/// How much a clip's name promises that the character stands and waits.
enum class IdleName { kNo, kAmongOthers, kAlone };
/// "Idle", "Idle_01" and "Armature|idle" alone, "breathing idle" and "2H_Melee_Idle" among others, "Idling" not.
IdleName idle_name(std::string_view clip_name);

/// Whether the character stands all through a clip, measured on its shape: as tall as in the rest pose (from 0.8 to 1.5
/// times, since arms reach up), its lowest point as high to a fifth of that, its middle within half its size of where
/// it began, and what was above in the rest pose still above in its trunk.
bool stands(const rig::Character& character, int clip);

/// The clip that shows a character best when it is opened: one named idle, of several the first by that name alone,
/// then the first in which it stands; else the first clip in which it stands; else -1, the rest pose. Characters stand
/// as they do in the rest pose; where none of the clips does, as in the median of all clips, since some rest lying. A
/// skeleton without a mesh is its motion: its first clip.
int opening_clip(const rig::Character& character);

/// Box of the shape over a clip, of samples of both: what a camera has to frame.
Bounds clip_bounds(const rig::Character& character, int clip);

}  // namespace pelt::edit
