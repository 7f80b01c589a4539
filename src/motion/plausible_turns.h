#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>

#include "motion/human_body.h"
#include "motion/world_frames.h"
#include "rig/skeleton.h"

namespace pelt::motion {

/// A joint of a human body at one end of a motion that people can make.
struct PlausibleTurn {
  int joint = -1;
  std::string_view motion;  ///< as anatomy calls it: "flexion", "external rotation"
  double degrees = 0;       ///< from the anatomical zero, not from rest: 0 of a straight elbow, 90 of an arm held out
  glm::dquat turn{1, 0, 0, 0};  ///< from rest, in the parent's frame: local rotation = turn * rest rotation
};

/// The ends of the ranges of motion of all joints whose place in the body is known, for joints of which the file tells
/// no limits. Trunk and neck share their range among their joints evenly. An end that the rest pose lies beyond already
/// is left out. The hips, which turn the whole body, and joints without a role have none.
///
/// Directions are those of the body as it stands at rest: an elbow or a knee turns about one axis, normal to its limb,
/// on the side on which people bend it; a hand and its fingers bend towards the palm, which the knuckles tell, else the
/// way in which the arm hangs. What bones tell (arm, elbow, hip, knee, fingers) counts from the anatomical zero; of
/// what they cannot tell (feet, collar bones, twists) the rest pose counts as the zero.
///
/// Source: American Academy of Orthopaedic Surgeons, "Joint Motion: Method of Measuring and Recording", 1965, the means
/// for healthy adults (not: hyperextension of elbow and knee, jaw, eyes, collar bone and spreading of fingers, which
/// the project chose); Inman, Saunders, Abbott, "Observations on the function of the shoulder joint", JBJS 26, 1944: of
/// an arm raised by 180 degrees the collar bone and the shoulder blade take 60.
/// @pre  the body is the skeleton's and `rest` its frames at rest @cost O(J)
std::vector<PlausibleTurn> plausible_turns(const rig::Skeleton& skeleton, const HumanBody& body,
                                           const WorldFrames& rest);

}  // namespace pelt::motion
