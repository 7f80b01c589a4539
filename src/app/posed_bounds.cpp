#include "app/posed_bounds.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.h"
#include "deform/deform.h"
#include "deform/layers.h"
#include "rig/own_bindings.h"

namespace pelt::app {
namespace {

constexpr std::size_t kBlocksAtOnce = 64;

using Box = std::pair<int, Bounds>;

// Where it stands in an ascending list, or would.
template <typename List>
auto place_of(List& boxes, int joint) {
  return std::ranges::lower_bound(boxes, joint, {}, &Box::first);
}

Bounds& box_of(std::vector<Box>& boxes, int joint) {
  auto found = place_of(boxes, joint);
  if (found == boxes.end() || found->first != joint) {
    found = boxes.emplace(found, joint, Bounds());
  }
  return found->second;
}

std::vector<Box> boxes_of_block(const mesh::Influences::Block& block, std::span<const glm::vec3> positions) {
  std::vector<Box> out;
  for (std::size_t r = 0; r < block.row_count(); ++r) {
    const mesh::InfluenceRow row = block.row(r);
    if (row.joints.empty()) {
      box_of(out, -1).add(positions[r]);
    }
    for (const std::uint16_t joint : row.joints) {
      box_of(out, joint).add(positions[r]);
    }
  }
  return out;
}

float longest(const SharedArray<glm::vec3>& deltas) {
  float out = 0;
  for (const glm::vec3& delta : deltas) {
    out = std::max(out, glm::length(delta));
  }
  return out;
}

Bounds grown(const Bounds& box, float by) {
  Bounds out;
  out.add(box.lower - by);
  out.add(box.upper + by);
  return out;
}

// Arvo, "Transforming Axis-Aligned Bounding Boxes", Graphics Gems, 1990.
void add_moved(Bounds& bounds, const glm::mat4& matrix, const Bounds& box) {
  const glm::vec3 center = box.center();
  const glm::vec3 half = box.upper - center;
  const glm::vec3 middle(matrix * glm::vec4(center, 1.0f));
  const glm::mat3 linear(matrix);
  const glm::vec3 extent = glm::abs(linear[0]) * half.x + glm::abs(linear[1]) * half.y + glm::abs(linear[2]) * half.z;
  bounds.add(middle - extent);
  bounds.add(middle + extent);
}

}  // namespace

void PosedBounds::follow_weights(Boxes& boxes, const mesh::Primitive& primitive, bool anew) {
  const mesh::Influences& now = primitive.influences;
  const mesh::Influences none;
  std::vector<std::size_t> changed;
  mesh::for_changed_blocks(anew ? none : *boxes.influences, now,
                           [&](std::size_t b, std::size_t, std::size_t) { changed.push_back(b); });
  boxes.of_blocks.resize(now.block_count());
  const std::span<const glm::vec3> positions = primitive.positions;
  parallel_for(changed.size(), kBlocksAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t b = changed[i];
      boxes.of_blocks[b] = boxes_of_block(now.block(b), positions.subspan(b * mesh::Influences::kBlockRows));
    }
  });
  boxes.of_joints.clear();
  for (const JointBoxes& block : boxes.of_blocks) {
    for (const auto& [joint, box] : block) {
      box_of(boxes.of_joints, joint).add(box);
    }
  }
}

void PosedBounds::follow(Boxes& boxes, const mesh::Primitive& primitive) {
  const bool anew = !boxes.positions.is(primitive.positions);
  if (anew) {
    boxes.whole = bounds_of(primitive.positions);
  }
  if (anew || !boxes.influences.is(primitive.influences)) {
    follow_weights(boxes, primitive, anew);
  }
  const bool other_shapes = anew || !boxes.morph_targets.is(primitive.morph_targets);
  if (other_shapes) {
    boxes.reach.clear();
    for (const mesh::MorphTarget& target : primitive.morph_targets) {
      boxes.reach.push_back(longest(target.position_deltas));
    }
  }
  if (!primitive.has_cage()) {
    boxes.of_points.clear();
  } else if (other_shapes || !boxes.cage.is(primitive.cage)) {
    const mesh::ControlCage& cage = primitive.cage;
    boxes.of_points.clear();
    for (std::size_t b = 0; b < cage.influences->block_count(); ++b) {
      for (const auto& [joint, box] : boxes_of_block(
               cage.influences->block(b), std::span(cage.positions).subspan(b * mesh::Influences::kBlockRows))) {
        box_of(boxes.of_points, joint).add(box);
      }
    }
    for (std::size_t t = 0; t < cage.morph_deltas.size() && t < boxes.reach.size(); ++t) {
      boxes.reach[t] = std::max(boxes.reach[t], longest(cage.morph_deltas[t]));
    }
  }
  boxes.cage = primitive.cage;
  boxes.positions = primitive.positions;
  boxes.influences = primitive.influences;
  boxes.morph_targets = primitive.morph_targets;
}

void PosedBounds::update(const rig::Character& character) {
  if (meshes_.is(character.meshes)) {
    return;
  }
  meshes_ = character.meshes;
  std::map<std::pair<int, int>, Boxes> before = std::exchange(boxes_, {});
  for (std::size_t m = 0; m < meshes_.size(); ++m) {
    const SharedList<mesh::Primitive>& primitives = meshes_[m].primitives;
    for (std::size_t p = 0; p < primitives.size(); ++p) {
      const std::pair key(static_cast<int>(m), static_cast<int>(p));
      follow(boxes_[key] = std::move(before[key]), primitives[p]);
    }
  }
}

Bounds PosedBounds::evaluate(const rig::Character& character, const rig::Pose& pose, std::span<const glm::mat4> world,
                             const deform::SkinningSettings& settings) const {
  const float pushed = deform::reach_of_layers(settings, rig::LayerSlot::kBindSpace);
  std::vector<std::vector<glm::mat4>> matrices(character.skins.size());  // of skins that were met
  Bounds bounds;
  for (const rig::Part& part : character.parts) {
    const Boxes& boxes = boxes_.at({part.mesh, part.primitive});
    float reach = pushed;
    const std::size_t first = character.morph_offset[part.joint];
    for (std::size_t i = 0; i < boxes.reach.size(); ++i) {
      reach += std::abs(pose.morph_weights[first + i]) * boxes.reach[i];
    }
    if (!deform::is_skinned(character, part)) {
      if (!boxes.whole.empty()) {
        add_moved(bounds, world[part.joint], grown(boxes.whole, reach));
      }
      continue;
    }
    std::vector<glm::mat4>& of_skin = matrices[part.skin];
    if (of_skin.empty()) {
      of_skin.resize(character.skins[part.skin].joints.size());
      rig::posed_skin_matrices(character, pose, world, part.skin, of_skin);
    }
    // A surface stays within the hull of its control points.
    const bool of_points = settings.refine == deform::Refine::kAfterSkin && !boxes.of_points.empty();
    for (const auto& [joint, box] : of_points ? boxes.of_points : boxes.of_joints) {
      if (!box.empty()) {
        add_moved(bounds, joint < 0 ? glm::mat4(1.0f) : of_skin[joint], grown(box, reach));
      }
    }
  }
  const float after = deform::reach_of_layers(settings, rig::LayerSlot::kPosedSkin);
  return bounds.empty() || after == 0 ? bounds : grown(bounds, after);
}

}  // namespace pelt::app
