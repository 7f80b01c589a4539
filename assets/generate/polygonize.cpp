// Doi, Koide, "An efficient method of triangulating equi-valued surfaces by using tetrahedral cells", IEICE 1991.
#include "polygonize.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <unordered_map>

#include "core/parallel.h"

namespace pelt::assets {
namespace {

constexpr int kBlock = 16;  // cells per side of an evaluation block

// The six tetrahedra around the main diagonal of a cube, as paths of corner bit masks (x 1, y 2, z 4).
constexpr std::array<std::array<int, 4>, 6> kTetrahedra = {
    {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}}};

}  // namespace

TriangleMesh polygonize_half(Body& body, const glm::dvec3& lower, const glm::dvec3& upper, double cell) {
  const std::vector<glm::ivec3> blocks = body.prepare(lower, upper, cell * kBlock);
  constexpr int kSide = kBlock + 1;
  constexpr std::size_t kSamples = static_cast<std::size_t>(kSide) * kSide * kSide;
  std::vector<std::vector<float>> samples(blocks.size());
  parallel_for(blocks.size(), 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) {
      samples[b].resize(kSamples);
      std::size_t at = 0;
      for (int z = 0; z < kSide; ++z) {
        for (int y = 0; y < kSide; ++y) {
          for (int x = 0; x < kSide; ++x) {
            const glm::dvec3 p = lower + glm::dvec3(blocks[b] * kBlock + glm::ivec3(x, y, z)) * cell;
            samples[b][at++] = static_cast<float>(body(p));
          }
        }
      }
    }
  });

  TriangleMesh mesh;
  std::unordered_map<std::uint64_t, int> vertex_of_edge;
  const auto key_of = [](const glm::ivec3& g) {
    return (static_cast<std::uint64_t>(g.x) << 40) | (static_cast<std::uint64_t>(g.y) << 20) |
           static_cast<std::uint64_t>(g.z);
  };
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const auto value = [&](const glm::ivec3& g) {
      const glm::ivec3 l = g - blocks[b] * kBlock;
      return static_cast<double>(samples[b][static_cast<std::size_t>((l.z * kSide + l.y) * kSide + l.x)]);
    };
    const auto vertex = [&](glm::ivec3 ga, glm::ivec3 gb) {
      if (key_of(gb) < key_of(ga)) {
        std::swap(ga, gb);
      }
      const glm::ivec3 step = gb - ga;
      const std::uint64_t direction = static_cast<std::uint64_t>((step.x + 1) + 3 * (step.y + 1) + 9 * (step.z + 1));
      const std::uint64_t key = key_of(ga) * 32 + direction;
      const auto [found, is_new] = vertex_of_edge.try_emplace(key, static_cast<int>(mesh.positions.size()));
      if (is_new) {
        const double va = value(ga);
        const double vb = value(gb);
        const double t = std::clamp(va / (va - vb), 0.02, 0.98);
        mesh.positions.push_back(lower + (glm::dvec3(ga) + t * glm::dvec3(step)) * cell);
      }
      return found->second;
    };
    for (int z = 0; z < kBlock; ++z) {
      for (int y = 0; y < kBlock; ++y) {
        for (int x = 0; x < kBlock; ++x) {
          const glm::ivec3 base = blocks[b] * kBlock + glm::ivec3(x, y, z);
          for (const auto& tetrahedron : kTetrahedra) {
            std::array<glm::ivec3, 4> g{};
            std::array<int, 4> inside{};
            std::array<int, 4> outside{};
            int inside_count = 0;
            int outside_count = 0;
            for (std::size_t i = 0; i < 4; ++i) {
              const int c = tetrahedron[i];
              g[i] = base + glm::ivec3(c & 1, (c >> 1) & 1, (c >> 2) & 1);
              if (value(g[i]) < 0) {
                inside[static_cast<std::size_t>(inside_count++)] = static_cast<int>(i);
              } else {
                outside[static_cast<std::size_t>(outside_count++)] = static_cast<int>(i);
              }
            }
            if (inside_count == 0 || inside_count == 4) {
              continue;
            }
            const auto at = [&](int i) { return g[static_cast<std::size_t>(i)]; };
            glm::dvec3 in_mean(0.0);
            glm::dvec3 out_mean(0.0);
            for (int i = 0; i < inside_count; ++i) {
              in_mean += glm::dvec3(at(inside[static_cast<std::size_t>(i)])) / static_cast<double>(inside_count);
            }
            for (int i = 0; i < outside_count; ++i) {
              out_mean += glm::dvec3(at(outside[static_cast<std::size_t>(i)])) / static_cast<double>(outside_count);
            }
            const auto emit = [&](int a, int bb, int c) {
              const glm::dvec3 n =
                  glm::cross(mesh.positions[static_cast<std::size_t>(bb)] - mesh.positions[static_cast<std::size_t>(a)],
                             mesh.positions[static_cast<std::size_t>(c)] - mesh.positions[static_cast<std::size_t>(a)]);
              if (glm::dot(n, out_mean - in_mean) >= 0) {
                mesh.triangles.push_back({a, bb, c});
              } else {
                mesh.triangles.push_back({a, c, bb});
              }
            };
            if (inside_count == 2) {
              const int v0 = vertex(at(inside[0]), at(outside[0]));
              const int v1 = vertex(at(inside[0]), at(outside[1]));
              const int v2 = vertex(at(inside[1]), at(outside[1]));
              const int v3 = vertex(at(inside[1]), at(outside[0]));
              emit(v0, v1, v2);
              emit(v0, v2, v3);
            } else {
              const bool one_inside = inside_count == 1;
              const glm::ivec3 apex = one_inside ? at(inside[0]) : at(outside[0]);
              const auto& others = one_inside ? outside : inside;
              emit(vertex(apex, at(others[0])), vertex(apex, at(others[1])), vertex(apex, at(others[2])));
            }
          }
        }
      }
    }
  }
  return mesh;
}

SymmetricMesh mirror_half(const TriangleMesh& half) {
  SymmetricMesh out;
  out.mesh = half;
  const std::size_t count = half.positions.size();
  out.mirror.resize(count);
  for (std::size_t v = 0; v < count; ++v) {
    if (half.positions[v].x == 0) {
      out.mirror[v] = static_cast<int>(v);
      continue;
    }
    out.mirror[v] = static_cast<int>(out.mesh.positions.size());
    const glm::dvec3 p = half.positions[v];
    out.mesh.positions.emplace_back(-p.x, p.y, p.z);
    out.mirror.push_back(static_cast<int>(v));
  }
  for (const auto& t : half.triangles) {
    out.mesh.triangles.push_back({out.mirror[static_cast<std::size_t>(t[0])],
                                  out.mirror[static_cast<std::size_t>(t[2])],
                                  out.mirror[static_cast<std::size_t>(t[1])]});
  }
  return out;
}

}  // namespace pelt::assets
