#include "bind/voxel_ways.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pelt::bind {
namespace {

constexpr std::size_t kPointsAtATime = 16;  // of a bone outside: each is held against all cubes
constexpr double kSameWay = 1e-9;           // edges: ways that differ by rounding only

// Cubes along a segment, each once, with the distance of their centres to the bone.
std::vector<std::uint32_t> cubes_along(const Voxels& voxels, const Bone& bone) {
  std::vector<std::uint32_t> cubes;
  for (const glm::dvec3& tail : bone.tails) {
    walk_cubes(voxels.grid, bone.head, tail, [&](const glm::ivec3& at) {
      if (voxels.at(at) != Voxel::kOutside) {
        cubes.push_back(static_cast<std::uint32_t>(voxels.grid.index(at)));
      }
      return true;
    });
  }
  std::ranges::sort(cubes);
  cubes.erase(std::ranges::unique(cubes).begin(), cubes.end());
  return cubes;
}

// Points along the segments of a bone, two to a cube, at most 256 to a segment.
std::vector<glm::dvec3> points_along(const Bone& bone, double edge) {
  constexpr double kMostPoints = 256;
  std::vector<glm::dvec3> points;
  for (const glm::dvec3& tail : bone.tails) {
    const double length = glm::length(tail - bone.head);
    const int count = static_cast<int>(std::min(kMostPoints, std::ceil(2 * length / edge)));
    for (int k = 0; k <= count; ++k) {
      points.push_back(glm::mix(bone.head, tail, count > 0 ? static_cast<double>(k) / count : 0.0));
    }
  }
  return points;
}

}  // namespace

std::optional<VoxelWays> VoxelWays::make(const Voxels& voxels, std::span<const Bone> bones, std::size_t per_cube,
                                         const Progress& progress) {
  VoxelWays out;
  out.grid_ = voxels.grid;
  out.per_cube_ = std::clamp<std::size_t>(per_cube, 1, std::min<std::size_t>(bones.size(), 255));
  out.number_.assign(voxels.cell.size(), -1);
  for (std::size_t at = 0; at < voxels.cell.size(); ++at) {
    if (voxels.cell[at] != Voxel::kOutside) {
      out.number_[at] = static_cast<std::int32_t>(out.cube_.size());
      out.cube_.push_back(static_cast<std::uint32_t>(at));
    }
  }
  out.ways_.resize(out.cube_.size() * out.per_cube_);
  out.count_.assign(out.cube_.size(), 0);
  if (!out.start(voxels, bones, progress) || !out.search(progress)) {
    return std::nullopt;
  }
  return out;
}

bool VoxelWays::start(const Voxels& voxels, std::span<const Bone> bones, const Progress& progress) {
  for (std::size_t b = 0; b < bones.size(); ++b) {
    if (!report(progress, static_cast<float>(b) / static_cast<float>(bones.size()), "cubes of each bone")) {
      return false;
    }
    std::vector<std::uint32_t> cubes = cubes_along(voxels, bones[b]);
    if (cubes.empty()) {
      double least = std::numeric_limits<double>::infinity();
      const std::vector<glm::dvec3> points = points_along(bones[b], grid_.edge);
      for (std::size_t k = 0; k < points.size(); ++k) {
        const float at = static_cast<float>(b) + static_cast<float>(k) / static_cast<float>(points.size());
        if (k % kPointsAtATime == 0 && k > 0 &&
            !report(progress, at / static_cast<float>(bones.size()), "cubes of each bone")) {
          return false;
        }
        double best = std::numeric_limits<double>::infinity();
        std::vector<std::uint32_t> nearest;
        const glm::dvec3 from = grid_.to_grid(points[k]) - 0.5;
        for (const std::uint32_t cube : cube_) {
          const glm::dvec3 away = glm::dvec3(grid_.cell(cube)) - from;
          const double squared = glm::dot(away, away);
          if (squared < best - kSameWay) {
            best = squared;
            nearest.clear();
          }
          if (squared <= best + kSameWay) {
            nearest.push_back(cube);
          }
        }
        cubes.insert(cubes.end(), nearest.begin(), nearest.end());
        least = std::min(least, std::sqrt(best));
      }
      outside_.push_back({b, least * grid_.edge});
      std::ranges::sort(cubes);
      cubes.erase(std::ranges::unique(cubes).begin(), cubes.end());
    }
    for (const std::uint32_t cube : cubes) {
      const double distance = distance_to_bone(grid_.center(grid_.cell(cube)), bones[b]) / grid_.edge;
      offer(static_cast<std::uint32_t>(number_[cube]), {static_cast<std::uint16_t>(b), distance});
    }
  }
  return true;
}

