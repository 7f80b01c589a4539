#include "deform/delta_mush.h"

#include <algorithm>
#include <cmath>

#include "core/expect.h"
#include "core/parallel.h"
#include "deform/vertex_frame.h"

namespace pelt::deform {
namespace {

constexpr std::size_t kRelaxedPerChunk = 2048;

// An area or a projected edge this small against the edges round the vertex gives no direction.
constexpr double kVanishing = 1e-9;

glm::dvec3 normal_at(const mesh::Adjacency& adjacency, std::span<const glm::dvec3> points, std::size_t v) {
  glm::dvec3 sum(0.0);
  for (const auto& [b, c] : adjacency.corners_at(v)) {
    sum += glm::cross(points[b] - points[v], points[c] - points[v]);
  }
  return sum;
}

double square(const glm::dvec3& x) {
  return glm::dot(x, x);
}

// Unit and perpendicular to unit n; which one does not matter to the result.
glm::dvec3 any_across(const glm::dvec3& n) {
  const glm::dvec3 size = glm::abs(n);
  const glm::dvec3 axis = size.x <= size.y && size.x <= size.z ? glm::dvec3(1, 0, 0)
                          : size.y <= size.z                   ? glm::dvec3(0, 1, 0)
                                                               : glm::dvec3(0, 0, 1);
  return glm::normalize(glm::cross(n, axis));
}

}  // namespace

DeltaMush::Loan::Loan(const DeltaMush& owner) : owner_(owner) {
  const std::lock_guard lock(owner_.mutex_);
  if (owner_.free_.empty()) {
    scratch_ = std::make_unique<Scratch>();
  } else {
    scratch_ = std::move(owner_.free_.back());
    owner_.free_.pop_back();
  }
}

DeltaMush::Loan::~Loan() {
  const std::lock_guard lock(owner_.mutex_);
  owner_.free_.push_back(std::move(scratch_));
}

DeltaMush::DeltaMush(std::span<const glm::dvec3> rest, std::span<const std::uint32_t> triangles, int iterations,
                     double lambda)
    : adjacency_(mesh::make_adjacency(rest.size(), triangles)), iterations_(iterations), lambda_(lambda) {
  PELT_EXPECT(iterations >= 0 && lambda >= 0 && lambda <= 1, "iterations >= 0, lambda in 0..1");
  std::vector<glm::dvec3> smoothed(rest.size());
  smooth(rest, smoothed);
  along_.assign(adjacency_.neighbor.size(), glm::dvec2(0.0));
  delta_.assign(rest.size(), glm::dvec3(0.0));
  has_frame_.assign(rest.size(), 0);
  for (std::size_t v = 0; v < rest.size(); ++v) {
    const glm::dvec3 normal = normal_at(adjacency_, smoothed, v);
    const double around = largest_square_round(smoothed, v);
    const double normal_length = std::sqrt(square(normal));
    if (!(normal_length > kVanishing * around)) {
      continue;
    }
    const glm::dvec3 n = normal / normal_length;
    const glm::dvec3 t = any_across(n);
    const glm::dmat3 axes(n, t, glm::cross(n, t));
    const std::span<const std::uint32_t> ring = adjacency_.neighbors(v);
    double size = 0;
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const glm::dvec3 edge = smoothed[ring[i]] - smoothed[v];
      along_[adjacency_.offset[v] + i] = {glm::dot(axes[1], edge), glm::dot(axes[2], edge)};
      size += square(edge);
    }
    for (std::size_t i = 0; i < ring.size(); ++i) {
      along_[adjacency_.offset[v] + i] /= std::sqrt(size);
    }
    has_frame_[v] = 1;
    delta_[v] = glm::transpose(axes) * (rest[v] - smoothed[v]);
  }
}

double DeltaMush::largest_square_round(std::span<const glm::dvec3> points, std::size_t v) const {
  double largest = 0;
  for (const std::uint32_t n : adjacency_.neighbors(v)) {
    largest = std::max(largest, square(points[n] - points[v]));
  }
  return largest;
}

void DeltaMush::smooth(std::span<const glm::dvec3> points, std::span<glm::dvec3> out) const {
  std::ranges::copy(points, out.begin());
  Loan scratch(*this);
  scratch->points.resize(points.size());
  std::span<glm::dvec3> from = out;
  std::span<glm::dvec3> to = scratch->points;
  for (int i = 0; i < iterations_; ++i) {
    parallel_for(from.size(), kRelaxedPerChunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        const std::span<const std::uint32_t> ring = adjacency_.neighbors(v);
        if (ring.empty()) {
          to[v] = from[v];
          continue;
        }
        glm::dvec3 sum(0.0);
        for (const std::uint32_t n : ring) {
          sum += from[n];
        }
        to[v] = from[v] * (1 - lambda_) + sum * (lambda_ / static_cast<double>(ring.size()));
      }
    });
    std::swap(from, to);
  }
  if (from.data() != out.data()) {
    std::ranges::copy(from, out.begin());
  }
}

