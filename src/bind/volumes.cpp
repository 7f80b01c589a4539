// Scores after J. Weber, "Run-Time Skin Deformation", Game Developers Conference 2000, and the course CSE 169.

#include "bind/volumes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/parallel.h"
#include "math/transform.h"

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

// Of a capsule, t of its axis from the head.
double radius_at(const Volume& volume, double t) {
  const double tail = volume.kind == VolumeKind::kEvenCapsule ? volume.head_radius : volume.tail_radius;
  return at_least(volume.head_radius + t * (tail - volume.head_radius));
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
  return {volume.center + x * volume.axes[0], radius_at(volume, t)};
}

glm::dvec3 any_direction(const Volume& volume) {
  return volume.axes[1];
}

// Sizes along the axes of what is scaled by one number for each axis.
glm::dvec3 sizes(const Volume& volume) {
  return volume.kind == VolumeKind::kSphere ? glm::dvec3(at_least(volume.half.x))
                                            : glm::max(volume.half, glm::dvec3(kLeastSize));
}

// From the coordinates of a mesh's shape.
glm::dvec3 in_space(const Volume& volume, const glm::dvec3& q) {
  return volume.center + at_least(volume.half.x) * (volume.axes * q);
}

constexpr std::size_t kMostShapeLines = 2000;

// The edges of a mesh, or some of them, evenly.
std::vector<std::vector<glm::dvec3>> mesh_outlines(const Volume& volume) {
  std::vector<std::vector<glm::dvec3>> out;
  const VolumeShape& shape = volume.shape;
  const std::size_t step = 1 + shape.triangles.size() / (kMostShapeLines / 2);
  for (std::size_t t = 0; t < shape.triangles.size(); t += step) {
    std::vector<glm::dvec3>& run = out.emplace_back();
    for (const std::size_t corner : {0, 1, 2}) {
      run.push_back(in_space(volume, glm::dvec3(shape.positions[shape.triangles[t][corner]])));
    }
  }
  return out;
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
    case VolumeKind::kCapsule:
    case VolumeKind::kEvenCapsule: {
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
    case VolumeKind::kMesh:
      return volume.shape->score((p - volume.center) * volume.axes / at_least(volume.half.x));
  }
  return std::numeric_limits<double>::infinity();
}

glm::dvec3 on_surface(const Volume& volume, const glm::dvec3& p) {
  const double s = score(volume, p);
  if (is_capsule(volume.kind)) {
    const OnAxis axis = on_axis(volume, p);
    return axis.point + (s > 0 ? (p - axis.point) / s : axis.radius * any_direction(volume));
  }
  if (volume.kind == VolumeKind::kMesh) {
    const double size = at_least(volume.half.x);
    return in_space(volume, volume.shape->nearest((p - volume.center) * volume.axes / size));
  }
  const glm::dvec3 way = s > 0 ? p - volume.center : any_direction(volume);
  return volume.center + way / (s > 0 ? s : score(volume, volume.center + way));
}

std::vector<glm::dvec3> surface_points(const Volume& volume, int along, int around) {
  // Rows of a sphere round a capsule's ends and middle or round the centre, thrown onto the surface.
  std::vector<glm::dvec3> points;
  points.reserve(static_cast<std::size_t>((along + 1) * around));
  if (volume.kind == VolumeKind::kMesh) {
    const std::vector<std::vector<glm::dvec3>> lines = mesh_outlines(volume);
    for (std::size_t i = 0; i < points.capacity(); ++i) {
      points.push_back(lines[i % lines.size()][i / lines.size() % 3]);
    }
    return points;
  }
  const bool has_axis = is_capsule(volume.kind);
  const glm::dvec3 size = has_axis ? glm::dvec3(1.0)
                          : volume.kind == VolumeKind::kCylinder
                              ? glm::dvec3(at_least(volume.half.x), glm::dvec2(at_least(volume.head_radius)))
                              : sizes(volume);
  for (int i = 0; i <= along; ++i) {
    const double polar = std::numbers::pi * i / along;
    for (int k = 0; k < around; ++k) {
      const double turn = 2 * std::numbers::pi * k / around;
      const glm::dvec3 unit(-std::cos(polar), std::sin(polar) * std::cos(turn), std::sin(polar) * std::sin(turn));
      if (!has_axis) {
        points.push_back(on_surface(volume, volume.center + volume.axes * (size * unit)));
        continue;
      }
      const double side = 2 * i < along ? -1.0 : 2 * i > along ? 1.0 : 0.0;
      const double radius = radius_at(volume, 0.5 + 0.5 * side);
      points.push_back(volume.center + volume.axes * (glm::dvec3(side * volume.half.x, 0, 0) + radius * unit));
    }
  }
  return points;
}

