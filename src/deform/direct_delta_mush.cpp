// B. H. Le, J. P. Lewis, "Direct Delta Mush Skinning and Variants", ACM TOG 38(4), 2019: variant 0.
#include "deform/direct_delta_mush.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/expect.h"
#include "core/parallel.h"
#include "deform/vertex_frame.h"
#include "mesh/adjacency.h"

namespace pelt::deform {
namespace {

constexpr std::size_t kMushedPerChunk = 1024;
constexpr std::size_t kVec4sPerJoint = 5;

// A joint that a vertex follows by less moves it by less than the tolerance of the single-precision path.
constexpr double kSmallestMass = 1e-6;

// Terms of the series below this are left out; the coefficients sum to 1.
constexpr double kSeriesTail = 1e-15;
constexpr int kFewestSamples = 64;
constexpr int kMostSamples = 4096;  // more than the largest values on the sliders need

// kappa stays below lambda, whatever the sliders say.
constexpr double kLargestKappaShare = 0.99;

// 1, x, y, z, xx, xy, xz, yy, yz, zz of a vertex, times what follows a joint.
using Field = std::array<double, 10>;

// (1 + strength (1 - x))^-power for x in -1..1 as a sum of Chebyshev polynomials, from samples at the zeros of the
// first one that is not needed.
std::vector<double> series(double strength, int power) {
  std::vector<double> out;
  for (int samples = kFewestSamples;; samples *= 2) {
    const double step = std::numbers::pi / samples;
    std::vector<double> values;
    for (int k = 0; k < samples; ++k) {
      values.push_back(std::pow(1 + strength * (1 - std::cos((k + 0.5) * step)), -power));
    }
    out.assign(static_cast<std::size_t>(samples) / 2, 0.0);
    for (std::size_t n = 0; n < out.size(); ++n) {
      for (std::size_t k = 0; k < values.size(); ++k) {
        out[n] += values[k] * std::cos(static_cast<double>(n) * (static_cast<double>(k) + 0.5) * step);
      }
      out[n] *= (n == 0 ? 1.0 : 2.0) / samples;
    }
    while (out.size() > 1 && std::abs(out.back()) < kSeriesTail) {
      out.pop_back();
    }
    if (out.size() < static_cast<std::size_t>(samples) / 2 || samples >= kMostSamples) {
      return out;
    }
  }
}

// One joint's share in a vertex, before it is centred.
struct Share {
  std::uint16_t joint;
  Field field;             // B applied
  double smoothed_weight;  // C applied
};

struct Smoother {
  const mesh::Adjacency& adjacency;
  std::vector<double> b;  // series
  std::vector<double> c;
  // All [W]; zero where a joint has not reached.
  std::vector<Field> previous;
  std::vector<Field> current;
  std::vector<Field> next;
  std::vector<Field> smoothed;
  std::vector<double> smoothed_weight;
  std::vector<std::uint32_t> order;  // vertices by distance from the joint's own, in edges
  std::vector<char> reached;

  explicit Smoother(const mesh::Adjacency& of)
      : adjacency(of),
        previous(of.vertex_count(), Field{}),
        current(of.vertex_count(), Field{}),
        next(of.vertex_count(), Field{}),
        smoothed(of.vertex_count(), Field{}),
        smoothed_weight(of.vertex_count(), 0.0),
        reached(of.vertex_count(), 0) {}

  // Where the field is not zero after one more step: the vertices that edges lead to from order[begin, ...).
  void grow(std::size_t begin) {
    const std::size_t end = order.size();
    for (std::size_t i = begin; i < end; ++i) {
      for (const std::uint32_t n : adjacency.neighbors(order[i])) {
        if (reached[n] == 0) {
          reached[n] = 1;
          order.push_back(n);
        }
      }
    }
  }

  // D^-1 A x at v; a vertex without neighbours keeps what it has.
  [[nodiscard]] Field mean(const std::vector<Field>& x, std::uint32_t v) const {
    const std::span<const std::uint32_t> ring = adjacency.neighbors(v);
    if (ring.empty()) {
      return x[v];
    }
    Field sum{};
    for (const std::uint32_t n : ring) {
      for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] += x[n][i];
      }
    }
    const double share = 1.0 / static_cast<double>(ring.size());
    for (double& value : sum) {
      value *= share;
    }
    return sum;
  }

