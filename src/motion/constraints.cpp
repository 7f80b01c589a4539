// Constraints of a document. Roll, aim and rotation: VRM Consortium, "VRMC_node_constraint-1.0"; the others are ours.
#include "motion/constraints.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

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
  constexpr std::size_t kMostNamed = 12;
  std::string out;
  for (const int row : cycle.first(std::min(cycle.size(), kMostNamed))) {
    out += printable(skeleton.label(rows[static_cast<std::size_t>(row)].joint), 40) + " -> ";
  }
  if (cycle.size() > kMostNamed) {
    out += fmt::format("{} more -> ", cycle.size() - kMostNamed);
  }
  return out + printable(skeleton.label(rows[static_cast<std::size_t>(cycle.front())].joint), 40);
}

// Which rows wait for which, and an order in which none waits any more.
class ConstraintOrder {
 public:
  ConstraintOrder(const rig::Skeleton& skeleton, std::span<const ConstraintRig::Row> rows)
      : before_(rows.size()), behind_(rows.size()), waiting_(rows.size(), 0) {
    for (std::size_t c = 0; c < rows.size(); ++c) {
      for (std::size_t other = 0; other < rows.size(); ++other) {
        const bool same_joint_before = other < c && rows[other].joint == rows[c].joint;
        if (other != c && (same_joint_before || comes_before(skeleton, rows[other], rows[c]))) {
          before_[c].push_back(other);
          behind_[other].push_back(c);
        }
      }
      waiting_[c] = before_[c].size();
    }
    // The first that waits for none is next, so that their own order stays where nothing speaks against it.
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t c = 0; c < rows.size(); ++c) {
      if (waiting_[c] == 0) {
        ready.push(c);
      }
    }
    while (!ready.empty()) {
      const std::size_t row = ready.top();
      ready.pop();
      order_.push_back(row);
      for (const std::size_t next : behind_[row]) {
        if (--waiting_[next] == 0) {
          ready.push(next);
        }
      }
    }
  }

  /// Rows that wait for no cycle.
  [[nodiscard]] const std::vector<std::size_t>& order() const { return order_; }
  /// Rows of which each waits for the next and the last for the first, for which `row` waits; none: it is in the order.
  [[nodiscard]] std::vector<int> cycle_behind(std::size_t row) const {
    if (waiting_[row] == 0) {
      return {};
    }
    std::vector<int> path;
    std::vector<int> place(before_.size(), -1);  // on the path
    while (place[row] < 0) {
      place[row] = static_cast<int>(path.size());
      path.push_back(static_cast<int>(row));
      row = *std::ranges::find_if(before_[row], [&](std::size_t other) { return waiting_[other] > 0; });
    }
    path.erase(path.begin(), path.begin() + place[row]);
    return path;
  }

 private:
  std::vector<std::vector<std::size_t>> before_;
  std::vector<std::vector<std::size_t>> behind_;
  std::vector<std::size_t> waiting_;  // for so many
  std::vector<std::size_t> order_;
};

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

// The same transform with signs of its scale that are those of another one, as far as can be: where two axes are
// turned over, that is half a turn about the third. What is mixed with the other then does not go through nothing.
Transform with_signs_of(const glm::vec3& scale, const Transform& transform) {
  const auto alike = [&](int kept) {  // axes with equal signs, where all but `kept` are turned over; -1: none is
    int count = 0;
    for (int i = 0; i < 3; ++i) {
      const float now = kept < 0 || i == kept ? transform.scale[i] : -transform.scale[i];
      count += now * scale[i] >= 0 ? 1 : 0;
    }
    return count;
  };
  int best = -1;
  for (int axis = 0; axis < 3; ++axis) {
    best = alike(axis) > alike(best) ? axis : best;
  }
  if (best < 0) {
    return transform;
  }
  glm::vec3 axis(0.0f);
  axis[best] = 1;
  Transform out = transform;
  out.rotation = transform.rotation * glm::quat(0, axis);
  for (int i = 0; i < 3; ++i) {
    out.scale[i] = i == best ? transform.scale[i] : -transform.scale[i];
  }
  return out;
}

void apply_parent(const ConstraintRig::Row& row, rig::PoseBuilder& pose) {
  const glm::dmat4 above = world_above(row.joint, pose);
  const glm::dmat4 wanted = pose.world(row.target) * glm::dmat4(to_matrix(row.says.offset));
  const glm::dmat4 in_parent = glm::inverse(above) * wanted;
  if (!std::isfinite(in_parent[3].x + in_parent[0].x)) {
    return;
  }
  const Transform from = pose.local(row.joint);
  const Transform to = with_signs_of(from.scale, decompose(glm::mat4(in_parent)).transform);
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
  const ConstraintOrder order(skeleton, found);
  for (const std::size_t row : order.order()) {
    out.rows.push_back(found[row]);
  }
  for (std::size_t c = 0; c < found.size(); ++c) {
    if (const std::vector<int> cycle = order.cycle_behind(c); !cycle.empty()) {
      out.faults[number[c]] = fmt::format("joints that follow each other: {}", cycle_text(skeleton, found, cycle));
    }
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
  if (kind != ConstraintKind::kParent) {
    return {};
  }
  const glm::mat4 seen(glm::inverse(of_target) * own);
  // A sum is finite where all numbers are, but for those at the edge of what single precision holds.
  const glm::vec4 sum = seen[0] + seen[1] + seen[2] + seen[3];
  return std::isfinite(sum.x + sum.y + sum.z + sum.w)
             ? decompose(seen).transform
             : Transform{.translation = glm::vec3(std::numeric_limits<float>::quiet_NaN())};
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
