#include "edit/commands.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/overloaded.h"
#include "deform/skinning_methods.h"
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
void store(const Document& document, State& state, int joint, JointOverride value, const Transform& base) {
  if (!is_finite(value.local) || !std::ranges::all_of(value.dof_values, [](float f) { return std::isfinite(f); })) {
    return;
  }
  if (document.state.clip < 0 && same(value.local, base)) {
    state.overrides.erase(joint);
  } else {
    state.overrides[joint] = std::move(value);
  }
}

JointOverride override_for(const Document& document, int joint, const Transform& local) {
  std::vector<float> hint = dof_values(document, joint);
  return {local, rig::dofs_from_local(joint_dofs(document, joint), local, hint)};
}

/// @param base  the joint's local transform without its override
void set_slider(const Document& document, State& state, const SetDof& change, const Transform& base, bool may_drop) {
  const auto [joint, dof, value] = change;
  const rig::JointDofs dofs = joint_dofs(document, joint);
  PELT_EXPECT(dof >= 0 && static_cast<std::size_t>(dof) < dofs.dofs.size(), "DOF index out of range");
  if (!std::isfinite(value)) {
    return;
  }
  const rig::Dof& moved_dof = dofs.dofs[static_cast<std::size_t>(dof)];
  const auto found = state.overrides.find(joint);
  const bool overridden = found != state.overrides.end();
  const std::vector<float> from = overridden ? found->second.dof_values : rig::dofs_from_local(dofs, base);
  std::vector<float> to = from;
  to[static_cast<std::size_t>(dof)] = std::clamp(value, moved_dof.lower, moved_dof.upper);
  if (dofs.swing_limit && moved_dof.kind == rig::DofKind::kRotation) {
    rig::clamp_to_limits(dofs, to);
  }
  const Transform current = overridden ? found->second.local : base;
  JointOverride result{moved(dofs, current, from, to), to};
  if (may_drop && same(result.local, base)) {
    state.overrides.erase(joint);
  } else {
    store(document, state, joint, std::move(result), base);
  }
}

void set_sliders(const Document& document, State& state, std::span<const SetDof> changes) {
  const rig::Pose base = evaluate_base_pose(document);
  for (const SetDof& change : changes) {
    expect_joint(document, change.joint);
    set_slider(document, state, change, local_of(base, change.joint), false);
  }
}

bool is_default(const rig::JointDofs& dofs) {
  return !dofs.authored && !dofs.swing_limit;
}

