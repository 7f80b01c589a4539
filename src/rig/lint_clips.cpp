#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <glm/gtc/quaternion.hpp>

#include "rig/kinematics.h"
#include "rig/lint_checks.h"

namespace pelt::rig {
namespace {

// A leap is much more than the steps beside it, within a time in which nobody moves that far on purpose. Half a leap is
// one, too, where the steps beside it are keys of the same dense track and next to nothing.
constexpr float kLeapSeconds = 0.1f;
constexpr double kLeapAngle = 90 * std::numbers::pi / 180;  // radians
constexpr double kLeapDistance = 0.2;                       // of the skeleton's size
constexpr double kLeapFactor = 1.5;                         // of scale
constexpr double kLeapOverNeighbors = 8;
constexpr double kHalfLeapOverNeighbors = 50;
constexpr float kDenseIntervals = 2;  // times as long as the leap's own at most

constexpr std::size_t kTellingKeys = 3;  // a track of two keys says no more than it must
constexpr double kSameValue = 1e-5;      // of the largest value: a few roundings of single precision
constexpr double kStillDistance = 1e-3;  // of the skeleton's size: translations are no larger where they are near 0
constexpr double kRedundantShare = 0.5;  // of a track's keys

/// The value part of key f.
const float* value_at_key(const Channel& channel, std::size_t f) {
  const bool cubic = channel.interpolation == Interpolation::kCubicSpline;
  const std::size_t width = channel.width;
  return channel.values.data() + f * width * (cubic ? 3 : 1) + (cubic ? width : 0);
}

glm::dquat key_rotation(const Channel& channel, std::size_t f) {
  const float* q = value_at_key(channel, f);
  return normalized_or_identity(quat_xyzw<double>(q[0], q[1], q[2], q[3]));
}

double angle_between(const glm::dquat& p, const glm::dquat& q) {
  return 2 * std::acos(std::min(std::abs(glm::dot(p, q)), 1.0));
}

/// How far a node moves from key f to key g in units of what counts as a leap. @param size  one leap's length is
/// kLeapDistance of it
double step_size(const Channel& channel, std::size_t f, std::size_t g, double size) {
  const float* a = value_at_key(channel, f);
  const float* b = value_at_key(channel, g);
  switch (channel.path) {
    case ChannelPath::kRotation:
      return angle_between(key_rotation(channel, f), key_rotation(channel, g)) / kLeapAngle;
    case ChannelPath::kTranslation:
      return glm::length(glm::dvec3(b[0], b[1], b[2]) - glm::dvec3(a[0], a[1], a[2])) / (kLeapDistance * size);
    case ChannelPath::kScale: {
      double most = 0;
      for (int i = 0; i < 3; ++i) {
        const double ratio = a[i] * b[i] > 0 ? static_cast<double>(b[i]) / static_cast<double>(a[i]) : 1.0;
        most = std::max(most, std::abs(std::log(ratio)) / std::log(kLeapFactor));
      }
      return most;
    }
    case ChannelPath::kWeights:
      return 0;  // faces snap open and shut
  }
  return 0;
}

/// A leap of a channel: from key `first` to the next, or of that key alone, out and back.
struct Leap {
  std::size_t first = 0;
  bool is_single_key = false;
  double size = 0;  ///< in units of what counts as one
};

/// Steps of one channel around a place.
struct Steps {
  const Channel& channel;
  double size;

  [[nodiscard]] std::size_t count() const { return channel.times.size(); }
  [[nodiscard]] double step(std::size_t f) const { return step_size(channel, f, f + 1, size); }
  [[nodiscard]] float interval(std::size_t f) const { return channel.times[f + 1] - channel.times[f]; }

