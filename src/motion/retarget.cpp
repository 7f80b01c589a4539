// Motion of one skeleton on another, ALGORITHMS.md §48.
#include "motion/retarget.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <glm/gtc/quaternion.hpp>

#include "core/index.h"
#include "motion/foot_lock.h"
#include "motion/retarget_alignment.h"
#include "rig/clip.h"
#include "rig/clip_changes.h"
#include "rig/mirror.h"

namespace pelt::motion {
namespace {

constexpr double kSameRest = 1e-4;  // of elements of orientations; of lengths of bones
constexpr double kMoves = 1e-6;     // metres, or of a scale: less is no motion

/// A joint of the target's forearm that nothing of the source stands for.
struct TwistJoint {
  int joint = -1;
  int lower = -1;  ///< the forearm
  int hand = -1;
  double part = 0;  ///< of the way from one to the other
};

double lowest_of(const rig::Skeleton& skeleton, const HumanBody& body, const WorldFrames& frames, int root) {
  double lowest = frames.position[root].y;
  const bool has_feet = body.find("leftFoot") >= 0 && body.find("rightFoot") >= 0;
  for (const int top : has_feet ? std::vector{body.find("leftFoot"), body.find("rightFoot")} : std::vector{root}) {
    for (const int j : skeleton.subtree(top)) {
      lowest = std::min(lowest, frames.position[j].y);
    }
  }
  return lowest;
}

class Retargeter {
 public:
  Retargeter(const RetargetRig& source, const RetargetRig& target, const JointMap& map,
             const RetargetSettings& settings)
      : source_(source),
        target_(target),
        map_(map),
        settings_(settings),
        skeleton_(target.character.skeleton),
        facing_(facing_turn(source, target)) {
    times_ = retarget_times(source.character.clips[source.clip], settings.rate);
    feet_ = find_source_feet(source, times_);
    turns_ = alignment_turns(source, target, map, settings.alignment, feet_);
    align_reference();
    find_root();
    find_twists();
    find_moving();
  }

  Result<Retargeted> run(const Progress& progress) {
    if (map_.rows.empty() || times_.empty()) {
      return error("{}", map_.rows.empty() ? "no joint of the character follows one of the motion"
                                           : "the motion's clip has no keys");
    }
    const float passes = settings_.hold_feet ? 2.0f : 1.0f;
    PELT_TRY(make_frames(progress, 0, 1 / passes));
    if (settings_.hold_feet) {
      stride_ *= stride_factor(target_, feet_.contacts, tracks_, root_);
      PELT_TRY(make_frames(progress, 1 / passes, 1 / passes));
      sunk_ = hold_feet(target_, feet_.contacts, root_, tracks_);
    }
    return result();
  }

  [[nodiscard]] const std::vector<Transform>& aligned() const { return aligned_local_; }

 private:
  Status make_frames(const Progress& progress, float begin, float part) {
    for (std::size_t n = 0; n < tracks_.joints.size(); ++n) {
      tracks_.rotations[n].clear();
      tracks_.translations[n].clear();
      tracks_.scales[n].clear();
    }
    rig::Pose pose = rig::rest_pose(source_.character);
    WorldFrames theirs;
    WorldFrames ours;
    std::vector<Transform> local = target_.reference;
    world_frames(skeleton_, local, ours);
    constexpr std::size_t kFramesBetweenReports = 64;
    for (std::size_t f = 0; f < times_.size(); ++f) {
      const float done = begin + part * static_cast<float>(f) / static_cast<float>(times_.size());
      if (f % kFramesBetweenReports == 0 && !report(progress, done, "carrying the motion over")) {
        return error("cancelled");
      }
      frames_at(source_, times_[f], pose, theirs);
      make_frame(theirs, pose.local, ours, local);
      for (std::size_t n = 0; n < tracks_.joints.size(); ++n) {
        add_key(n, local[tracks_.joints[n]]);
      }
    }
    return {};
  }

  // The reference pose with all turns of the alignment, but for the height at which it stands.
  void align_reference() {
    aligned_local_ = target_.reference;
    world_frames(skeleton_, aligned_local_, aligned_);
    for (int j = 0; j < skeleton_.size(); ++j) {
      if (map_.find(j) != nullptr) {
        set_orientation(j, turns_[j] * target_.frames.orientation[j], aligned_, aligned_local_[j]);
      }
      place_joint(skeleton_, j, aligned_local_[j], aligned_);
    }
  }

  void set_orientation(int j, const glm::dmat3& wanted, const WorldFrames& frames, Transform& local) const {
    const glm::dmat3 signs = rig::oriented(glm::dquat(1, 0, 0, 0), local.scale);
    const glm::dmat3 own = glm::transpose(frames.orientation_above(skeleton_, j)) * wanted * glm::transpose(signs);
    local.rotation = glm::quat(normalized_or_identity(glm::quat_cast(own)));
  }

