// I. Baran, J. Popović, "Automatic Rigging and Animation of 3D Characters", ACM TOG 26(3), 2007, section 4: the
// equation, the cone of 60 degrees. M. Meyer, M. Desbrun, P. Schröder, A. H. Barr, "Discrete Differential-Geometry
// Operators for Triangulated 2-Manifolds", 2002, section 3.3: the areas that compatible heat uses.

#include "bind/heat_system.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

#include "bind/surface_sight.h"
#include "core/parallel.h"

namespace pelt::bind {
namespace {

constexpr std::size_t kPlacesPerSight = 512;
constexpr double kEquallyNear = 1e-6;            // relative
constexpr double kEquallyNearCompatible = 1e-4;  // of distances that normals have changed
constexpr double kConeCosine = 0.5;
constexpr double kAtBone = 1e-5;           // of the diagonal: nearer places are at the bone
constexpr double kFlatTriangle = 1e-7;     // area over the square of the longest side
constexpr double kCompatibleFactor = 4.0;  // the published program halves areas twice
constexpr double kTurnedBackAgain = 1e-3;  // added to 1 + cos, so that bones straight behind are far, not at infinity

struct Corners {
  std::array<glm::dvec3, 3> at;
  double area = 0;
  glm::dvec3 normal = {};           // of length 1, or 0 where flat
  std::array<double, 3> cotangent;  // of the angle at each corner
};

Corners corners_of(const Problem& problem, const std::array<std::uint32_t, 3>& triangle) {
  Corners out;
  for (std::size_t i = 0; i < 3; ++i) {
    out.at[i] = problem.positions[triangle[i]];
  }
  const glm::dvec3 normal = glm::cross(out.at[1] - out.at[0], out.at[2] - out.at[0]);
  const double twice = glm::length(normal);
  double longest = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const glm::dvec3 side = out.at[(i + 1) % 3] - out.at[i];
    longest = std::max(longest, glm::dot(side, side));
  }
  if (twice <= kFlatTriangle * longest) {
    out.cotangent.fill(1.0 / std::sqrt(3.0));
    return out;
  }
  out.area = 0.5 * twice;
  out.normal = normal / twice;
  for (std::size_t i = 0; i < 3; ++i) {
    const glm::dvec3 one = out.at[(i + 1) % 3] - out.at[i];
    const glm::dvec3 two = out.at[(i + 2) % 3] - out.at[i];
    out.cotangent[i] = glm::dot(one, two) / twice;
  }
  return out;
}

double angle_at(const Corners& corners, std::size_t i) {
  return corners.area > 0 ? std::atan2(1.0, corners.cotangent[i]) : 0.0;
}

// Closed islands that contain less than nothing: -1 for their places, 1 for all others.
std::vector<double> facing(const Problem& problem, std::vector<std::uint32_t>& inside_out) {
  std::vector<std::uint64_t> edges;
  edges.reserve(3 * problem.triangles.size());
  std::vector<double> volume(problem.island_count(), 0);
  std::vector<std::uint32_t> anchor(problem.island_count(), std::numeric_limits<std::uint32_t>::max());
  for (const auto& triangle : problem.triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint64_t a = triangle[i];
      const std::uint64_t b = triangle[(i + 1) % 3];
      edges.push_back(std::min(a, b) << 32 | std::max(a, b));
    }
    std::uint32_t& from = anchor[problem.island[triangle[0]]];
    from = from == std::numeric_limits<std::uint32_t>::max() ? triangle[0] : from;
    const glm::dvec3& o = problem.positions[from];
    volume[problem.island[triangle[0]]] +=
        glm::dot(problem.positions[triangle[0]] - o,
                 glm::cross(problem.positions[triangle[1]] - o, problem.positions[triangle[2]] - o));
  }
  std::ranges::sort(edges);
  std::vector<char> open(problem.island_count(), 0);
  for (std::size_t i = 0; i < edges.size();) {
    std::size_t end = i;
    while (end < edges.size() && edges[end] == edges[i]) {
      ++end;
    }
    if ((end - i) % 2 == 1) {
      open[problem.island[edges[i] >> 32]] = 1;
    }
    i = end;
  }
  for (std::uint32_t island = 0; island < problem.island_count(); ++island) {
    if (open[island] == 0 && volume[island] < 0) {
      inside_out.push_back(island);
    }
  }
  std::vector<double> sign(problem.place_count(), 1.0);
  if (!inside_out.empty()) {
    for (std::size_t w = 0; w < problem.place_count(); ++w) {
      sign[w] = std::ranges::binary_search(inside_out, problem.island[w]) ? -1.0 : 1.0;
    }
  }
  return sign;
}

