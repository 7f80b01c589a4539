#include "ui/playback.h"

#include <algorithm>
#include <cmath>

namespace pelt::ui {

float advance(Playback& playback, float time, float start, float end, float elapsed) {
  const float length = end - start;
  if (!playback.playing || length <= 0) {
    return std::clamp(time, start, std::max(start, end));
  }
  const float step = elapsed * playback.speed;
  switch (playback.mode) {
    case LoopMode::kLoop: {
      float offset = std::fmod(time - start + step, length);
      return start + (offset < 0 ? offset + length : offset);
    }
    case LoopMode::kPingPong: {
      // On a circle of twice the length the way back is the second half.
      float phase = playback.direction > 0 ? time - start : 2 * length - (time - start);
      phase = std::fmod(phase + step, 2 * length);
      phase = phase < 0 ? phase + 2 * length : phase;
      playback.direction = phase < length ? 1.0f : -1.0f;
      return start + (phase < length ? phase : 2 * length - phase);
    }
    case LoopMode::kOnce: {
      const float next = std::clamp(time + step, start, end);
      playback.playing = step >= 0 ? next < end : next > start;
      return next;
    }
  }
  return time;
}

float step_frames(float time, int frames, float frame_rate, float start, float end) {
  const float last = std::floor((end - start) * frame_rate + 1e-3f);
  if (last <= 0) {
    return start;
  }
  const float frame = std::round((time - start) * frame_rate) + static_cast<float>(frames);
  const float wrapped = std::fmod(std::fmod(frame, last + 1) + last + 1, last + 1);
  return std::min(end, start + wrapped / frame_rate);
}

}  // namespace pelt::ui
