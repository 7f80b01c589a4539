// Inside: A. Jacobson, L. Kavan, O. Sorkine-Hornung, "Robust Inside-Outside Segmentation using Generalized Winding
// Numbers", SIGGRAPH 2013.

#include "bind/volume_shape.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "bind/problem.h"
#include "bind/surface_below.h"
#include "bind/winding.h"
#include "core/text.h"

namespace pelt::bind {
namespace {

constexpr int kShapeSamples = 16;      // along each side of the box, where the deepest point is looked for
constexpr int kMoreShapeSamples = 64;  // of thin bodies
constexpr double kCrossing = 1.4;      // goes round so often only where the surface crosses itself
constexpr double kShapeDepth = 1e-4;   // relative: how well the largest depth is found

// Each place once, so that seams are no holes.
Problem welded_problem(std::span<const glm::vec3> positions, std::span<const std::array<std::uint32_t, 3>> triangles) {
  Problem out;
  std::map<std::array<float, 3>, std::uint32_t> places;
  std::vector<std::uint32_t> place;
  for (const glm::vec3& p : positions) {
    const auto [it, is_new] =
        places.try_emplace({p.x + 0.0f, p.y + 0.0f, p.z + 0.0f}, static_cast<std::uint32_t>(out.positions.size()));
    if (is_new) {
      out.positions.emplace_back(p);
    }
    place.push_back(it->second);
  }
  for (const auto& [a, b, c] : triangles) {
    const std::array<std::uint32_t, 3> triangle = {place[a], place[b], place[c]};
    if (triangle[0] != triangle[1] && triangle[1] != triangle[2] && triangle[2] != triangle[0]) {
      out.triangles.push_back(triangle);
    }
  }
  finish(out);
  return out;
}

// Whether each edge is walked as often one way as the other.
bool is_closed(const Problem& problem) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> balance;
  for (const auto& triangle : problem.triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t a = triangle[i];
      const std::uint32_t b = triangle[(i + 1) % 3];
      balance[std::minmax(a, b)] += a < b ? 1 : -1;
    }
  }
  return std::ranges::all_of(balance, [](const auto& edge) { return edge.second == 0; });
}

}  // namespace

/// What a shape is measured by.
class ShapeMeasure {
 public:
  ShapeMeasure(std::span<const glm::vec3> positions, std::span<const std::array<std::uint32_t, 3>> triangles)
      : surface_(welded_problem(positions, triangles)),
        search_(surface_),
        winding_(surface_.positions, surface_.triangles, {}),
        closed_(is_closed(surface_)) {
    for (const auto& triangle : surface_.triangles) {
      for (const std::uint32_t w : triangle) {
        const glm::dvec3& p = surface_.positions[w];
        reach_ = std::max(reach_, glm::length(p));
        lower_ = glm::min(lower_, p);
        upper_ = glm::max(upper_, p);
      }
    }
    if (!surface_.triangles.empty()) {
      find_depth(kShapeSamples);
      if (depth_ == 0) {
        find_depth(kMoreShapeSamples);
      }
    }
  }

  [[nodiscard]] bool is_inside(const glm::dvec3& p) const { return winding_.is_inside(p); }
  [[nodiscard]] glm::dvec3 nearest(const glm::dvec3& p) const {
    const double limit = 1.01 * (glm::length(p) + reach_) + 1e-12;
    const auto point = search_.nearest(p, limit, [](const SurfacePoint&) { return true; });
    return point ? point->where : p;
  }
  [[nodiscard]] double distance(const glm::dvec3& p) const { return glm::distance(p, nearest(p)); }
  [[nodiscard]] double depth() const { return depth_; }
  [[nodiscard]] double reach() const { return reach_; }
  [[nodiscard]] bool closed() const { return closed_; }
  [[nodiscard]] bool crosses() const { return crosses_; }

