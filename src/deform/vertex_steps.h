#pragma once

#include <optional>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "deform/common_stretch.h"
#include "deform/deform.h"
#include "deform/settings.h"
#include "rig/character.h"

namespace pelt::deform {

/// What one of a vertex's joints does to it.
struct JointStep {
  int slot = 0;      ///< place in the skin's joint list
  int joint = 0;     ///< skeleton index
  float weight = 0;  ///< that counts: normalised, or times the stored sum with weights as stored
  /// B^-1 v: the vertex in the joint's own space, metres; in a bind pose as its skin was bound there.
  glm::vec3 in_joint = glm::vec3(0.0f);
  glm::vec3 ghost = glm::vec3(0.0f);  ///< M v = W B^-1 v: where the joint alone would take it, world space, metres
  glm::vec3 contribution = glm::vec3(0.0f);  ///< weight times ghost
};

/// How one vertex gets to its place in one pose, ALGORITHMS.md §7, §8 and §13, as numbers.
struct VertexSteps {
  int part = 0;                          ///< of Character::parts
  int vertex = 0;                        ///< of its primitive
  glm::vec3 bind = glm::vec3(0.0f);      ///< v: mesh space, morph targets applied, metres
  std::optional<glm::vec3> bind_normal;  ///< unit; nothing where the primitive has no normals
  float stored_sum = 0;                  ///< what the file's weights summed to
  std::vector<JointStep> joints;  ///< heaviest first; empty where the vertex follows its node, or no joint at all
  glm::vec3 weighted_sum = glm::vec3(0.0f);  ///< sum of the contributions, which is what linear blending gives, world
  glm::vec3 result = glm::vec3(0.0f);        ///< what the method of the settings made of it, world
  std::optional<glm::vec3> result_normal;    ///< unit, by the normal variant of the settings
  /// The result is the sum of control points that were skinned: not these joints took it there.
  bool of_control_points = false;
};

/// @param world     [J] world matrices of `pose`
/// @param settings  influences are limited, pruned and rounded as these say
/// @param shape     what these settings make of the pose: where result and result_normal are from
/// @pre  0 <= part < Character::parts.size(), 0 <= vertex < its vertices, `shape` is of this character
VertexSteps vertex_steps(const rig::Character& character, const rig::Pose& pose, std::span<const glm::mat4> world,
                         const SkinningSettings& settings, const DeformedCharacter& shape, int part, int vertex);

/// The way from one ghost point to another: where a method would put the vertex if its two heaviest joints alone held
/// it, as the weight of the second grows from 0 to 1 in equal steps. Linear blending goes along the chord, which is why
/// skins collapse; dual quaternions go along an arc.
/// @param world    [J] world matrices of `pose`
/// @param bindings  of all skins  @param method  row of skinning_methods()
/// @param count    of points, at least 2; the first and the last are the two ghost points
/// @returns nothing where fewer than two joints hold the vertex, and for methods that need the mesh around it
std::vector<glm::vec3> blend_arc(const rig::Character& character, const rig::Pose& pose,
                                 std::span<const glm::mat4> world, std::span<const SkinBinding> bindings, int method,
                                 const MethodParameters& parameters, const VertexSteps& steps, int count);

}  // namespace pelt::deform
