// Where one material meets another. All functions are even in x.
#include <cmath>

#include "humanoid.h"
#include "humanoid_features.h"

namespace pelt::assets {
namespace {

using glm::dvec2;
using glm::dvec3;
using namespace features;

constexpr double kFar = 1;
constexpr double kArmsBegin = 0.19;  // nothing of torso and legs is farther out
// Where a rim stands off the skin, the line between them lies in the crease.
constexpr double kCrease = 0.0015;
constexpr double kHairRim = 0.0080;  // edges along the rim of the hair keep its underside apart

bool of_face(const dvec3& p) {
  return p.z > 0.03 && p.y > 1.55 && p.y < 1.73;
}
bool of_arm(const dvec3& p) {
  return p.x > kArmsBegin && p.y > 0.7;
}

// Metres along a bone of the left arm, from its joint.
double along(const RigBuilder& rig, const char* joint, const dvec3& p) {
  const int j = rig.find(joint);
  return glm::dot(p - rig.bind_position(j), dvec3(rig.bind_world(j)[0]));
}

// Each is negative within, in metres near the line.
double eye(const dvec3& p) {
  if (!of_face(p)) {
    return kFar;
  }
  const dvec2 q = (dvec2(p) - kEye) / kEyeRadii;
  return (glm::length(q) - 1) * kEyeRadii.x;
}
double glint(const dvec3& p) {
  return of_face(p) ? glm::length(dvec2(p) - kGlint) - kGlintRadius : kFar;
}
double brow(const dvec3& p) {
  if (!of_face(p)) {
    return kFar;
  }
  const double x = glm::clamp(p.x, kBrowInner, kBrowOuter);
  return glm::length(dvec2(p) - dvec2(x, brow_height(x))) - kBrowHalfThickness;
}
double mouth(const dvec3& p) {
  if (!of_face(p)) {
    return kFar;
  }
  const double x = glm::clamp(p.x, -kMouthHalfWidth, kMouthHalfWidth);
  return glm::length(dvec2(p) - dvec2(x, mouth_height(x))) - kMouthHalfThickness;
}

// Heights over a rim, negative below it or outside.
double hair(const dvec3& p) {
  return p.y > 1.55 ? glm::dot(p - kHairPoint, kHairUp) + 2 * kCrease : -kFar;
}
// Metres out from the line about the neck.
double collar(const dvec3& p) {
  return p.y > 1.36 && p.y < 1.51 ? glm::length(p - kCollarPoint) - kCollarRadius : p.y > 1.44 ? -kFar : kFar;
}
double sleeve(const RigBuilder& rig, const dvec3& p) {
  return of_arm(p) ? along(rig, "shoulder_l", p) - kSleeve - kCrease : -kFar;
}
double wristband(const RigBuilder& rig, const dvec3& p) {
  return of_arm(p) ? along(rig, "elbow_l", p) - kWristband + kCrease : -kFar;
}
double sole(const RigBuilder& rig, const dvec3& p) {
  const dvec3 ankle = rig.bind_position(rig.find("ankle_l"));
  return p.y < 0.05 ? p.y - sole_edge(glm::dot(p - ankle, glm::normalize(dvec3(0.105, 0, 1)))) : kFar;
}
double above(const dvec3& p, double height) {
  return of_arm(p) ? kFar : p.y - height;
}

dvec3 folded(const dvec3& p) {
  return {std::abs(p.x), p.y, p.z};
}

int material_of_face(const dvec3& p) {
  if (eye(p) < 0) {
    return glint(p) < 0 ? kWhite : kEyes;
  }
  return mouth(p) < 0 ? kEyes : brow(p) < 0 ? kGraphite : kSkin;
}

int material_of_arm(const RigBuilder& rig, const dvec3& p) {
  const double s = sleeve(rig, p);
  if (s < 0) {
    return s > -kSleeveTrim - kCrease ? kCoral : kWhite;
  }
  const double w = wristband(rig, p);
  return w > 0 && w < kWristbandWidth + 2 * kCrease ? kCoral : kSkin;
}

int material_of_leg(double y) {
  return y > kShirtHem - kCrease        ? kWhite
         : y > kShortsHem + kShortsTrim ? kGraphite
         : y > kShortsHem - kCrease     ? kCoral
         : y > kSock + 2 * kCrease      ? kSkin
         : y > kShoeTop + 2 * kCrease   ? kWhite
         : y > kSole + 3 * kCrease      ? kCoral
                                        : kWhite;
}

}  // namespace

std::vector<FeatureLine> humanoid_feature_lines(const RigBuilder& rig) {
  const RigBuilder* r = &rig;
  std::vector<FeatureLine> lines = {
      [](const dvec3& p) { return eye(folded(p)); },
      [](const dvec3& p) { return glint(folded(p)); },
      [](const dvec3& p) { return brow(folded(p)); },
      [](const dvec3& p) { return mouth(folded(p)); },
      [](const dvec3& p) { return hair(folded(p)); },
      [](const dvec3& p) { return hair(folded(p)) - kHairRim; },
      [](const dvec3& p) { return hair(folded(p)) - kBand; },
      [](const dvec3& p) { return collar(folded(p)) + kCollarWidth; },
      [](const dvec3& p) { return collar(folded(p)); },
      [](const dvec3& p) { return collar(folded(p)) - kCollarWidth; },
      [r](const dvec3& p) { return sleeve(*r, folded(p)); },
      [r](const dvec3& p) { return sleeve(*r, folded(p)) + kRim + kCrease; },
      [r](const dvec3& p) { return sleeve(*r, folded(p)) + kSleeveTrim + kCrease; },
      [r](const dvec3& p) { return wristband(*r, folded(p)); },
      [r](const dvec3& p) { return wristband(*r, folded(p)) - kWristbandWidth - 2 * kCrease; },
      [r](const dvec3& p) { return sole(*r, folded(p)); },
  };
  for (const double height :
       {kShirtHem - kCrease, kShirtHem + kRim, kShortsHem - kCrease, kShortsHem + kRim, kShortsHem + kShortsTrim,
        kSock + 2 * kCrease, kShoeTop + 2 * kCrease, kShoeTop - kRim, kSole + 3 * kCrease, kSole - kRim}) {
    lines.push_back([height](const dvec3& p) { return above(folded(p), height); });
  }
  return lines;
}

int humanoid_material(const RigBuilder& rig, const glm::dvec3& p) {
  const dvec3 q = folded(p);
  if (of_arm(q)) {
    return material_of_arm(rig, q);
  }
  if (hair(q) > 0) {
    return hair(q) < kBand ? kCoral : kGraphite;
  }
  if (of_face(q)) {
    return material_of_face(q);
  }
  const double c = collar(q);
  return c < -kCollarWidth ? kSkin : c < kCollarWidth ? kCoral : material_of_leg(q.y);
}

}  // namespace pelt::assets
