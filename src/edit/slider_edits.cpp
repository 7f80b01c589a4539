#include "edit/slider_edits.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "rig/character_parts.h"

namespace pelt::edit {
namespace {

Status check(const SetJointSliders& change) {
  for (const SetJointSliders::OfJoint& of_joint : change.joints) {
    if (Status sound = rig::check_dofs(of_joint.dofs); !sound) {
      return sound;
    }
  }
  return {};
}

}  // namespace

std::string label(const Document& document, const SetJointSliders& change) {
  return change.joints.size() == 1
             ? fmt::format("Sliders of {}", document.character->skeleton->label(change.joints.front().joint))
             : fmt::format("Sliders of {} joints", change.joints.size());
}

void carry_out(const Document& document, const SetJointSliders& change, Content& content, View&) {
  if (!check(change)) {
    return;
  }
  const rig::Character& character = *own_character(document);
  auto edited = std::make_shared<rig::Character>(character);
  for (const SetJointSliders::OfJoint& of_joint : change.joints) {
    PELT_EXPECT(of_joint.joint >= 0 && of_joint.joint < character.skeleton->size(), "joint index out of range");
    const auto j = static_cast<std::size_t>(of_joint.joint);
    rig::JointDofs dofs = of_joint.dofs;
    dofs.authored = true;
    if (content.euler_orders->contains(of_joint.joint)) {
      content.euler_orders.edit().erase(of_joint.joint);
    } else if (rig::equal(edited->skeleton->dofs[j], dofs)) {
      continue;
    }
    if (const auto posed = content.overrides->find(of_joint.joint); posed != content.overrides->end()) {
      JointOverride kept = posed->second;
      const bool has_as_many = kept.dof_values.size() == dofs.dofs.size();
      kept.dof_values = rig::dofs_from_local(
          dofs, kept.local, has_as_many ? std::span<const float>(kept.dof_values) : std::span<const float>());
      content.overrides.edit()[of_joint.joint] = std::move(kept);
    }
    edited->skeleton.edit().dofs[j] = std::move(dofs);
  }
  if (!edited->skeleton.is(character.skeleton)) {
    content.character = std::move(edited);
  }
}

std::string remark(const Document&, const SetJointSliders& change) {
  const Status sound = check(change);
  return sound ? "" : fmt::format("nothing is changed, {}", sound.error().message);
}

}  // namespace pelt::edit
