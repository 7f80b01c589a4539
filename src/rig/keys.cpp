// Hermite curves and their subdivision: glTF 2.0 specification, appendix C. Automatic tangents: Fritsch & Butland, "A
// method for constructing local monotone piecewise cubic interpolants", SIAM J. Sci. Stat. Comput. 5(2), 1984.
#include "rig/keys.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/expect.h"

namespace pelt::rig {
namespace {

bool is_cubic(const Channel& channel) {
  return channel.interpolation == Interpolation::kCubicSpline;
}
bool is_rotation(const Channel& channel) {
  return channel.path == ChannelPath::kRotation;
}

// Part 0 is the in-tangent, 1 the value, 2 the out-tangent.
std::size_t part_at(const Channel& channel, std::size_t key, std::size_t part) {
  const std::size_t width = channel.width;
  return (is_cubic(channel) ? key * 3 + part : key) * width;
}
std::span<const float> part_of(const Channel& channel, std::size_t key, std::size_t part) {
  return std::span(channel.values).subspan(part_at(channel, key, part), static_cast<std::size_t>(channel.width));
}
std::span<float> part_of(Channel& channel, std::size_t key, std::size_t part) {
  return std::span(channel.values).subspan(part_at(channel, key, part), static_cast<std::size_t>(channel.width));
}

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

std::vector<double> doubles(std::span<const float> values) {
  return {values.begin(), values.end()};
}

// The same rotation, on the side of the sphere where `next_to` is.
void take_near_sign(std::span<const double> next_to, std::span<double> q) {
  if (dot(next_to, q) < 0) {
    std::ranges::transform(q, q.begin(), [](double x) { return -x; });
  }
}

// The slope at the middle key of three: that of the parabola through them, no steeper than keeps a curve from
// overshooting (de Boor & Schwartz), and none where one side stands still or the curve turns back.
void limit_slope(std::span<const double> before, std::span<const double> after, std::span<double> slope) {
  constexpr double kSteepest = 3;
  const double speed = std::sqrt(dot(slope, slope));
  const double most = kSteepest * std::sqrt(std::min(dot(before, before), dot(after, after)));
  const double share = dot(before, after) <= 0 ? 0 : speed > most ? most / speed : 1;
  for (double& x : slope) {
    x *= share;
  }
}

void auto_rotation(const Channel& channel, std::size_t key, double before, double after, std::span<float> out) {
  const std::vector<double> here = doubles(part_of(channel, key, 1));
  std::vector<double> from = doubles(part_of(channel, key - 1, 1));
  std::vector<double> to = doubles(part_of(channel, key + 1, 1));
  take_near_sign(here, from);
  take_near_sign(here, to);
  std::vector<double> slope(here.size());
  for (std::size_t i = 0; i < here.size(); ++i) {
    from[i] = (here[i] - from[i]) / before;
    to[i] = (to[i] - here[i]) / after;
    slope[i] = (after * from[i] + before * to[i]) / (before + after);
  }
  limit_slope(from, to, slope);
  const double along = dot(slope, here) / std::max(dot(here, here), 1e-12);  // what only changes the length
  for (std::size_t i = 0; i < here.size(); ++i) {
    out[i] = static_cast<float>(slope[i] - along * here[i]);
  }
}

void auto_tangent(const Channel& channel, std::size_t key, std::span<float> out) {
  std::ranges::fill(out, 0.0f);
  if (key == 0 || key + 1 == channel.times.size()) {
    return;
  }
  const double before = static_cast<double>(channel.times[key]) - static_cast<double>(channel.times[key - 1]);
  const double after = static_cast<double>(channel.times[key + 1]) - static_cast<double>(channel.times[key]);
  if (is_rotation(channel)) {
    auto_rotation(channel, key, before, after, out);
    return;
  }
  const std::span<const float> here = part_of(channel, key, 1);
  const std::span<const float> from = part_of(channel, key - 1, 1);
  const std::span<const float> to = part_of(channel, key + 1, 1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double slope_before = (static_cast<double>(here[i]) - static_cast<double>(from[i])) / before;
    const double slope_after = (static_cast<double>(to[i]) - static_cast<double>(here[i])) / after;
    if (slope_before * slope_after > 0) {
      const double weight_before = 2 * after + before;
      const double weight_after = after + 2 * before;
      out[i] = static_cast<float>((weight_before + weight_after) /
                                  (weight_before / slope_before + weight_after / slope_after));
    }
  }
}

bool is_auto(const Channel& channel, std::size_t key, std::vector<float>& scratch) {
  scratch.resize(channel.width);
  auto_tangent(channel, key, scratch);
  return std::ranges::equal(part_of(channel, key, 0), scratch) && std::ranges::equal(part_of(channel, key, 2), scratch);
}

void make_auto(Channel& channel, std::size_t key) {
  std::vector<float> tangent(channel.width);
  auto_tangent(channel, key, tangent);
  std::ranges::copy(tangent, part_of(channel, key, 0).begin());
  std::ranges::copy(tangent, part_of(channel, key, 2).begin());
}

/// Keys of a channel in the order of a changed one.
struct Key {
  float time = 0;
  std::size_t from = 0;  ///< key of the channel that it came from
  double stretch = 1;    ///< of time around it
  bool is_auto = false;
  bool is_moved = false;
};

std::vector<Key> keys_of(const Channel& channel) {
  std::vector<Key> keys(channel.times.size());
  std::vector<float> scratch;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    keys[k] = {.time = channel.times[k], .from = k, .is_auto = is_cubic(channel) && is_auto(channel, k, scratch)};
  }
  return keys;
}

Channel without_times(const Channel& channel) {
  return {.joint = channel.joint,
          .path = channel.path,
          .interpolation = channel.interpolation,
          .times = {},
          .values = {},
          .width = channel.width,
          .morph_target = channel.morph_target,
          .source = channel.source,
          .source_sampler = channel.source_sampler};
}

void copy_key(const Channel& from, const Key& key, Channel& out) {
  out.times.push_back(key.time);
  const bool is_mirrored = key.stretch < 0;
  for (std::size_t part = 0; part < floats_per_key(from) / static_cast<std::size_t>(from.width); ++part) {
    const std::size_t taken = is_cubic(from) && is_mirrored ? 2 - part : part;
    for (const float value : part_of(from, key.from, taken)) {
      const bool is_tangent = is_cubic(from) && part != 1;
      out.values.push_back(is_tangent ? static_cast<float>(static_cast<double>(value) / key.stretch) : value);
    }
  }
}

// A channel of these keys, automatic ones made anew. Of keys at one time a moved one wins, else the later.
Channel built(const Channel& from, std::vector<Key> keys) {
  std::ranges::stable_sort(
      keys, [](const Key& a, const Key& b) { return a.time != b.time ? a.time < b.time : !a.is_moved && b.is_moved; });
  Channel out = without_times(from);
  out.times.reserve(keys.size());
  out.values.reserve(keys.size() * floats_per_key(from));
  std::vector<std::size_t> automatic;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (k + 1 < keys.size() && keys[k + 1].time == keys[k].time) {
      continue;
    }
    if (keys[k].is_auto) {
      automatic.push_back(out.times.size());
    }
    copy_key(from, keys[k], out);
  }
  for (const std::size_t k : automatic) {
    make_auto(out, k);
  }
  return out;
}

