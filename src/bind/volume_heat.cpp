#include "bind/volume_heat.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "bind/diffusion.h"
#include "bind/geodesic_voxel.h"
#include "bind/united_places.h"
#include "bind/voxel_ways.h"
#include "core/parallel.h"

namespace pelt::bind {
namespace {

enum VolumeHeatField : std::size_t { kHeatSharpness, kHeatVoxels };

constexpr double kLeastFacing = 1e-3;  // of that, behind the surface
constexpr double kAsNearByHeat = 1e-6;
constexpr double kNearestHold = 1e-4;   // diagonals: nearer bones hold no faster
constexpr double kBranchLength = 1e-3;  // diagonals: children nearer to the head are no branches

struct SeenBone {
  double distance = 0;  // farther the more it lies aside
  glm::dvec3 nearest = {};
  std::uint16_t bone = 0;
  bool operator<(const SeenBone& other) const {
    return distance != other.distance ? distance < other.distance : bone < other.bone;
  }
};

void bones_seen_from(const glm::dvec3& p, const glm::dvec3& normal, std::span<const Bone> bones,
                     std::vector<SeenBone>& out) {
  out.clear();
  for (std::size_t b = 0; b < bones.size(); ++b) {
    const OnBone on = nearest_on_bone(p, bones[b]);
    const glm::dvec3 q = glm::mix(bones[b].head, bones[b].tails[on.tail], on.t);
    double facing = 1;
    if (on.distance > 0 && normal != glm::dvec3(0.0)) {
      facing = std::max(kLeastFacing, 0.5 * (1 + glm::dot(normal, p - q) / on.distance));
    }
    out.push_back({on.distance / facing, q, static_cast<std::uint16_t>(b)});
  }
  std::sort(out.begin(), out.end());
}

// The nearest of the bones that are seen, or several that are equally near.
Hold hold_by_sight(const glm::dvec3& p, std::span<const SeenBone> by_distance, const Voxels& voxels, double diagonal,
                   double sharpness) {
  Hold hold;
  double least = 0;
  for (const SeenBone& bone : by_distance) {
    if (!hold.shares.empty() && bone.distance > least * (1 + kAsNearByHeat)) {
      break;
    }
    if (within(voxels, p, bone.nearest)) {
      least = hold.shares.empty() ? bone.distance : least;
      hold.shares.push_back({bone.bone, 1});
    }
  }
  for (Share& share : hold.shares) {
    share.weight = 1 / static_cast<double>(hold.shares.size());
  }
  const double d = std::max(least, kNearestHold * diagonal);
  hold.strength = hold.shares.empty() ? 0 : static_cast<double>(hold.shares.size()) * sharpness / (d * d);
  return hold;
}

double least_distance(const Problem& problem, const Bone& bone) {
  double least = std::numeric_limits<double>::infinity();
  for (const glm::dvec3& p : problem.positions) {
    least = std::min(least, distance_to_bone(p, bone));
  }
  return least;
}

bool passes_volume(const Voxels& voxels, const Bone& bone) {
  return !std::ranges::all_of(bone.tails, [&](const glm::dvec3& tail) {
    return walk_cubes(voxels.grid, bone.head, tail,
                      [&](const glm::ivec3& at) { return voxels.at(at) == Voxel::kOutside; });
  });
}

}  // namespace

std::span<const Field> volume_heat_fields() {
  static constexpr Field kFields[] = {
      {"sharpness", "Sharpness", "", "how steeply weights change from bone to bone", Field::Kind::kReal, 0.1, 32,
       kVolumeHeatSharpness},
      {"voxels", "Voxels", "", "cubes along the longest side: gaps narrower than two of them hide nothing",
       Field::Kind::kInteger, 16, 256, kVolumeHeatVoxels},
  };
  return kFields;
}

std::vector<Bone> branched_bones(const Problem& problem) {
  std::vector<Bone> bones = problem.bones;
  std::vector<std::vector<glm::dvec3>> branches(bones.size());
  for (const Bone& bone : problem.bones) {
    const int parent = bone.parent;
    if (parent >= 0 && glm::length(bone.head - bones[parent].head) > kBranchLength * problem.diagonal) {
      branches[parent].push_back(bone.head);
    }
  }
  for (std::size_t b = 0; b < bones.size(); ++b) {
    if (branches[b].size() > 1) {
      bones[b].tails = std::move(branches[b]);
    }
  }
  return bones;
}

std::optional<VolumeHeat> heat_in_volume(const Problem& problem, std::span<const Bone> bones, const Voxels& voxels,
                                         double sharpness, const Progress& progress) {
  const std::size_t count = problem.place_count();
  const std::vector<glm::dvec3> normals = outward_normals(problem, voxels.turned);
  VolumeHeat out;
  out.cause.assign(count, Cause::kSolved);
  std::vector<Hold> holds(count);
  std::atomic<std::size_t> done = 0;
  std::atomic<bool> stop = false;
  parallel_for(count, 256, [&](std::size_t begin, std::size_t end) {
    if (stop) {
      return;
    }
    std::vector<SeenBone> seen;
    for (std::size_t w = begin; w < end; ++w) {
      bones_seen_from(problem.positions[w], normals[w], bones, seen);
      holds[w] = hold_by_sight(problem.positions[w], seen, voxels, problem.diagonal, sharpness);
      out.cause[w] = holds[w].shares.empty() ? Cause::kGeodesic : Cause::kSolved;
    }
    done += end - begin;
    if (!report(progress, static_cast<float>(done) / static_cast<float>(count), "bones that are seen")) {
      stop = true;
    }
  });
  if (stop || !report(progress, 1.0f, "bones that are seen")) {
    return std::nullopt;
  }
  if (std::ranges::find(out.cause, Cause::kGeodesic) != out.cause.end()) {
    const std::optional<VoxelWays> ways = VoxelWays::make(voxels, bones, 1, progress);
    if (!ways) {
      return std::nullopt;
    }
    std::vector<WayToBone> near;
    for (std::size_t w = 0; w < count; ++w) {
      if (out.cause[w] == Cause::kGeodesic) {
        ways->at(problem.positions[w], near);
        if (!near.empty()) {
          const double d = std::max(near[0].distance, kNearestHold * problem.diagonal);
          holds[w] = {sharpness / (d * d), {{near[0].bone, 1}}};
        }
      }
    }
  }
  std::optional<Rows> rows = diffused(problem, holds, progress);
  if (!rows) {
    return std::nullopt;
  }
  out.rows = std::move(*rows);
  return out;
}

void remark_on_volume(const Problem& problem, std::span<const Bone> bones, const Voxels& voxels,
                      std::span<const Cause> cause, Binding& binding) {
  std::vector<std::size_t> first(problem.island_count(), problem.place_count());
  std::vector<std::size_t> unseeing(problem.island_count(), 0);
  for (std::size_t w = problem.place_count(); w-- > 0;) {
    first[problem.island[w]] = w;
    unseeing[problem.island[w]] += cause[w] != Cause::kSolved ? 1 : 0;
  }
  Remark rest{.kind = RemarkKind::kFallback, .instead = Cause::kGeodesic};
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (unseeing[i] == problem.island_size[i]) {
      binding.remarks.push_back({.kind = RemarkKind::kIslandSeesNoBone,
                                 .island = static_cast<int>(i),
                                 .places = unseeing[i],
                                 .where = problem.positions[first[i]],
                                 .instead = binding.cause[first[i]]});
    } else if (unseeing[i] > 0) {
      rest.where = rest.places == 0 ? problem.positions[first[i]] : rest.where;
      rest.places += unseeing[i];
    }
  }
  Remark unsolved{.kind = RemarkKind::kFallback, .instead = Cause::kNearest};
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    if (cause[w] == Cause::kSolved && binding.cause[w] == Cause::kNearest) {
      unsolved.where = unsolved.places++ == 0 ? problem.positions[w] : unsolved.where;
    }
  }
  for (const Remark& remark : {rest, unsolved}) {
    if (remark.places > 0) {
      binding.remarks.push_back(remark);
    }
  }
  std::vector<std::size_t> triangles(first.size(), 0);
  std::vector<std::size_t> turned(first.size(), 0);
  for (std::size_t t = 0; t < problem.triangles.size(); ++t) {
    const std::uint32_t island = problem.island[problem.triangles[t][0]];
    ++triangles[island];
    turned[island] += voxels.turned[t] != 0 ? 1 : 0;
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (2 * turned[i] > triangles[i]) {
      binding.remarks.push_back({.kind = RemarkKind::kInsideOut,
                                 .island = static_cast<int>(i),
                                 .places = problem.island_size[i],
                                 .where = problem.positions[first[i]]});
    }
  }
  std::vector<char> by_ways(bones.size(), 0);
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    for (const Share& share : cause[w] == Cause::kGeodesic ? binding.rows[w] : std::span<const Share>()) {
      by_ways[share.bone] = 1;
    }
  }
  for (std::size_t b = 0; b < bones.size(); ++b) {
    if (!passes_volume(voxels, bones[b])) {
      binding.remarks.push_back({.kind = RemarkKind::kBoneOutside,
                                 .bone = static_cast<int>(b),
                                 .where = bones[b].head,
                                 .amount = least_distance(problem, bones[b]),
                                 .instead = by_ways[b] != 0 ? Cause::kGeodesic : Cause::kSolved});
    }
  }
}