// Keeps a way where it is among the nearest so far, and lets it wait for its turn.
bool VoxelWays::offer(std::uint32_t cube, const WayToBone& way) {
  WayToBone* const ways = &ways_[cube * per_cube_];
  std::uint8_t& count = count_[cube];
  std::size_t place = count;
  for (std::size_t k = 0; k < count; ++k) {
    if (ways[k].bone == way.bone) {
      place = k;
      break;
    }
  }
  if (place < count) {
    if (way.distance >= ways[place].distance - kSameWay) {
      return false;
    }
  } else if (count < per_cube_) {
    ++count;
  } else {
    place = 0;
    for (std::size_t k = 1; k < per_cube_; ++k) {
      if (ways[k].distance > ways[place].distance) {
        place = k;
      }
    }
    if (way.distance >= ways[place].distance) {
      return false;
    }
  }
  ways[place] = way;
  const auto turn = static_cast<std::size_t>(way.distance);
  if (turn >= waiting_.size()) {
    waiting_.resize(turn + 1);
  }
  waiting_[turn].push_back({way.distance, cube, way.bone});
  return true;
}

// Dijkstra by rounds of one edge: no step is shorter, so what a round settles cannot improve another of its ways.
bool VoxelWays::search(const Progress& progress) {
  struct Step {
    std::ptrdiff_t by;
    double length;
  };
  std::vector<Step> steps;
  for (int z = -1; z <= 1; ++z) {
    for (int y = -1; y <= 1; ++y) {
      for (int x = -1; x <= 1; ++x) {
        const int squared = x * x + y * y + z * z;
        if (squared > 0) {
          steps.push_back({(static_cast<std::ptrdiff_t>(z) * grid_.size.y + y) * grid_.size.x + x,
                           std::sqrt(static_cast<double>(squared))});
        }
      }
    }
  }
  const double all = static_cast<double>(cube_.size() * per_cube_) + 1;
  double settled = 0;
  std::vector<Entry> round;
  for (std::size_t turn = 0; turn < waiting_.size(); ++turn) {
    round.swap(waiting_[turn]);
    waiting_[turn] = {};
    if (!report(progress, static_cast<float>(std::min(1.0, settled / all)), "ways through the volume")) {
      return false;
    }
    for (const Entry& entry : round) {
      const std::span<const WayToBone> ways(&ways_[entry.cube * per_cube_], count_[entry.cube]);
      const bool is_valid =
          std::ranges::find(ways, WayToBone{entry.bone, entry.distance}) != ways.end();  // else a shorter one came
      if (!is_valid) {
        continue;
      }
      settled += 1;
      const auto at = static_cast<std::ptrdiff_t>(cube_[entry.cube]);
      for (const Step& step : steps) {
        const std::int32_t there = number_[static_cast<std::size_t>(at + step.by)];
        if (there >= 0) {
          offer(static_cast<std::uint32_t>(there), {entry.bone, entry.distance + step.length});
        }
      }
    }
    round.clear();
  }
  return true;
}

std::span<const WayToBone> VoxelWays::of_cube(std::size_t index) const {
  const std::int32_t number = number_[index];
  if (number < 0) {
    return {};
  }
  return {&ways_[static_cast<std::size_t>(number) * per_cube_], count_[static_cast<std::size_t>(number)]};
}

void VoxelWays::at(const glm::dvec3& p, std::vector<WayToBone>& out) const {
  constexpr double kBorder = 1e-9;  // edges
  out.clear();
  const glm::dvec3 from = grid_.to_grid(p);
  const glm::ivec3 first(glm::floor(from - kBorder));
  const glm::ivec3 last(glm::floor(from + kBorder));
  for (int z = first.z; z <= last.z; ++z) {
    for (int y = first.y; y <= last.y; ++y) {
      for (int x = first.x; x <= last.x; ++x) {
        if (!grid_.contains({x, y, z})) {
          continue;
        }
        const double offset = glm::length(from - glm::dvec3(x, y, z) - 0.5);
        for (const WayToBone& way : of_cube(grid_.index({x, y, z}))) {
          const double distance = (way.distance + offset) * grid_.edge;
          const auto known = std::ranges::find(out, way.bone, &WayToBone::bone);
          if (known == out.end()) {
            out.push_back({way.bone, distance});
          } else {
            known->distance = std::min(known->distance, distance);
          }
        }
      }
    }
  }
  std::ranges::sort(out, [](const WayToBone& a, const WayToBone& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.bone < b.bone;
  });
}

}  // namespace pelt::bind
