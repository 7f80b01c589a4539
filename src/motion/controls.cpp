#include "motion/controls.h"

#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/text.h"
#include "math/angle.h"
#include "motion/expression.h"
#include "rig/dofs.h"

namespace pelt::motion {
namespace {

constexpr std::size_t kMostSuggested = 300;  // comparing with all names of a large file takes too long

// The joint's DOFs in the order of rotations that was chosen for it.
const rig::JointDofs& dofs_in_effect(const PoseSources& sources, int joint, rig::JointDofs& storage) {
  const rig::JointDofs& own = sources.character.skeleton->dofs[joint];
  if (sources.euler_orders == nullptr) {
    return own;
  }
  const auto order = sources.euler_orders->find(joint);
  if (order == sources.euler_orders->end()) {
    return own;
  }
  storage = own;
  rig::set_euler_order(storage, order->second);
  return storage;
}

std::vector<float> values_now(const PoseSources& sources, int joint, const rig::JointDofs& dofs,
                              const rig::PoseBuilder& pose) {
  const Transform& local = pose.local(joint);
  const auto posed = sources.overrides.find(joint);
  if (posed == sources.overrides.end() || posed->second.dof_values.size() != dofs.dofs.size()) {
    return rig::dofs_from_local(dofs, local);
  }
  return posed->second.local == local ? posed->second.dof_values
                                      : rig::dofs_from_local(dofs, local, posed->second.dof_values);
}

// Where the control's DOF stands among those in effect: another order of rotations moves them about.
int place_of(const PoseSources& sources, const Control& control, const rig::JointDofs& in_effect) {
  const std::string& name = sources.character.skeleton->dofs[control.joint].dofs[control.dof].name;
  if (in_effect.dofs[control.dof].name == name) {
    return control.dof;
  }
  const int found = in_effect.find(name);
  return found >= 0 ? found : control.dof;
}

template <typename Visit>
void for_each_shape(const rig::Character& character, const Visit& visit) {
  for (const rig::MeshNode& node : character.mesh_nodes) {
    const std::vector<std::string>& names = character.meshes[node.mesh].morph_names;
    for (std::size_t m = 0; m < names.size(); ++m) {
      visit(names[m], character.morph_offset[node.joint] + static_cast<int>(m));
    }
  }
}

}  // namespace

Result<int> find_named_joint(const rig::Character& character, std::string_view name) {
  const rig::Skeleton& skeleton = character.skeleton;
  if (const int joint = name.empty() ? -1 : skeleton.find(name); joint >= 0) {
    return joint;
  }
  constexpr std::string_view kNode = "node ";
  const std::optional<int> node = name.starts_with(kNode) ? parse_integer(name.substr(kNode.size())) : std::nullopt;
  if (const int joint = node ? skeleton.from_source_node(*node) : -1; joint >= 0) {
    return joint;
  }
  return error("there is no joint '{}'{}", printable(name, 40),
               skeleton.name.size() <= kMostSuggested ? suggestion(name, skeleton.name) : "");
}

std::string joint_reference(const rig::Skeleton& skeleton, int joint) {
  const std::string& name = skeleton.name[joint];
  const bool can_be_quoted = !name.empty() && name.find('"') == std::string::npos;
  return can_be_quoted && skeleton.find(name) == joint ? name : fmt::format("node {}", skeleton.source_node[joint]);
}

Result<int> find_named_dof(const rig::Character& character, int joint, std::string_view name) {
  const rig::JointDofs& dofs = character.skeleton->dofs[joint];
  if (const int dof = dofs.find(name); dof >= 0) {
    return dof;
  }
  std::vector<std::string> names;
  for (const rig::Dof& dof : dofs.dofs) {
    names.push_back(dof.name);
  }
  return error("joint '{}' has no slider '{}'{}", printable(character.skeleton->label(joint), 40), printable(name, 40),
               suggestion(name, names));
}

Result<std::vector<int>> find_named_shape(const rig::Character& character, std::string_view name) {
  std::vector<int> morphs;
  for_each_shape(character, [&](const std::string& shape, int morph) {
    if (shape == name) {
      morphs.push_back(morph);
    }
  });
  if (!morphs.empty()) {
    std::ranges::sort(morphs);
    return morphs;
  }
  const std::vector<std::string> names = shape_names(character);
  return error("there is no shape '{}'{}", printable(name, 40),
               names.size() <= kMostSuggested ? suggestion(name, names) : "");
}

Result<Control> find_control(const rig::Character& character, std::string_view text) {
  PELT_TRY_TO(const Expression parsed, Expression::parse(text));
  const bool is_one = parsed.step_count() == 1 && parsed.inputs().size() == 1;
  const InputKind kind = is_one ? parsed.inputs().front().kind : InputKind::kTime;
  if (kind == InputKind::kShape) {
    PELT_TRY_TO(std::vector<int> morphs, find_named_shape(character, parsed.inputs().front().other));
    return Control{.morphs = std::move(morphs)};
  }
  if (kind != InputKind::kDof) {
    return error("expected a slider such as elbow_l.bend or a shape such as shape(smile), got '{}'",
                 printable(text, 40));
  }
  PELT_TRY_TO(const int joint, find_named_joint(character, parsed.inputs().front().joint));
  PELT_TRY_TO(const int dof, find_named_dof(character, joint, parsed.inputs().front().other));
  return Control{.joint = joint, .dof = dof};
}

std::string control_text(const rig::Character& character, int joint, int dof) {
  return fmt::format("{}.{}", name_in_expression(joint_reference(character.skeleton, joint)),
                     name_in_expression(character.skeleton->dofs[joint].dofs[dof].name));
}

std::string shape_text(std::string_view shape) {
  return fmt::format("shape({})", name_in_expression(shape));
}

std::vector<std::string> shape_names(const rig::Character& character) {
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  for_each_shape(character, [&](const std::string& shape, int) {
    if (!shape.empty() && shape.find('"') == std::string::npos && seen.insert(shape).second) {
      names.push_back(shape);
    }
  });
  return names;
}

double shown_per_stored(const rig::Dof& dof) {
  return dof.kind == rig::DofKind::kRotation ? 1 / kDegree : 1;
}

std::optional<ControlRange> control_range(const PoseSources& sources, const Control& control) {
  if (control.joint < 0) {
    return std::nullopt;
  }
  rig::JointDofs storage;
  const rig::JointDofs& dofs = dofs_in_effect(sources, control.joint, storage);
  const rig::Dof& dof = dofs.dofs[place_of(sources, control, dofs)];
  const double factor = shown_per_stored(dof);
  return ControlRange{static_cast<double>(dof.lower) * factor, static_cast<double>(dof.upper) * factor};
}

double control_value(const PoseSources& sources, const Control& control, const rig::PoseBuilder& pose) {
  if (control.joint < 0) {
    return control.morphs.empty() ? 0 : static_cast<double>(pose.pose().morph_weights[control.morphs.front()]);
  }
  rig::JointDofs storage;
  const rig::JointDofs& dofs = dofs_in_effect(sources, control.joint, storage);
  const std::vector<float> values = values_now(sources, control.joint, dofs, pose);
  const int dof = place_of(sources, control, dofs);
  return static_cast<double>(values[dof]) * shown_per_stored(dofs.dofs[dof]);
}

void set_control(const PoseSources& sources, const Control& control, double value, rig::PoseBuilder& pose) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  value = std::clamp(value, -kLargest, kLargest);
  if (control.joint < 0) {
    for (const int morph : control.morphs) {
      pose.morph_weights()[morph] = static_cast<float>(value);
    }
    return;
  }
  rig::JointDofs storage;
  const rig::JointDofs& dofs = dofs_in_effect(sources, control.joint, storage);
  const int at = place_of(sources, control, dofs);
  const rig::Dof& dof = dofs.dofs[at];
  std::vector<float> values = values_now(sources, control.joint, dofs, pose);
  const float before = values[at];
  const float stored = static_cast<float>(value / shown_per_stored(dof));
  Transform local = pose.local(control.joint);
  if (dof.kind == rig::DofKind::kTranslation) {
    local.translation += dof.axis * (stored - before);
  } else {
    values[at] = stored;
    const Transform made = rig::local_from_dofs(dofs, values);
    (dof.kind == rig::DofKind::kRotation ? void(local.rotation = made.rotation) : void(local.scale = made.scale));
  }
  pose.set_local(control.joint, local);
}

}  // namespace pelt::motion
