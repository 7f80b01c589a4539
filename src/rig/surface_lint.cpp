#include "rig/surface_lint.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "mesh/joined.h"
#include "mesh/surface_checks.h"
#include "mesh/weld.h"
#include "rig/lint_checks.h"

namespace pelt::rig {
namespace {

/// One mesh as it is looked at: all triangle primitives joined.
struct Surface {
  const Character& character;
  Findings& findings;
  int mesh_index;
  const mesh::Mesh& mesh;
  mesh::JoinedMesh joined;

  // "vertex 12", or "vertex 12 of primitive 1" where there are several.
  [[nodiscard]] std::string name(std::uint32_t vertex) const {
    const mesh::JoinedMesh::Place place = joined.place(vertex);
    return mesh.primitives.size() > 1 ? fmt::format("vertex {} of primitive {}", place.vertex, place.primitive)
                                      : fmt::format("vertex {}", place.vertex);
  }
  [[nodiscard]] std::uint32_t primitive_of(std::uint32_t vertex) const { return joined.place(vertex).primitive; }

  /// One finding for each primitive that holds some of `items`. @param vertices_of  joined vertices of an item, the
  /// first decides the primitive @param tell  (the primitive's items) -> severity and message
  template <typename Item, typename VerticesOf, typename Tell>
  void add_by_primitive(const char* code, const std::vector<Item>& items, VerticesOf vertices_of, Tell tell) {
    for (std::size_t p = 0; p < mesh.primitives.size() && !items.empty(); ++p) {
      std::vector<Item> own;
      LintPlace place{.mesh = mesh_index, .primitive = static_cast<int>(p)};
      for (const Item& item : items) {
        const auto vertices = vertices_of(item);
        if (primitive_of(vertices.front()) != p) {
          continue;
        }
        own.push_back(item);
        for (const std::uint32_t v : vertices) {
          if (const mesh::JoinedMesh::Place at = joined.place(v);
              at.primitive == p && place.vertices.size() < kMostListedVertices) {
            place.vertices.push_back(at.vertex);
          }
        }
      }
      if (!own.empty()) {
        std::ranges::sort(place.vertices);
        place.vertices.erase(std::unique(place.vertices.begin(), place.vertices.end()), place.vertices.end());
        const std::pair<Severity, std::string> told = tell(own);
        add_finding(findings, character, code, told.first, std::move(place), told.second);
      }
    }
  }
};

void check_joined(Surface& surface) {
  const mesh::Primitive& whole = surface.joined.whole;
  const auto name = [&](std::uint32_t vertex) { return surface.name(vertex); };
  using Told = std::pair<Severity, std::string>;
  using Vertices = std::vector<std::uint32_t>;
  surface.add_by_primitive(
      "t-junction", mesh::find_t_junctions(whole.positions, whole.indices),
      [](const mesh::TJunction& junction) { return Vertices{junction.vertex}; },
      [&](const std::vector<mesh::TJunction>& junctions) -> Told {
        const auto opening = std::ranges::find_if(
            junctions, [&](const mesh::TJunction& junction) { return mesh::can_open(whole, junction); });
        const bool opens = opening != junctions.end();
        const mesh::TJunction& first = opens ? *opening : junctions.front();
        return {
            opens ? Severity::kWarning : Severity::kInfo,
            fmt::format("{} (a vertex inside an edge that does not use it), the first {} between {} and {}; {}",
                        counted(junctions.size(), "T-junction", mesh::kMostTJunctions), name(first.vertex),
                        name(first.a), name(first.b),
                        opens ? "the surface cracks there when its joints part" : "all of them move with their edge")};
      });
  surface.add_by_primitive(
      "open-seam", mesh::find_open_seams(whole),
      [](const mesh::OpenSeam& seam) {
        return Vertices{seam.vertex, seam.other};
      },
      [&](const std::vector<mesh::OpenSeam>& seams) -> Told {
        const auto worst = std::ranges::max_element(seams, {}, &mesh::OpenSeam::difference);
        return {
            Severity::kWarning,
            fmt::format("{} shared by vertices of differing weights, expected equal ones, the worst {} and {} by "
                        "{:.3g}",
                        counted(seams.size(), "position"), name(worst->vertex), name(worst->other), worst->difference)};
      });
  surface.add_by_primitive(
      "non-manifold-edge", mesh::find_non_manifold_edges(whole.positions, whole.indices),
      [](const std::array<std::uint32_t, 2>& edge) {
        return Vertices{edge[0], edge[1]};
      },
      [&](const std::vector<std::array<std::uint32_t, 2>>& edges) -> Told {
        return {Severity::kInfo,
                fmt::format("{} on more than two triangles, the first between {} and {}", counted(edges.size(), "edge"),
                            name(edges.front()[0]), name(edges.front()[1]))};
      });
  surface.add_by_primitive(
      "zero-area-triangle", mesh::find_zero_area_triangles(whole.positions, whole.indices),
      [&](std::uint32_t t) {
        return Vertices{whole.indices[3 * t], whole.indices[3 * t + 1], whole.indices[3 * t + 2]};
      },
      [&](const std::vector<std::uint32_t>& triangles) -> Told {
        const std::uint32_t primitive = surface.joined.triangle_primitive[triangles.front()];
        const auto before = std::ranges::lower_bound(surface.joined.triangle_primitive, primitive);
        return {Severity::kInfo,
                fmt::format(
                    "{} without area, the first triangle {} of primitive {}", counted(triangles.size(), "triangle"),
                    triangles.front() - static_cast<std::uint32_t>(before - surface.joined.triangle_primitive.begin()),
                    primitive)};
      });
}

/// Which triangles are wound the wrong way: all three corners' normals point to their other side, and so do most of
/// their shell's, or a neighbour runs along their edge in the same direction. Where a surface folds sharply a
/// triangle's smooth normals may point anywhere, but it is wound like its neighbours.
std::vector<std::size_t> wrongly_wound(const mesh::Primitive& primitive) {
  constexpr double kAgainst = -0.25;  // cosine between the triangle's own normal and each of its corners'
  const std::size_t triangle_count = primitive.triangle_count();
  std::vector<char> against(triangle_count, 0);
  for (std::size_t t = 0; t < triangle_count; ++t) {
    const std::uint32_t* corner = primitive.indices.data() + 3 * t;
    const glm::dvec3 a(primitive.positions[corner[0]]);
    const glm::dvec3 normal =
        glm::cross(glm::dvec3(primitive.positions[corner[1]]) - a, glm::dvec3(primitive.positions[corner[2]]) - a);
    const double length = glm::length(normal);
    against[t] = length > 0 && std::all_of(corner, corner + 3, [&](std::uint32_t v) {
                   return glm::dot(normal, glm::dvec3(primitive.normals[v])) < kAgainst * length;
                 });
  }
  if (std::ranges::find(against, char{1}) == against.end()) {
    return {};
  }
  const std::vector<std::uint32_t> weld = mesh::weld_by_position(primitive.positions);
  struct Edge {
    std::uint32_t low, high;
    bool is_forward;  ///< runs from low to high
    std::size_t triangle;
  };
  std::vector<Edge> edges;
  std::vector<std::uint32_t> shell(primitive.vertex_count());  // union-find over welded vertices
  std::iota(shell.begin(), shell.end(), 0U);
  const auto root = [&](std::uint32_t v) {
    while (shell[v] != v) {
      v = shell[v] = shell[shell[v]];
    }
    return v;
  };
  for (std::size_t i = 0; i < 3 * triangle_count; ++i) {
    const std::uint32_t from = weld[primitive.indices[i]];
    const std::uint32_t to = weld[primitive.indices[i % 3 == 2 ? i - 2 : i + 1]];
    edges.push_back({std::min(from, to), std::max(from, to), from < to, i / 3});
    shell[root(from)] = root(to);
  }
  std::ranges::sort(edges, {}, [](const Edge& edge) { return std::tuple(edge.low, edge.high, edge.triangle); });
  std::vector<char> disagrees(triangle_count, 0);
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const auto is_edge_of = [&](std::size_t other) {
      return other < edges.size() && edges[other].low == edges[i].low && edges[other].high == edges[i].high;
    };
    // Of two triangles: where more meet, some of them must run in the same direction.
    const bool are_two = is_edge_of(i + 1) && !is_edge_of(i + 2) && (i == 0 || !is_edge_of(i - 1));
    if (are_two && edges[i].is_forward == edges[i + 1].is_forward &&
        against[edges[i].triangle] != against[edges[i + 1].triangle]) {
      disagrees[edges[i].triangle] = disagrees[edges[i + 1].triangle] = 1;
    }
  }
  std::map<std::uint32_t, std::array<std::size_t, 2>> shells;  // triangles, and those of them that are against
  for (std::size_t t = 0; t < triangle_count; ++t) {
    std::array<std::size_t, 2>& counts = shells[root(weld[primitive.indices[3 * t]])];
    ++counts[0];
    counts[1] += against[t] != 0 ? 1U : 0U;
  }
  std::vector<std::size_t> out;
  for (std::size_t t = 0; t < triangle_count; ++t) {
    const std::array<std::size_t, 2>& counts = shells[root(weld[primitive.indices[3 * t]])];
    if (against[t] != 0 && (disagrees[t] != 0 || 2 * counts[1] > counts[0])) {
      out.push_back(t);
    }
  }
  return out;
}

void check_winding(const Character& character, int m, int p, Findings& findings) {
  const mesh::Primitive& primitive = character.meshes[m].primitives[p];
  if (primitive.normals.empty() || primitive.triangle_count() == 0) {
    return;
  }
  const std::vector<std::size_t> wrong = wrongly_wound(primitive);
  if (wrong.empty()) {
    return;
  }
  LintPlace place{.mesh = m, .primitive = p};
  for (const std::size_t t : wrong) {
    const auto corner = primitive.indices.begin() + static_cast<std::ptrdiff_t>(3 * t);
    place.vertices.insert(place.vertices.end(), corner, corner + 3);
  }
  std::ranges::sort(place.vertices);
  place.vertices.erase(std::unique(place.vertices.begin(), place.vertices.end()), place.vertices.end());
  add_finding(findings, character, "winding", std::move(place),
              fmt::format("{} of {} triangles are wound against the normals of all their vertices, the first triangle "
                          "{}",
                          wrong.size(), primitive.triangle_count(), wrong.front()));
}

void check_vertices(const Character& character, int m, int p, Findings& findings) {
  const mesh::Primitive& primitive = character.meshes[m].primitives[p];
  const std::size_t vertex_count = primitive.vertex_count();
  std::vector<char> used(vertex_count, 0);
  for (const std::uint32_t v : primitive.indices) {
    used[v] = 1;
  }
  const std::vector<std::uint32_t> first = mesh::weld_copies(primitive);
  LintPlace copies{.mesh = m, .primitive = p};
  LintPlace unused = copies;
  for (std::uint32_t v = 0; v < vertex_count; ++v) {
    if (used[v] == 0) {
      unused.vertices.push_back(v);
    } else if (first[v] != v) {
      copies.vertices.push_back(v);
    }
  }
  if (const std::size_t count = copies.vertices.size(); count > 0) {
    const std::uint32_t v = copies.vertices.front();
    add_finding(findings, character, "duplicate-vertex", std::move(copies),
                fmt::format("{} of {} vertices are copies of others, expected none, the first vertex {} of vertex {}",
                            count, vertex_count, v, first[v]));
  }
  if (const std::size_t count = unused.vertices.size(); count > 0) {
    const std::uint32_t v = unused.vertices.front();
    add_finding(findings, character, "unused-vertex", std::move(unused),
                fmt::format("{} of {} vertices are used by nothing, expected none, the first vertex {}", count,
                            vertex_count, v));
  }
}

}  // namespace

void check_surfaces(const Character& character, Findings& findings) {
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    const mesh::Mesh& mesh = character.meshes[m];
    Surface surface{character, findings, static_cast<int>(m), mesh, mesh::join(mesh)};
    if (!surface.joined.whole.indices.empty()) {
      check_joined(surface);
    }
    for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
      check_winding(character, static_cast<int>(m), static_cast<int>(p), findings);
      check_vertices(character, static_cast<int>(m), static_cast<int>(p), findings);
    }
  }
}

std::vector<PlacedTJunction> t_junctions(const mesh::Mesh& mesh) {
  const mesh::JoinedMesh joined = mesh::join(mesh);
  std::vector<PlacedTJunction> out;
  for (const mesh::TJunction& junction : mesh::find_t_junctions(joined.whole.positions, joined.whole.indices)) {
    out.push_back({joined.place(junction.vertex), joined.place(junction.a), joined.place(junction.b),
                   junction.parameter, mesh::can_open(joined.whole, junction)});
  }
  return out;
}

}  // namespace pelt::rig
