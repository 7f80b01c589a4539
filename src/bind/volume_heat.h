#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bind/binders.h"
#include "bind/voxels.h"

namespace pelt::bind {

/// Heat over the surface, as bones are seen through the volume. ALGORITHMS.md §36.
///
/// As bone heat (§34), but a bone is seen where the way to its nearest point stays within the volume of voxels, so that
/// holes, borders and shells that overlap hide nothing, and it is the farther the more it lies aside of the inward
/// normal: d / (1/2 (1 + cos)). A place that sees no bone is held by the one whose way through the volume is
/// shortest.
std::span<const Field> volume_heat_fields();
std::optional<Binding> bind_volume_heat(const Problem& problem, std::span<const double> values, const Watcher& watcher);

inline constexpr double kVolumeHeatSharpness = 4;
inline constexpr int kVolumeHeatVoxels = 128;

struct VolumeHeat {
  Rows rows;                 ///< [W] empty on islands from where no bone is reached
  std::vector<Cause> cause;  ///< [W] kSolved, or kGeodesic where no bone is seen
};
/// @param bones      [B] as they are meant to be, see branched_bones()
/// @param sharpness  c of H = c / d^2
std::optional<VolumeHeat> heat_in_volume(const Problem& problem, std::span<const Bone> bones, const Voxels& voxels,
                                         double sharpness, const Progress& progress);

/// The bones with a segment to each of several that they carry, whatever the problem has as their tails: what lies
/// between the shoulders belongs to the chest, though the mean of neck and shoulders may lie in the neck.
std::vector<Bone> branched_bones(const Problem& problem);

/// Adds remarks on islands that see no bone, on other places that do not, on islands that face inwards and on bones
/// that lie outside.
/// @param cause    [W] as heat_in_volume() says
/// @param binding  with its rows
void remark_on_volume(const Problem& problem, std::span<const Bone> bones, const Voxels& voxels,
                      std::span<const Cause> cause, Binding& binding);

}  // namespace pelt::bind