// Of length 1, or 0 where nothing tells. Weighted by angles, so that the choice of diagonals does not matter;
// compatible ones count each triangle the same.
std::vector<glm::dvec3> heat_normals(const Problem& problem, const Heat& how, std::vector<std::uint32_t>& inside_out) {
  std::vector<glm::dvec3> normals(problem.place_count(), glm::dvec3(0.0));
  for (const auto& triangle : problem.triangles) {
    const Corners corners = corners_of(problem, triangle);
    for (std::size_t i = 0; i < 3; ++i) {
      normals[triangle[i]] += (how.compatible ? 1.0 : angle_at(corners, i)) * corners.normal;
    }
  }
  const std::vector<double> sign =
      how.compatible ? std::vector<double>(problem.place_count(), 1.0) : facing(problem, inside_out);
  for (std::size_t w = 0; w < normals.size(); ++w) {
    const double length = glm::length(normals[w]);
    normals[w] = length > 0 ? sign[w] * normals[w] / length : glm::dvec3(0.0);
  }
  return normals;
}

struct NearPoint {
  double distance = std::numeric_limits<double>::infinity();  // as the rules have it
  glm::dvec3 point = {};                                      // of the bone
};

NearPoint near_point(const glm::dvec3& p, const glm::dvec3& normal, const Bone& bone, bool compatible) {
  NearPoint best;
  for (const glm::dvec3& tail : bone.tails) {
    const OnSegment here = nearest_on_segment(p, bone.head, tail);
    const glm::dvec3 point = bone.head + here.t * (tail - bone.head);
    double distance = here.distance;
    if (compatible && distance > 0) {
      const double cosine = glm::dot(p - point, normal) / distance;
      distance /= 0.5 * (1.0 + kTurnedBackAgain + cosine);
    }
    if (distance < best.distance) {
      best = {distance, point};
    }
  }
  return best;
}

class SourceFinder {
 public:
  SourceFinder(const Problem& problem, const Heat& how, std::vector<std::uint32_t>& inside_out)
      : problem_(problem), how_(how), normals_(heat_normals(problem, how, inside_out)), sight_(problem) {}

  // Appends the bones that heat the place and returns H.
  double find(std::size_t w, std::vector<NearPoint>& near, std::vector<std::uint16_t>& bones) const {
    near.clear();
    double least = std::numeric_limits<double>::infinity();
    for (const Bone& bone : problem_.bones) {
      near.push_back(near_point(problem_.positions[w], normals_[w], bone, how_.compatible));
      least = std::min(least, near.back().distance);
    }
    const double limit = least * (1.0 + (how_.compatible ? kEquallyNearCompatible : kEquallyNear));
    const std::size_t before = bones.size();
    for (std::size_t b = 0; b < near.size(); ++b) {
      if (near[b].distance <= limit && is_seen(w, near[b])) {
        bones.push_back(static_cast<std::uint16_t>(b));
      }
    }
    const auto count = static_cast<double>(bones.size() - before);
    const double distance = std::max(least, kAtBone * problem_.diagonal);
    return distance > 0 ? count * how_.c / (distance * distance) : count;
  }

 private:
  [[nodiscard]] bool is_seen(std::size_t w, const NearPoint& near) const {
    const glm::dvec3 way = problem_.positions[w] - near.point;
    const double length = glm::length(way);
    if (length <= kAtBone * problem_.diagonal) {
      return true;
    }
    if (how_.compatible) {
      return !sight_.is_blocked(w, near.point, SurfaceSight::Blocks::kOuterSide);
    }
    return glm::dot(way, normals_[w]) > kConeCosine * length &&
           !sight_.is_blocked(w, near.point, SurfaceSight::Blocks::kBothSides);
  }

