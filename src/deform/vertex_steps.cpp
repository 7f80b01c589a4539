#include "deform/vertex_steps.h"

#include <algorithm>

#include "core/expect.h"
#include "core/index.h"
#include "deform/skin_cache.h"
#include "deform/vertex_frame.h"
#include "rig/own_bindings.h"

namespace pelt::deform {
namespace {

// Base and weighted deltas of vertex v.
template <typename Deltas>
glm::vec3 morphed_vertex(const glm::vec3& base, const mesh::Primitive& primitive, std::span<const float> weights,
                         std::size_t v, const Deltas& deltas_of) {
  glm::vec3 sum = base;
  for (std::size_t m = 0; m < std::min(weights.size(), primitive.morph_targets.size()); ++m) {
    const std::vector<glm::vec3>& deltas = deltas_of(primitive.morph_targets[m]);
    if (!deltas.empty()) {
      sum += weights[m] * deltas[v];
    }
  }
  return sum;
}

glm::vec3 unit_or_zero(const glm::vec3& n) {
  const float length = glm::length(n);
  return length > 0.0f ? n / length : n;
}

// The row of one vertex alone, so that limiting and rounding cost one row.
mesh::Influences row_alone(const mesh::Influences& all, std::size_t v, const SkinningSettings& settings) {
  mesh::Primitive one;
  one.influences.edit().push_row(all.row(v));
  return effective_influences(one, settings);
}

}  // namespace

VertexSteps vertex_steps(const rig::Character& character, const rig::Pose& pose, std::span<const glm::mat4> world,
                         const SkinningSettings& settings, const DeformedCharacter& shape, int part_index, int vertex) {
  PELT_EXPECT(has_index(character.parts, part_index), "part in range");
  PELT_EXPECT(shape.parts.size() == character.parts.size(), "a shape of this character");
  const rig::Part& part = character.parts[part_index];
  const mesh::Primitive& primitive = character.primitive(part);
  const std::size_t v = vertex;
  PELT_EXPECT(vertex >= 0 && v < primitive.vertex_count(), "vertex in range");

  VertexSteps steps;
  steps.part = part_index;
  steps.vertex = vertex;
  const std::span<const float> weights = character.morph_weights(pose, part.joint);
  steps.bind = morphed_vertex(
      primitive.positions[v], primitive, weights, v,
      [](const mesh::MorphTarget& target) -> const std::vector<glm::vec3>& { return target.position_deltas; });
  if (!primitive.normals.empty()) {
    steps.bind_normal = unit_or_zero(morphed_vertex(
        primitive.normals[v], primitive, weights, v,
        [](const mesh::MorphTarget& target) -> const std::vector<glm::vec3>& { return target.normal_deltas; }));
  }
  const DeformedPart& posed = shape.parts[part_index];
  steps.result = posed.positions[v];
  if (!posed.normals.empty()) {
    steps.result_normal = posed.normals[v];
  }
  steps.of_control_points =
      settings.refine == Refine::kAfterSkin && is_skinned(character, part) && primitive.has_cage();
  if (!is_skinned(character, part)) {
    steps.weighted_sum = transform_point(world[part.joint], steps.bind);
    return steps;
  }
  const mesh::Influences alone = row_alone(primitive.influences, v, settings);
  const mesh::InfluenceRow row = alone.row(0);
  const rig::Skin& skin = character.skins[part.skin];
  steps.stored_sum = primitive.influences->stored_sum(v);
  for (std::size_t k = 0; k < row.joints.size(); ++k) {
    JointStep step;
    step.slot = row.joints[k];
    const std::size_t slot = step.slot;
    step.joint = skin.joints[slot];
    step.weight = row.weights[k] * (settings.weights_as_stored ? row.stored_sum : 1.0f);
    step.in_joint =
        transform_point(glm::mat4(rig::posed_joint_from_mesh(character, pose, part.skin, slot)), steps.bind);
    step.ghost = transform_point(rig::posed_skin_matrix(character, pose, world, part.skin, slot), steps.bind);
    step.contribution = step.weight * step.ghost;
    steps.weighted_sum += step.contribution;
    steps.joints.push_back(step);
  }
  if (steps.joints.empty()) {
    steps.weighted_sum = steps.bind;  // placed as if by the identity
  }
  return steps;
}

std::vector<glm::vec3> blend_arc(const rig::Character& character, const rig::Pose& pose,
                                 std::span<const glm::mat4> world, std::span<const SkinBinding> bindings, int method,
                                 const MethodParameters& parameters, const VertexSteps& steps, int count) {
  PELT_EXPECT(count >= 2, "two ends");
  const SkinningMethod& row = skinning_methods()[method];
  if (steps.of_control_points || steps.joints.size() < 2 || row.prepare != nullptr || row.finish != nullptr) {
    return {};
  }
  const rig::Part& part = character.parts[steps.part];
  const SkinBinding& binding = bindings[part.skin];
  std::vector<glm::mat4> matrices(binding.joint_count());
  rig::posed_skin_matrices(character, pose, world, part.skin, matrices);
  // One copy of the vertex for each weight.
  mesh::Primitive copies;
  copies.positions.assign(count, steps.bind);
  const std::uint16_t joints[] = {static_cast<std::uint16_t>(steps.joints[0].slot),
                                  static_cast<std::uint16_t>(steps.joints[1].slot)};
  for (int i = 0; i < count; ++i) {
    const float second = static_cast<float>(i) / static_cast<float>(count - 1);
    const float weights[] = {1.0f - second, second};
    mesh::append_row(copies.influences.edit(), joints, weights);
  }
  const DeformedPart out = skin_bound_once(row, copies, copies.influences, matrices, binding,
                                           NormalVariant::kInverseTransposeOfBlend, parameters);
  return {out.positions.begin(), out.positions.end()};
}

}  // namespace pelt::deform
