#include "rig/clip_changes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "math/transform.h"
#include "rig/curve_fitting.h"
#include "rig/keys.h"

namespace pelt::rig {
namespace {

template <typename F>
Clip with_each(const Clip& clip, const F& change) {
  Clip out = clip;
  for (Channel& channel : out.channels) {
    channel = change(channel);
  }
  for (PropertyChannel& property : out.properties) {
    property.keys = change(property.keys);
  }
  update_range(out);
  return out;
}

// The difference of two values as a vector whose length counts: of rotations the rotation vector.
std::vector<double> difference(std::span<const float> from, std::span<const float> to, ChannelPath path) {
  if (path == ChannelPath::kRotation) {
    const auto q = [](std::span<const float> v) {
      return normalized_or_identity(glm::dquat(quat_xyzw<double>(v[0], v[1], v[2], v[3])));
    };
    const glm::dvec3 turned = rotation_vector(q(to) * glm::conjugate(q(from)));
    return {turned.x, turned.y, turned.z};
  }
  std::vector<double> out(from.size());
  std::ranges::transform(to, from, out.begin(),
                         [](float a, float b) { return static_cast<double>(a) - static_cast<double>(b); });
  return out;
}

double length(std::span<const double> v) {
  double square = 0;
  for (const double x : v) {
    square += x * x;
  }
  return std::sqrt(square);
}

}  // namespace

void update_range(Clip& clip) {
  bool is_first = true;
  clip.start = 0;
  clip.end = 0;
  const auto take = [&](const Channel& channel) {
    if (!channel.times.empty()) {
      clip.start = is_first ? channel.times.front() : std::min(clip.start, channel.times.front());
      clip.end = is_first ? channel.times.back() : std::max(clip.end, channel.times.back());
      is_first = false;
    }
  };
  for (const Channel& channel : clip.channels) {
    take(channel);
  }
  for (const PropertyChannel& property : clip.properties) {
    take(property.keys);
  }
}

std::string free_name(const std::string& wished, const std::vector<std::string>& taken) {
  std::string name = wished;
  for (int n = 2; std::ranges::find(taken, name) != taken.end(); ++n) {
    name = fmt::format("{} {}", wished, n);
  }
  return name;
}

Clip reversed(const Clip& clip) {
  return with_each(clip, [&](const Channel& channel) { return reversed(channel, clip.start, clip.end); });
}

Clip trimmed(const Clip& clip, float start, float end) {
  return with_each(clip, [&](const Channel& channel) { return trimmed(channel, start, end); });
}

Clip retimed(const Clip& clip, double factor) {
  PELT_EXPECT(factor > 0, "time runs forward");
  return with_each(clip, [&](const Channel& channel) {
    return with_moved_keys(channel, channel.times, {.pivot = clip.start, .factor = factor});
  });
}

Clip resampled(const Clip& clip, double frame_rate) {
  return with_each(clip, [&](const Channel& channel) { return resampled(channel, clip.start, clip.end, frame_rate); });
}

Clip fitted(const Clip& clip, const FitTolerance& tolerance) {
  return with_each(clip, [&](const Channel& channel) {
    return fitted(channel, channel.path == ChannelPath::kRotation ? tolerance.angle : tolerance.distance);
  });
}

std::vector<SeamJump> loop_seam(const Clip& clip) {
  constexpr double kMoment = 0.01;
  constexpr double kShare = 0.1;
  std::vector<SeamJump> out;
  const double step = std::min(kMoment, kShare * static_cast<double>(clip.duration()));
  const auto moment = [](float time, double after) { return static_cast<float>(static_cast<double>(time) + after); };
  for (const Channel& channel : clip.channels) {
    const auto at = [&](float time) {
      std::vector<float> value(channel.width);
      sample(channel, time, value);
      return value;
    };
    SeamJump seam{.joint = channel.joint, .path = channel.path};
    seam.jump = length(difference(at(clip.end), at(clip.start), channel.path));
    if (step > 0) {
      const std::vector<double> first = difference(at(clip.start), at(moment(clip.start, step)), channel.path);
      std::vector<double> last = difference(at(moment(clip.end, -step)), at(clip.end), channel.path);
      std::ranges::transform(last, first, last.begin(), [](double a, double b) { return a - b; });
      seam.speed = length(last) / step;
    }
    out.push_back(seam);
  }
  return out;
}

}  // namespace pelt::rig