// The number of keys before `time`.
std::size_t keys_before(const Channel& channel, float time) {
  return static_cast<std::size_t>(std::ranges::lower_bound(channel.times, time) - channel.times.begin());
}

void insert_parts(Channel& channel, std::size_t at, float time, std::span<const float> value) {
  channel.times.insert(channel.times.begin() + static_cast<std::ptrdiff_t>(at), time);
  const std::vector<float> zeros(value.size(), 0.0f);
  std::vector<float> parts(zeros);
  parts.insert(parts.end(), value.begin(), value.end());
  parts.insert(parts.end(), zeros.begin(), zeros.end());
  const auto place = channel.values.begin() + static_cast<std::ptrdiff_t>(at * floats_per_key(channel));
  if (is_cubic(channel)) {
    channel.values.insert(place, parts.begin(), parts.end());
  } else {
    channel.values.insert(place, value.begin(), value.end());
  }
}

/// A cubic segment and a place in it.
struct Cut {
  double length = 0;  ///< of the segment, seconds
  double at = 0;      ///< 0 to 1
  std::vector<double> value;
  std::vector<double> slope;  ///< per second
  std::vector<double> third;  ///< third derivative, over the segment as 1
};

Cut cut_at(const Channel& channel, std::size_t from, float time) {
  Cut cut;
  const double start = channel.times[from];
  cut.length = static_cast<double>(channel.times[from + 1]) - start;
  cut.at = (static_cast<double>(time) - start) / cut.length;
  const std::vector<double> a = doubles(part_of(channel, from, 1));
  const std::vector<double> leaving = doubles(part_of(channel, from, 2));
  const std::vector<double> b = doubles(part_of(channel, from + 1, 1));
  const std::vector<double> arriving = doubles(part_of(channel, from + 1, 0));
  const double t = cut.at;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double out = leaving[i] * cut.length;
    const double in = arriving[i] * cut.length;
    const double cubic = 2 * a[i] + out - 2 * b[i] + in;
    const double square = -3 * a[i] - 2 * out + 3 * b[i] - in;
    cut.value.push_back(((cubic * t + square) * t + out) * t + a[i]);
    cut.slope.push_back(((3 * cubic * t + 2 * square) * t + out) / cut.length);
    cut.third.push_back(6 * cubic);
  }
  return cut;
}

