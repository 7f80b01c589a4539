#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "motion/controls.h"
#include "motion/expression.h"
#include "motion/pose_sources.h"
#include "rig/character.h"
#include "rig/pose_builder.h"

namespace pelt::motion {

/// ALGORITHMS.md §19: a slider or a shape that follows an expression. Names, not numbers, say which, so that a driver
/// goes over to another version of the character as it is.
struct Driver {
  std::string target;      ///< as find_control() takes it: "biceps_l.tx", "shape(biceps)"
  std::string expression;  ///< degrees, metres, factors, weights
  bool on = true;
  bool operator==(const Driver&) const = default;
};

inline constexpr std::size_t kMostDrivers = 1000;

/// An input of an expression, found in a character.
struct FoundInput {
  InputKind kind = InputKind::kTime;
  Control control = {};  ///< of kDof and kShape
  int joint = -1;        ///< of kSwing, kTwist, kDistance
  int other = -1;        ///< of kDistance
  int axis = 0;
};
/// Fails with the column of the first name that the character does not have.
Result<std::vector<FoundInput>> find_inputs(const Expression& expression, const rig::Character& character);
/// What they are at this moment. @param out  one per input
void read_inputs(std::span<const FoundInput> inputs, const PoseSources& sources, rig::PoseBuilder& pose,
                 std::vector<double>& out);

/// Drivers as they work on one character.
struct DriverRig {
  struct Row {
    int driver = 0;  ///< its place in the list that the rig was made of
    Control target;
    Expression expression;
    std::vector<FoundInput> inputs;
  };
  std::vector<Row> rows;            ///< those that work, each behind those whose targets it reads
  std::vector<std::string> faults;  ///< [drivers] why one does not work, in a sentence; empty where it does or is off
};

/// Orders drivers by what they read. One that cannot be parsed, names what the character does not have, has the target
/// of another, or reads its own target, by way of others or not, does not work, and its fault says so: of a cycle the
/// targets on it, "arm.bend -> hand.bend -> arm.bend" (C18.4).
/// @cost O(D^2 depth)
DriverRig make_driver_rig(const rig::Character& character, std::span<const Driver> drivers);

/// What counts of a row where its expression has no value.
using LastValue = std::function<double(std::size_t row)>;

/// Writes the numbers that drivers give to the pose, in order, each clamped to the limits of its slider.
/// @returns [rows] what counted, before it was clamped
std::vector<double> apply_driver_rig(const DriverRig& drivers, const PoseSources& sources, const LastValue& last,
                                     rig::PoseBuilder& pose);

/// The layer: PoseSources::drivers. Where an expression has no value, the last one that it had counts: that of the
/// last frame of the clip before the playhead at which it had one, 0 where there is none. So a frame looks the same
/// from wherever the playhead comes. Nothing in the bind pose, as constraints.
void apply_driver_layer(const PoseSources& sources, std::span<const float> values, rig::PoseBuilder& pose);

/// Frames per second at which `dt` and the search for a last value go.
inline constexpr double kDriverFrameRate = 60;
/// Values are looked for in so many frames from the clip's start on: ten minutes.
inline constexpr int kMostHeldFrames = 36'000;

/// What one driver says at a pose, for people: its inputs, and the value if it has one.
struct DriverReading {
  std::vector<double> inputs;
  std::optional<double> value;
};
DriverReading read_driver(const DriverRig::Row& row, const PoseSources& sources, rig::PoseBuilder& pose);

}  // namespace pelt::motion
