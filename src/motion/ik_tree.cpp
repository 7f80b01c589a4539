// The chain of a serial manipulator in the degrees of freedom of ALGORITHMS.md §2, for the solvers of §46.
#include "motion/ik_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/expect.h"
#include "core/index.h"
#include "math/transform.h"
#include "rig/kinematics.h"

namespace pelt::motion {
namespace {

using rig::DofKind;

// R(phi) of a joint, in double precision.
glm::dquat rotation_for(const rig::JointDofs& joint, std::span<const float> values) {
  glm::dquat q(1, 0, 0, 0);
  glm::dvec3 vector(0);
  for (std::size_t d = 0; d < joint.dofs.size(); ++d) {
    if (joint.dofs[d].kind == DofKind::kRotation) {
      const glm::dvec3 turn = glm::normalize(glm::dvec3(joint.dofs[d].axis)) * static_cast<double>(values[d]);
      vector += turn;
      if (joint.rotation == rig::RotationKind::kAxes) {
        q = quat_from_rotation_vector(turn) * q;
      }
    }
  }
  return joint.rotation == rig::RotationKind::kAxes ? q : quat_from_rotation_vector(vector);
}

glm::dvec3 translation_for(const rig::JointDofs& joint, std::span<const float> values) {
  glm::dvec3 out(joint.offset);
  for (std::size_t d = 0; d < joint.dofs.size(); ++d) {
    if (joint.dofs[d].kind == DofKind::kTranslation) {
      out += glm::dvec3(joint.dofs[d].axis) * static_cast<double>(values[d]);
    }
  }
  return out;
}

glm::dmat4 local_of(const IkJoint& joint, std::span<const float> values) {
  const glm::dquat turn = glm::dquat(joint.dofs.orientation) * rotation_for(joint.dofs, values) * joint.remainder;
  glm::dmat4 out(glm::mat3_cast(turn) * joint.stretch);
  out[3] = glm::dvec4(translation_for(joint.dofs, values) + joint.tail, 1);
  return out;
}

// Limits that hold for where the joint stands, too.
void widen(rig::JointDofs& joint, std::span<const float> values) {
  for (std::size_t d = 0; d < joint.dofs.size(); ++d) {
    joint.dofs[d].lower = std::min(joint.dofs[d].lower, values[d]);
    joint.dofs[d].upper = std::max(joint.dofs[d].upper, values[d]);
  }
  if (joint.swing_limit) {
    std::vector<float> clamped(values.begin(), values.end());
    rig::clamp_to_limits(joint, clamped);
    const bool is_within =
        std::ranges::equal(clamped, values, [](float a, float b) { return std::abs(a - b) < 1e-6f; });
    if (!is_within) {
      joint.swing_limit.reset();
    }
  }
}

IkJoint make_joint(const rig::PoseBuilder& pose, int j) {
  const Transform& local = pose.local(j);
  IkJoint out;
  out.joint = j;
  out.dofs = pose.skeleton().dofs[j];
  const std::vector<float> values = rig::dofs_from_local(out.dofs, local);
  widen(out.dofs, values);
  const glm::dquat expressed = glm::dquat(out.dofs.orientation) * rotation_for(out.dofs, values);
  out.remainder = glm::normalize(glm::conjugate(expressed) * glm::dquat(local.rotation));
  out.tail = glm::dvec3(local.translation) - translation_for(out.dofs, values);
  out.stretch =
      glm::dmat3(glm::dvec3(local.scale.x, 0, 0), glm::dvec3(0, local.scale.y, 0), glm::dvec3(0, 0, local.scale.z));
  if (!pose.pose().residual.empty()) {
    out.stretch = out.stretch * glm::dmat3(pose.pose().residual[j]);
  }
  return out;
}

double longest_way(const IkTree& tree) {
  std::vector<glm::dmat4> world(tree.joints.size());
  ik_world(tree, tree.values, world);
  std::vector<double> way(tree.joints.size(), 0.0);
  double longest = 0;
  for (std::size_t i = 0; i < tree.joints.size(); ++i) {
    if (const int parent = tree.joints[i].parent; parent >= 0) {
      way[i] = way[parent] + glm::length(glm::dvec3(world[i][3]) - glm::dvec3(world[parent][3]));
    }
    longest = std::max(longest, way[i]);
  }
  return longest;
}

}  // namespace

glm::dquat rotation_of(const glm::dmat4& matrix) {
  glm::dvec3 x(matrix[0]);
  glm::dvec3 y(matrix[1]);
  const double length = glm::length(x);
  if (!(length > 0)) {
    return {1, 0, 0, 0};
  }
  x /= length;
  y -= x * glm::dot(x, y);
  if (!(glm::length(y) > 0)) {
    return {1, 0, 0, 0};
  }
  y = glm::normalize(y);
  return glm::normalize(glm::quat_cast(glm::dmat3(x, y, glm::cross(x, y))));
}

glm::dmat3 orthonormal_frame(const glm::dmat4& matrix) {
  glm::dmat3 frame = glm::mat3_cast(rotation_of(matrix));
  if (glm::determinant(glm::dmat3(matrix)) < 0) {
    frame[2] = -frame[2];
  }
  return frame;
}

glm::dvec3 turning_axis_in_world(const glm::dmat4& parent_world, const glm::dvec3& axis) {
  const glm::dmat3 frame = orthonormal_frame(parent_world);
  return glm::determinant(frame) * (frame * axis);
}

IkTree make_ik_tree(rig::PoseBuilder& pose, int root, std::span<const int> tips, bool root_slides,
                    std::span<const char> leave) {
  const rig::Skeleton& skeleton = pose.skeleton();
  PELT_EXPECT(root >= 0 && root < skeleton.size(), "a joint of the skeleton");
  std::vector<char> wanted(skeleton.size(), 0);
  for (const int tip : tips) {
    PELT_EXPECT(skeleton.is_within(tip, root), "the root is above every tip");
    for (int j = tip; j != skeleton.parent[root]; j = skeleton.parent[j]) {
      wanted[j] = 1;
    }
  }
  IkTree tree;
  const int above = skeleton.parent[root];
  tree.root_world = above >= 0 ? pose.world(above) : glm::dmat4(1);
  std::map<int, int> number;  // skeleton -> tree
  for (int j = root; j < skeleton.size(); ++j) {
    if (wanted[j] == 0 || (has_index(leave, j) && leave[j] != 0 && j != root)) {
      continue;
    }
    IkJoint joint = make_joint(pose, j);
    glm::dmat4 place(1);
    int up = skeleton.parent[j];
    for (; j != root && number.find(up) == number.end(); up = skeleton.parent[up]) {
      const IkJoint fixed = make_joint(pose, up);
      place = local_of(fixed, rig::dofs_from_local(fixed.dofs, pose.local(up))) * place;
    }
    joint.parent = j == root ? -1 : number[up];
    joint.place = place;
    joint.first = static_cast<int>(tree.values.size());
    joint.slides = j == root && root_slides;
    if (joint.slides && !joint.dofs.authored) {
      // Limits that nobody wrote are a guess about sliders; a body goes as far as it is dragged.
      for (rig::Dof& dof : joint.dofs.dofs) {
        if (dof.kind == DofKind::kTranslation) {
          dof.lower = -std::numeric_limits<float>::infinity();
          dof.upper = std::numeric_limits<float>::infinity();
        }
      }
    }
    const std::vector<float> values = rig::dofs_from_local(joint.dofs, pose.local(j));
    tree.values.insert(tree.values.end(), values.begin(), values.end());
    number[j] = static_cast<int>(tree.joints.size());
    tree.joints.push_back(std::move(joint));
  }
  const double length = longest_way(tree);
  tree.length = length > 0 ? length : 1.0;
  return tree;
}

int find_joint(const IkTree& tree, int joint) {
  const auto found = std::ranges::find(tree.joints, joint, &IkJoint::joint);
  return found == tree.joints.end() ? -1 : static_cast<int>(found - tree.joints.begin());
}

void ik_world(const IkTree& tree, std::span<const float> values, std::span<glm::dmat4> out) {
  for (std::size_t i = 0; i < tree.joints.size(); ++i) {
    const IkJoint& joint = tree.joints[i];
    const glm::dmat4& above = joint.parent < 0 ? tree.root_world : out[joint.parent];
    out[i] = above * joint.place * local_of(joint, tree.values_of(values, i));
  }
}

glm::dmat4 ik_matrix(const IkTree& tree, std::size_t i, std::span<const float> values) {
  return local_of(tree.joints[i], tree.values_of(values, i));
}

glm::dvec3 axis_in_world(const IkTree& tree, std::size_t i, std::size_t d, const glm::dmat4& parent_world,
                         std::span<const float> values) {
  const rig::JointDofs& joint = tree.joints[i].dofs;
  const std::span<const float> own = tree.values_of(values, i);
  glm::dquat later(1, 0, 0, 0);
  for (std::size_t e = d + 1; e < joint.dofs.size() && joint.dofs[e].kind == DofKind::kRotation; ++e) {
    later =
        quat_from_rotation_vector(glm::normalize(glm::dvec3(joint.dofs[e].axis)) * static_cast<double>(own[e])) * later;
  }
  return turning_axis_in_world(
      parent_world, glm::dquat(joint.orientation) * (later * glm::normalize(glm::dvec3(joint.dofs[d].axis))));
}

Transform ik_local(const IkTree& tree, std::size_t i, std::span<const float> values, const Transform& current) {
  const IkJoint& joint = tree.joints[i];
  const std::span<const float> own = tree.values_of(values, i);
  Transform out = current;
  const std::span<const float> before = tree.values_of(tree.values, i);
  if (!std::ranges::equal(own, before)) {
    out.translation = glm::vec3(translation_for(joint.dofs, own) + joint.tail);
    out.rotation =
        glm::quat(glm::normalize(glm::dquat(joint.dofs.orientation) * rotation_for(joint.dofs, own) * joint.remainder));
  }
  return out;
}

void apply_ik(const IkTree& tree, std::span<const float> values, rig::PoseBuilder& pose) {
  for (std::size_t i = 0; i < tree.joints.size(); ++i) {
    const int j = tree.joints[i].joint;
    const Transform local = ik_local(tree, i, values, pose.local(j));
    if (local != pose.local(j)) {
      pose.set_local(j, local);
    }
  }
}

bool turn_joint(const IkTree& tree, std::size_t i, const glm::dquat& turn, const glm::dmat4& parent_world, bool limits,
                std::span<float> values) {
  const IkJoint& joint = tree.joints[i];
  const std::span<float> own = values.subspan(joint.first, joint.dofs.dofs.size());
  const glm::dmat3 above = orthonormal_frame(parent_world);
  const glm::dquat before = glm::dquat(joint.dofs.orientation) * rotation_for(joint.dofs, own) * joint.remainder;
  const glm::dquat turned = glm::quat_cast(glm::transpose(above) * glm::mat3_cast(turn) * above);
  const glm::dquat wanted = glm::normalize(turned * before);
  Transform local;
  local.translation = glm::vec3(translation_for(joint.dofs, own));
  local.rotation = glm::quat(glm::normalize(wanted * glm::conjugate(joint.remainder)));
  std::vector<float> next = rig::dofs_from_local(joint.dofs, local, own);
  for (std::size_t d = 0; d < next.size(); ++d) {
    if (joint.dofs.dofs[d].kind != DofKind::kRotation) {
      next[d] = own[d];
    }
  }
  if (limits) {
    rig::clamp_to_limits(joint.dofs, next);
  }
  std::ranges::copy(next, own.begin());
  const glm::dquat after = glm::dquat(joint.dofs.orientation) * rotation_for(joint.dofs, own) * joint.remainder;
  return std::abs(glm::dot(glm::normalize(after), wanted)) > 1 - 1e-12;
}

void keep_limits(const IkTree& tree, std::span<float> values) {
  for (const IkJoint& joint : tree.joints) {
    rig::clamp_to_limits(joint.dofs, values.subspan(joint.first, joint.dofs.dofs.size()));
  }
}

IkReport judge(const IkTree& tree, std::span<const IkGoal> goals, const IkSettings& settings,
               std::span<const float> values) {
  std::vector<glm::dmat4> world(tree.joints.size());
  ik_world(tree, values, world);
  IkReport report;
  for (const IkGoal& goal : goals) {
    const glm::dmat4 effector = world[goal.joint] * goal.effector;
    report.residual = std::max(report.residual, glm::length(goal.target - glm::dvec3(effector[3])));
    if (goal.orientation) {
      const glm::dquat off = *goal.orientation * glm::conjugate(rotation_of(effector));
      report.angle_residual = std::max(report.angle_residual, glm::length(rotation_vector(off)));
    }
  }
  for (const IkJoint& joint : tree.joints) {
    for (std::size_t d = 0; d < joint.dofs.dofs.size(); ++d) {
      const rig::Dof& dof = joint.dofs.dofs[d];
      const float value = values[joint.first + d];
      const bool moves = dof.kind == DofKind::kRotation || (dof.kind == DofKind::kTranslation && joint.slides);
      report.at_limits += moves && (value <= dof.lower || value >= dof.upper) ? 1 : 0;
    }
  }
  report.converged =
      report.residual <= settings.tolerance * tree.length && (report.angle_residual <= settings.angle_tolerance);
  return report;
}

}  // namespace pelt::motion