void store(std::span<const double> values, std::span<float> out) {
  std::ranges::transform(values, out.begin(), [](double x) { return static_cast<float>(x); });
}

// Scaling a curve along its way does not turn it. The scale runs evenly from 1 at the old keys to what makes the new
// one unit; a cubic curve then is of the fourth degree only as far as its third derivative meets the scale's slope.
void cut_rotation(Channel& channel, std::size_t at, Cut cut) {
  const double scale = 1 / std::sqrt(std::max(dot(cut.value, cut.value), 1e-12));
  const double rise = (scale - 1) / (cut.at * cut.length);        // per second, up to the new key
  const double fall = (1 - scale) / ((1 - cut.at) * cut.length);  // after it
  for (std::size_t i = 0; i < cut.value.size(); ++i) {
    const double value = cut.value[i];
    const double slope = cut.slope[i];
    part_of(channel, at, 1)[i] = static_cast<float>(value * scale);
    part_of(channel, at, 0)[i] = static_cast<float>(slope * scale + value * rise);
    part_of(channel, at, 2)[i] = static_cast<float>(slope * scale + value * fall);
    float& leaving = part_of(channel, at - 1, 2)[i];
    leaving =
        static_cast<float>(static_cast<double>(leaving) + static_cast<double>(part_of(channel, at - 1, 1)[i]) * rise);
    float& arriving = part_of(channel, at + 1, 0)[i];
    arriving =
        static_cast<float>(static_cast<double>(arriving) + static_cast<double>(part_of(channel, at + 1, 1)[i]) * fall);
  }
}

}  // namespace

std::size_t floats_per_key(const Channel& channel) {
  return static_cast<std::size_t>(channel.width) * (is_cubic(channel) ? 3U : 1U);
}

std::span<const float> key_value(const Channel& channel, std::size_t key) {
  PELT_EXPECT(key < channel.times.size(), "a key there is");
  return part_of(channel, key, 1);
}

std::span<const float> key_tangent(const Channel& channel, std::size_t key, KeySide side) {
  PELT_EXPECT(key < channel.times.size() && is_cubic(channel), "a key of a cubic channel");
  return part_of(channel, key, side == KeySide::kIn ? 0 : 2);
}

std::optional<std::size_t> find_key(const Channel& channel, float time) {
  const std::size_t at = keys_before(channel, time);
  return at < channel.times.size() && channel.times[at] == time ? std::optional(at) : std::nullopt;
}

