#include "mesh/weight_transfer.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/expect.h"
#include "core/parallel.h"
#include "mesh/adjacency.h"
#include "mesh/triangle_bvh.h"

namespace pelt::mesh {
namespace {

constexpr std::size_t kTransferGrain = 256;
constexpr double kLeastEdge = 1e-8;  // of an edge between obtuse angles, so that everything hangs together
constexpr double kSolved = 1e-12;    // of the right side
constexpr int kMostSteps = 4000;
constexpr int kBetweenReports = 32;      // steps
constexpr float kShareOfClosest = 0.5f;  // of the whole

// Asks on several threads how far they are, and whether they should go on.
class Watch {
 public:
  Watch(const Progress& progress, std::size_t count) : progress_(progress), count_(std::max<std::size_t>(count, 1)) {}
  // @param from, to  shares of the whole that lie before and behind this part
  bool done(std::size_t more, float from, float to, const char* what) {
    const std::size_t now = done_ += more;
    if (!report(progress_, from + (to - from) * static_cast<float>(now) / static_cast<float>(count_), what)) {
      stopped_ = true;
    }
    return !stopped_;
  }
  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  const Progress& progress_;
  std::size_t count_;
  std::atomic<std::size_t> done_ = 0;
  std::atomic<bool> stopped_ = false;
};

std::vector<glm::dvec3> normals_of(const TransferSurface& surface) {
  std::vector<glm::dvec3> normals(surface.positions.size(), glm::dvec3(0));
  for (const auto& [a, b, c] : surface.triangles) {
    const glm::dvec3 n =
        glm::cross(surface.positions[b] - surface.positions[a], surface.positions[c] - surface.positions[a]);
    for (const std::uint32_t corner : {a, b, c}) {
      normals[corner] += n;
    }
  }
  return normals;
}

// The angle between two directions, 0 where one has no length: what has no normal agrees with all.
double angle_between(const glm::dvec3& a, const glm::dvec3& b) {
  const double length = glm::length(a) * glm::length(b);
  return length > 0 ? std::acos(std::clamp(glm::dot(a, b) / length, -1.0, 1.0)) : 0;
}

// Closest points of a surface.
class ClosestPoints {
 public:
  explicit ClosestPoints(const TransferSurface& surface) : surface_(surface), bvh_(floats(surface), flat(surface)) {}

  // @param guess  a triangle that may be close; gets the one that is closest
  [[nodiscard]] SurfacePoint find(const glm::dvec3& p, std::uint32_t& guess) const {
    SurfacePoint best = on_triangle(p, guess);
    best.triangle = guess;
    // The boxes are of floats.
    const double slack = 1e-6 * (1 + glm::length(p));
    bvh_.for_each_within(p, slack, best.distance, [&](std::uint32_t t) {
      SurfacePoint here = on_triangle(p, t);
      here.triangle = t;
      if (here.distance < best.distance || (here.distance == best.distance && t < best.triangle)) {
        best = here;
      }
    });
    guess = best.triangle;
    return best;
  }

 private:
  static std::vector<glm::vec3> floats(const TransferSurface& surface) {
    return {surface.positions.begin(), surface.positions.end()};
  }
  static std::vector<std::uint32_t> flat(const TransferSurface& surface) {
    std::vector<std::uint32_t> out;
    for (const auto& triangle : surface.triangles) {
      out.insert(out.end(), triangle.begin(), triangle.end());
    }
    return out;
  }
  [[nodiscard]] SurfacePoint on_triangle(const glm::dvec3& p, std::uint32_t t) const {
    const auto& [a, b, c] = surface_.triangles[t];
    return closest_on_triangle(p, surface_.positions[a], surface_.positions[b], surface_.positions[c]);
  }