  const Problem& problem_;
  Heat how_;
  std::vector<glm::dvec3> normals_;
  SurfaceSight sight_;
};

// An edge of the surface with its weight in L, positive where it conducts.
struct HeatEdge {
  std::uint64_t key = 0;  // the lower place above the higher one
  double weight = 0;
  [[nodiscard]] std::uint32_t lower() const { return static_cast<std::uint32_t>(key >> 32); }
  [[nodiscard]] std::uint32_t higher() const { return static_cast<std::uint32_t>(key); }
};

// ½ of the sum of cotangents, or their mean; for two triangles at an edge that is the same.
std::vector<HeatEdge> heat_edges(const Problem& problem, bool mean) {
  std::vector<HeatEdge> all;
  all.reserve(3 * problem.triangles.size());
  for (const auto& triangle : problem.triangles) {
    const Corners corners = corners_of(problem, triangle);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint64_t a = triangle[(i + 1) % 3];
      const std::uint64_t b = triangle[(i + 2) % 3];
      all.push_back({std::min(a, b) << 32 | std::max(a, b), corners.cotangent[i]});
    }
  }
  std::ranges::sort(
      all, [](const HeatEdge& a, const HeatEdge& b) { return a.key != b.key ? a.key < b.key : a.weight < b.weight; });
  std::vector<HeatEdge> out;
  for (std::size_t i = 0; i < all.size();) {
    HeatEdge edge{all[i].key, 0};
    const std::size_t begin = i;
    for (; i < all.size() && all[i].key == edge.key; ++i) {
      edge.weight += all[i].weight;
    }
    edge.weight /= mean ? static_cast<double>(i - begin) : 2.0;
    out.push_back(edge);
  }
  return out;
}

// A third of each triangle for each corner; compatible: the mixed areas of Meyer et al.
std::vector<double> heat_areas(const Problem& problem, bool mixed) {
  std::vector<double> areas(problem.place_count(), 0.0);
  for (const auto& triangle : problem.triangles) {
    const Corners corners = corners_of(problem, triangle);
    const bool obtuse = std::ranges::any_of(corners.cotangent, [](double cotangent) { return cotangent < 0; });
    for (std::size_t i = 0; i < 3; ++i) {
      double share = corners.area / 3.0;
      if (mixed && corners.area > 0) {
        share = corners.area * (corners.cotangent[i] < 0 ? 0.5 : 0.25);
        if (!obtuse) {
          const std::size_t j = (i + 1) % 3;
          const std::size_t k = (i + 2) % 3;
          const glm::dvec3 to_j = corners.at[j] - corners.at[i];
          const glm::dvec3 to_k = corners.at[k] - corners.at[i];
          share = 0.125 * (corners.cotangent[k] * glm::dot(to_j, to_j) + corners.cotangent[j] * glm::dot(to_k, to_k));
        }
      }
      areas[triangle[i]] += share;
    }
  }
  return areas;
}

std::uint32_t heat_root(std::vector<std::uint32_t>& parent, std::uint32_t v) {
  while (parent[v] != v) {
    parent[v] = parent[parent[v]];
    v = parent[v];
  }
  return v;
}

}  // namespace

