#include "app/posed_bounds.h"

#include <algorithm>

namespace pelt::app {
namespace {

// How far morph targets together can move a vertex.
std::vector<float> morph_reach(const mesh::Primitive& primitive) {
  std::vector<float> reach;
  for (const mesh::MorphTarget& target : primitive.morph_targets) {
    reach.resize(primitive.vertex_count(), 0.0f);
    for (std::size_t v = 0; v < target.position_deltas.size(); ++v) {
      reach[v] = std::max(reach[v], glm::length(target.position_deltas[v]));
    }
  }
  return reach;
}

void add(Bounds& box, const glm::mat4& matrix, const glm::vec3& point, float reach) {
  const glm::vec3 at(matrix * glm::vec4(point, 1.0f));
  if (reach > 0) {
    const glm::mat3 linear(matrix);
    const float size = std::max({glm::length(linear[0]), glm::length(linear[1]), glm::length(linear[2])});
    box.add(at - reach * size);
    box.add(at + reach * size);
  } else {
    box.add(at);
  }
}

}  // namespace

PosedBounds::PosedBounds(const rig::Character& character) : box_(static_cast<std::size_t>(character.skeleton->size())) {
  for (const rig::Part& part : character.parts) {
    const mesh::Primitive& primitive = character.primitive(part);
    const std::vector<float> reach = morph_reach(primitive);
    const auto reach_of = [&](std::size_t v) { return reach.empty() ? 0.0f : reach[v]; };
    if (part.skin < 0 || primitive.influences->empty()) {
      for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
        add(box_[static_cast<std::size_t>(part.joint)], glm::mat4(1.0f), primitive.positions[v], reach_of(v));
      }
      continue;
    }
    const rig::Skin& skin = character.skins[static_cast<std::size_t>(part.skin)];
    const mesh::Influences& influences = primitive.influences;
    for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
      const mesh::InfluenceRow row = influences.row(v);
      for (std::size_t i = 0; i < row.joints.size(); ++i) {
        const std::uint16_t slot = row.joints[i];
        add(box_[static_cast<std::size_t>(skin.joints[slot])], skin.joint_from_mesh[slot], primitive.positions[v],
            reach_of(v));
      }
    }
  }
}

Bounds PosedBounds::evaluate(std::span<const glm::mat4> world) const {
  Bounds bounds;
  for (std::size_t j = 0; j < std::min(box_.size(), world.size()); ++j) {
    if (box_[j].empty()) {
      continue;
    }
    // Arvo, "Transforming Axis-Aligned Bounding Boxes", Graphics Gems, 1990.
    const glm::vec3 center = box_[j].center();
    const glm::vec3 half = box_[j].upper - center;
    const glm::vec3 middle(world[j] * glm::vec4(center, 1.0f));
    const glm::mat3 linear(world[j]);
    const glm::vec3 extent = glm::abs(linear[0]) * half.x + glm::abs(linear[1]) * half.y + glm::abs(linear[2]) * half.z;
    bounds.add(middle - extent);
    bounds.add(middle + extent);
  }
  return bounds;
}

}  // namespace pelt::app
