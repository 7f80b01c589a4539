#include "rig/surface_lint.h"

#include <algorithm>

#include "mesh/joined.h"
#include "mesh/surface_checks.h"

namespace pelt::rig {
namespace {

// "vertex 12", or "vertex 12 of primitive 1" where there are several.
std::string vertex_name(const mesh::Mesh& mesh, const mesh::JoinedMesh& joined, std::uint32_t vertex) {
  const mesh::JoinedMesh::Place place = joined.place(vertex);
  return mesh.primitives.size() > 1 ? fmt::format("vertex {} of primitive {}", place.vertex, place.primitive)
                                    : fmt::format("vertex {}", place.vertex);
}

// "1 edge" and "3 edges"; at the limit of what is listed the number is a lower bound.
std::string counted(std::size_t count, std::string_view thing, std::size_t most = 0) {
  return fmt::format("{}{} {}{}", count == most ? "at least " : "", count, thing, count == 1 ? "" : "s");
}

}  // namespace

Diagnostics surface_findings(const Character& character) {
  Diagnostics findings;
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    const mesh::Mesh& mesh = character.meshes[m];
    const mesh::JoinedMesh joined = mesh::join(mesh);
    const mesh::Primitive& whole = joined.whole;
    if (whole.indices.empty()) {
      continue;
    }
    const std::string place =
        mesh.name.empty() ? fmt::format("mesh {}", m) : fmt::format("mesh {} (\"{}\")", m, mesh.name);
    const auto note = [&](Severity severity, const char* code, std::string message) {
      findings.push_back({severity, code, place, std::move(message)});
    };
    const auto name = [&](std::uint32_t vertex) { return vertex_name(mesh, joined, vertex); };

    const std::vector<mesh::TJunction> junctions = mesh::find_t_junctions(whole.positions, whole.indices);
    if (!junctions.empty()) {
      const auto opening = std::ranges::find_if(
          junctions, [&](const mesh::TJunction& junction) { return mesh::can_open(whole, junction); });
      const bool opens = opening != junctions.end();
      const mesh::TJunction& first = opens ? *opening : junctions.front();
      note(opens ? Severity::kWarning : Severity::kInfo, "t-junction",
           fmt::format(
               "{} (a vertex inside an edge that does not use it), the first {} between {} and {}; {}: split the edge "
               "there (--split-t-junctions)",
               counted(junctions.size(), "T-junction", mesh::kMostTJunctions), name(first.vertex), name(first.a),
               name(first.b),
               opens ? "the surface cracks there when its joints part" : "all of them move with their edge"));
    }
    const std::vector<mesh::OpenSeam> seams = mesh::find_open_seams(whole);
    if (!seams.empty()) {
      const auto worst = std::ranges::max_element(seams, {}, &mesh::OpenSeam::difference);
      note(Severity::kWarning, "open-seam",
           fmt::format("{} shared by vertices of differing weights, the worst {} and {} by {:.3g}; the surface tears "
                       "there when its joints part: give both the same weights",
                       counted(seams.size(), "position"), name(worst->vertex), name(worst->other), worst->difference));
    }
    const auto edges = mesh::find_non_manifold_edges(whole.positions, whole.indices);
    if (!edges.empty()) {
      note(Severity::kInfo, "non-manifold-edge",
           fmt::format("{} on more than two triangles, the first between {} and {}; subdivision takes them for "
                       "creases, simplification leaves them: separate the sheets or remove the inner one",
                       counted(edges.size(), "edge"), name(edges.front()[0]), name(edges.front()[1])));
    }
    const auto triangles = mesh::find_zero_area_triangles(whole.positions, whole.indices);
    if (!triangles.empty()) {
      const std::uint32_t primitive = joined.triangle_primitive[triangles.front()];
      const auto before = std::ranges::lower_bound(joined.triangle_primitive, primitive);
      note(Severity::kInfo, "zero-area-triangle",
           fmt::format("{} without area, the first triangle {} of primitive {}; they have no normal and cost as much "
                       "as others: remove them",
                       counted(triangles.size(), "triangle"),
                       triangles.front() - static_cast<std::uint32_t>(before - joined.triangle_primitive.begin()),
                       primitive));
    }
  }
  return findings;
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
