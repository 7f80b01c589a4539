// C. B. Barber, D. P. Dobkin, H. Huhdanpaa, "The Quickhull Algorithm for Convex Hulls", ACM Transactions on
// Mathematical Software 22(4), 1996: Delaunay tetrahedra are the lower side of the convex hull of points lifted to a
// paraboloid.

#include "bind/delaunay_cells.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <string>

#include "core/parallel.h"

extern "C" {
#include <libqhull_r/libqhull_r.h>
}

namespace pelt::bind {
namespace {

constexpr double kOneSphere = 1e-9;        // of the longest edge
constexpr double kFlatTetrahedron = 1e-9;  // volume over the cube of the longest edge

double longest_edge(const std::array<glm::dvec3, 4>& p) {
  double squared = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t k = i + 1; k < 4; ++k) {
      squared = std::max(squared, glm::dot(p[i] - p[k], p[i] - p[k]));
    }
  }
  return std::sqrt(squared);
}

bool is_flat(const std::array<glm::dvec3, 4>& p) {
  const double volume = std::abs(glm::dot(p[1] - p[0], glm::cross(p[2] - p[0], p[3] - p[0]))) / 6.0;
  return volume <= kFlatTetrahedron * std::pow(longest_edge(p), 3.0);
}

// Round the origin, and at most 1 in size by a power of two, which loses no digit.
std::vector<double> moved_to_origin(std::span<const glm::dvec3> points) {
  glm::dvec3 lower = points[0];
  glm::dvec3 upper = points[0];
  for (const glm::dvec3& p : points) {
    lower = glm::min(lower, p);
    upper = glm::max(upper, p);
  }
  const glm::dvec3 middle = 0.5 * (lower + upper);
  const glm::dvec3 size = upper - lower;
  int exponent = 0;
  std::frexp(std::max({size.x, size.y, size.z}), &exponent);
  std::vector<double> out;
  out.reserve(3 * points.size());
  for (const glm::dvec3& p : points) {
    for (int axis = 0; axis < 3; ++axis) {
      out.push_back(std::ldexp(p[axis] - middle[axis], -exponent));
    }
  }
  return out;
}

struct Simplex {
  std::array<std::uint32_t, 4> corners = {};
  std::vector<std::uint32_t> neighbors;
};

// Through the corners of a tetrahedron that is not flat.
class Sphere {
 public:
  Sphere(std::span<const glm::dvec3> points, const std::array<std::uint32_t, 4>& corners)
      : corner_(points[corners[0]]) {
    const glm::dvec3 a = points[corners[1]] - corner_;
    const glm::dvec3 b = points[corners[2]] - corner_;
    const glm::dvec3 c = points[corners[3]] - corner_;
    to_center_ =
        (glm::dot(a, a) * glm::cross(b, c) + glm::dot(b, b) * glm::cross(c, a) + glm::dot(c, c) * glm::cross(a, b)) /
        (2.0 * glm::dot(a, glm::cross(b, c)));
    size_ = longest_edge({corner_, points[corners[1]], points[corners[2]], points[corners[3]]});
  }
  // Without the difference of two long radii, which slivers have.
  [[nodiscard]] bool holds(const glm::dvec3& p) const {
    const glm::dvec3 way = p - corner_;
    const double power = glm::dot(way, way) - 2.0 * glm::dot(way, to_center_);
    return std::abs(power) <= kOneSphere * size_ * (glm::length(way - to_center_) + glm::length(to_center_));
  }

 private:
  glm::dvec3 corner_;
  glm::dvec3 to_center_;
  double size_ = 0;
};

