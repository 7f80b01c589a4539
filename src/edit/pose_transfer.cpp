#include "edit/pose_transfer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "rig/mirror.h"

namespace pelt::edit {
namespace {

constexpr double kSameRest = 1e-4;  // of elements of orientations: 0.006 degrees

/// A rig at rest.
struct RestFrames {
  std::vector<glm::dmat3> orientation;  ///< rotations alone
  std::vector<glm::dmat3> linear;       ///< with sizes
  std::vector<glm::dvec3> position;     ///< world, metres

  RestFrames(std::span<const int> parents, std::span<const Transform> rest)
      : orientation(rig::rest_orientations(parents, rest)) {
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const glm::dmat3 above = parents[i] < 0 ? glm::dmat3(1.0) : linear[parents[i]];
      const glm::dvec3 origin = parents[i] < 0 ? glm::dvec3(0) : position[parents[i]];
      glm::dmat3 local = glm::mat3_cast(normalized_or_identity(glm::dquat(rest[i].rotation)));
      for (int c = 0; c < 3; ++c) {
        local[c] *= static_cast<double>(rest[i].scale[c]);
      }
      linear.push_back(above * local);
      position.push_back(origin + above * glm::dvec3(rest[i].translation));
    }
  }
};

double largest_difference(const glm::dmat3& a, const glm::dmat3& b) {
  double worst = 0;
  for (int c = 0; c < 3; ++c) {
    const glm::dvec3 difference = glm::abs(a[c] - b[c]);
    worst = std::max({worst, difference.x, difference.y, difference.z});
  }
  return worst;
}

glm::dmat3 above(const std::vector<glm::dmat3>& all, std::span<const int> parents, int i) {
  return parents[i] < 0 ? glm::dmat3(1.0) : all[parents[i]];
}

int find_role(const std::vector<std::string>& roles, std::string_view role) {
  const auto found = std::ranges::find(roles, role);
  return found == roles.end() ? -1 : static_cast<int>(found - roles.begin());
}

// Up and left of a body as it rests, on axes of the world; nothing where its joints do not tell.
std::optional<glm::dmat3> facing(const std::vector<std::string>& roles, const std::vector<glm::dvec3>& position) {
  const auto from_to = [&](std::string_view a, std::string_view b) -> std::optional<glm::dvec3> {
    const int i = find_role(roles, a);
    const int k = find_role(roles, b);
    if (i < 0 || k < 0) {
      return std::nullopt;
    }
    const glm::dvec3 v = position[k] - position[i];
    int axis = std::abs(v.x) >= std::max(std::abs(v.y), std::abs(v.z)) ? 0 : std::abs(v.y) >= std::abs(v.z) ? 1 : 2;
    glm::dvec3 out(0);
    out[axis] = v[axis] < 0 ? -1 : 1;
    return v[axis] == 0 ? std::nullopt : std::optional(out);
  };
  std::optional<glm::dvec3> left = from_to("rightUpperLeg", "leftUpperLeg");
  left = left ? left : from_to("rightUpperArm", "leftUpperArm");
  std::optional<glm::dvec3> up = from_to("hips", "head");
  up = up ? up : from_to("hips", "neck");
  up = up ? up : from_to("leftFoot", "leftUpperLeg");
  if (!left || !up || glm::dot(*left, *up) != 0) {
    return std::nullopt;
  }
  return glm::dmat3(*left, *up, glm::cross(*left, *up));
}

double leg_length(const std::vector<std::string>& roles, const std::vector<glm::dvec3>& position) {
  const int hip = find_role(roles, "leftUpperLeg");
  const int knee = find_role(roles, "leftLowerLeg");
  const int foot = find_role(roles, "leftFoot");
  return hip < 0 || knee < 0 || foot < 0
             ? 0
             : glm::distance(position[hip], position[knee]) + glm::distance(position[knee], position[foot]);
}

// Mean distance of the matched joints from their middle, in both rigs.
std::array<double, 2> spreads(std::span<const rig::JointMatch> matches, const RestFrames& from, const RestFrames& to) {
  std::array<double, 2> out{};
  for (const bool target : {false, true}) {
    glm::dvec3 sum(0);
    double count = 0;
    const auto each = [&](const auto& body) {
      for (std::size_t i = 0; i < matches.size(); ++i) {
        if (matches[i].joint >= 0) {
          body(target ? to.position[matches[i].joint] : from.position[i]);
        }
      }
    };
    each([&](const glm::dvec3& p) { sum += p, ++count; });
    each([&](const glm::dvec3& p) { out[target ? 1 : 0] += glm::distance(p, sum / std::max(count, 1.0)); });
  }
  return out;
}

class Transfer {
 public:
  Transfer(const PosedRig& from, std::span<const rig::JointMatch> matches, const rig::Character& to)
      : from_(from),
        matches_(matches),
        skeleton_(to.skeleton),
        source_(from.joints.parent, from.rest),
        target_(skeleton_.parent, skeleton_.rest) {
    const std::vector<std::string> their_roles = rig::human_roles(from.joints);
    const std::vector<std::string> our_roles = rig::human_roles(rig::named_joints(to));
    const std::optional<glm::dmat3> theirs = facing(their_roles, source_.position);
    const std::optional<glm::dmat3> ours = facing(our_roles, target_.position);
    if (theirs && ours) {
      turned_ = *ours * glm::transpose(*theirs);
    }
    const double their_leg = leg_length(their_roles, source_.position);
    const double our_leg = leg_length(our_roles, target_.position);
    const std::array<double, 2> spread = spreads(matches, source_, target_);
    size_ = their_leg > 0 && our_leg > 0     ? our_leg / their_leg
            : spread[0] > 0 && spread[1] > 0 ? spread[1] / spread[0]
                                             : 1;
    pose_source();
    find_lost();
    correct_limbs(their_roles);
  }