std::optional<Binding> bind_volume_heat(const Problem& problem, std::span<const double> values,
                                        const Watcher& watcher) {
  if (!show_ways_first(problem, static_cast<int>(values[kHeatVoxels]), watcher)) {
    return std::nullopt;
  }
  const std::optional<Voxels> voxels = voxelised(problem, static_cast<int>(values[kHeatVoxels]), watcher.progress);
  if (!voxels) {
    return std::nullopt;
  }
  const UnitedPlaces united = united_places(problem, voxels->turned);
  const Problem& whole = united.problem;
  const std::vector<Bone> bones = branched_bones(whole);
  const std::optional<VolumeHeat> heat =
      heat_in_volume(whole, bones, *voxels, values[kHeatSharpness], watcher.progress);
  if (!heat) {
    return std::nullopt;
  }
  Binding binding;
  binding.cause = heat->cause;
  for (std::size_t w = 0; w < whole.place_count(); ++w) {
    if (heat->rows[w].empty()) {
      binding.cause[w] = Cause::kNearest;
      const Share nearest{static_cast<std::uint16_t>(nearest_bone(whole.positions[w], whole.bones)), 1};
      binding.rows.push(std::span(&nearest, 1));
    } else {
      binding.rows.push(heat->rows[w]);
    }
  }
  remark_on_volume(whole, whole.bones, *voxels, heat->cause, binding);
  return parted(problem, united, std::move(binding));
}

}  // namespace pelt::bind
