#include "edit/reach_edits.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/index.h"
#include "edit/hand_pose.h"
#include "edit/local_transforms.h"
#include "math/transform.h"
#include "motion/reach.h"
#include "rig/pose_builder.h"

namespace pelt::edit {
namespace {

constexpr double kTurnOfAStep = 0.1;  // radians

// What differs between two poses is posed by hand.
void keep_pose(const Document& document, const rig::Pose& before, const rig::Pose& after, Content& content) {
  const rig::Pose base = evaluate_base_pose(document);
  const HandPose hand(document);
  for (int j = 0; j < document.character->skeleton->size(); ++j) {
    if (local_of(after, j) == local_of(before, j)) {
      continue;
    }
    const Transform local = hand.local(j, local_of(after, j));
    if (document.content.clip < 0 && same(local, local_of(base, j))) {
      content.overrides.edit().erase(j);
      continue;
    }
    const std::vector<float> hint = dof_values(document, j, base);
    content.overrides.edit()[j] = {local, rig::dofs_from_local(joint_dofs(document, j), local, hint)};
  }
}

motion::Pin pin_at(rig::PoseBuilder& pose, int joint, const motion::ReachChain& chain) {
  const glm::dmat4& world = pose.world(joint);
  return {joint, chain, glm::vec3(world[3]), glm::quat(motion::rotation_of(world))};
}

void set_pins(Content& content, const std::map<int, motion::Pin>& pins) {
  std::vector<motion::Pin> sorted;
  for (const auto& [joint, pin] : pins) {
    sorted.push_back(pin);
  }
  content.pins = SharedArray<motion::Pin>(std::move(sorted));
}

std::map<int, motion::Pin> pins_of(const Content& content) {
  std::map<int, motion::Pin> pins;
  for (const motion::Pin& pin : content.pins) {
    pins[pin.joint] = pin;
  }
  return pins;
}

std::string joints_label(const Document& document, const std::vector<int>& joints) {
  return joints.size() == 1 ? document.character->skeleton->label(joints[0]) : fmt::format("{} joints", joints.size());
}

}  // namespace

void carry_out(const Document& document, const DragJoint& change, Content& content, View&) {
  PELT_EXPECT(has_index(document.character->skeleton->parent, change.joint), "joint index out of range");
  if (!pelt::is_finite(change.target) || !document.character->skeleton->is_within(change.joint, change.chain.root)) {
    return;
  }
  const rig::Pose before = evaluate_pose(document);
  rig::Pose after = before;
  rig::PoseBuilder builder(document.character->skeleton, after);
  motion::Reach wish{.joint = change.joint, .target = change.target, .chain = change.chain, .solver = change.solver};
  wish.limits = change.limits;
  wish.iterations = change.iterations;
  wish.hold = change.hold;
  if (change.direction) {
    wish.direction = glm::normalize(glm::dquat(*change.direction));
  }
  wish.most_turn = change.at_once ? wish.most_turn : kTurnOfAStep;
  motion::reach(builder, wish, content.pins);
  keep_pose(document, before, after, content);
  if (is_pinned(content, change.joint)) {
    std::map<int, motion::Pin> pins = pins_of(content);
    pins[change.joint] = pin_at(builder, change.joint, pins[change.joint].chain);
    set_pins(content, pins);
  }
}

std::string label(const Document& document, const DragJoint& change) {
  return fmt::format("Drag {}", document.character->skeleton->label(change.joint));
}

void carry_out(const Document& document, const PinJoints& change, Content& content, View&) {
  const rig::Pose held = evaluate_pose(document);
  rig::Pose pose = held;
  rig::PoseBuilder builder(document.character->skeleton, pose);
  const motion::Limbs limbs(*document.character);
  std::map<int, motion::Pin> pins = pins_of(content);
  for (const int joint : change.joints) {
    PELT_EXPECT(has_index(document.character->skeleton->parent, joint), "joint index out of range");
    if (change.pinned) {
      pins[joint] = pin_at(builder, joint, limbs.natural_chain(joint));
    } else {
      pins.erase(joint);
    }
  }
  set_pins(content, pins);
  if (!change.pinned && content.clip < 0) {
    Document without = without_history(document);
    without.content = content;
    keep_pose(document, evaluate_pose(without), held, content);
  }
}

std::string label(const Document& document, const PinJoints& change) {
  return fmt::format("{} {}", change.pinned ? "Pin" : "Unpin", joints_label(document, change.joints));
}

bool is_pinned(const Content& content, int joint) {
  return std::ranges::find(content.pins, joint, &motion::Pin::joint) != content.pins.end();
}

}  // namespace pelt::edit