  std::map<int, Transform> run() {
    std::vector<int> source_of(skeleton_.parent.size(), -1);
    for (std::size_t i = 0; i < matches_.size(); ++i) {
      if (matches_[i].joint >= 0) {
        source_of[matches_[i].joint] = static_cast<int>(i);
      }
    }
    std::map<int, Transform> out;
    std::vector<glm::dmat3> made(skeleton_.parent.size());
    for (int j = 0; j < skeleton_.size(); ++j) {
      const Transform& rest = skeleton_.rest[j];
      const glm::dmat3 parent = above(made, skeleton_.parent, j);
      Transform local = rest;
      if (const int i = source_of[j]; i >= 0 && (from_.posed.contains(i) || lost_[i] != 0)) {
        local = taken_over(i, j, parent);
        out[j] = local;
      }
      made[j] = parent * rig::oriented(glm::dquat(local.rotation), rest.scale);
    }
    return out;
  }

 private:
  // Turns of the source's joints since its rest pose, in the world.
  void pose_source() {
    turn_.resize(from_.rest.size());
    std::vector<glm::dmat3> posed(from_.rest.size());
    for (int i = 0; i < static_cast<int>(from_.rest.size()); ++i) {
      const auto found = from_.posed.find(i);
      const glm::quat rotation =
          found != from_.posed.end() && found->second.rotation ? *found->second.rotation : from_.rest[i].rotation;
      posed[i] = above(posed, from_.joints.parent, i) * rig::oriented(glm::dquat(rotation), from_.rest[i].scale);
      turn_[i] = posed[i] * glm::transpose(source_.orientation[i]);
    }
  }

  // Joints that would miss a turn because what made it has no counterpart.
  void find_lost() {
    lost_.assign(from_.rest.size(), 0);
    for (std::size_t i = 0; i < from_.rest.size(); ++i) {
      const int parent = from_.joints.parent[i];
      if (parent >= 0 && matches_[parent].joint < 0) {
        const auto found = from_.posed.find(parent);
        const bool turns = found != from_.posed.end() && found->second.rotation;
        lost_[i] = turns || lost_[parent] != 0 ? 1 : 0;
      }
    }
  }

  // Where limbs of the target point elsewhere at rest, they are first brought to where the source's point. What hangs
  // on an arm goes with it; feet do not, since they stand on the ground in both.
  void correct_limbs(const std::vector<std::string>& roles) {
    correction_.assign(from_.rest.size(), glm::dmat3(1.0));
    std::vector<char> corrected(from_.rest.size(), 0);
    for (int i = 0; i < static_cast<int>(from_.rest.size()); ++i) {
      const std::string& role = roles[i];
      const int parent = from_.joints.parent[i];
      const bool above_is = parent >= 0 && corrected[parent] != 0;
      std::optional<glm::dmat3> own;
      for (const auto& [upper, next] : {std::pair("UpperArm", "LowerArm"), std::pair("LowerArm", "Hand"),
                                        std::pair("UpperLeg", "LowerLeg"), std::pair("LowerLeg", "Foot")}) {
        const bool begins = role.ends_with("UpperArm") || role.ends_with("UpperLeg");
        if (role.ends_with(upper) && (begins ? turns(i) : above_is)) {
          own =
              limb_correction(i, find_role(roles, role.substr(0, role.size() - std::string_view(upper).size()) + next));
        }
      }
      const bool ends = role.ends_with("Foot");
      corrected[i] = (own || above_is) && !ends ? 1 : 0;
      correction_[i] = own ? *own : above_is && !ends ? correction_[parent] : glm::dmat3(1.0);
    }
  }

  [[nodiscard]] bool turns(int i) const {
    const auto found = from_.posed.find(i);
    return found != from_.posed.end() && found->second.rotation.has_value();
  }

  // From the target's direction of the limb at rest to the source's.
  [[nodiscard]] std::optional<glm::dmat3> limb_correction(int i, int next) const {
    if (next < 0 || matches_[i].joint < 0 || matches_[next].joint < 0) {
      return std::nullopt;
    }
    const glm::dvec3 theirs = turned_ * (source_.position[next] - source_.position[i]);
    const glm::dvec3 ours = target_.position[matches_[next].joint] - target_.position[matches_[i].joint];
    if (!(glm::length(theirs) > 1e-9) || !(glm::length(ours) > 1e-9)) {
      return std::nullopt;
    }
    const glm::quat turn = shortest_rotation(glm::vec3(glm::normalize(ours)), glm::vec3(glm::normalize(theirs)));
    return glm::mat3_cast(glm::normalize(glm::dquat(turn)));
  }

