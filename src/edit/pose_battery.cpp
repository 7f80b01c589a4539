#include "edit/pose_battery.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <random>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "math/angle.h"
#include "motion/plausible_turns.h"

namespace pelt::edit {
namespace {

constexpr float kWholeTurn = 2 * std::numbers::pi_v<float> - 1e-3f;
constexpr float kSameValue = 1e-4f;     // radians, metres, factor: nothing one would see
constexpr double kSmallestTurn = 1e-3;  // radians; a joint that a clip turns less is not turned by it
constexpr double kSameMoment = 1e-4;    // seconds

/// The nodes a battery moves.
std::vector<int> moved_joints(const rig::Skeleton& skeleton) {
  const bool has_joints = std::ranges::any_of(skeleton.is_joint, [](char c) { return c != 0; });
  std::vector<int> joints;
  for (int j = 0; j < skeleton.size(); ++j) {
    if (!has_joints || skeleton.is_joint[j] != 0) {
      joints.push_back(j);
    }
  }
  return joints;
}

/// Nothing keeps the rotation from any angle.
bool is_unlimited(const rig::JointDofs& joint, const rig::Dof& dof) {
  return !joint.authored || dof.upper - dof.lower >= kWholeTurn;
}

/// Where a rotation may go.
std::pair<float, float> range_of(const rig::JointDofs& joint, const rig::Dof& dof, float unlimited_angle) {
  return is_unlimited(joint, dof)
             ? std::pair{std::max(dof.lower, -unlimited_angle), std::min(dof.upper, unlimited_angle)}
             : std::pair{dof.lower, dof.upper};
}

/// The two values to try, none where the DOF is not one to try.
std::vector<float> values_to_try(const rig::JointDofs& joint, const rig::Dof& dof, float unlimited_angle) {
  if (dof.kind == rig::DofKind::kRotation) {
    const auto [lower, upper] = range_of(joint, dof, unlimited_angle);
    return {lower, upper};
  }
  return joint.authored && !dof.folded ? std::vector{dof.lower, dof.upper} : std::vector<float>{};
}

void add_sliders(const Document& document, const rig::Pose& pose, int j, float unlimited_angle,
                 std::vector<TrialPose>& poses) {
  const rig::JointDofs joint = joint_dofs(document, j);
  const auto found = document.content.overrides->find(j);
  const std::vector<float> present = found != document.content.overrides->end()
                                         ? found->second.dof_values
                                         : rig::dofs_from_local(joint, pose.local[j]);
  for (std::size_t d = 0; d < joint.dofs.size(); ++d) {
    for (const float value : values_to_try(joint, joint.dofs[d], unlimited_angle)) {
      if (std::abs(value - present[d]) > kSameValue) {
        const SetDof slider{j, static_cast<int>(d), value};
        poses.push_back({slider_label(document, slider), slider});
      }
    }
  }
}

/// Whether the file, or a person, says how far the joint turns. A joint that does not turn at all is told to stay.
bool has_own_limits(const rig::JointDofs& joint) {
  const bool turns = joint.count(rig::DofKind::kRotation) > 0;
  return joint.authored && (!turns || joint.swing_limit || std::ranges::any_of(joint.dofs, [&](const rig::Dof& dof) {
           return dof.kind == rig::DofKind::kRotation && !is_unlimited(joint, dof);
         }));
}

/// What people can do, of a recognised body; nothing of any other character.
std::vector<motion::PlausibleTurn> turns_of_body(const rig::Character& character) {
  motion::WorldFrames rest;
  motion::world_frames(character.skeleton, character.skeleton->rest, rest);
  const motion::HumanBody body = motion::find_human_body(character, rest);
  return body.is_complete() ? motion::plausible_turns(character.skeleton, body, rest)
                            : std::vector<motion::PlausibleTurn>();
}

void add_turn(const rig::Skeleton& skeleton, const rig::Pose& pose, const motion::PlausibleTurn& turn,
              std::vector<TrialPose>& poses) {
  Transform local = pose.local[turn.joint];
  local.rotation = glm::quat(glm::normalize(turn.turn * glm::dquat(skeleton.rest[turn.joint].rotation)));
  constexpr float kSameTurn = 1 - 1e-6f;  // cosine of half the angle
  if (std::abs(glm::dot(local.rotation, pose.local[turn.joint].rotation)) < kSameTurn) {
    poses.push_back({fmt::format("{} {} {:.0f}\u00b0", skeleton.label(turn.joint), turn.motion, turn.degrees),
                     SetJointLocal{turn.joint, local, false}});
  }
}

void add_limits(const Document& document, const BatteryOptions& options, BatteryRanges& ranges,
                std::vector<TrialPose>& poses) {
  const rig::Pose pose = evaluate_pose(document);
  const rig::Skeleton& skeleton = document.character->skeleton;
  const std::vector<motion::PlausibleTurn> turns =
      options.plausible ? turns_of_body(*document.character) : std::vector<motion::PlausibleTurn>();
  ranges.is_human = !turns.empty();
  ranges.free_angle = ranges.is_human ? options.unlimited_angle / 2 : options.unlimited_angle;
  for (const int j : moved_joints(skeleton)) {
    const bool is_own = has_own_limits(joint_dofs(document, j));
    const bool is_of_body = std::ranges::find(turns, j, &motion::PlausibleTurn::joint) != turns.end();
    ++(is_own ? ranges.own : is_of_body ? ranges.body : ranges.free);
    if (is_own || !is_of_body) {
      add_sliders(document, pose, j, ranges.free_angle, poses);
      continue;
    }
    for (const motion::PlausibleTurn& turn : turns) {
      if (turn.joint == j) {
        add_turn(skeleton, pose, turn, poses);
      }
    }
  }
}

/// The time at which a channel turns its joint farthest from rest, as one of its keys; nothing where it hardly does.
std::optional<float> farthest_turn(const rig::Channel& channel, const glm::quat& rest) {
  double largest = kSmallestTurn;
  std::optional<float> at;
  for (const float time : channel.times) {
    float xyzw[4] = {0, 0, 0, 1};
    rig::sample(channel, time, xyzw);
    const glm::dquat q = normalized_or_identity(glm::dquat(quat_xyzw(xyzw[0], xyzw[1], xyzw[2], xyzw[3])));
    const double angle = glm::length(rotation_vector(glm::conjugate(normalized_or_identity(glm::dquat(rest))) * q));
    if (angle > largest) {
      largest = angle;
      at = time;
    }
  }
  return at;
}

std::string clip_label(const rig::Character& character, std::size_t clip) {
  const std::string& name = character.clips[clip].name;
  return name.empty() ? fmt::format("clip {}", clip) : name;
}

void add_clip_extremes(const rig::Character& character, std::vector<TrialPose>& poses) {
  const std::vector<int> joints = moved_joints(character.skeleton);
  for (std::size_t c = 0; c < character.clips.size(); ++c) {
    const rig::Clip& clip = character.clips[c];
    std::vector<float> times;
    for (const rig::Channel& channel : clip.channels) {
      if (channel.path != rig::ChannelPath::kRotation || !std::ranges::binary_search(joints, channel.joint)) {
        continue;
      }
      const glm::quat& rest = character.skeleton->rest[channel.joint].rotation;
      if (const std::optional<float> time = farthest_turn(channel, rest)) {
        times.push_back(*time);
      }
    }
    std::ranges::sort(times);
    const auto same = [](float a, float b) { return static_cast<double>(b) - static_cast<double>(a) < kSameMoment; };
    times.erase(std::unique(times.begin(), times.end(), same), times.end());
    for (const float time : times) {
      poses.push_back(
          {fmt::format("{} {:.4g} s", clip_label(character, c), time), ClipMoment{static_cast<int>(c), time}});
    }
  }
}

/// The moments of make_battery(): the middles of equal shares of each clip.
void add_clip_moments(const rig::Character& character, int moments, std::vector<TrialPose>& poses) {
  const std::size_t clips = character.clips.size();
  const std::size_t wanted = std::max(moments, 0);
  if (clips == 0 || wanted == 0) {
    return;
  }
  const std::size_t chosen = std::min(clips, wanted);
  const std::size_t each = wanted / chosen;
  for (std::size_t i = 0; i < chosen; ++i) {
    const std::size_t c = i * clips / chosen;
    const rig::Clip& clip = character.clips[c];
    for (std::size_t k = 0; k < each; ++k) {
      const double share = (static_cast<double>(k) + 0.5) / static_cast<double>(each);
      const auto time =
          static_cast<float>(static_cast<double>(clip.start) + share * static_cast<double>(clip.duration()));
      poses.push_back(
          {fmt::format("{} {:.4g} s", clip_label(character, c), time), ClipMoment{static_cast<int>(c), time}});
    }
  }
}

SetDofs random_sliders(const Document& document, const RandomPose& pose) {
  // Raw engine values only, since distributions differ between standard libraries.
  std::seed_seq seeds{pose.seed, pose.number};
  std::mt19937 engine(seeds);
  SetDofs out;
  for (const int j : moved_joints(document.character->skeleton)) {
    const rig::JointDofs joint = joint_dofs(document, j);
    for (std::size_t d = 0; d < joint.dofs.size(); ++d) {
      if (joint.dofs[d].kind == rig::DofKind::kRotation) {
        const auto fraction = static_cast<float>(static_cast<double>(engine()) / 4294967296.0);
        const auto [lower, upper] = range_of(joint, joint.dofs[d], pose.unlimited_angle);
        out.sliders.push_back({j, static_cast<int>(d), lower + (upper - lower) * fraction});
      }
    }
  }
  return out;
}

}  // namespace

std::string slider_label(const Document& document, const SetDof& slider) {
  const rig::JointDofs joint = joint_dofs(document, slider.joint);
  const rig::Dof& dof = joint.dofs[slider.dof];
  const double unit = dof.kind == rig::DofKind::kRotation ? kDegree : 1.0;
  // Rounded, so that neither the conversion's last digits nor a negative zero show.
  const double shown = std::round(static_cast<double>(slider.value) / unit * 1e4) / 1e4 + 0.0;
  return fmt::format("{}.{}={:g}", document.character->skeleton->label(slider.joint), dof.name, shown);
}

std::vector<Change> changes_of(const Document& document, const TrialPose& pose) {
  if (const auto* slider = std::get_if<SetDof>(&pose.what)) {
    return {*slider};
  }
  if (const auto* moment = std::get_if<ClipMoment>(&pose.what)) {
    return {SetClip{moment->clip}, SetTime{moment->time}};
  }
  if (const auto* file = std::get_if<ReplacePose>(&pose.what)) {
    return {*file};
  }
  if (const auto* local = std::get_if<SetJointLocal>(&pose.what)) {
    return {*local};
  }
  return {random_sliders(document, std::get<RandomPose>(pose.what))};
}

std::vector<Change> changes_of(const Document& document, const Document& tried_from, const TrialPose& pose) {
  Document tried = tried_from;
  tried.character = document.character;
  const Content& content = tried.content;
  std::vector<Change> changes = {SetBasePose{content.base}, SetClip{content.clip}, SetTime{tried.view.time},
                                 ReplacePose{content.overrides, content.morph_overrides}};
  for (Change& change : changes_of(tried, pose)) {
    changes.push_back(std::move(change));
  }
  return changes;
}

Document posed(const Document& document, const TrialPose& pose) {
  Document out = document;
  for (Change& change : changes_of(document, pose)) {
    apply(out, {std::move(change), "", false});
  }
  return out;
}

std::vector<TrialPose> random_poses(int count, std::uint32_t seed) {
  std::vector<TrialPose> poses;
  for (int i = 0; i < count; ++i) {
    poses.push_back({fmt::format("random {}", i), RandomPose{seed, static_cast<std::uint32_t>(i)}});
  }
  return poses;
}

std::string sentence(const BatteryRanges& ranges) {
  std::vector<std::string> parts;
  const auto add = [&](int joints, const std::string& how) {
    if (joints > 0) {
      parts.push_back(fmt::format("{} joint{} {}", joints, joints == 1 ? "" : "s", how));
    }
  };
  add(ranges.own, "within limits of their own");
  add(ranges.body, "as far as people can turn them");
  add(ranges.free,
      fmt::format("that nothing limits by {:.0f}\u00b0 both ways", static_cast<double>(ranges.free_angle) / kDegree));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::vector<TrialPose> make_battery(const Document& document, const BatteryOptions& options,
                                    BatteryRanges* out_ranges) {
  std::vector<TrialPose> poses;
  if (options.limits) {
    BatteryRanges ranges;
    add_limits(document, options, ranges, poses);
    if (out_ranges != nullptr) {
      *out_ranges = ranges;
    }
  }
  if (options.clips) {
    add_clip_extremes(*document.character, poses);
  }
  add_clip_moments(*document.character, options.moments, poses);
  for (TrialPose& pose : random_poses(options.random, options.seed)) {
    poses.push_back(std::move(pose));
  }
  return poses;
}

}  // namespace pelt::edit