  const TransferSurface& surface_;
  TriangleBvh bvh_;
};

void add_share(std::vector<WeightEntry>& row, std::span<const WeightEntry> more, double share) {
  for (const WeightEntry& one : more) {
    const auto at = std::ranges::find(row, one.joint, &WeightEntry::joint);
    if (at != row.end()) {
      at->weight += share * one.weight;
    } else if (share * one.weight > 0) {
      row.push_back({one.joint, share * one.weight});
    }
  }
}

// Brings a row to 1, its joints ascending; it stays empty where it has nothing.
void finish_row(std::vector<WeightEntry>& row) {
  std::ranges::sort(row, {}, &WeightEntry::joint);
  const double sum =
      std::accumulate(row.begin(), row.end(), 0.0, [](double s, const WeightEntry& one) { return s + one.weight; });
  if (!(sum > 0) || !std::isfinite(sum)) {
    row.clear();
    return;
  }
  for (WeightEntry& one : row) {
    one.weight /= sum;
  }
}

// The edges of the target from each of its places that is to be solved for, with what they count.
struct Edges {
  std::vector<std::uint32_t> place;   // [n] that are solved for, ascending
  std::vector<std::size_t> offset;    // [n + 1]
  std::vector<std::uint32_t> other;   // places
  std::vector<std::uint32_t> number;  // among the n, or kKnown
  std::vector<double> share;
  static constexpr std::uint32_t kKnown = std::numeric_limits<std::uint32_t>::max();
};

double facing_cotangent(const glm::dvec3& apex, const glm::dvec3& a, const glm::dvec3& b) {
  const double cotangent = glm::dot(a - apex, b - apex) / glm::length(glm::cross(a - apex, b - apex));
  return std::isfinite(cotangent) ? std::max(cotangent, 0.0) : 0;
}

Edges edges_of(const TransferSurface& target, const Adjacency& adjacency, const std::vector<std::uint32_t>& unknown) {
  Edges out;
  out.place = unknown;
  out.offset.push_back(0);
  for (const std::uint32_t w : unknown) {
    const auto neighbors = adjacency.neighbors(w);
    std::vector<double> share(neighbors.size(), kLeastEdge);
    const auto add = [&](std::uint32_t u, double cotangent) {
      share[std::ranges::lower_bound(neighbors, u) - neighbors.begin()] += cotangent;
    };
    for (const auto& [b, c] : adjacency.corners_at(w)) {
      add(b, facing_cotangent(target.positions[c], target.positions[w], target.positions[b]));
      add(c, facing_cotangent(target.positions[b], target.positions[w], target.positions[c]));
    }
    for (std::size_t k = 0; k < neighbors.size(); ++k) {
      const auto at = std::ranges::lower_bound(unknown, neighbors[k]);
      out.other.push_back(neighbors[k]);
      out.number.push_back(at != unknown.end() && *at == neighbors[k] ? static_cast<std::uint32_t>(at - unknown.begin())
                                                                      : Edges::kKnown);
      out.share.push_back(share[k]);
    }
    out.offset.push_back(out.other.size());
  }
  return out;
}

// A x = b by conjugate gradients with the diagonal as preconditioner; x is 0 at first.
std::vector<double> solve_edges(const Edges& edges, const std::vector<double>& diagonal,
                                const std::vector<double>& right, Watch& watch) {
  const std::size_t n = right.size();
  std::vector<double> x(n, 0.0);
  std::vector<double> r = right;
  std::vector<double> z(n);
  std::vector<double> p(n, 0.0);
  std::vector<double> ap(n);
  const auto product = [&](const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  const double enough = kSolved * kSolved * product(right, right);
  double before = 0;
  for (int step = 0; step < kMostSteps && product(r, r) > enough; ++step) {
    if (step % kBetweenReports == 0 && !watch.done(0, kShareOfClosest, 1, "Filling what has no match")) {
      break;
    }
    for (std::size_t i = 0; i < n; ++i) {
      z[i] = r[i] / diagonal[i];
    }
    const double rz = product(r, z);
    for (std::size_t i = 0; i < n; ++i) {
      p[i] = z[i] + (step == 0 ? 0 : rz / before) * p[i];
    }
    before = rz;
    for (std::size_t i = 0; i < n; ++i) {
      ap[i] = diagonal[i] * p[i];
      for (std::size_t e = edges.offset[i]; e < edges.offset[i + 1]; ++e) {
        if (edges.number[e] != Edges::kKnown) {
          ap[i] -= edges.share[e] * p[edges.number[e]];
        }
      }
    }
    const double length = rz / product(p, ap);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += length * p[i];
      r[i] -= length * ap[i];
    }
  }
  return x;
}

// Fills the rows of these places from those round them. @pre  each has a way to a place with a row
void inpaint(const TransferSurface& target, const Adjacency& adjacency, const std::vector<std::uint32_t>& unknown,
             TransferRows& rows, const Progress& progress) {
  const Edges edges = edges_of(target, adjacency, unknown);
  const std::size_t n = unknown.size();
  std::vector<double> diagonal(n, 0.0);
  std::vector<std::uint16_t> joints;  // of the places round them
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t e = edges.offset[i]; e < edges.offset[i + 1]; ++e) {
      // A neighbour of nothing, such as one that cannot be bound, holds nobody.
      if (edges.number[e] == Edges::kKnown && rows[edges.other[e]].empty()) {
        continue;
      }
      diagonal[i] += edges.share[e];
      if (edges.number[e] == Edges::kKnown) {
        for (const WeightEntry& one : rows[edges.other[e]]) {
          joints.push_back(one.joint);
        }
      }
    }
  }
  std::ranges::sort(joints);
  joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
  std::vector<std::vector<double>> solved(joints.size());
  Watch watch(progress, joints.size());
  parallel_for(joints.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end && !watch.stopped(); ++k) {
      std::vector<double> right(n, 0.0);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t e = edges.offset[i]; e < edges.offset[i + 1]; ++e) {
          if (edges.number[e] == Edges::kKnown) {
            for (const WeightEntry& one : rows[edges.other[e]]) {
              right[i] += one.joint == joints[k] ? edges.share[e] * one.weight : 0;
            }
          }
        }
      }
      solved[k] = solve_edges(edges, diagonal, right, watch);
      watch.done(1, kShareOfClosest, 1, "Filling what has no match");
    }
  });
  if (watch.stopped()) {
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<WeightEntry>& row = rows[unknown[i]];
    for (std::size_t k = 0; k < joints.size(); ++k) {
      if (solved[k][i] > 1e-6) {  // the solver's rounding is no weight
        row.push_back({joints[k], solved[k][i]});
      }
    }
    finish_row(row);
  }
}