// Which cell each simplex is part of: neighbours are of one where the corner that is not common lies on the sphere.
// That is decided here and not by Qhull, which merges what it needs to and in an order of its own. Flat simplices,
// which lie between two that share a plane face of more than three points, are looked through and stay alone.
std::vector<std::uint32_t> cells_of_simplices(std::span<const glm::dvec3> points, std::span<const Simplex> simplices,
                                              std::span<const char> flat) {
  std::vector<std::uint32_t> parent(simplices.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t i) {
    while (parent[i] != i) {
      parent[i] = parent[parent[i]];
      i = parent[i];
    }
    return i;
  };
  for (std::uint32_t i = 0; i < simplices.size(); ++i) {
    if (flat[i] != 0) {
      continue;
    }
    const Sphere sphere(points, simplices[i].corners);
    const auto join = [&](std::uint32_t other) {
      if (flat[other] == 0 &&
          std::ranges::all_of(simplices[other].corners, [&](std::uint32_t p) { return sphere.holds(points[p]); })) {
        const std::uint32_t one = root(i);
        const std::uint32_t two = root(other);
        parent[std::max(one, two)] = std::min(one, two);
      }
    };
    for (const std::uint32_t n : simplices[i].neighbors) {
      join(n);
      if (flat[n] != 0) {
        std::ranges::for_each(simplices[n].neighbors, join);
      }
    }
  }
  for (std::uint32_t i = 0; i < simplices.size(); ++i) {
    parent[i] = root(i);
  }
  return parent;
}

// A run of Qhull, whose messages nobody sees: its errors end in other bindings, which are said.
class QhullRun {
 public:
  QhullRun(std::vector<double>& coordinates, const char* command) : silence_(std::fopen("/dev/null", "w")) {
    FILE* const out = silence_ != nullptr ? silence_ : stderr;
    qh_zero(&qh_, out);
    std::string writable = command;
    code_ = qh_new_qhull(&qh_, 3, static_cast<int>(coordinates.size() / 3), coordinates.data(), 0, writable.data(), out,
                         out);
  }
  ~QhullRun() {
    qh_freeqhull(&qh_, 0);
    int long_count = 0;
    int long_bytes = 0;
    qh_memfreeshort(&qh_, &long_count, &long_bytes);
    if (silence_ != nullptr) {
      std::fclose(silence_);
    }
  }
  QhullRun(const QhullRun&) = delete;
  QhullRun& operator=(const QhullRun&) = delete;

  [[nodiscard]] bool succeeded() const { return code_ == 0; }

  // Those of the lower side.
  std::vector<Simplex> simplices(std::size_t point_count) {
    qhT* const qh = &qh_;  // the name that Qhull's loops expect
    facetT* facet = nullptr;
    facetT* neighbor = nullptr;
    facetT** neighborp = nullptr;
    vertexT* vertex = nullptr;
    vertexT** vertexp = nullptr;
    std::vector<Simplex> out;
    std::vector<facetT*> facets;
    FORALLfacets {
      facet->visitid = 0;
      if (facet->upperdelaunay || !facet->simplicial) {
        continue;
      }
      Simplex simplex;
      std::size_t count = 0;
      bool known = true;
      FOREACHvertex_(facet->vertices) {
        const int id = qh_pointid(qh, vertex->point);
        known = known && id >= 0 && static_cast<std::size_t>(id) < point_count;  // not the point at infinity
        if (count < 4) {
          simplex.corners[count] = static_cast<std::uint32_t>(id);
        }
        ++count;
      }
      if (known && count == 4) {
        std::ranges::sort(simplex.corners);
        out.push_back(simplex);
        facets.push_back(facet);
        facet->visitid = static_cast<unsigned int>(out.size());
      }
    }
    for (std::size_t i = 0; i < facets.size(); ++i) {
      FOREACHneighbor_(facets[i]) {
        if (neighbor->visitid > 0) {
          out[i].neighbors.push_back(neighbor->visitid - 1);
        }
      }
    }
    return out;
  }

 private:
  qhT qh_ = {};
  FILE* silence_;
  int code_ = 0;
};

}  // namespace

