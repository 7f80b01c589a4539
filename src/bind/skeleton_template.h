#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <glm/glm.hpp>

#include "bind/volume_middle.h"
#include "core/result.h"
#include "rig/new_joints.h"

namespace pelt::bind {

/// A skeleton that a mesh without one can be given.
struct TemplateChoice {
  enum class Kind { kHumanoid, kChain };
  Kind kind = Kind::kHumanoid;
  int joints = 5;  ///< of a chain
};
inline constexpr int kMostChainJoints = 200;

/// "humanoid" or "chain:5". Fails, saying what was expected.
Result<TemplateChoice> parse_template(std::string_view text);

/// A joint of a template.
struct TemplateJoint {
  std::string name;       ///< "upper_arm.L"
  int parent = -1;        ///< among those of the template, before its own
  glm::dvec3 place = {};  ///< where it is, world
  bool operator==(const TemplateJoint&) const = default;
};

/// In a unit box: the body stands on y = 0 and is 1 high, faces +z, its left is +x; a chain leads up from 0 to 1.
std::vector<TemplateJoint> template_joints(const TemplateChoice& choice);

/// [joints] the one on the other side by name, itself where it has none.
std::vector<int> opposite_joints(const std::vector<TemplateJoint>& joints);

/// A template in a mesh.
struct FittedTemplate {
  std::vector<TemplateJoint> joints;
  std::vector<std::string> notes;  ///< what was not found and placed by proportion, one sentence each
  double middle = 0;               ///< the plane of symmetry: x of the world
};

/// Puts a template into a volume. A humanoid stands upright (+y) and faces along z, towards where its toes are; arms
/// may be held in any way that leaves air between them and the body, legs likewise (body_landmarks.h). A chain leads
/// through the longest way of the volume, from its lower end (else its end at smaller z, then x), with bones of one
/// length. Every joint is inside the volume, unless that is too thin to have an inside; units, places and mirroring go
/// through, a mirrored body has its left joints where the right ones were.
/// @param symmetric  the left and right of a humanoid become mirror images, and the others lie in the plane between
/// @cost O(cubes log cubes)
FittedTemplate fitted_template(const TemplateChoice& choice, const RestVolume& volume, bool symmetric);

/// As nodes of a character: rotations are those of the world, places go below the parent's.
std::vector<rig::NewJoint> new_joints(const std::vector<TemplateJoint>& joints);

}  // namespace pelt::bind
