#include "deform/morph.h"

#include <algorithm>

#include "core/expect.h"
#include "core/parallel.h"

namespace pelt::deform {
namespace {

constexpr std::size_t kMorphedPerChunk = 8192;

template <typename Out>
void add_scaled(std::span<const glm::vec3> deltas, float weight, std::span<Out> out) {
  if (deltas.empty() || out.empty()) {
    return;
  }
  PELT_EXPECT(deltas.size() == out.size(), "one delta per vertex");
  parallel_for(out.size(), kMorphedPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const glm::vec3 delta = deltas[v] * weight;
      out[v].x += delta.x;
      out[v].y += delta.y;
      out[v].z += delta.z;
    }
  });
}

}  // namespace

void apply_morph_targets(const mesh::Primitive& primitive, std::span<const float> weights,
                         std::span<glm::vec3> out_positions, std::span<glm::vec3> out_normals,
                         std::span<glm::vec4> out_tangents) {
  PELT_EXPECT(out_positions.size() == primitive.positions.size(), "one position per vertex");
  PELT_EXPECT(out_normals.size() == primitive.normals.size(), "one normal per vertex");
  PELT_EXPECT(out_tangents.size() == primitive.tangents.size(), "one tangent per vertex");
  std::copy(primitive.positions.begin(), primitive.positions.end(), out_positions.begin());
  std::copy(primitive.normals.begin(), primitive.normals.end(), out_normals.begin());
  std::copy(primitive.tangents.begin(), primitive.tangents.end(), out_tangents.begin());
  const std::size_t target_count = std::min(weights.size(), primitive.morph_targets.size());
  for (std::size_t target = 0; target < target_count; ++target) {
    const float weight = weights[target];
    if (weight == 0.0f) {
      continue;
    }
    const mesh::MorphTarget& deltas = primitive.morph_targets[target];
    add_scaled<glm::vec3>(deltas.position_deltas, weight, out_positions);
    add_scaled<glm::vec3>(deltas.normal_deltas, weight, out_normals);
    add_scaled<glm::vec4>(deltas.tangent_deltas, weight, out_tangents);
  }
}

}  // namespace pelt::deform
