#include "edit/slider_edits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/text.h"
#include "rig/axis_choices.h"
#include "rig/character_parts.h"

namespace pelt::edit {
namespace {

// What the readers of files and sessions take.
constexpr std::size_t kMostSliders = 16;
constexpr std::size_t kLongestSliderName = 40;
constexpr float kLargestNumber = 1e18f;
constexpr float kUnitRounding = 1e-6f;  // of the squared length: less is left as it is, bit by bit

bool is_reasonable(std::span<const float> numbers) {
  return std::ranges::all_of(numbers, [](float f) { return std::abs(f) <= kLargestNumber; });
}

bool is_reasonable(const glm::vec3& v) {
  return is_reasonable(std::array{v.x, v.y, v.z});
}

// With unit axes and orientation, as files give them back. @pre check_sliders(dofs)
rig::JointDofs as_authored(rig::JointDofs dofs) {
  dofs.authored = true;
  if (std::abs(glm::dot(dofs.orientation, dofs.orientation) - 1) > kUnitRounding) {
    dofs.orientation = normalized_or_identity(dofs.orientation);
  }
  for (rig::Dof& dof : dofs.dofs) {
    dof.axis = std::abs(glm::dot(dof.axis, dof.axis) - 1) > kUnitRounding ? glm::normalize(dof.axis) : dof.axis;
  }
  return dofs;
}

// The values of other DOFs for the same transform, next to those of DOFs that have kept their names.
std::vector<float> carried_values(const rig::JointDofs& before, const JointOverride& posed, const rig::JointDofs& now) {
  std::vector<float> hint = rig::default_values(now);
  for (std::size_t d = 0; d < now.dofs.size(); ++d) {
    const int was = before.find(now.dofs[d].name);
    if (was >= 0 && before.dofs[was].kind == now.dofs[d].kind) {
      hint[d] = posed.dof_values[was];
    }
  }
  return rig::dofs_from_local(now, posed.local, hint);
}

void set_joint_sliders(const Document& document, std::span<const SetJointSliders> changes, Content& content) {
  const rig::Skeleton& skeleton = own_character(document)->skeleton;
  for (const SetJointSliders& change : changes) {
    PELT_EXPECT(change.joint >= 0 && change.joint < skeleton.size(), "joint index out of range");
    if (!check_sliders(change.dofs)) {
      return;
    }
  }
  std::map<int, rig::JointDofs> wanted;  // by joint
  for (const SetJointSliders& change : changes) {
    wanted[change.joint] = as_authored(change.dofs);
  }
  std::shared_ptr<rig::Character> changed;
  for (const auto& [joint, dofs] : wanted) {
    const std::size_t j = joint;
    if (content.euler_orders->contains(joint)) {
      content.euler_orders.edit().erase(joint);
    } else if (rig::equal(skeleton.dofs[j], dofs)) {
      continue;
    }
    if (!rig::equal(skeleton.dofs[j], dofs)) {
      if (changed == nullptr) {
        changed = std::make_shared<rig::Character>(*own_character(document));
      }
      changed->skeleton.edit().dofs[j] = dofs;
    }
    if (content.overrides->contains(joint)) {
      JointOverride& posed = content.overrides.edit().at(joint);
      posed.dof_values = carried_values(joint_dofs(document, joint), posed, dofs);
    }
  }
  if (changed != nullptr) {
    content.character = std::move(changed);
  }
}

}  // namespace

Status check_sliders(const rig::JointDofs& dofs) {
  if (const Status sound = rig::check_dofs(dofs); !sound) {
    return sound;
  }
  if (dofs.dofs.size() > kMostSliders) {
    return error("expected at most {} degrees of freedom, got {}", kMostSliders, dofs.dofs.size());
  }
  for (const rig::Dof& dof : dofs.dofs) {
    if (single_line(dof.name, kLongestSliderName) != dof.name) {
      return error("'{}': expected a name of one line and at most {} bytes", printable(dof.name), kLongestSliderName);
    }
    if (!is_reasonable(std::array{dof.lower, dof.upper, dof.default_value})) {
      return error("'{}': a limit or its default value is not finite", dof.name);
    }
  }
  const glm::quat& q = dofs.orientation;
  if (!is_reasonable(dofs.offset) || !is_reasonable(dofs.scale)) {
    return error("its offset or scale is not finite");
  }
  constexpr float kNearUnit = 1e-3f;
  if (!(std::abs(glm::dot(q, q) - 1) <= kNearUnit)) {
    return error("its orientation is not of length 1");
  }
  return {};
}

Result<rig::JointDofs> with_axis(rig::JointDofs dofs, std::size_t index, const glm::vec3& axis) {
  PELT_EXPECT(index < dofs.dofs.size(), "DOF index out of range");
  rig::Dof& dof = dofs.dofs[index];
  if (!rig::has_free_axis(dofs, index)) {
    return error("'{}': its axis is bound to the other axes of the joint", printable(dof.name));
  }
  // In double: the square of a number that is far from 1 is no float.
  const double length = glm::length(glm::dvec3(axis));
  if (!(length > 0) || !std::isfinite(length)) {
    return error("'{}': expected an axis with a direction, got {:g}, {:g}, {:g}", printable(dof.name), axis.x, axis.y,
                 axis.z);
  }
  dof.axis = glm::vec3(glm::dvec3(axis) / length);
  return dofs;
}

std::string label(const Document& document, const SetJointSliders& change) {
  return "Degrees of freedom of " + document.character->skeleton->label(change.joint);
}

void carry_out(const Document& document, const SetJointSliders& change, Content& content, View&) {
  set_joint_sliders(document, {&change, 1}, content);
}

std::string refusal(const Document& document, const SetJointSliders& change) {
  const Status sound = check_sliders(change.dofs);
  return sound ? "" : fmt::format("{}: {}", document.character->skeleton->label(change.joint), sound.error().message);
}

std::string label(const Document& document, const SetSlidersOfJoints& change) {
  return change.joints.size() == 1 ? label(document, change.joints.front())
                                   : fmt::format("Degrees of freedom of {} joints", change.joints.size());
}

void carry_out(const Document& document, const SetSlidersOfJoints& change, Content& content, View&) {
  set_joint_sliders(document, change.joints, content);
}

std::string refusal(const Document& document, const SetSlidersOfJoints& change) {
  for (const SetJointSliders& one : change.joints) {
    if (std::string why = refusal(document, one); !why.empty()) {
      return why;
    }
  }
  return "";
}

}  // namespace pelt::edit