// Of the places without a row those that have a way to one with a row.
std::vector<std::uint32_t> reachable(const Adjacency& adjacency, const TransferRows& rows) {
  std::vector<char> reached(rows.size(), 0);
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t w = 0; w < rows.size(); ++w) {
    if (!rows[w].empty()) {
      waiting.push_back(w);
    }
  }
  std::vector<std::uint32_t> out;
  while (!waiting.empty()) {
    const std::uint32_t w = waiting.back();
    waiting.pop_back();
    for (const std::uint32_t u : adjacency.neighbors(w)) {
      if (rows[u].empty() && reached[u] == 0) {
        reached[u] = 1;
        out.push_back(u);
        waiting.push_back(u);
      }
    }
  }
  std::ranges::sort(out);
  return out;
}

std::vector<std::uint32_t> corners_of(const TransferSurface& surface) {
  std::vector<std::uint32_t> out;
  for (const auto& triangle : surface.triangles) {
    out.insert(out.end(), triangle.begin(), triangle.end());
  }
  return out;
}

}  // namespace

SurfacePoint closest_on_triangle(const glm::dvec3& p, const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& c) {
  // Ericson, "Real-time collision detection", 2005, section 5.1.5: by the region that the point lies over.
  const glm::dvec3 ab = b - a;
  const glm::dvec3 ac = c - a;
  const glm::dvec3 ap = p - a;
  const double d1 = glm::dot(ab, ap);
  const double d2 = glm::dot(ac, ap);
  const auto at = [&](double u, double v, double w) {
    return SurfacePoint{0, {u, v, w}, glm::length(p - (u * a + v * b + w * c))};
  };
  if (d1 <= 0 && d2 <= 0) {
    return at(1, 0, 0);
  }
  const glm::dvec3 bp = p - b;
  const double d3 = glm::dot(ab, bp);
  const double d4 = glm::dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) {
    return at(0, 1, 0);
  }
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    const double t = d1 - d3 > 0 ? d1 / (d1 - d3) : 0;
    return at(1 - t, t, 0);
  }
  const glm::dvec3 cp = p - c;
  const double d5 = glm::dot(ab, cp);
  const double d6 = glm::dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) {
    return at(0, 0, 1);
  }
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    const double t = d2 - d6 > 0 ? d2 / (d2 - d6) : 0;
    return at(1 - t, 0, t);
  }
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return at(0, 1 - t, t);
  }
  const double sum = va + vb + vc;
  return at(1 - vb / sum - vc / sum, vb / sum, vc / sum);
}