void set_local(const Document& document, State& state, const SetJointLocal& change) {
  if (!is_finite(change.local)) {
    return;
  }
  Transform local = change.local;
  local.rotation = unit(local.rotation);
  JointOverride result = override_for(document, change.joint, local);
  const rig::JointDofs dofs = joint_dofs(document, change.joint);
  if (change.respect_limits && !is_default(dofs)) {
    const Transform current = current_local(document, change.joint);
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
  const Transform base = local_of(evaluate_base_pose(document), change.joint);
  store(document, state, change.joint, std::move(result), base);
}

void reset_joints(const Document& document, State& state, const ResetJoints& change) {
  const rig::Character& character = *document.character;
  std::vector<int> joints;
  if (change.scope == ResetScope::kAll) {
    for (int j = 0; j < character.skeleton->size(); ++j) {
      joints.push_back(j);
    }
  } else {
    expect_joint(document, change.joint);
    joints = change.scope == ResetScope::kSubtree ? character.skeleton->subtree(change.joint)
                                                  : std::vector<int>{change.joint};
  }
  if (change.to == ResetTo::kBase) {
    for (const int j : joints) {
      state.overrides.erase(j);
    }
    return;
  }
  if (change.scope == ResetScope::kAll && state.clip < 0) {
    // The pose itself: that of binding has more to it than joints, where skins were bound in poses of their own.
    state.base = change.to == ResetTo::kBind   ? BasePose::kBind
                 : change.to == ResetTo::kZero ? BasePose::kZero
                                               : BasePose::kRest;
    state.overrides.clear();
    return;
  }
  const rig::Pose target = change.to == ResetTo::kBind   ? rig::bind_pose(character)
                           : change.to == ResetTo::kZero ? rig::zero_pose(character)
                                                         : rig::rest_pose(character);
  const rig::Pose base = evaluate_base_pose(document);
  for (const int j : joints) {
    const Transform& local = local_of(target, j);
    // Values closest to zero, not to the present ones: a slider turned twice around comes back from both turns.
    store(document, state, j, {local, rig::dofs_from_local(joint_dofs(document, j), local)}, local_of(base, j));
  }
}

void mirror(const Document& document, State& state, const MirrorPose& change) {
  const rig::Character& character = *document.character;
  const rig::Mirror mirror(character);
  std::vector<char> meant(static_cast<std::size_t>(character.skeleton->size()), static_cast<char>(change.joint < 0));
  if (change.joint >= 0) {
    expect_joint(document, change.joint);
    for (const int j : character.skeleton->subtree(change.joint)) {
      meant[static_cast<std::size_t>(j)] = 1;
      if (const int partner = mirror.partner(j); partner >= 0) {
        meant[static_cast<std::size_t>(partner)] = 1;
      }
    }
  }
  const rig::Side to = change.direction == MirrorDirection::kLeftToRight   ? rig::Side::kRight
                       : change.direction == MirrorDirection::kRightToLeft ? rig::Side::kLeft
                                                                           : rig::Side::kNone;
  const rig::Pose base = evaluate_base_pose(document);
  for (int j = 0; j < character.skeleton->size(); ++j) {
    const int partner = mirror.partner(j);
    if (meant[static_cast<std::size_t>(j)] == 0 || partner < 0 || (to != rig::Side::kNone && mirror.side(j) != to)) {
      continue;
    }
    const auto found = document.state.overrides.find(partner);
    if (found == document.state.overrides.end()) {
      state.overrides.erase(j);
      continue;
    }
    const Transform local = mirror.image(j, found->second.local);
    store(document, state, j, {local, rig::dofs_from_local(joint_dofs(document, j), local)}, local_of(base, j));
  }
}

void set_morph(const Document& document, State& state, const SetMorph& change) {
  const rig::Pose base = evaluate_base_pose(document);
  PELT_EXPECT(change.index >= 0 && static_cast<std::size_t>(change.index) < base.morph_weights.size(),
              "morph index out of range");
  if (!std::isfinite(change.value)) {
    return;
  }
  if (state.clip < 0 && base.morph_weights[static_cast<std::size_t>(change.index)] == change.value) {
    state.morph_overrides.erase(change.index);
  } else {
    state.morph_overrides[change.index] = change.value;
  }
}

void set_clip(const Document& document, State& state, int clip) {
  PELT_EXPECT(clip >= -1 && clip < static_cast<int>(document.character->clips.size()), "clip index out of range");
  state.clip = clip;
  state.time = clip < 0 ? 0.0f : document.character->clips[static_cast<std::size_t>(clip)].start;
}

void set_time(const Document& document, State& state, float time) {
  if (state.clip < 0 || !std::isfinite(time)) {
    return;
  }
  const rig::Clip& clip = document.character->clips[static_cast<std::size_t>(state.clip)];
  state.time = std::clamp(time, clip.start, std::max(clip.start, clip.end));
}

void set_euler_order(const Document& document, State& state, const SetEulerOrder& change) {
  expect_joint(document, change.joint);
  const rig::JointDofs& own = document.character->skeleton->dofs[static_cast<std::size_t>(change.joint)];
  const std::optional<EulerOrder> own_order = rig::euler_order(own);
  if (!own_order) {
    return;
  }
  if (*own_order == change.order) {
    state.euler_orders.erase(change.joint);
  } else {
    state.euler_orders[change.joint] = change.order;
  }
  if (const auto found = state.overrides.find(change.joint); found != state.overrides.end()) {
    rig::JointDofs dofs = own;
    rig::set_euler_order(dofs, change.order);
    found->second.dof_values = rig::dofs_from_local(dofs, found->second.local);
  }
}

// What a new pane shows beside those that are there: dual quaternions, linear blending, then whatever no pane shows
// yet; what must prepare first, rigid parts and what looks like linear blending come last.
int contrasting(const State& state) {
  const auto methods = deform::skinning_methods();
  std::vector<int> order = {deform::find_method("dqs"), deform::find_method("lbs")};
  for (const bool late : {false, true}) {
    for (std::size_t m = 0; m < methods.size(); ++m) {
      if (late == (methods[m].prepare != nullptr || methods[m].id == "rigid" || methods[m].id == "lbs-sum")) {
        order.push_back(static_cast<int>(m));
      }
    }
  }
  const auto shown = [&](int method) {
    return state.skinning.method == method ||
           std::ranges::find(state.panes, method, &deform::SkinningSettings::method) != state.panes.end();
  };
  const auto found = std::ranges::find_if_not(order, shown);
  return found == order.end() ? state.skinning.method : *found;
}

void set_panes(const Document& document, State& state, int count) {
  const auto beyond = static_cast<std::size_t>(std::clamp(count, 1, kPaneLimit) - 1);
  state.panes.resize(std::min(beyond, state.panes.size()));
  while (state.panes.size() < beyond) {
    deform::SkinningSettings settings = skinning_of(document.state, document.active_pane);
    settings.method = contrasting(state);
    state.panes.push_back(settings);
  }
}

void set_skinning(State& state, const SetSkinning& change) {
  PELT_EXPECT(change.pane >= 0 && change.pane < pane_count(state), "pane index out of range");
  (change.pane == 0 ? state.skinning : state.panes[static_cast<std::size_t>(change.pane) - 1]) = change.settings;
}

// Undo may close the pane that is active.
void clamp_active_pane(Document& document) {
  document.active_pane = std::clamp(document.active_pane, 0, pane_count(document.state) - 1);
}

void replace_pose(const Document& document, State& state, const ReplacePose& change) {
  state.base = BasePose::kRest;
  state.clip = -1;
  state.time = 0;
  state.overrides.clear();
  state.morph_overrides.clear();
  Document fresh = make_document(document.character);
  fresh.state = state;
  const rig::Pose base = evaluate_base_pose(fresh);
  for (const auto& [joint, joint_override] : change.overrides) {
    expect_joint(document, joint);
    JointOverride value = joint_override;
    value.local.rotation = unit(value.local.rotation);
    if (value.dof_values.size() != joint_dofs(document, joint).dofs.size()) {
      value.dof_values = rig::dofs_from_local(joint_dofs(document, joint), value.local);
    }
    store(fresh, state, joint, std::move(value), local_of(base, joint));
  }
  for (const auto& [index, value] : change.morphs) {
    set_morph(fresh, state, {index, value});
  }
}

// The state after the change.
State changed(const Document& document, const Change& change) {
  State state = document.state;
  std::visit(Overloaded{
                 [&](const SetDof& c) {
                   set_sliders(document, state, {&c, 1});
                 },
                 [&](const SetDofs& c) { set_sliders(document, state, c.sliders); },
                 [&](const SetJointLocal& c) {
                   expect_joint(document, c.joint);
                   set_local(document, state, c);
                 },
                 [&](const ResetDof& c) {
                   expect_joint(document, c.joint);
                   const Transform base = local_of(evaluate_base_pose(document), c.joint);
                   const std::vector<float> values = rig::dofs_from_local(joint_dofs(document, c.joint), base);
                   PELT_EXPECT(c.dof >= 0 && static_cast<std::size_t>(c.dof) < values.size(), "DOF index out of range");
                   set_slider(document, state, {c.joint, c.dof, values[static_cast<std::size_t>(c.dof)]}, base, true);
                 },
                 [&](const ResetJoints& c) { reset_joints(document, state, c); },
                 [&](const SetBasePose& c) {
                   state.base = c.base;
                   state.clip = -1;
                   state.time = 0;
                   state.overrides.clear();
                 },
                 [&](const MirrorPose& c) { mirror(document, state, c); },
                 [&](const SetMorph& c) { set_morph(document, state, c); },
                 [&](const ResetMorphs&) { state.morph_overrides.clear(); },
                 [&](const SetClip& c) { set_clip(document, state, c.clip); },
                 [&](const SetTime& c) { set_time(document, state, c.time); },
                 [&](const SetEulerOrder& c) { set_euler_order(document, state, c); },
                 [&](const SetSkinning& c) { set_skinning(state, c); },
                 [&](const SetPanes& c) { set_panes(document, state, c.count); },
                 [&](const ReplacePose& c) { replace_pose(document, state, c); },
                 [](const ReplaceCharacter&) {},
                 [](const RebindSkin&) {},
             },
             change);
  return state;
}

bool moves_time(const State& before, const State& after) {
  return before.clip != after.clip || before.time != after.time;
}

// Vertices have other numbers then. Steps hold the file's own surface, so that is what is shown.
void show(Document& document, std::shared_ptr<const rig::Character> character) {
  if (character->scene != document.character->scene) {  // the step was made in another scene
    auto same = std::make_shared<rig::Character>(*character);
    rig::show_scene(*same, document.character->scene);
    character = std::move(same);
  }
  document.character = std::move(character);
  document.own = nullptr;
  document.surface = {};
  document.detail_error = 0;
  document.pinned_part = -1;
  document.pinned_vertex = -1;
  ++document.character_version;
}

// @param change  what is done in words
void replace_character(Document& document, const std::shared_ptr<const rig::Character>& character,
                       const Change& change) {
  PELT_EXPECT(character != nullptr, "a character takes the place of another");
  const rig::Character& now = *own_character(document);
  const rig::Character& next = *character;
  PELT_EXPECT(next.skeleton->size() == now.skeleton->size() && next.parts.size() == now.parts.size() &&
                  next.clips.size() == now.clips.size() && next.morph_offset == now.morph_offset,
              "a mended copy of the same character");
  document.open_merge_key.clear();
  document.redo_stack.clear();
  document.undo_stack.push_back({document.state, label(document, change), false, own_character(document)});
  if (document.undo_stack.size() > kUndoLimit) {
    document.undo_stack.erase(document.undo_stack.begin());
  }
  show(document, character);
  ++document.state_version;
}

void rebind_skin(Document& document, const RebindSkin& change) {
  const std::shared_ptr<const rig::Character>& own = own_character(document);
  Result<rig::Character> bound = rig::bound_in_pose(*own, evaluate_pose(document), change.skin);
  if (!bound) {
    return;
  }
  const bool same_vertices = document.own == nullptr;
  const glm::ivec2 pinned(document.pinned_part, document.pinned_vertex);
  replace_character(document, std::make_shared<const rig::Character>(*std::move(bound)), change);
  if (same_vertices) {
    document.pinned_part = pinned.x;
    document.pinned_vertex = pinned.y;
  }
}

// One step from one stack to the other.
void travel(Document& document, std::vector<Step>& from, std::vector<Step>& to) {
  document.open_merge_key.clear();
  if (from.empty()) {
    return;
  }
  Step step = std::move(from.back());
  from.pop_back();
  std::shared_ptr<const rig::Character> before;
  if (step.character != nullptr) {
    before = own_character(document);
  }
  to.push_back({document.state, step.label, step.moves_time, std::move(before)});
  if (step.character != nullptr) {
    show(document, std::move(step.character));
  }
  if (!step.moves_time) {
    step.state.time = document.state.time;
  }
  document.state = std::move(step.state);
  clamp_active_pane(document);
  ++document.state_version;
}

}  // namespace