Tangents tangents_of(const Channel& channel, std::size_t key) {
  PELT_EXPECT(key < channel.times.size() && is_cubic(channel), "a key of a cubic channel");
  std::vector<float> scratch;
  if (is_auto(channel, key, scratch)) {
    return Tangents::kAuto;
  }
  const std::span<const float> in = part_of(channel, key, 0);
  if (!std::ranges::equal(in, part_of(channel, key, 2))) {
    return Tangents::kBroken;
  }
  return std::ranges::all_of(in, [](float x) { return x == 0; }) ? Tangents::kFlat : Tangents::kFree;
}

Channel with_inserted_key(const Channel& channel, float time) {
  PELT_EXPECT(!channel.times.empty(), "at least one key");
  if (find_key(channel, time)) {
    return channel;
  }
  Channel out = channel;
  const std::size_t at = keys_before(channel, time);
  std::vector<float> value(channel.width);
  sample(channel, time, value);
  insert_parts(out, at, time, value);
  if (!is_cubic(channel)) {
    return out;
  }
  if (at == 0 || at == channel.times.size()) {
    // The curve stands still beyond its ends: the old end's outer tangent, which meant nothing, is that of a still one.
    std::ranges::fill(at == 0 ? part_of(out, 1, 0) : part_of(out, at - 1, 2), 0.0f);
    return out;
  }
  Cut cut = cut_at(channel, at - 1, time);
  if (is_rotation(channel)) {
    cut_rotation(out, at, std::move(cut));
    return out;
  }
  store(cut.slope, part_of(out, at, 0));
  store(cut.slope, part_of(out, at, 2));
  return out;
}

double inserted_rotation_bound(const Channel& channel, float time) {
  const std::size_t at = keys_before(channel, time);
  if (!is_cubic(channel) || !is_rotation(channel) || at == 0 || at == channel.times.size() || find_key(channel, time)) {
    return 0;
  }
  // Hermite interpolation is off by the fourth derivative over 384, times the fourth power of its length. The fourth
  // derivative of a cubic times a scale of slope m is 4 m times the third one. A rotation turns by twice the angle that
  // its quaternion does, which is the distance over the shortest length that the curve has.
  constexpr double kHermite = 4.0 / 384;
  constexpr int kSteps = 64;
  const Cut cut = cut_at(channel, at - 1, time);
  double shortest = 1;
  for (int i = 1; i < kSteps; ++i) {
    const double place = static_cast<double>(channel.times[at - 1]) + cut.length * i / kSteps;
    const Cut here = cut_at(channel, at - 1, static_cast<float>(place));
    shortest = std::min(shortest, std::sqrt(dot(here.value, here.value)));
  }
  const double scale = 1 / std::sqrt(std::max(dot(cut.value, cut.value), 1e-12));
  const double third = std::sqrt(dot(cut.third, cut.third));
  const double longer = std::max(cut.at, 1 - cut.at);
  return 2 * kHermite * std::abs(scale - 1) * third * longer * longer * longer / (shortest * std::min(scale, 1.0));
}

Channel with_key(const Channel& channel, float time, std::span<const float> value) {
  PELT_EXPECT(value.size() == static_cast<std::size_t>(channel.width), "one number per value of a key");
  Channel out = channel;
  std::vector<Key> before = keys_of(channel);
  std::vector<float> signed_value(value.begin(), value.end());
  const std::size_t at = keys_before(channel, time);
  if (is_rotation(channel) && !channel.times.empty()) {
    std::vector<double> q = doubles(value);
    take_near_sign(doubles(part_of(channel, at > 0 ? at - 1 : 0, 1)), q);
    store(q, signed_value);
  }
  if (find_key(channel, time)) {
    std::ranges::copy(signed_value, part_of(out, at, 1).begin());
  } else {
    insert_parts(out, at, time, signed_value);
    before.insert(before.begin() + static_cast<std::ptrdiff_t>(at), {.is_auto = is_cubic(channel)});
  }
  for (std::size_t k = at > 0 ? at - 1 : 0; k < std::min(at + 2, before.size()); ++k) {
    if (before[k].is_auto) {
      make_auto(out, k);
    }
  }
  return out;
}