  /// Whether a movement stands out. @param calm  the largest step beside it @param before, after  the intervals beside
  /// it by their first key, count() where there is none
  [[nodiscard]] bool stands_out(double movement, double calm, float seconds, std::size_t before,
                                std::size_t after) const {
    if (seconds > kLeapSeconds) {
      return false;
    }
    if (movement > 1) {
      return movement > kLeapOverNeighbors * calm;
    }
    const auto is_dense = [&](std::size_t f) { return f == count() || interval(f) <= kDenseIntervals * seconds; };
    return movement > 0.5 && channel.path != ChannelPath::kScale && movement > kHalfLeapOverNeighbors * calm &&
           (before != count() || after != count()) && is_dense(before) && is_dense(after);
  }
};

std::optional<Leap> find_leap(const Channel& channel, double size) {
  const Steps steps{channel, size};
  const std::size_t count = steps.count();
  if (channel.interpolation == Interpolation::kStep || count < 3) {
    return std::nullopt;
  }
  const auto step_or_none = [&](std::size_t f) { return f == count ? 0.0 : steps.step(f); };
  for (std::size_t f = 0; f + 1 < count; ++f) {
    const double movement = steps.step(f);
    if (movement <= 0.5) {
      continue;
    }
    const std::size_t before = f > 0 ? f - 1 : count;
    const std::size_t after = f + 2 < count ? f + 1 : count;
    if (steps.stands_out(movement, std::max(step_or_none(before), step_or_none(after)), steps.interval(f), before,
                         after)) {
      return Leap{f, false, movement};
    }
    // One wrong key: there and back again.
    if (f + 2 < count && count > 3) {
      const double back = steps.step(f + 1);
      const std::size_t next = f + 3 < count ? f + 2 : count;
      const double calm =
          std::max({step_or_none(before), step_or_none(next), 0.5 * step_size(channel, f, f + 2, size)});
      if (steps.stands_out(std::min(movement, back), calm, std::max(steps.interval(f), steps.interval(f + 1)), before,
                           next)) {
        return Leap{f + 1, true, std::min(movement, back)};
      }
    }
  }
  return std::nullopt;
}

/// "62 degrees", "0.3 m", "a factor of 2". @param unit  metres per unit of the node's parent
std::string leap_text(const Channel& channel, const Leap& leap, double size, double unit) {
  switch (channel.path) {
    case ChannelPath::kRotation:
      return fmt::format("{:.0f} degrees", leap.size * glm::degrees(kLeapAngle));
    case ChannelPath::kTranslation:
      return length_text(leap.size * kLeapDistance * size * unit);
    default:
      return fmt::format("a factor of {:.2g}", std::pow(kLeapFactor, leap.size));
  }
}

/// What differs by less is one value, in the channel's own numbers.
double same_value(const Channel& channel, double size) {
  double largest = channel.path == ChannelPath::kTranslation ? kStillDistance * size : 1.0;
  for (const float value : channel.values) {
    largest = std::max(largest, std::abs(static_cast<double>(value)));
  }
  return kSameValue * largest;
}

bool is_constant(const Channel& channel, double tolerance) {
  const std::size_t width = channel.width;
  const bool cubic = channel.interpolation == Interpolation::kCubicSpline;
  for (std::size_t f = 0; f < channel.times.size(); ++f) {
    for (std::size_t i = 0; i < width; ++i) {
      const float* here = value_at_key(channel, f) + i;
      const bool is_flat = !cubic || (std::abs(*(here - width)) <= tolerance && std::abs(*(here + width)) <= tolerance);
      if (!is_flat || std::abs(static_cast<double>(*here) - value_at_key(channel, 0)[i]) > tolerance) {
        return false;
      }
    }
  }
  return true;
}

/// Keys between the first and the last that interpolation between their neighbours gives back.
std::size_t redundant_keys(const Channel& channel, double tolerance) {
  std::size_t out = 0;
  const std::size_t width = channel.width;
  for (std::size_t f = 1; f + 1 < channel.times.size() && channel.interpolation != Interpolation::kCubicSpline; ++f) {
    bool is_redundant = true;
    if (channel.interpolation == Interpolation::kStep) {
      is_redundant =
          std::equal(value_at_key(channel, f), value_at_key(channel, f) + width, value_at_key(channel, f - 1));
    } else {
      const double t = (static_cast<double>(channel.times[f]) - channel.times[f - 1]) /
                       (static_cast<double>(channel.times[f + 1]) - channel.times[f - 1]);
      if (channel.path == ChannelPath::kRotation) {
        const glm::dquat between = slerp_shortest(key_rotation(channel, f - 1), key_rotation(channel, f + 1), t);
        is_redundant = 1 - std::abs(glm::dot(between, key_rotation(channel, f))) <= 0.5 * tolerance * tolerance;
      } else {
        for (std::size_t i = 0; i < width && is_redundant; ++i) {
          const double a = value_at_key(channel, f - 1)[i];
          const double b = value_at_key(channel, f + 1)[i];
          is_redundant = std::abs(a + t * (b - a) - value_at_key(channel, f)[i]) <= tolerance;
        }
      }
    }
    out += is_redundant ? 1U : 0U;
  }
  return out;
}

/// Tracks of all clips that say less than their keys.
struct IdleTracks {
  std::size_t channels = 0;
  std::size_t keys = 0;
  LintPlace first = {};
  std::string what;

