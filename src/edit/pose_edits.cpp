// How the pose is changed: sliders, drags, resets, mirrors, shapes, rotation orders, pose files.
#include "edit/pose_edits.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/index.h"
#include "edit/local_transforms.h"
#include "rig/conversions.h"
#include "rig/mirror.h"

namespace pelt::edit {
namespace {

bool is_finite(const Transform& t) {
  const glm::quat& q = t.rotation;
  return pelt::is_finite(t.translation) && pelt::is_finite(t.scale) && pelt::is_finite({q.x, q.y, q.z}) &&
         std::isfinite(q.w);
}

// A rotation that is unit but for rounding stays as it is, bit by bit, so that reading a pose file gives what was
// written.
glm::quat unit(const glm::quat& q) {
  constexpr float kRounding = 1e-6f;
  return std::abs(glm::dot(q, q) - 1.0f) <= kRounding ? q : normalized_or_identity(q);
}

void expect_joint([[maybe_unused]] const Document& document, [[maybe_unused]] int joint) {
  PELT_EXPECT(joint >= 0 && joint < document.character->skeleton->size(), "joint index out of range");
}

// Moves `current` from slider values `from` to `to`: exactly local_from_dofs(to) where the sliders expressed `current`,
// and with what they could not express carried along otherwise.
Transform moved(const rig::JointDofs& dofs, const Transform& current, std::span<const float> from,
                std::span<const float> to) {
  const Transform old_sliders = rig::local_from_dofs(dofs, from);
  Transform result = rig::local_from_dofs(dofs, to);
  if (!same_translation(current, old_sliders)) {
    result.translation = current.translation + (result.translation - old_sliders.translation);
  }
  if (!same_rotation(current, old_sliders)) {
    result.rotation = normalized_or_identity(result.rotation * glm::conjugate(old_sliders.rotation) * current.rotation);
  }
  if (!same_scale(current, old_sliders)) {
    for (int axis = 0; axis < 3; ++axis) {
      const float old_scale = old_sliders.scale[axis];
      result.scale[axis] =
          old_scale == 0.0f ? result.scale[axis] : current.scale[axis] * result.scale[axis] / old_scale;
    }
  }
  return result;
}

// Stores the override unless the base pose says the same and, there being no clip, goes on saying it.
void store(const Document& document, Content& content, int joint, JointOverride value, const Transform& base) {
  if (!is_finite(value.local) || !std::ranges::all_of(value.dof_values, [](float f) { return std::isfinite(f); })) {
    return;
  }
  if (document.content.clip < 0 && same(value.local, base)) {
    content.overrides.edit().erase(joint);
  } else {
    content.overrides.edit()[joint] = std::move(value);
  }
}

// @param base  evaluate_base_pose(document)
JointOverride override_for(const Document& document, int joint, const Transform& local, const rig::Pose& base) {
  const std::vector<float> hint = dof_values(document, joint, base);
  return {local, rig::dofs_from_local(joint_dofs(document, joint), local, hint)};
}

bool is_default(const rig::JointDofs& dofs) {
  return !dofs.authored && !dofs.swing_limit;
}

// Tells whether two sets of slider values are the same but for rounding.
bool same_values(std::span<const float> a, std::span<const float> b) {
  constexpr float kRounding = 1e-5f;
  return std::ranges::equal(
      a, b, [](float x, float y) { return std::abs(x - y) <= kRounding * (1 + std::max(std::abs(x), std::abs(y))); });
}

/// @param pose  evaluate_base_pose(document)
void set_slider(const Document& document, Content& content, const SetDof& change, const rig::Pose& pose,
                bool may_drop) {
  const auto [joint, dof, value] = change;
  const rig::JointDofs dofs = joint_dofs(document, joint);
  PELT_EXPECT(has_index(dofs.dofs, dof), "DOF index out of range");
  if (!std::isfinite(value)) {
    return;
  }
  const Transform& base = local_of(pose, joint);
  const std::vector<float> base_values = base_dof_values(document, joint, pose);
  const rig::Dof& moved_dof = dofs.dofs[dof];
  const auto found = content.overrides->find(joint);
  const bool overridden = found != content.overrides->end();
  const std::vector<float> from = overridden ? found->second.dof_values : base_values;
  std::vector<float> to = from;
  to[dof] = std::clamp(value, moved_dof.lower, moved_dof.upper);
  if (dofs.swing_limit && moved_dof.kind == rig::DofKind::kRotation) {
    rig::clamp_to_limits(dofs, to);
  }
  const Transform current = overridden ? found->second.local : base;
  JointOverride result{moved(dofs, current, from, to), to};
  if (may_drop && same(result.local, base)) {
    content.overrides.edit().erase(joint);
  } else if (is_finite(result.local) && same(result.local, base) && !same_values(to, base_values)) {
    // The base pose by other angles: the next slider goes on from these.
    content.overrides.edit()[joint] = std::move(result);
  } else {
    store(document, content, joint, std::move(result), base);
  }
}

void set_sliders(const Document& document, Content& content, std::span<const SetDof> changes) {
  const rig::Pose base = evaluate_base_pose(document);
  for (const SetDof& change : changes) {
    expect_joint(document, change.joint);
    set_slider(document, content, change, base, false);
  }
}

void reset_sliders(const Document& document, Content& content, std::span<const ResetDof> changes) {
  const rig::Pose base = evaluate_base_pose(document);
  for (const auto& [joint, dof] : changes) {
    expect_joint(document, joint);
    const std::vector<float> values = base_dof_values(document, joint, base);
    PELT_EXPECT(has_index(values, dof), "DOF index out of range");
    set_slider(document, content, {joint, dof, values[dof]}, base, true);
  }
}

void set_local(const Document& document, Content& content, const SetJointLocal& change, const rig::Pose& base) {
  expect_joint(document, change.joint);
  if (!is_finite(change.local)) {
    return;
  }
  Transform local = change.local;
  local.rotation = unit(local.rotation);
  JointOverride result = override_for(document, change.joint, local, base);
  const rig::JointDofs dofs = joint_dofs(document, change.joint);
  if (change.respect_limits && !is_default(dofs)) {
    const Transform current = current_local(document, change.joint, base);
    rig::clamp_to_limits(dofs, result.dof_values);
    result.local = rig::local_from_dofs(dofs, result.dof_values);
    // What the joint has no slider for stays as it is: a hinge neither moves nor grows when its bone is dragged.
    if (dofs.count(rig::DofKind::kRotation) == 0) {
      result.local.rotation = current.rotation;
    }
    if (dofs.count(rig::DofKind::kTranslation) == 0) {
      result.local.translation = current.translation;
    }
    if (dofs.count(rig::DofKind::kScale) == 0) {
      result.local.scale = current.scale;
    }
  }
  store(document, content, change.joint, std::move(result), local_of(base, change.joint));
}

// The joint in a transform that was computed, or where that leaves its limits in the nearest one within.
JointOverride within_limits(const Document& document, int joint, const Transform& local, const rig::Pose& base) {
  const rig::JointDofs dofs = joint_dofs(document, joint);
  JointOverride result = override_for(document, joint, local, base);
  std::vector<float> clamped = result.dof_values;
  rig::clamp_to_limits(dofs, clamped);
  constexpr float kRounding = 1e-5f;
  const bool is_inside =
      std::ranges::equal(clamped, result.dof_values, [&](float a, float b) { return std::abs(a - b) <= kRounding; });
  if (!is_inside && !is_default(dofs)) {
    result.local = moved(dofs, local, result.dof_values, clamped);
    result.dof_values = std::move(clamped);
  }
  return result;
}

// Those that a reset is about, ascending, each once.
std::vector<int> joints_of(const Document& document, const ResetJoints& change) {
  const rig::Skeleton& skeleton = document.character->skeleton;
  std::vector<char> meant(skeleton.size(), static_cast<char>(change.scope == ResetScope::kAll));
  for (const int joint : change.scope == ResetScope::kAll ? std::vector<int>() : change.joints) {
    expect_joint(document, joint);
    meant[joint] = 1;
  }
  std::vector<int> joints;
  for (int j = 0; j < skeleton.size(); ++j) {  // parents come first
    const int parent = skeleton.parent[j];
    if (change.scope == ResetScope::kSubtree && parent >= 0 && meant[parent] != 0) {
      meant[j] = 1;
    }
    if (meant[j] != 0) {
      joints.push_back(j);
    }
  }
  return joints;
}

std::string_view verb(rig::DofKind kind) {
  switch (kind) {
    case rig::DofKind::kRotation:
      return "Rotate";
    case rig::DofKind::kTranslation:
      return "Move";
    case rig::DofKind::kScale:
      return "Scale";
  }
  return "Change";
}

std::string_view name_of(ResetTo to) {
  switch (to) {
    case ResetTo::kBase:
      return "to the base pose";
    case ResetTo::kRest:
      return "to rest";
    case ResetTo::kBind:
      return "to bind";
    case ResetTo::kZero:
      return "to zero";
  }
  return "";
}

std::string_view name_of(BasePose base) {
  switch (base) {
    case BasePose::kRest:
      return "Rest pose";
    case BasePose::kBind:
      return "Bind pose";
    case BasePose::kZero:
      return "Zero pose";
  }
  return "";
}

std::string morph_label(const rig::Character& character, int index) {
  for (const rig::MeshNode& node : character.mesh_nodes) {
    const int first = character.morph_offset[node.joint];
    const auto& names = character.meshes[node.mesh].morph_names;
    if (index >= first && index < first + static_cast<int>(names.size()) && !names[index - first].empty()) {
      return names[index - first];
    }
  }
  return fmt::format("shape {}", index);
}

const rig::Skeleton& skeleton_of(const Document& document) {
  return document.character->skeleton;
}

// "elbow_l" or "3 joints".
template <typename Slider>
std::string joints_label(const Document& document, const std::vector<Slider>& sliders) {
  std::set<int> joints;
  for (const Slider& slider : sliders) {
    joints.insert(slider.joint);
  }
  return joints.size() == 1 ? skeleton_of(document).label(*joints.begin()) : fmt::format("{} joints", joints.size());
}

}  // namespace

void carry_out(const Document& document, const SetDof& change, Content& content, View&) {
  set_sliders(document, content, {&change, 1});
}

void carry_out(const Document& document, const SetDofs& change, Content& content, View&) {
  set_sliders(document, content, change.sliders);
}

void carry_out(const Document& document, const SetJointLocal& change, Content& content, View&) {
  set_local(document, content, change, evaluate_base_pose(document));
}

void carry_out(const Document& document, const SetJointLocals& change, Content& content, View&) {
  const rig::Pose base = evaluate_base_pose(document);
  for (const SetJointLocal& joint : change.joints) {
    set_local(document, content, joint, base);
  }
}

void pose_other_side(const Document& before, Content& content) {
  const std::map<int, JointOverride>& old = *before.content.overrides;
  const std::map<int, JointOverride>& now = *content.overrides;
  const auto differs = [&](int joint) {
    const auto was = old.find(joint);
    const auto is = now.find(joint);
    return (was == old.end()) != (is == now.end()) || (was != old.end() && !(was->second == is->second));
  };
  std::vector<int> posed;
  for (int j = 0; j < before.character->skeleton->size(); ++j) {
    if (differs(j)) {
      posed.push_back(j);
    }
  }
  if (posed.empty()) {
    return;
  }
  const rig::Mirror mirror(*before.character);
  const rig::Pose base = evaluate_base_pose(before);
  std::map<int, JointOverride> others = now;
  for (const int joint : posed) {
    const int partner = mirror.partner(joint);
    if (partner < 0 || std::ranges::binary_search(posed, partner)) {
      continue;  // it stands in the middle, or both sides were posed
    }
    const auto found = now.find(joint);
    others.erase(partner);
    if (found != now.end()) {
      const Transform local = mirror.image(partner, found->second.local);
      JointOverride image = within_limits(before, partner, local, base);
      if (content.clip >= 0 || !same(image.local, local_of(base, partner))) {
        others[partner] = std::move(image);
      }
    }
  }
  content.overrides.edit() = std::move(others);
}

void carry_out(const Document& document, const ResetDof& change, Content& content, View&) {
  reset_sliders(document, content, {&change, 1});
}

void carry_out(const Document& document, const ResetDofs& change, Content& content, View&) {
  reset_sliders(document, content, change.sliders);
}

void carry_out(const Document& document, const ResetJoints& change, Content& content, View&) {
  const rig::Character& character = *document.character;
  const std::vector<int> joints = joints_of(document, change);
  if (change.to == ResetTo::kBase) {
    for (const int j : joints) {
      content.overrides.edit().erase(j);
    }
    return;
  }
  if (change.scope == ResetScope::kAll && content.clip < 0) {
    // The pose itself: that of binding has more to it than joints, where skins were bound in poses of their own.
    content.base = change.to == ResetTo::kBind   ? BasePose::kBind
                   : change.to == ResetTo::kZero ? BasePose::kZero
                                                 : BasePose::kRest;
    content.overrides = {};
    return;
  }
  const rig::Pose target = change.to == ResetTo::kBind   ? rig::bind_pose(character)
                           : change.to == ResetTo::kZero ? rig::zero_pose(character)
                                                         : rig::rest_pose(character);
  const rig::Pose base = evaluate_base_pose(document);
  for (const int j : joints) {
    const Transform& local = local_of(target, j);
    // Values closest to zero, not to the present ones: a slider turned twice around comes back from both turns.
    store(document, content, j, {local, rig::dofs_from_local(joint_dofs(document, j), local)}, local_of(base, j));
  }
}

void carry_out(const Document&, const SetBasePose& change, Content& content, View&) {
  content.base = change.base;
  content.clip = -1;
  content.overrides = {};
}

void carry_out(const Document& document, const MirrorPose& change, Content& content, View&) {
  const rig::Character& character = *document.character;
  const rig::Mirror mirror(character);
  std::vector<char> meant(character.skeleton->size(), static_cast<char>(change.joints.empty()));
  for (const int joint : change.joints) {
    expect_joint(document, joint);
    for (const int j : character.skeleton->subtree(joint)) {
      meant[j] = 1;
      if (const int partner = mirror.partner(j); partner >= 0) {
        meant[partner] = 1;
      }
    }
  }
  const rig::Side to = change.direction == MirrorDirection::kLeftToRight   ? rig::Side::kRight
                       : change.direction == MirrorDirection::kRightToLeft ? rig::Side::kLeft
                                                                           : rig::Side::kNone;
  const rig::Pose base = evaluate_base_pose(document);
  // What was posed is in the clip then.
  const bool becomes_keys = document.view.timing.auto_key && document.content.clip >= 0;
  for (int j = 0; j < character.skeleton->size(); ++j) {
    const int partner = mirror.partner(j);
    if (meant[j] == 0 || partner < 0 || (to != rig::Side::kNone && mirror.side(j) != to)) {
      continue;
    }
    const auto found = document.content.overrides->find(partner);
    const bool is_posed = found != document.content.overrides->end();
    if (!is_posed && !becomes_keys) {
      content.overrides.edit().erase(j);
      continue;
    }
    const Transform local = mirror.image(j, is_posed ? found->second.local : local_of(base, partner));
    store(document, content, j, {local, rig::dofs_from_local(joint_dofs(document, j), local)}, local_of(base, j));
  }
}

void carry_out(const Document& document, const SetMorph& change, Content& content, View&) {
  const rig::Pose base = evaluate_base_pose(document);
  PELT_EXPECT(has_index(base.morph_weights, change.index), "morph index out of range");
  if (!std::isfinite(change.value)) {
    return;
  }
  if (content.clip < 0 && base.morph_weights[change.index] == change.value) {
    content.morph_overrides.edit().erase(change.index);
  } else {
    content.morph_overrides.edit()[change.index] = change.value;
  }
}

void carry_out(const Document&, const ResetMorphs&, Content& content, View&) {
  content.morph_overrides = {};
}

void carry_out(const Document& document, const SetEulerOrder& change, Content& content, View&) {
  expect_joint(document, change.joint);
  const rig::JointDofs& own = document.character->skeleton->dofs[change.joint];
  const std::optional<EulerOrder> own_order = rig::euler_order(own);
  if (!own_order) {
    return;
  }
  if (*own_order == change.order) {
    content.euler_orders.edit().erase(change.joint);
  } else {
    content.euler_orders.edit()[change.joint] = change.order;
  }
  if (content.overrides->contains(change.joint)) {
    rig::JointDofs dofs = own;
    rig::set_euler_order(dofs, change.order);
    JointOverride& posed = content.overrides.edit().at(change.joint);
    posed.dof_values = rig::dofs_from_local(dofs, posed.local);
  }
}

void carry_out(const Document& document, const ReplacePose& change, Content& content, View& view) {
  content.base = BasePose::kRest;
  content.clip = -1;
  content.overrides = {};
  content.morph_overrides = {};
  Document fresh;
  fresh.character = document.character;
  fresh.content = content;
  const rig::Pose base = evaluate_base_pose(fresh);
  for (const auto& [joint, joint_override] : change.overrides) {
    expect_joint(document, joint);
    JointOverride value = joint_override;
    value.local.rotation = unit(value.local.rotation);
    if (value.dof_values.size() != joint_dofs(document, joint).dofs.size()) {
      value.dof_values = rig::dofs_from_local(joint_dofs(document, joint), value.local);
    }
    store(fresh, content, joint, std::move(value), local_of(base, joint));
  }
  for (const auto& [index, value] : change.morphs) {
    carry_out(fresh, SetMorph{index, value}, content, view);
  }
}

std::string label(const Document& document, const SetDof& change) {
  const rig::JointDofs& joint = skeleton_of(document).dofs[change.joint];
  return fmt::format("{} {}", verb(joint.dofs[change.dof].kind), skeleton_of(document).label(change.joint));
}

std::string label(const Document& document, const SetDofs& change) {
  if (change.sliders.empty()) {
    return "Set sliders";
  }
  const auto kind_of = [&](const SetDof& slider) { return joint_dofs(document, slider.joint).dofs[slider.dof].kind; };
  const rig::DofKind kind = kind_of(change.sliders.front());
  const bool alike = std::ranges::all_of(change.sliders, [&](const SetDof& slider) { return kind_of(slider) == kind; });
  return fmt::format("{} {}", alike ? verb(kind) : "Pose", joints_label(document, change.sliders));
}

std::string label(const Document& document, const SetJointLocal& change) {
  const Transform now = current_local(document, change.joint);
  const bool turns_only = same_translation(change.local, now) && same_scale(change.local, now);
  return fmt::format("{} {}", turns_only ? "Rotate" : "Pose", skeleton_of(document).label(change.joint));
}

std::string label(const Document& document, const SetJointLocals& change) {
  return fmt::format("{} {}", verb(change.how), joints_label(document, change.joints));
}

std::string label(const Document& document, const ResetDof& change) {
  const std::vector<rig::Dof> dofs = joint_dofs(document, change.joint).dofs;
  return fmt::format("Reset {} {}", skeleton_of(document).label(change.joint), dofs[change.dof].name);
}

std::string label(const Document& document, const ResetDofs& change) {
  return change.sliders.size() == 1 ? label(document, change.sliders.front())
                                    : fmt::format("Reset {}", joints_label(document, change.sliders));
}

std::string label(const Document& document, const ResetJoints& change) {
  if (change.scope == ResetScope::kAll) {
    return fmt::format("Reset all {}", name_of(change.to));
  }
  return fmt::format("Reset {}{} {}",
                     change.joints.size() == 1 ? skeleton_of(document).label(change.joints.front())
                                               : fmt::format("{} joints", change.joints.size()),
                     change.scope == ResetScope::kSubtree ? " and below" : "", name_of(change.to));
}

std::string label(const Document&, const SetBasePose& change) {
  return std::string(name_of(change.base));
}

std::string label(const Document& document, const MirrorPose& change) {
  const std::string_view what = change.direction == MirrorDirection::kLeftToRight   ? "Mirror left to right"
                                : change.direction == MirrorDirection::kRightToLeft ? "Mirror right to left"
                                                                                    : "Swap left and right";
  return change.joints.empty()       ? std::string(what)
         : change.joints.size() == 1 ? fmt::format("{} from {}", what, skeleton_of(document).label(change.joints[0]))
                                     : fmt::format("{} from {} joints", what, change.joints.size());
}

std::string label(const Document& document, const SetMorph& change) {
  return fmt::format("Set {}", morph_label(*document.character, change.index));
}

std::string label(const Document&, const ResetMorphs&) {
  return "Reset shapes";
}

std::string label(const Document& document, const SetEulerOrder& change) {
  return fmt::format("Rotation order of {}", skeleton_of(document).label(change.joint));
}

std::string label(const Document&, const ReplacePose&) {
  return "Open pose";
}

}  // namespace pelt::edit