std::vector<std::vector<glm::dvec3>> outlines(const Volume& volume) {
  if (volume.kind == VolumeKind::kMesh) {
    return mesh_outlines(volume);
  }
  constexpr int kAround = 24;
  std::vector<std::vector<glm::dvec3>> out;
  const glm::dvec3 x = volume.axes[0];
  const glm::dvec3 head = volume.center - volume.half.x * x;
  const glm::dvec3 tail = volume.center + volume.half.x * x;
  // From u a whole turn or half of one, round the corner by v.
  const auto arc = [&](const glm::dvec3& middle, const glm::dvec3& u, const glm::dvec3& v, double turn) {
    std::vector<glm::dvec3>& run = out.emplace_back();
    const int steps = turn < 4 ? kAround / 2 : kAround;
    for (int i = 0; i <= steps; ++i) {
      const double angle = turn * i / steps;
      run.push_back(middle + std::cos(angle) * u + std::sin(angle) * v);
    }
  };
  constexpr double kWhole = 2 * std::numbers::pi;
  if (volume.kind == VolumeKind::kBox) {
    const glm::dmat3 half(sizes(volume).x * x, sizes(volume).y * volume.axes[1], sizes(volume).z * volume.axes[2]);
    for (int i = 0; i < 3; ++i) {
      for (int corner = 0; corner < 4; ++corner) {
        const glm::dvec3 across =
            (corner & 1 ? 1.0 : -1.0) * half[(i + 1) % 3] + (corner & 2 ? 1.0 : -1.0) * half[(i + 2) % 3];
        out.push_back({volume.center - half[i] + across, volume.center + half[i] + across});
      }
    }
    return out;
  }
  if (volume.kind == VolumeKind::kEllipsoid || volume.kind == VolumeKind::kSphere) {
    const glm::dvec3 size = sizes(volume);
    for (int i = 0; i < 3; ++i) {
      const int k = (i + 1) % 3;
      arc(volume.center, size[i] * volume.axes[i], size[k] * volume.axes[k], kWhole);
    }
    return out;
  }
  const bool is_cylinder = volume.kind == VolumeKind::kCylinder;
  const double at_head = is_cylinder ? at_least(volume.head_radius) : radius_at(volume, 0);
  const double at_tail = is_cylinder ? at_head : radius_at(volume, 1);
  arc(head, at_head * volume.axes[1], at_head * volume.axes[2], kWhole);
  arc(tail, at_tail * volume.axes[1], at_tail * volume.axes[2], kWhole);
  for (int i = 1; i < 3; ++i) {
    for (const double side : {-1.0, 1.0}) {
      out.push_back({head + side * at_head * volume.axes[i], tail + side * at_tail * volume.axes[i]});
    }
    if (!is_cylinder) {
      arc(head, at_head * volume.axes[i], -at_head * x, std::numbers::pi);
      arc(tail, at_tail * volume.axes[i], at_tail * x, std::numbers::pi);
    }
  }
  return out;
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
    volume.half = {std::max(0.5 * length, is_capsule(kind) ? 0.0 : across), across, across};
    if (is_round) {
      volume.half.x = 0.5 * length + (kind == VolumeKind::kEllipsoid ? across : 0.0);
      volume.half.x = std::max(volume.half.x, across);
    }
    volumes.push_back(volume);
  }
  return volumes;
}

std::vector<Volume> with_volumes_by_hand(std::span<const Volume> fitted, std::span<const Volume> by_hand) {
  if (by_hand.empty()) {
    return {fitted.begin(), fitted.end()};
  }
  std::vector<Volume> out;
  std::size_t h = 0;
  for (std::size_t f = 0; f < fitted.size() || h < by_hand.size();) {
    const bool next_is_by_hand = f == fitted.size() || (h < by_hand.size() && by_hand[h].bone <= fitted[f].bone);
    if (!next_is_by_hand) {
      out.push_back(fitted[f++]);
      continue;
    }
    const std::size_t bone = by_hand[h].bone;
    for (; h < by_hand.size() && by_hand[h].bone == bone; ++h) {
      out.push_back(by_hand[h]);
    }
    while (f < fitted.size() && fitted[f].bone == bone) {
      ++f;
    }
  }
  return out;
}

