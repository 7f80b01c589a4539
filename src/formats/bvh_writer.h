#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "rig/character.h"

namespace pelt::formats {

struct BvhForm {
  double metres_per_unit = 0.01;    ///< centimetres, as most programs expect
  std::optional<double> rate = {};  ///< frames a second; none: as the clip's keys lie, where these are even, else 60
};

/// Writes a skeleton and one clip as Biovision BVH. The rest pose becomes the zero pose: OFFSETs lie along the axes of
/// the world, and rotations are those since rest, so that any program sees the character as it stands. Roots have
/// position channels, and so do joints that the clip moves; rotations are listed Z, X, Y. A leaf named as its parent
/// with "_end" is an End Site. Scales of bones are in the OFFSETs; those that a clip animates are left out. Fails where
/// there is no such clip, or nothing but meshes.
Result<std::string> bvh_text(const rig::Character& character, int clip, const BvhForm& form = {});

}  // namespace pelt::formats