  // Sums the series of `current`, which is not zero at order[0, ...) only: T_0 = x, T_1 = P x, T_n+1 = 2 P T_n - T_n-1.
  void run() {
    const std::size_t degree = std::max(b.size(), c.size());
    std::size_t begin = 0;
    for (std::size_t n = 0; n < degree; ++n) {
      if (n > 0) {
        const std::size_t grown = order.size();
        grow(begin);
        begin = grown;
      }
      parallel_for(order.size(), kMushedPerChunk, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
          const std::uint32_t v = order[k];
          Field term = current[v];
          if (n > 0) {
            term = mean(current, v);
            for (std::size_t i = 0; n > 1 && i < term.size(); ++i) {
              term[i] = 2 * term[i] - previous[v][i];
            }
            next[v] = term;
          }
          if (n < b.size()) {
            for (std::size_t i = 0; i < term.size(); ++i) {
              smoothed[v][i] += b[n] * term[i];
            }
          }
          if (n < c.size()) {
            smoothed_weight[v] += c[n] * term[0];
          }
        }
      });
      if (n > 0) {
        std::swap(previous, current);
        std::swap(current, next);
      }
    }
  }

  void clear() {
    for (const std::uint32_t v : order) {
      previous[v] = current[v] = next[v] = smoothed[v] = Field{};
      smoothed_weight[v] = 0;
      reached[v] = 0;
    }
    order.clear();
  }
};

void append_centred(DirectRows& out, std::vector<Share>& shares) {
  double mass = 0;
  double weight = 0;
  glm::dvec3 center(0.0);
  for (const Share& share : shares) {
    mass += share.field[0];
    weight += share.smoothed_weight;
    center += glm::dvec3(share.field[1], share.field[2], share.field[3]);
  }
  if (mass > 0) {
    center /= mass;
  }
  std::ranges::stable_sort(shares, [](const Share& a, const Share& b) { return a.field[0] > b.field[0]; });
  for (const Share& share : shares) {
    const Field& f = share.field;
    const glm::dvec3 first(f[1], f[2], f[3]);
    DirectMoments<double> moments{};
    const auto centred = [&](std::size_t at, int r, int c) {
      return (f[at] - center[r] * first[c] - first[r] * center[c] + f[0] * center[r] * center[c]) / mass;
    };
    moments.second = {centred(4, 0, 0), centred(5, 0, 1), centred(6, 0, 2),
                      centred(7, 1, 1), centred(8, 1, 2), centred(9, 2, 2)};
    moments.first = (first - center * f[0]) / mass;
    moments.mass = f[0] / mass;
    moments.smoothed_weight = weight > 0 ? share.smoothed_weight / weight : moments.mass;
    out.joint.push_back(share.joint);
    out.moments.push_back(moments);
  }
  out.offset.push_back(static_cast<std::uint32_t>(out.joint.size()));
  out.center.push_back(center);
}

DirectJoint<float> unpacked_joint(const SkinInput& input, std::size_t joint) {
  const glm::mat4& m = input.skin_matrices[joint];
  const glm::vec4* packed = &input.palette[kVec4sPerJoint * joint + 3];
  const glm::vec3 x(packed[0]);
  const glm::vec3 y(packed[1]);
  return {glm::mat3(m), glm::vec3(m[3]), glm::mat3(x, y, glm::cross(x, y)), packed[0].w};
}

}  // namespace

