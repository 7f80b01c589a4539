#pragma once

#include <span>
#include <string_view>

#include "core/result.h"
#include "rig/character.h"

namespace pelt::measure {

/// A way in which the meshes that people have are worse than those of examples: a character made from another, whose
/// new vertices have the weights of those that they were made from. All of it is decided by numbers of triangles and
/// vertices, so that the same character gives the same one.
struct HardInput {
  std::string_view id;  ///< "soup"
  std::string_view help;
  /// @param character  skinned; what is not skinned stays. Up is +y and the front +z in its rest pose
  Result<rig::Character> (*make)(const rig::Character& character);
};

/// Those of the binding benchmark, in its order.
std::span<const HardInput> hard_inputs();

}  // namespace pelt::measure
