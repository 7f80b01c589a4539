#include "edit/constraint_edits.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/index.h"
#include "core/text.h"
#include "edit/behaviour_readings.h"
#include "motion/controls.h"
#include "rig/character.h"
#include "rig/kinematics.h"

namespace pelt::edit {
namespace {

// Why its numbers cannot be used, in a sentence; empty: they can.
std::string number_fault(const motion::Constraint& constraint) {
  const Transform& offset = constraint.offset;
  const auto finite = [](const auto& vector) { return std::isfinite(glm::dot(vector, vector)); };
  if (!finite(offset.translation) || !finite(offset.rotation) || !finite(offset.scale)) {
    return constraint.kind == motion::ConstraintKind::kParent
               ? "its target is scaled to nothing, or its offset has a number that is not finite"
               : "its offset has a number that is not finite";
  }
  if (!std::isfinite(constraint.weight) || !std::isfinite(constraint.height) || !finite(constraint.axis)) {
    return "it has a number that is not finite";
  }
  return glm::length(constraint.axis) > 1e-6f ? "" : "its axis has no direction";
}

std::string constraint_text(const motion::Constraint& constraint) {
  const motion::ConstraintKindInfo& kind = motion::constraint_kinds()[static_cast<std::size_t>(constraint.kind)];
  return kind.has_target ? fmt::format("{} of {} to {}", kind.label, printable(constraint.joint, 40),
                                       printable(constraint.target, 40))
                         : fmt::format("{} of {}", kind.label, printable(constraint.joint, 40));
}

}  // namespace

std::string label(const Document& document, const SetConstraints& change) {
  const std::vector<motion::Constraint>& before = document.content.behaviour->constraints;
  if (change.constraints.size() > before.size()) {
    return "Constrain: " + constraint_text(change.constraints.back());
  }
  if (change.constraints.size() < before.size()) {
    return before.size() == 1 ? "Remove the constraint " + constraint_text(before[0]) : "Remove a constraint";
  }
  return "Change constraints";
}

std::string refusal(const Document& document, const SetConstraints& change) {
  if (change.constraints.size() > motion::kMostDocumentConstraints) {
    return fmt::format("expected at most {} constraints, got {}", motion::kMostDocumentConstraints,
                       change.constraints.size());
  }
  for (const motion::Constraint& constraint : change.constraints) {
    if (const std::string fault = number_fault(constraint); !fault.empty()) {
      return fmt::format("{}: {}", constraint_text(constraint), fault);
    }
  }
  const motion::ConstraintRig rig = motion::make_constraint_rig(*document.character, change.constraints);
  const std::vector<motion::Constraint>& before = document.content.behaviour->constraints;
  const motion::ConstraintRig rig_before = motion::make_constraint_rig(*document.character, before);
  // Of a cycle the constraint is named that closes it.
  for (const bool wants_new : {true, false}) {
    for (std::size_t c = 0; c < change.constraints.size(); ++c) {
      const auto was = std::ranges::find(before, change.constraints[c]);
      const bool was_faulty = was != before.end() && !rig_before.faults[was - before.begin()].empty();
      // What a new file broke may still be switched off.
      const bool judged = change.constraints[c].on && !was_faulty && wants_new == (was == before.end());
      if (!rig.faults[c].empty() && judged) {
        return fmt::format("{}: {}", constraint_text(change.constraints[c]), rig.faults[c]);
      }
    }
  }
  return "";
}

void carry_out(const Document& document, const SetConstraints& change, Content& content, View&) {
  if (!refusal(document, change).empty()) {
    return;
  }
  std::vector<motion::Constraint> constraints = change.constraints;
  for (motion::Constraint& constraint : constraints) {
    constraint.weight = std::clamp(constraint.weight, 0.0f, 1.0f);
    const float length = glm::length(constraint.axis);
    constraint.axis = std::abs(length - 1) < 1e-6f ? constraint.axis : constraint.axis / length;
  }
  if (content.behaviour->constraints != constraints) {
    content.behaviour.edit().constraints = std::move(constraints);
  }
}

std::string label(const Document& document, const SetFileConstraintWeight& change) {
  const rig::Character& character = *own_character(document);
  return has_index(character.constraints, change.constraint)
             ? fmt::format("Weight of the constraint of {}",
                           character.skeleton->label(character.constraints[change.constraint].joint))
             : "Weight of a constraint";
}

void carry_out(const Document& document, const SetFileConstraintWeight& change, Content& content, View&) {
  const rig::Character& character = *own_character(document);
  if (!has_index(character.constraints, change.constraint) || !std::isfinite(change.weight)) {
    return;
  }
  const float weight = std::clamp(change.weight, 0.0f, 1.0f);
  if (character.constraints[change.constraint].weight != weight) {
    auto changed = std::make_shared<rig::Character>(character);
    changed->constraints.edit()[change.constraint].weight = weight;
    content.character = std::move(changed);
  }
}

SetConstraints with_constraint(const Document& document, motion::ConstraintKind kind, int joint, int target,
                               bool keep_offset) {
  const rig::Skeleton& skeleton = document.character->skeleton;
  PELT_EXPECT(has_index(skeleton.parent, joint) && target < skeleton.size(), "joint index out of range");
  SetConstraints out{document.content.behaviour->constraints};
  motion::Constraint made{.kind = kind, .joint = motion::joint_reference(skeleton, joint)};
  const bool has_target = motion::constraint_kinds()[static_cast<std::size_t>(kind)].has_target;
  if (has_target && target >= 0) {
    made.target = motion::joint_reference(skeleton, target);
  }
  if (kind == motion::ConstraintKind::kAim || kind == motion::ConstraintKind::kRoll) {
    const glm::vec3 bone = rig::bone_direction(skeleton, joint);
    made.axis = glm::length(bone) > 0.5f ? bone : glm::vec3(0, 1, 0);
  }
  if (keep_offset) {
    rig::Pose pose =
        kind == motion::ConstraintKind::kFloor ? rig::rest_pose(*document.character) : pose_before(document, "springs");
    rig::PoseBuilder builder(skeleton, pose);
    made.offset = has_target ? motion::kept_offset(kind, joint, target, builder) : Transform();
    made.height = kind == motion::ConstraintKind::kFloor ? static_cast<float>(builder.world(joint)[3].y) : 0;
  }
  out.constraints.push_back(std::move(made));
  return out;
}

}  // namespace pelt::edit
