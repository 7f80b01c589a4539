#include "edit/ghost_poses.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "rig/clip_changes.h"
#include "rig/kinematics.h"

namespace pelt::edit {
namespace {

constexpr float kSameGhost = 1e-5f;  // seconds

// All times at which some channel of the clip has a key, ascending, each once.
std::vector<float> keyed_times(const rig::Clip& clip) {
  std::vector<float> times;
  for (const rig::Channel& channel : clip.channels) {
    times.insert(times.end(), channel.times.begin(), channel.times.end());
  }
  std::ranges::sort(times);
  const auto again = std::ranges::unique(times, [](float a, float b) { return b - a <= kSameGhost; });
  times.erase(again.begin(), again.end());
  return times;
}

ClipTimes times_of(const Shared<rig::Clip>& clip) {
  return {clip, keyed_times(*clip), rig::guess_frame_rate(*clip)};
}

std::vector<GhostMoment> on_frames(const Document& document, const GhostMoments& wanted, TimeRange range,
                                   float suggested_rate) {
  const double now = document.view.time;
  const float chosen = document.view.timing.frame_rate;
  const double apart = std::max(wanted.step, 0) / static_cast<double>(chosen > 0 ? chosen : suggested_rate);
  std::vector<GhostMoment> out;
  for (int place = -wanted.before; place <= wanted.after; ++place) {
    const auto time = static_cast<float>(now + place * apart);
    if (place != 0 && time >= range.start - kSameGhost && time <= range.end + kSameGhost) {
      out.push_back({time, place});
    }
  }
  return out;
}

std::vector<GhostMoment> on_keys(const Document& document, const GhostMoments& wanted,
                                 const std::vector<float>& times) {
  const float now = document.view.time;
  const auto before = std::ranges::lower_bound(times, now - kSameGhost);
  const auto after = std::ranges::upper_bound(times, now + kSameGhost);
  std::vector<GhostMoment> out;
  const auto behind = std::min<std::ptrdiff_t>(wanted.before, before - times.begin());
  for (std::ptrdiff_t i = behind; i > 0; --i) {
    out.push_back({*(before - i), static_cast<int>(-i)});
  }
  const auto ahead = std::min<std::ptrdiff_t>(wanted.after, times.end() - after);
  for (std::ptrdiff_t i = 1; i <= ahead; ++i) {
    out.push_back({*(after + (i - 1)), static_cast<int>(i)});
  }
  return out;
}

std::vector<GhostMoment> moments_of(const Document& document, const GhostMoments& wanted, const ClipTimes& times) {
  std::vector<GhostMoment> out =
      wanted.on_keys ? on_keys(document, wanted, times.keys)
                     : on_frames(document, wanted, playhead_range(document, document.content.clip), times.frame_rate);
  // What is drawn last lies in front: the nearest of both sides.
  std::ranges::stable_sort(
      out, [](const GhostMoment& a, const GhostMoment& b) { return std::abs(a.place) > std::abs(b.place); });
  return out;
}

}  // namespace

std::vector<GhostMoment> ghost_moments(const Document& document, const GhostMoments& wanted) {
  const int clip = document.content.clip;
  return clip < 0 ? std::vector<GhostMoment>()
                  : moments_of(document, wanted, times_of(document.character->clips.shared(clip)));
}

std::span<const GhostPose> GhostPoses::at(const Document& document, const GhostMoments& wanted) {
  const int clip = document.content.clip;
  if (clip < 0 || wanted.before + wanted.after <= 0) {
    content_ = {};
    character_ = nullptr;
    times_ = {};
    kept_.clear();
    return {};
  }
  if (content_ != document.content || character_ != document.character || layer_limit_ != document.view.layer_limit) {
    content_ = document.content;
    character_ = document.character;
    layer_limit_ = document.view.layer_limit;
    kept_.clear();
  }
  if (!times_.clip.is(document.character->clips.shared(clip))) {
    times_ = times_of(document.character->clips.shared(clip));
  }
  const std::vector<GhostMoment> moments = moments_of(document, wanted, times_);
  const auto is_same = [](const GhostPose& pose, const GhostMoment& wish) {
    return pose.moment.place == wish.place && std::abs(pose.moment.time - wish.time) <= kSameGhost;
  };
  if (std::ranges::equal(kept_, moments, is_same)) {
    return kept_;  // where it is: another pane may be reading it
  }
  std::vector<GhostPose> now(moments.size());
  // In the order of time, in which springs go on from one to the next.
  std::vector<std::size_t> in_time(moments.size());
  std::iota(in_time.begin(), in_time.end(), std::size_t{0});
  std::ranges::stable_sort(in_time, {}, [&](std::size_t i) { return moments[i].time; });
  Document moment;
  for (const std::size_t i : in_time) {
    const GhostMoment& wish = moments[i];
    const auto found = std::ranges::find_if(kept_, [&](const GhostPose& pose) {
      return !pose.pose.local.empty() && std::abs(pose.moment.time - wish.time) <= kSameGhost;
    });
    if (found != kept_.end()) {
      now[i] = std::move(*found);
      now[i].moment.place = wish.place;  // its time stays, lest it drifts from that of the pose
      found->pose.local.clear();         // taken
      continue;
    }
    if (moment.character == nullptr) {
      moment = without_history(document);
    }
    moment.view.time = wish.time;
    GhostPose made{.moment = wish, .pose = deformed_pose(moment, evaluate_pose(moment)), .version = ++made_};
    rig::WorldMatrices world;
    world.evaluate(document.character->skeleton, made.pose);
    made.world = {world.world().begin(), world.world().end()};
    now[i] = std::move(made);
  }
  kept_ = std::move(now);
  return kept_;
}

}  // namespace pelt::edit
