#include "rig/surface_variants.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/expect.h"
#include "mesh/joined.h"
#include "mesh/simplify.h"
#include "mesh/subdivide.h"
#include "mesh/t_junctions.h"

namespace pelt::rig {
namespace {

// The primitives that triangles of a result belong to.
std::vector<std::uint32_t> primitives_of(const mesh::JoinedMesh& joined, std::span<const std::uint32_t> triangles) {
  std::vector<std::uint32_t> out;
  out.reserve(triangles.size());
  for (const std::uint32_t t : triangles) {
    out.push_back(joined.triangle_primitive[t]);
  }
  return out;
}

}  // namespace

Result<Character> subdivided(const Character& character, int levels) {
  PELT_EXPECT(levels >= 0 && levels <= kMostSubdivisions, "a level of subdivision");
  const std::size_t triangles = triangle_count(character);
  const std::size_t finer = triangles << (2 * levels);
  if (levels > 0 && finer > kMostSubdividedTriangles) {
    return error("subdividing {} triangles {} times makes {}, more than {}", triangles, levels, finer,
                 kMostSubdividedTriangles);
  }
  Character out = character;
  for (mesh::Mesh& mesh : out.meshes.edit_each()) {
    const mesh::JoinedMesh joined = mesh::join(mesh);
    if (levels > 0 && !joined.whole.indices.empty()) {
      const mesh::Subdivision subdivision = mesh::subdivide_loop(joined.whole, levels);
      mesh = mesh::separate(mesh, subdivision.primitive, primitives_of(joined, subdivision.source_triangle));
    }
  }
  return out;
}

Character with_detail(const Character& character, int level, double* largest_error) {
  PELT_EXPECT(level >= 0 && level < kDetailLevels, "a level of detail");
  Character out = character;
  double worst = 0;
  for (mesh::Mesh& mesh : out.meshes.edit_each()) {
    const mesh::JoinedMesh joined = mesh::join(mesh);
    if (level > 0 && !joined.whole.indices.empty()) {
      const std::array target = {joined.triangle_primitive.size() >> level};
      const mesh::SimplifiedLevel simplified =
          std::move(mesh::simplify(joined.whole, target, joined.triangle_primitive).front());
      worst = std::max(worst, simplified.error);
      mesh = mesh::separate(mesh, simplified.primitive, primitives_of(joined, simplified.source_triangle));
    }
  }
  if (largest_error != nullptr) {
    *largest_error = worst;
  }
  return out;
}

Character without_t_junctions(const Character& character) {
  Character out = character;
  for (mesh::Mesh& mesh : out.meshes.edit_each()) {
    mesh = mesh::without_t_junctions(mesh);
  }
  return out;
}

Result<Character> with_surface(const Character& character, const SurfaceChoice& choice, double* largest_error,
                               const Progress& progress) {
  const auto stopped = [] { return error("cancelled"); };
  if (largest_error != nullptr) {
    *largest_error = 0;
  }
  std::optional<Character> made;  // each step makes a copy of its own
  const auto now = [&]() -> const Character& { return made ? *made : character; };
  if (choice.split_t_junctions) {
    if (!report(progress, 0.0f, "splitting edges at T-junctions")) {
      return stopped();
    }
    made = without_t_junctions(now());
  }
  if (choice.detail > 0) {
    if (!report(progress, 0.2f, "collapsing edges")) {
      return stopped();
    }
    made = with_detail(now(), choice.detail, largest_error);
  }
  if (choice.subdivisions > 0) {
    if (!report(progress, 0.6f, "subdividing")) {
      return stopped();
    }
    Result<Character> finer = subdivided(now(), choice.subdivisions);
    if (!finer) {
      return finer;
    }
    made = *std::move(finer);
  }
  if (choice.explode > 0) {
    if (!report(progress, 0.9f, "pulling rigid parts apart")) {
      return stopped();
    }
    made = exploded(now(), choice.explode);
  }
  return made ? *std::move(made) : character;
}

std::size_t triangle_count(const Character& character) {
  std::size_t triangles = 0;
  for (const mesh::Mesh& mesh : character.meshes) {
    for (const mesh::Primitive& primitive : mesh.primitives) {
      triangles += primitive.triangle_count();
    }
  }
  return triangles;
}

}  // namespace pelt::rig
