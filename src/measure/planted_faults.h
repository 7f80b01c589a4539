#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "rig/bound_bones.h"
#include "rig/character.h"

namespace pelt::measure {

/// A character in which something was broken on purpose, and what of it lint has to name.
struct PlantedFault {
  rig::Character character;
  int mesh = -1;
  std::vector<std::uint32_t> vertices;  ///< all that are wrong, ascending, counted through all primitives of the mesh
};

/// How much is broken: a little, as much as one sees, all of it.
inline constexpr std::size_t kFaultStrengths = 3;

/// A way in which weights, bindings and surfaces of real files are broken. Everything is decided by the character, so
/// that the same one gives the same fault; no line here knows how lint finds it.
struct FaultKind {
  std::string_view code;  ///< the lint rule that has to name it
  std::string_view help;  ///< each strength in words
  /// @param strength  below kFaultStrengths
  /// @returns nothing where the character has no place for such a fault
  std::optional<PlantedFault> (*plant)(const rig::Character& character, std::size_t strength) = nullptr;
};

/// The skinned mesh with the most vertices that have weights, into which faults are planted; nothing where there is
/// none.
std::optional<rig::SkinnedMesh> largest_skin(const rig::Character& character);

/// Those of a character that is there. What a file alone can hold (weights below 0, sums of integers) is not among
/// them.
std::span<const FaultKind> fault_kinds();

}  // namespace pelt::measure
