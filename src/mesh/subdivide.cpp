// C. Loop, "Smooth Subdivision Surfaces Based on Triangles", 1987: masks of smooth edges and vertices.
// H. Hoppe et al., "Piecewise Smooth Surface Reconstruction", SIGGRAPH 1994, section 4: crease, dart, corner.
#include "mesh/subdivide.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/expect.h"
#include "mesh/weld.h"

namespace pelt::mesh {
namespace {

constexpr float kCreaseCosine = 0.98480775f;  // 10 degrees

using Edge = std::array<std::uint32_t, 2>;  // welded ends, lower first

// The edges of a surface under a weld, ready for the masks.
struct CreasedAdjacency {
  std::vector<std::uint32_t> weld;  // [V]
  struct Side {
    Edge edge{};
    std::array<std::uint32_t, 2> opposite{};  // where it has two triangles
    bool crease = false;
  };
  std::vector<Side> edges;                    // ascending
  std::vector<std::uint32_t> edge_of_corner;  // [3T] the side that begins there
  std::vector<std::uint32_t> first_neighbor;  // [V + 1], of welded vertices
  struct Neighbor {
    std::uint32_t vertex = 0;
    bool crease = false;
  };
  std::vector<Neighbor> neighbors;
};

// @param normals  [V] or empty: no creases but open and non-manifold edges
// @param creases  edges that are creases already, ascending
CreasedAdjacency make_creased_adjacency(std::span<const std::uint32_t> indices, std::vector<std::uint32_t> weld,
                                        std::span<const glm::vec3> normals, std::span<const Edge> creases) {
  CreasedAdjacency out;
  out.weld = std::move(weld);
  out.edge_of_corner.resize(indices.size());
  const std::vector<EdgeUse> uses = edge_uses(indices, out.weld);
  std::vector<std::uint32_t> degree(out.weld.size() + 1, 0);
  for (std::size_t i = 0; i < uses.size();) {
    const std::size_t end = edge_end(uses, i);
    CreasedAdjacency::Side side;
    side.edge = {uses[i].low, uses[i].high};
    side.crease = end - i != 2 || std::ranges::binary_search(creases, side.edge);
    if (end - i == 2) {
      side.opposite = {uses[i].opposite, uses[i + 1].opposite};
      if (!normals.empty() && !side.crease) {
        const auto at = [&](const EdgeUse& use, std::uint32_t end_point) {
          const std::uint32_t start = indices[use.corner];
          return normals[out.weld[start] == end_point ? start : indices[next_corner(use.corner)]];
        };
        side.crease = std::ranges::any_of(side.edge, [&](std::uint32_t v) {
          const glm::vec3 m = at(uses[i], v);
          const glm::vec3 n = at(uses[i + 1], v);
          return glm::dot(m, n) < kCreaseCosine * glm::length(m) * glm::length(n);  // never where one is zero
        });
      }
    }
    for (std::size_t u = i; u < end; ++u) {
      out.edge_of_corner[uses[u].corner] = static_cast<std::uint32_t>(out.edges.size());
    }
    ++degree[side.edge[0]];
    ++degree[side.edge[1]];
    out.edges.push_back(side);
    i = end;
  }
  out.first_neighbor.resize(degree.size());
  std::exclusive_scan(degree.begin(), degree.end(), out.first_neighbor.begin(), 0u);
  out.neighbors.resize(2 * out.edges.size());
  std::vector<std::uint32_t> next = out.first_neighbor;
  for (const CreasedAdjacency::Side& side : out.edges) {
    out.neighbors[next[side.edge[0]]++] = {side.edge[1], side.crease};
    out.neighbors[next[side.edge[1]]++] = {side.edge[0], side.crease};
  }
  return out;
}

// Where an old vertex goes.
void add_vertex_row(const CreasedAdjacency& surface, std::uint32_t v, Stencils& rows) {
  const std::span<const CreasedAdjacency::Neighbor> around(surface.neighbors.data() + surface.first_neighbor[v],
                                                           surface.first_neighbor[v + 1] - surface.first_neighbor[v]);
  const auto creases = std::ranges::count_if(around, &CreasedAdjacency::Neighbor::crease);
  if (around.empty() || creases > 2) {  // used by no triangle; corner
    rows.copy(v);
    return;
  }
  if (creases == 2) {
    rows.add(v, 0.75f);
    for (const CreasedAdjacency::Neighbor& neighbor : around) {
      if (neighbor.crease) {
        rows.add(neighbor.vertex, 0.125f);
      }
    }
  } else {
    const auto n = static_cast<double>(around.size());
    const double c = 3.0 / 8 + std::cos(2 * std::numbers::pi / n) / 4;
    const double beta = (5.0 / 8 - c * c) / n;  // Loop's
    rows.add(v, static_cast<float>(1 - n * beta));
    for (const CreasedAdjacency::Neighbor& neighbor : around) {
      rows.add(neighbor.vertex, static_cast<float>(beta));
    }
  }
  rows.end_row();
}

// The new vertex on an edge.
void add_edge_row(const CreasedAdjacency::Side& side, Stencils& rows) {
  const float share = side.crease ? 0.5f : 0.375f;
  rows.add(side.edge[0], share);
  rows.add(side.edge[1], share);
  if (!side.crease) {
    rows.add(side.opposite[0], 0.125f);
    rows.add(side.opposite[1], 0.125f);
  }
  rows.end_row();
}

}  // namespace

Subdivision subdivide_loop(const Primitive& cage, int levels) {
  PELT_EXPECT(cage.topology == Topology::kTriangles, "triangles");
  PELT_EXPECT(levels >= 0, "no level below the cage");
  Subdivision out;
  out.primitive = cage;
  out.source_triangle.resize(cage.triangle_count());
  std::iota(out.source_triangle.begin(), out.source_triangle.end(), 0u);
  if (levels == 0) {
    return out;
  }
  std::vector<std::uint32_t> weld = weld_by_motion(cage);
  std::vector<std::uint32_t> indices = cage.indices;
  std::size_t kept = 0;
  for (std::size_t t = 0; t < cage.triangle_count(); ++t) {
    const std::array corner = {indices[3 * t], indices[3 * t + 1], indices[3 * t + 2]};
    if (weld[corner[0]] != weld[corner[1]] && weld[corner[1]] != weld[corner[2]] &&
        weld[corner[2]] != weld[corner[0]]) {
      std::ranges::copy(corner, indices.begin() + static_cast<std::ptrdiff_t>(3 * kept));
      out.source_triangle[kept++] = static_cast<std::uint32_t>(t);
    }
  }
  indices.resize(3 * kept);
  out.source_triangle.resize(kept);

  std::vector<Edge> creases;
  for (int level = 0; level < levels; ++level) {
    const auto vertex_count = static_cast<std::uint32_t>(out.primitive.vertex_count());
    std::vector<std::uint32_t> itself(vertex_count);
    std::iota(itself.begin(), itself.end(), 0u);
    const CreasedAdjacency motion = make_creased_adjacency(
        indices, std::move(weld), level == 0 ? std::span<const glm::vec3>(cage.normals) : std::span<const glm::vec3>(),
        creases);
    const CreasedAdjacency surface = make_creased_adjacency(indices, std::move(itself), {}, {});

    Stencils motion_rows;
    Stencils surface_rows;
    for (std::uint32_t v = 0; v < vertex_count; ++v) {
      add_vertex_row(motion, motion.weld[v], motion_rows);
      add_vertex_row(surface, v, surface_rows);
    }
    // New vertices: one for each edge as indexed. Those of one welded edge share their position row and are welded.
    std::vector<std::uint32_t> welded_edge(surface.edges.size());
    for (std::size_t corner = 0; corner < indices.size(); ++corner) {
      welded_edge[surface.edge_of_corner[corner]] = motion.edge_of_corner[corner];
    }
    constexpr std::uint32_t kNone = 0xffffffffu;
    std::vector<std::uint32_t> first_on(motion.edges.size(), kNone);
    weld = motion.weld;
    for (std::uint32_t e = 0; e < surface.edges.size(); ++e) {
      add_edge_row(motion.edges[welded_edge[e]], motion_rows);
      add_edge_row(surface.edges[e], surface_rows);
      std::uint32_t& first = first_on[welded_edge[e]];
      first = first == kNone ? vertex_count + e : first;
      weld.push_back(first);
    }
    creases.clear();
    for (std::size_t e = 0; e < motion.edges.size(); ++e) {
      if (motion.edges[e].crease) {  // a crease's halves are creases; new vertices have the higher numbers
        creases.push_back({motion.edges[e].edge[0], first_on[e]});
        creases.push_back({motion.edges[e].edge[1], first_on[e]});
      }
    }
    std::ranges::sort(creases);

    std::vector<std::uint32_t> finer;
    std::vector<std::uint32_t> finer_source;
    finer.reserve(4 * indices.size());
    finer_source.reserve(4 * out.source_triangle.size());
    for (std::size_t t = 0; t < indices.size() / 3; ++t) {
      const std::uint32_t a = indices[3 * t];
      const std::uint32_t b = indices[3 * t + 1];
      const std::uint32_t c = indices[3 * t + 2];
      const std::uint32_t ab = vertex_count + surface.edge_of_corner[3 * t];
      const std::uint32_t bc = vertex_count + surface.edge_of_corner[3 * t + 1];
      const std::uint32_t ca = vertex_count + surface.edge_of_corner[3 * t + 2];
      finer.insert(finer.end(), {a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca});
      finer_source.insert(finer_source.end(), 4, out.source_triangle[t]);
    }
    out.primitive = blend(out.primitive, motion_rows, surface_rows);
    indices = std::move(finer);
    out.source_triangle = std::move(finer_source);
    out.levels.push_back(std::move(motion_rows));
  }
  out.primitive.indices = std::move(indices);
  return out;
}

std::vector<glm::vec3> refine(const Subdivision& subdivision, std::span<const glm::vec3> cage_points) {
  std::vector<glm::vec3> points(cage_points.begin(), cage_points.end());
  for (const Stencils& level : subdivision.levels) {
    points = mesh::apply(level, points);
  }
  return points;
}

}  // namespace pelt::mesh
