#pragma once

#include "rig/clip_changes.h"

namespace pelt::ui {

enum class LoopMode { kLoop, kPingPong, kOnce };

/// How a clip runs. Not part of the document: the document only knows the time.
struct Playback {
  bool playing = false;
  LoopMode mode = LoopMode::kLoop;
  float speed = 1;      ///< 1: as authored
  float direction = 1;  ///< 1 or -1: where a ping-pong is heading
};

/// The clip's time after `elapsed` seconds of the wall clock. Turns a ping-pong around and stops a `kOnce` at its end.
/// @param start, end  of the clip, seconds
float advance(Playback& playback, float time, float start, float end, float elapsed);

using rig::guess_frame_rate;

/// `time` moved by whole frames, snapped to the frame grid that begins at `start`, wrapped around the clip's ends.
float step_frames(float time, int frames, float frame_rate, float start, float end);

}  // namespace pelt::ui
