#pragma once

#include <span>
#include <vector>

#include "motion/ik_tree.h"

namespace pelt::motion {

/// The joints between the root and one goal while a solver turns them one by one; whatever is turned, the world
/// matrices below it follow.
class ChainState {
 public:
  /// Tree, goal and values must outlive it. @param values  changed by aim()
  ChainState(const IkTree& tree, const IkGoal& goal, std::span<float> values);

  [[nodiscard]] std::size_t size() const { return chain_.size(); }
  /// Where joint k of the chain stands, world.
  [[nodiscard]] glm::dvec3 point(std::size_t k) const { return glm::dvec3(world_[k][3]); }
  [[nodiscard]] glm::dvec3 effector() const { return glm::dvec3((world_.back() * goal_->effector)[3]); }

  /// Turns joint k so that a point that moves with it comes nearest to `target`, as seen from the joint: ball joints by
  /// the shortest arc, others about their axes.
  void aim(std::size_t k, const glm::dvec3& moving, const glm::dvec3& target, bool limits);
  /// A chain that is straight with its target on its line gets no further: bends it, to the side of the pole.
  void leave_line(const IkSettings& settings);
  /// Turns the first two joints so that the second stands at `middle` and the effector at `tip`, as far as their DOFs
  /// and limits allow. @param normal  unit: about it the second bone is bent against the first, counter-clockwise
  void place_two_bones(const glm::dvec3& middle, const glm::dvec3& tip, const glm::dvec3& normal, bool limits);
  /// Where the middle of a straight limb goes when joint k bends to the side for which its limits leave more room;
  /// unit, perpendicular to the bone above it.
  [[nodiscard]] glm::dvec3 straight_side(std::size_t k) const;
  /// The axis about which the second bone is bent against the first as they stand, counter-clockwise, so that limits
  /// let it be bent by `bend` radians; unit, world. @pre  two joints with length
  [[nodiscard]] glm::dvec3 bend_normal(double bend) const;

 private:
  [[nodiscard]] glm::dmat4 above(std::size_t k) const;
  void follow(std::size_t from);
  void aim_about(std::size_t k, std::size_t d, const glm::dvec3& own, const glm::dvec3& target, bool limits);

  const IkTree* tree_;
  const IkGoal* goal_;
  std::span<float> values_;
  std::vector<int> chain_;
  std::vector<glm::dmat4> world_;
};

}  // namespace pelt::motion
