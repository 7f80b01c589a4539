#pragma once

#include <span>
#include <vector>

#include <glm/glm.hpp>

namespace pelt::motion {

/// Frames in which a part of a foot stands.
struct FootContact {
  int side = 0;         ///< 0 left, 1 right
  bool is_toe = false;  ///< the ball of the foot; else the ankle
  int first = 0;
  int last = 0;  ///< itself included
};

/// What counts as standing, in lengths of the leg.
struct ContactLimits {
  double speed = 0.35;         ///< leg lengths a second
  double height = 0.07;        ///< above where the joint is when it stands
  double shortest = 0.1;       ///< seconds; shorter ones are none
  double bridged = 0.05;       ///< seconds; shorter gaps are none
  double low_share = 0.1;      ///< of all frames in which the joint is below what counts as its place when it stands
  double speed_window = 0.04;  ///< seconds over which speed is measured
};

/// When one joint of a foot stands: it is low and hardly moves.
/// @param positions  [F] world, metres, up along +y
/// @param times      [F] seconds, ascending
/// @param leg        its length, metres, > 0
std::vector<FootContact> find_contacts(std::span<const glm::dvec3> positions, std::span<const float> times, double leg,
                                       const ContactLimits& limits = {});

/// The height below which a joint is in `share` of all frames. @pre positions is not empty
double low_height(std::span<const glm::dvec3> positions, double share);

}  // namespace pelt::motion
