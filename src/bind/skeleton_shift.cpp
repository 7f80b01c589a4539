#include "bind/skeleton_shift.h"

#include <algorithm>
#include <vector>

#include "core/parallel.h"

namespace pelt::bind {
namespace {

constexpr int kPointsOfSegment = 8;
constexpr double kMostShift = 0.2;       // of the grid
constexpr int kDeepEnough = 6;           // cubes: deeper points count no more
constexpr double kMostlyInside = 0.5;    // of the points: then nothing is moved
constexpr double kClearlyInside = 0.25;  // of the points: so many more must come to lie inside

// How many cubes it is to the outside, along axes, up to kDeepEnough; 0 outside.
std::vector<std::uint8_t> depths_of(const Voxels& voxels) {
  const VoxelGrid& grid = voxels.grid;
  std::vector<std::uint8_t> depth(grid.count(), kDeepEnough);
  for (std::size_t at = 0; at < depth.size(); ++at) {
    depth[at] = voxels.cell[at] == Voxel::kOutside ? 0 : kDeepEnough;
  }
  const std::ptrdiff_t steps[] = {1, grid.size.x, static_cast<std::ptrdiff_t>(grid.size.x) * grid.size.y};
  // The outermost cubes are outside, so that neither pass leaves the grid.
  const auto lower = [&](std::size_t at, int sign) {
    if (depth[at] == 0) {
      return;
    }
    for (const std::ptrdiff_t step : steps) {
      const auto there = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(at) + sign * step);
      depth[at] = std::min(depth[at], static_cast<std::uint8_t>(depth[there] + 1));
    }
  };
  for (std::size_t at = 0; at < depth.size(); ++at) {
    lower(at, -1);
  }
  for (std::size_t at = depth.size(); at-- > 0;) {
    lower(at, 1);
  }
  return depth;
}

struct Fit {
  int depth = 0;   // sum over the points
  int inside = 0;  // points
};

}  // namespace

glm::dvec3 shift_into_volume(const Voxels& voxels, std::span<const Bone> bones) {
  const VoxelGrid& grid = voxels.grid;
  std::vector<glm::ivec3> points;
  for (const Bone& bone : bones) {
    for (const glm::dvec3& tail : bone.tails) {
      for (int k = 0; k < kPointsOfSegment; ++k) {
        points.push_back(grid.cell_at(glm::mix(bone.head, tail, (k + 0.5) / kPointsOfSegment)));
      }
    }
  }
  const std::vector<std::uint8_t> depth = depths_of(voxels);
  const auto fit = [&](const glm::ivec3& by) {
    Fit out;
    for (const glm::ivec3& p : points) {
      if (grid.contains(p + by)) {
        const int here = depth[grid.index(p + by)];
        out.depth += here;
        out.inside += here > 0 ? 1 : 0;
      }
    }
    return out;
  };
  const auto count = static_cast<double>(points.size());
  const Fit now = fit(glm::ivec3(0));
  if (now.inside >= kMostlyInside * count) {
    return {};
  }
  const auto best_of = [&](const glm::ivec3& middle, int steps, int step) {
    std::vector<glm::ivec3> moves;
    for (int z = -steps; z <= steps; ++z) {
      for (int y = -steps; y <= steps; ++y) {
        for (int x = -steps; x <= steps; ++x) {
          moves.push_back(middle + step * glm::ivec3(x, y, z));
        }
      }
    }
    std::vector<int> deep(moves.size());
    parallel_for(moves.size(), 512, [&](std::size_t begin, std::size_t end) {
      for (std::size_t m = begin; m < end; ++m) {
        deep[m] = fit(moves[m]).depth;
      }
    });
    std::size_t best = 0;
    const auto length = [&](std::size_t m) {
      return moves[m].x * moves[m].x + moves[m].y * moves[m].y + moves[m].z * moves[m].z;
    };
    for (std::size_t m = 1; m < moves.size(); ++m) {
      if (deep[m] > deep[best] || (deep[m] == deep[best] && length(m) < length(best))) {
        best = m;
      }
    }
    return moves[best];
  };
  const int reach = static_cast<int>(kMostShift * std::max({grid.size.x, grid.size.y, grid.size.z}));
  const int coarse = std::max(1, reach / 12);
  const glm::ivec3 by = best_of(best_of(glm::ivec3(0), reach / coarse, coarse), coarse, 1);
  return fit(by).inside >= now.inside + kClearlyInside * count ? grid.edge * glm::dvec3(by) : glm::dvec3(0.0);
}

std::vector<Bone> shifted_bones(std::span<const Bone> bones, const glm::dvec3& by) {
  std::vector<Bone> out(bones.begin(), bones.end());
  for (Bone& bone : out) {
    bone.head += by;
    for (glm::dvec3& tail : bone.tails) {
      tail += by;
    }
  }
  return out;
}

}  // namespace pelt::bind