  // Whether joint `i` rests in the target as it does in the source, so that local components mean the same.
  [[nodiscard]] bool rests_alike(int i, int j) const {
    if (std::ranges::find(from_.unlisted, i) != from_.unlisted.end()) {
      return true;
    }
    const glm::dmat3 own = rig::oriented(glm::dquat(from_.rest[i].rotation), from_.rest[i].scale);
    const Transform& rest = skeleton_.rest[j];
    return matches_[i].exact && lost_[i] == 0 &&
           largest_difference(own, rig::oriented(glm::dquat(rest.rotation), rest.scale)) < kSameRest &&
           largest_difference(source_.orientation[i], target_.orientation[j]) < kSameRest;
  }

  [[nodiscard]] Transform taken_over(int i, int j, const glm::dmat3& parent) const {
    const Transform& rest = skeleton_.rest[j];
    const Transform& their_rest = from_.rest[i];
    const auto found = from_.posed.find(i);
    const PosedJoint posed = found != from_.posed.end() ? found->second : PosedJoint{};
    Transform local = rest;
    const bool alike = rests_alike(i, j);
    if (posed.rotation && alike) {
      local.rotation = *posed.rotation;
    } else if (posed.rotation || lost_[i] != 0) {
      const glm::dmat3 turn = turned_ * turn_[i] * glm::transpose(turned_) * correction_[i];
      const glm::dmat3 wanted = glm::transpose(parent) * turn * target_.orientation[j];
      const glm::dmat3 signs = rig::oriented(glm::dquat(1, 0, 0, 0), rest.scale);
      local.rotation = glm::quat(normalized_or_identity(glm::quat_cast(wanted * glm::transpose(signs))));
    }
    const bool unlisted = std::ranges::find(from_.unlisted, i) != from_.unlisted.end();
    const bool same_place =
        unlisted || (alike && their_rest.translation == rest.translation && their_rest.scale == rest.scale);
    if (posed.translation) {
      local.translation = same_place ? *posed.translation : moved(i, j, *posed.translation);
    }
    if (posed.scale) {
      local.scale = same_place ? *posed.scale : grown(i, j, *posed.scale);
    }
    return local;
  }

  [[nodiscard]] glm::vec3 moved(int i, int j, const glm::vec3& translation) const {
    const glm::dvec3 shift = above(source_.linear, from_.joints.parent, i) *
                             (glm::dvec3(translation) - glm::dvec3(from_.rest[i].translation));
    const glm::dmat3 into = above(target_.linear, skeleton_.parent, j);
    const glm::vec3 rest = skeleton_.rest[j].translation;
    return std::abs(glm::determinant(into)) > 0
               ? glm::vec3(glm::dvec3(rest) + glm::inverse(into) * (turned_ * shift * size_))
               : rest;
  }

  // Along each axis of the target as much as the source grows in that direction.
  [[nodiscard]] glm::vec3 grown(int i, int j, const glm::vec3& scale) const {
    glm::dmat3 factors(0.0);
    for (int c = 0; c < 3; ++c) {
      const double rest = static_cast<double>(from_.rest[i].scale[c]);
      factors[c][c] = rest != 0 ? static_cast<double>(scale[c]) / rest : 1.0;
    }
    const glm::dmat3 axes = glm::transpose(target_.orientation[j]) * turned_ * source_.orientation[i];
    const glm::dmat3 growth = axes * factors * glm::transpose(axes);
    glm::vec3 out = skeleton_.rest[j].scale;
    for (int c = 0; c < 3; ++c) {
      out[c] *= static_cast<float>(growth[c][c]);
    }
    return out;
  }

  const PosedRig& from_;
  std::span<const rig::JointMatch> matches_;
  const rig::Skeleton& skeleton_;
  RestFrames source_;
  RestFrames target_;
  glm::dmat3 turned_ = glm::dmat3(1.0);  ///< from the source's way of facing to the target's
  double size_ = 1;                      ///< of the target, in sizes of the source
  std::vector<glm::dmat3> turn_;         ///< [I] since rest, in the source's world
  std::vector<glm::dmat3> correction_;   ///< [I] of the target's rest directions, in the target's world
  std::vector<char> lost_;               ///< [I]
};

}  // namespace

std::map<int, Transform> transfer_pose(const PosedRig& from, std::span<const rig::JointMatch> matches,
                                       const rig::Character& to) {
  if (!from.rest.empty()) {
    return Transfer(from, matches, to).run();
  }
  std::map<int, Transform> out;
  for (const auto& [i, posed] : from.posed) {
    if (const int j = matches[i].joint; j >= 0) {
      const Transform& rest = to.skeleton->rest[j];
      out[j] = {posed.translation.value_or(rest.translation), posed.rotation.value_or(rest.rotation),
                posed.scale.value_or(rest.scale)};
    }
  }
  return out;
}

}  // namespace pelt::edit