  // The joint whose way is scaled: the hips, else the first one that follows anything.
  void find_root() {
    const int hips = target_.body.find("hips");
    const MappedJoint* row = hips >= 0 ? map_.find(hips) : nullptr;
    row = row == nullptr && !map_.rows.empty() ? &map_.rows.front() : row;
    if (row == nullptr) {
      return;
    }
    root_ = row->target;
    source_root_ = row->source;
    const rig::Skeleton& theirs = source_.character.skeleton;
    const double their_low = lowest_of(theirs, source_.body, source_.frames, source_root_);
    const double their_height = source_.frames.position[source_root_].y - their_low;
    const double our_height = aligned_.position[root_].y - lowest_of(skeleton_, target_.body, aligned_, root_);
    const double our_low = lowest_of(skeleton_, target_.body, target_.frames, root_);
    size_ = their_height > kMoves && our_height > kMoves ? our_height / their_height : spread_ratio();
    stride_ = size_;
    constexpr double kOnGround = 0.15;  // of the height of the hips
    const glm::dvec3 at = source_.frames.position[source_root_];
    const bool they_stand =
        std::abs(their_low) <= kOnGround * their_height && std::hypot(at.x, at.z) <= std::max(their_height, kMoves);
    const bool we_stand = std::abs(our_low) <= kOnGround * our_height;
    const double their_floor = they_stand ? their_low : feet_.floor.value_or(their_low);
    // Feet are as high above the ground as they are at rest.
    from_ = {they_stand ? at.x : 0.0, their_floor, they_stand ? at.z : 0.0};
    from_ = facing_ * from_;
    to_ = {target_.frames.position[root_].x, we_stand ? our_low : size_ * their_floor,
           target_.frames.position[root_].z};
    to_ = they_stand || we_stand ? to_ : glm::dvec3(0, to_.y, 0);
  }

  // Mean distance of the mapped joints from their middle, ours in theirs.
  [[nodiscard]] double spread_ratio() const {
    std::array<double, 2> spread = {};
    for (const bool ours : {false, true}) {
      const auto at = [&](const MappedJoint& row) {
        return ours ? target_.frames.position[row.target] : source_.frames.position[row.source];
      };
      glm::dvec3 sum(0);
      for (const MappedJoint& row : map_.rows) {
        sum += at(row);
      }
      for (const MappedJoint& row : map_.rows) {
        spread[ours ? 1 : 0] += glm::distance(at(row), sum / static_cast<double>(map_.rows.size()));
      }
    }
    return spread[0] > kMoves && spread[1] > kMoves ? spread[1] / spread[0] : 1;
  }

  void find_twists() {
    for (const std::string side : {"left", "right"}) {
      const int lower = target_.body.find(side + "LowerArm");
      const int hand = target_.body.find(side + "Hand");
      if (lower < 0 || hand < 0 || map_.find(lower) == nullptr || map_.find(hand) == nullptr) {
        continue;
      }
      const glm::dvec3 bone = target_.frames.position[hand] - target_.frames.position[lower];
      for (int j = skeleton_.parent[hand]; j > lower; j = skeleton_.parent[j]) {
        const double part =
            glm::dot(bone, target_.frames.position[j] - target_.frames.position[lower]) / glm::dot(bone, bone);
        if (map_.find(j) == nullptr && part > 0 && part < 1) {
          twists_.push_back({j, lower, hand, part});
        }
      }
    }
  }

  // Which single joints move or grow: those that rest in both alike and are no root.
  void find_moving() {
    std::vector<char> moves(source_.reference.size(), 0);
    std::vector<char> grows(source_.reference.size(), 0);
    if (has_index(source_.character.clips, source_.clip)) {
      for (const rig::Channel& channel : source_.character.clips[source_.clip].channels) {
        moves[channel.joint] |= channel.path == rig::ChannelPath::kTranslation ? 1 : 0;
        grows[channel.joint] |= channel.path == rig::ChannelPath::kScale ? 1 : 0;
      }
    }
    for (const MappedJoint& row : map_.rows) {
      const bool alike = row.target != root_ && rests_alike(row);
      tracks_.joints.push_back(row.target);
      moving_.push_back(alike && moves[row.source] != 0 ? 1 : 0);
      growing_.push_back(row.other < 0 && grows[row.source] != 0 && rests_alike(row) ? 1 : 0);
    }
    for (const TwistJoint& twist : twists_) {
      tracks_.joints.push_back(twist.joint);
      moving_.push_back(0);
      growing_.push_back(0);
    }
    sort_tracks();
    tracks_.times = times_;
    tracks_.rotations.resize(tracks_.joints.size());
    tracks_.translations.resize(tracks_.joints.size());
    tracks_.scales.resize(tracks_.joints.size());
  }

