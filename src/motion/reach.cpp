// Dragging a joint without any set-up, ALGORITHMS.md §46.
#include "motion/reach.h"

#include <algorithm>
#include <cmath>

#include "core/expect.h"
#include "core/index.h"
#include "math/transform.h"
#include "motion/ik_chain_state.h"
#include "motion/ik_solvers.h"
#include "rig/dofs.h"
#include "rig/joint_names.h"

namespace pelt::motion {
namespace {

constexpr double kThere = 1e-6;  // of a chain's length: a pin that is so close is left alone

IkGoal goal_for(const IkTree& tree, int joint, const glm::dvec3& target, double weight = 1) {
  return {.joint = find_joint(tree, joint), .target = target, .weight = weight};
}

// Turns a joint of a solved tree as it should look; tells whether its limits let it.
bool turn_to(const IkTree& tree, int joint, const glm::dquat& rotation, bool limits, std::span<float> values) {
  const int i = find_joint(tree, joint);
  std::vector<glm::dmat4> world(tree.joints.size());
  ik_world(tree, values, world);
  const IkJoint& at = tree.joints[i];
  const glm::dmat4 above = (at.parent < 0 ? tree.root_world : world[at.parent]) * at.place;
  return turn_joint(tree, i, rotation * glm::conjugate(rotation_of(world[i])), above, limits, values);
}

bool has_two_bones(const IkTree& tree, std::span<const float> values, int joint) {
  const std::vector<int> chain = chain_to(tree, find_joint(tree, joint));
  if (chain.size() != 3) {
    return false;
  }
  std::vector<glm::dmat4> world(tree.joints.size());
  ik_world(tree, values, world);
  return glm::length(glm::dvec3(world[chain[1]][3] - world[chain[0]][3])) > 0 &&
         glm::length(glm::dvec3(world[chain[2]][3] - world[chain[1]][3])) > 0;
}

// One goal without a solver that somebody chose: the closed form, and steps from there where limits are in its way.
IkReport solve_one(const IkTree& tree, const IkGoal& goal, IkSettings settings, std::span<float> values) {
  const IkSolver& damped = *find_ik_solver("damped");
  if (has_two_bones(tree, values, tree.joints[goal.joint].joint) && !tree.joints.front().slides) {
    const std::vector<float> before(values.begin(), values.end());
    const IkReport report = find_ik_solver("two-bone")->solve(tree, {&goal, 1}, settings, values);
    if (report.converged) {
      return report;
    }
    const IkReport further = damped.solve(tree, {&goal, 1}, settings, values);
    if (further.residual <= report.residual) {
      return further;
    }
    std::ranges::copy(before, values.begin());
  }
  ChainState(tree, goal, values).leave_line(settings);
  return damped.solve(tree, {&goal, 1}, settings, values);
}

IkReport solve(const IkTree& tree, std::span<const IkGoal> goals, const Reach& wish, const IkSettings& settings,
               std::span<float> values) {
  if (goals.size() > 1) {
    for (const IkGoal& goal : goals) {
      ChainState(tree, goal, values).leave_line(settings);
    }
    return find_ik_solver("damped")->solve(tree, goals, settings, values);
  }
  const IkSolver* const solver = find_ik_solver(wish.solver);
  if (solver != nullptr && (solver->bones == 0 || has_two_bones(tree, values, wish.joint))) {
    return solver->solve(tree, goals, settings, values);
  }
  return solve_one(tree, goals[0], settings, values);
}

// Goals with the first one's direction, which its joint alone cannot take; `values` become a solution again in which
// the joints above help.
IkReport help_to_turn(const IkTree& tree, std::vector<IkGoal> goals, const Reach& wish, const IkSettings& settings,
                      std::span<float> values) {
  std::vector<float> helping = tree.values;
  goals[0].orientation = wish.direction;
  IkReport report = find_ik_solver("damped")->solve(tree, goals, settings, helping);
  double most = 0;
  for (std::size_t i = 0; i < tree.joints.size(); ++i) {
    const IkJoint& joint = tree.joints[i];
    for (std::size_t d = 0; d < joint.dofs.dofs.size() && joint.joint != wish.joint; ++d) {
      const bool turns = joint.dofs.dofs[d].kind == rig::DofKind::kRotation;
      const double change = double{helping[joint.first + d]} - tree.values[joint.first + d];
      most = turns ? std::max(most, std::abs(change)) : most;
    }
  }
  const bool at_once = most <= wish.most_turn;
  const auto share = static_cast<float>(at_once ? 1.0 : wish.most_turn / most);
  for (std::size_t v = 0; v < values.size(); ++v) {
    values[v] = tree.values[v] + (helping[v] - tree.values[v]) * share;
  }
  if (!report.converged || !at_once) {
    goals[0].orientation.reset();
    report = solve(tree, goals, wish, settings, values);  // the place counts most
    turn_to(tree, wish.joint, *wish.direction, wish.limits, values);
  }
  return report;
}

bool is_there(rig::PoseBuilder& pose, const Pin& pin, double length) {
  const glm::dmat4& world = pose.world(pin.joint);
  const glm::dquat off = glm::dquat(pin.rotation) * glm::conjugate(rotation_of(world));
  return glm::length(glm::dvec3(world[3]) - glm::dvec3(pin.position)) <= kThere * length &&
         glm::length(rotation_vector(off)) <= kThere;
}

void hold(rig::PoseBuilder& pose, const Pin& pin) {
  const ReachChain& chain = pin.chain;
  const int tips[] = {pin.joint};
  const IkTree tree = make_ik_tree(pose, chain.root, tips, chain.root_slides);
  if (is_there(pose, pin, tree.length)) {
    return;
  }
  std::vector<float> values = tree.values;
  const IkGoal goal = goal_for(tree, pin.joint, pin.position);
  IkSettings settings;
  settings.tolerance = kThere;
  if (chain.root != pin.joint || chain.root_slides) {
    solve_one(tree, goal, settings, values);
  }
  turn_to(tree, pin.joint, pin.rotation, settings.limits, values);
  apply_ik(tree, values, pose);
}

// The largest distance of a pinned joint from where it is pinned.
double off_pins(rig::PoseBuilder& pose, std::span<const Pin> pins) {
  double most = 0;
  for (const Pin& pin : pins) {
    most = std::max(most, glm::length(glm::dvec3(pose.world(pin.joint)[3]) - glm::dvec3(pin.position)));
  }
  return most;
}

std::vector<Pin> pins_below(const rig::Skeleton& skeleton, const Reach& wish, std::span<const Pin> pins,
                            rig::PoseBuilder& pose) {
  std::vector<Pin> out;
  for (const Pin& pin : pins) {
    if (pin.joint != wish.joint && skeleton.is_within(pin.joint, wish.chain.root)) {
      out.push_back(pin);
    }
  }
  for (const int joint : wish.hold) {
    const glm::dmat4& world = pose.world(joint);
    out.push_back({joint, wish.chain, glm::vec3(world[3]), glm::quat(rotation_of(world))});
  }
  return out;
}

// A body goes where it is dragged, as far as what is pinned of it reaches.
IkReport slide(rig::PoseBuilder& pose, const Reach& wish, std::span<const Pin> pins) {
  const Transform start = pose.local(wish.joint);
  const int parent = pose.skeleton().parent[wish.joint];
  const glm::dmat4 above = parent >= 0 ? pose.world(parent) : glm::dmat4(1);
  const glm::dvec3 from(pose.world(wish.joint)[3]);
  const rig::Pose before = pose.pose();
  const auto go = [&](double share) {
    pose.edit() = before;
    Transform local = start;
    const glm::dvec3 step = glm::inverse(glm::dmat3(above)) * ((wish.target - from) * share);
    local.translation = glm::vec3(glm::dvec3(start.translation) + step);
    if (wish.limits) {
      const rig::JointDofs& dofs = pose.skeleton().dofs[wish.joint];
      std::vector<float> values = rig::dofs_from_local(dofs, local);
      rig::clamp_to_limits(dofs, values);
      local.translation = dofs.authored ? rig::local_from_dofs(dofs, values).translation : local.translation;
    }
    pose.set_local(wish.joint, local);
    hold_pins(pose, pins);
    return off_pins(pose, pins);
  };
  pose.edit();
  const double worst = off_pins(pose, pins);
  const double allowed = std::max(worst, 1e-4 * std::max(1e-6, glm::length(wish.target - from)));
  double share = 1;
  if (go(1) > allowed) {
    double low = 0;
    double high = 1;
    for (int i = 0; i < 12; ++i) {
      share = 0.5 * (low + high);
      (go(share) > allowed ? high : low) = share;
    }
    go(low);
  }
  IkReport report;
  report.residual = glm::length(glm::dvec3(pose.world(wish.joint)[3]) - wish.target);
  report.converged = report.residual <= allowed;
  report.iterations = 1;
  return report;
}

}  // namespace

Limbs::Limbs(const rig::Character& character)
    : skeleton_(character.skeleton), places_(skeleton_->size()), way_(skeleton_->size(), -1.0f) {
  rig::Pose rest = rig::rest_pose(character);
  rig::PoseBuilder builder(skeleton_, rest);
  for (int j = 0; j < skeleton_->size(); ++j) {
    places_[j] = glm::vec3(builder.world(j)[3]);
  }
  std::vector<char> counts = rig::deforming_joints(character);
  if (std::ranges::find(counts, 1) == counts.end()) {
    counts.assign(skeleton_->size(), 1);
  }
  for (int j = skeleton_->size(); j-- > 0;) {
    way_[j] = std::max(way_[j], counts[j] != 0 ? 0.0f : -1.0f);
    if (const int parent = skeleton_->parent[j]; parent >= 0 && way_[j] >= 0) {
      way_[parent] = std::max(way_[parent], way_[j] + distance(j, parent));
    }
  }
}

// Whether a joint has a limb beside the one that leads to `child`: not a twist joint, a hat or a weapon.
bool Limbs::branches(int joint, int child) const {
  constexpr float kLimb = 0.4f;  // of the way through the other child
  const float through = std::max(way_[child], 0.0f) + distance(joint, child);
  return std::ranges::any_of(skeleton_->children(joint), [&](int other) {
    return other != child && way_[other] >= 0 && way_[other] + distance(joint, other) >= kLimb * through && through > 0;
  });
}

bool Limbs::is_collar_bone(std::span<const int> chain) const {
  constexpr float kShort = 0.55f;
  if (chain.size() >= 3 && rig::body_word(rig::parse_joint_name(skeleton_->name[chain[0]])).starts_with("shoulder")) {
    return true;
  }
  return chain.size() == 4 && distance(chain[0], chain[1]) < kShort * distance(chain[1], chain[2]);
}

std::vector<int> Limbs::between(int root, int joint) const {
  std::vector<int> chain;
  for (int j = joint; j >= 0; j = skeleton_->parent[j]) {
    chain.push_back(j);
    if (j == root) {
      break;
    }
  }
  std::ranges::reverse(chain);
  return chain;
}

ReachChain Limbs::natural_chain(int joint) const {
  PELT_EXPECT(has_index(places_, joint), "a joint of the skeleton");
  int root = joint;
  bool met_limb = false;
  for (int up = skeleton_->parent[joint]; up >= 0 && !met_limb; up = skeleton_->parent[up]) {
    met_limb = branches(up, root);
    root = met_limb ? root : up;
  }
  if (!met_limb) {
    // Nothing hangs beside it all the way up. With limbs below it is a body; alone and at the top it has no other way.
    int first = -1;
    for (const int child : skeleton_->children(joint)) {
      first = first < 0 || way_[child] > way_[first] ? child : first;
    }
    if (skeleton_->parent[joint] < 0 || (first >= 0 && branches(joint, first))) {
      return {joint, true};
    }
  }
  std::vector<int> chain = between(root, joint);
  // Nodes at one place with the next turn nothing that the next does not turn.
  while (chain.size() > 2 && distance(chain[0], chain[1]) <= 0) {
    chain.erase(chain.begin());
  }
  if (is_collar_bone(chain)) {
    chain.erase(chain.begin());
  }
  return {chain.front(), false};
}

ReachChain Limbs::longer_chain(const ReachChain& chain) const {
  const int parent = skeleton_->parent[chain.root];
  // Above the hips there is nothing to be turned.
  const bool is_top = parent < 0 || natural_chain(chain.root).root_slides;
  return is_top ? ReachChain{chain.root, true} : ReachChain{parent, false};
}

ReachChain Limbs::shorter_chain(int joint, const ReachChain& chain) const {
  const std::vector<int> way = between(chain.root, joint);
  if (chain.root_slides && way.size() > 1) {
    return {chain.root, false};
  }
  return way.size() > 2 ? ReachChain{way[1], false} : chain;
}

int Limbs::dragged_joint(int joint, int child, bool near_child) const {
  if (near_child && child >= 0) {
    return child;
  }
  const ReachChain chain = natural_chain(joint);
  if (chain.root != joint || chain.root_slides) {
    return joint;
  }
  // Its origin hangs rigidly on what is above: the other end is meant, or that.
  return child >= 0 ? child : std::max(skeleton_->parent[joint], 0);
}

bool Limbs::ends_limb(int joint, const ReachChain& chain) const {
  if (chain.root == joint) {
    return chain.root_slides;
  }
  const std::vector<int> way = between(chain.root, joint);
  return way.size() > 2 && way_[joint] < 0.5f * length(way);
}

float Limbs::length(std::span<const int> chain) const {
  float length = 0;
  for (std::size_t i = 1; i < chain.size(); ++i) {
    length += distance(chain[i - 1], chain[i]);
  }
  return length;
}

std::vector<int> Limbs::limb_ends() const {
  constexpr float kLong = 0.2f;  // of the longest way down: fingers and tails' tips are not meant
  const float longest = way_.empty() ? 0.0f : *std::ranges::max_element(way_);
  std::vector<int> ends;
  std::vector<char> below(places_.size(), 0);  // an end itself, or below one
  for (int j = 0; j < skeleton_->size(); ++j) {
    const int parent = skeleton_->parent[j];
    below[j] = static_cast<char>(parent >= 0 && below[parent] != 0);
    const ReachChain chain = natural_chain(j);
    if (below[j] == 0 && way_[j] >= 0 && !chain.root_slides && ends_limb(j, chain) &&
        length(between(chain.root, j)) >= kLong * longest) {
      below[j] = 1;
      ends.push_back(j);
    }
  }
  return ends;
}

IkReport reach(rig::PoseBuilder& pose, const Reach& wish, std::span<const Pin> pins) {
  const rig::Skeleton& skeleton = pose.skeleton();
  PELT_EXPECT(has_index(skeleton.parent, wish.joint), "a joint of the skeleton");
  PELT_EXPECT(skeleton.is_within(wish.joint, wish.chain.root), "the root is above the joint");
  const std::vector<Pin> held = pins_below(skeleton, wish, pins, pose);
  if (wish.chain.root == wish.joint) {
    return wish.chain.root_slides ? slide(pose, wish, held) : IkReport{};
  }
  std::vector<int> tips = {wish.joint};
  for (const Pin& pin : held) {
    tips.push_back(pin.joint);
  }
  const IkTree tree = make_ik_tree(pose, wish.chain.root, tips, wish.chain.root_slides);
  std::vector<float> values = tree.values;
  IkSettings settings;
  settings.limits = wish.limits;
  settings.iterations = wish.iterations;
  std::vector<IkGoal> goals = {goal_for(tree, wish.joint, wish.target)};
  constexpr double kPinned = 100;  // what is pinned counts so many times as much as what is dragged
  for (const Pin& pin : held) {
    goals.push_back(goal_for(tree, pin.joint, pin.position, kPinned));
  }
  IkReport report = solve(tree, goals, wish, settings, values);
  const auto turn_pins = [&] {
    for (const Pin& pin : held) {
      turn_to(tree, pin.joint, pin.rotation, wish.limits, values);
    }
  };
  turn_pins();
  if (wish.direction && !turn_to(tree, wish.joint, *wish.direction, wish.limits, values)) {
    // The joint alone cannot turn so far: the others help as far as they may, and then the place counts.
    report = help_to_turn(tree, goals, wish, settings, values);
    turn_pins();
  }
  // A pinned joint above the dragged one takes it along when it turns back.
  const int iterations = report.iterations;
  report = judge(tree, {goals.data(), 1}, settings, values);
  report.iterations = iterations;
  apply_ik(tree, values, pose);
  return report;
}

void hold_pins(rig::PoseBuilder& pose, std::span<const Pin> pins) {
  std::vector<Pin> sorted(pins.begin(), pins.end());
  std::ranges::stable_sort(sorted, {}, &Pin::joint);  // parents come first
  for (const Pin& pin : sorted) {
    if (has_index(pose.skeleton().parent, pin.joint) && has_index(pose.skeleton().parent, pin.chain.root)) {
      hold(pose, pin);
    }
  }
}

}  // namespace pelt::motion
