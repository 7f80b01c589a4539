#include "mesh/normals.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "core/expect.h"

namespace pelt::mesh {
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

void compute_vertex_normals(std::span<const glm::vec3> positions, std::span<const glm::vec3> weld_positions,
                            std::span<const std::uint32_t> indices, std::span<glm::vec3> out_normals) {
  PELT_EXPECT(out_normals.size() == positions.size(), "one normal per vertex");
  PELT_EXPECT(weld_positions.empty() || weld_positions.size() == positions.size(), "one weld position per vertex");
  std::vector<std::uint32_t> group(positions.size());
  std::iota(group.begin(), group.end(), 0u);
  if (!weld_positions.empty()) {
    std::unordered_map<Bits, std::uint32_t, BitsHash> first;
    first.reserve(positions.size());
    for (std::uint32_t v = 0; v < positions.size(); ++v) {
      group[v] = first.try_emplace(bits_of(weld_positions[v]), v).first->second;
    }
  }
  std::vector<glm::dvec3> sums(positions.size(), glm::dvec3(0));
  for (std::size_t i = 0; i + 2 < indices.size(); i += 3) {
    const glm::dvec3 a(positions[indices[i]]);
    const glm::dvec3 twice_area =
        glm::cross(glm::dvec3(positions[indices[i + 1]]) - a, glm::dvec3(positions[indices[i + 2]]) - a);
    for (std::size_t corner = 0; corner < 3; ++corner) {
      sums[group[indices[i + corner]]] += twice_area;
    }
  }
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const glm::dvec3 sum = sums[group[v]];
    const double length = glm::length(sum);
    out_normals[v] = length > 1e-300 && std::isfinite(length) ? glm::vec3(sum / length) : glm::vec3(0, 1, 0);
  }
}

}  // namespace pelt::mesh
