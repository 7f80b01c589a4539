// A stylised athlete of 1.83 m: sections of torso and limbs are given by their silhouettes, cloth is a shape of its own
// whose rims stand off the skin.
#include <array>
#include <cmath>
#include <numbers>

#include "humanoid.h"
#include "humanoid_features.h"

namespace pelt::assets {
namespace {

using glm::dmat3;
using glm::dvec3;

// Axes of a loft that runs upwards: u to the left of the body (+x), v to its front (+z).
const dmat3 kUpwards(dvec3(0, 1, 0), dvec3(1, 0, 0), dvec3(0, 0, 1));

constexpr int kRingParts = 12;  // of half a collar

dmat3 turned(const dvec3& axis, double degrees) {
  return dmat3(glm::mat3_cast(glm::angleAxis(glm::radians(degrees), glm::normalize(axis))));
}

void add_torso(Body& body) {
  using namespace features;
  const auto key = [](double y, double half_width, double front, double back) {
    return LoftKey{y, -half_width, half_width, back, front};
  };
  // The shirt hangs from chest and shoulders; its hem stands off the hips.
  Loft shirt;
  shirt.axes = kUpwards;
  shirt.exponent = 2.3;
  shirt.round = 0.005;
  shirt.keys = {
      key(kShirtHem, 0.1620, 0.1020, -0.1130), key(0.960, 0.1590, 0.1010, -0.1090), key(1.000, 0.1540, 0.1000, -0.1010),
      key(1.060, 0.1460, 0.0980, -0.0900),     key(1.120, 0.1410, 0.0980, -0.0840), key(1.180, 0.1420, 0.1010, -0.0880),
      key(1.240, 0.1470, 0.1060, -0.0970),     key(1.290, 0.1520, 0.1080, -0.1050), key(1.335, 0.1520, 0.1020, -0.1080),
      key(1.375, 0.1420, 0.0850, -0.1050),     key(1.410, 0.1180, 0.0590, -0.0970), key(1.440, 0.0850, 0.0290, -0.0880),
      key(1.470, 0.0550, 0.0030, -0.0780)};
  body.add(shirt, 0, kTorso);
  body.add(Ellipsoid{{0, 0.880, -0.006}, dmat3(1.0), {0.120, 0.078, 0.085}}, 0.030, kTorso);
  body.add(RoundCone{{0, 1.425, -0.046}, {0, 1.590, -0.020}, 0.0520, 0.0450}, 0.04, kHead);
  // Shoulder girdle, the slope from neck to shoulder, a broad chest, and flanks that widen upwards.
  body.add_both(RoundCone{{0.030, 1.388, -0.030}, {0.155, 1.404, -0.026}, 0.060, 0.054}, 0.05, kTorso, kMirror);
  body.add_both(RoundCone{{0.030, 1.452, -0.048}, {0.155, 1.434, -0.032}, 0.030, 0.028}, 0.05, kTorso, kMirror);
  body.add_both(Ellipsoid{{0.070, 1.318, 0.052}, turned({0, 1, 0}, 20), {0.084, 0.066, 0.046}}, 0.070, kTorso, kMirror);
  body.add_both(Ellipsoid{{0.118, 1.285, -0.036}, turned({0, 0, 1}, -10), {0.038, 0.115, 0.062}}, 0.07, kTorso,
                kMirror);
  // The neck of the shirt is a ridge laid on the body.
  const auto on_ring = [&](int i) {
    const double angle = glm::radians(180.0 * i / kRingParts);
    const dvec3 outwards(std::sin(angle), 0, std::cos(angle));
    double inside = 0;
    double outside = 0.5 * std::numbers::pi;
    dvec3 p(0.0);
    for (int step = 0; step < 40; ++step) {
      const double up = 0.5 * (inside + outside);
      p = kCollarPoint + kCollarRadius * (std::sin(up) * outwards - dvec3(0, std::cos(up), 0));
      (body(p) < 0 ? inside : outside) = up;
    }
    return p - 0.0025 * glm::normalize(body.gradient(p));
  };
  std::vector<dvec3> ring;
  for (int i = 0; i <= kRingParts; ++i) {
    ring.push_back(on_ring(i));
  }
  for (std::size_t i = 0; i + 1 < ring.size(); ++i) {
    body.add_both(RoundCone{ring[i], ring[i + 1], kCollarWidth, kCollarWidth}, 0.006, kTorso, kMirror);
  }
}

void add_arm(Body& body, const RigBuilder& rig) {
  using namespace features;
  const int shoulder = rig.find("shoulder_l");
  const int elbow = rig.find("elbow_l");
  // Lofts along the arm: u up, v to the front in the zero pose.
  const dmat3 along(dvec3(1, 0, 0), dvec3(0, 1, 0), dvec3(0, 0, 1));
  const auto loft = [&](int joint, std::vector<LoftKey> keys, double exponent, double round = 0) {
    return Loft{rig.bind_position(joint), rig.turn_to_bind(joint) * along, std::move(keys), exponent, round};
  };
  const auto point = [&](int joint, const dvec3& offset) {
    return rig.to_bind(joint, dvec3(rig.zero_world(joint)[3]) + offset);
  };
  // Deltoid under the sleeve, upper arm, forearm.
  body.add_both(Ellipsoid{point(shoulder, {0.020, -0.004, 0.002}),
                          rig.turn_to_bind(shoulder) * turned({0, 0, 1}, -4),
                          {0.082, 0.054, 0.058}},
                0.045, kArm, kMirror);
  body.add_both(loft(shoulder,
                     {{-0.02, -0.030, 0.030, -0.030, 0.030},
                      {0.03, -0.040, 0.040, -0.040, 0.040},
                      {0.10, -0.042, 0.041, -0.042, 0.043},
                      {0.16, -0.039, 0.038, -0.040, 0.041},
                      {0.22, -0.035, 0.035, -0.036, 0.037},
                      {0.26, -0.033, 0.034, -0.034, 0.034},
                      {0.285, -0.030, 0.031, -0.031, 0.030},
                      {0.315, -0.018, 0.018, -0.018, 0.018}},
                     2),
                0.035, kArm, kMirror);
  body.add_both(loft(elbow,
                     {{-0.045, -0.018, 0.018, -0.018, 0.018},
                      {-0.015, -0.030, 0.031, -0.031, 0.030},
                      {0.010, -0.034, 0.035, -0.034, 0.035},
                      {0.050, -0.036, 0.038, -0.035, 0.039},
                      {0.090, -0.035, 0.037, -0.034, 0.038},
                      {0.140, -0.031, 0.033, -0.031, 0.034},
                      {0.190, -0.0260, 0.0275, -0.0285, 0.0300},
                      {0.225, -0.0225, 0.0240, -0.0275, 0.0280},
                      {0.248, -0.0200, 0.0215, -0.0270, 0.0270},
                      {0.275, -0.0120, 0.0130, -0.0170, 0.0170}},
                     2.1),
                0.025, kArm, kMirror);
  body.add_both(loft(shoulder,
                     {{-0.030, -0.040, 0.040, -0.040, 0.040},
                      {0.030, -0.058, 0.055, -0.058, 0.058},
                      {0.090, -0.058, 0.055, -0.058, 0.059},
                      {kSleeve, -0.059, 0.056, -0.059, 0.060}},
                     2.2, 0.005),
                0.030, kArm, kMirror);
  body.add_both(loft(elbow,
                     {{kWristband, -0.0300, 0.0315, -0.0325, 0.0340},
                      {kWristband + 0.5 * kWristbandWidth, -0.0292, 0.0307, -0.0327, 0.0337},
                      {kWristband + kWristbandWidth, -0.0272, 0.0287, -0.0322, 0.0327}},
                     2.2, 0.004),
                0.002, kArm, kMirror);
}

void add_hand(Body& body, const RigBuilder& rig) {
  const int wrist = rig.find("wrist_l");
  const dmat3 along(dvec3(1, 0, 0), dvec3(0, 1, 0), dvec3(0, 0, 1));
  const auto point = [&](const dvec3& offset) { return rig.to_bind(wrist, dvec3(rig.zero_world(wrist)[3]) + offset); };
  // The palm, one ray per finger, the ball of the thumb and the edge of the hand.
  Loft palm{rig.bind_position(wrist), rig.turn_to_bind(wrist) * along, {}, 2.5, 0};
  palm.keys = {{-0.030, -0.0120, 0.0130, -0.0170, 0.0170}, {0.000, -0.0185, 0.0195, -0.0265, 0.0265},
               {0.018, -0.0185, 0.0185, -0.0310, 0.0310},  {0.045, -0.0175, 0.0165, -0.0400, 0.0385},
               {0.070, -0.0145, 0.0140, -0.0430, 0.0390},  {0.086, -0.0115, 0.0120, -0.0405, 0.0370}};
  body.add_both(palm, 0.018, kPalm, kMirror);
  const dvec3 wrist_zero(rig.zero_world(wrist)[3]);
  const auto zero_of = [&](const std::string& name) { return dvec3(rig.zero_world(rig.find(name))[3]); };
  const std::array<const char*, 5> names = {"thumb", "index", "middle", "ring", "pinky"};
  const std::array<std::array<double, 4>, 5> radii = {{{0.0158, 0.0132, 0.0120, 0.0104},
                                                       {0.0116, 0.0107, 0.0100, 0.0088},
                                                       {0.0118, 0.0109, 0.0101, 0.0089},
                                                       {0.0114, 0.0105, 0.0098, 0.0086},
                                                       {0.0104, 0.0096, 0.0088, 0.0078}}};
  const std::array<double, 5> tip_length = {0.0190, 0.0155, 0.0160, 0.0155, 0.0140};
  for (std::size_t f = 1; f < 5; ++f) {
    const dvec3 knuckle = zero_of(std::string(names[f]) + "_01_l");
    const dvec3 base = wrist_zero + dvec3(0.012, 0.001, 0.55 * (knuckle.z - wrist_zero.z));
    body.add_both(
        RoundCone{rig.to_bind(wrist, base), rig.to_bind(wrist, knuckle + dvec3(0, -0.0010, 0)), 0.0125, radii[f][0]},
        0.014, kPalm, kMirror);
  }
  body.add_both(RoundCone{point({0.020, -0.007, -0.023}), point({0.062, -0.007, -0.036}), 0.0145, 0.0110}, 0.016, kPalm,
                kMirror);
  // Webs between the fingers.
  for (std::size_t f = 1; f < 4; ++f) {
    const auto between = [&](const char* phalanx) {
      return (rig.bind_position(rig.find(names[f] + std::string(phalanx))) +
              rig.bind_position(rig.find(names[f + 1] + std::string(phalanx)))) /
             2.0;
    };
    const dvec3 base = between("_01_l");
    body.add_both(RoundCone{base, glm::mix(base, between("_02_l"), 0.24), 0.0085, 0.0065}, 0.009, kPalm, kMirror);
  }
  for (std::size_t f = 0; f < 5; ++f) {
    const std::string name = names[f];
    std::array<dvec3, 4> p{};
    for (std::size_t i = 0; i < 3; ++i) {
      p[i] = rig.bind_position(rig.find(name + "_0" + std::to_string(i + 1) + "_l"));
    }
    const glm::dmat4& last = rig.bind_world(rig.find(name + "_03_l"));
    p[3] = p[2] + dvec3(last[0]) * tip_length[f];
    for (std::size_t i = 0; i < 3; ++i) {
      const double blend = i == 0 ? (f == 0 ? 0.018 : 0.008) : 0.004;
      body.add_both(RoundCone{p[i], p[i + 1], f == 0 && i == 0 ? 0.0185 : radii[f][i], radii[f][i + 1]}, blend,
                    kThumb + static_cast<int>(f), kMirror);
    }
  }
}

void add_leg(Body& body) {
  using namespace features;
  const auto key = [](double y, double inner, double outer, double back, double front) {
    return LoftKey{y, inner, outer, back, front};
  };
  Loft leg;
  leg.axes = kUpwards;
  leg.exponent = 2;
  leg.keys = {key(0.050, 0.084, 0.142, -0.061, 0.008), key(0.110, 0.083, 0.142, -0.062, 0.008),
              key(0.150, 0.080, 0.143, -0.063, 0.013), key(0.200, 0.072, 0.148, -0.069, 0.020),
              key(0.250, 0.064, 0.153, -0.078, 0.026), key(0.300, 0.058, 0.157, -0.085, 0.032),
              key(0.350, 0.055, 0.158, -0.085, 0.038), key(0.400, 0.056, 0.157, -0.076, 0.044),
              key(0.440, 0.058, 0.155, -0.066, 0.050), key(0.480, 0.059, 0.154, -0.059, 0.056),
              key(0.520, 0.056, 0.154, -0.058, 0.061), key(0.570, 0.048, 0.157, -0.063, 0.067),
              key(0.630, 0.038, 0.161, -0.071, 0.075), key(0.700, 0.030, 0.164, -0.080, 0.082),
              key(0.770, 0.022, 0.166, -0.086, 0.085), key(0.830, 0.022, 0.160, -0.080, 0.078)};
  body.add_both(leg, 0.028, kLeg, kMirror);
  body.add_both(Ellipsoid{{0.106, 0.500, 0.036}, dmat3(1.0), {0.027, 0.036, 0.024}}, 0.034, kLeg, kMirror);
  Loft shorts;
  shorts.axes = kUpwards;
  shorts.exponent = 2.15;
  shorts.round = 0.005;
  shorts.keys = {key(kShortsHem, 0.0240, 0.1790, -0.0920, 0.0960), key(0.700, 0.0180, 0.1775, -0.0950, 0.0970),
                 key(0.770, 0.0100, 0.1755, -0.0990, 0.0980),      key(0.830, 0.0060, 0.1730, -0.1020, 0.0970),
                 key(0.880, 0.0060, 0.1690, -0.1040, 0.0930),      key(0.930, 0.0160, 0.1600, -0.1000, 0.0880),
                 key(0.985, 0.0400, 0.1350, -0.0700, 0.0600)};
  body.add_both(shorts, 0.022, kLeg, kMirror);
}

void add_shoe(Body& body, const RigBuilder& rig) {
  using namespace features;
  const dvec3 ankle = rig.bind_position(rig.find("ankle_l"));
  const dvec3 forward = glm::normalize(dvec3(0.105, 0, 1));
  const dmat3 axes(forward, glm::normalize(dvec3(1, 0, -0.105)), dvec3(0, 1, 0));
  const dvec3 heel(ankle.x, 0, ankle.z);
  // Upper, collar and sock; then the sole, whose heel rolls and whose toe rises.
  Loft upper{heel, axes, {}, 2.3, 0.010};
  upper.keys = {{-0.074, -0.026, 0.026, 0.015, 0.064}, {-0.062, -0.035, 0.035, 0.010, 0.090},
                {-0.035, -0.039, 0.039, 0.010, 0.102}, {0.000, -0.039, 0.039, 0.010, 0.104},
                {0.030, -0.040, 0.041, 0.010, 0.096},  {0.065, -0.043, 0.046, 0.010, 0.082},
                {0.100, -0.046, 0.050, 0.010, 0.071},  {0.140, -0.047, 0.051, 0.010, 0.063},
                {0.172, -0.042, 0.044, 0.012, 0.056},  {0.192, -0.031, 0.031, 0.014, 0.049},
                {0.203, -0.017, 0.017, 0.016, 0.042}};
  body.add_both(upper, 0.010, kLeg, kMirror);
  const auto ring = [](double y, double grow) {
    return LoftKey{y, 0.083 - grow, 0.142 + grow, -0.062 - grow, 0.008 + grow};
  };
  Loft collar{dvec3(0), kUpwards, {ring(0.070, 0.010), ring(0.090, 0.009), ring(kShoeTop, 0.0085)}, 2.1, 0.005};
  body.add_both(collar, 0.012, kLeg, kMirror);
  Loft sock{dvec3(0), kUpwards, {ring(0.090, 0.001), ring(0.120, 0.0035), ring(kSock, 0.0035)}, 2.1, 0.003};
  body.add_both(sock, 0.003, kLeg, kMirror);
  Loft sole{heel, axes, {}, 3, 0.006};
  sole.keys = {{-0.084, -0.026, 0.026, 0.014, kSole},    {-0.072, -0.037, 0.037, 0.0075, kSole},
               {-0.056, -0.043, 0.043, 0.0005, kSole},   {-0.030, -0.044, 0.044, -0.008, kSole},
               {0.000, -0.044, 0.044, -0.008, kSole},    {0.060, -0.047, 0.050, -0.008, kSole},
               {0.110, -0.051, 0.055, -0.008, kSole},    {0.150, -0.052, 0.056, -0.008, kSole},
               {0.178, -0.0465, 0.0480, -0.008, kSole},  {0.195, -0.0370, 0.0375, -0.008, kSole},
               {0.2045, -0.0260, 0.0260, -0.008, kSole}, {0.2090, -0.0130, 0.0130, -0.008, kSole}};
  body.add_both(sole, 0.003, kLeg, kMirror);
  body.add(HalfSpace{{0, 0, 0}, {0, -1, 0}}, 0.004, kTorso, Blend::kIntersect);
}

}  // namespace

Body make_humanoid_body(const RigBuilder& rig) {
  Body body;
  add_torso(body);
  add_leg(body);
  add_shoe(body, rig);
  add_arm(body, rig);
  add_hand(body, rig);
  add_humanoid_head(body);
  return body;
}

}  // namespace pelt::assets