 private:
  // The deepest of some points, and from there uphill.
  void find_depth(int samples) {
    const glm::dvec3 step = (upper_ - lower_) / static_cast<double>(samples);
    glm::dvec3 deepest = {};
    for (int x = 0; x < samples; ++x) {
      for (int y = 0; y < samples; ++y) {
        for (int z = 0; z < samples; ++z) {
          const glm::dvec3 p = lower_ + step * (glm::dvec3(x, y, z) + 0.5);
          const double turns = std::abs(winding_.at(p, WindingTree::kCloseReaches));
          crosses_ = crosses_ || turns > kCrossing;
          if (turns <= 0.5) {
            continue;
          }
          if (const double here = distance(p); here > depth_) {
            depth_ = here;
            deepest = p;
          }
        }
      }
    }
    for (double share = 1; depth_ > 0 && share > kShapeDepth; share /= 2) {
      for (bool further = true; further;) {
        further = false;
        for (int way = 0; way < 27; ++way) {
          const glm::dvec3 p = deepest + share * step * glm::dvec3(way % 3 - 1, way / 3 % 3 - 1, way / 9 - 1);
          const double here = is_inside(p) ? distance(p) : 0;
          if (here > depth_ * (1 + kShapeDepth)) {
            depth_ = here;
            deepest = p;
            further = true;
          }
        }
      }
    }
  }

  Problem surface_;
  SurfaceSearch search_;
  WindingTree winding_;
  bool closed_ = false;
  bool crosses_ = false;
  double depth_ = 0;
  double reach_ = 0;
  glm::dvec3 lower_ = glm::dvec3(std::numeric_limits<double>::infinity());
  glm::dvec3 upper_ = glm::dvec3(-std::numeric_limits<double>::infinity());
};

double VolumeShape::score(const glm::dvec3& p) const {
  if (measure == nullptr) {
    return std::numeric_limits<double>::infinity();
  }
  const double d = measure->distance(p) / measure->depth();
  return measure->is_inside(p) ? std::max(1 - d, 0.0) : 1 + d;
}

glm::dvec3 VolumeShape::nearest(const glm::dvec3& p) const {
  return measure != nullptr ? measure->nearest(p) : p;
}

double VolumeShape::reach(double range) const {
  return measure != nullptr ? measure->reach() + std::max(range - 1, 0.0) * measure->depth() : 0;
}

double VolumeShape::depth() const {
  return measure != nullptr ? measure->depth() : 0;
}

std::string VolumeShape::remark() const {
  if (measure == nullptr || (measure->closed() && !measure->crosses())) {
    return {};
  }
  return printable(name, 80) + (!measure->closed() ? " is not closed" : " crosses itself") +
         ": inside is where its surface goes round a point more than half a time";
}

Result<VolumeShape> make_volume_shape(std::string name, std::vector<glm::vec3> positions,
                                      std::vector<std::array<std::uint32_t, 3>> triangles) {
  const std::string shown = printable(name, 80);
  if (triangles.size() > kMostShapeTriangles) {
    return error("{}: expected at most {} triangles of a volume, got {}", shown, kMostShapeTriangles, triangles.size());
  }
  for (std::size_t v = 0; v < positions.size(); ++v) {
    if (!std::isfinite(positions[v].x) || !std::isfinite(positions[v].y) || !std::isfinite(positions[v].z)) {
      return error("{}: vertex {}: expected finite numbers", shown, v);
    }
  }
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (const std::uint32_t v : triangles[t]) {
      if (v >= positions.size()) {
        return error("{}: triangle {}: expected vertices 0 to {}, got {}", shown, t,
                     static_cast<std::int64_t>(positions.size()) - 1, v);
      }
    }
  }
  if (triangles.empty()) {
    return error("{}: has no triangles that could enclose a volume", shown);
  }
  VolumeShape out{std::move(name), std::move(positions), std::move(triangles)};
  out.measure = std::make_shared<const ShapeMeasure>(out.positions, out.triangles);
  if (!(out.measure->depth() > 0)) {
    return error("{}: encloses nothing that could be the inside of a volume", shown);
  }
  return out;
}

}  // namespace pelt::bind