Channel with_keys(const Channel& channel, std::span<const TimedValue> keys) {
  if (is_cubic(channel)) {
    Channel out = channel;
    for (const TimedValue& key : keys) {
      out = with_key(out, key.time, key.value);
    }
    return out;
  }
  Channel out = without_times(channel);
  const std::size_t width = channel.width;
  out.times.reserve(channel.times.size() + keys.size());
  out.values.reserve(channel.values.size() + keys.size() * width);
  std::size_t k = 0;
  const auto take_until = [&](float time) {
    for (; k < channel.times.size() && channel.times[k] < time; ++k) {
      out.times.push_back(channel.times[k]);
      const auto begin = channel.values.begin() + static_cast<std::ptrdiff_t>(k * width);
      out.values.insert(out.values.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
    }
  };
  for (const TimedValue& key : keys) {
    PELT_EXPECT(key.value.size() == width, "one number per value of a key");
    take_until(key.time);
    if (!out.times.empty() && out.times.back() == key.time) {
      out.times.pop_back();
      out.values.resize(out.values.size() - width);
    }
    std::vector<float> value(key.value.begin(), key.value.end());
    // The sign next to the key before; the first one takes that of the key that follows.
    const bool is_first = out.times.empty();
    if (is_rotation(channel) && !(is_first && channel.times.empty())) {
      const std::span<const float> near =
          is_first ? std::span(channel.values).first(width) : std::span(out.values).last(width);
      std::vector<double> q = doubles(value);
      take_near_sign(doubles(near), q);
      store(q, value);
    }
    if (k < channel.times.size() && channel.times[k] == key.time) {
      ++k;
    }
    out.times.push_back(key.time);
    out.values.insert(out.values.end(), value.begin(), value.end());
  }
  take_until(std::numeric_limits<float>::infinity());
  return out;
}

std::optional<Channel> without_keys(const Channel& channel, std::span<const float> times) {
  std::vector<Key> keys = keys_of(channel);
  std::erase_if(keys, [&](const Key& key) { return std::ranges::binary_search(times, key.time); });
  return keys.empty() ? std::nullopt : std::optional(built(channel, std::move(keys)));
}

float TimeMap::operator()(float time) const {
  double moved = pivot + (static_cast<double>(time) - pivot) * factor + offset;
  if (frame_rate > 0) {
    moved = std::round(moved * frame_rate) / frame_rate;
  }
  return static_cast<float>(moved);
}

Channel with_moved_keys(const Channel& channel, std::span<const float> times, const TimeMap& map) {
  PELT_EXPECT(map.factor != 0, "keys do not all go to one time");
  std::vector<Key> keys = keys_of(channel);
  bool is_any = false;
  for (Key& key : keys) {
    if (std::ranges::binary_search(times, key.time)) {
      is_any = true;
      key.time = map(key.time);
      key.stretch = map.factor;
      key.is_moved = true;
    }
  }
  return is_any ? built(channel, std::move(keys)) : channel;
}

Channel with_interpolation(const Channel& channel, Interpolation interpolation) {
  if (channel.interpolation == interpolation) {
    return channel;
  }
  Channel out = without_times(channel);
  out.interpolation = interpolation;
  for (std::size_t k = 0; k < channel.times.size(); ++k) {
    std::vector<double> value = doubles(part_of(channel, k, 1));
    if (is_cubic(out) && is_rotation(out) && k > 0) {
      take_near_sign(doubles(part_of(out, k - 1, 1)), value);
    }
    std::vector<float> stored(value.size());
    store(value, stored);
    insert_parts(out, k, channel.times[k], stored);
  }
  for (std::size_t k = 0; is_cubic(out) && k < out.times.size(); ++k) {
    make_auto(out, k);
  }
  return out;
}

namespace {

// The slope from one key to another, a rotation's on the short way.
std::vector<float> straight(const Channel& channel, std::size_t from, std::size_t to) {
  const double length = static_cast<double>(channel.times[to]) - static_cast<double>(channel.times[from]);
  const std::vector<double> a = doubles(part_of(channel, from, 1));
  const std::vector<double> b = doubles(part_of(channel, to, 1));
  std::vector<float> slope(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    slope[i] = static_cast<float>((b[i] - a[i]) / length);
  }
  return slope;
}

void set_tangents(Channel& channel, std::size_t k, Tangents tangents) {
  const std::span<float> in = part_of(channel, k, 0);
  const std::span<float> out = part_of(channel, k, 2);
  switch (tangents) {
    case Tangents::kAuto:
      make_auto(channel, k);
      break;
    case Tangents::kFlat:
      std::ranges::fill(in, 0.0f);
      std::ranges::fill(out, 0.0f);
      break;
    case Tangents::kFree:
      for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = out[i] = in[i] + (out[i] - in[i]) * 0.5f;
      }
      break;
    case Tangents::kBroken:
      if (k > 0) {
        std::ranges::copy(straight(channel, k - 1, k), in.begin());
      }
      if (k + 1 < channel.times.size()) {
        std::ranges::copy(straight(channel, k, k + 1), out.begin());
      }
      break;
  }
}

}  // namespace

