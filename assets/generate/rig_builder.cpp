#include "rig_builder.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "core/expect.h"

namespace pelt::assets {
namespace {

constexpr float kDegree = std::numbers::pi_v<float> / 180.0f;

glm::dmat4 frame(const glm::dmat3& axes, const glm::dvec3& position) {
  glm::dmat4 m(axes);
  m[3] = glm::dvec4(position, 1);
  return m;
}

glm::dmat4 matrix_of(const Transform& t) {
  const glm::dquat q(t.rotation);
  glm::dmat4 m(glm::mat3_cast(q));
  for (int c = 0; c < 3; ++c) {
    m[c] *= static_cast<double>(t.scale[c]);
  }
  m[3] = glm::dvec4(glm::dvec3(t.translation), 1);
  return m;
}

std::string other_side(const std::string& name_l) {
  PELT_EXPECT(name_l.ends_with("_l"), "a joint of the left side");
  return name_l.substr(0, name_l.size() - 1) + "r";
}

}  // namespace

glm::dmat3 bone_axes(const glm::dvec3& along, const glm::dvec3& flexes_to) {
  const glm::dvec3 x = glm::normalize(along);
  const glm::dvec3 z = glm::normalize(glm::cross(x, flexes_to));
  return {x, glm::cross(z, x), z};
}

int RigBuilder::add(std::string name, int parent, const glm::dvec3& position, const glm::dmat3& axes,
                    std::vector<AuthoredDof> dofs) {
  const int j = skeleton_.size();
  const glm::dmat4 world = frame(axes, position);
  const glm::dmat4 local = parent < 0 ? world : glm::inverse(zero_world(parent)) * world;
  rig::JointDofs joint;
  joint.authored = true;
  joint.offset = glm::vec3(local[3]);
  joint.orientation = glm::quat(glm::normalize(glm::quat_cast(glm::dmat3(local))));
  std::vector<float> values;
  for (AuthoredDof& dof : dofs) {
    joint.dofs.push_back(
        {.name = std::move(dof.name), .axis = dof.axis, .lower = dof.lower * kDegree, .upper = dof.upper * kDegree});
    values.push_back(dof.rest * kDegree);
  }
  const Transform rest = rig::local_from_dofs(joint, values);
  skeleton_.parent.push_back(parent);
  skeleton_.name.push_back(std::move(name));
  skeleton_.rest.push_back(rest);
  skeleton_.dofs.push_back(std::move(joint));
  zero_.push_back(world);
  bind_.push_back(parent < 0 ? matrix_of(rest) : bind_world(parent) * matrix_of(rest));
  return j;
}

int RigBuilder::add_both(const std::string& name_l, int parent, const glm::dvec3& position, const glm::dmat3& axes,
                         const std::vector<AuthoredDof>& dofs) {
  const int left = add(name_l, parent, position, axes, dofs);
  const std::string& parent_name = skeleton_.name[at(parent)];
  const int other_parent = parent_name.ends_with("_l") ? find(other_side(parent_name)) : parent;
  const auto reflect = [](const glm::dvec3& v) { return glm::dvec3(-v.x, v.y, v.z); };
  // The mirror image of a right-handed frame with its hinge axis turned round: bends keep their sign, and the other two
  // axes are listed negated so that theirs is kept too.
  const glm::dmat3 other_axes(reflect(axes[0]), reflect(axes[1]), -reflect(axes[2]));
  std::vector<AuthoredDof> other_dofs = dofs;
  for (AuthoredDof& dof : other_dofs) {
    dof.axis = glm::vec3(-dof.axis.x, -dof.axis.y, dof.axis.z);
  }
  add(other_side(name_l), other_parent, reflect(position), other_axes, std::move(other_dofs));
  return left;
}

void RigBuilder::add_translation_dofs(int joint, float reach) {
  for (int axis = 0; axis < 3; ++axis) {
    glm::vec3 direction(0.0f);
    direction[axis] = 1;
    skeleton_.dofs[at(joint)].dofs.push_back({.name = std::string("t") + "xyz"[axis],
                                              .kind = rig::DofKind::kTranslation,
                                              .axis = direction,
                                              .lower = -reach,
                                              .upper = reach});
  }
}

int RigBuilder::find(std::string_view name) const {
  const int j = skeleton_.find(name);
  PELT_EXPECT(j >= 0, "a joint of that name");
  return j;
}

glm::dvec3 RigBuilder::to_bind(int j, const glm::dvec3& zero_point) const {
  return glm::dvec3(bind_world(j) * (glm::inverse(zero_world(j)) * glm::dvec4(zero_point, 1)));
}

glm::dmat3 RigBuilder::turn_to_bind(int j) const {
  return glm::dmat3(bind_world(j)) * glm::transpose(glm::dmat3(zero_world(j)));
}

rig::Skin RigBuilder::make_skin(std::string name) const {
  rig::Skin skin;
  skin.name = std::move(name);
  for (int j = 0; j < skeleton_.size(); ++j) {
    skin.joints.push_back(j);
    skin.joint_from_mesh.push_back(glm::mat4(glm::inverse(bind_world(j))));
    // An exact last row, which inverting may miss by a rounding.
    for (int c = 0; c < 4; ++c) {
      skin.joint_from_mesh.back()[c][3] = c == 3 ? 1.0f : 0.0f;
    }
  }
  skin.skeleton_root = 0;
  return skin;
}

std::vector<float> rest_values(const rig::Skeleton& skeleton, int j) {
  return rig::dofs_from_local(skeleton.dofs[at(j)], skeleton.rest[at(j)]);
}

PoseAuthor::PoseAuthor(const rig::Skeleton& skeleton) : skeleton_(skeleton) {
  for (int j = 0; j < skeleton.size(); ++j) {
    values_.push_back(rest_values(skeleton, j));
  }
}

void PoseAuthor::set(std::string_view joint, std::string_view dof, double value) {
  const int j = skeleton_.find(joint);
  PELT_EXPECT(j >= 0, "a joint of that name");
  const int d = skeleton_.dofs[at(j)].find(dof);
  PELT_EXPECT(d >= 0, "a degree of freedom of that name");
  const bool is_angle = skeleton_.dofs[at(j)].dofs[at(d)].kind == rig::DofKind::kRotation;
  values_[at(j)][at(d)] = static_cast<float>(value) * (is_angle ? kDegree : 1.0f);
}

void PoseAuthor::set_both(const std::string& joint_l, std::string_view dof, double value) {
  set(joint_l, dof, value);
  set(other_side(joint_l), dof, value);
}

double PoseAuthor::get(std::string_view joint, std::string_view dof) const {
  const int j = skeleton_.find(joint);
  PELT_EXPECT(j >= 0, "a joint of that name");
  const int d = skeleton_.dofs[at(j)].find(dof);
  PELT_EXPECT(d >= 0, "a degree of freedom of that name");
  const bool is_angle = skeleton_.dofs[at(j)].dofs[at(d)].kind == rig::DofKind::kRotation;
  return static_cast<double>(values_[at(j)][at(d)] / (is_angle ? kDegree : 1.0f));
}

Transform PoseAuthor::local(int j) const {
  return rig::local_from_dofs(skeleton_.dofs[at(j)], values_[at(j)]);
}

glm::dmat4 PoseAuthor::world(int j) const {
  glm::dmat4 m = matrix_of(local(j));
  for (int p = skeleton_.parent[at(j)]; p >= 0; p = skeleton_.parent[at(p)]) {
    m = matrix_of(local(p)) * m;
  }
  return m;
}

rig::Clip clip_from_poses(std::string name, float duration, std::span<const PoseAuthor> poses) {
  PELT_EXPECT(poses.size() >= 2, "a clip has two keys at least");
  const rig::Skeleton& skeleton = poses.front().skeleton();
  rig::Clip clip;
  clip.name = std::move(name);
  clip.end = duration;
  std::vector<float> times;
  for (std::size_t k = 0; k < poses.size(); ++k) {
    times.push_back(duration * static_cast<float>(k) / static_cast<float>(poses.size() - 1));
  }
  for (int j = 0; j < skeleton.size(); ++j) {
    rig::Channel rotation{.joint = j, .path = rig::ChannelPath::kRotation, .times = times, .values = {}, .width = 4};
    rig::Channel translation{
        .joint = j, .path = rig::ChannelPath::kTranslation, .times = times, .values = {}, .width = 3};
    bool turns = false;
    bool moves = false;
    glm::quat previous = skeleton.rest[at(j)].rotation;
    for (const PoseAuthor& pose : poses) {
      const Transform local = pose.local(j);
      const glm::quat q = glm::dot(previous, local.rotation) < 0 ? -local.rotation : local.rotation;
      previous = q;
      turns = turns || std::abs(glm::dot(q, skeleton.rest[at(j)].rotation)) < 1 - 1e-7f;
      moves = moves || glm::length(local.translation - skeleton.rest[at(j)].translation) > 1e-6f;
      rotation.values.insert(rotation.values.end(), {q.x, q.y, q.z, q.w});
      translation.values.insert(translation.values.end(),
                                {local.translation.x, local.translation.y, local.translation.z});
    }
    if (moves) {
      clip.channels.push_back(std::move(translation));
    }
    if (turns) {
      clip.channels.push_back(std::move(rotation));
    }
  }
  return clip;
}

void add_morph_channel(rig::Clip& clip, int joint, int width, std::vector<float> times, std::vector<float> values) {
  PELT_EXPECT(values.size() == times.size() * at(width), "one value per morph target and key");
  clip.channels.push_back({.joint = joint,
                           .path = rig::ChannelPath::kWeights,
                           .times = std::move(times),
                           .values = std::move(values),
                           .width = width});
}

glm::vec4 srgb(int r, int g, int b) {
  const auto linear = [](int c) {
    const double x = c / 255.0;
    return static_cast<float>(x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4));
  };
  return {linear(r), linear(g), linear(b), 1};
}

}  // namespace pelt::assets
