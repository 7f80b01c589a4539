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

MorphedShape::MorphedShape(const mesh::Primitive& primitive)
    : primitive_(primitive),
      weights_(primitive.morph_targets.size(), 0.0f),
      groups_(primitive.morph_targets.size()),
      changed_((primitive.positions.size() + kGroup - 1) / kGroup, 0),
      positions_(primitive.positions),
      normals_(primitive.normals),
      tangents_(primitive.tangents) {}

void MorphedShape::find_groups(std::size_t target) {
  const mesh::MorphTarget& deltas = primitive_.morph_targets[target];
  std::vector<std::uint8_t>& groups = groups_[target];
  groups.assign(changed_.size(), 0);
  for (const SharedArray<glm::vec3>* of : {&deltas.position_deltas, &deltas.normal_deltas, &deltas.tangent_deltas}) {
    PELT_EXPECT(of->empty() || of->size() == positions_.size(), "one delta per vertex");
    for (std::size_t v = 0; v < of->size(); ++v) {
      // What is not finite counts, too.
      groups[v / kGroup] |= static_cast<std::uint8_t>(!((*of)[v] == glm::vec3(0.0f)));
    }
  }
}

bool MorphedShape::set_weights(std::span<const float> weights) {
  std::fill(changed_.begin(), changed_.end(), std::uint8_t{0});
  active_.clear();
  bool any = false;
  for (std::size_t target = 0; target < weights_.size(); ++target) {
    const float weight = target < weights.size() ? weights[target] : 0.0f;
    if (weight != 0.0f) {
      active_.push_back(target);
    }
    if (weight == weights_[target]) {
      continue;
    }
    weights_[target] = weight;
    if (groups_[target].empty()) {
      find_groups(target);
    }
    for (std::size_t g = 0; g < changed_.size(); ++g) {
      changed_[g] |= groups_[target][g];
    }
    any = true;
  }
  if (!any) {
    return false;
  }
  parallel_for(changed_.size(), kMorphedPerChunk / kGroup, [&](std::size_t first, std::size_t last) {
    for (std::size_t g = first; g < last; ++g) {
      if (changed_[g] == 0) {
        continue;
      }
      const std::size_t begin = g * kGroup;
      const std::size_t end = std::min(begin + kGroup, positions_.size());
      const auto place = [&](const auto& base, const auto deltas_of, auto& out) {
        if (base.empty()) {
          return;
        }
        for (std::size_t v = begin; v < end; ++v) {
          out[v] = base[v];
        }
        for (const std::size_t target : active_) {
          const std::vector<glm::vec3>& deltas = primitive_.morph_targets[target].*deltas_of;
          if (groups_[target][g] == 0 || deltas.empty()) {
            continue;
          }
          const float weight = weights_[target];
          // Plain floats where there is no fourth one to keep, which is what compilers make vectors of.
          constexpr std::size_t kStride = sizeof(out[0]) / sizeof(float);
          float* const to = &out[begin].x;
          const float* const delta = &deltas[begin].x;
          for (std::size_t i = 0; i < (end - begin) * 3; ++i) {
            to[kStride == 3 ? i : i / 3 * kStride + i % 3] += delta[i] * weight;
          }
        }
      };
      place(primitive_.positions, &mesh::MorphTarget::position_deltas, positions_);
      place(primitive_.normals, &mesh::MorphTarget::normal_deltas, normals_);
      place(primitive_.tangents, &mesh::MorphTarget::tangent_deltas, tangents_);
    }
  });
  return true;
}

}  // namespace pelt::deform
