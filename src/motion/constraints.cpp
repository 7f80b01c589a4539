// Constraints of a document. Roll, aim and rotation: VRM Consortium, "VRMC_node_constraint-1.0"; the others are ours.
#include "motion/constraints.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/text.h"
#include "math/transform.h"
#include "motion/controls.h"
#include "rig/clip.h"
#include "rig/constraints.h"

namespace pelt::motion {
namespace {

constexpr std::array kConstraintKinds = {
    ConstraintKindInfo{.kind = ConstraintKind::kPosition,
                       .id = "position",
                       .label = "Position",
                       .help = "Its place in the world is that of the target",
                       .has_axes = true},
    ConstraintKindInfo{.kind = ConstraintKind::kParent,
                       .id = "parent",
                       .label = "Parent",
                       .help = "It moves as if it were fixed to the target"},
    ConstraintKindInfo{.kind = ConstraintKind::kRotation,
                       .id = "rotation",
                       .label = "Rotation",
                       .help = "It turns from its rest as the target does from its own"},
    ConstraintKindInfo{.kind = ConstraintKind::kRoll,
                       .id = "roll",
                       .label = "Roll",
                       .help = "It turns about one axis as the target does",
                       .has_axis = true},
    ConstraintKindInfo{.kind = ConstraintKind::kAim,
                       .id = "aim",
                       .label = "Aim",
                       .help = "An axis of it points at the target",
                       .has_axis = true},
    ConstraintKindInfo{.kind = ConstraintKind::kFloor,
                       .id = "floor",
                       .label = "Floor",
                       .help = "It stays above a plane across the world's y axis",
                       .has_target = false},
};

bool follows_local(ConstraintKind kind) {
  return kind == ConstraintKind::kRotation || kind == ConstraintKind::kRoll;
}

// Whether one has to be applied before the other: it moves what the other reads.
bool comes_before(const rig::Skeleton& skeleton, const ConstraintRig::Row& first, const ConstraintRig::Row& second) {
  if (follows_local(second.says.kind)) {
    return second.target == first.joint;
  }
  const bool moves_target = second.target >= 0 && skeleton.is_within(second.target, first.joint);
  return moves_target || (first.joint != second.joint && skeleton.is_within(second.joint, first.joint));
}

std::string cycle_text(const rig::Skeleton& skeleton, std::span<const ConstraintRig::Row> rows,
                       std::span<const int> cycle) {
  std::string out;
  for (const int row : cycle) {
    out += printable(skeleton.label(rows[static_cast<std::size_t>(row)].joint), 40) + " -> ";
  }
  return out + printable(skeleton.label(rows[static_cast<std::size_t>(cycle.front())].joint), 40);
}

// World matrix of what carries the joint.
glm::dmat4 world_above(int joint, rig::PoseBuilder& pose) {
  const int parent = pose.skeleton().parent[static_cast<std::size_t>(joint)];
  return parent < 0 ? glm::dmat4(1.0) : pose.world(parent);
}

void set_place(int joint, const glm::dvec3& place, rig::PoseBuilder& pose) {
  const glm::dmat4 above = world_above(joint, pose);
  const glm::dvec3 in_parent = glm::dvec3(glm::inverse(above) * glm::dvec4(place, 1));
  if (!std::isfinite(in_parent.x + in_parent.y + in_parent.z)) {
    return;  // a parent that is scaled to nothing has no inside
  }
  Transform local = pose.local(joint);
  local.translation = glm::vec3(in_parent);
  pose.set_local(joint, local);
}

void apply_position(const ConstraintRig::Row& row, rig::PoseBuilder& pose) {
  const glm::dvec3 own(pose.world(row.joint)[3]);
  const glm::dvec3 wanted = glm::dvec3(pose.world(row.target)[3]) + glm::dvec3(row.says.offset.translation);
  glm::dvec3 place = own;
  for (int i = 0; i < 3; ++i) {
    if (row.says.axes[static_cast<std::size_t>(i)]) {
      place[i] = own[i] + (wanted[i] - own[i]) * static_cast<double>(row.says.weight);
    }
  }
  set_place(row.joint, place, pose);
}

void apply_parent(const ConstraintRig::Row& row, rig::PoseBuilder& pose) {
  const glm::dmat4 above = world_above(row.joint, pose);
  const glm::dmat4 wanted = pose.world(row.target) * glm::dmat4(to_matrix(row.says.offset));
  const glm::dmat4 in_parent = glm::inverse(above) * wanted;
  if (!std::isfinite(in_parent[3].x + in_parent[0].x)) {
    return;
  }
  const Transform to = decompose(glm::mat4(in_parent)).transform;
  const Transform from = pose.local(row.joint);
  const float share = row.says.weight;
  if (share >= 1) {
    pose.set_local(row.joint, to);
    return;
  }
  pose.set_local(
      row.joint,
      {glm::mix(from.translation, to.translation, share),
       glm::quat(rig::slerp_shortest(glm::dquat(from.rotation), glm::dquat(to.rotation), static_cast<double>(share))),
       glm::mix(from.scale, to.scale, share)});
}

// Those that a VRM file may have, too; here a share is that of the pose as it is.
void apply_as_in_files(const ConstraintRig::Row& row, rig::PoseBuilder& pose) {
  const rig::ConstraintKind kind = row.says.kind == ConstraintKind::kRoll  ? rig::ConstraintKind::kRoll
                                   : row.says.kind == ConstraintKind::kAim ? rig::ConstraintKind::kAim
                                                                           : rig::ConstraintKind::kRotation;
  const rig::NodeConstraint whole{kind, row.joint, row.target, row.says.axis, 1};
  const glm::quat from = pose.local(row.joint).rotation;
  rig::apply_constraints(std::span(&whole, 1), pose);
  if (row.says.weight < 1) {
    Transform local = pose.local(row.joint);
    local.rotation = glm::quat(
        rig::slerp_shortest(glm::dquat(from), glm::dquat(local.rotation), static_cast<double>(row.says.weight)));
    pose.set_local(row.joint, local);
  }
}

void apply_floor(const ConstraintRig::Row& row, rig::PoseBuilder& pose) {
  glm::dvec3 place(pose.world(row.joint)[3]);
  const double below = static_cast<double>(row.says.height) - place.y;
  if (below > 0) {
    place.y += below * static_cast<double>(row.says.weight);
    set_place(row.joint, place, pose);
  }
}

}  // namespace

std::span<const ConstraintKindInfo> constraint_kinds() {
  return kConstraintKinds;
}

ConstraintRig make_constraint_rig(const rig::Character& character, std::span<const Constraint> constraints) {
  const rig::Skeleton& skeleton = character.skeleton;
  ConstraintRig out;
  out.faults.resize(constraints.size());
  std::vector<ConstraintRig::Row> found;
  std::vector<std::size_t> number;  // of each found one in the list
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    const Constraint& constraint = constraints[c];
    const bool has_target = kConstraintKinds[static_cast<std::size_t>(constraint.kind)].has_target;
    const Result<int> joint = find_named_joint(character, constraint.joint);
    const Result<int> target = has_target ? find_named_joint(character, constraint.target) : Result<int>(-1);
    if (!joint || !target) {
      out.faults[c] = joint ? target.error().message : joint.error().message;
    } else if (*joint == *target) {
      out.faults[c] = fmt::format("it follows itself: {0} -> {0}", printable(skeleton.label(*joint), 40));
    } else if (has_target && !follows_local(constraint.kind) && skeleton.is_within(*target, *joint)) {
      out.faults[c] = fmt::format("it follows a joint that it carries: {0} -> {1} -> {0}",
                                  printable(skeleton.label(*joint), 40), printable(skeleton.label(*target), 40));
    } else if (constraint.on) {
      found.push_back({constraint, *joint, *target});
      number.push_back(c);
    }
  }
  // The first that waits for none is next, so that their own order stays where nothing speaks against it.
  std::vector<char> done(found.size(), 0);
  const auto waits_for = [&](std::size_t c) {
    for (std::size_t other = 0; other < found.size(); ++other) {
      const bool same_joint_before = other < c && found[other].joint == found[c].joint;
      if (other != c && done[other] == 0 && (same_joint_before || comes_before(skeleton, found[other], found[c]))) {
        return static_cast<int>(other);
      }
    }
    return -1;
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t c = 0; c < found.size(); ++c) {
      if (done[c] == 0 && waits_for(c) < 0) {
        done[c] = 1;
        out.rows.push_back(found[c]);
        moved = true;
        break;
      }
    }
  }
  for (std::size_t c = 0; c < found.size(); ++c) {
    if (done[c] != 0) {
      continue;
    }
    std::vector<int> path = {static_cast<int>(c)};
    while (true) {
      const int next = waits_for(static_cast<std::size_t>(path.back()));
      const auto on = std::ranges::find(path, next);
      path.erase(path.begin(), on == path.end() ? path.begin() : on);
      if (on != path.end() && !path.empty() && path.front() == next) {
        break;
      }
      path.push_back(next);
    }
    out.faults[number[c]] = fmt::format("joints that follow each other: {}", cycle_text(skeleton, found, path));
  }
  return out;
}

Transform kept_offset(ConstraintKind kind, int joint, int target, rig::PoseBuilder& pose) {
  if (target < 0) {
    return {};
  }
  const glm::dmat4 of_target = pose.world(target);
  const glm::dmat4 own = pose.world(joint);
  if (kind == ConstraintKind::kPosition) {
    return {.translation = glm::vec3(own[3] - of_target[3])};
  }
  return kind == ConstraintKind::kParent ? decompose(glm::mat4(glm::inverse(of_target) * own)).transform : Transform();
}

void apply_constraint_rig(const ConstraintRig& constraints, rig::PoseBuilder& pose) {
  for (const ConstraintRig::Row& row : constraints.rows) {
    if (!(row.says.weight > 0)) {
      continue;
    }
    switch (row.says.kind) {
      case ConstraintKind::kPosition:
        apply_position(row, pose);
        break;
      case ConstraintKind::kParent:
        apply_parent(row, pose);
        break;
      case ConstraintKind::kFloor:
        apply_floor(row, pose);
        break;
      default:
        apply_as_in_files(row, pose);
    }
  }
}

}  // namespace pelt::motion
