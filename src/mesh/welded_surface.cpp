#include "mesh/welded_surface.h"

#include <algorithm>

#include "mesh/mesh_surface.h"

namespace pelt::mesh {
namespace {

// The places of the ends of all lines, two each.
std::vector<std::uint32_t> welded_lines(const WeldedSurface& surface) {
  std::vector<std::uint32_t> lines;
  for (std::size_t p = 0; p < surface.sources.size(); ++p) {
    const WeldedSurface::Source& source = surface.sources[p];
    if (source.topology != Topology::kLines) {
      continue;
    }
    for (std::size_t k = 0; k + 1 < source.indices.size(); k += 2) {
      const std::uint32_t a = surface.place[surface.first[p] + source.indices[k]];
      const std::uint32_t b = surface.place[surface.first[p] + source.indices[k + 1]];
      if (a != b) {
        lines.insert(lines.end(), {a, b});
      }
    }
  }
  return lines;
}

void list_copies(WeldedSurface& surface, std::size_t place_count) {
  surface.copy_offset.assign(place_count + 1, 0);
  for (const std::uint32_t w : surface.place) {
    ++surface.copy_offset[w + 1];
  }
  for (std::size_t w = 0; w < place_count; ++w) {
    surface.copy_offset[w + 1] += surface.copy_offset[w];
  }
  surface.copy.resize(surface.place.size());
  std::vector<std::uint32_t> next(surface.copy_offset.begin(), surface.copy_offset.end() - 1);
  for (std::uint32_t v = 0; v < surface.place.size(); ++v) {
    surface.copy[next[surface.place[v]]++] = v;
  }
}

}  // namespace

std::size_t WeldedSurface::primitive_of(std::uint32_t v) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(first, v) - first.begin()) - 1;
}

glm::vec3 WeldedSurface::position(std::size_t w) const {
  const std::uint32_t v = copy[copy_offset[w]];
  const std::size_t p = primitive_of(v);
  return sources[p].positions[v - first[p]];
}

std::shared_ptr<const WeldedSurface> welded_surface(const Mesh& mesh) {
  std::vector<const Primitive*> primitives;
  const Influences none;
  auto out = std::make_shared<WeldedSurface>();
  for (const Primitive& primitive : mesh.primitives) {
    primitives.push_back(&primitive);
    out->sources.push_back({primitive.topology, primitive.positions, primitive.indices});
  }
  const std::vector<const Influences*> influences(primitives.size(), &none);
  MeshSurface surface = make_mesh_surface(primitives, influences);
  const std::size_t place_count = surface.welded_count();
  out->first = std::move(surface.first);
  out->place = std::move(surface.welded);
  list_copies(*out, place_count);
  out->adjacency = make_adjacency(place_count, surface.triangles, welded_lines(*out));
  return out;
}

bool is_surface_of(const WeldedSurface& surface, const Mesh& mesh) {
  return std::ranges::equal(mesh.primitives, surface.sources,
                            [](const Primitive& primitive, const WeldedSurface::Source& source) {
                              return primitive.topology == source.topology &&
                                     primitive.positions.is(source.positions) && primitive.indices.is(source.indices);
                            });
}

}  // namespace pelt::mesh
