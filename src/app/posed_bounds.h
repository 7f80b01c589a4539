#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include <glm/glm.hpp>

#include "core/shared.h"
#include "deform/settings.h"
#include "math/transform.h"
#include "rig/character.h"

namespace pelt::app {

/// The box of a posed character without deforming it: vertices are boxed once in the bind shape, joint by joint, and
/// the boxes follow the joints. Contains the linearly blended shape with all that layers do to it, usually with some
/// air.
class PosedBounds {
 public:
  /// Follows the character's shared parts: of edited weights only the blocks that changed are read.
  void update(const rig::Character& character);
  /// @param world     [J] of the pose
  /// @param settings  as in effect, with the layers that move vertices
  /// @pre update() saw the character  @cost O(J + joints of all parts + morph targets)
  [[nodiscard]] Bounds evaluate(const rig::Character& character, const rig::Pose& pose,
                                std::span<const glm::mat4> world, const deform::SkinningSettings& settings) const;

 private:
  // By place in the skin's list, ascending; -1: of vertices without influences, which stay where they were bound.
  using JointBoxes = std::vector<std::pair<int, Bounds>>;

  /// Of one primitive, in mesh space.
  struct Boxes {
    SharedArray<glm::vec3> positions;
    Shared<mesh::Influences> influences;
    SharedList<mesh::MorphTarget> morph_targets;
    Bounds whole;
    std::vector<JointBoxes> of_blocks;  // [blocks of influences]
    JointBoxes of_joints;
    Shared<mesh::ControlCage> cage;
    JointBoxes of_points;      // of its control points, where it has any
    std::vector<float> reach;  // [morph targets] how far weight 1 moves a vertex
  };

  static void follow(Boxes& boxes, const mesh::Primitive& primitive);
  static void follow_weights(Boxes& boxes, const mesh::Primitive& primitive, bool anew);

  std::map<std::pair<int, int>, Boxes> boxes_;  // by mesh and primitive
  SharedList<mesh::Mesh> meshes_;               // of the last update()
};

}  // namespace pelt::app