std::optional<HeatSources> heat_sources(const Problem& problem, const Heat& how, const Progress& progress) {
  const std::size_t count = problem.place_count();
  const std::size_t chunks = (count + kPlacesPerSight - 1) / kPlacesPerSight;
  HeatSources out;
  if (!report(progress, 0.0f, "bones in sight")) {
    return std::nullopt;
  }
  const SourceFinder finder(problem, how, out.inside_out);
  out.heat.assign(count, 0.0);
  out.first.assign(count + 1, 0);
  std::vector<std::vector<std::uint16_t>> bones(chunks);
  std::atomic<std::size_t> done = 0;
  std::atomic<bool> stop = false;
  parallel_for(chunks, 1, [&](std::size_t first, std::size_t last) {
    std::vector<NearPoint> near;
    for (std::size_t c = first; c < last && !stop; ++c) {
      for (std::size_t w = c * kPlacesPerSight; w < std::min(count, (c + 1) * kPlacesPerSight); ++w) {
        const std::size_t before = bones[c].size();
        out.heat[w] = finder.find(w, near, bones[c]);
        out.first[w + 1] = static_cast<std::uint32_t>(bones[c].size() - before);
      }
      const auto fraction = static_cast<float>(++done) / static_cast<float>(chunks);
      if (!report(progress, fraction, "bones in sight")) {
        stop = true;
      }
    }
  });
  if (stop) {
    return std::nullopt;
  }
  std::partial_sum(out.first.begin(), out.first.end(), out.first.begin());
  for (const std::vector<std::uint16_t>& part : bones) {
    out.bones.insert(out.bones.end(), part.begin(), part.end());
  }
  return out;
}

struct HeatSystem::Impl {
  using Matrix = Eigen::SparseMatrix<double>;

  Impl(const Problem& of_surface, const HeatSources& of_places) : problem(of_surface), sources(of_places) {}

  const Problem& problem;
  const HeatSources& sources;
  std::vector<double> strength;          // [W] M H
  std::vector<std::uint32_t> component;  // [W]
  std::vector<char> component_has_heat;  // [components]
  Eigen::SimplicialLDLT<Matrix> factors;
  std::vector<double> inverse_diagonal;  // [W] of D, in the order of the factors
  std::vector<int> row_of;               // [W] where a place is in that order

  void find_components(std::span<const HeatEdge> edges);
  [[nodiscard]] Matrix matrix(std::span<const HeatEdge> edges, bool only_positive) const;
};

void HeatSystem::Impl::find_components(std::span<const HeatEdge> edges) {
  const std::size_t count = problem.place_count();
  std::vector<std::uint32_t> parent(count);
  std::iota(parent.begin(), parent.end(), 0u);
  for (const HeatEdge& edge : edges) {
    if (edge.weight != 0) {
      const std::uint32_t one = heat_root(parent, edge.lower());
      const std::uint32_t two = heat_root(parent, edge.higher());
      parent[std::max(one, two)] = std::min(one, two);
    }
  }
  component.assign(count, 0);
  for (std::uint32_t w = 0; w < count; ++w) {
    const std::uint32_t root = heat_root(parent, w);
    if (root == w) {
      component[w] = static_cast<std::uint32_t>(component_has_heat.size());
      component_has_heat.push_back(0);
    } else {
      component[w] = component[root];
    }
    component_has_heat[component[w]] |= static_cast<char>(strength[w] > 0);
  }
}