  void sort_tracks() {
    std::vector<std::size_t> order(tracks_.joints.size());
    for (std::size_t n = 0; n < order.size(); ++n) {
      order[n] = n;
    }
    std::ranges::sort(order, {}, [&](std::size_t n) { return tracks_.joints[n]; });
    const std::vector<int> joints = tracks_.joints;
    const std::vector<char> moving = moving_;
    const std::vector<char> growing = growing_;
    for (std::size_t n = 0; n < order.size(); ++n) {
      tracks_.joints[n] = joints[order[n]];
      moving_[n] = moving[order[n]];
      growing_[n] = growing[order[n]];
    }
  }

  [[nodiscard]] bool rests_alike(const MappedJoint& row) const {
    const Transform& theirs = source_.reference[row.source];
    const Transform& ours = target_.reference[row.target];
    const double length = std::max(static_cast<double>(glm::length(ours.translation)), kMoves);
    return row.other < 0 &&
           static_cast<double>(glm::length(theirs.translation - ours.translation)) <= kSameRest * length &&
           std::abs(std::abs(static_cast<double>(glm::dot(theirs.rotation, ours.rotation))) - 1) < kSameRest &&
           static_cast<double>(glm::length(theirs.scale - ours.scale)) <= kSameRest;
  }

  // The turn in the world, in the target's way of facing, of a joint of the source since the reference pose.
  [[nodiscard]] glm::dmat3 turn_since_reference(const MappedJoint& row, const WorldFrames& theirs) const {
    const auto turn = [&](int i) { return theirs.orientation[i] * glm::transpose(source_.frames.orientation[i]); };
    glm::dmat3 out = turn(row.source);
    if (row.other >= 0) {
      const glm::dquat mixed = rig::slerp_shortest(glm::quat_cast(turn(row.other)), glm::quat_cast(out), row.share);
      out = glm::mat3_cast(normalized_or_identity(mixed));
    }
    return facing_ * out * glm::transpose(facing_);
  }

  void make_frame(const WorldFrames& theirs, std::span<const Transform> their_local, WorldFrames& ours,
                  std::vector<Transform>& local) const {
    for (int j = 0; j < skeleton_.size(); ++j) {
      if (const MappedJoint* row = map_.find(j)) {
        const glm::dmat3 wanted = turn_since_reference(*row, theirs) * turns_[j] * target_.frames.orientation[j];
        move(*row, theirs, their_local, ours, local[j]);  // first: the signs of scales count for the rotation
        set_orientation(j, wanted, ours, local[j]);
      } else {
        for (const TwistJoint& twist : twists_) {
          if (twist.joint == j) {
            set_orientation(j, twisted(twist, theirs), ours, local[j]);
          }
        }
      }
      place_joint(skeleton_, j, local[j], ours);
    }
  }

  void move(const MappedJoint& row, const WorldFrames& theirs, std::span<const Transform> their_local,
            const WorldFrames& ours, Transform& local) const {
    const Transform& rest = target_.reference[row.target];
    if (row.target == root_) {
      const glm::dvec3 scale(stride_, size_, stride_);
      const glm::dvec3 at = to_ + scale * (facing_ * theirs.position[source_root_] - from_);
      const glm::dmat3 above = ours.linear_above(skeleton_, root_);
      if (std::abs(glm::determinant(above)) > 0) {
        local.translation = glm::vec3(glm::inverse(above) * (at - ours.position_above(skeleton_, root_)));
      }
    } else if (moving_[tracks_.find(row.target)] != 0) {
      local.translation =
          rest.translation + (their_local[row.source].translation - source_.reference[row.source].translation);
    }
    if (growing_[tracks_.find(row.target)] != 0) {
      local.scale = rest.scale + (their_local[row.source].scale - source_.reference[row.source].scale);
    }
  }

  // The forearm's turn and a share of the hand's further twist about it.
  [[nodiscard]] glm::dmat3 twisted(const TwistJoint& twist, const WorldFrames& theirs) const {
    const glm::dmat3 lower = turn_since_reference(*map_.find(twist.lower), theirs) * turns_[twist.lower];
    const glm::dmat3 hand = turn_since_reference(*map_.find(twist.hand), theirs) * turns_[twist.hand];
    const glm::dvec3 axis = glm::normalize(target_.frames.position[twist.hand] - target_.frames.position[twist.lower]);
    const glm::dquat own = glm::normalize(glm::quat_cast(glm::transpose(lower) * hand));
    const double angle = twist_angle(swing_twist(own, axis).twist, axis);
    return lower * glm::mat3_cast(glm::angleAxis(twist.part * angle, axis)) * target_.frames.orientation[twist.joint];
  }

