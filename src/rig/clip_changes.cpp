#include "rig/clip_changes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "math/transform.h"
#include "rig/character.h"
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

float guess_frame_rate(const rig::Clip& clip) {
  constexpr std::array kRates = {24.0f, 25.0f, 30.0f, 48.0f, 50.0f, 60.0f};
  std::array<std::size_t, kRates.size()> votes{};
  std::size_t gaps = 0;
  for (const rig::Channel& channel : clip.channels) {
    gaps += channel.times.empty() ? 0 : channel.times.size() - 1;
    for (std::size_t i = 1; i < channel.times.size(); ++i) {
      const float gap = channel.times[i] - channel.times[i - 1];
      for (std::size_t r = 0; r < kRates.size(); ++r) {
        if (std::abs(gap * kRates[r] - 1) < 0.01f) {
          ++votes[r];
        }
      }
    }
  }
  const auto best = std::max_element(votes.begin(), votes.end());
  // One key that was set between others says nothing of the rest.
  constexpr std::size_t kEnough = 4;  // a quarter
  return *best > 0 && *best * kEnough >= gaps ? kRates[best - votes.begin()] : 30.0f;
}

Clip reversed(const Clip& clip) {
  return with_each(clip, [&](const Channel& channel) { return reversed(channel, clip.start, clip.end); });
}

Clip trimmed(const Clip& clip, float start, float end) {
  Clip out = with_each(clip, [&](const Channel& channel) { return trimmed(channel, start, end); });
  out.room = 0;  // it was said how long it is to be
  return out;
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

namespace {

// Pairs clips of two lists, rule after rule: is_one(of the list, of the file).
class ClipPairs {
 public:
  ClipPairs(std::size_t list, std::size_t file) : from_(list, -1), taken_(file, 0) {}

  template <typename Rule>
  void match(const Rule& is_one) {
    for (std::size_t c = 0; c < from_.size(); ++c) {
      for (std::size_t f = 0; f < taken_.size() && from_[c] < 0; ++f) {
        if (taken_[f] == 0 && is_one(c, f)) {
          from_[c] = static_cast<int>(f);
          taken_[f] = 1;
        }
      }
    }
  }
  [[nodiscard]] std::vector<int> from() const { return from_; }

 private:
  std::vector<int> from_;
  std::vector<char> taken_;
};

void match_alike(const SharedList<Clip>& file, const SharedList<Clip>& other, ClipPairs& pairs) {
  pairs.match([&](std::size_t c, std::size_t f) { return c == f && other[c].name == file[f].name; });
  pairs.match([&](std::size_t c, std::size_t f) { return other[c].name == file[f].name; });
  pairs.match([&](std::size_t c, std::size_t f) { return c == f && other.size() == file.size(); });
}

}  // namespace

std::vector<int> clips_in_file(const SharedList<Clip>& file, const SharedList<Clip>& edited) {
  ClipPairs pairs(edited.size(), file.size());
  pairs.match([&](std::size_t c, std::size_t f) { return edited.shared(c).is(file.shared(f)); });
  pairs.match([&](std::size_t c, std::size_t f) { return file[f].source >= 0 && edited[c].source == file[f].source; });
  if (std::ranges::none_of(file, [](const Clip& clip) { return clip.source >= 0; })) {
    match_alike(file, edited, pairs);
  }
  return pairs.from();
}

std::vector<int> clips_alike(const SharedList<Clip>& file, const SharedList<Clip>& other) {
  ClipPairs pairs(other.size(), file.size());
  pairs.match([&](std::size_t c, std::size_t f) { return other.shared(c).is(file.shared(f)); });
  match_alike(file, other, pairs);
  return pairs.from();
}

void remove_clip(Character& character, int clip) {
  PELT_EXPECT(clip >= 0 && clip < static_cast<int>(character.clips.size()), "a clip there is");
  std::vector<Shared<Clip>>& clips = character.clips.edit_items();
  clips.erase(clips.begin() + clip);
  constexpr std::string_view kAnimations = "/animations/";
  const auto is_animation = [&](const KeptJson& one) { return one.place.starts_with(kAnimations); };
  if (std::ranges::none_of(character.kept, is_animation)) {
    return;
  }
  std::vector<KeptJson> left;
  for (const KeptJson& one : character.kept) {
    KeptJson now = one;
    if (is_animation(one)) {
      const std::size_t end = std::min(one.place.find('/', kAnimations.size()), one.place.size());
      const int number = std::stoi(one.place.substr(kAnimations.size(), end - kAnimations.size()));
      if (number == clip) {
        continue;
      }
      now.place = fmt::format("{}{}{}", kAnimations, number - (number > clip ? 1 : 0), one.place.substr(end));
    }
    left.push_back(std::move(now));
  }
  character.kept = std::move(left);
}

Character with_clips(Character character, const std::vector<int>& clips) {
  for (int c = static_cast<int>(character.clips.size()); c-- > 0;) {
    if (std::ranges::find(clips, c) == clips.end()) {
      remove_clip(character, c);
    }
  }
  return character;
}

bool same_channel(const Channel& a, const Channel& b) {
  const auto same = [](const std::vector<float>& x, const std::vector<float>& y) {
    return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0);
  };
  return a.joint == b.joint && a.path == b.path && a.interpolation == b.interpolation && a.width == b.width &&
         a.morph_target == b.morph_target && a.source == b.source && a.source_sampler == b.source_sampler &&
         same(a.times, b.times) && same(a.values, b.values);
}

}  // namespace pelt::rig
