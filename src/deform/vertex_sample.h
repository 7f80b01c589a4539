#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "deform/deform.h"
#include "deform/followed_joints.h"
#include "deform/settings.h"
#include "rig/character.h"

namespace pelt::deform {

/// Some vertices of one part.
struct VertexChoice {
  int part = 0;
  std::vector<std::uint32_t> vertices;
};

/// The shape of a few vertices of a large character, at what they alone cost: where the GPU draws the character and the
/// CPU is asked for points on it.
class VertexSample {
 public:
  /// Whether each vertex finds its place by itself under these settings. Methods that prepare something of the mesh or
  /// look at neighbours, layers that move vertices along normals: those need the whole shape.
  static bool covers(const SkinningSettings& settings);

  explicit VertexSample(std::vector<VertexChoice> choices) : choices_(std::move(choices)) {}
  [[nodiscard]] std::span<const VertexChoice> choices() const { return choices_; }

  /// What CpuDeformer makes of the chosen vertices: part i has positions and normals of choice i, in its order; others
  /// may follow behind them. There are no tangents, and normals are by a variant that looks at one vertex.
  /// The character may be edited from call to call. Stays where it is.
  /// @param world  [J] world matrices of `pose`
  /// @pre  covers(settings); the character has those vertices
  /// @cost O(chosen vertices); where the character's weights were edited also the blocks that were written
  const DeformedCharacter& deform(const rig::Character& character, const rig::Pose& pose,
                                  std::span<const glm::mat4> world, const SkinningSettings& settings);

 private:
  void follow(const rig::Character& character);

  std::vector<VertexChoice> choices_;
  FollowedJoints followed_;
  rig::Character of_;      ///< what sample_ was made of, compared by pointer
  rig::Character sample_;  ///< with a mesh of its own for each choice
  bool known_ = false;
  CpuDeformer deformer_;
  DeformedCharacter shape_;
};

}  // namespace pelt::deform
