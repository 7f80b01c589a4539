// VRM Consortium, "VRMC_vrm_animation-1.0" and "VRMC_vrm-1.0/humanoid": names of bones, what is required, the T pose.
#include "motion/vrm_animation.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/text.h"

namespace pelt::motion {
namespace {

using VrmJson = nlohmann::ordered_json;

constexpr std::array kVrmSides = {"left", "right"};

/// A bone of VRM and the joint that is it.
struct VrmBone {
  std::string name;
  int joint = -1;
};

// VRM's names of finger bones; those that count from the palm are numbered from 1.
std::string vrm_finger(std::string_view finger, int bone) {
  constexpr std::array kThumb = {"Metacarpal", "Proximal", "Distal"};
  constexpr std::array kOthers = {"Proximal", "Intermediate", "Distal"};
  return std::string(finger) + (finger == "Thumb" ? kThumb[bone - 1] : kOthers[bone - 1]);
}

// In the order of joints: parents first.
std::vector<VrmBone> vrm_bones(const HumanBody& body) {
  std::vector<VrmBone> out;
  const auto add = [&](std::string name, int joint) {
    const bool taken = std::ranges::any_of(out, [&](const VrmBone& bone) { return bone.joint == joint; });
    if (joint >= 0 && !taken) {
      out.push_back({std::move(name), joint});
    }
  };
  add("hips", body.find("hips"));
  if (!body.torso.empty()) {
    add("spine", body.torso.front());
    add("chest", body.torso.size() > 2 ? body.torso[body.torso.size() / 2] : body.torso.back());
    add("upperChest", body.torso.back());
  }
  add("neck", body.neck.empty() ? -1 : body.neck.front());
  add("head", body.find("head"));
  for (const std::string side : kVrmSides) {
    for (const char* part : {"Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "Toes"}) {
      add(side + part, body.find(side + part));
    }
    for (const char* finger : {"Thumb", "Index", "Middle", "Ring", "Little"}) {
      for (int bone = 1; bone <= 3; ++bone) {
        add(side + vrm_finger(finger, bone), body.find(fmt::format("{}{}{}", side, finger, bone)));
      }
    }
  }
  std::ranges::stable_sort(out, {}, &VrmBone::joint);
  return out;
}

Status check_required(const std::vector<VrmBone>& bones) {
  std::vector<std::string> required = {"hips", "spine", "head"};
  for (const std::string side : kVrmSides) {
    for (const char* part : {"UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot"}) {
      required.push_back(side + part);
    }
  }
  for (const std::string& name : required) {
    if (std::ranges::find(bones, name, &VrmBone::name) == bones.end()) {
      return error("a VRM animation needs a joint for {}, and none was found", name);
    }
  }
  return {};
}

// Where a bone leads in T pose; no length where it stays as it rests.
glm::dvec3 in_t_pose(std::string_view role) {
  const double side = role.starts_with("left") ? 1 : -1;
  if (role.ends_with("UpperArm") || role.ends_with("LowerArm") || role.ends_with("Hand")) {
    return {side, 0, 0};
  }
  return role.ends_with("UpperLeg") || role.ends_with("LowerLeg") ? glm::dvec3(0, -1, 0) : glm::dvec3(0);
}

/// Builds the skeleton bone by bone, parents first.
class TPose {
 public:
  TPose(const RetargetRig& rig, const std::vector<VrmBone>& bones)
      : rig_(rig), bones_(bones), upright_(glm::transpose(rig.body.faces ? rig.body.facing : glm::dmat3(1.0))) {}

  rig::Character make() {
    rig::Skeleton& skeleton = out_.skeleton.edit();
    rig::Scene scene;
    std::vector<glm::dmat3> turns(bones_.size(), glm::dmat3(1.0));
    // Avatars are sized by the height of the hips: a skeleton whose origin they are is lifted onto the ground.
    double lift = 0;
    for (const VrmBone& bone : bones_) {
      lift = std::max(lift, -(upright_ * rig_.frames.position[bone.joint]).y);
    }
    for (std::size_t n = 0; n < bones_.size(); ++n) {
      const int parent = parent_of(n);
      const glm::dvec3 above = parent < 0 ? glm::dvec3(0) : rig_.frames.position[bones_[parent].joint];
      const glm::dvec3 way = upright_ * (rig_.frames.position[bones_[n].joint] - above);
      // The hips stand over the origin, wherever the file's own skeleton stands.
      Transform rest;
      rest.translation = glm::vec3(parent < 0 ? glm::dvec3(0, way.y + lift, 0) : turns[parent] * way);
      const glm::dmat3 turned = parent < 0 ? glm::dmat3(1.0) : turns[parent];
      const glm::dvec3 wanted = in_t_pose(bones_[n].name);
      const int end = end_of(n);
      turns[n] = turned;
      if (glm::length(wanted) > 0 && end >= 0) {
        const glm::dvec3 bone =
            upright_ * (rig_.frames.position[bones_[end].joint] - rig_.frames.position[bones_[n].joint]);
        turns[n] = glm::mat3_cast(shortest_rotation(turned * bone, wanted)) * turned;
      } else if (bones_[n].name.ends_with("Foot")) {
        turns[n] = glm::dmat3(1.0);  // soles stay level
      }
      skeleton.parent.push_back(parent);
      skeleton.name.push_back(bones_[n].name);
      skeleton.rest.push_back(rest);
      skeleton.source_node.push_back(static_cast<int>(n));
      out_.humanoid.push_back({bones_[n].name, static_cast<int>(n)});
      if (parent < 0) {
        scene.roots.push_back(static_cast<int>(n));
      }
    }
    out_.scenes.push_back(scene);
    rig::finish(out_);
    return std::move(out_);
  }

 private:
  [[nodiscard]] int parent_of(std::size_t n) const {
    const rig::Skeleton& skeleton = rig_.character.skeleton;
    for (int j = skeleton.parent[bones_[n].joint]; j >= 0; j = skeleton.parent[j]) {
      const auto found = std::ranges::find(bones_, j, &VrmBone::joint);
      if (found != bones_.end()) {
        return static_cast<int>(found - bones_.begin());
      }
    }
    return -1;
  }
  // The other end of a bone; of a hand its middle finger.
  [[nodiscard]] int end_of(std::size_t n) const {
    std::string name = bones_[n].name;
    for (const auto& [part, next] :
         {std::pair("UpperArm", "LowerArm"), std::pair("LowerArm", "Hand"), std::pair("UpperLeg", "LowerLeg"),
          std::pair("LowerLeg", "Foot"), std::pair("Hand", "MiddleProximal")}) {
      if (name.ends_with(part)) {
        name.replace(name.size() - std::string_view(part).size(), std::string::npos, next);
        const auto found = std::ranges::find(bones_, name, &VrmBone::name);
        return found == bones_.end() ? -1 : static_cast<int>(found - bones_.begin());
      }
    }
    return -1;
  }

  const RetargetRig& rig_;
  const std::vector<VrmBone>& bones_;
  glm::dmat3 upright_;  // to left +x, up +y, forward +z
  rig::Character out_;
};

}  // namespace

Result<rig::Character> make_vrm_animation(const RetargetRig& rig, const Progress& progress) {
  const std::vector<VrmBone> bones = vrm_bones(rig.body);
  PELT_TRY(check_required(bones));
  rig::Character out = TPose(rig, bones).make();
  const RetargetRig target = target_rig(out);
  PELT_TRY_TO(Retargeted made, retarget(rig, target, make_joint_map(rig, target), {}, progress));
  out.name = rig.character.name;
  out.clips.push_back(std::move(made.clip));
  VrmJson human_bones = VrmJson::object();
  for (std::size_t n = 0; n < bones.size(); ++n) {
    human_bones[bones[n].name] = {{"node", n}};
  }
  const VrmJson extension = {
      {"VRMC_vrm_animation", {{"specVersion", "1.0"}, {"humanoid", {{"humanBones", std::move(human_bones)}}}}}};
  out.extensions_used.push_back("VRMC_vrm_animation");
  out.kept.push_back({.place = "", .extensions = extension.dump(), .extras = ""});
  return out;
}

}  // namespace pelt::motion
