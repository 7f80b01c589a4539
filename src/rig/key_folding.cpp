#include "rig/key_folding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/expect.h"
#include "core/parallel.h"
#include "math/transform.h"
#include "rig/clip_error.h"

namespace pelt::rig {
namespace {

constexpr int kSamplesPerGap = 10;       // of two keys: where a folded curve is compared with the original
constexpr int kMostRounds = 16;          // of making tolerances stricter
constexpr int kReachMoments = 9;         // at which a clip is looked at for how far joints carry
constexpr double kMostRelative = 2e-3;   // of a scale or a morph weight: shading follows them, too
constexpr double kRounding = 4e-7;       // of a value: what single precision makes of the same number
constexpr std::size_t kTrackBytes = 96;  // of what a file says of key times besides them
constexpr float kShortSteps = 32767;     // of a normalised 16-bit integer
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

std::size_t parts_of(const Channel& channel) {
  return channel.interpolation == Interpolation::kCubicSpline ? 3U : 1U;
}

/// The value of a key, between the tangents of a cubic curve.
std::span<const float> value_of(const Channel& channel, std::size_t key) {
  const std::size_t width = channel.width;
  const std::size_t parts = parts_of(channel);
  return std::span(channel.values).subspan((key * parts + parts / 2) * width, width);
}

glm::dquat rotation_of(std::span<const float> xyzw) {
  return normalized_or_identity(glm::dquat(quat_xyzw(static_cast<double>(xyzw[0]), static_cast<double>(xyzw[1]),
                                                     static_cast<double>(xyzw[2]), static_cast<double>(xyzw[3]))));
}

/// How far the values of one channel may be apart, in their own units: length, radians, factor, weight of each target.
struct ChannelTolerance {
  bool rotation = false;
  bool vector = false;         ///< all values are one vector, whose length counts
  std::vector<double> limits;  ///< one, or one for each value

  [[nodiscard]] bool covers(std::span<const float> a, std::span<const float> b) const {
    if (std::equal(a.begin(), a.end(), b.begin())) {
      return true;
    }
    if (rotation) {
      return glm::length(rotation_vector(glm::conjugate(rotation_of(a)) * rotation_of(b))) <= limits[0];
    }
    double square = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double apart = static_cast<double>(a[i]) - static_cast<double>(b[i]);
      square += apart * apart;
      if (!vector && std::abs(apart) > limits[std::min(i, limits.size() - 1)]) {
        return false;
      }
    }
    return !vector || square <= limits[0] * limits[0];
  }
};

/// A channel that has only some keys of another.
Channel with_keys(const Channel& channel, std::span<const std::size_t> keys) {
  Channel out{.joint = channel.joint,
              .path = channel.path,
              .interpolation = channel.interpolation,
              .times = {},
              .values = {},
              .width = channel.width,
              .morph_target = channel.morph_target,
              .source = channel.source,
              .source_sampler = channel.source_sampler};
  const std::size_t per_key = parts_of(channel) * static_cast<std::size_t>(channel.width);
  for (const std::size_t key : keys) {
    out.times.push_back(channel.times[key]);
    const auto begin = channel.values.begin() + static_cast<std::ptrdiff_t>(key * per_key);
    out.values.insert(out.values.end(), begin, begin + static_cast<std::ptrdiff_t>(per_key));
  }
  return out;
}

/// Folds the keys of one channel.
class Folder {
 public:
  Folder(const Channel& channel, const ChannelTolerance& tolerance) : channel_(channel), tolerance_(tolerance) {}

  [[nodiscard]] Channel folded() const {
    const std::size_t count = channel_.times.size();
    if (count < 3) {
      return channel_;
    }
    std::vector<std::size_t> keys = {0};
    while (keys.back() + 1 < count) {
      keys.push_back(channel_.interpolation == Interpolation::kStep ? next_step(keys.back()) : farthest(keys.back()));
    }
    return keys.size() == count ? channel_ : with_keys(channel_, keys);
  }

 private:
  /// The first key that says something else; the last in any case.
  [[nodiscard]] std::size_t next_step(std::size_t from) const {
    std::size_t next = from + 1;
    while (next + 1 < channel_.times.size() && tolerance_.covers(value_of(channel_, from), value_of(channel_, next))) {
      ++next;
    }
    return next;
  }

  /// A key as far as possible, to which the curve from `from` gives back those between: doubling, then halving.
  [[nodiscard]] std::size_t farthest(std::size_t from) const {
    const std::size_t last = channel_.times.size() - 1;
    std::size_t good = from + 1;
    std::size_t bad = last + 1;
    for (std::size_t step = 1; good < last; step *= 2) {
      const std::size_t tried = std::min(good + step, last);
      if (!gives_back(from, tried)) {
        bad = tried;
        break;
      }
      good = tried;
    }
    while (bad <= last && good + 1 < bad) {
      const std::size_t middle = good + (bad - good) / 2;
      (gives_back(from, middle) ? good : bad) = middle;
    }
    return good;
  }