std::optional<DirectRows> make_direct_rows(std::span<const glm::dvec3> rest, std::span<const std::uint32_t> triangles,
                                           const mesh::FlatInfluences& influences, int iterations, double lambda,
                                           double kappa, const Progress& progress) {
  PELT_EXPECT(influences.vertex_count() == rest.size(), "one row of influences per vertex");
  PELT_EXPECT(iterations >= 0 && kappa >= 0 && kappa <= lambda, "iterations >= 0, 0 <= kappa <= lambda");
  constexpr std::string_view kWhat = "Smoothing what follows each joint";
  const mesh::Adjacency adjacency = mesh::make_adjacency(rest.size(), triangles);
  glm::dvec3 middle(0.0);
  for (const glm::dvec3& point : rest) {
    middle += point / static_cast<double>(rest.size());
  }

  // Vertices and weights by joint.
  std::uint16_t joint_count = 0;
  for (const std::uint16_t joint : influences.joint) {
    joint_count = std::max<std::uint16_t>(joint_count, static_cast<std::uint16_t>(joint + 1));
  }
  std::vector<std::vector<std::pair<std::uint32_t, double>>> followers(joint_count);
  for (std::uint32_t v = 0; v < rest.size(); ++v) {
    for (std::uint32_t k = influences.offset[v]; k < influences.offset[v + 1]; ++k) {
      followers[influences.joint[k]].emplace_back(v, static_cast<double>(influences.weight[k]));
    }
  }

  std::vector<std::vector<Share>> shares(rest.size());
  Smoother smoother(adjacency);
  smoother.b = series(lambda, iterations);
  smoother.c = series(kappa, iterations);
  for (std::uint16_t joint = 0; joint < joint_count; ++joint) {
    if (!report(progress, static_cast<float>(joint) / static_cast<float>(joint_count), kWhat)) {
      return std::nullopt;
    }
    for (const auto& [v, weight] : followers[joint]) {
      const glm::dvec3 u = rest[v] - middle;
      Field field = {1, u.x, u.y, u.z, u.x * u.x, u.x * u.y, u.x * u.z, u.y * u.y, u.y * u.z, u.z * u.z};
      for (double& value : field) {
        value *= weight;
      }
      smoother.current[v] = field;
      smoother.reached[v] = 1;
      smoother.order.push_back(v);
    }
    smoother.run();
    for (const std::uint32_t v : smoother.order) {
      if (smoother.smoothed[v][0] > kSmallestMass || smoother.smoothed_weight[v] > kSmallestMass) {
        shares[v].push_back({joint, smoother.smoothed[v], std::max(smoother.smoothed_weight[v], 0.0)});
      }
    }
    smoother.clear();
  }
  DirectRows out;
  out.offset.push_back(0);
  for (std::vector<Share>& of_vertex : shares) {
    append_centred(out, of_vertex);
    out.center.back() += middle;
    std::vector<Share>().swap(of_vertex);
  }
  if (!report(progress, 1.0f, kWhat)) {
    return std::nullopt;
  }
  return out;
}

bool prepare_direct_delta_mush(const mesh::MeshSurface& surface, const MethodParameters& parameters,
                               const Progress& progress, std::span<Prepared> out) {
  const mesh::WeldedShape shape = mesh::welded_shape(surface);
  const auto lambda = static_cast<double>(parameters.direct_lambda);
  const double kappa = std::min(static_cast<double>(parameters.direct_kappa), kLargestKappaShare * lambda);
  const std::optional<DirectRows> rows = make_direct_rows(shape.positions, shape.triangles, shape.influences,
                                                          parameters.direct_iterations, lambda, kappa, progress);
  if (!rows) {
    return false;
  }
  for (std::size_t p = 0; p < out.size(); ++p) {
    const mesh::Influences& influences = *surface.influences[p];
    if (influences.empty()) {
      continue;
    }
    Prepared& prepared = out[p];
    for (std::uint32_t v = surface.first[p]; v < surface.first[p + 1]; ++v) {
      const std::uint32_t w = surface.welded[v];
      prepared.per_vertex.emplace_back(glm::vec3(rows->center[w]), 0.0f);
      // A vertex that follows no joint by itself stays put, in every method.
      const bool follows = influences.count(v - surface.first[p]) > 0;
      for (std::uint32_t k = rows->offset[w]; follows && k < rows->offset[w + 1]; ++k) {
        const DirectMoments<double>& m = rows->moments[k];
        const std::array<double, 6>& s = m.second;
        prepared.rows.joint.push_back(rows->joint[k]);
        prepared.rows.weight.push_back(static_cast<float>(m.mass));
        prepared.row_data.emplace_back(s[0], s[1], s[2], s[3]);
        prepared.row_data.emplace_back(s[4], s[5], m.mass, m.smoothed_weight);
        prepared.row_data.emplace_back(m.first.x, m.first.y, m.first.z, static_cast<double>(rows->joint[k]));
      }
      prepared.rows.offset.push_back(static_cast<std::uint32_t>(prepared.rows.joint.size()));
      prepared.rows.stored_sum.push_back(1.0f);
    }
  }
  return true;
}

