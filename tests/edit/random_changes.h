#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "core/index.h"
#include "deform/skinning_methods.h"
#include "edit/edit_fixtures.h"
#include "motion/reach.h"
#include "rig/joint_types.h"
#include "rig/lint_fix.h"

namespace pelt::test {

using namespace edit;  // NOLINT: names of each kind of change

// A change of each kind with parameters that are allowed, whatever they do.
template <typename T>
T made(const Document& document, Random& random) = delete;

inline int any_joint(const Document& document, Random& random) {
  return random.below(document.character->skeleton->size());
}
// One that has sliders: not all joints become fixed ones.
inline int any_movable(const Document& document, Random& random) {
  int joint = any_joint(document, random);
  while (joint_dofs(document, joint).dofs.empty()) {
    joint = (joint + 1) % document.character->skeleton->size();
  }
  return joint;
}
inline int any_dof(const Document& document, int joint, Random& random) {
  return random.below(static_cast<int>(joint_dofs(document, joint).dofs.size()));
}
inline Transform any_local(Random& random) {
  return {random.vector(-1, 1), glm::quat(random.rotation()), random.vector(0.5f, 2.0f)};
}
template <>
inline SetDof made(const Document& document, Random& random) {
  const int joint = any_movable(document, random);
  return {joint, any_dof(document, joint, random), random.real(-4.0f, 4.0f)};
}
template <>
inline SetDofs made(const Document& document, Random& random) {
  return {{made<SetDof>(document, random), made<SetDof>(document, random), made<SetDof>(document, random)}};
}
template <>
inline SetJointLocal made(const Document& document, Random& random) {
  return {any_joint(document, random), any_local(random), random.below(2) == 0};
}
template <>
inline SetJointLocals made(const Document& document, Random& random) {
  SetJointLocals change{{}, static_cast<rig::DofKind>(random.below(3))};
  for (int i = random.below(4); i >= 0; --i) {
    change.joints.push_back(made<SetJointLocal>(document, random));
  }
  return change;
}
template <>
inline ResetDof made(const Document& document, Random& random) {
  const int joint = any_movable(document, random);
  return {joint, any_dof(document, joint, random)};
}
template <>
inline ResetDofs made(const Document& document, Random& random) {
  return {{made<ResetDof>(document, random), made<ResetDof>(document, random)}};
}
template <>
inline ResetJoints made(const Document& document, Random& random) {
  std::vector<int> joints(random.below(4));
  for (int& joint : joints) {
    joint = any_joint(document, random);
  }
  return {std::move(joints), static_cast<ResetScope>(random.below(3)), static_cast<ResetTo>(random.below(4))};
}
template <>
inline SetBasePose made(const Document&, Random& random) {
  return {static_cast<BasePose>(random.below(3))};
}
template <>
inline MirrorPose made(const Document& document, Random& random) {
  MirrorPose out{static_cast<MirrorDirection>(random.below(3)), {}};
  for (int n = random.below(3); n > 0; --n) {
    out.joints.push_back(any_joint(document, random));
  }
  return out;
}
template <>
inline SetMorph made(const Document&, Random& random) {
  return {random.below(3), random.real(-1.0f, 2.0f)};
}
template <>
inline ResetMorphs made(const Document&, Random&) {
  return {};
}
template <>
inline SetClip made(const Document& document, Random& random) {
  return {random.below(static_cast<int>(document.character->clips.size()) + 1) - 1};
}
template <>
inline SetTime made(const Document&, Random& random) {
  return {random.real(0.0f, 4.0f)};
}
template <>
inline SetEulerOrder made(const Document& document, Random& random) {
  return {any_joint(document, random), kEulerOrders[random.below(6)]};
}
template <>
inline SetSkinning made(const Document& document, Random& random) {
  deform::SkinningSettings settings;
  settings.method = random.below(static_cast<int>(deform::skinning_methods().size()));
  settings.influence_limit = random.below(9);
  settings.parameters.mush_lambda = random.real(0.0f, 1.0f);
  settings.refine = random.below(2) == 0 ? deform::Refine::kBeforeSkin : deform::Refine::kAfterSkin;
  return {settings, random.below(pane_count(document.content))};
}
template <>
inline SetPanes made(const Document&, Random& random) {
  return {1 + random.below(kPaneLimit)};
}
template <>
inline DragJoint made(const Document& document, Random& random) {
  const int joint = any_joint(document, random);
  const motion::Limbs limbs(*document.character);
  motion::ReachChain chain = limbs.natural_chain(joint);
  for (int n = random.below(3); n > 0; --n) {
    chain = limbs.longer_chain(chain);
  }
  DragJoint drag{.joint = joint, .target = random.vector(-2, 2), .chain = chain};
  drag.limits = random.below(2) == 0;
  drag.at_once = random.below(2) == 0;
  drag.iterations = 1 + random.below(8);
  if (random.below(2) == 0) {
    drag.direction = glm::quat(random.rotation());
  }
  return drag;
}
template <>
inline BreakDownPose made(const Document& document, Random& random) {
  return {posed_joints(document, {any_joint(document, random)}, static_cast<ResetScope>(random.below(3))),
          static_cast<ResetTo>(random.below(4)), random.real(-1.0f, 1.0f)};
}
template <>
inline PinJoints made(const Document& document, Random& random) {
  return {{any_joint(document, random)}, random.below(3) != 0};
}
template <>
inline ReplacePose made(const Document& document, Random& random) {
  ReplacePose pose;
  for (int i = 0; i < 3; ++i) {
    pose.overrides[any_joint(document, random)] = {any_local(random), {}};
  }
  pose.morphs[random.below(3)] = random.real(-1.0f, 2.0f);
  return pose;
}
template <>
inline ReplaceCharacter made(const Document& document, Random& random) {
  const int kind = random.below(4);
  if (kind == 0) {  // what lint finds is mended: copies of vertices become one, unused ones go
    static const std::string kVertices[] = {"duplicate-vertex", "unused-vertex"};
    ReplaceCharacter mended;
    mended.character =
        std::make_shared<const rig::Character>(rig::fixed(*own_character(document), kVertices, &mended.renumbered));
    if (!mended.renumbered.empty()) {
      return mended;
    }
  }
  auto character = std::make_shared<rig::Character>(*own_character(document));
  if (kind == 1 && character->meshes.size() > 1) {  // other numbers, and nobody says which
    mesh::Primitive& other = character->meshes.edit(1).primitives.edit(0);
    std::ranges::reverse(other.indices.edit());
    return {character, {}};
  }
  character->name = "number " + std::to_string(random.below(1000000));
  character->meshes.edit(0).primitives.edit(0).positions.edit()[0] = random.vector(-1, 1);
  const float share = random.real(0.5f, 1.0f);
  const std::uint16_t joints[] = {static_cast<std::uint16_t>(random.below(3)), static_cast<std::uint16_t>(3)};
  const float weights[] = {share, 1 - share};
  character->meshes.edit(0).primitives.edit(0).influences.edit().set_row(0, joints, weights);
  return {character, {}};
}
template <>
inline RebindSkin made(const Document&, Random&) {
  return {0};
}

template <>
inline SetLayer made(const Document& document, Random& random) {
  SetLayer change{static_cast<std::size_t>(random.below(static_cast<int>(layer_count(document.content)))),
                  random.below(2) == 0,
                  {}};
  for (std::size_t f = 0; f < layer_kind_at(document.content, change.layer)->fields.size(); ++f) {
    change.values.push_back(random.real(-0.5f, 1.5f));
  }
  return change;
}
template <>
inline RenameJoint made(const Document& document, Random& random) {
  const char* const kNames[] = {"", "twin", "elbow_l", "a", "b", "Schl\u00fcsselbein"};
  return {any_joint(document, random), kNames[random.below(6)]};
}
template <>
inline SmoothWeights made(const Document&, Random& random) {
  SmoothWeights smoothing = {.strength = random.real(0.0f, 1.0f), .iterations = 1 + random.below(3)};
  if (random.below(2) == 0) {
    smoothing.vertices = {static_cast<std::uint32_t>(random.below(2))};
    smoothing.strengths = {random.real(0.0f, 1.0f)};
  }
  smoothing.primitive = random.below(2) - 1;
  smoothing.limit = random.below(3);
  smoothing.cotangents = random.below(2) == 0;
  if (random.below(4) == 0) {
    smoothing.locked = {random.below(6)};
  }
  return smoothing;
}

template <>
inline UseWeightTool made(const Document& document, Random& random) {
  const std::span<const WeightTool> tools = weight_tools();
  const WeightTool& tool = tools[static_cast<std::size_t>(random.below(static_cast<int>(tools.size())))];
  UseWeightTool change{.tool = std::string(tool.id)};
  for (const bind::Field& field : tool.fields) {
    change.values.push_back(random.real(field.minimum, field.maximum));
  }
  if (random.below(2) == 0) {
    change.source = document.character;
  }
  const int joints = static_cast<int>(tool.joints) + (random.below(10) == 0 ? 1 : 0);
  for (int k = 0; k < joints; ++k) {
    change.joints.push_back(any_joint(document, random));
  }
  if (random.below(2) == 0) {
    change.vertices = {static_cast<std::uint32_t>(random.below(2))};
    change.strengths = {random.real(0.0f, 1.5f)};
  }
  change.primitive = random.below(2) - 1;
  if (random.below(4) == 0) {
    change.locked = {random.below(6)};
  }
  return change;
}

template <>
inline BindSkin made(const Document& document, Random& random) {
  BindSkin change{.binder = "point-to-line"};
  change.values = {random.real(1.0, 8.0), 1.0 + random.below(4)};
  change.limit = random.below(5);
  if (random.below(2) == 0) {
    change.request.joints = {any_joint(document, random), any_joint(document, random)};
  }
  if (random.below(3) == 0) {
    change.joints = {any_joint(document, random)};
  }
  if (random.below(3) == 0 && !document.character->parts.empty() && shows_own_surface(document)) {
    change.vertices = {{0, {0}}};
  }
  // Of its own, so that what others get by chance is what they got before there were volumes.
  Random own(static_cast<unsigned>(1e6 * change.values[0]));
  if (own.below(3) == 0) {
    change.binder = kVolumesBinder;
    change.values = {1.0 * own.below(6), own.real(0.5, 2.0), 1.0 * own.below(2), own.real(1.0, 4.0), 1.0};
    for (int joint = 0; joint < document.character->skeleton->size(); ++joint) {
      if (own.below(4) == 0) {
        change.request.volumes.push_back({.joint = joint,
                                          .kind = static_cast<bind::VolumeKind>(own.below(6)),
                                          .center = own.vector(-1, 1),
                                          .rotation = glm::quat(own.rotation()),
                                          .half = own.vector(0, 1),
                                          .head_radius = own.real(0.0f, 1.0f),
                                          .tail_radius = own.real(0.0f, 1.0f)});
      }
    }
  }
  return change;
}

template <>
inline UseFileWeights made(const Document&, Random&) {
  return {};
}
template <>
inline LockJoints made(const Document& document, Random& random) {
  return {{any_joint(document, random), any_joint(document, random)}, random.below(3) != 0};
}
template <>
inline PaintWeights made(const Document& document, Random& random) {
  PaintWeights change;
  for (int dabs = 1 + random.below(3); dabs > 0; --dabs) {
    PaintDab dab{static_cast<mesh::DabMode>(random.below(7)), {0, 1}, {random.real(0.0f, 1.0f), 0.5f}};
    dab.value = random.real(0.0f, 1.0f);
    if (random.below(3) == 0) {  // a gradient
      dab.values = {random.real(0.0f, 1.0f), random.real(0.0f, 1.0f)};
    }
    dab.joint = any_joint(document, random);
    dab.first = {{any_joint(document, random), 1}};
    dab.second = {{any_joint(document, random), 1}};
    change.dabs.push_back(std::move(dab));
  }
  change.limit = random.below(5);
  if (random.below(3) == 0) {
    change.from = own_character(document);
  }
  return change;
}
template <>
inline PullWeights made(const Document& document, Random& random) {
  PullWeights change{.places = {0, 1}, .amounts = {1, random.real(0.0f, 1.0f)}};
  rig::WorldMatrices world;
  world.evaluate(document.character->skeleton, evaluate_pose(document));
  change.poses = {{{world.world().begin(), world.world().end()}, random.vector(-0.5f, 0.5f), 1}};
  if (random.below(2) == 0) {  // another pose, with targets, of a wrong number now and then
    PullTo kept = change.poses.front();
    kept.world.front()[3] += glm::vec4(random.vector(-0.5f, 0.5f), 0);
    kept.targets.assign(random.below(8) == 0 ? 1 : 2, random.vector(-0.5f, 0.5f));
    change.poses.push_back(std::move(kept));
  }
  change.more = {any_joint(document, random)};
  return change;
}

template <>
inline RelaxWeights made(const Document& document, Random& random) {
  RelaxWeights change{.places = {0, 1}, .amounts = {1, random.real(0.0f, 1.0f)}};
  for (int i = random.below(3); i > 0; --i) {
    rig::WorldMatrices world;
    world.evaluate(document.character->skeleton, evaluate_pose(document));
    std::vector<glm::mat4>& of_pose = change.worlds.emplace_back(world.world().begin(), world.world().end());
    of_pose.back()[3] += glm::vec4(random.vector(-0.5f, 0.5f), 0);
    if (random.below(8) == 0) {  // of a wrong number
      of_pose.pop_back();
    }
  }
  change.more = {any_joint(document, random)};
  return change;
}

template <>
inline NameSelection made(const Document& document, Random& random) {
  const char* const kNames[] = {"", "left hand", "Finger \u00fc", "a"};
  NameSelection change{kNames[random.below(4)], {}};
  for (int i = random.below(3); i > 0; --i) {
    const int joint = any_joint(document, random);
    change.selection.joints = combined(change.selection.joints, std::vector{joint}, SelectBy::kAdd);
  }
  const auto nodes = static_cast<int>(document.character->mesh_nodes.size());
  for (int node = random.below(2); node < nodes; node += 1 + random.below(2)) {
    std::vector<std::uint32_t> vertices;
    for (std::uint32_t v = 0; v < 8; ++v) {  // some of which there are not
      if (random.below(2) == 0) {
        vertices.push_back(v);
      }
    }
    if (!vertices.empty()) {
      change.selection.vertices.push_back({node, 0, vertices});
    }
  }
  return change;
}
template <>
inline RemoveSelection made(const Document&, Random& random) {
  return {random.below(2) == 0 ? "a" : "left hand"};
}

template <>
inline SetJointSliders made(const Document& document, Random& random) {
  const int joint = random.below(3) == 0 ? any_joint(document, random) : 1 + random.below(4);
  // The root stays movable, so that some joint is.
  const int fewest = joint == 0 ? 1 : 0;
  const rig::JointMotion wished{static_cast<rig::JointType>(fewest + random.below(rig::kJointTypeCount - fewest)),
                                random.below(2) == 0, random.below(4) == 0};
  SetJointSliders change{joint, rig::change_type(joint_dofs(document, joint), wished, glm::vec3(random.unit()))};
  for (rig::Dof& dof : change.dofs.dofs) {
    dof.upper += random.real(0.0f, 0.5f);
    dof.folded = random.below(3) == 0;
    dof.default_value = random.real(0.1f, 1.0f);
  }
  if (random.below(3) == 0) {
    change.dofs.swing_limit = random.real(0.0f, 3.0f);
  }
  if (random.below(3) == 0) {
    change.dofs.offset += random.vector(-0.1f, 0.1f);
  }
  return change;
}
template <>
inline SetSlidersOfJoints made(const Document& document, Random& random) {
  return {{made<SetJointSliders>(document, random), made<SetJointSliders>(document, random)}};
}

inline int any_clip(const Document& document, Random& random) {
  return random.below(static_cast<int>(own_character(document)->clips.size()) + 1) - 1;  // -1: none
}
// Keys of a clip, some of which there are not.
inline KeySelection any_keys(const Document& document, int clip, Random& random) {
  KeySelection keys;
  if (clip < 0) {
    return keys;
  }
  for (const rig::Channel& channel : own_character(document)->clips[clip].channels) {
    ChannelKeys some{id_of(channel), {}};
    for (const float time : channel.times) {
      if (random.below(2) == 0) {
        some.times.push_back(time);
      }
    }
    if (random.below(4) == 0) {
      some.times.push_back(100);
    }
    keys.push_back(std::move(some));
  }
  return keys;
}
template <>
inline SetKeys made(const Document& document, Random& random) {
  SetKeys change{any_clip(document, random), {}};
  for (int n = 1 + random.below(3); n > 0; --n) {
    const Transform local = any_local(random);
    const ChannelId id{any_joint(document, random), static_cast<rig::ChannelPath>(random.below(3))};
    std::vector<float> value = {local.translation.x, local.translation.y, local.translation.z};
    if (id.path == rig::ChannelPath::kRotation) {
      value = {local.rotation.x, local.rotation.y, local.rotation.z, local.rotation.w};
    }
    change.keys.push_back({id, random.real(0.0f, 4.0f), value, static_cast<rig::Interpolation>(random.below(3))});
  }
  return change;
}
template <>
inline KeyJoints made(const Document& document, Random& random) {
  return {any_clip(document, random), {any_joint(document, random), any_joint(document, random)}, {random.below(3)}};
}
template <>
inline RemoveKeys made(const Document& document, Random& random) {
  const int clip = any_clip(document, random);
  return {clip, any_keys(document, clip, random)};
}
template <>
inline MoveKeys made(const Document& document, Random& random) {
  const int clip = any_clip(document, random);
  return {clip,
          any_keys(document, clip, random),
          {.pivot = random.real(0.0, 2.0),
           .factor = random.real(-2.0, 2.0),
           .offset = random.real(-1.0, 1.0),
           .frame_rate = 30.0 * random.below(2)}};
}
template <>
inline SetInterpolation made(const Document& document, Random& random) {
  const int clip = any_clip(document, random);
  SetInterpolation change{clip, {}, static_cast<rig::Interpolation>(random.below(3))};
  for (const ChannelKeys& keys : any_keys(document, clip, random)) {
    change.channels.push_back(keys.channel);
  }
  return change;
}
template <>
inline SetTangents made(const Document& document, Random& random) {
  const int clip = any_clip(document, random);
  return {clip, any_keys(document, clip, random), static_cast<rig::Tangents>(random.below(4))};
}
template <>
inline SetTangent made(const Document& document, Random& random) {
  SetTangent change{any_clip(document, random), {}, 0, static_cast<rig::KeySide>(random.below(2)), {}, false};
  for (const ChannelKeys& keys : any_keys(document, change.clip, random)) {
    if (change.slope.empty() || random.below(2) == 0) {
      change.channel = keys.channel;
      change.time = keys.times.empty() ? 0 : keys.times.front();
      change.slope = {0};
    }
  }
  change.slope.assign(change.channel.path == rig::ChannelPath::kRotation ? 4 : 3, random.real(-2.0f, 2.0f));
  change.alone = random.below(2) == 0;
  return change;
}
template <>
inline AddClip made(const Document& document, Random& random) {
  const char* const kNames[] = {"", "walk", "wave 2"};
  return {kNames[random.below(3)], any_clip(document, random)};
}
template <>
inline RenameClip made(const Document& document, Random& random) {
  const char* const kNames[] = {"", "walk", "Gr\u00fc\u00dfe"};
  return {any_clip(document, random), kNames[random.below(3)]};
}
template <>
inline RemoveClip made(const Document& document, Random& random) {
  return {any_clip(document, random)};
}
template <>
inline ChangeClip made(const Document& document, Random& random) {
  const int operation = random.below(static_cast<int>(clip_operations().size()));
  return {any_clip(document, random), operation, standard_numbers(clip_operations()[operation])};
}

template <>
inline InsertClip made(const Document& document, Random& random) {
  // What another skeleton's motion becomes: turns of one joint, and of one that is not there.
  rig::Clip clip;
  clip.name = random.below(2) == 0 ? "walk" : "";
  for (const int joint : {random.below(document.character->skeleton->size()), 1 << 20}) {
    rig::Channel channel;
    channel.joint = joint;
    channel.path = rig::ChannelPath::kRotation;
    channel.width = 4;
    channel.times = {0.0f, 0.5f};
    const auto turn = glm::quat(random.rotation());
    channel.values = {0, 0, 0, 1, turn.x, turn.y, turn.z, turn.w};
    clip.channels.push_back(channel);
  }
  clip.end = 0.5f;
  return {std::make_shared<const rig::Clip>(clip)};
}

// Of the left elbow, the root, which always is movable, and a shape; some of them read each other, or what is not
// there.
template <>
inline SetDrivers made(const Document& document, Random& random) {
  const rig::Skeleton& skeleton = document.character->skeleton;
  const auto dof = [&](int joint) {
    const int d = any_dof(document, joint, random);
    return motion::control_text(*document.character, joint, d);
  };
  SetDrivers change;
  const char* const kExpressions[] = {"10 * t", "shape(smile) * 40", "sqrt(-1 * t)", "twist(\"node 1\", z)",
                                      "none.bend"};
  for (int n = random.below(3); n > 0; --n) {
    const int joint = skeleton.dofs[2].dofs.empty() ? 0 : 2;
    change.drivers.push_back({random.below(2) == 0 ? dof(joint) : std::string("shape(smile)"),
                              random.below(3) == 0 ? dof(0) + " / 90" : std::string(kExpressions[random.below(5)]),
                              random.below(4) != 0});
  }
  return change;
}
template <>
inline SetSemanticSliders made(const Document& document, Random& random) {
  SetSemanticSliders change;
  for (int n = random.below(3); n > 0; --n) {
    const int joint = any_movable(document, random);
    const std::string target = motion::control_text(*document.character, joint, any_dof(document, joint, random));
    change.sliders.push_back({random.below(2) == 0 ? "Finger \u00fc" : "smile",
                              -random.real(0.0f, 1.0f),
                              random.real(0.0f, 2.0f),
                              {{target, random.real(-20.0f, 20.0f), random.real(-1.0f, 1.0f)}, {"shape(smile)", 1}},
                              random.real(-1.0f, 2.0f)});
  }
  return change;
}
template <>
inline SetSemanticValue made(const Document&, Random& random) {
  return {static_cast<std::size_t>(random.below(2)), random.real(-1.0f, 2.0f)};
}
template <>
inline SetSprings made(const Document& document, Random& random) {
  const rig::Skeleton& skeleton = document.character->skeleton;
  SetSprings change;
  if (random.below(3) != 0) {
    motion::SpringChain chain{.name = "arm"};
    for (const int joint : {1, 2}) {
      chain.joints.push_back({.joint = motion::joint_reference(skeleton, joint), .mass = random.real(0.1f, 2.0f)});
    }
    chain.end = random.below(2) == 0 ? motion::joint_reference(skeleton, 3) : "";
    chain.center = random.below(2) == 0 ? motion::joint_reference(skeleton, 0) : "";
    if (random.below(2) == 0) {
      chain.colliders = {"ball"};
      change.springs.colliders.push_back({.name = "ball",
                                          .joint = motion::joint_reference(skeleton, random.below(4)),
                                          .shape = static_cast<rig::ColliderShape>(random.below(3)),
                                          .offset = random.vector(-1, 1),
                                          .radius = random.real(0.0f, 0.3f)});
    }
    change.springs.wind.acceleration = random.vector(-1, 1);
    change.springs.chains.push_back(std::move(chain));
  }
  return change;
}

template <>
inline SetFileConstraintWeight made(const Document&, Random& random) {
  return {random.below(3) - 1, random.real(-0.5f, 1.5f)};
}

// Of all joints or of two, with a number that no joint has.
inline Shared<StoredPose> any_stored_pose(const Document& document, Random& random) {
  const char* const kNames[] = {"", "Fist", "Gr\u00fc\u00dfe\n2"};
  StoredPose pose = stored_pose(document, kNames[random.below(3)],
                                random.below(2) == 0 ? std::vector<int>() : std::vector<int>{kElbow, kHand});
  pose.joints[any_joint(document, random)] = any_local(random);
  if (random.below(4) == 0) {
    pose.joints[1 << 20] = {};
  }
  pose.picture = std::string(static_cast<std::size_t>(random.below(3)) * 40, 'p');
  return pose;
}
inline int any_stored(const Document& document, Random& random) {
  return random.below(static_cast<int>(document.content.library.size()) + 1);  // there may be none
}
template <>
inline StorePoses made(const Document& document, Random& random) {
  StorePoses change{{any_stored_pose(document, random)}, random.below(4) - 1};
  if (random.below(3) == 0) {
    change.poses.push_back(any_stored_pose(document, random));
  }
  return change;
}
template <>
inline KeepPose made(const Document& document, Random& random) {
  return {random.below(static_cast<int>(document.content.kept_poses.size()) + 2) - 1};  // the last is not there
}
template <>
inline ForgetPose made(const Document& document, Random& random) {
  return {random.below(static_cast<int>(document.content.kept_poses.size()) + 2) - 1};
}
template <>
inline ReplaceStoredPose made(const Document& document, Random& random) {
  return {any_stored(document, random), any_stored_pose(document, random)};
}
template <>
inline RenameStoredPose made(const Document& document, Random& random) {
  const char* const kNames[] = {"", "Fist", "\n", "open hand"};
  return {any_stored(document, random), kNames[random.below(4)]};
}
template <>
inline RemoveStoredPose made(const Document& document, Random& random) {
  return {any_stored(document, random)};
}
template <>
inline MoveStoredPose made(const Document& document, Random& random) {
  return {any_stored(document, random), random.below(6) - 1};
}
template <>
inline ApplyPose made(const Document& document, Random& random) {
  const int index = any_stored(document, random);
  ApplyPose change;
  change.pose = has_index(document.content.library, index) ? document.content.library.shared(index)
                                                           : any_stored_pose(document, random);
  change.share = random.below(2) == 0 ? 1.0f : random.real(-0.5f, 1.5f);
  change.flipped = random.below(3) == 0;
  if (random.below(3) == 0) {
    change.joints = {kElbow, any_joint(document, random)};
  }
  return change;
}

template <>
inline SetClipLayers made(const Document& document, Random& random) {
  SetClipLayers change;
  const char* const kClips[] = {"wave", "walk", "#0", "gone"};
  for (int n = random.below(3); n > 0; --n) {
    motion::ClipLayer layer{.clip = kClips[random.below(4)], .on = random.below(4) != 0};
    layer.mode = static_cast<motion::ClipLayerMode>(random.below(2));
    layer.reference = static_cast<motion::AdditiveReference>(random.below(2));
    layer.weight = random.real(-0.5f, 1.5f);
    layer.speed = random.real(-3.0f, 3.0f);
    layer.start = random.real(0.0f, 1.0f);
    layer.offset = random.real(-1.0f, 1.0f);
    layer.length = random.below(2) == 0 ? 0 : random.real(0.0f, 2.0f);
    layer.fade_in = random.real(0.0f, 1.0f);
    layer.fade_out = random.real(0.0f, 1.0f);
    layer.loops = random.below(2) == 0;
    for (int joints = random.below(3); joints > 0; --joints) {
      layer.joints.push_back(motion::joint_reference(document.character->skeleton, any_joint(document, random)));
    }
    layer.below = random.below(2) == 0;
    change.layers.push_back(std::move(layer));
  }
  return change;
}
template <>
inline SetConstraints made(const Document& document, Random& random) {
  const rig::Skeleton& skeleton = document.character->skeleton;
  SetConstraints change;
  for (int n = random.below(3); n > 0; --n) {
    motion::Constraint constraint{.kind = static_cast<motion::ConstraintKind>(random.below(6))};
    constraint.joint = motion::joint_reference(skeleton, any_joint(document, random));
    constraint.target = random.below(8) == 0 ? "gone" : motion::joint_reference(skeleton, any_joint(document, random));
    constraint.on = random.below(4) != 0;
    constraint.weight = random.real(-0.5f, 1.5f);
    constraint.axis = glm::vec3(random.unit());
    constraint.axes = {random.below(2) == 0, random.below(2) == 0, true};
    constraint.offset.translation = random.vector(-1, 1);
    constraint.height = random.real(-1.0f, 1.0f);
    change.constraints.push_back(constraint);
  }
  return change;
}
template <>
inline BakeClipLayers made(const Document&, Random&) {
  return {};
}
template <>
inline BakeSprings made(const Document&, Random&) {
  return {};
}
template <>
inline BakePins made(const Document&, Random&) {
  return {};
}
template <>
inline AddJoints made(const Document&, Random& random) {
  AddJoints change;
  for (int j = 0; j < 1 + random.below(3); ++j) {
    change.joints.push_back({"new", random.below(j + 1) - 1, any_local(random)});
  }
  return change;
}
template <>
inline PlaceJoints made(const Document& document, Random& random) {
  PlaceJoints change;
  for (int j = first_new_joint(document); j < own_character(document)->skeleton->size(); ++j) {
    if (random.below(2) == 0) {
      change.joints.push_back(j);
      change.places.push_back(random.vector(-1, 1));
    }
  }
  return change;
}
template <>
inline RemoveNewJoints made(const Document&, Random&) {
  return {};
}

inline constexpr std::size_t kKinds = Change::kCount;
using Maker = Change (*)(const Document&, Random&);
template <std::size_t... I>
constexpr std::array<Maker, kKinds> makers(std::index_sequence<I...>) {
  return {[](const Document& document, Random& random) -> Change {
    return made<Change::Alternative<I>>(document, random);
  }...};
}
inline constexpr auto kMakers = makers(std::make_index_sequence<kKinds>());

inline Change random_change(const Document& document, Random& random) {
  return kMakers[random.below(static_cast<int>(kKinds))](document, random);
}

}  // namespace pelt::test
