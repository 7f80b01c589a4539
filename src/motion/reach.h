#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>

#include "motion/ik_tree.h"
#include "motion/pins.h"
#include "rig/character.h"
#include "rig/pose_builder.h"

namespace pelt::motion {

/// What of a character hangs on what, as people see it: the joints that move its skin, and the lengths between them.
/// Controls of another program, which move nothing here, are left out; all joints count where none moves a skin.
class Limbs {
 public:
  explicit Limbs(const rig::Character& character);

  /// The chain that people mean when they drag a joint, without any set-up: upwards to where another limb branches off.
  /// A hand takes the upper arm, a foot the thigh, a finger's tip the finger, the head the neck, the chest the spine. A
  /// collar bone is left out: a joint that its name calls so, or the first of four that is much shorter than the next.
  /// What has nothing to hang on, as hips have, slides with all that hangs on it.
  [[nodiscard]] ReachChain natural_chain(int joint) const;
  /// One joint more follows; at the top the root slides; then nothing changes.
  [[nodiscard]] ReachChain longer_chain(const ReachChain& chain) const;
  /// One joint fewer follows; at least one does.
  [[nodiscard]] ReachChain shorter_chain(int joint, const ReachChain& chain) const;
  /// Which joint is dragged where somebody takes hold of a bone: the nearer of its ends that its limb can move.
  /// @param child  the joint at the bone's other end, -1: none @param near_child  it was held nearer to that end
  [[nodiscard]] int dragged_joint(int joint, int child, bool near_child) const;
  /// Whether a joint ends its chain as a hand or a foot does, so that people expect it to keep its direction.
  [[nodiscard]] bool ends_limb(int joint, const ReachChain& chain) const;
  /// Hands and feet: the joints that end the long limbs, ascending.
  [[nodiscard]] std::vector<int> limb_ends() const;
  /// The joints of a chain, from its root to `joint`.
  [[nodiscard]] std::vector<int> between(int root, int joint) const;

 private:
  [[nodiscard]] float length(std::span<const int> chain) const;
  [[nodiscard]] float distance(int a, int b) const { return glm::distance(places_[a], places_[b]); }
  [[nodiscard]] bool branches(int joint, int child) const;
  [[nodiscard]] bool is_collar_bone(std::span<const int> chain) const;

  Shared<rig::Skeleton> skeleton_;
  std::vector<glm::vec3> places_;  ///< [J] in the rest pose, world
  std::vector<float> way_;         ///< [J] metres, the longest down to a joint that counts; below 0: none does
};

/// What is asked of a chain.
struct Reach {
  int joint = -1;                     ///< that is dragged
  glm::dvec3 target = glm::dvec3(0);  ///< where its origin is to be, world, metres
  ReachChain chain;                   ///< root is the joint or above it
  /// World rotation that the joint is to have, unit, where limits let it; nothing: it turns with what is above.
  std::optional<glm::dquat> direction = {};
  /// Radians that joints above turn at most for the direction's sake: in a drag it comes about over some steps, where
  /// at once would be a jump.
  double most_turn = 1e9;
  std::string_view solver = {};  ///< of ik_solvers(); empty: two bones in closed form, else damped least squares
  bool limits = true;            ///< keep to the limits of the DOFs
  int iterations = 32;           ///< at most
  std::vector<int> hold = {};    ///< joints of the chain, or below it, that are to stay where they are
};

/// Brings a joint to its target as far as chain, limits and pins allow: a pinned foot keeps the hips from going further
/// than its leg reaches. Where the pose cannot follow, residual says how far it is.
/// @param pins  those below the chain's root hold; that of the dragged joint does not
/// @returns  in metres and radians; at_limits of the chain
IkReport reach(rig::PoseBuilder& pose, const Reach& wish, std::span<const Pin> pins = {});

/// Lets every pinned joint's chain bring it to where it is pinned; one that stands there already is left alone,
/// to the bit. Shallow pins come first.
void hold_pins(rig::PoseBuilder& pose, std::span<const Pin> pins);

}  // namespace pelt::motion