std::optional<DelaunayCells> delaunay_cells(std::span<const glm::dvec3> points) {
  if (points.size() < 4) {
    return std::nullopt;
  }
  // Qt cuts cells into simplices; Qz, a point at infinity, is for points all on one sphere.
  for (const char* command : {"qhull d Qt Qbb Qc Q12", "qhull d Qt Qbb Qc Q12 Qz"}) {
    std::vector<double> coordinates = moved_to_origin(points);
    QhullRun run(coordinates, command);
    if (!run.succeeded()) {
      continue;
    }
    DelaunayCells out;
    const std::vector<Simplex> simplices = run.simplices(points.size());
    std::vector<char> flat;
    for (const Simplex& simplex : simplices) {
      const auto& [a, b, c, d] = simplex.corners;
      flat.push_back(static_cast<char>(is_flat({points[a], points[b], points[c], points[d]})));
    }
    const std::vector<std::uint32_t> cell_of = cells_of_simplices(points, simplices, flat);
    struct Cell {
      std::vector<std::uint32_t> points;
      bool flat = true;
    };
    std::vector<Cell> cells(simplices.size());  // those of roots are filled
    for (std::size_t i = 0; i < simplices.size(); ++i) {
      Cell& cell = cells[cell_of[i]];
      cell.points.insert(cell.points.end(), simplices[i].corners.begin(), simplices[i].corners.end());
      if (flat[i] == 0) {
        cell.flat = false;
        out.tetrahedra.push_back(simplices[i].corners);
      }
    }
    out.first.push_back(0);
    for (Cell& cell : cells) {
      if (!cell.flat) {  // rounding makes flat ones out of faces of others
        std::ranges::sort(cell.points);
        cell.points.erase(std::ranges::unique(cell.points).begin(), cell.points.end());
        out.points.insert(out.points.end(), cell.points.begin(), cell.points.end());
        out.first.push_back(static_cast<std::uint32_t>(out.points.size()));
      }
    }
    if (!out.tetrahedra.empty()) {
      return out;
    }
  }
  return std::nullopt;
}

namespace {

// A box that holds a part of all points, open at its upper sides, and points of it and round it.
struct DelaunayPart {
  glm::dvec3 lower;
  glm::dvec3 upper;
  std::vector<std::uint32_t> points;

  [[nodiscard]] bool holds(const glm::dvec3& p) const {
    return glm::all(glm::greaterThanEqual(p, lower)) && glm::all(glm::lessThan(p, upper));
  }
};

// Halves at medians until each part has at most `most` points.
void halve_parts(std::span<const glm::dvec3> points, DelaunayPart part, std::size_t most,
                 std::vector<DelaunayPart>& out) {
  if (part.points.size() <= most) {
    out.push_back(std::move(part));
    return;
  }
  glm::dvec3 lower = points[part.points[0]];
  glm::dvec3 upper = lower;
  for (const std::uint32_t p : part.points) {
    lower = glm::min(lower, points[p]);
    upper = glm::max(upper, points[p]);
  }
  const glm::dvec3 size = upper - lower;
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  std::vector<double> at;
  for (const std::uint32_t p : part.points) {
    at.push_back(points[p][axis]);
  }
  std::ranges::nth_element(at, at.begin() + static_cast<std::ptrdiff_t>(at.size() / 2));
  const double middle = at[at.size() / 2];
  if (!(middle > lower[axis])) {  // half of the points in one plane: Qhull has to take them at once
    out.push_back(std::move(part));
    return;
  }
  DelaunayPart low{part.lower, part.upper, {}};
  DelaunayPart high = low;
  low.upper[axis] = high.lower[axis] = middle;
  for (const std::uint32_t p : part.points) {
    (points[p][axis] < middle ? low : high).points.push_back(p);
  }
  part.points = {};
  halve_parts(points, std::move(low), most, out);
  halve_parts(points, std::move(high), most, out);
}

// Takes in the points round a part, as far as these are no more than it has itself.
void look_around(std::span<const glm::dvec3> points, double far, DelaunayPart& part) {
  const std::size_t own = part.points.size();
  glm::dvec3 lower = points[part.points[0]];
  glm::dvec3 upper = lower;
  for (const std::uint32_t p : part.points) {
    lower = glm::min(lower, points[p]);
    upper = glm::max(upper, points[p]);
  }
  for (double margin = far;; margin *= 0.5) {
    std::vector<std::uint32_t> seen;
    for (std::uint32_t p = 0; p < points.size(); ++p) {
      if (glm::all(glm::greaterThanEqual(points[p], lower - margin)) &&
          glm::all(glm::lessThanEqual(points[p], upper + margin))) {
        seen.push_back(p);
      }
    }
    if (seen.size() <= 2 * own || margin < 1e-3 * far) {
      part.points = std::move(seen);
      return;
    }
  }
}

// The cells of a part whose middles it holds, by the numbers of all points.
DelaunayCells cells_of_part(std::span<const glm::dvec3> points, const DelaunayPart& part) {
  DelaunayCells out;
  out.first.push_back(0);
  std::vector<glm::dvec3> own;
  for (const std::uint32_t p : part.points) {
    own.push_back(points[p]);
  }
  const std::optional<DelaunayCells> cells = delaunay_cells(own);
  if (!cells) {
    return out;
  }
  const auto is_held = [&](std::span<const std::uint32_t> corners) {
    glm::dvec3 sum(0.0);
    for (const std::uint32_t p : corners) {
      sum += own[p];
    }
    return part.holds(sum / static_cast<double>(corners.size()));
  };
  for (const auto& t : cells->tetrahedra) {
    if (is_held(t)) {
      out.tetrahedra.push_back({part.points[t[0]], part.points[t[1]], part.points[t[2]], part.points[t[3]]});
    }
  }
  for (std::size_t c = 0; c < cells->size(); ++c) {
    if (is_held(cells->cell(c))) {
      for (const std::uint32_t p : cells->cell(c)) {
        out.points.push_back(part.points[p]);
      }
      out.first.push_back(static_cast<std::uint32_t>(out.points.size()));
    }
  }
  return out;
}

}  // namespace