// Normal, and in the tangent plane the second axis t for which sum over edges (a t + b n x t) . edge is largest, a and
// b the rest edge: that of sum a edge - b n x edge. Where the surface is mirrored all is turned over, since the normal
// of mirrored triangles points inwards.
bool DeltaMush::frame(std::span<const glm::dvec3> smoothed, std::size_t v, double orientation, glm::dmat3& out) const {
  if (has_frame_[v] == 0) {
    return false;
  }
  const glm::dvec3 normal = normal_at(adjacency_, smoothed, v);
  const double around = largest_square_round(smoothed, v);
  const double normal_length = std::sqrt(square(normal));
  if (!(normal_length > kVanishing * around)) {
    return false;
  }
  const glm::dvec3 n = normal * (orientation / normal_length);
  const std::span<const std::uint32_t> ring = adjacency_.neighbors(v);
  glm::dvec3 first(0.0);
  glm::dvec3 second(0.0);
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const glm::dvec3 edge = smoothed[ring[i]] - smoothed[v];
    const glm::dvec2& rest = along_[adjacency_.offset[v] + i];
    first += edge * rest.x;
    second += edge * rest.y;
  }
  const glm::dvec3 along = first - n * glm::dot(first, n) - glm::cross(n, second) * orientation;
  const double along_square = square(along);
  if (!(along_square > kVanishing * kVanishing * around)) {
    return false;
  }
  const glm::dvec3 t = along / std::sqrt(along_square);
  out = glm::dmat3(n, t, glm::cross(n, t) * orientation);
  return true;
}

void DeltaMush::apply(std::span<const glm::dvec3> posed, std::span<const double> sizes, bool deltas,
                      std::span<glm::dvec3> out) const {
  PELT_EXPECT(posed.size() == vertex_count() && sizes.size() == vertex_count() && out.size() == vertex_count(),
              "one point and size per vertex");
  if (!deltas) {
    smooth(posed, out);
    return;
  }
  Loan scratch(*this);
  scratch->points.resize(posed.size());
  const std::span<glm::dvec3> smoothed = scratch->points;
  smooth(posed, smoothed);
  parallel_for(posed.size(), kRelaxedPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      glm::dmat3 axes(1.0);
      if (frame(smoothed, v, sizes[v] < 0 ? -1.0 : 1.0, axes)) {
        out[v] = smoothed[v] + axes * (delta_[v] * std::abs(sizes[v]));
      } else {
        out[v] = posed[v];
      }
    }
  });
}

bool prepare_delta_mush(const mesh::MeshSurface& surface, const MethodParameters& parameters, const Progress& progress,
                        std::span<Prepared> out) {
  if (!report(progress, 0.0f, "Smoothing the bind shape")) {
    return false;
  }
  mesh::WeldedShape shape = mesh::welded_shape(surface);
  for (glm::dvec3& p : shape.positions) {
    p = surface.shape_from_mesh * p;
  }
  const auto mush = std::make_shared<const DeltaMush>(shape.positions, shape.triangles, parameters.mush_iterations,
                                                      static_cast<double>(parameters.mush_lambda));
  for (std::size_t p = 0; p < out.size(); ++p) {
    if (!surface.influences[p]->empty()) {
      out[p].delta_mush = mush;
    }
  }
  return report(progress, 1.0f, "Smoothing the bind shape");
}

void finish_delta_mush(const mesh::MeshSurface& surface, const MethodParameters& parameters,
                       std::span<const Prepared> prepared, std::span<const glm::mat4> skin_matrices,
                       std::span<const SkinOutput> inout) {
  const auto first = std::ranges::find_if(prepared, [](const Prepared& p) { return p.delta_mush != nullptr; });
  if (first == prepared.end() || parameters.mush_iterations == 0 || parameters.mush_lambda == 0) {
    return;  // nothing is smoothed: the skin as it is, to the bit
  }
  const DeltaMush& mush = *first->delta_mush;
  std::vector<double> joint_sizes;
  joint_sizes.reserve(skin_matrices.size());
  const glm::dmat3 mesh_from_shape = glm::inverse(surface.shape_from_mesh);
  for (const glm::mat4& m : skin_matrices) {
    joint_sizes.push_back(signed_size(glm::dmat3(m) * mesh_from_shape));
  }
  DeltaMush::Loan scratch(mush);
  scratch->posed.resize(mush.vertex_count());
  scratch->result.resize(mush.vertex_count());
  scratch->sizes.resize(mush.vertex_count());
  parallel_for(mush.vertex_count(), kRelaxedPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t w = begin; w < end; ++w) {
      const mesh::VertexPlace place = mesh::place_of(surface, surface.representative[w]);
      scratch->posed[w] = glm::dvec3(inout[place.primitive].positions[place.vertex]);
      double size = 1;
      const mesh::Influences& rows = *surface.influences[place.primitive];
      if (!rows.empty() && rows.count(place.vertex) > 0) {
        size = 0;
        const mesh::InfluenceRow row = rows.row(place.vertex);
        for (std::size_t k = 0; k < row.joints.size(); ++k) {
          size += joint_sizes[row.joints[k]] * static_cast<double>(row.weights[k]);
        }
      }
      scratch->sizes[w] = size;
    }
  });
  mush.apply(scratch->posed, scratch->sizes, parameters.mush_deltas, scratch->result);
  for (std::size_t p = 0; p < inout.size(); ++p) {
    if (surface.influences[p]->empty()) {
      continue;
    }
    const std::span<const std::uint32_t> welded = std::span(surface.welded).subspan(surface.first[p]);
    parallel_for(inout[p].positions.size(), kRelaxedPerChunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        inout[p].positions[v] = glm::vec3(scratch->result[welded[v]]);
      }
    });
  }
}

}  // namespace pelt::deform