  /// The pieces between keys are straight lines for plain numbers, which are farthest apart at a key; arcs and cubic
  /// curves may be farthest apart anywhere.
  [[nodiscard]] bool gives_back(std::size_t from, std::size_t to) const {
    const std::size_t ends[] = {from, to};
    const Channel piece = with_keys(channel_, ends);
    const bool lines = channel_.interpolation == Interpolation::kLinear && channel_.path != ChannelPath::kRotation;
    const int samples = lines ? 1 : kSamplesPerGap;
    std::vector<float> a(channel_.width), b(a.size());
    for (std::size_t key = from; key < to; ++key) {
      const double begin = static_cast<double>(channel_.times[key]);
      const double length = static_cast<double>(channel_.times[key + 1]) - begin;
      for (int i = 0; i < samples; ++i) {
        const auto time = static_cast<float>(begin + length * i / samples);
        sample(channel_, time, a);
        sample(piece, time, b);
        if (!tolerance_.covers(a, b)) {
          return false;
        }
      }
    }
    return true;
  }

  const Channel& channel_;
  const ChannelTolerance& tolerance_;
};

/// Tolerances of a clip's channels: what each alone may do to the whole.
class ClipFolder {
 public:
  ClipFolder(const Character& character, const ClipMeter& meter, const Clip& clip)
      : character_(character), meter_(meter), clip_(clip) {
    std::vector<float> times;
    for (int i = 0; i < kReachMoments; ++i) {
      times.push_back(clip.start + clip.duration() * static_cast<float>(i) / static_cast<float>(kReachMoments - 1));
    }
    reach_ = meter.reach(clip, times, scale_);
    for (const Channel& channel : clip.channels) {
      ++sharing_[channel.times];
    }
  }

  /// @param share  of the tolerance that each channel may use up
  [[nodiscard]] Clip folded(const KeyTolerance& tolerance, double share, bool drop_resting) const {
    Clip out = clip_;
    std::vector<char> rests(clip_.channels.size(), 0);
    parallel_for(clip_.channels.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t c = begin; c < end; ++c) {
        const ChannelTolerance limits = limits_of(clip_.channels[c], tolerance, share);
        rests[c] = drop_resting && is_at_rest(clip_.channels[c], limits) ? 1 : 0;
        if (Channel fewer = Folder(clip_.channels[c], limits).folded(); saves_room(c, fewer)) {
          out.channels[c] = std::move(fewer);
        }
      }
    });
    for (PropertyChannel& property : out.properties) {
      property.keys = Folder(property.keys, rounding_of(property.keys)).folded();
    }
    keep_ends(rests);
    std::size_t c = 0;
    std::erase_if(out.channels, [&](const Channel&) { return rests[c++] != 0; });
    return out;
  }

 private:
  [[nodiscard]] ChannelTolerance limits_of(const Channel& channel, const KeyTolerance& tolerance, double share) const {
    const std::size_t j = channel.joint;
    const double length = share * tolerance.distance;
    const auto over = [](double a, double b) { return b > 0 ? a / b : kNoLimit; };
    switch (channel.path) {
      case ChannelPath::kTranslation:
        return {.vector = true, .limits = {scale_[j] > 0 ? length / scale_[j] : 0.0}};
      case ChannelPath::kRotation:
        return {.rotation = true, .limits = {std::min(share * tolerance.angle, over(length, reach_[j]))}};
      case ChannelPath::kScale: {
        // A factor s places what it carries at a distance of up to `reach`: its error is a share of that.
        double least = kNoLimit;
        for (std::size_t key = 0; key < channel.times.size(); ++key) {
          for (const float s : value_of(channel, key)) {
            least = std::min(least, std::abs(static_cast<double>(s)));
          }
        }
        return {.limits = {least * std::min(share * kMostRelative, over(length, reach_[j]))}};
      }
      case ChannelPath::kWeights:
        break;
    }
    std::vector<double> deltas = meter_.largest_deltas(channel.joint);
    if (channel.morph_target >= 0) {
      const std::size_t target = channel.morph_target;
      deltas = {target < deltas.size() ? deltas[target] : 0.0};
    }
    deltas.resize(channel.width, 0.0);
    ChannelTolerance out;
    for (const double delta : deltas) {
      out.limits.push_back(std::min(share * kMostRelative, over(length, delta * scale_[j])));
    }
    return out;
  }

  static ChannelTolerance rounding_of(const Channel& channel) {
    double largest = 0;
    for (const float value : channel.values) {
      largest = std::max(largest, std::abs(static_cast<double>(value)));
    }
    return {.limits = {channel.interpolation == Interpolation::kStep ? 0.0 : kRounding * largest}};
  }

  /// Key times that many channels share are stored once, and those of constant tracks, too.
  [[nodiscard]] bool saves_room(std::size_t c, const Channel& fewer) const {
    const Channel& channel = clip_.channels[c];
    if (fewer.times.size() <= 2 || sharing_.at(channel.times) == 1) {
      return true;
    }
    return sizeof(float) * (fewer.values.size() + fewer.times.size()) + kTrackBytes <
           sizeof(float) * channel.values.size();
  }

  /// Nowhere farther from what the node has without a clip than the tolerance.
  [[nodiscard]] bool is_at_rest(const Channel& channel, const ChannelTolerance& tolerance) const {
    const std::size_t j = channel.joint;
    const Transform& rest = character_.skeleton->rest[j];
    std::vector<float> at_rest;
    switch (channel.path) {
      case ChannelPath::kTranslation:
        at_rest = {rest.translation.x, rest.translation.y, rest.translation.z};
        break;
      case ChannelPath::kRotation:
        at_rest = {rest.rotation.x, rest.rotation.y, rest.rotation.z, rest.rotation.w};
        break;
      case ChannelPath::kScale:
        at_rest = {rest.scale.x, rest.scale.y, rest.scale.z};
        break;
      case ChannelPath::kWeights:
        return false;  // a pointer of another clip may need the node to have them
    }
    std::vector<float> value(at_rest.size());
    for (std::size_t key = 0; key < channel.times.size(); ++key) {
      const double begin = static_cast<double>(channel.times[key]);
      const double length = key + 1 < channel.times.size() ? static_cast<double>(channel.times[key + 1]) - begin : 0.0;
      for (int i = 0; i < kSamplesPerGap; ++i) {
        sample(channel, static_cast<float>(begin + length * i / kSamplesPerGap), value);
        if (!tolerance.covers(at_rest, value)) {
          return false;
        }
      }
    }
    return true;
  }

  /// Unmarks channels without which the clip would begin later, end earlier or not be at all.
  void keep_ends(std::vector<char>& rests) const {
    const auto keep_one = [&](const auto& has_end) {
      const auto stays = [&](const Channel& channel) {
        return rests[&channel - clip_.channels.data()] == 0 && has_end(channel);
      };
      if (std::ranges::any_of(clip_.channels, stays) ||
          std::ranges::any_of(clip_.properties, [&](const PropertyChannel& p) { return has_end(p.keys); })) {
        return;
      }
      const auto found = std::ranges::find_if(clip_.channels, has_end);
      if (found != clip_.channels.end()) {
        rests[found - clip_.channels.begin()] = 0;
      }
    };
    keep_one([&](const Channel& channel) { return channel.times.front() <= clip_.start; });
    keep_one([&](const Channel& channel) { return channel.times.back() >= clip_.end; });
  }

  const Character& character_;
  const ClipMeter& meter_;
  const Clip& clip_;
  std::map<std::vector<float>, int> sharing_;  ///< channels that have these key times
  std::vector<double> reach_;                  ///< [J] metres
  std::vector<double> scale_;                  ///< [J]
};

