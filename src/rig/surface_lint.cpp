#include "rig/surface_lint.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "mesh/joined.h"
#include "mesh/orientation.h"
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
  std::vector<std::uint32_t> first;  ///< of mesh::first_vertices()

  // "vertex 12", or "vertex 12 of primitive 1" where there are several.
  [[nodiscard]] std::string name(std::uint32_t vertex) const {
    const mesh::JoinedMesh::Place place = joined.place(vertex);
    return mesh.primitives.size() > 1 ? fmt::format("vertex {} of primitive {}", place.vertex, place.primitive)
                                      : fmt::format("vertex {}", place.vertex);
  }
  [[nodiscard]] std::uint32_t primitive_of(std::uint32_t vertex) const { return joined.place(vertex).primitive; }

  /// The number of a joined vertex among those of all primitives.
  [[nodiscard]] std::uint32_t in_mesh(std::uint32_t vertex) const {
    const mesh::JoinedMesh::Place at = joined.place(vertex);
    return first[at.primitive] + at.vertex;
  }

  /// One finding for each primitive that holds some of `items`. @param vertices_of  joined vertices of an item, the
  /// first decides the primitive @param tell  (the primitive's items) -> severity and message
  /// @param of_weights  whether they are what a mend of weights changes
  template <typename Item, typename VerticesOf, typename Tell>
  void add_by_primitive(const char* code, const std::vector<Item>& items, VerticesOf vertices_of, Tell tell,
                        bool of_weights = false) {
    for (std::size_t p = 0; p < mesh.primitives.size() && !items.empty(); ++p) {
      std::vector<Item> own;
      std::vector<std::uint32_t> mesh_vertices;
      LintPlace place{.mesh = mesh_index, .primitive = static_cast<int>(p)};
      for (const Item& item : items) {
        const auto vertices = vertices_of(item);
        if (primitive_of(vertices.front()) != p) {
          continue;
        }
        own.push_back(item);
        for (const std::uint32_t v : vertices) {
          if (of_weights) {
            mesh_vertices.push_back(in_mesh(v));
          }
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
        std::ranges::sort(mesh_vertices);
        findings.back().mesh_vertices = std::move(mesh_vertices);
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
      "open-seam", mesh::find_open_seams(whole), [](const mesh::OpenSeam& seam) { return seam.copies; },
      [&](const std::vector<mesh::OpenSeam>& seams) -> Told {
        const auto worst = std::ranges::max_element(seams, {}, &mesh::OpenSeam::difference);
        return {
            Severity::kWarning,
            fmt::format("{} shared by vertices of differing weights, expected equal ones, the worst {} and {} by "
                        "{:.3g}",
                        counted(seams.size(), "position"), name(worst->vertex), name(worst->other), worst->difference)};
      },
      true);
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

void check_winding(const Character& character, int m, int p, Findings& findings) {
  const mesh::Primitive& primitive = character.meshes[m].primitives[p];
  const std::vector<std::uint32_t> wrong = mesh::wrongly_wound(primitive);
  if (wrong.empty()) {
    return;
  }
  const std::uint32_t first = mesh::first_vertices(character.meshes[m])[p];
  std::vector<std::uint32_t> vertices;
  for (std::size_t i = 0; i < 3 * wrong.size(); ++i) {
    vertices.push_back(first + primitive.indices[3 * wrong[i / 3] + i % 3]);
  }
  std::ranges::sort(vertices);
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  std::string message =
      fmt::format("{} of {} triangles are wound against their vertices' normals, the first triangle {}", wrong.size(),
                  primitive.triangle_count(), wrong.front());
  add_finding(findings, character, "winding", {.mesh = m}, std::move(message), std::move(vertices));
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
    Surface surface{character, findings, static_cast<int>(m), mesh, mesh::join(mesh), mesh::first_vertices(mesh)};
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
