#pragma once

#include <span>
#include <string>
#include <vector>

#include "motion/clip_layers.h"
#include "motion/constraints.h"
#include "motion/drivers.h"
#include "motion/sliders.h"
#include "motion/springs.h"
#include "rig/skeleton.h"

namespace pelt::motion {

/// What moves a character besides clips and hands. Joints and shapes are named, so that it goes over to another version
/// of the character as it is.
struct Behaviour {
  std::vector<SemanticSlider> sliders = {};
  std::vector<Driver> drivers = {};
  SpringSet springs = {};
  std::vector<ClipLayer> clip_layers = {};  ///< the first works first
  std::vector<Constraint> constraints = {};
  bool operator==(const Behaviour&) const = default;
};

/// The same for joints that have other names now.
/// @param numbers  [joints of before] their indices in `after`, -1: gone; its names stay
Behaviour with_joints_renamed(Behaviour behaviour, const rig::Skeleton& before, const rig::Skeleton& after,
                              std::span<const int> numbers);

/// The same for clips that have other names or numbers now. What plays a clip that is gone
/// names none any more where that was a number, or is the name of another now, else still its name.
/// @param numbers  [clips of before] their indices in `after`, -1: gone
Behaviour with_clips_renamed(Behaviour behaviour, const rig::Character& before, const rig::Character& after,
                             std::span<const int> numbers);

/// A driver with its usual numbers for a character, to begin with.
struct DriverPreset {
  std::string_view id;     ///< "biceps"
  std::string_view label;  ///< "Biceps"
  std::string_view help;   ///< one sentence
  /// @param target  a slider or shape as find_control() takes it; @param source  the same, of what it follows
  std::string (*expression)(std::string_view target, std::string_view source);
  bool reads_source;  ///< false: it follows the time alone
};
/// Biceps, breathing, belly, squash along and across (C49.5), as §19 and §49 have them.
std::span<const DriverPreset> driver_presets();

}  // namespace pelt::motion