DirectJoint<double> direct_joint(const glm::dmat4& skin_matrix) {
  const glm::dmat3 linear(skin_matrix);
  return {linear, glm::dvec3(skin_matrix[3]), polar(linear).rotation, signed_size(linear)};
}

void skin_direct_delta_mush(const SkinInput& input, const SkinOutput& output, std::size_t begin, std::size_t end) {
  const Prepared& prepared = *input.prepared;
  for (std::size_t v = begin; v < end; ++v) {
    const std::uint32_t first = prepared.rows.offset[v];
    const std::uint32_t last = prepared.rows.offset[v + 1];
    // Relative to the centre, where there is one.
    glm::mat4 motion(1.0f);
    glm::vec3 center(0.0f);
    if (first < last) {
      center = glm::vec3(prepared.per_vertex[v]);
      DirectSum<float> sum(center, input.parameters.direct_alpha);
      for (std::uint32_t k = first; k < last; ++k) {
        const glm::vec4* data = &prepared.row_data[3 * std::size_t{k}];
        sum.add(unpacked_joint(input, prepared.rows.joint[k]),
                {{data[0].x, data[0].y, data[0].z, data[0].w, data[1].x, data[1].y},
                 glm::vec3(data[2]),
                 data[1].z,
                 data[1].w});
      }
      // v' = size R shape (v - p) + image
      motion = glm::mat4(sum.rotation(input.shape_from_mesh) * sum.size() * input.shape_from_mesh);
      motion[3] = glm::vec4(sum.image(), 1.0f);
    }
    output.positions[v] = transform_point(motion, input.positions[v] - center);
    if (input.normals.empty() && input.tangents.empty()) {
      continue;
    }
    static constexpr std::uint16_t kFirst = 0;
    static constexpr float kWhole = 1.0f;
    const VertexRow row = {&motion, &kFirst, &kWhole, 1, 1.0f};
    const VertexFrame frame = vertex_frame(motion, row);
    glm::vec3 normal(0.0f);
    if (!input.normals.empty()) {
      normal = skinned_normal(NormalVariant::kInverseTransposeOfBlend, frame, row, input.normals[v]);
      output.normals[v] = normal;
    }
    if (!input.tangents.empty()) {
      output.tangents[v] = skinned_tangent(frame, normal, input.tangents[v]);
    }
  }
}

void pack_direct_delta_mush(const SkinBinding& binding, std::span<const glm::mat4> skin_matrices,
                            std::span<glm::vec4> out) {
  PELT_EXPECT(out.size() == kVec4sPerJoint * skin_matrices.size(), "five vec4 per joint");
  const glm::dmat4 mesh_from_shape(glm::inverse(binding.shape_from_mesh));
  for (const std::uint16_t j : binding.order) {
    const glm::mat4& m = skin_matrices[j];
    const DirectJoint<double> joint = direct_joint(glm::dmat4(m) * mesh_from_shape);
    const std::span<glm::vec4> entry = out.subspan(kVec4sPerJoint * j, kVec4sPerJoint);
    for (int r = 0; r < 3; ++r) {
      entry[r] = glm::vec4(m[0][r], m[1][r], m[2][r], m[3][r]);
    }
    entry[3] = glm::vec4(glm::vec3(joint.rotation[0]), static_cast<float>(joint.size));
    entry[4] = glm::vec4(glm::vec3(joint.rotation[1]), 0.0f);
  }
}

}  // namespace pelt::deform
