#pragma once

#include <cstdint>
#include <numbers>
#include <string>
#include <variant>
#include <vector>

#include "edit/commands.h"
#include "edit/document.h"

namespace pelt::edit {

/// A moment of a clip.
struct ClipMoment {
  int clip = 0;
  float time = 0;  ///< seconds on the clip's own axis
};
/// Every rotation of every joint somewhere within its limits, evenly; one that nothing limits within `unlimited_angle`
/// both ways: few skins are made for more, and three of them add up. The same seed and number give the same pose
/// everywhere.
struct RandomPose {
  std::uint32_t seed = 1;
  std::uint32_t number = 0;
  float unlimited_angle = std::numbers::pi_v<float> / 4;  ///< radians
};

/// A pose to try on a document: what to change there. A few words, whatever the character, but for pose files.
struct TrialPose {
  std::string label;  ///< stable; "elbow_l.bend=140" (degrees or metres, as for --set), "walk 0.35 s", "random 3",
                      ///< "forearm_l flexion 150°" where the human body and no slider gives the range
  std::variant<SetDof, ClipMoment, RandomPose, ReplacePose, SetJointLocal> what;
};

/// The changes that bring the document into the pose, to be applied in this order.
/// @cost O(J), to which applying them adds O(J)
std::vector<Change> changes_of(const Document& document, const TrialPose& pose);
/// The same for a pose that was tried when the document was another: goes back to the pose of that one first.
std::vector<Change> changes_of(const Document& document, const Document& tried_from, const TrialPose& pose);
/// The document in the pose, without a step of undo.
Document posed(const Document& document, const TrialPose& pose);

struct BatteryOptions {
  bool limits = true;                                     ///< each DOF at both limits
  bool clips = true;                                      ///< the extremes of all clips
  int moments = 0;                                        ///< this many moments of all clips, evenly spread
  int random = 0;                                         ///< this many random poses
  std::uint32_t seed = 1;                                 ///< of those
  float unlimited_angle = std::numbers::pi_v<float> / 2;  ///< radians, both ways, for rotations that nothing limits
  /// In a recognised human body, joints without limits of their own go through what people can do
  /// (motion::plausible_turns()), and joints without a place in the body turn by half of `unlimited_angle`.
  bool plausible = false;
  bool operator==(const BatteryOptions&) const = default;
};
/// How many joints of a battery turn within which ranges.
struct BatteryRanges {
  int own = 0;            ///< the limits of their sliders
  int body = 0;           ///< what people can do
  int free = 0;           ///< `free_angle` both ways, since nothing limits them
  float free_angle = 0;   ///< radians
  bool is_human = false;  ///< a human body was recognised
};
/// "12 joints within their own limits; 53 as far as people can turn them; ...", without a full stop.
std::string sentence(const BatteryRanges& ranges);

/// Of the standard battery, unless one asks for another number.
inline constexpr int kBatteryRandomPoses = 24;
/// By which methods and diets are judged, in the window and on the command line: their numbers are of the same poses.
inline constexpr BatteryOptions kStandardBattery = {.random = kBatteryRandomPoses};
/// What the character does in its own clips, and nothing else.
inline constexpr int kBatteryMoments = 40;
inline constexpr BatteryOptions kClipBattery = {.limits = false, .clips = false, .moments = kBatteryMoments};

/// The poses that find a character's worst: each DOF of each joint at both limits while the others stay as the document
/// has them, the moments at which clips turn a joint farthest from rest (one per joint and clip; equal moments once),
/// evenly spread moments of the clips (with fewer clips than moments as many of each, k of them at (i + 1/2) / k of its
/// length; else the middles of evenly chosen clips), and random ones.
///
/// Joints are the nodes that some skin lists; in a character without skins all nodes. A rotation that can make a whole
/// turn, or whose joint has the default DOFs, counts as unlimited. Translations and scales are tried where the file
/// authored them. A limit where the joint already stands is no pose.
/// @param out_ranges  gets the ranges of the limits, where it is not null
/// @cost O(J + keys)
std::vector<TrialPose> make_battery(const Document& document, const BatteryOptions& options,
                                    BatteryRanges* out_ranges = nullptr);

/// `count` random poses.
std::vector<TrialPose> random_poses(int count, std::uint32_t seed);

/// "elbow_l.bend=140": a slider's value as `--set` takes it.
std::string slider_label(const Document& document, const SetDof& slider);

}  // namespace pelt::edit