Transfer transferred_weights(const TransferSurface& source, const TransferRows& source_rows,
                             const TransferSurface& target, const TransferRows& fixed, const TransferSettings& how,
                             const Progress& progress) {
  PELT_EXPECT(source_rows.size() == source.positions.size(), "a row for each place of the source");
  PELT_EXPECT(fixed.empty() || fixed.size() == target.positions.size(), "a row for each place of the target, or none");
  const std::size_t count = target.positions.size();
  Transfer out;
  out.rows.resize(count);
  out.cause.assign(count, TransferCause::kInpainted);
  out.distance.assign(count, 0.0);
  TransferRows nearest(count);
  for (std::size_t w = 0; w < fixed.size(); ++w) {
    out.rows[w] = fixed[w];
    out.cause[w] = fixed[w].empty() ? TransferCause::kInpainted : TransferCause::kMatched;
  }
  if (!source.triangles.empty()) {
    const ClosestPoints closest(source);
    const std::vector<glm::dvec3> normals = normals_of(target);
    const std::vector<glm::dvec3> source_normals = normals_of(source);
    Watch watch(progress, count);
    parallel_for(count, kTransferGrain, [&](std::size_t begin, std::size_t end) {
      if (!watch.done(end - begin, 0, kShareOfClosest, "Closest points")) {
        return;
      }
      std::uint32_t guess = 0;
      for (std::size_t w = begin; w < end; ++w) {
        if (!out.rows[w].empty()) {
          continue;
        }
        const SurfacePoint point = closest.find(target.positions[w], guess);
        out.distance[w] = point.distance;
        glm::dvec3 normal(0);
        for (std::size_t k = 0; k < 3; ++k) {
          const std::uint32_t corner = source.triangles[point.triangle][k];
          const double length = glm::length(source_normals[corner]);
          normal += length > 0 ? source_normals[corner] * (point.share[k] / length) : glm::dvec3(0);
          add_share(nearest[w], source_rows[corner], point.share[k]);
        }
        finish_row(nearest[w]);
        if (point.distance <= how.distance && angle_between(normals[w], normal) <= how.angle && !nearest[w].empty()) {
          out.rows[w] = nearest[w];
          out.cause[w] = TransferCause::kMatched;
        }
      }
    });
    if (watch.stopped()) {
      return out;
    }
  }
  const Adjacency adjacency = make_adjacency(count, corners_of(target));
  if (!how.nearest) {
    inpaint(target, adjacency, reachable(adjacency, out.rows), out.rows, progress);
  }
  for (std::size_t w = 0; w < count; ++w) {
    if (out.rows[w].empty()) {
      out.rows[w] = std::move(nearest[w]);
      out.cause[w] = TransferCause::kNearest;
    }
    ++out.count[static_cast<std::size_t>(out.cause[w])];
  }
  return out;
}

}  // namespace pelt::mesh
