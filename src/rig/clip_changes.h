#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rig/clip.h"

namespace pelt::rig {

// What is done to whole clips, ALGORITHMS.md §47. All channels change together, those of materials and lights too.

/// Start and end as the keys have them; 0 where there are none.
void update_range(Clip& clip);
/// The name, or that and a number, that none of `taken` is.
std::string free_name(const std::string& wished, const std::vector<std::string>& taken);

Clip reversed(const Clip& clip);
/// What lies between, which then begins at 0. @pre start < end
Clip trimmed(const Clip& clip, float start, float end);
/// Slower by that factor about its start; slopes keep their shape. @pre factor > 0
Clip retimed(const Clip& clip, double factor);
/// @pre frame_rate > 0
Clip resampled(const Clip& clip, double frame_rate);

/// How far curves that are fitted may leave the clip.
struct FitTolerance {
  double distance = 1e-3;  ///< metres, of translations; also of scales and shapes, in their own units
  double angle = 1.75e-3;  ///< radians, of each joint's own rotation; a tenth of a degree
};
Clip fitted(const Clip& clip, const FitTolerance& tolerance);

/// What does not close when a clip runs again from its start.
struct SeamJump {
  int joint = -1;  ///< -1: nothing moves
  ChannelPath path = ChannelPath::kTranslation;
  double jump = 0;   ///< between the end and the start: metres, radians, or in own units
  double speed = 0;  ///< between the speeds there, per second
};
/// [channels of nodes, in the clip's order] Each jump. Speeds are those of the first and the last hundredth of a
/// second, or of a shorter clip of its tenth.
std::vector<SeamJump> loop_seam(const Clip& clip);

}  // namespace pelt::rig
