#include "mesh/mesh_surface.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "core/expect.h"
#include "math/transform.h"

namespace pelt::mesh {
namespace {

// Vertices closer than this, of the longest side of all that are finite, are at one place: seams that rounding has
// opened. Sixteen bits for each coordinate tell fewer places apart, so that nothing that looks at neighbours sees
// another surface in what was stored so.
constexpr double kOnePlace = 1e-6;
// A cell of the grid below, in such distances: most vertices are near no border of theirs.
constexpr double kCell = 16;

using PlaceKey = std::array<std::int64_t, 3>;

struct KeyHash {
  std::size_t operator()(const PlaceKey& key) const {
    std::uint64_t hash = 0;
    for (const std::int64_t word : key) {
      hash = (hash ^ static_cast<std::uint64_t>(word)) * 0x9e3779b97f4a7c15ull;
      hash ^= hash >> 29;
    }
    return static_cast<std::size_t>(hash);
  }
};

// Finds the first place within reach of another one.
class Places {
 public:
  Places(const glm::dvec3& lower, double longest_side) : lower_(lower), reach_(longest_side * kOnePlace) {}

  /// @returns the place of p, and whether it is a new one
  std::pair<std::uint32_t, bool> find_or_add(const glm::vec3& p) {
    const glm::dvec3 q = (glm::dvec3(p) - lower_) / (reach_ * kCell);
    if (!(reach_ > 0) || !(std::isfinite(q.x) && std::isfinite(q.y) && std::isfinite(q.z))) {
      return add_exact(p);
    }
    const glm::dvec3 cell = glm::floor(q);
    glm::ivec3 from(0);
    glm::ivec3 to(0);
    for (int c = 0; c < 3; ++c) {
      from[c] = q[c] - cell[c] < 1 / kCell ? -1 : 0;
      to[c] = q[c] - cell[c] > 1 - 1 / kCell ? 1 : 0;
    }
    std::uint32_t first = kNone;
    for (int x = from.x; x <= to.x; ++x) {
      for (int y = from.y; y <= to.y; ++y) {
        for (int z = from.z; z <= to.z; ++z) {
          const auto found = cells_.find(key_of(cell + glm::dvec3(x, y, z)));
          for (std::uint32_t at = found != cells_.end() ? found->second : kNone; at != kNone; at = next_[at]) {
            if (glm::distance(glm::dvec3(position_[at]), glm::dvec3(p)) <= reach_) {
              first = std::min(first, at);
            }
          }
        }
      }
    }
    if (first != kNone) {
      return {first, false};
    }
    const std::uint32_t place = add(p);
    const auto [in_cell, fresh] = cells_.try_emplace(key_of(cell), place);
    if (!fresh) {
      next_[place] = in_cell->second;
      in_cell->second = place;
    }
    return {place, true};
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  static PlaceKey key_of(const glm::dvec3& cell) {
    return {static_cast<std::int64_t>(cell.x), static_cast<std::int64_t>(cell.y), static_cast<std::int64_t>(cell.z)};
  }

  std::uint32_t add(const glm::vec3& p) {
    position_.push_back(p);
    next_.push_back(kNone);
    return static_cast<std::uint32_t>(position_.size() - 1);
  }

  // By the bits, -0 as +0: a key that equals itself even where a coordinate is not a number.
  std::pair<std::uint32_t, bool> add_exact(const glm::vec3& p) {
    const auto bits = std::bit_cast<std::array<std::uint32_t, 3>>(p + glm::vec3(0.0f));
    const auto [found, fresh] =
        exact_.try_emplace(PlaceKey{bits[0], bits[1], bits[2]}, static_cast<std::uint32_t>(position_.size()));
    return {fresh ? add(p) : found->second, fresh};
  }

  glm::dvec3 lower_;
  double reach_;
  std::vector<glm::vec3> position_;
  std::vector<std::uint32_t> next_;  // in the same cell
  std::unordered_map<PlaceKey, std::uint32_t, KeyHash> cells_;
  std::unordered_map<PlaceKey, std::uint32_t, KeyHash> exact_;
};

Places places_of(std::span<const Primitive* const> primitives) {
  Bounds bounds;
  for (const Primitive* primitive : primitives) {
    // What no triangle uses may lie anywhere, and must not widen the reach.
    for (const std::uint32_t v : primitive->indices) {
      bounds.add(primitive->positions[v]);
    }
  }
  if (bounds.empty()) {
    return {glm::dvec3(0.0), 0};
  }
  const glm::dvec3 size = glm::dvec3(bounds.upper) - glm::dvec3(bounds.lower);
  return {glm::dvec3(bounds.lower), std::max({size.x, size.y, size.z})};
}

}  // namespace

MeshSurface make_mesh_surface(std::span<const Primitive* const> primitives,
                              std::span<const Influences* const> influences, const glm::dmat3& shape_from_mesh) {
  PELT_EXPECT(primitives.size() == influences.size(), "influences for each primitive");
  MeshSurface surface;
  surface.shape_from_mesh = shape_from_mesh;
  surface.primitives.assign(primitives.begin(), primitives.end());
  surface.influences.assign(influences.begin(), influences.end());
  surface.first.push_back(0);
  Places places = places_of(primitives);
  std::vector<char> skinned;  // [W] whether the representative is
  for (std::size_t p = 0; p < primitives.size(); ++p) {
    const char is_skinned = influences[p]->empty() ? 0 : 1;
    for (const glm::vec3& position : primitives[p]->positions) {
      const auto vertex = static_cast<std::uint32_t>(surface.welded.size());
      const auto [place, fresh] = places.find_or_add(position);
      if (fresh) {
        surface.representative.push_back(vertex);
        skinned.push_back(is_skinned);
      } else if (is_skinned != 0 && skinned[place] == 0) {
        surface.representative[place] = vertex;
        skinned[place] = 1;
      }
      surface.welded.push_back(place);
    }
    surface.first.push_back(static_cast<std::uint32_t>(surface.welded.size()));
  }
  for (std::size_t p = 0; p < primitives.size(); ++p) {
    const Primitive& primitive = *primitives[p];
    for (std::size_t t = 0; t < primitive.triangle_count(); ++t) {
      const std::uint32_t a = surface.welded[surface.first[p] + primitive.indices[3 * t]];
      const std::uint32_t b = surface.welded[surface.first[p] + primitive.indices[3 * t + 1]];
      const std::uint32_t c = surface.welded[surface.first[p] + primitive.indices[3 * t + 2]];
      if (a != b && b != c && c != a) {
        surface.triangles.insert(surface.triangles.end(), {a, b, c});
      }
    }
  }
  return surface;
}

WeldedShape welded_shape(const MeshSurface& surface) {
  WeldedShape out;
  for (const std::uint32_t v : surface.representative) {
    const VertexPlace place = place_of(surface, v);
    out.positions.emplace_back(surface.primitives[place.primitive]->positions[place.vertex]);
    const Influences& rows = *surface.influences[place.primitive];
    out.influences.push_row(rows.empty() ? InfluenceRow() : rows.row(place.vertex));
  }
  for (std::size_t p = 0; p < surface.primitives.size(); ++p) {
    if (surface.influences[p]->empty()) {
      continue;
    }
    const Primitive& primitive = *surface.primitives[p];
    const std::span<const std::uint32_t> welded = std::span(surface.welded).subspan(surface.first[p]);
    for (std::size_t t = 0; t < 3 * primitive.triangle_count(); t += 3) {
      const std::uint32_t a = welded[primitive.indices[t]];
      const std::uint32_t b = welded[primitive.indices[t + 1]];
      const std::uint32_t c = welded[primitive.indices[t + 2]];
      if (a != b && b != c && c != a) {
        out.triangles.insert(out.triangles.end(), {a, b, c});
      }
    }
  }
  return out;
}

VertexPlace place_of(const MeshSurface& surface, std::uint32_t v) {
  const auto after = std::ranges::upper_bound(surface.first, v);
  const auto p = static_cast<std::size_t>(after - surface.first.begin()) - 1;
  return {p, v - surface.first[p]};
}

}  // namespace pelt::mesh
