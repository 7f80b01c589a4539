// VRM Consortium, "VRMC_node_constraint-1.0": roll, aim and rotation constraint.
#include "rig/constraints.h"

#include <algorithm>
#include <cmath>

namespace pelt::rig {
namespace {

glm::dquat rest_rotation(const Skeleton& skeleton, int j) {
  return normalized_or_identity(glm::dquat(skeleton.rest[j].rotation));
}

/// The smallest rotation that takes one unit vector to another.
glm::dquat rotation_between(const glm::dvec3& from, const glm::dvec3& to) {
  const double cosine = glm::dot(from, to);
  if (cosine < -1 + 1e-12) {  // opposite: half a turn about any axis across
    const glm::dvec3 other = std::abs(from.x) < 0.6 ? glm::dvec3(1, 0, 0) : glm::dvec3(0, 1, 0);
    return glm::dquat(0.0, glm::normalize(glm::cross(from, other)));
  }
  return glm::normalize(glm::dquat(1 + cosine, glm::cross(from, to)));
}

/// The rotation of a node in the world: the product of the rotations above it, whatever their scales.
glm::dquat world_rotation(const PoseBuilder& pose, int j) {
  glm::dquat rotation(1, 0, 0, 0);
  for (; j >= 0; j = pose.skeleton().parent[j]) {
    rotation = normalized_or_identity(glm::dquat(pose.local(j).rotation)) * rotation;
  }
  return rotation;
}

/// What the source turned since its rest, in its own space.
glm::dquat source_turn(const PoseBuilder& pose, int source) {
  return glm::conjugate(rest_rotation(pose.skeleton(), source)) *
         normalized_or_identity(glm::dquat(pose.local(source).rotation));
}

/// What the joint's rotation would be with weight 1.
glm::dquat full_rotation(const NodeConstraint& constraint, PoseBuilder& pose) {
  const Skeleton& skeleton = pose.skeleton();
  const glm::dquat rest = rest_rotation(skeleton, constraint.joint);
  const glm::dvec3 axis(constraint.axis);
  switch (constraint.kind) {
    case ConstraintKind::kRoll: {
      const glm::dquat source_rest = rest_rotation(skeleton, constraint.source);
      const glm::dquat in_parent = source_rest * source_turn(pose, constraint.source) * glm::conjugate(source_rest);
      const glm::dquat in_joint = glm::conjugate(rest) * in_parent * rest;
      return rest * glm::conjugate(rotation_between(axis, glm::normalize(in_joint * axis))) * in_joint;
    }
    case ConstraintKind::kAim: {
      const int parent = skeleton.parent[constraint.joint];
      const glm::dquat above = world_rotation(pose, parent);
      const glm::dvec3 own(pose.world(constraint.joint)[3]);
      const glm::dvec3 to = glm::dvec3(pose.world(constraint.source)[3]) - own;
      const double distance = glm::length(to);
      if (!(distance > 1e-12) || !std::isfinite(distance)) {
        return rest;  // nowhere to aim
      }
      const glm::dquat turn = rotation_between(glm::normalize(above * rest * axis), to / distance);
      return glm::conjugate(above) * turn * above * rest;
    }
    case ConstraintKind::kRotation:
      break;
  }
  return rest * source_turn(pose, constraint.source);
}

/// For each constraint those that must be applied before it.
std::vector<std::vector<int>> needs_of(const Skeleton& skeleton, std::span<const NodeConstraint> constraints) {
  std::vector<int> constraint_of(skeleton.parent.size(), -1);
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    constraint_of[constraints[c].joint] = static_cast<int>(c);
  }
  std::vector<std::vector<int>> needs(constraints.size());
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    const auto need = [&](int j) {
      if (constraint_of[j] >= 0) {
        needs[c].push_back(constraint_of[j]);
      }
    };
    if (constraints[c].kind != ConstraintKind::kAim) {
      need(constraints[c].source);
      continue;
    }
    for (const int moved : {constraints[c].source, constraints[c].joint}) {
      for (int j = skeleton.parent[moved]; j >= 0; j = skeleton.parent[j]) {
        need(j);
      }
    }
  }
  return needs;
}

}  // namespace

std::vector<int> constraint_order(const Skeleton& skeleton, std::span<const NodeConstraint> constraints) {
  const std::vector<std::vector<int>> needs = needs_of(skeleton, constraints);
  // Depth first with a stack of its own: files may chain more constraints than calls can nest.
  enum class Mark : char { kNew, kOpen, kDone, kLost };
  std::vector<Mark> marks(constraints.size(), Mark::kNew);
  std::vector<int> order;
  std::vector<std::pair<std::size_t, std::size_t>> stack;  // constraint, how many of its needs were looked at
  for (std::size_t first = 0; first < constraints.size(); ++first) {
    if (marks[first] == Mark::kNew) {
      marks[first] = Mark::kOpen;
      stack.emplace_back(first, 0);
    }
    while (!stack.empty()) {
      auto& [c, next] = stack.back();
      if (next < needs[c].size()) {
        const std::size_t needed = needs[c][next++];
        if (marks[needed] == Mark::kNew) {
          marks[needed] = Mark::kOpen;
          stack.emplace_back(needed, 0);
        }
        continue;
      }
      bool sound = true;
      for (const int needed : needs[c]) {
        sound = sound && marks[needed] == Mark::kDone;
      }
      marks[c] = sound ? Mark::kDone : Mark::kLost;
      if (sound) {
        order.push_back(static_cast<int>(c));
      }
      stack.pop_back();
    }
  }
  return order;
}

std::vector<std::vector<int>> constraint_cycles(const Skeleton& skeleton, std::span<const NodeConstraint> constraints) {
  const std::vector<std::vector<int>> needs = needs_of(skeleton, constraints);
  std::vector<char> sound(constraints.size(), 0);
  for (const int c : constraint_order(skeleton, constraints)) {
    sound[c] = 1;
  }
  // Each that has no order waits for another that has none, so that the way from one to the next runs into a cycle.
  std::vector<int> next(constraints.size(), -1);
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    if (sound[c] == 0) {
      next[c] = *std::ranges::find_if(needs[c], [&](int need) { return sound[need] == 0; });
    }
  }
  std::vector<std::vector<int>> cycles(constraints.size());
  std::vector<std::size_t> walked(constraints.size(), constraints.size());  // from which constraint last
  for (std::size_t first = 0; first < constraints.size(); ++first) {
    std::vector<int> path;
    int c = sound[first] == 0 ? static_cast<int>(first) : -1;
    for (; c >= 0 && walked[c] != first; c = next[c]) {
      walked[c] = first;
      path.push_back(c);
    }
    for (auto on = std::ranges::find(path, c); on != path.end(); ++on) {
      cycles[first].push_back(constraints[*on].joint);
    }
  }
  return cycles;
}

void apply_constraints(std::span<const NodeConstraint> constraints, PoseBuilder& pose) {
  for (const NodeConstraint& constraint : constraints) {
    const glm::dquat rest = rest_rotation(pose.skeleton(), constraint.joint);
    Transform local = pose.local(constraint.joint);
    local.rotation =
        glm::quat(slerp_shortest(rest, full_rotation(constraint, pose), static_cast<double>(constraint.weight)));
    pose.set_local(constraint.joint, local);
  }
}

void apply_constraints(const Skeleton& skeleton, std::span<const NodeConstraint> constraints, Pose& pose) {
  if (!constraints.empty()) {
    PoseBuilder builder(skeleton, pose);
    apply_constraints(constraints, builder);
  }
}

}  // namespace pelt::rig