Clip folded_clip(const Character& character, const ClipMeter& meter, const Clip& clip, const KeyTolerance& tolerance,
                 bool drop_resting) {
  const ClipFolder folder(character, meter, clip);
  double share = 1;
  for (int round = 0; round < kMostRounds; ++round) {
    Clip out = folder.folded(tolerance, share, drop_resting);
    const ClipError error = meter.error(clip, out);
    if (error.distance <= tolerance.distance && error.angle <= tolerance.angle) {
      return out;
    }
    const double excess = std::max(error.distance / tolerance.distance, error.angle / tolerance.angle);
    share *= std::clamp(0.9 / excess, 0.25, 0.9);
  }
  return clip;
}

}  // namespace

Character with_folded_keys(const Character& character, const KeyTolerance& tolerance, bool drop_resting,
                           const Progress& progress) {
  PELT_EXPECT(tolerance.distance > 0 && tolerance.angle > 0, "tolerances are positive");
  Character out = character;
  const ClipMeter meter(character);
  for (std::size_t c = 0; c < character.clips.size(); ++c) {
    if (!report(progress, static_cast<float>(c) / static_cast<float>(character.clips.size()), "folding keys")) {
      break;
    }
    out.clips.edit(c) = folded_clip(character, meter, character.clips[c], tolerance, drop_resting);
  }
  return out;
}

Character with_short_rotations(const Character& character) {
  Character out = character;
  for (Clip& clip : out.clips.edit_each()) {
    for (Channel& channel : clip.channels) {
      if (channel.path != ChannelPath::kRotation || channel.interpolation == Interpolation::kCubicSpline) {
        continue;
      }
      for (float& value : channel.values) {
        value = std::round(std::clamp(value, -1.0f, 1.0f) * kShortSteps) / kShortSteps;
      }
    }
  }
  return out;
}

std::size_t key_count(const Character& character) {
  std::size_t keys = 0;
  for (const Clip& clip : character.clips) {
    for (const Channel& channel : clip.channels) {
      keys += channel.times.size();
    }
    for (const PropertyChannel& property : clip.properties) {
      keys += property.keys.times.size();
    }
  }
  return keys;
}

std::size_t channel_count(const Character& character) {
  std::size_t channels = 0;
  for (const Clip& clip : character.clips) {
    channels += clip.channels.size() + clip.properties.size();
  }
  return channels;
}

}  // namespace pelt::rig
