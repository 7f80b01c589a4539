#pragma once

#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "core/progress.h"
#include "motion/certificate.h"
#include "motion/retarget.h"

namespace pelt::ui {

struct Desk;

/// A motion on the character, as it would be applied.
struct MotionPreview {
  motion::RetargetRig source;
  motion::RetargetRig target;  ///< with the made clip alone
  motion::JointMap map;
  motion::Certificate certificate;
  double size = 1;  ///< of the character, in sizes of the motion's skeleton: the ratio of the heights of their hips
  std::vector<Transform> reference =
      {};             ///< [J] local: the character as it is held against the motion's reference pose
  std::string note;   ///< what the motion's skeleton made necessary
  std::string error;  ///< why there is none; the rest says nothing then

  [[nodiscard]] const rig::Clip& clip() const { return target.character.clips[0]; }
};

/// Makes one; for a job. Only errors are told of what `progress` stops.
/// @param map  made by hand, or null to make one
MotionPreview make_motion_preview(const rig::Character& motion, int clip, const rig::Character& character,
                                  const motion::JointMap* map, const motion::RetargetSettings& settings,
                                  const Progress& progress);

/// The motion's own skeleton in the world beside the character, as large as that, at a moment of the clip: lines over
/// the picture, in pairs of ends.
/// @param aside  metres to the character's left
std::vector<glm::vec3> source_lines(const MotionPreview& preview, float time, float aside);

/// Both skeletons side by side at a moment of the clip, the motion's own to the left: bones that follow each other are
/// bright, others dim. Dragging in it turns both.
/// @param azimuth  radians, kept by the caller
void draw_motion_preview(const MotionPreview& preview, float time, float& azimuth, Desk& desk);

}  // namespace pelt::ui
