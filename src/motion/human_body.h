#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <glm/glm.hpp>

#include "motion/world_frames.h"
#include "rig/character.h"

namespace pelt::motion {

/// A joint that is something in a human body, and how that is known.
struct BodyJoint {
  int joint = -1;
  double confidence = 0;  ///< 0..1
  std::string reason;     ///< "by its name", "by the shape of the skeleton", ...
};

/// What the joints of a skeleton are in a human body. Roles are VRM's words ("hips", "leftUpperArm"); fingers are
/// counted from the palm ("leftIndex1" to "leftIndex3").
struct HumanBody {
  std::map<std::string, BodyJoint, std::less<>> roles;
  std::vector<int> torso;  ///< above the hips up to the joint that neck or arms hang on, in this order
  std::vector<int> neck;   ///< above that, below the head
  /// Columns left, up, forward: how the body stands at rest. Exactly along axes of the world where it nearly is.
  glm::dmat3 facing = glm::dmat3(1.0);
  bool faces = false;  ///< the joints tell `facing`

  /// -1 where no joint has that role.
  [[nodiscard]] int find(std::string_view role) const;
  /// The joint that neck and arms hang on; the hips where nothing is between; -1 without hips.
  [[nodiscard]] int chest() const;
  /// Hip to knee to ankle, the longer leg; 0 where neither is complete.
  [[nodiscard]] double leg_length(const WorldFrames& frames) const;
  /// Whether hips, head, and both arms and legs are known.
  [[nodiscard]] bool is_complete() const;
};

/// One limb: the direction from a joint to the next one is what retargeting keeps.
struct Limb {
  std::string_view role;
  std::string_view next;
};
/// Upper and lower arms and legs, both sides.
std::vector<Limb> human_limbs();
/// All roles that a body may have, from the hips to the last finger bones.
const std::vector<std::string>& human_body_roles();

/// Looks for a body: by the roles that a VRM file gives, by names in many spellings, then by what hangs on what and
/// where it lies, for names that say nothing. Which side is left is then told by where the feet point.
/// @param rest  frames of the pose in which the body stands, up along +y
HumanBody find_human_body(const rig::Character& character, const WorldFrames& rest);

/// The same by the shape alone. @cost O(J) a candidate for the hips
HumanBody find_human_body_by_shape(const rig::Character& character, const WorldFrames& rest);

/// How a body stands, from its roles; sets `facing` and `faces`.
void find_facing(const WorldFrames& frames, HumanBody& body);

}  // namespace pelt::motion