void apply(Document& document, const Command& command) {
  if (const auto* replacement = std::get_if<ReplaceCharacter>(&command.change)) {
    replace_character(document, replacement->character, command.change);
    return;
  }
  if (const auto* rebind = std::get_if<RebindSkin>(&command.change)) {
    rebind_skin(document, *rebind);
    return;
  }
  const bool continues =
      !command.merge_key.empty() && command.merge_key == document.open_merge_key && !document.undo_stack.empty();
  if (command.undoable && !continues) {
    document.open_merge_key.clear();
  }
  State state = changed(document, command.change);
  if (state == document.state) {
    return;
  }
  if (command.undoable) {
    const bool time_moved = moves_time(document.state, state);
    document.redo_stack.clear();
    if (continues) {
      Step& step = document.undo_stack.back();
      step.moves_time = step.moves_time || time_moved;
      State before = step.state;
      if (!step.moves_time) {
        before.time = state.time;
      }
      if (before == state) {
        document.undo_stack.pop_back();
        document.open_merge_key.clear();
      }
    } else {
      document.undo_stack.push_back({document.state, label(document, command.change), time_moved});
      if (document.undo_stack.size() > kUndoLimit) {
        document.undo_stack.erase(document.undo_stack.begin());
      }
      document.open_merge_key = command.merge_key;
    }
  }
  document.state = std::move(state);
  clamp_active_pane(document);
  ++document.state_version;
}

void end_merge(Document& document) {
  document.open_merge_key.clear();
}

void cancel_merge(Document& document, std::string_view merge_key) {
  if (merge_key.empty() || document.open_merge_key != merge_key || document.undo_stack.empty()) {
    return;
  }
  travel(document, document.undo_stack, document.redo_stack);
  document.redo_stack.clear();
}

bool can_undo(const Document& document) {
  return !document.undo_stack.empty();
}

bool can_redo(const Document& document) {
  return !document.redo_stack.empty();
}

void undo(Document& document) {
  travel(document, document.undo_stack, document.redo_stack);
}

void redo(Document& document) {
  travel(document, document.redo_stack, document.undo_stack);
}

}  // namespace pelt::edit
