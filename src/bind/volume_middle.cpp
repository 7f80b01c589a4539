#include "bind/volume_middle.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "bind/character_problem.h"

namespace pelt::bind {
namespace {

constexpr double kNearInside = 3;    // edges
constexpr double kReach = 2.5;       // times the way to the nearest border
constexpr double kBesideBorder = 2;  // edges more
constexpr int kSteps = 3;            // points of a section along an edge: fewer tell where they began
constexpr int kRests = 8;            // a section moves with its middle, by less each time

// A section of the volume, as points in a plane, several along an edge.
class Section {
 public:
  Section(const Voxels& voxels, const glm::dvec3& middle, const glm::dvec3& across) : voxels_(voxels), middle_(middle) {
    // Axes that a mirrored direction mirrors: along the smallest coordinate of the direction, and across both.
    int least = 0;
    for (int k = 1; k < 3; ++k) {
      least = std::abs(across[k]) < std::abs(across[least]) ? k : least;
    }
    glm::dvec3 axis(0.0);
    axis[least] = 1;
    u_ = glm::normalize(axis - across * glm::dot(axis, across));
    v_ = glm::cross(across, u_);
  }

  // The mean of what hangs together round the middle; the middle itself where nothing does.
  [[nodiscard]] glm::dvec3 mean() const {
    using At = std::pair<int, int>;
    std::set<At> seen = {{0, 0}};
    std::vector<At> ring = {{0, 0}};
    glm::dvec3 sum(0.0);
    double count = 0;
    double border = std::numeric_limits<double>::max();  // edges
    if (!is_solid({0, 0})) {
      return middle_;
    }
    while (!ring.empty()) {
      std::vector<At> next;
      double nearest = border;  // seen of this ring: it counts from the next on, whatever the order
      for (const At& at : ring) {
        sum += place(at);
        ++count;
        for (const At& step : {At{-1, 0}, At{1, 0}, At{0, -1}, At{0, 1}}) {
          const At to = {at.first + step.first, at.second + step.second};
          const double distance = std::hypot(to.first, to.second) / kSteps;  // edges
          if (distance > kReach * border + kBesideBorder || !seen.insert(to).second) {
            continue;
          }
          if (is_solid(to)) {
            next.push_back(to);
          } else {
            nearest = std::min(nearest, distance);
          }
        }
      }
      border = nearest;
      ring = std::move(next);
    }
    return middle_ + sum / count;
  }

 private:
  // From the middle.
  [[nodiscard]] glm::dvec3 place(const std::pair<int, int>& at) const {
    return voxels_.grid.edge / kSteps * (static_cast<double>(at.first) * u_ + static_cast<double>(at.second) * v_);
  }
  [[nodiscard]] bool is_solid(const std::pair<int, int>& at) const {
    return voxels_.at(middle_ + place(at)) != Voxel::kOutside;
  }

  const Voxels& voxels_;
  glm::dvec3 middle_;
  glm::dvec3 u_ = {};
  glm::dvec3 v_ = {};
};

}  // namespace

Result<RestVolume> rest_volume(const rig::Character& character, int n, const Progress& progress) {
  if (character.mesh_nodes.empty()) {
    return error("the character has no mesh");
  }
  PELT_TRY_TO(CharacterProblem problem, make_problem(character, {.joints = {character.mesh_nodes[0].joint}}));
  RestVolume out;
  out.surface = std::move(problem.problem);
  out.surface.bones.clear();
  if (!(out.surface.diagonal > 0)) {
    return error("the mesh has no extent");
  }
  std::optional<Voxels> voxels = voxelised(out.surface, n, progress);
  if (!voxels) {
    return error("making the volume was stopped");
  }
  out.voxels = *std::move(voxels);
  return out;
}

std::optional<glm::dvec3> nearest_within(const Voxels& voxels, const glm::dvec3& p) {
  if (voxels.at(p) == Voxel::kInside) {
    return p;
  }
  const bool is_solid = voxels.at(p) == Voxel::kSurface;
  const VoxelGrid& grid = voxels.grid;
  double nearest[2] = {std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};  // inside, surface
  glm::dvec3 place[2] = {p, p};
  for (std::size_t i = 0; i < voxels.cell.size(); ++i) {
    if (voxels.cell[i] == Voxel::kOutside) {
      continue;
    }
    const int kind = voxels.cell[i] == Voxel::kInside ? 0 : 1;
    const glm::dvec3 center = grid.center(grid.cell(i));
    const double distance = glm::distance(center, p);
    if (distance < nearest[kind]) {
      nearest[kind] = distance;
      place[kind] = center;
    }
  }
  if (nearest[0] <= kNearInside * grid.edge) {
    return place[0];
  }
  if (is_solid) {
    return p;
  }
  if (std::min(nearest[0], nearest[1]) == std::numeric_limits<double>::max()) {
    return std::nullopt;
  }
  return nearest[0] < nearest[1] ? place[0] : place[1];
}

glm::dvec3 middle_of_section(const Voxels& voxels, const glm::dvec3& p, const glm::dvec3& across) {
  glm::dvec3 middle = nearest_within(voxels, p).value_or(p);
  if (!(glm::length(across) > 0.5)) {
    return middle;
  }
  for (int k = 0; k < kRests; ++k) {
    const glm::dvec3 next = Section(voxels, middle, across).mean();
    const bool rests = glm::distance(next, middle) < 0.02 * voxels.grid.edge;
    if (voxels.at(next) == Voxel::kOutside) {
      break;  // of a section like a horseshoe
    }
    middle = next;
    if (rests) {
      break;
    }
  }
  return middle;
}

std::optional<glm::dvec3> middle_along(const Voxels& voxels, const glm::dvec3& origin, const glm::dvec3& direction) {
  const VoxelGrid& grid = voxels.grid;
  const glm::dvec3 upper = grid.lower + grid.edge * glm::dvec3(grid.size);
  const glm::dvec3 middle = 0.5 * (grid.lower + upper);
  const double reach = glm::distance(grid.lower, upper);
  const double along = glm::dot(middle - origin, direction);
  const double begin = std::max(0.0, along - reach);
  const double end = along + reach;
  double entered = -1;
  const double step = 0.25 * grid.edge;
  for (double t = begin; t <= end; t += step) {
    const bool is_solid = voxels.at(origin + t * direction) != Voxel::kOutside;
    if (is_solid && entered < 0) {
      entered = t;
    } else if (!is_solid && entered >= 0) {
      return origin + 0.5 * (entered + t - step) * direction;
    }
  }
  return std::nullopt;
}

}  // namespace pelt::bind
