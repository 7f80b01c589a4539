#include "motion/baking.h"

#include <algorithm>
#include <cmath>

#include "core/expect.h"

namespace pelt::motion {
namespace {

void append_value(const ClipLayerRig::Target& target, const rig::Pose& pose, rig::Channel& channel) {
  std::vector<float>& values = channel.values;
  const Transform& local = pose.local[static_cast<std::size_t>(target.joint)];
  switch (target.path) {
    case rig::ChannelPath::kWeights:
      for (int m = target.first; m < target.first + target.count; ++m) {
        values.push_back(pose.morph_weights[static_cast<std::size_t>(m)]);
      }
      return;
    case rig::ChannelPath::kRotation: {
      glm::quat q = local.rotation;
      if (const std::size_t size = values.size(); size >= 4) {
        const glm::quat before = quat_xyzw(values[size - 4], values[size - 3], values[size - 2], values[size - 1]);
        q = glm::dot(before, q) < 0 ? -q : q;
      }
      values.insert(values.end(), {q.x, q.y, q.z, q.w});
      return;
    }
    case rig::ChannelPath::kTranslation:
      values.insert(values.end(), {local.translation.x, local.translation.y, local.translation.z});
      return;
    case rig::ChannelPath::kScale:
      values.insert(values.end(), {local.scale.x, local.scale.y, local.scale.z});
  }
}

// Keys that all say the same become two, which keep the clip as long as it is.
void thin_out(rig::Channel& channel) {
  const std::size_t width = static_cast<std::size_t>(channel.width);
  const bool never_changes = std::ranges::equal(std::span(channel.values).subspan(width),
                                                std::span(channel.values).first(channel.values.size() - width));
  if (never_changes && channel.times.size() > 2) {
    channel.times = {channel.times.front(), channel.times.back()};
    channel.values.resize(2 * width);
  }
}

}  // namespace

std::vector<float> frame_times(float start, float end, double frame_rate) {
  PELT_EXPECT(frame_rate > 0 && start <= end, "a range that begins before it ends");
  constexpr double kFrameRounding = 1e-4;  // of a frame: an end on the grid gets one key
  const double before_end = static_cast<double>(end) - kFrameRounding / frame_rate;
  std::vector<float> times;
  for (long frame = 0;; ++frame) {
    const auto time = static_cast<float>(static_cast<double>(start) + static_cast<double>(frame) / frame_rate);
    if (!(static_cast<double>(time) < before_end)) {
      break;
    }
    if (times.empty() || time > times.back()) {
      times.push_back(time);
    }
  }
  times.push_back(end);
  return times;
}

std::vector<rig::Channel> baked_channels(std::span<const float> times, std::span<const ClipLayerRig::Target> targets,
                                         std::span<const int> morph_offset,
                                         const std::function<rig::Pose(float time)>& pose_at) {
  PELT_EXPECT(!times.empty(), "at least one time");
  std::vector<rig::Channel> out;
  for (const ClipLayerRig::Target& target : targets) {
    rig::Channel channel;
    channel.joint = target.joint;
    channel.path = target.path;
    channel.times.assign(times.begin(), times.end());
    const bool is_rotation = target.path == rig::ChannelPath::kRotation;
    channel.width = target.path == rig::ChannelPath::kWeights ? target.count : is_rotation ? 4 : 3;
    if (target.path == rig::ChannelPath::kWeights) {
      const std::size_t j = static_cast<std::size_t>(target.joint);
      const bool is_all = target.count == morph_offset[j + 1] - morph_offset[j];
      channel.morph_target = is_all ? -1 : target.first - morph_offset[j];
    }
    out.push_back(std::move(channel));
  }
  for (const float time : times) {
    const rig::Pose pose = pose_at(time);
    for (std::size_t c = 0; c < out.size(); ++c) {
      append_value(targets[c], pose, out[c]);
    }
  }
  std::ranges::for_each(out, thin_out);
  return out;
}

}  // namespace pelt::motion
