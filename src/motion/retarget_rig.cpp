// Skeletons as retargeting sees them: reference pose, up, body.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/index.h"
#include "motion/retarget.h"
#include "rig/clip_changes.h"
#include "rig/pose.h"

namespace pelt::motion {
namespace {

// Takes an axis that is up in a file to +y.
glm::dmat3 upright(UpAxis up) {
  switch (up) {
    case UpAxis::kX:
      return {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}};
    case UpAxis::kZ:
      return {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}};
    case UpAxis::kFromShape:
    case UpAxis::kY:
      break;
  }
  return glm::dmat3(1.0);
}

// Hips below the head, legs away from it.
bool stands(const WorldFrames& frames, const HumanBody& body) {
  const int hips = body.find("hips");
  const int head = body.find("head");
  const int foot = body.find("leftFoot");
  if (hips < 0 || head < 0 || foot < 0) {
    return true;  // nothing tells that it lies
  }
  constexpr double kAway = -0.5;  // cosine of 120 degrees
  const glm::dvec3 up = frames.position[head] - frames.position[hips];
  const glm::dvec3 down = frames.position[foot] - frames.position[hips];
  const double lengths = glm::length(up) * glm::length(down);
  return lengths > 0 && glm::dot(up, down) < kAway * lengths;
}

void find_body(RetargetRig& out, UpAxis up) {
  const auto look = [&](UpAxis axis) {
    out.world = upright(axis);
    world_frames(out.character.skeleton, out.reference, out.frames, out.world);
    out.body = find_human_body(out.character, out.frames);
    constexpr double kUpright = 0.7;
    return out.body.faces && out.body.facing[1].y > kUpright;
  };
  if (up != UpAxis::kFromShape) {
    look(up);
    return;
  }
  for (const UpAxis axis : {UpAxis::kY, UpAxis::kZ, UpAxis::kX}) {
    if (look(axis)) {
      if (axis != UpAxis::kY) {
        out.note = fmt::format("the {} axis of the motion is taken for up, since its skeleton stands along it",
                               axis == UpAxis::kZ ? "z" : "x");
      }
      return;
    }
  }
  look(UpAxis::kY);
}

std::vector<Transform> locals_at(const rig::Character& character, int clip, float time) {
  rig::Pose pose = rig::rest_pose(character);
  rig::apply(character.clips[clip], time, character.morph_offset, pose);
  return pose.local;
}

}  // namespace

Result<RetargetRig> source_rig(const rig::Character& character, int clip, const RetargetSettings& settings) {
  if (clip < 0 || clip >= static_cast<int>(character.clips.size())) {
    return error("the motion has no clip {}, there are {}", clip, character.clips.size());
  }
  RetargetRig out{.character = character, .clip = clip};
  out.reference = settings.reference_time
                      ? locals_at(character, clip, static_cast<float>(*settings.reference_time))
                      : std::vector<Transform>(character.skeleton->rest.begin(), character.skeleton->rest.end());
  find_body(out, settings.up);
  if (!settings.reference_time && !stands(out.frames, out.body)) {
    out.reference = locals_at(character, clip, character.clips[clip].start);
    find_body(out, settings.up);
    out.note = "the motion's skeleton does not stand at rest; its first frame is the reference pose";
  }
  return out;
}

RetargetRig target_rig(const rig::Character& character) {
  RetargetRig out{.character = character};
  out.reference.assign(character.skeleton->rest.begin(), character.skeleton->rest.end());
  find_body(out, UpAxis::kY);
  return out;
}

JointMap make_joint_map(const RetargetRig& source, const RetargetRig& target) {
  return make_joint_map(source.character, source.body, target.character, target.body);
}

std::vector<float> retarget_times(const rig::Clip& clip, std::optional<double> rate) {
  std::vector<float> times;
  if (rate) {
    const double duration = static_cast<double>(clip.end) - static_cast<double>(clip.start);
    constexpr double kRounding = 1e-6;  // of a frame
    constexpr double kMostFrames = 1 << 26;
    const int last = static_cast<int>(std::clamp(std::floor(duration * *rate + kRounding), 0.0, kMostFrames));
    for (int f = 0; f <= last; ++f) {
      times.push_back(static_cast<float>(static_cast<double>(clip.start) + f / *rate));
    }
    return times;
  }
  bool curves = false;
  const rig::Channel* last = nullptr;
  for (const rig::Channel& channel : clip.channels) {
    curves = curves || channel.interpolation == rig::Interpolation::kCubicSpline;
    const bool holds = channel.interpolation == rig::Interpolation::kStep;
    if (last != nullptr && channel.times == last->times && (!holds || last->interpolation == channel.interpolation)) {
      continue;
    }
    last = &channel;
    times.insert(times.end(), channel.times.begin(), channel.times.end());
    for (std::size_t k = 1; holds && k < channel.times.size(); ++k) {
      // A value that is held until its next key is held until just before it.
      times.push_back(std::nextafter(channel.times[k], clip.start));
    }
  }
  if (curves) {
    const std::vector<float> frames = retarget_times(clip, static_cast<double>(rig::guess_frame_rate(clip)));
    times.insert(times.end(), frames.begin(), frames.end());
  }
  std::ranges::sort(times);
  const auto same = std::ranges::unique(times);
  times.erase(same.begin(), same.end());
  return times;
}

void frames_at(const RetargetRig& rig, float time, rig::Pose& pose, WorldFrames& out) {
  if (has_index(rig.character.clips, rig.clip)) {
    rig::apply(rig.character.clips[rig.clip], time, rig.character.morph_offset, pose);
  }
  world_frames(rig.character.skeleton, pose.local, out, rig.world);
}

void RetargetTracks::pose(int f, std::vector<Transform>& local) const {
  for (std::size_t n = 0; n < joints.size(); ++n) {
    Transform& out = local[joints[n]];
    out.rotation = rotations[n][f];
    out.translation = translations[n].empty() ? out.translation : translations[n][f];
    out.scale = scales[n].empty() ? out.scale : scales[n][f];
  }
}

int RetargetTracks::find(int joint) const {
  const auto found = std::ranges::lower_bound(joints, joint);
  return found != joints.end() && *found == joint ? static_cast<int>(found - joints.begin()) : -1;
}

}  // namespace pelt::motion
