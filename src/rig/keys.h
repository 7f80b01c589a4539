#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "rig/clip.h"

namespace pelt::rig {

// Editing the keys of one channel, ALGORITHMS.md §47. Each function gives a changed copy: times stay strictly
// increasing, values have the channel's width, and the channel is of the same property. A key is named by its time,
// bit for bit, since numbers of keys change with every edit.

/// How a CUBICSPLINE curve passes a key. A file stores tangents and no such word, so it is read off the tangents: a
/// session, a file and undo cannot disagree about it. Automatic keys follow their neighbours in every edit here but
/// with_inserted_key(). Where an automatic tangent is flat, both words fit and the key is automatic.
enum class Tangents {
  kAuto,   ///< without overshoot: PCHIP for numbers (Fritsch & Butland 1984), flat at extremes and at the ends
  kFlat,   ///< both zero
  kFree,   ///< one slope on both sides
  kBroken  ///< one of its own on each side
};
enum class KeySide { kIn, kOut };

/// Floats of a key: `width`, three times as many for CUBICSPLINE.
std::size_t floats_per_key(const Channel& channel);
/// [width] The value of a key, between the tangents of a cubic one. @pre  key < times.size()
std::span<const float> key_value(const Channel& channel, std::size_t key);
/// [width] per second. @pre  the channel is cubic
std::span<const float> key_tangent(const Channel& channel, std::size_t key, KeySide side);
/// The key of exactly that time.
std::optional<std::size_t> find_key(const Channel& channel, float time);
/// @pre  the channel is cubic, key < times.size()
Tangents tangents_of(const Channel& channel, std::size_t key);

/// A key at `time` that leaves the curve as it is; beyond the ends it has the value of the end. A cubic curve of
/// numbers is the same polynomial. One of rotations, which is normalised, has no unit key in its middle that gives the
/// same curve back: value and speed at the key are exact, and between two keys it stays within
/// inserted_rotation_bound().
Channel with_inserted_key(const Channel& channel, float time);
/// How far with_inserted_key() turns a cubic rotation at most, radians, besides rounding; 0 where the curve stays.
double inserted_rotation_bound(const Channel& channel, float time);

/// The key at `time` has that value, a new one with automatic tangents where there was none. A rotation gets the sign
/// next to the key before it. @param value  [width]; of unit length for a rotation
Channel with_key(const Channel& channel, float time, std::span<const float> value);
struct TimedValue {
  float time;
  std::span<const float> value;  ///< [width]
};
/// with_key() for one after the other, at the cost of all of them together where the channel is no spline.
/// @param keys  ascending by time; of several at one time the last counts
Channel with_keys(const Channel& channel, std::span<const TimedValue> keys);

/// Nothing where no key is left. @param times  ascending
std::optional<Channel> without_keys(const Channel& channel, std::span<const float> times);

/// Where a key goes: `pivot + (time - pivot) * factor + offset`, to the nearest frame where a rate is given.
struct TimeMap {
  double pivot = 0;
  double factor = 1;  ///< below zero: the keys are mirrored; never zero
  double offset = 0;
  double frame_rate = 0;  ///< frames per second, counted from 0 s; 0: anywhere
  [[nodiscard]] float operator()(float time) const;
};
/// Moves these keys, with tangents that keep their shape. A moved key that meets another takes its place; of several
/// moved ones that meet, the latest stays. @param times  ascending. @pre  the map is finite, its factor not zero
Channel with_moved_keys(const Channel& channel, std::span<const float> times, const TimeMap& map);

/// CUBICSPLINE begins with automatic tangents, and with rotations whose signs take the short way from key to key.
Channel with_interpolation(const Channel& channel, Interpolation interpolation);

/// What kAuto, kFlat and kFree say; kFree gives both sides the mean of their slopes, kBroken lets each side point
/// straight at its neighbour. @param times  ascending. @pre  the channel is cubic
Channel with_tangents(const Channel& channel, std::span<const float> times, Tangents tangents);
/// One tangent; the other side follows unless it is `alone`. @param tangent  [width] per second. @pre  cubic
Channel with_tangent(const Channel& channel, std::size_t key, KeySide side, std::span<const float> tangent, bool alone);

/// Backwards: what was at `start + end - t`. Keys of STEP change places, so that each pose is held from its new time.
Channel reversed(const Channel& channel, float start, float end);
/// What lies between, moved so that `start` becomes 0, with keys at both ends. @pre  start < end
Channel trimmed(const Channel& channel, float start, float end);
/// LINEAR keys with the curve's values at each frame from `start` to `end`, and at `end`; STEP keeps its keys.
/// @pre  frame_rate > 0, start <= end
Channel resampled(const Channel& channel, float start, float end, double frame_rate);

}  // namespace pelt::rig
