#include <array>

#include "humanoid.h"

namespace pelt::assets {
namespace {

using glm::dvec3;

std::vector<AuthoredDof> ball(glm::vec2 twist, glm::vec2 bend, glm::vec2 side, glm::vec3 rest = {0, 0, 0}) {
  // Applied in this order: twist, bend, side (Euler order XZY).
  return {{"twist", kTwistAxis, twist.x, twist.y, rest.x},
          {"bend", kBendAxis, bend.x, bend.y, rest.y},
          {"side", kSideAxis, side.x, side.y, rest.z}};
}

std::vector<AuthoredDof> hinge(float lower, float upper, float rest = 0) {
  return {{"bend", kBendAxis, lower, upper, rest}};
}

std::vector<AuthoredDof> universal(glm::vec2 bend, glm::vec2 side, glm::vec2 rest = {0, 0}) {
  return {{"bend", kBendAxis, bend.x, bend.y, rest.x}, {"side", kSideAxis, side.x, side.y, rest.y}};
}

struct Finger {
  const char* name;
  dvec3 knuckle;  // from the wrist: along the arm, up, towards the thumb
  double fan;     // degrees towards the thumb
  std::array<double, 3> lengths;
  std::array<float, 3> curl;  // degrees in the rest pose
};

constexpr std::array<Finger, 4> kFingers = {{
    {"index", {0.088, 0.002, 0.0320}, 6.5, {0.041, 0.026, 0.021}, {12, 16, 10}},
    {"middle", {0.092, 0.004, 0.0075}, 1.5, {0.044, 0.029, 0.022}, {14, 18, 12}},
    {"ring", {0.087, 0.002, -0.0170}, -4.0, {0.041, 0.027, 0.022}, {16, 21, 14}},
    {"pinky", {0.077, -0.002, -0.0400}, -10.0, {0.033, 0.021, 0.019}, {18, 23, 15}},
}};

}  // namespace

RigBuilder make_humanoid_rig() {
  RigBuilder rig;
  const dvec3 up(0, 1, 0);
  const dvec3 front(0, 0, 1);
  const dvec3 left(1, 0, 0);

  const int root = rig.add(
      "root", -1, dvec3(0), glm::dmat3(1.0),
      {{"twist", {0, 1, 0}, -180, 180, 0}, {"bend", {1, 0, 0}, -180, 180, 0}, {"side", {0, 0, 1}, -180, 180, 0}});
  rig.add_translation_dofs(root, 2);

  struct Vertebra {
    const char* name;
    dvec3 position;
    std::vector<AuthoredDof> dofs;
  };
  const std::vector<AuthoredDof> lumbar = ball({-15, 15}, {-15, 30}, {-15, 15});
  const std::array<Vertebra, 7> spine = {{
      {"hips", {0, 0.955, -0.008}, ball({-90, 90}, {-60, 90}, {-45, 45})},
      {"spine_01", {0, 1.035, -0.014}, lumbar},
      {"spine_02", {0, 1.115, -0.012}, lumbar},
      {"spine_03", {0, 1.200, -0.018}, lumbar},
      {"chest", {0, 1.290, -0.030}, ball({-20, 20}, {-20, 25}, {-15, 15})},
      {"neck", {0, 1.468, -0.042}, ball({-40, 40}, {-30, 40}, {-30, 30})},
      {"head", {0, 1.570, -0.022}, ball({-45, 45}, {-35, 35}, {-25, 25})},
  }};
  int parent = root;
  for (std::size_t i = 0; i < spine.size(); ++i) {
    const dvec3 next = i + 1 < spine.size() ? spine[i + 1].position : spine[i].position + up;
    parent =
        rig.add(spine[i].name, parent, spine[i].position, bone_axes(next - spine[i].position, front), spine[i].dofs);
  }
  rig.add_translation_dofs(rig.find("hips"), 1);
  const int hips = rig.find("hips");
  const int chest = rig.find("chest");

  // Arms: the zero pose is a T with the palms down; the rest pose lets them hang halfway.
  const dvec3 shoulder(0.184, 1.414, -0.024);
  const dvec3 elbow = shoulder + left * 0.280;
  const dvec3 wrist = elbow + left * 0.250;
  const dvec3 collar(0.022, 1.424, 0.004);
  const int clavicle =
      rig.add_both("clavicle_l", chest, collar, bone_axes(shoulder - collar, front), universal({-15, 25}, {-10, 35}));
  const int upper = rig.add_both("shoulder_l", clavicle, shoulder, bone_axes(left, front),
                                 ball({-90, 90}, {-50, 135}, {-95, 95}, {0, 4, -46}));
  const int lower = rig.add_both("elbow_l", upper, elbow, bone_axes(left, front), hinge(0, 150, 9));
  const int twist = rig.add_both("forearm_twist_l", lower, elbow + left * 0.125, bone_axes(left, front),
                                 {{"twist", kTwistAxis, -85, 85, 0}});
  const int hand = rig.add_both("wrist_l", twist, wrist, bone_axes(left, -up), universal({-70, 80}, {-35, 20}, {4, 0}));

  const dvec3 thumb_direction = glm::normalize(dvec3(0.66, -0.30, 0.69));
  const dvec3 thumb_flexes_to(0.25, -0.55, -0.80);
  const std::array<double, 2> thumb_lengths = {0.043, 0.032};
  dvec3 at = wrist + dvec3(0.020, -0.008, 0.027);
  const glm::dmat3 thumb_axes = bone_axes(thumb_direction, thumb_flexes_to);
  int joint = rig.add_both("thumb_01_l", hand, at, thumb_axes, ball({-30, 30}, {-25, 50}, {-30, 30}, {0, 0, 0}));
  at += thumb_direction * thumb_lengths[0];
  joint = rig.add_both("thumb_02_l", joint, at, thumb_axes, hinge(-5, 60, 12));
  at += thumb_direction * thumb_lengths[1];
  rig.add_both("thumb_03_l", joint, at, thumb_axes, hinge(-10, 80, 10));

  for (const Finger& finger : kFingers) {
    const double fan = glm::radians(finger.fan);
    const dvec3 direction(std::cos(fan), 0, std::sin(fan));
    const glm::dmat3 axes = bone_axes(direction, -up);
    at = wrist + finger.knuckle;
    joint = hand;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string name = std::string(finger.name) + "_0" + std::to_string(i + 1) + "_l";
      const float curl = finger.curl[i];
      joint =
          rig.add_both(name, joint, at, axes,
                       i == 0 ? universal({-20, 90}, {-18, 18}, {curl, 0}) : hinge(0, i == 1 ? 110.0f : 80.0f, curl));
      at += direction * finger.lengths[i];
    }
  }

  const dvec3 hip(0.092, 0.918, -0.004);
  const dvec3 knee(0.105, 0.492, 0.006);
  const dvec3 ankle(0.113, 0.085, -0.030);
  const dvec3 ball_of_foot(0.126, 0.022, 0.096);
  const int thigh =
      rig.add_both("hip_l", hips, hip, bone_axes(knee - hip, front), ball({-45, 45}, {-25, 125}, {-25, 60}));
  const int shin = rig.add_both("knee_l", thigh, knee, bone_axes(ankle - knee, -front), hinge(0, 145));
  const int foot =
      rig.add_both("ankle_l", shin, ankle, bone_axes(ball_of_foot - ankle, up), universal({-45, 25}, {-20, 20}));
  rig.add_both("toes_l", foot, ball_of_foot, bone_axes(dvec3(0.10, 0, 1), up), hinge(-20, 60));
  return rig;
}

}  // namespace pelt::assets
