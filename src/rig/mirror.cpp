#include "rig/mirror.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/expect.h"
#include "rig/kinematics.h"

namespace pelt::rig {
namespace {

// A reflection in the plane across one axis.
glm::dmat3 reflection(int axis) {
  glm::dmat3 s(1.0);
  s[axis][axis] = -1;
  return s;
}

// Which axis of `from` each axis of `to` lies along, where they do within a few degrees; else each its own.
std::array<int, 3> axes_along(const glm::dmat3& to_from) {
  constexpr double kAlong = 0.99;
  std::array<int, 3> axes = {0, 1, 2};
  std::array<bool, 3> used{};
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      if (std::abs(to_from[column][row]) > kAlong && !used[column]) {
        axes[row] = column;
        used[column] = true;
      }
    }
  }
  return std::ranges::count(used, true) == 3 ? axes : std::array<int, 3>{0, 1, 2};
}

}  // namespace

glm::dmat3 oriented(const glm::dquat& rotation, const glm::vec3& scale) {
  glm::dmat3 m = glm::mat3_cast(normalized_or_identity(rotation));
  for (int c = 0; c < 3; ++c) {
    m[c] = scale[c] < 0 ? -m[c] : m[c];
  }
  return m;
}

std::vector<glm::dmat3> rest_orientations(std::span<const int> parents, std::span<const Transform> rest) {
  PELT_EXPECT(parents.size() == rest.size(), "one rest transform per joint");
  std::vector<glm::dmat3> out(rest.size());
  for (std::size_t j = 0; j < rest.size(); ++j) {
    const glm::dmat3 local = oriented(glm::dquat(rest[j].rotation), rest[j].scale);
    out[j] = parents[j] < 0 ? local : out[parents[j]] * local;
  }
  return out;
}

Mirror::Mirror(const Character& character)
    : skeleton_(character.skeleton),
      partner_(mirrored_joints(skeleton_)),
      side_(partner_.size(), Side::kNone),
      rest_(rest_orientations(skeleton_.parent, skeleton_.rest)) {
  WorldMatrices world;
  world.evaluate(skeleton_, rest_pose(character));
  glm::dvec3 apart(0);
  for (std::size_t j = 0; j < partner_.size(); ++j) {
    if (partner_[j] > static_cast<int>(j)) {
      apart += glm::abs(glm::dvec3(world.world()[j][3] - world[partner_[j]][3]));
    }
  }
  axis_ = apart.y > 1.01 * std::max(apart.x, apart.z) ? 1 : apart.z > 1.01 * apart.x ? 2 : 0;
  for (std::size_t j = 0; j < partner_.size(); ++j) {
    if (partner_[j] < 0 || partner_[j] == static_cast<int>(j)) {
      continue;
    }
    side_[j] = parse_joint_name(skeleton_.name[j]).side;
    const float difference = world.world()[j][3][axis_] - world[partner_[j]][3][axis_];
    if (side_[j] == Side::kNone) {
      side_[j] = difference > 0 ? Side::kLeft : difference < 0 ? Side::kRight : Side::kNone;
    }
  }
}

// The orientation of its parent at rest.
glm::dmat3 Mirror::above(std::size_t j) const {
  const int parent = skeleton_.parent[j];
  return parent < 0 ? glm::dmat3(1.0) : rest_[parent];
}

glm::dmat3 Mirror::parent_from_partners_parent(int j) const {
  return glm::transpose(above(static_cast<std::size_t>(j))) * reflection(axis_) *
         above(static_cast<std::size_t>(partner(j)));
}

Transform Mirror::image(int j, const Transform& of_partner) const {
  const std::size_t own = j;
  const std::size_t other = partner(j);
  const Transform& rest = skeleton_.rest[own];
  const Transform& partner_rest = skeleton_.rest[other];
  const glm::dmat3 mirror = reflection(axis_);
  Transform out = rest;
  if (of_partner.rotation != partner_rest.rotation) {
    // The partner's turn against its parent, in the axes of the world at rest.
    const glm::dmat3 posed = above(other) * oriented(glm::dquat(of_partner.rotation), partner_rest.scale);
    const glm::dmat3 turn = mirror * posed * glm::transpose(rest_[other]) * mirror;
    const glm::dmat3 local = glm::transpose(above(own)) * turn * rest_[own];
    out.rotation = glm::quat(
        normalized_or_identity(glm::quat_cast(local * glm::transpose(oriented(glm::dquat(1, 0, 0, 0), rest.scale)))));
  }
  if (of_partner.translation != partner_rest.translation) {
    const glm::dvec3 shift = glm::dvec3(of_partner.translation) - glm::dvec3(partner_rest.translation);
    out.translation =
        glm::vec3(glm::dvec3(rest.translation) + glm::transpose(above(own)) * (mirror * (above(other) * shift)));
  }
  if (of_partner.scale != partner_rest.scale) {
    const std::array<int, 3> axes = axes_along(glm::transpose(rest_[own]) * mirror * rest_[other]);
    for (int c = 0; c < 3; ++c) {
      const int axis = axes[c];
      const float rest_scale = partner_rest.scale[axis];
      out.scale[c] = rest.scale[c] * (rest_scale != 0 ? of_partner.scale[axis] / rest_scale : 1.0f);
    }
  }
  return out;
}

Pose mirrored(const Character& character, const Pose& pose) {
  PELT_EXPECT(pose.local.size() == character.skeleton->parent.size(), "the pose is of this character");
  const Mirror mirror(character);
  Pose out = pose;
  for (int j = 0; j < character.skeleton->size(); ++j) {
    if (const int partner = mirror.partner(j); partner >= 0) {
      out.local[j] = mirror.image(j, pose.local[partner]);
    }
  }
  return out;
}

}  // namespace pelt::rig
