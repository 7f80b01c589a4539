#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/shared.h"
#include "rig/clip.h"

namespace pelt::rig {

struct Character;

// What is done to whole clips, ALGORITHMS.md §47. All channels change together, those of materials and lights too.

/// Start and end as the keys have them; 0 where there are none.
void update_range(Clip& clip);

/// Frames per second the clip was probably authored at: the commonest spacing of its keys if that is close to 24, 25,
/// 30, 48, 50 or 60 per second, else 30. glTF does not say.
float guess_frame_rate(const rig::Clip& clip);

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

/// For each edited clip the one of the file that it came from, by Clip::source; where the file's own say none, as
/// clips_alike() does. Each at most once. -1: made since.
std::vector<int> clips_in_file(const SharedList<Clip>& file, const SharedList<Clip>& edited);
/// For each clip of another version of a file the one of this version: the very same, else the one of its name, else
/// the one of its place where both have as many; each at most once. -1: new.
std::vector<int> clips_alike(const SharedList<Clip>& file, const SharedList<Clip>& other);
/// Takes a clip out, with what is kept for its animation; those behind it move up. @pre  there is one of that number
void remove_clip(Character& character, int clip);
/// The character with no clips but these. @param clips  numbers, in any order
Character with_clips(Character character, const std::vector<int>& clips);
/// Whether both say the same, to the bit of their numbers.
bool same_channel(const Channel& a, const Channel& b);

}  // namespace pelt::rig
