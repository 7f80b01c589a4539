// Scores after J. Weber, "Run-Time Skin Deformation", Game Developers Conference 2000, and the course CSE 169.

#include "bind/volumes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/parallel.h"

namespace pelt::bind {
namespace {

constexpr double kLeastSize = 1e-12;   // metres: what a size of 0 counts as
constexpr double kLeastRadius = 1e-3;  // of the diagonal: no fitted radius is smaller
constexpr std::size_t kPlacesPerFit = 2048;

double at_least(double size) {
  return std::max(size, kLeastSize);
}

double along_axis(const Volume& volume, const glm::dvec3& p) {
  return glm::dot(p - volume.center, volume.axes[0]);
}

// The nearest point of a capsule's axis, and the radius there.
struct OnAxis {
  glm::dvec3 point;
  double radius;
};
OnAxis on_axis(const Volume& volume, const glm::dvec3& p) {
  const double half = volume.half.x;
  const double x = std::clamp(along_axis(volume, p), -half, half);
  const double t = half > 0 ? 0.5 + 0.5 * x / half : 0.5;
  return {volume.center + x * volume.axes[0],
          at_least(volume.head_radius + t * (volume.tail_radius - volume.head_radius))};
}

glm::dvec3 any_direction(const Volume& volume) {
  return volume.axes[1];
}

// Sizes along the axes of what is scaled by one number for each axis.
glm::dvec3 sizes(const Volume& volume) {
  return volume.kind == VolumeKind::kSphere ? glm::dvec3(at_least(volume.half.x))
                                            : glm::max(volume.half, glm::dvec3(kLeastSize));
}

double median(std::vector<double>& values, double otherwise) {
  if (values.empty()) {
    return otherwise;
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) {
    return *middle;
  }
  return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

// Axes with the first along a segment; the others are taken from the world's axis that is most across it.
glm::dmat3 axes_along(const glm::dvec3& along) {
  const double length = glm::length(along);
  if (!(length > 0)) {
    return glm::dmat3(1.0);
  }
  const glm::dvec3 x = along / length;
  const glm::dvec3 size = glm::abs(x);
  const glm::dvec3 across = size.z <= size.x && size.z <= size.y ? glm::dvec3(0, 0, 1)
                            : size.y <= size.x                   ? glm::dvec3(0, 1, 0)
                                                                 : glm::dvec3(1, 0, 0);
  const glm::dvec3 y = glm::normalize(glm::cross(across, x));
  return {x, y, glm::cross(x, y)};
}

struct NearestSegment {
  std::size_t segment = 0;
  double t = 0;
  double distance = std::numeric_limits<double>::infinity();
};

}  // namespace

double score(const Volume& volume, const glm::dvec3& p) {
  switch (volume.kind) {
    case VolumeKind::kCapsule: {
      const OnAxis axis = on_axis(volume, p);
      return glm::length(p - axis.point) / axis.radius;
    }
    case VolumeKind::kCylinder: {
      const double x = along_axis(volume, p);
      const double across = glm::length(p - volume.center - x * volume.axes[0]);
      return std::max(across / at_least(volume.head_radius), std::abs(x) / at_least(volume.half.x));
    }
    case VolumeKind::kEllipsoid:
    case VolumeKind::kSphere:
      return glm::length((p - volume.center) * volume.axes / sizes(volume));
    case VolumeKind::kBox: {
      const glm::dvec3 q = glm::abs((p - volume.center) * volume.axes / sizes(volume));
      return std::max({q.x, q.y, q.z});
    }
  }
  return std::numeric_limits<double>::infinity();
}

glm::dvec3 on_surface(const Volume& volume, const glm::dvec3& p) {
  const double s = score(volume, p);
  if (volume.kind == VolumeKind::kCapsule) {
    const OnAxis axis = on_axis(volume, p);
    return axis.point + (s > 0 ? (p - axis.point) / s : axis.radius * any_direction(volume));
  }
  const glm::dvec3 way = s > 0 ? p - volume.center : any_direction(volume);
  return volume.center + way / (s > 0 ? s : score(volume, volume.center + way));
}

std::vector<glm::dvec3> surface_points(const Volume& volume, int along, int around) {
  // Rows of a sphere round a capsule's ends and middle or round the centre, thrown onto the surface.
  std::vector<glm::dvec3> points;
  points.reserve(static_cast<std::size_t>((along + 1) * around));
  const bool is_capsule = volume.kind == VolumeKind::kCapsule;
  const glm::dvec3 size = is_capsule ? glm::dvec3(1.0)
                          : volume.kind == VolumeKind::kCylinder
                              ? glm::dvec3(at_least(volume.half.x), glm::dvec2(at_least(volume.head_radius)))
                              : sizes(volume);
  for (int i = 0; i <= along; ++i) {
    const double polar = std::numbers::pi * i / along;
    for (int k = 0; k < around; ++k) {
      const double turn = 2 * std::numbers::pi * k / around;
      const glm::dvec3 unit(-std::cos(polar), std::sin(polar) * std::cos(turn), std::sin(polar) * std::sin(turn));
      if (!is_capsule) {
        points.push_back(on_surface(volume, volume.center + volume.axes * (size * unit)));
        continue;
      }
      const double side = 2 * i < along ? -1.0 : 2 * i > along ? 1.0 : 0.0;
      const double t = 0.5 + 0.5 * side;
      const double radius = at_least(volume.head_radius + t * (volume.tail_radius - volume.head_radius));
      points.push_back(volume.center + volume.axes * (glm::dvec3(side * volume.half.x, 0, 0) + radius * unit));
    }
  }
  return points;
}

std::vector<Volume> fitted_volumes(const Problem& problem, VolumeKind kind, double size) {
  struct Segment {
    std::size_t bone;
    glm::dvec3 head;
    glm::dvec3 tail;
  };
  std::vector<Segment> segments;
  for (std::size_t b = 0; b < problem.bone_count(); ++b) {
    for (const glm::dvec3& tail : problem.bones[b].tails) {
      segments.push_back({b, problem.bones[b].head, tail});
    }
  }
  std::vector<NearestSegment> nearest(problem.place_count());
  parallel_for(problem.place_count(), kPlacesPerFit, [&](std::size_t begin, std::size_t end) {
    for (std::size_t w = begin; w < end; ++w) {
      for (std::size_t s = 0; s < segments.size(); ++s) {
        const OnSegment here = nearest_on_segment(problem.positions[w], segments[s].head, segments[s].tail);
        if (here.distance < nearest[w].distance) {
          nearest[w] = {s, here.t, here.distance};
        }
      }
    }
  });
  std::vector<std::array<std::vector<double>, 2>> distances(segments.size());  // by half of the axis
  for (const NearestSegment& place : nearest) {
    distances[place.segment][place.t < 0.5 ? 0 : 1].push_back(place.distance);
  }
  std::vector<Volume> volumes;
  std::vector<double> of_bone(problem.bone_count(), 0);  // the radius of each bone's first volume
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const auto& [bone, head, tail] = segments[s];
    const double length = glm::length(tail - head);
    std::vector<double> all = distances[s][0];
    all.insert(all.end(), distances[s][1].begin(), distances[s][1].end());
    const int parent = problem.bones[bone].parent;
    const double above = parent >= 0 && of_bone[static_cast<std::size_t>(parent)] > 0
                             ? of_bone[static_cast<std::size_t>(parent)]
                             : std::numeric_limits<double>::infinity();
    const double least = std::max(kLeastRadius * problem.diagonal, kLeastSize);
    const double radius = std::max(median(all, std::min(above, 0.5 * length)), least);
    if (of_bone[bone] == 0) {
      of_bone[bone] = radius;
    }
    Volume volume{.kind = kind, .bone = bone, .center = 0.5 * (head + tail), .axes = axes_along(tail - head)};
    const double across = size * radius;
    volume.head_radius = volume.tail_radius = across;
    if (kind == VolumeKind::kCapsule) {
      volume.head_radius = size * std::max(median(distances[s][0], radius), least);
      volume.tail_radius = size * std::max(median(distances[s][1], radius), least);
    }
    const bool is_round = kind == VolumeKind::kEllipsoid || kind == VolumeKind::kSphere;
    volume.half = {std::max(0.5 * length, kind == VolumeKind::kCapsule ? 0.0 : across), across, across};
    if (is_round) {
      volume.half.x = 0.5 * length + (kind == VolumeKind::kEllipsoid ? across : 0.0);
      volume.half.x = std::max(volume.half.x, across);
    }
    volumes.push_back(volume);
  }
  return volumes;
}

}  // namespace pelt::bind