  void add_key(std::size_t n, const Transform& local) {
    std::vector<glm::quat>& rotations = tracks_.rotations[n];
    const bool other_sign = !rotations.empty() && glm::dot(rotations.back(), local.rotation) < 0;
    rotations.push_back(other_sign ? -local.rotation : local.rotation);
    if (tracks_.joints[n] == root_ || moving_[n] != 0) {
      tracks_.translations[n].push_back(local.translation);
    }
    if (growing_[n] != 0) {
      tracks_.scales[n].push_back(local.scale);
    }
  }

  [[nodiscard]] Retargeted result() const {
    Retargeted out;
    out.size = size_;
    out.stride = stride_;
    out.sunk = sunk_;
    out.contacts = feet_.contacts;
    out.times = times_;
    out.clip.name = source_.character.clips[source_.clip].name;
    out.clip.start = times_.front();
    out.clip.end = times_.back();
    for (std::size_t n = 0; n < tracks_.joints.size(); ++n) {
      const auto channel = [&](rig::ChannelPath path, int width) {
        rig::Channel keys;
        keys.joint = tracks_.joints[n];
        keys.path = path;
        keys.times = times_;
        keys.width = width;
        return keys;
      };
      for (const auto& [path, values] : {std::pair(rig::ChannelPath::kTranslation, &tracks_.translations[n]),
                                         std::pair(rig::ChannelPath::kScale, &tracks_.scales[n])}) {
        if (!values->empty()) {
          rig::Channel keys = channel(path, 3);
          for (const glm::vec3& v : *values) {
            keys.values.insert(keys.values.end(), {v.x, v.y, v.z});
          }
          out.clip.channels.push_back(std::move(keys));
        }
      }
      rig::Channel keys = channel(rig::ChannelPath::kRotation, 4);
      for (const glm::quat& q : tracks_.rotations[n]) {
        keys.values.insert(keys.values.end(), {q.x, q.y, q.z, q.w});
      }
      out.clip.channels.push_back(std::move(keys));
    }
    return out;
  }

  const RetargetRig& source_;
  const RetargetRig& target_;
  const JointMap& map_;
  const RetargetSettings& settings_;
  const rig::Skeleton& skeleton_;  ///< the target's
  glm::dmat3 facing_;              ///< from the source's world to the target's
  std::vector<float> times_;
  SourceFeet feet_;
  std::vector<glm::dmat3> turns_;  ///< [J] alignment
  std::vector<Transform> aligned_local_;
  WorldFrames aligned_;
  int root_ = -1;
  int source_root_ = -1;
  double size_ = 1;
  double stride_ = 1;  ///< the same over the ground
  double sunk_ = 0;
  glm::dvec3 from_ = glm::dvec3(0);  ///< what of the source's world, turned, comes to be at `to_` in the target's
  glm::dvec3 to_ = glm::dvec3(0);
  std::vector<TwistJoint> twists_;
  RetargetTracks tracks_;
  std::vector<char> moving_;  ///< [tracks] takes over the source's local translation
  std::vector<char> growing_;
};

// What is asked for must have room in memory.
Status check_size(const RetargetRig& source, const JointMap& map, const RetargetSettings& settings) {
  constexpr double kMostOfClip = 1 << 26;  // of all tracks: a gigabyte of rotations
  const rig::Clip& clip = source.character.clips[source.clip];
  const bool curves = std::ranges::any_of(clip.channels, [](const rig::Channel& channel) {
    return channel.interpolation == rig::Interpolation::kCubicSpline;
  });
  const double rate = settings.rate.value_or(curves ? static_cast<double>(rig::guess_frame_rate(clip)) : 0.0);
  double frames = static_cast<double>(clip.duration()) * rate + 1;
  if (!settings.rate) {
    for (const rig::Channel& channel : clip.channels) {
      frames += 2 * static_cast<double>(channel.times.size());
    }
    // So many at most; how many moments they share is counted where that is cheap.
    frames = frames <= kMostOfClip ? static_cast<double>(retarget_times(clip, {}).size()) : frames;
  }
  const double keys = frames * std::max<double>(1, static_cast<double>(map.rows.size()));
  if (!(keys <= kMostOfClip)) {
    return error("{:.3g} frames for {} joints are {:.3g} keys; expected at most {:.3g}", frames, map.rows.size(), keys,
                 kMostOfClip);
  }
  return {};
}

}  // namespace

Result<Retargeted> retarget(const RetargetRig& source, const RetargetRig& target, const JointMap& map,
                            const RetargetSettings& settings, const Progress& progress) {
  PELT_TRY(check_size(source, map, settings));
  return Retargeter(source, target, map, settings).run(progress);
}

std::vector<Transform> aligned_reference(const RetargetRig& source, const RetargetRig& target, const JointMap& map,
                                         const RetargetSettings& settings) {
  return Retargeter(source, target, map, settings).aligned();
}

}  // namespace pelt::motion
