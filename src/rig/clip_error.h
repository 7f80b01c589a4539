#pragma once

#include <span>
#include <vector>

#include "core/progress.h"
#include "rig/character.h"

namespace pelt::rig {

/// What a changed copy of the clips does to the character.
struct ClipError {
  double distance =
      0;             ///< metres: the farthest that linear blending moves a vertex, or that the origin of a node moves
  double angle = 0;  ///< radians: the farthest that a node turns
  int clip = -1;     ///< in which `distance` was found; -1: nothing moves
  float time = 0;    ///< when, seconds
};

/// The moments at which a clip is measured: ten per key of its densest channel, keys and even spacing both.
std::vector<float> measured_moments(const Clip& clip);

/// Measures clips of one character against their changed copies.
///
/// A vertex is a mean of joints' motions, so it is moved no farther than the corners of the box around what a joint
/// carries: boxes say in O(J) which moments can be the worst, and vertices are computed for those alone. Morph weights
/// move vertices, too.
class ClipMeter {
 public:
  /// @param character  outlives it
  explicit ClipMeter(const Character& character);

  /// @param original, changed  of this character's nodes
  [[nodiscard]] ClipError error(const Clip& original, const Clip& changed) const;
  /// How far from each node's origin lies what it moves, in the world, metres: the largest at these moments.
  /// @param scale  receives how much the world stretches a length in the space of each node's parent
  [[nodiscard]] std::vector<double> reach(const Clip& clip, std::span<const float> times,
                                          std::vector<double>& scale) const;
  /// [targets] The largest delta of a morph target of the mesh on node j, metres; empty where there are none.
  [[nodiscard]] std::vector<double> largest_deltas(int j) const;

 private:
  struct Posed {
    std::vector<glm::dmat4> world;        ///< [J]
    std::vector<glm::dquat> orientation;  ///< [J]
    std::vector<float> morph_weights;
  };
  /// Vertices near a joint, in its own space.
  struct Carried {
    glm::dvec3 lower = glm::dvec3(0);
    glm::dvec3 upper = glm::dvec3(0);
    bool any = false;
    void add(const glm::dvec3& point);
  };
  [[nodiscard]] Posed posed(const Clip& clip, float time) const;
  /// The farthest that a vertex or origin can be apart.
  [[nodiscard]] double bound(const Posed& a, const Posed& b) const;
  /// The farthest that one is apart.
  [[nodiscard]] double distance(const Posed& a, const Posed& b) const;
  void add_mesh(const MeshNode& node);

  const Character& character_;
  Pose rest_;
  std::vector<Carried> carried_;                    ///< [J]
  std::vector<std::vector<double>> largest_delta_;  ///< [mesh nodes][targets]
};

/// All clips of both: the farthest of each measure. Nothing where `progress` asks to stop is measured on.
/// @pre  both have the same nodes, meshes and number of clips; only keys differ
/// @cost O(moments * J), and O(V) for the few moments that can be the worst
ClipError clip_error(const Character& original, const Character& changed, const Progress& progress = {});

}  // namespace pelt::rig