  void add(const LintPlace& place, const std::string& name, std::size_t key_count) {
    if (channels++ == 0) {
      first = place;
      what = name;
    }
    keys += key_count;
  }
};

}  // namespace

void check_clips(const Character& character, Findings& findings) {
  WorldMatrices world;
  world.evaluate(character.skeleton, rest_pose(character));
  Bounds bounds;
  for (std::size_t j = 0; j < character.skeleton->parent.size(); ++j) {
    bounds.add(glm::vec3(world[static_cast<int>(j)][3]));
  }
  const double size = bounds.diagonal() > 0 ? static_cast<double>(bounds.diagonal()) : 1.0;
  constexpr const char* kPaths[] = {"translation", "rotation", "scale", "weights"};
  IdleTracks constant;
  IdleTracks redundant;
  std::size_t channel_count = 0;
  std::size_t key_count = 0;
  for (std::size_t c = 0; c < character.clips.size(); ++c) {
    const Clip& clip = character.clips[c];
    if (clip.channels.empty() && clip.properties.empty()) {
      add_finding(findings, character, "clip-empty", {.clip = static_cast<int>(c)},
                  "expected channels that move something, there are none");
      continue;
    }
    std::size_t leaps = 0;
    LintPlace place;
    std::string what;
    for (std::size_t i = 0; i < clip.channels.size(); ++i) {
      const Channel& channel = clip.channels[i];
      const LintPlace here{.node = character.skeleton->source_node[channel.joint],
                           .clip = static_cast<int>(c),
                           .channel = static_cast<int>(i)};
      const std::string track =
          fmt::format("the {} of {}", kPaths[static_cast<int>(channel.path)], character.skeleton->label(channel.joint));
      // Translations are in the space of the parent, whatever its unit.
      const int up = character.skeleton->parent[channel.joint];
      const double unit = up < 0 ? 1.0 : std::max(static_cast<double>(glm::length(glm::vec3(world[up][0]))), 1e-12);
      ++channel_count;
      key_count += channel.times.size();
      const double tolerance = same_value(channel, size / unit);
      if (channel.times.size() < kTellingKeys) {
        continue;
      }
      if (is_constant(channel, tolerance)) {
        constant.add(here, track, channel.times.size() - 2);
      } else if (const std::size_t idle = redundant_keys(channel, tolerance);
                 static_cast<double>(idle) >= kRedundantShare * static_cast<double>(channel.times.size())) {
        redundant.add(here, track, idle);
      }
      const std::optional<Leap> leap = find_leap(channel, size / unit);
      if (leap && leaps++ == 0) {
        place = here;
        const std::string moment =
            leap->is_single_key
                ? fmt::format("at key {} at {:.4g} s, out and back by", leap->first, channel.times[leap->first])
                : fmt::format("between key {} at {:.4g} s and the next at {:.4g} s, by", leap->first,
                              channel.times[leap->first], channel.times[leap->first + 1]);
        what = fmt::format("{} {} {}", track, moment, leap_text(channel, *leap, size / unit, unit));
      }
    }
    if (leaps > 0) {
      add_finding(findings, character, "clip-jump", std::move(place),
                  fmt::format("{} a single leap, expected steps like those beside it, the first {}",
                              leaps == 1 ? "1 channel has" : fmt::format("{} channels have", leaps), what));
    }
  }
  const auto tell = [&](const char* code, const IdleTracks& idle, std::string_view says) {
    if (idle.channels > 0) {
      add_finding(findings, character, code, idle.first,
                  fmt::format("{} of {} channels of all clips {}, {} of {} keys say nothing new, the first is {}",
                              idle.channels, channel_count, says, idle.keys, key_count, idle.what));
    }
  };
  tell("track-constant", constant, "keep one value over three keys or more");
  tell("track-redundant", redundant, "have keys most of which lie where their neighbours put them");
}

}  // namespace pelt::rig