Channel with_tangents(const Channel& channel, std::span<const float> times, Tangents tangents) {
  PELT_EXPECT(is_cubic(channel), "only cubic keys have tangents");
  Channel out = channel;
  for (std::size_t k = 0; k < out.times.size(); ++k) {
    if (std::ranges::binary_search(times, out.times[k])) {
      set_tangents(out, k, tangents);
    }
  }
  return out;
}

Channel with_tangent(const Channel& channel, std::size_t key, KeySide side, std::span<const float> tangent,
                     bool alone) {
  PELT_EXPECT(is_cubic(channel) && key < channel.times.size(), "a key of a cubic channel");
  PELT_EXPECT(tangent.size() == static_cast<std::size_t>(channel.width), "one slope per value of a key");
  Channel out = channel;
  const std::size_t part = side == KeySide::kIn ? 0 : 2;
  std::ranges::copy(tangent, part_of(out, key, part).begin());
  if (!alone) {
    std::ranges::copy(tangent, part_of(out, key, 2 - part).begin());
  }
  return out;
}

Channel reversed(const Channel& channel, float start, float end) {
  const double sum = static_cast<double>(start) + static_cast<double>(end);
  std::vector<Key> keys = keys_of(channel);
  for (Key& key : keys) {
    key.time = static_cast<float>(sum - static_cast<double>(key.time));
    key.stretch = -1;
  }
  return built(channel, std::move(keys));
}

Channel trimmed(const Channel& channel, float start, float end) {
  PELT_EXPECT(start < end, "a range of time");
  const Channel whole = with_inserted_key(with_inserted_key(channel, start), end);
  std::vector<Key> keys = keys_of(whole);
  std::erase_if(keys, [&](const Key& key) { return key.time < start || key.time > end; });
  for (Key& key : keys) {
    key.time = static_cast<float>(static_cast<double>(key.time) - static_cast<double>(start));
    key.is_auto = false;  // the curve stays as it was, at its ends too
  }
  return built(whole, std::move(keys));
}

Channel resampled(const Channel& channel, float start, float end, double frame_rate) {
  PELT_EXPECT(frame_rate > 0 && start <= end, "frames between two times");
  if (channel.interpolation == Interpolation::kStep) {
    return channel;
  }
  Channel out = without_times(channel);
  out.interpolation = Interpolation::kLinear;
  const auto add = [&](float time) {
    if (out.times.empty() || time > out.times.back()) {
      out.times.push_back(time);
      out.values.resize(out.values.size() + static_cast<std::size_t>(out.width));
      sample(channel, time, std::span(out.values).last(static_cast<std::size_t>(out.width)));
    }
  };
  const double length = static_cast<double>(end) - static_cast<double>(start);
  constexpr double kKeyRounding = 1e-4;  // of a frame: an end on the grid gets one key
  const double frames = std::floor(length * frame_rate - kKeyRounding);
  for (double f = 0; f <= frames; ++f) {
    add(static_cast<float>(static_cast<double>(start) + f / frame_rate));
  }
  add(end);
  return out;
}

}  // namespace pelt::rig
