#include "bind/geodesic_voxel.h"

#include <algorithm>
#include <vector>

#include "bind/skeleton_shift.h"
#include "bind/volume_heat.h"
#include "bind/voxel_gaps.h"
#include "bind/voxel_ways.h"

namespace pelt::bind {
namespace {

enum GeodesicField : std::size_t { kGeodesicVoxels, kGeodesicAlpha, kGeodesicBones };

constexpr double kLeastDistance = 1e-6;  // diagonals
constexpr std::size_t kPreviewBones = 4;
constexpr double kPreviewAlpha = 0.3;

// Weights by ways; without remarks.
Binding binding_by_ways(const Problem& problem, std::span<const Bone> all_bones, const VoxelWays& ways, double alpha,
                        std::size_t bones) {
  Binding binding;
  binding.cause.assign(problem.place_count(), Cause::kSolved);
  const double size = problem.diagonal > 0 ? problem.diagonal : 1.0;
  std::vector<WayToBone> near;
  std::vector<Share> row;
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    ways.at(problem.positions[w], near);
    row.clear();
    for (std::size_t k = 0; k < near.size() && k < bones; ++k) {
      row.push_back({near[k].bone, geodesic_weight(near[k].distance / size, alpha)});
    }
    if (row.empty()) {
      row.push_back({static_cast<std::uint16_t>(nearest_bone(problem.positions[w], all_bones)), 1});
      binding.cause[w] = Cause::kNearest;
    }
    binding.rows.push(row);
  }
  return binding;
}

// Binds on a grid of n cubes along the longest side.
std::optional<Binding> bind_on_grid(const Problem& problem, int n, double alpha, std::size_t bones,
                                    const Progress& progress) {
  const std::optional<Voxels> voxels = voxelised(problem, n, progress);
  if (!voxels) {
    return std::nullopt;
  }
  const std::optional<VoxelWays> ways = VoxelWays::make(*voxels, problem.bones, bones, progress);
  if (!ways) {
    return std::nullopt;
  }
  Binding binding = binding_by_ways(problem, problem.bones, *ways, alpha, bones);
  remark_on_unreached(problem, binding);
  for (const BoneOutside& bone : ways->outside()) {
    binding.remarks.push_back({.kind = RemarkKind::kBoneOutside,
                               .bone = static_cast<int>(bone.bone),
                               .where = problem.bones[bone.bone].head,
                               .amount = bone.distance,
                               .instead = Cause::kGeodesic});
  }
  remark_on_gaps(problem, voxels->grid, binding);
  return binding;
}

std::optional<Binding> preview_by_ways(const Problem& problem, int n, const Progress& progress) {
  const std::optional<Voxels> voxels = voxelised(problem, n, progress);
  if (!voxels) {
    return std::nullopt;
  }
  std::vector<Bone> bones = branched_bones(problem);
  bones = shifted_bones(bones, shift_into_volume(*voxels, bones));
  const std::optional<VoxelWays> ways = VoxelWays::make(*voxels, bones, kPreviewBones, progress);
  return ways ? std::optional(binding_by_ways(problem, bones, *ways, kPreviewAlpha, kPreviewBones)) : std::nullopt;
}

}  // namespace

bool show_ways_first(const Problem& problem, int voxels, const Watcher& watcher) {
  for (int coarse = 32; watcher.show && coarse <= 64 && 2 * coarse <= voxels; coarse *= 2) {
    const std::optional<Binding> preview = preview_by_ways(problem, coarse, watcher.progress);
    if (!preview) {
      return false;
    }
    watcher.show(*preview);
  }
  return true;
}

double geodesic_weight(double distance, double alpha) {
  const double d = std::max(distance, kLeastDistance);
  const double inverse = 1 / ((1 - alpha) * d + alpha * d * d);
  return inverse * inverse;
}

std::span<const Field> geodesic_voxel_fields() {
  static constexpr Field kFields[] = {
      {"voxels", "Voxels", "", "cubes along the longest side: gaps narrower than two of them close",
       Field::Kind::kInteger, 16, 256, 256},
      {"alpha", "Falloff", "", "0: weights fall with the square of the distance, 1: with its fourth power",
       Field::Kind::kReal, 0, 1, 0.3},
      {"bones", "Bones", "", "so many of the nearest bones share a vertex", Field::Kind::kInteger, 1, 16, 4},
  };
  return kFields;
}

std::optional<Binding> bind_geodesic_voxel(const Problem& problem, std::span<const double> values,
                                           const Watcher& watcher) {
  const auto n = static_cast<int>(values[kGeodesicVoxels]);
  const auto bones = static_cast<std::size_t>(values[kGeodesicBones]);
  for (int coarse = 32; watcher.show && coarse < n; coarse *= 2) {
    const std::optional<Binding> preview =
        bind_on_grid(problem, coarse, values[kGeodesicAlpha], bones, watcher.progress);
    if (!preview) {
      return std::nullopt;
    }
    watcher.show(*preview);
  }
  return bind_on_grid(problem, n, values[kGeodesicAlpha], bones, watcher.progress);
}

}  // namespace pelt::bind
