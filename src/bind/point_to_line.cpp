// A. Sun, A. Hilton, R. Smith, J. Illingworth, "Layered animation of captured data", Computer Animation and Simulation
// 1999: the planes; the inverse powers of distances are common practice.

#include "bind/point_to_line.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace pelt::bind {
namespace {

enum PointToLineField : std::size_t { kPower, kNearestCount, kPlanes };

constexpr double kStraightBack = 1e-6;  // a sum of two directions that is shorter has no direction
constexpr double kSamePivot = 1e-6;     // of the diagonal: a tail that is nearer leads to the child

// The row of one place: distances are divided by the least of them, so that no power leaves the range of numbers.
void inverse_power_row(std::vector<std::pair<double, std::size_t>>& by_distance, std::size_t count, double power,
                       std::vector<Share>& row) {
  count = std::min(count, by_distance.size());
  std::partial_sort(by_distance.begin(), by_distance.begin() + static_cast<std::ptrdiff_t>(count), by_distance.end());
  const double least = by_distance[0].first;
  row.clear();
  for (std::size_t k = 0; k < count; ++k) {
    const auto [distance, bone] = by_distance[k];
    const double weight = least > 0 ? std::pow(least / distance, power) : (distance > 0 ? 0.0 : 1.0);
    row.push_back({static_cast<std::uint16_t>(bone), weight});
  }
}

glm::dvec3 direction_of(const glm::dvec3& along) {
  const double length = glm::length(along);
  return length > 0 ? along / length : glm::dvec3(0.0);
}

glm::dvec3 mean_tail(const Bone& bone) {
  glm::dvec3 sum(0.0);
  for (const glm::dvec3& tail : bone.tails) {
    sum += tail;
  }
  return sum / static_cast<double>(bone.tails.size());
}

// Which segments a place may not choose, as the planes part space: the child's before its plane, beyond it the segment
// of the parent that leads there. On the plane both stay. Empty planes close nothing.
class OpenSegments {
 public:
  OpenSegments(const Problem& problem, std::span<const BisectingPlane> planes) : problem_(problem), planes_(planes) {
    for (const Bone& bone : problem.bones) {
      first_.push_back(closed_.size());
      closed_.resize(closed_.size() + bone.tails.size());
    }
  }

  void look_from(const glm::dvec3& p) {
    std::ranges::fill(closed_, 0);
    for (const BisectingPlane& plane : planes_) {
      const double side = side_of(plane, p);
      if (side < 0) {
        for (std::size_t k = 0; k < problem_.bones[plane.child].tails.size(); ++k) {
          closed_[first_[plane.child] + k] = 1;
        }
      } else if (side > 0 && plane.tail >= 0) {
        closed_[first_[plane.parent] + static_cast<std::size_t>(plane.tail)] = 1;
      }
    }
  }

  // Infinite where no segment of the bone is open.
  [[nodiscard]] double distance(const glm::dvec3& p, std::size_t b) const {
    const Bone& bone = problem_.bones[b];
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < bone.tails.size(); ++k) {
      if (closed_[first_[b] + k] == 0) {
        least = std::min(least, nearest_on_segment(p, bone.head, bone.tails[k]).distance);
      }
    }
    return least;
  }

 private:
  const Problem& problem_;
  std::span<const BisectingPlane> planes_;
  std::vector<std::size_t> first_;  // [B] where the bone's segments begin in closed_
  std::vector<char> closed_;
};

}  // namespace

std::span<const Field> point_to_line_fields() {
  static constexpr Field kFields[] = {
      {"power", "Falloff", "", "weights fall with this power of the distance", Field::Kind::kReal, 1, 16, 4},
      {"bones", "Bones", "", "so many of the nearest bones share a vertex; 1 binds it to the nearest alone",
       Field::Kind::kInteger, 1, 16, 4},
      {"planes", "Planes at joints", "",
       "the plane that halves the angle at each joint parts what follows the bone from what follows its parent, so "
       "that "
       "a joint bound bent is split along its crease",
       Field::Kind::kSwitch, 0, 1, 0},
  };
  return kFields;
}

std::vector<BisectingPlane> bisecting_planes(const Problem& problem) {
  std::vector<BisectingPlane> planes;
  for (std::size_t b = 0; b < problem.bone_count(); ++b) {
    const Bone& bone = problem.bones[b];
    if (bone.parent < 0) {
      continue;
    }
    const auto p = static_cast<std::size_t>(bone.parent);
    const Bone& parent = problem.bones[p];
    BisectingPlane plane{b, p, -1, bone.head, {}};
    for (std::size_t k = 0; k < parent.tails.size() && plane.tail < 0; ++k) {
      if (glm::length(parent.tails[k] - bone.head) <= kSamePivot * problem.diagonal) {
        plane.tail = static_cast<int>(k);
      }
    }
    const glm::dvec3 sum = direction_of(bone.head - parent.head) + direction_of(mean_tail(bone) - bone.head);
    if (bone.head == parent.head || mean_tail(bone) == bone.head || glm::length(sum) < kStraightBack) {
      continue;
    }
    plane.normal = glm::normalize(sum);
    planes.push_back(plane);
  }
  return planes;
}

std::optional<Binding> bind_point_to_line(const Problem& problem, std::span<const double> values,
                                          const Watcher& watcher) {
  Binding binding;
  binding.cause.assign(problem.place_count(), Cause::kSolved);
  std::vector<BisectingPlane> planes;
  if (values[kPlanes] != 0) {
    planes = bisecting_planes(problem);
  }
  OpenSegments open(problem, planes);
  std::vector<std::pair<double, std::size_t>> by_distance;
  std::vector<Share> row;
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    if (w % 4096 == 0 &&
        !report(watcher.progress, static_cast<float>(w) / static_cast<float>(problem.place_count()), "distances")) {
      return std::nullopt;
    }
    const glm::dvec3& p = problem.positions[w];
    by_distance.clear();
    open.look_from(p);
    for (std::size_t b = 0; b < problem.bone_count(); ++b) {
      if (const double distance = open.distance(p, b); std::isfinite(distance)) {
        by_distance.emplace_back(distance, b);
      }
    }
    if (by_distance.empty()) {  // planes of several joints may leave nothing
      for (std::size_t b = 0; b < problem.bone_count(); ++b) {
        by_distance.emplace_back(distance_to_bone(p, problem.bones[b]), b);
      }
    }
    inverse_power_row(by_distance, static_cast<std::size_t>(values[kNearestCount]), values[kPower], row);
    binding.rows.push(row);
  }
  return binding;
}

}  // namespace pelt::bind
