// How fine the mannequin's mesh is: where it bends, where it is small, and along rims of cloth.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "humanoid.h"
#include "humanoid_features.h"

namespace pelt::assets {
namespace {

using glm::dvec3;

/// Edges of this length up to a distance from a segment; they grow by a quarter of the distance beyond.
struct Spot {
  dvec3 a, b;
  double radius, length;
};

std::vector<Spot> spots_of(const RigBuilder& rig) {
  using namespace features;
  std::vector<Spot> out;
  const auto joint = [&](const std::string& name) { return rig.bind_position(rig.find(name)); };
  const auto ahead = [&](const std::string& name) { return dvec3(rig.bind_world(rig.find(name))[0]); };
  for (const std::string name : {"thumb", "index", "middle", "ring", "pinky"}) {
    const dvec3 tip = joint(name + "_03_l") + ahead(name + "_03_l") * 0.02;
    out.push_back({joint(name + "_01_l"), joint(name + "_02_l"), 0.014, 0.0096});
    out.push_back({joint(name + "_02_l"), tip, 0.012, 0.0078});
  }
  const std::array<std::string, 4> row = {"index_", "middle_", "ring_", "pinky_"};
  for (std::size_t f = 0; f + 1 < row.size(); ++f) {
    const dvec3 knuckles = (joint(row[f] + "01_l") + joint(row[f + 1] + "01_l")) / 2.0;
    const dvec3 middles = (joint(row[f] + "02_l") + joint(row[f + 1] + "02_l")) / 2.0;
    out.push_back({glm::mix(knuckles, middles, 0.35), glm::mix(knuckles, middles, 0.60), 0.007, 0.0054});
  }
  out.push_back({{0, 0.80, 0.02}, {0, 0.80, -0.05}, 0.020, 0.0140});
  out.push_back({joint("wrist_l"), joint("middle_01_l"), 0.034, 0.0120});
  out.push_back({joint("elbow_l"), joint("elbow_l"), 0.045, 0.0135});
  out.push_back({joint("knee_l"), joint("knee_l"), 0.060, 0.0155});
  out.push_back({joint("shoulder_l"), joint("shoulder_l"), 0.080, 0.0165});
  out.push_back({{0.110, 0.02, 0.165}, {0.150, 0.02, 0.155}, 0.014, 0.0085});  // the toe of the shoe
  // Face.
  out.push_back({{kEye, 0.10}, {kEye, 0.08}, 0.0200, 0.0052});
  out.push_back({{kGlint, 0.10}, {kGlint, 0.09}, 0.0060, 0.0026});
  out.push_back(
      {{kBrowInner, brow_height(kBrowInner), 0.095}, {kBrowOuter, brow_height(kBrowOuter), 0.080}, 0.009, 0.0050});
  out.push_back({{0, kMouthHeight, 0.10}, {kMouthHalfWidth, mouth_height(kMouthHalfWidth), 0.09}, 0.0060, 0.0033});
  out.push_back({{0, 1.62, 0.11}, {0, 1.62, 0.11}, 0.014, 0.0056});
  out.push_back({{0.118, 1.645, -0.010}, {0.118, 1.610, -0.010}, 0.018, 0.0080});
  return out;
}

/// How far a place lies along the first axis of a joint.
struct JointAxis {
  dvec3 origin, axis;

  JointAxis(const RigBuilder& rig, const char* name)
      : origin(rig.bind_position(rig.find(name))), axis(rig.bind_world(rig.find(name))[0]) {}
  double operator()(const dvec3& p) const { return glm::dot(p - origin, axis); }
};

/// Edges of this length up to a distance from a level of a function.
double rim(double level, double width, double length) {
  return length + 0.35 * std::max(0.0, std::abs(level) - width);
}

}  // namespace

double humanoid_edge_length(const RigBuilder& rig, const glm::dvec3& p) {
  using namespace features;
  static const std::vector<Spot> spots = spots_of(rig);
  static const JointAxis upper_arm(rig, "shoulder_l");
  static const JointAxis forearm(rig, "elbow_l");
  double length = 0.0294;
  for (const Spot& spot : spots) {
    const dvec3 ab = spot.b - spot.a;
    const double l2 = glm::dot(ab, ab);
    const double t = l2 > 0 ? glm::clamp(glm::dot(p - spot.a, ab) / l2, 0.0, 1.0) : 0.0;
    const double d = glm::length(p - spot.a - ab * t);
    length = std::min(length, spot.length + 0.25 * std::max(0.0, d - spot.radius));
  }
  const auto finest = [&](double other) { length = std::min(length, other); };
  if (p.x > 0.19 && p.y > 0.7) {
    finest(rim(upper_arm(p) - kSleeve, 0.005, 0.0120));
    finest(rim(forearm(p) - kWristband, 0.003, 0.0100));
    finest(rim(forearm(p) - kWristband - kWristbandWidth, 0.003, 0.0100));
  } else {
    finest(rim(p.y - kShirtHem, 0.005, 0.0150));
    finest(rim(p.y - kShortsHem, 0.005, 0.0135));
    finest(rim(p.y - kSole, 0.005, 0.0125));
    finest(rim(p.y, 0.004, 0.0150));
    finest(rim(p.y - kShoeTop, 0.005, 0.0120));
    finest(rim(p.y - kSock, 0.003, 0.0125));
  }
  if (p.y > 1.58) {
    finest(rim(glm::dot(p - kHairPoint, kHairUp), 0.009, 0.0110));
    finest(0.0210);
  } else if (p.y > 1.36 && p.y < 1.51) {
    finest(rim(glm::length(p - kCollarPoint) - kCollarRadius, 0.009, 0.0105));
  }
  return length;
}

}  // namespace pelt::assets
