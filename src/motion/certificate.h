#pragma once

#include <string>
#include <vector>

#include "motion/retarget.h"

namespace pelt::motion {

/// Angles between a limb of the source, facing as the target does, and that of the target, over all frames. Degrees.
struct LimbError {
  std::string limb;  ///< role of its upper end: "leftUpperArm"; "leftFoot" goes on to the toes
  double mean = 0;
  double p95 = 0;
  double max = 0;
};

/// How far a foot moves over the ground while the source's stands.
struct SlideReport {
  int contacts = 0;
  double mean = 0;  ///< of the largest distances from where each contact begins, metres
  double max = 0;   ///< metres
};

/// What a retarget kept and what it cost, measured on its result alone: both skeletons are posed anew in each frame.
struct Certificate {
  int frames = 0;
  double duration = 0;  ///< seconds
  double size = 1;      ///< by which the root's way was multiplied
  double stride = 1;    ///< the same over the ground
  double sunk = 0;      ///< how far the root comes down at most so that held feet are reached, metres
  double leg = 0;       ///< length of the target's, metres
  std::vector<LimbError> limbs;
  LimbError all;  ///< over upper and lower arms and legs
  SlideReport ankles;
  SlideReport toes;  ///< while the ankle does not stand
  double penetration =
      0;  ///< deepest that a joint of the feet goes below where it is when the character stands, metres
  int penetrating_frames = 0;        ///< deeper than a hundredth of the leg
  int limit_hits = 0;                ///< frames times joints outside of limits that the character's file gives
  std::vector<std::string> limited;  ///< names of those joints
  int jumps = 0;                     ///< frames times joints that turn by 10 degrees more than in the source
  std::vector<std::string> jumping;
  std::vector<std::string> unmapped_target;  ///< joints with skin, or with a role, that follow nothing
  std::vector<std::string> unmapped_source;  ///< joints that turn, and that nothing follows

  /// The largest slide over the length of the leg; 0 without legs.
  [[nodiscard]] double slide_share() const;
};

Certificate certify(const RetargetRig& source, const RetargetRig& target, const JointMap& map,
                    const Retargeted& retargeted);

/// The members of a certificate as a JSON object (src/cli/machine_output.md), lengths in metres, angles in degrees.
std::string to_json(const Certificate& certificate);
/// The same for people, a few lines.
std::string summary_text(const Certificate& certificate);

}  // namespace pelt::motion
