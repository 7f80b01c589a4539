// What springs are on one character.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/text.h"
#include "motion/controls.h"
#include "motion/springs.h"

namespace pelt::motion {
namespace {

bool is_sound(std::initializer_list<float> numbers, float lowest) {
  return std::ranges::all_of(numbers, [&](float f) { return std::isfinite(f) && f >= lowest; });
}

bool is_finite(const glm::vec3& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

// Each is looked at in each step.
constexpr std::size_t kMostPairs = 20'000;

class SpringRigBuilder {
 public:
  SpringRigBuilder(const rig::Character& character, const SpringSet& springs)
      : character_(character), springs_(springs) {}

  SpringRig build() {
    out_.wind = sound_wind();
    add_colliders();
    for (const SpringChain& chain : springs_.chains) {
      std::vector<SpringRig::Bone> bones;
      const Status added = chain.on ? add_chain(chain, bones) : Status();
      out_.faults.push_back(added ? "" : added.error().message);
      if (added) {
        for (SpringRig::Bone& bone : bones) {
          turned_.insert(bone.joint);
          out_.bones.push_back(std::move(bone));
        }
      }
    }
    std::ranges::sort(out_.bones, {}, &SpringRig::Bone::joint);
    return std::move(out_);
  }

 private:
  [[nodiscard]] Wind sound_wind() const {
    const Wind& wind = springs_.wind;
    const bool is_wind =
        is_finite(wind.acceleration) && is_sound({wind.gusts}, 0) && std::isfinite(wind.period) && wind.period > 0;
    return is_wind ? wind : Wind();
  }

  void add_colliders() {
    const std::size_t count = std::min(springs_.colliders.size(), kMostSpringColliders);
    for (std::size_t c = 0; c < count; ++c) {
      const SpringCollider& collider = springs_.colliders[c];
      const Result<int> joint = find_named_joint(character_, collider.joint);
      const double length = glm::length(glm::dvec3(collider.normal));
      if (joint && is_finite(collider.offset) && is_finite(collider.tail) && is_sound({collider.radius}, 0) &&
          length > 0 && std::isfinite(length)) {
        collider_of_[c] = static_cast<int>(out_.colliders.size());
        out_.colliders.push_back({*joint, collider.shape, collider.offset, collider.tail,
                                  glm::dvec3(collider.normal) / length, static_cast<double>(collider.radius),
                                  collider.inside && collider.shape != rig::ColliderShape::kPlane});
      }
    }
  }

  Result<std::vector<int>> colliders_of(const SpringChain& chain) const {
    std::vector<int> out;
    for (const std::string& name : chain.colliders) {
      const auto named = std::ranges::find(springs_.colliders, name, &SpringCollider::name);
      const auto found = collider_of_.find(static_cast<std::size_t>(named - springs_.colliders.begin()));
      if (found == collider_of_.end()) {
        return error("there is no collider '{}' that can be used", printable(name, 40));
      }
      out.push_back(found->second);
    }
    return out;
  }

  Status add_chain(const SpringChain& chain, std::vector<SpringRig::Bone>& bones) {
    if (chain.joints.empty()) {
      return error("it has no joints");
    }
    if (out_.bones.size() + chain.joints.size() > kMostSpringJoints) {
      return error("expected at most {} joints that swing", kMostSpringJoints);
    }
    pairs_ += chain.joints.size() * chain.colliders.size();
    if (pairs_ > kMostPairs) {
      return error("expected at most {} pairs of a joint and a collider", kMostPairs);
    }
    int center = -1;
    if (!chain.center.empty()) {
      PELT_TRY_TO(center, find_named_joint(character_, chain.center));
    }
    PELT_TRY_TO(const std::vector<int> colliders, colliders_of(chain));
    for (const SpringJoint& joint : chain.joints) {
      PELT_TRY_TO(SpringRig::Bone bone, make_bone(joint));
      bone.center = center;
      bone.colliders = colliders;
      if (!bones.empty()) {
        PELT_TRY(end_at(bones.back(), bone.joint));
      }
      bones.push_back(std::move(bone));
    }
    if (!chain.end.empty()) {
      PELT_TRY_TO(const int end, find_named_joint(character_, chain.end));
      PELT_TRY(end_at(bones.back(), end));
    } else {
      const int last = bones.back().joint;
      bones.back().end = glm::dvec3(rig::bone_direction(character_.skeleton, last)) * local_bone_length(last);
    }
    return {};
  }

  // In joint space, where a scale above does not count.
  [[nodiscard]] double local_bone_length(int joint) const {
    const rig::Skeleton& skeleton = character_.skeleton;
    glm::dvec3 to(0.0);
    const std::vector<int> children = skeleton.children(joint);
    for (const int child : children) {
      to += glm::dvec3(skeleton.rest[child].translation) / static_cast<double>(children.size());
    }
    return glm::length(children.empty() ? glm::dvec3(skeleton.rest[joint].translation) : to);
  }

  Status end_at(SpringRig::Bone& bone, int end) const {
    const rig::Skeleton& skeleton = character_.skeleton;
    if (end == bone.joint || !skeleton.is_within(end, bone.joint)) {
      return error("expected a joint below {}, got {}", printable(skeleton.label(bone.joint), 40),
                   printable(skeleton.label(end), 40));
    }
    bone.tip = end;
    return {};
  }

  Result<SpringRig::Bone> make_bone(const SpringJoint& joint) const {
    PELT_TRY_TO(const int j, find_named_joint(character_, joint.joint));
    const std::string name = printable(joint.joint, 40);
    if (turned_.contains(j)) {
      return error("another chain swings {}", name);
    }
    if (!is_sound({joint.stiffness, joint.damping, joint.drag, joint.wind, joint.radius, joint.cone}, 0) ||
        !is_finite(joint.gravity)) {
      return error("{}: expected numbers of 0 or more", name);
    }
    if (!(joint.mass > 0) || !std::isfinite(joint.mass)) {
      return error("{}: expected a mass above 0, got {:g}", name, joint.mass);
    }
    const double mass = static_cast<double>(joint.mass);
    return SpringRig::Bone{.joint = j,
                           .tip = -1,
                           .end = glm::dvec3(0.0),
                           .frequency = std::sqrt(static_cast<double>(joint.stiffness) / mass),
                           .decay = (static_cast<double>(joint.damping) + static_cast<double>(joint.drag)) / (2 * mass),
                           .air = static_cast<double>(joint.drag) / mass,
                           .gravity = joint.gravity,
                           .wind = static_cast<double>(joint.wind),
                           .cone = static_cast<double>(joint.cone),
                           .radius = static_cast<double>(joint.radius),
                           .center = -1,
                           .colliders = {}};
  }

  const rig::Character& character_;
  const SpringSet& springs_;
  SpringRig out_;
  std::map<std::size_t, int> collider_of_;  // places in the rig by places in the set
  std::set<int> turned_;
  std::size_t pairs_ = 0;
};

}  // namespace

SpringRig make_spring_rig(const rig::Character& character, const SpringSet& springs) {
  return SpringRigBuilder(character, springs).build();
}

}  // namespace pelt::motion