std::optional<DelaunayCells> delaunay_cells_in_parts(std::span<const glm::dvec3> points, std::size_t most,
                                                     const Progress& progress) {
  if (!report(progress, 0.0f, "tetrahedra")) {
    return std::nullopt;
  }
  if (points.size() <= most) {
    return delaunay_cells(points);
  }
  constexpr double kEverywhere = std::numeric_limits<double>::infinity();
  constexpr double kRoundAbout = 0.1;  // of the whole size
  DelaunayPart all{glm::dvec3(-kEverywhere), glm::dvec3(kEverywhere), {}};
  glm::dvec3 lower = points[0];
  glm::dvec3 upper = points[0];
  for (std::uint32_t p = 0; p < points.size(); ++p) {
    all.points.push_back(p);
    lower = glm::min(lower, points[p]);
    upper = glm::max(upper, points[p]);
  }
  std::vector<DelaunayPart> parts;
  halve_parts(points, std::move(all), most, parts);
  std::vector<DelaunayCells> cells(parts.size());
  std::atomic<std::size_t> done = 0;
  std::atomic<bool> stop = false;
  parallel_for(parts.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last && !stop; ++i) {
      look_around(points, kRoundAbout * glm::length(upper - lower), parts[i]);
      cells[i] = cells_of_part(points, parts[i]);
      if (!report(progress, static_cast<float>(++done) / static_cast<float>(parts.size()), "tetrahedra")) {
        stop = true;
      }
    }
  });
  if (stop) {
    return std::nullopt;
  }
  DelaunayCells out;
  out.first.push_back(0);
  for (const DelaunayCells& part : cells) {
    const auto offset = static_cast<std::uint32_t>(out.points.size());
    out.tetrahedra.insert(out.tetrahedra.end(), part.tetrahedra.begin(), part.tetrahedra.end());
    out.points.insert(out.points.end(), part.points.begin(), part.points.end());
    for (std::size_t c = 1; c < part.first.size(); ++c) {
      out.first.push_back(offset + part.first[c]);
    }
  }
  return out.size() > 0 ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace pelt::bind