namespace {

// Whether half.y and half.z are sizes of their own.
bool has_sides(VolumeKind kind) {
  return kind == VolumeKind::kEllipsoid || kind == VolumeKind::kBox || kind == VolumeKind::kMesh;
}

}  // namespace

Result<Volume> mesh_volume(std::string name, std::span<const glm::dvec3> positions,
                           std::vector<std::array<std::uint32_t, 3>> triangles, const Bone& bone, std::size_t index) {
  Volume out{.kind = VolumeKind::kMesh, .bone = index, .axes = axes_along(bone.tails[0] - bone.head)};
  glm::dvec3 lower(std::numeric_limits<double>::infinity());
  glm::dvec3 upper = -lower;
  for (const auto& triangle : triangles) {
    for (const std::uint32_t v : triangle) {
      if (v < positions.size()) {
        lower = glm::min(lower, positions[v] * out.axes);
        upper = glm::max(upper, positions[v] * out.axes);
      }
    }
  }
  out.half = glm::max(0.5 * (upper - lower), glm::dvec3(0.0));
  const bool has_length = out.half.x > 0 && std::isfinite(out.half.x);
  const double size = has_length ? out.half.x : 1.0;
  out.half.x = size;
  out.center = has_length ? out.axes * (0.5 * (lower + upper)) : glm::dvec3(0.0);
  std::vector<glm::vec3> own;
  for (const glm::dvec3& p : positions) {
    own.emplace_back((p - out.center) * out.axes / size);
  }
  PELT_TRY_TO(VolumeShape shape, make_volume_shape(std::move(name), std::move(own), std::move(triangles)));
  out.shape = std::move(shape);
  return out;
}

Volume as_kind(const Volume& volume, VolumeKind kind) {
  Volume out = volume;
  out.shape = {};
  out.kind = kind;
  const bool is_round = volume.kind == VolumeKind::kCapsule;
  const double radius = is_round                 ? 0.5 * (volume.head_radius + volume.tail_radius)
                        : has_sides(volume.kind) ? 0.5 * (volume.half.y + volume.half.z)
                                                 : volume.head_radius;
  // Half of the bone's length, from which fitting begins.
  const double along = volume.kind == VolumeKind::kEllipsoid ? std::max(volume.half.x - radius, 0.0) : volume.half.x;
  if (!is_round || kind != VolumeKind::kCapsule) {
    out.head_radius = out.tail_radius = radius;
  }
  if (!has_sides(kind) || !has_sides(volume.kind)) {
    out.half.y = out.half.z = radius;
  }
  out.half.x = is_capsule(kind) ? along : kind == VolumeKind::kEllipsoid ? along + radius : std::max(along, radius);
  return out;
}

Volume between(const Volume& volume, const glm::dvec3& head, const glm::dvec3& tail) {
  Volume out = volume;
  out.center = 0.5 * (head + tail);
  const double length = glm::length(tail - head);
  out.half.x = 0.5 * length;
  if (volume.kind == VolumeKind::kMesh && volume.half.x > 0) {
    out.half *= glm::dvec3(1.0, out.half.x / volume.half.x, out.half.x / volume.half.x);
  }
  if (length > kLeastSize) {
    const glm::dvec3 x = (tail - head) / length;
    const glm::dquat turn = shortest_rotation(volume.axes[0], x);
    const glm::dvec3 y = turn * volume.axes[1];
    out.axes = {x, glm::normalize(y - glm::dot(y, x) * x), {}};
    const double hand = glm::determinant(volume.axes) < 0 ? -1.0 : 1.0;  // of a mirrored mesh
    out.axes[2] = hand * glm::cross(out.axes[0], out.axes[1]);
  }
  return out;
}

Volume mirrored(const Volume& volume, std::size_t bone, const glm::dvec3& normal, double offset) {
  Volume out = volume;
  out.bone = bone;
  out.center -= 2 * (glm::dot(normal, out.center) - offset) * normal;
  for (int i = 0; i < 3; ++i) {
    out.axes[i] -= 2 * glm::dot(normal, out.axes[i]) * normal;
  }
  if (volume.kind != VolumeKind::kMesh) {
    out.axes[2] = -out.axes[2];  // right-handed again; each body is its own image across it
  }
  return out;
}

}  // namespace pelt::bind
