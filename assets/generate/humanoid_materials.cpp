// Where one material meets another. All functions are even in x.
#include <cmath>

#include "humanoid.h"

namespace pelt::assets {
namespace {

using glm::dvec3;

// Metres along a bone of the left arm or leg, from its joint.
double along(const RigBuilder& rig, const char* joint, const dvec3& p) {
  const int j = rig.find(joint);
  return glm::dot(p - rig.bind_position(j), dvec3(rig.bind_world(j)[0]));
}

constexpr double kArmsBegin = 0.25;  // nothing of the torso is farther out
constexpr double kFar = 1;

// Waist of the trunks, lower in front; and their hems, lower inside.
double waist(const dvec3& p) {
  return p.x < kArmsBegin ? p.y - (1.010 - 0.10 * p.z) : kFar;
}
double hem(const dvec3& p) {
  return p.x < kArmsBegin ? p.y - (0.735 + 0.22 * (p.x - 0.095) - 0.10 * p.z) : kFar;
}
constexpr double kBelt = 0.016;
constexpr double kPiping = 0.010;

double cuff(const RigBuilder& rig, const dvec3& p) {
  return p.x > kArmsBegin ? along(rig, "elbow_l", p) - 0.196 : -kFar;
}
constexpr double kCuff = 0.030;

double anklet(const RigBuilder& rig, const dvec3& p) {
  return p.x < kArmsBegin && p.y < 0.4 ? along(rig, "knee_l", p) - 0.318 : -kFar;
}
constexpr double kAnklet = 0.030;

dvec3 folded(const dvec3& p) {
  return {std::abs(p.x), p.y, p.z};
}

}  // namespace

std::vector<FeatureLine> humanoid_feature_lines(const RigBuilder& rig) {
  const RigBuilder* r = &rig;
  return {
      [](const dvec3& p) { return waist(folded(p)); },
      [](const dvec3& p) { return waist(folded(p)) + kBelt; },
      [](const dvec3& p) { return hem(folded(p)); },
      [](const dvec3& p) { return hem(folded(p)) - kPiping; },
      [r](const dvec3& p) { return cuff(*r, folded(p)); },
      [r](const dvec3& p) { return cuff(*r, folded(p)) - kCuff; },
      [r](const dvec3& p) { return anklet(*r, folded(p)); },
      [r](const dvec3& p) { return anklet(*r, folded(p)) - kAnklet; },
  };
}

int humanoid_material(const RigBuilder& rig, const glm::dvec3& p) {
  const dvec3 q = folded(p);
  if (waist(q) < 0 && hem(q) > 0) {
    return waist(q) > -kBelt || hem(q) < kPiping ? kAccent : kTrunks;
  }
  const double c = cuff(rig, q);
  const double a = anklet(rig, q);
  return (c > 0 && c < kCuff) || (a > 0 && a < kAnklet) ? kTrunks : kSkin;
}

}  // namespace pelt::assets
