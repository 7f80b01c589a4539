#include "motion/foot_lock.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <string>

#include "motion/ik_two_bone.h"
#include "motion/retarget_alignment.h"
#include "rig/mirror.h"

namespace pelt::motion {
namespace {

constexpr std::array kLegSides = {"left", "right"};

double smooth_step(double x) {
  const double t = std::clamp(x, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

/// One leg while it is held.
class HeldLeg {
 public:
  HeldLeg(const RetargetRig& target, int side, std::span<const FootContact> contacts, RetargetTracks& tracks,
          const FootLockSettings& settings)
      : target_(target), skeleton_(target.character.skeleton), tracks_(tracks), settings_(settings) {
    const std::string word = kLegSides[side];
    hip_ = target.body.find(word + "UpperLeg");
    knee_ = target.body.find(word + "LowerLeg");
    ankle_ = target.body.find(word + "Foot");
    toe_ = toe_joint(target, side);
    if (hip_ < 0 || knee_ < 0 || ankle_ < 0 || tracks.find(hip_) < 0 || tracks.find(knee_) < 0 ||
        tracks.find(ankle_) < 0) {
      return;
    }
    leg_ = glm::distance(target.frames.position[hip_], target.frames.position[knee_]) +
           glm::distance(target.frames.position[knee_], target.frames.position[ankle_]);
    state_.assign(tracks.times.size(), kFree);
    for (const bool is_toe : {true, false}) {  // the ankle wins
      for (const FootContact& contact : contacts) {
        for (int f = contact.first; f <= contact.last; ++f) {
          if (contact.side == side && contact.is_toe == is_toe && (!is_toe || toe_ >= 0)) {
            state_[f] = is_toe ? kToe : kAnkle;
          }
        }
      }
    }
  }

  /// Where the foot is to be in each frame; false where it never stands.
  bool plan() {
    if (!(leg_ > 0) || std::ranges::all_of(state_, [](State s) { return s == kFree; })) {
      return false;
    }
    trace();
    shift_.assign(state_.size(), glm::dvec3(0));
    for (std::size_t f = 0; f < state_.size(); ++f) {
      const bool begins = state_[f] != kFree && (f == 0 || state_[f - 1] == kFree);
      if (begins) {
        shift_contact(f);
      }
    }
    ease();
    lift_toes();
    return true;
  }

  /// How far the hip is to come down in frame `f` so that the leg reaches where it is held, metres.
  [[nodiscard]] double sink(int f) const {
    if (state_[f] == kFree) {
      return 0;
    }
    const glm::dvec3 way = ankles_[f] + shift_[f] - hips_[f];
    const double level = std::hypot(way.x, way.z);
    const double longest = settings_.straight * leg_;
    return std::max(-way.y - std::sqrt(std::max(longest * longest - level * level, 0.0)), 0.0);
  }

  /// Turns the joints of the leg in every frame in which it is held or hangs on a root that came down.
  void solve(std::span<const double> sunk) {
    std::vector<Transform> local = target_.reference;
    WorldFrames frames;
    for (int f = 0; f < static_cast<int>(state_.size()); ++f) {
      if (glm::length(shift_[f]) > 0 || sunk[f] > 0) {
        tracks_.pose(f, local);
        world_frames(skeleton_, local, frames);
        reach(f, local, frames);
      }
    }
  }

 private:
  enum State : char { kFree, kAnkle, kToe };

  // Where ankle and toe are as the motion has them.
  void trace() {
    std::vector<Transform> local = target_.reference;
    WorldFrames frames;
    for (int f = 0; f < static_cast<int>(state_.size()); ++f) {
      tracks_.pose(f, local);
      world_frames(skeleton_, local, frames);
      hips_.push_back(frames.position[hip_]);
      ankles_.push_back(frames.position[ankle_]);
      toes_.push_back(toe_ >= 0 ? frames.position[toe_] : glm::dvec3(0));
    }
  }

  // From `begin` until the foot is free: what moves it to where it is held. When the ankle takes over from the ball of
  // the foot, or the other way round, the new one is held where it is at that moment.
  void shift_contact(std::size_t begin) {
    glm::dvec3 anchor(0);
    for (std::size_t f = begin; f < state_.size() && state_[f] != kFree; ++f) {
      const std::vector<glm::dvec3>& at = state_[f] == kAnkle ? ankles_ : toes_;
      if (f == begin) {
        anchor = mean_place(begin);
      } else if (state_[f] != state_[f - 1]) {
        anchor = at[f] + shift_[f - 1];
      }
      shift_[f] = anchor - at[f];
    }
  }

  // Where the first joint of a contact is on average, as high as when the character stands at rest.
  [[nodiscard]] glm::dvec3 mean_place(std::size_t begin) const {
    const bool is_ankle = state_[begin] == kAnkle;
    const std::vector<glm::dvec3>& at = is_ankle ? ankles_ : toes_;
    glm::dvec3 sum(0);
    std::size_t f = begin;
    for (; f < state_.size() && state_[f] == state_[begin]; ++f) {
      sum += at[f];
    }
    glm::dvec3 mean = sum / static_cast<double>(f - begin);
    mean.y = target_.frames.position[is_ankle ? ankle_ : toe_].y;  // find_contacts() tells of the ground alone
    return mean;
  }

  // A foot that is put on the ground while it tips forward stands on its toes.
  void lift_toes() {
    if (toe_ < 0) {
      return;
    }
    const double standing = target_.frames.position[toe_].y;
    for (std::size_t f = 0; f < state_.size(); ++f) {
      shift_[f].y += std::max(standing - (toes_[f].y + shift_[f].y), 0.0);
    }
  }

  // Between two contacts the shift fades out and in; where there is no time for both it goes from one to the other.
  void ease() {
    const int count = static_cast<int>(state_.size());
    for (int f = 0; f < count; ++f) {
      if (state_[f] != kFree) {
        continue;
      }
      int next = f;
      while (next < count && state_[next] == kFree) {
        ++next;
      }
      const int before = f - 1;
      const auto seconds = [&](int a, int b) { return static_cast<double>(tracks_.times[b] - tracks_.times[a]); };
      const double gap = before >= 0 && next < count ? seconds(before, next) : 2 * settings_.ease;
      const double fade = std::min(settings_.ease, std::max(gap / 2, 1e-9));
      const bool short_gap = gap < 2 * settings_.ease;
      for (; f < next; ++f) {
        double out = before >= 0 ? 1 - smooth_step(seconds(before, f) / fade) : 0;
        double in = next < count ? 1 - smooth_step(seconds(f, next) / fade) : 0;
        if (short_gap) {
          in = smooth_step(seconds(before, f) / gap);
          out = 1 - in;
        }
        shift_[f] =
            (before >= 0 ? shift_[before] * out : glm::dvec3(0)) + (next < count ? shift_[next] * in : glm::dvec3(0));
      }
    }
  }

  // The axis about which the knee bends: across the leg where that is bent, else as the thigh's own turn carries it.
  [[nodiscard]] glm::dvec3 knee_axis(const WorldFrames& frames, const glm::dvec3& upper,
                                     const glm::dvec3& lower) const {
    const WorldFrames& rest = target_.frames;
    const glm::dmat3 turn = frames.orientation[hip_] * glm::transpose(rest.orientation[hip_]);
    const glm::dvec3 rest_axis = target_.body.faces ? target_.body.facing[0] : glm::dvec3(1, 0, 0);
    // Shins bend backward: the axis points to the body's left.
    glm::dvec3 axis = turn * rest_axis;
    axis = glm::normalize(axis - glm::normalize(upper) * glm::dot(glm::normalize(upper), axis));
    const glm::dvec3 bent = glm::cross(glm::normalize(upper), glm::normalize(lower));
    constexpr double kBent = 0.14;  // sine of 8 degrees: from here on the bend itself tells its axis
    const double told = smooth_step(glm::length(bent) / kBent);
    const glm::dvec3 own = glm::length(bent) > 1e-9 ? glm::normalize(bent) : axis;
    const glm::dvec3 mixed = glm::dot(own, axis) < 0 && told < 1 ? axis : axis * (1 - told) + own * told;
    return glm::length(mixed) > 1e-9 ? glm::normalize(mixed) : axis;
  }

  void reach(int f, const std::vector<Transform>& local, const WorldFrames& frames) {
    const glm::dvec3 hip = frames.position[hip_];
    const glm::dvec3 upper = frames.position[knee_] - hip;
    const glm::dvec3 lower = frames.position[ankle_] - frames.position[knee_];
    const glm::dvec3 way = ankles_[f] + shift_[f] - hip;
    if (!(glm::length(upper) > 1e-9) || !(glm::length(lower) > 1e-9) || !(glm::length(way) > 1e-9)) {
      return;
    }
    const double before = glm::length(upper + lower);
    const double longest = std::max(settings_.straight * (glm::length(upper) + glm::length(lower)), before);
    const TwoBones bones = two_bones(glm::length(upper), glm::length(lower), std::min(glm::length(way), longest));
    const glm::dvec3 line = glm::normalize(way);
    const glm::dvec3 old_axis = knee_axis(frames, upper, lower);
    // The knee stays in the plane that the turn of the whole leg carries along.
    glm::dvec3 axis = shortest_rotation(upper + lower, way) * old_axis;
    axis = glm::normalize(axis - line * glm::dot(line, axis));
    const glm::dvec3 ahead = glm::cross(line, axis);
    const glm::dvec3 knee =
        glm::length(upper) * (std::cos(bones.root_offset) * line + std::sin(bones.root_offset) * ahead);
    const glm::dvec3 ankle = line * bones.distance;
    const glm::dmat3 upper_turn = turn_of_pairs(upper, old_axis, knee, axis);
    const glm::dmat3 lower_turn = turn_of_pairs(lower, old_axis, ankle - knee, axis);
    put(f, hip_, local, frames, glm::dmat3(1.0), upper_turn);
    put(f, knee_, local, frames, upper_turn, lower_turn);
    put(f, ankle_, local, frames, lower_turn, glm::dmat3(1.0));
  }

  // Turns joint `j` by `turn` in the world, while what it hangs on is turned by `above`.
  void put(int f, int j, const std::vector<Transform>& local, const WorldFrames& frames, const glm::dmat3& above,
           const glm::dmat3& turn) {
    const glm::dmat3 parent = above * frames.orientation_above(skeleton_, j);
    const glm::dmat3 wanted = glm::transpose(parent) * turn * frames.orientation[j];
    const glm::dmat3 signs = rig::oriented(glm::dquat(1, 0, 0, 0), local[j].scale);
    tracks_.rotations[tracks_.find(j)][f] =
        glm::quat(normalized_or_identity(glm::quat_cast(wanted * glm::transpose(signs))));
  }

  const RetargetRig& target_;
  const rig::Skeleton& skeleton_;
  RetargetTracks& tracks_;
  const FootLockSettings& settings_;
  int hip_ = -1;
  int knee_ = -1;
  int ankle_ = -1;
  int toe_ = -1;
  double leg_ = 0;
  std::vector<State> state_;  // [F]
  std::vector<glm::dvec3> hips_;
  std::vector<glm::dvec3> ankles_;  // [F] before the feet are held
  std::vector<glm::dvec3> toes_;
  std::vector<glm::dvec3> shift_;  // [F] of the ankle
};

/// Frames whose times are within a radius of that of the present one.
struct SlidingWindow {
  std::span<const float> times;
  double radius = 0;
  int first = 0;
  int last = -1;

  /// To frame `f`. @param comes  called for each frame that comes in  @param goes  for each that leaves
  template <typename Comes, typename Goes>
  void move_to(int f, const Comes& comes, const Goes& goes) {
    while (last + 1 < static_cast<int>(times.size()) && static_cast<double>(times[last + 1] - times[f]) <= radius) {
      comes(++last);
    }
    while (static_cast<double>(times[f] - times[first]) > radius) {
      goes(first++);
    }
  }
};

std::vector<double> largest_within(std::span<const double> values, std::span<const float> times, double radius) {
  std::vector<double> out;
  std::deque<int> candidates;  // of the largest: each is larger than those after it
  SlidingWindow window{.times = times, .radius = radius};
  for (int f = 0; f < static_cast<int>(values.size()); ++f) {
    window.move_to(
        f,
        [&](int k) {
          while (!candidates.empty() && values[candidates.back()] <= values[k]) {
            candidates.pop_back();
          }
          candidates.push_back(k);
        },
        [&](int k) {
          if (candidates.front() == k) {
            candidates.pop_front();
          }
        });
    out.push_back(values[candidates.front()]);
  }
  return out;
}

std::vector<double> mean_within(std::span<const double> values, std::span<const float> times, double radius) {
  std::vector<double> sums = {0};  // of all before
  for (const double value : values) {
    sums.push_back(sums.back() + value);
  }
  std::vector<double> out;
  SlidingWindow window{.times = times, .radius = radius};
  for (int f = 0; f < static_cast<int>(values.size()); ++f) {
    window.move_to(
        f, [](int) {}, [](int) {});
    out.push_back((sums[window.last + 1] - sums[window.first]) / (window.last + 1 - window.first));
  }
  return out;
}

// A smooth curve that is nowhere below the given one: the largest value within `radius` seconds, averaged over as much.
std::vector<double> smooth_above(std::span<const double> values, std::span<const float> times, double radius) {
  std::vector<double> out = mean_within(largest_within(values, times, radius), times, radius);
  constexpr double kRounding = 1e-9;  // what differences of sums leave of zero
  for (double& value : out) {
    value = value < kRounding ? 0 : value;
  }
  return out;
}

void sink_root(const RetargetRig& target, int root, std::span<const double> sunk, RetargetTracks& tracks) {
  const int track = tracks.find(root);
  std::vector<Transform> local = target.reference;
  WorldFrames frames;
  for (int f = 0; f < static_cast<int>(sunk.size()); ++f) {
    if (sunk[f] > 0) {
      tracks.pose(f, local);
      world_frames(target.character.skeleton, local, frames);
      const glm::dmat3 above = frames.linear_above(target.character.skeleton, root);
      if (std::abs(glm::determinant(above)) > 0) {
        tracks.translations[track][f] -= glm::vec3(glm::inverse(above) * glm::dvec3(0, sunk[f], 0));
      }
    }
  }
}

}  // namespace

double stride_factor(const RetargetRig& target, std::span<const FootContact> contacts, const RetargetTracks& tracks,
                     int root) {
  std::vector<std::array<glm::dvec3, 3>> at;  // [F] root, left ankle, right ankle, over the ground
  std::vector<Transform> local = target.reference;
  WorldFrames frames;
  const std::array feet = {target.body.find("leftFoot"), target.body.find("rightFoot")};
  if (root < 0 || feet[0] < 0 || feet[1] < 0) {
    return 1;
  }
  for (int f = 0; f < static_cast<int>(tracks.times.size()); ++f) {
    tracks.pose(f, local);
    world_frames(target.character.skeleton, local, frames);
    at.push_back({frames.position[root], frames.position[feet[0]], frames.position[feet[1]]});
    for (glm::dvec3& place : at.back()) {
      place.y = 0;
    }
  }
  double against = 0;
  double square = 0;
  for (const FootContact& contact : contacts) {
    for (int f = contact.first; f < contact.last && !contact.is_toe; ++f) {
      const glm::dvec3 way = at[f + 1][0] - at[f][0];
      against += glm::dot(at[f + 1][contact.side + 1] - at[f][contact.side + 1], way);
      square += glm::dot(way, way);
    }
  }
  constexpr double kMost = 1.5;
  const double leg = target.body.leg_length(target.frames);
  return square > 1e-6 * leg * leg ? std::clamp(1 - against / square, 1 / kMost, kMost) : 1;
}

double hold_feet(const RetargetRig& target, std::span<const FootContact> contacts, int root, RetargetTracks& tracks,
                 const FootLockSettings& settings) {
  std::vector<HeldLeg> legs;
  for (int side = 0; side < 2; ++side) {
    HeldLeg leg(target, side, contacts, tracks, settings);
    if (leg.plan()) {
      legs.push_back(std::move(leg));
    }
  }
  std::vector<double> sunk(tracks.times.size(), 0);
  for (int f = 0; f < static_cast<int>(sunk.size()); ++f) {
    for (const HeldLeg& leg : legs) {
      sunk[f] = std::max(sunk[f], leg.sink(f));
    }
  }
  const int track = tracks.find(root);
  const bool can_sink = track >= 0 && !tracks.translations[track].empty();
  sunk = can_sink ? smooth_above(sunk, tracks.times, settings.ease / 2) : std::vector<double>(sunk.size(), 0);
  sink_root(target, root, sunk, tracks);
  for (HeldLeg& leg : legs) {
    leg.solve(sunk);
  }
  return sunk.empty() ? 0 : std::ranges::max(sunk);
}

}  // namespace pelt::motion
