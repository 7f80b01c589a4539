#include "motion/ik_chain_state.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/transform.h"
#include "motion/ik_solvers.h"

namespace pelt::motion {
namespace {

// Any unit vector perpendicular to a direction.
glm::dvec3 perpendicular(const glm::dvec3& d) {
  const glm::dvec3 axis = std::abs(d.x) < 0.5 * glm::length(d) ? glm::dvec3(1, 0, 0) : glm::dvec3(0, 1, 0);
  return glm::normalize(glm::cross(d, axis));
}

bool turns_freely(const rig::JointDofs& joint) {
  return joint.count(rig::DofKind::kRotation) == 3;
}

// The value, or one whole turn from it, within the limits of a DOF; else the nearer limit.
float within(const rig::Dof& dof, double value) {
  constexpr double kTurn = 2 * std::numbers::pi;
  for (const double other : {value, value - kTurn, value + kTurn}) {
    if (other >= dof.lower && other <= dof.upper) {
      return static_cast<float>(other);
    }
  }
  return std::clamp(static_cast<float>(value), dof.lower, dof.upper);
}

}  // namespace

ChainState::ChainState(const IkTree& tree, const IkGoal& goal, std::span<float> values)
    : tree_(&tree), goal_(&goal), values_(values), chain_(chain_to(tree, goal.joint)), world_(chain_.size()) {
  follow(0);
}

glm::dmat4 ChainState::above(std::size_t k) const {
  return (k == 0 ? tree_->root_world : world_[k - 1]) * tree_->joints[chain_[k]].place;
}

void ChainState::follow(std::size_t from) {
  for (std::size_t k = from; k < chain_.size(); ++k) {
    world_[k] = above(k) * ik_matrix(*tree_, chain_[k], values_);
  }
}

void ChainState::aim(std::size_t k, const glm::dvec3& moving, const glm::dvec3& target, bool limits) {
  const rig::JointDofs& dofs = tree_->joints[chain_[k]].dofs;
  const glm::dvec3 pivot = point(k);
  const glm::dvec3 own(glm::inverse(world_[k]) * glm::dvec4(moving, 1));  // the point goes on with the joint
  if (turns_freely(dofs)) {
    const bool is_there =
        turn_joint(*tree_, chain_[k], shortest_rotation(moving - pivot, target - pivot), above(k), limits, values_);
    follow(k);
    if (is_there || dofs.rotation == rig::RotationKind::kRotationVector) {
      return;
    }
  }
  // What limits have left of it, and joints with fewer axes: about one axis after the other, the last applied first.
  for (std::size_t d = dofs.dofs.size(); d-- > 0;) {
    if (dofs.dofs[d].kind == rig::DofKind::kRotation) {
      aim_about(k, d, own, target, limits);
    }
  }
}

void ChainState::aim_about(std::size_t k, std::size_t d, const glm::dvec3& own, const glm::dvec3& target, bool limits) {
  const IkJoint& joint = tree_->joints[chain_[k]];
  const glm::dvec3 pivot = point(k);
  const glm::dvec3 moving(world_[k] * glm::dvec4(own, 1));
  const glm::dvec3 axis = axis_in_world(*tree_, chain_[k], d, above(k), values_);
  const glm::dvec3 from = (moving - pivot) - axis * glm::dot(axis, moving - pivot);
  const glm::dvec3 to = (target - pivot) - axis * glm::dot(axis, target - pivot);
  if (!(glm::length(from) > 0 && glm::length(to) > 0)) {
    return;
  }
  const double angle = std::atan2(glm::dot(axis, glm::cross(from, to)), glm::dot(from, to));
  float& value = values_[joint.first + d];
  value = limits ? within(joint.dofs.dofs[d], value + angle) : static_cast<float>(value + angle);
  if (limits && joint.dofs.swing_limit) {
    rig::clamp_to_limits(joint.dofs, values_.subspan(joint.first, joint.dofs.dofs.size()));
  }
  follow(k);
}

void ChainState::leave_line(const IkSettings& settings) {
  const glm::dvec3 root = point(0);
  const glm::dvec3 line = goal_->target - root;
  const double distance = glm::length(line);
  const glm::dvec3 direction = distance > 0 ? line / distance : effector() - root;
  if (chain_.size() < 2 || !(glm::length(direction) > 0)) {
    return;
  }
  const glm::dvec3 unit = glm::normalize(direction);
  const auto off_line = [&](const glm::dvec3& p) { return glm::length((p - root) - unit * glm::dot(unit, p - root)); };
  double most = off_line(effector());
  for (std::size_t k = 1; k < chain_.size(); ++k) {
    most = std::max(most, off_line(point(k)));
  }
  constexpr double kStraight = 1e-7;  // of the length
  if (most > kStraight * tree_->length || glm::length(effector() - goal_->target) < kStraight * tree_->length) {
    return;
  }
  glm::dvec3 side = perpendicular(unit);
  if (settings.pole) {
    const glm::dvec3 wish = (*settings.pole - root) - unit * glm::dot(unit, *settings.pole - root);
    side = glm::length(wish) > 0 ? glm::normalize(wish) : side;
  }
  // A hinge turns to one side alone: whichever of two lets it move.
  constexpr double kBend = 0.02;  // of the length
  const glm::dvec3 before = effector();
  for (const glm::dvec3& s : {side, -side, glm::cross(unit, side), -glm::cross(unit, side)}) {
    aim(1, effector(), effector() + s * (kBend * tree_->length), settings.limits);
    if (glm::length(effector() - before) > kStraight * tree_->length) {
      return;
    }
  }
}

glm::dvec3 ChainState::straight_side(std::size_t k) const {
  const IkJoint& joint = tree_->joints[chain_[k]];
  const glm::dvec3 bone = point(k) - point(k - 1);
  const glm::dvec3 unit = glm::length(bone) > 0 ? glm::normalize(bone) : glm::dvec3(1, 0, 0);
  glm::dvec3 best = perpendicular(unit);
  double widest = 0;
  for (std::size_t d = 0; d < joint.dofs.dofs.size(); ++d) {
    const rig::Dof& dof = joint.dofs.dofs[d];
    if (dof.kind != rig::DofKind::kRotation) {
      continue;
    }
    const glm::dvec3 axis = axis_in_world(*tree_, chain_[k], d, above(k), values_);
    const double room_up = dof.upper - values_[joint.first + d];
    const double room_down = values_[joint.first + d] - dof.lower;
    const glm::dvec3 across = glm::cross(axis, unit);
    const double room = std::max(room_up, room_down) * glm::length(across);
    if (room > widest * (1 + 1e-6) && glm::length(across) > 1e-3) {
      widest = room;
      best = glm::normalize(room_up >= room_down ? -across : across);
    }
  }
  return best;
}

glm::dvec3 ChainState::bend_normal(double bend) const {
  const glm::dvec3 first = glm::normalize(point(1) - point(0));
  const glm::dvec3 second = effector() - point(1);
  const glm::dvec3 bent = glm::cross(first, second);
  const glm::dvec3 normal =
      glm::length(bent) > 1e-6 * tree_->length ? glm::normalize(bent) : glm::cross(straight_side(1), first);
  const IkJoint& joint = tree_->joints[chain_[1]];
  if (joint.dofs.count(rig::DofKind::kRotation) != 1) {
    return normal;
  }
  // A hinge bends about its axis alone, and to the side that its limits allow; where they allow both, to the side to
  // which it is bent.
  const auto hinge = std::ranges::find(joint.dofs.dofs, rig::DofKind::kRotation, &rig::Dof::kind);
  const std::size_t d = hinge - joint.dofs.dofs.begin();
  const glm::dvec3 axis = axis_in_world(*tree_, chain_[1], d, above(1), values_);
  const glm::dvec3 across = axis - first * glm::dot(axis, first);
  if (!(glm::length(across) > 1e-3)) {
    return normal;
  }
  const double now =
      std::atan2(glm::dot(axis, bent), glm::dot(first, second) - glm::dot(axis, first) * glm::dot(axis, second));
  const auto excess = [&](double sign) {
    const double value = values_[joint.first + d] + sign * bend - now;
    return std::max({0.0, hinge->lower - value, value - hinge->upper});
  };
  const double likely = glm::dot(across, normal) < 0 ? -1 : 1;
  constexpr double kSlack = 1e-6;
  return glm::normalize(across) * (excess(likely) <= excess(-likely) + kSlack ? likely : -likely);
}

void ChainState::place_two_bones(const glm::dvec3& middle, const glm::dvec3& tip, const glm::dvec3& normal,
                                 bool limits) {
  const auto frame = [](const glm::dvec3& bone, const glm::dvec3& axis) {
    const glm::dvec3 x = glm::normalize(bone);
    const glm::dvec3 z = glm::normalize(axis - x * glm::dot(x, axis));
    return glm::dmat3(x, glm::cross(z, x), z);
  };
  const glm::dvec3 upper = glm::normalize(middle - point(0));
  const glm::dvec3 lower = tip - middle;
  const double bend = std::atan2(glm::length(glm::cross(upper, lower)), glm::dot(upper, lower));
  const glm::dmat3 before = frame(point(1) - point(0), bend_normal(bend));
  const glm::dmat3 after = frame(middle - point(0), normal);
  turn_joint(*tree_, chain_[0], glm::normalize(glm::quat_cast(after * glm::transpose(before))), above(0), limits,
             values_);
  follow(0);
  aim(1, effector(), tip, limits);
}

}  // namespace pelt::motion
