// glTF 2.0 specification, appendix C; Shoemake, "Animating rotation with quaternion curves", SIGGRAPH 1985.
#include "rig/clip.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/expect.h"
#include "core/index.h"

namespace pelt::rig {
namespace {

glm::dquat quat_at(std::span<const float> values) {
  return quat_xyzw(static_cast<double>(values[0]), static_cast<double>(values[1]), static_cast<double>(values[2]),
                   static_cast<double>(values[3]));
}

void store(const glm::dquat& q, std::span<float> out) {
  out[0] = static_cast<float>(q.x);
  out[1] = static_cast<float>(q.y);
  out[2] = static_cast<float>(q.z);
  out[3] = static_cast<float>(q.w);
}

// Writers round: keys a little off unit length are common. Those are used as stored, not normalised, so that a sample
// at a key has the key's own bits, the curve is continuous there, and the result is the one of the specification's
// formula.
constexpr double kNearUnit = 2e-3;  // of the squared length

glm::dquat near_unit(const glm::dquat& q) {
  return std::abs(glm::dot(q, q) - 1.0) > kNearUnit ? normalized_or_identity(q) : q;
}

void store_key(const Channel& channel, std::span<const float> value, std::span<float> out) {
  if (channel.path == ChannelPath::kRotation) {
    store(near_unit(quat_at(value)), out);
  } else {
    std::copy(value.begin(), value.end(), out.begin());
  }
}

template <typename T>
glm::qua<T> slerp_as_stored(const glm::qua<T>& a, const glm::qua<T>& b, T t) {
  const T cosine = glm::dot(a, b);
  const T sign = cosine < 0 ? T(-1) : T(1);
  const T angle = std::acos(std::min(std::abs(cosine), T(1)));
  if (angle < T(1e-4)) {
    return a * (T(1) - t) + b * (sign * t);
  }
  const T sine = std::sin(angle);
  return a * (std::sin((T(1) - t) * angle) / sine) + b * (sign * std::sin(t * angle) / sine);
}

}  // namespace

template <typename T>
glm::qua<T> slerp_shortest(const glm::qua<T>& a, const glm::qua<T>& b, T t) {
  return normalized_or_identity(slerp_as_stored(a, b, t));
}
template glm::quat slerp_shortest(const glm::quat&, const glm::quat&, float);
template glm::dquat slerp_shortest(const glm::dquat&, const glm::dquat&, double);

void sample(const Channel& channel, float time, std::span<float> out) {
  const std::size_t width = channel.width;
  const bool cubic = channel.interpolation == Interpolation::kCubicSpline;
  PELT_EXPECT(!channel.times.empty(), "at least one key");
  PELT_EXPECT(channel.values.size() == channel.times.size() * width * (cubic ? 3 : 1), "width values per key");
  PELT_EXPECT(out.size() == width, "one output per value of a key");
  PELT_EXPECT(channel.path != ChannelPath::kRotation || width == 4, "a rotation has four values");
  const std::span<const float> values = channel.values;
  // Part 0 is the in-tangent, 1 the value, 2 the out-tangent.
  const auto part_of = [&](std::size_t key, std::size_t part) {
    return values.subspan((cubic ? key * 3 + part : key) * width, width);
  };
  const std::vector<float>& times = channel.times;
  // The last key at or before `time`; not-a-number counts as before the first.
  const auto after = std::upper_bound(times.begin(), times.end(), time);
  const std::size_t key =
      after == times.begin() || !(time >= times.front()) ? 0 : static_cast<std::size_t>(after - times.begin()) - 1;
  if (!(time > times[key]) || key + 1 == times.size() || channel.interpolation == Interpolation::kStep) {
    store_key(channel, part_of(key, 1), out);
    return;
  }
  const double length = static_cast<double>(times[key + 1]) - static_cast<double>(times[key]);
  const double t = (static_cast<double>(time) - static_cast<double>(times[key])) / length;
  const std::span<const float> from = part_of(key, 1);
  const std::span<const float> to = part_of(key + 1, 1);
  if (!cubic && channel.path == ChannelPath::kRotation) {
    store(slerp_as_stored(near_unit(quat_at(from)), near_unit(quat_at(to)), t), out);
    return;
  }
  if (!cubic) {
    for (std::size_t i = 0; i < width; ++i) {
      out[i] = static_cast<float>((1 - t) * static_cast<double>(from[i]) + t * static_cast<double>(to[i]));
    }
    return;
  }
  const std::span<const float> leaving = part_of(key, 2);
  const std::span<const float> arriving = part_of(key + 1, 0);
  const double t2 = t * t;
  const double t3 = t2 * t;
  const auto hermite = [&](std::size_t i) {
    return (2 * t3 - 3 * t2 + 1) * static_cast<double>(from[i]) +
           length * (t3 - 2 * t2 + t) * static_cast<double>(leaving[i]) +
           (-2 * t3 + 3 * t2) * static_cast<double>(to[i]) + length * (t3 - t2) * static_cast<double>(arriving[i]);
  };
  if (channel.path == ChannelPath::kRotation) {
    store(normalized_or_identity(quat_xyzw(hermite(0), hermite(1), hermite(2), hermite(3))), out);
    return;
  }
  for (std::size_t i = 0; i < width; ++i) {
    out[i] = static_cast<float>(hermite(i));
  }
}

void apply(const Clip& clip, float time, std::span<const int> morph_offset, Pose& pose) {
  for (const Channel& channel : clip.channels) {
    PELT_EXPECT(has_index(pose.local, channel.joint), "the clip is of this skeleton");
    const std::size_t j = channel.joint;
    Transform& local = pose.local[j];
    std::array<float, 4> values{};
    switch (channel.path) {
      case ChannelPath::kTranslation:
        sample(channel, time, std::span(values).first(3));
        local.translation = {values[0], values[1], values[2]};
        break;
      case ChannelPath::kRotation:
        sample(channel, time, values);
        local.rotation = quat_xyzw(values[0], values[1], values[2], values[3]);
        break;
      case ChannelPath::kScale:
        sample(channel, time, std::span(values).first(3));
        local.scale = {values[0], values[1], values[2]};
        break;
      case ChannelPath::kWeights: {
        PELT_EXPECT(j + 1 < morph_offset.size(), "one morph offset per joint and one more");
        const std::size_t begin = morph_offset[j];
        const std::size_t end = morph_offset[j + 1];
        const std::span<float> weights = std::span(pose.morph_weights).subspan(begin, end - begin);
        if (channel.morph_target >= 0) {
          PELT_EXPECT(channel.width == 1 && has_index(weights, channel.morph_target),
                      "one value for a morph target of the node");
          sample(channel, time, weights.subspan(channel.morph_target, 1));
          break;
        }
        PELT_EXPECT(weights.size() == static_cast<std::size_t>(channel.width),
                    "one value per morph target of the node");
        sample(channel, time, weights);
        break;
      }
    }
  }
}

}  // namespace pelt::rig
