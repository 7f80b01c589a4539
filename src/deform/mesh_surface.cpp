#include "deform/mesh_surface.h"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>

#include "core/expect.h"

namespace pelt::deform {
namespace {

using Bits = std::array<std::uint32_t, 3>;

// The bits of a position, -0 as +0: a key that equals itself even where a coordinate is not a number.
Bits bits_of(const glm::vec3& p) {
  return std::bit_cast<Bits>(p + glm::vec3(0.0f));
}

struct BitsHash {
  std::size_t operator()(const Bits& bits) const {
    std::uint64_t hash = 0;
    for (const std::uint32_t word : bits) {
      hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
      hash ^= hash >> 29;
    }
    return static_cast<std::size_t>(hash);
  }
};

}  // namespace

MeshSurface make_mesh_surface(std::span<const mesh::Primitive* const> primitives,
                              std::span<const mesh::Influences* const> influences) {
  PELT_EXPECT(primitives.size() == influences.size(), "influences for each primitive");
  MeshSurface surface;
  surface.primitives.assign(primitives.begin(), primitives.end());
  surface.influences.assign(influences.begin(), influences.end());
  surface.first.push_back(0);
  std::unordered_map<Bits, std::uint32_t, BitsHash> at;
  std::vector<char> skinned;  // [W] whether the representative is
  for (std::size_t p = 0; p < primitives.size(); ++p) {
    const char is_skinned = influences[p]->empty() ? 0 : 1;
    for (const glm::vec3& position : primitives[p]->positions) {
      const auto vertex = static_cast<std::uint32_t>(surface.welded.size());
      const auto [found, fresh] =
          at.try_emplace(bits_of(position), static_cast<std::uint32_t>(surface.representative.size()));
      if (fresh) {
        surface.representative.push_back(vertex);
        skinned.push_back(is_skinned);
      } else if (is_skinned != 0 && skinned[found->second] == 0) {
        surface.representative[found->second] = vertex;
        skinned[found->second] = 1;
      }
      surface.welded.push_back(found->second);
    }
    surface.first.push_back(static_cast<std::uint32_t>(surface.welded.size()));
  }
  for (std::size_t p = 0; p < primitives.size(); ++p) {
    const mesh::Primitive& primitive = *primitives[p];
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
    const mesh::Influences& rows = *surface.influences[place.primitive];
    if (!rows.empty()) {
      const std::uint32_t begin = rows.offset[place.vertex];
      const std::uint32_t end = rows.offset[place.vertex + 1];
      out.influences.joint.insert(out.influences.joint.end(), rows.joint.begin() + begin, rows.joint.begin() + end);
      out.influences.weight.insert(out.influences.weight.end(), rows.weight.begin() + begin, rows.weight.begin() + end);
    }
    out.influences.offset.push_back(static_cast<std::uint32_t>(out.influences.joint.size()));
    out.influences.stored_sum.push_back(rows.empty() ? 0.0f : rows.stored_sum[place.vertex]);
  }
  for (std::size_t p = 0; p < surface.primitives.size(); ++p) {
    if (surface.influences[p]->empty()) {
      continue;
    }
    const mesh::Primitive& primitive = *surface.primitives[p];
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

}  // namespace pelt::deform