// The lower half of L + M H; 1 on the diagonal where there is no heat at all.
HeatSystem::Impl::Matrix HeatSystem::Impl::matrix(std::span<const HeatEdge> edges, bool only_positive) const {
  const std::size_t count = problem.place_count();
  std::vector<double> diagonal(count);
  for (std::size_t w = 0; w < count; ++w) {
    diagonal[w] = component_has_heat[component[w]] != 0 ? strength[w] : 1.0;
  }
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(edges.size() + count);
  for (const HeatEdge& edge : edges) {
    const double weight = only_positive ? std::max(edge.weight, 0.0) : edge.weight;
    if (component_has_heat[component[edge.lower()]] == 0 || weight == 0) {
      continue;
    }
    entries.emplace_back(static_cast<int>(edge.higher()), static_cast<int>(edge.lower()), -weight);
    diagonal[edge.lower()] += weight;
    diagonal[edge.higher()] += weight;
  }
  for (std::size_t w = 0; w < count; ++w) {
    entries.emplace_back(static_cast<int>(w), static_cast<int>(w), diagonal[w]);
  }
  Matrix out(static_cast<int>(count), static_cast<int>(count));
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

HeatSystem::HeatSystem(const Problem& problem, const HeatSources& sources, const Heat& how)
    : impl_(std::make_unique<Impl>(problem, sources)) {
  const std::size_t count = problem.place_count();
  const std::vector<HeatEdge> edges = heat_edges(problem, how.compatible);
  impl_->strength = heat_areas(problem, how.compatible);
  for (std::size_t w = 0; w < count; ++w) {
    impl_->strength[w] *= sources.heat[w] * (how.compatible ? kCompatibleFactor : 1.0);
  }
  impl_->find_components(edges);
  const auto is_definite = [&] {
    return impl_->factors.info() == Eigen::Success && (impl_->factors.vectorD().array() > 0).all();
  };
  impl_->factors.compute(impl_->matrix(edges, false));
  // Triangles give a definite matrix, but means of cotangents at open edges need not, and slivers may lose it to
  // rounding. Without edges that conduct backwards it is a matrix of positive weights; what these tear apart from all
  // heat gets none and counts as not solved.
  if (!is_definite()) {
    impl_->factors.compute(impl_->matrix(edges, true));
  }
  impl_->inverse_diagonal.assign(count, 0.0);
  if (is_definite()) {
    for (std::size_t i = 0; i < count; ++i) {
      impl_->inverse_diagonal[i] = 1.0 / impl_->factors.vectorD()[static_cast<Eigen::Index>(i)];
    }
  }
  impl_->row_of.resize(count);
  for (std::size_t w = 0; w < count; ++w) {
    impl_->row_of[w] = impl_->factors.permutationP().indices()[static_cast<Eigen::Index>(w)];
  }
}

HeatSystem::~HeatSystem() = default;

const std::vector<std::uint32_t>& HeatSystem::component_of() const {
  return impl_->component;
}

bool HeatSystem::has_heat(std::uint32_t component) const {
  return impl_->component_has_heat[component] != 0;
}

// L D L^T x = b for several bones at once, so that the factors are read once for all of them.
void HeatSystem::solve(std::span<const std::uint16_t> bones, std::vector<double>& out) const {
  const std::size_t count = impl_->problem.place_count();
  const std::size_t width = bones.size();
  const Impl::Matrix& lower = impl_->factors.matrixL().nestedExpression();
  std::vector<double> x(count * kBonesAtOnce, 0.0);
  for (std::size_t w = 0; w < count; ++w) {
    const std::span<const std::uint16_t> near = impl_->sources.of(w);
    for (const std::uint16_t b : near) {
      for (std::size_t k = 0; k < width; ++k) {
        if (bones[k] == b) {
          x[static_cast<std::size_t>(impl_->row_of[w]) * kBonesAtOnce + k] =
              impl_->strength[w] / static_cast<double>(near.size());
        }
      }
    }
  }
  for (std::size_t j = 0; j < count; ++j) {
    const double* from = &x[j * kBonesAtOnce];
    if (std::all_of(from, from + kBonesAtOnce, [](double value) { return value == 0; })) {
      continue;  // heat of few bones is far from most places
    }
    for (Impl::Matrix::InnerIterator it(lower, static_cast<Eigen::Index>(j)); it; ++it) {
      double* to = &x[static_cast<std::size_t>(it.row()) * kBonesAtOnce];
      for (std::size_t k = 0; k < kBonesAtOnce; ++k) {
        to[k] -= it.value() * from[k];
      }
    }
  }
  for (std::size_t j = count; j-- > 0;) {
    double* to = &x[j * kBonesAtOnce];
    for (std::size_t k = 0; k < kBonesAtOnce; ++k) {
      to[k] *= impl_->inverse_diagonal[j];
    }
    for (Impl::Matrix::InnerIterator it(lower, static_cast<Eigen::Index>(j)); it; ++it) {
      const double* from = &x[static_cast<std::size_t>(it.row()) * kBonesAtOnce];
      for (std::size_t k = 0; k < kBonesAtOnce; ++k) {
        to[k] -= it.value() * from[k];
      }
    }
  }
  out.resize(count * width);
  for (std::size_t w = 0; w < count; ++w) {
    const double* from = &x[static_cast<std::size_t>(impl_->row_of[w]) * kBonesAtOnce];
    std::copy_n(from, width, &out[w * width]);
  }
}

}  // namespace pelt::bind
