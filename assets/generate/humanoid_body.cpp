// Proportions: seven and three quarter heads to 1.75 m. Sections of torso and limbs are given by their silhouettes.
#include <array>
#include <cmath>

#include "humanoid.h"

namespace pelt::assets {
namespace {

using glm::dmat3;
using glm::dvec3;

// Axes of a loft that runs upwards: u to the left of the body (+x), v to its front (+z).
const dmat3 kUpwards(dvec3(0, 1, 0), dvec3(1, 0, 0), dvec3(0, 0, 1));

dmat3 turned(const dvec3& axis, double degrees) {
  return dmat3(glm::mat3_cast(glm::angleAxis(glm::radians(degrees), glm::normalize(axis))));
}

void add_torso(Body& body) {
  const auto key = [](double y, double half_width, double front, double back) {
    return LoftKey{y, -half_width, half_width, back, front};
  };
  Loft trunk;
  trunk.axes = kUpwards;
  trunk.exponent = 2.15;
  trunk.keys = {key(0.835, 0.070, 0.040, -0.050), key(0.870, 0.130, 0.070, -0.080), key(0.910, 0.153, 0.085, -0.094),
                key(0.950, 0.156, 0.091, -0.097), key(0.990, 0.149, 0.093, -0.092), key(1.040, 0.139, 0.091, -0.079),
                key(1.090, 0.129, 0.087, -0.069), key(1.130, 0.127, 0.086, -0.069), key(1.180, 0.132, 0.091, -0.078),
                key(1.230, 0.140, 0.099, -0.092), key(1.280, 0.147, 0.102, -0.105), key(1.330, 0.150, 0.100, -0.109),
                key(1.375, 0.140, 0.084, -0.104), key(1.410, 0.114, 0.062, -0.095), key(1.440, 0.080, 0.038, -0.085),
                key(1.470, 0.055, 0.016, -0.078)};
  body.add(trunk, 0, kTorso);

  // Chest, shoulder girdle, and the slope from neck to shoulder.
  body.add_both(RoundCone{{0.030, 1.385, -0.030}, {0.155, 1.406, -0.026}, 0.058, 0.050}, 0.05, kTorso, kMirror);
  body.add_both(Ellipsoid{{0.072, 1.318, 0.059}, turned({0, 1, 0}, 22) * turned({0, 0, 1}, 16), {0.086, 0.060, 0.038}},
                0.045, kTorso, kMirror);
  body.add_both(Ellipsoid{{0.120, 1.270, -0.040}, turned({0, 0, 1}, -10), {0.034, 0.120, 0.056}}, 0.07, kTorso,
                kMirror);
  body.add_both(Ellipsoid{{0.084, 1.335, -0.084}, turned({0, 1, 0}, 18), {0.050, 0.072, 0.024}}, 0.07, kTorso, kMirror);
  body.add_both(RoundCone{{0.024, 1.502, -0.050}, {0.155, 1.440, -0.032}, 0.030, 0.026}, 0.06, kTorso, kMirror);
  // Furrow along the spine, and a soft line down the belly.
  body.add(RoundCone{{0, 1.03, -0.097}, {0, 1.36, -0.137}, 0.010, 0.012}, 0.04, kTorso, Blend::kSubtract);
  body.add(RoundCone{{0, 1.06, 0.106}, {0, 1.23, 0.120}, 0.010, 0.010}, 0.03, kTorso, Blend::kSubtract);
  // Buttocks.
  body.add_both(Ellipsoid{{0.074, 0.900, -0.050}, turned({0, 0, 1}, -12), {0.074, 0.086, 0.066}}, 0.055, kTorso,
                kMirror);
}

void add_head(Body& body) {
  body.add(RoundCone{{0, 1.430, -0.044}, {0, 1.585, -0.022}, 0.053, 0.043}, 0.05, kHead);
  body.add_both(RoundCone{{0.014, 1.430, 0.012}, {0.040, 1.600, -0.030}, 0.010, 0.010}, 0.03, kHead, kMirror);

  // Skull, face, jaw.
  body.add(Ellipsoid{{0, 1.668, -0.010}, turned({1, 0, 0}, -8), {0.0735, 0.083, 0.094}}, 0.03, kHead);
  const auto key = [](double y, double half_width, double back, double front) {
    return LoftKey{y, -half_width, half_width, back, front};
  };
  Loft face;
  face.axes = kUpwards;
  face.exponent = 2.1;
  face.keys = {key(1.552, 0.0260, 0.012, 0.0560),  key(1.570, 0.0410, -0.012, 0.0740),
               key(1.590, 0.0490, -0.032, 0.0790), key(1.618, 0.0585, -0.046, 0.0830),
               key(1.655, 0.0650, -0.050, 0.0850), key(1.695, 0.0600, -0.046, 0.0770),
               key(1.718, 0.0300, -0.020, 0.0300)};
  body.add(face, 0.03, kHead);
  body.add(Ellipsoid{{0, 1.5660, 0.0260}, dmat3(1.0), {0.0415, 0.0400, 0.0495}}, 0.022, kHead);
  body.add(Ellipsoid{{0, 1.5400, 0.0600}, dmat3(1.0), {0.022, 0.0145, 0.0175}}, 0.025, kHead);
  body.add_both(Ellipsoid{{0.0360, 1.6100, 0.0440}, dmat3(1.0), {0.0240, 0.0260, 0.0220}}, 0.036, kHead, kMirror);
  // Eyes: a shallow socket under the brow, and the closed lid in it.
  body.add_both(Ellipsoid{{0.0330, 1.6360, 0.0950}, turned({0, 1, 0}, 18), {0.0250, 0.0135, 0.0215}}, 0.020, kHead,
                kMirror, Blend::kSubtract);
  body.add_both(Ellipsoid{{0.0320, 1.6350, 0.0612}, turned({0, 1, 0}, 18), {0.0165, 0.0115, 0.0125}}, 0.010, kHead,
                kMirror);
  // Nose.
  body.add(RoundCone{{0, 1.650, 0.0800}, {0, 1.6040, 0.0940}, 0.0060, 0.0092}, 0.016, kHead);
  body.add_both(Ellipsoid{{0.0080, 1.6020, 0.0850}, dmat3(1.0), {0.0080, 0.0070, 0.0100}}, 0.012, kHead, kMirror);
  // Mouth: two lips and the line between them.
  body.add(Ellipsoid{{0, 1.5680, 0.0660}, dmat3(1.0), {0.0260, 0.0230, 0.0150}}, 0.028, kHead);
  body.add(Ellipsoid{{0, 1.5718, 0.0750}, dmat3(1.0), {0.0215, 0.0062, 0.0085}}, 0.013, kHead);
  body.add(Ellipsoid{{0, 1.5615, 0.0750}, dmat3(1.0), {0.0170, 0.0070, 0.0088}}, 0.013, kHead);
  body.add_both(RoundCone{{0, 1.5668, 0.0898}, {0.0200, 1.5666, 0.0828}, 0.0018, 0.0012}, 0.007, kHead, kMirror,
                Blend::kSubtract);
  // Ears.
  const dmat3 ear = turned({0, 1, 0}, -22) * turned({1, 0, 0}, -12);
  body.add_both(Ellipsoid{{0.0715, 1.6270, -0.0140}, ear, {0.0085, 0.0260, 0.0155}}, 0.013, kHead, kMirror);
  body.add_both(Ellipsoid{{0.0855, 1.6305, -0.0095}, ear, {0.0085, 0.0160, 0.0085}}, 0.008, kHead, kMirror,
                Blend::kSubtract);
}

void add_arm(Body& body, const RigBuilder& rig) {
  const int shoulder = rig.find("shoulder_l");
  const int elbow = rig.find("elbow_l");
  const int wrist = rig.find("wrist_l");
  // Lofts along the arm: u up, v to the front in the zero pose.
  const dmat3 along(dvec3(1, 0, 0), dvec3(0, 1, 0), dvec3(0, 0, 1));
  const auto loft = [&](int joint, std::vector<LoftKey> keys, double exponent) {
    return Loft{rig.bind_position(joint), rig.turn_to_bind(joint) * along, std::move(keys), exponent};
  };
  const auto point = [&](int joint, const dvec3& offset) {
    return rig.to_bind(joint, dvec3(rig.zero_world(joint)[3]) + offset);
  };
  // Deltoid and upper arm.
  body.add_both(Ellipsoid{point(shoulder, {0.024, -0.004, 0.002}),
                          rig.turn_to_bind(shoulder) * turned({0, 0, 1}, -4),
                          {0.082, 0.051, 0.056}},
                0.045, kArm, kMirror);
  body.add_both(loft(shoulder,
                     {{-0.02, -0.030, 0.030, -0.030, 0.030},
                      {0.02, -0.042, 0.042, -0.042, 0.042},
                      {0.07, -0.045, 0.044, -0.044, 0.046},
                      {0.12, -0.042, 0.040, -0.044, 0.045},
                      {0.17, -0.038, 0.037, -0.041, 0.043},
                      {0.22, -0.034, 0.034, -0.036, 0.037},
                      {0.26, -0.032, 0.033, -0.034, 0.033},
                      {0.285, -0.030, 0.031, -0.031, 0.030},
                      {0.315, -0.018, 0.018, -0.018, 0.018}},
                     2),
                0.035, kArm, kMirror);
  body.add_both(loft(elbow,
                     {{-0.045, -0.018, 0.018, -0.018, 0.018},
                      {-0.015, -0.030, 0.031, -0.031, 0.030},
                      {0.010, -0.033, 0.035, -0.034, 0.035},
                      {0.045, -0.035, 0.037, -0.034, 0.040},
                      {0.085, -0.033, 0.036, -0.032, 0.039},
                      {0.130, -0.028, 0.031, -0.029, 0.034},
                      {0.180, -0.0215, 0.0245, -0.0265, 0.029},
                      {0.225, -0.0175, 0.0200, -0.0260, 0.0265},
                      {0.248, -0.0160, 0.0180, -0.0255, 0.0255},
                      {0.275, -0.0090, 0.0100, -0.0150, 0.0150}},
                     2.1),
                0.025, kArm, kMirror);
  // Hand: the palm, one ray per finger, the ball of the thumb and the edge of the hand.
  body.add_both(loft(wrist,
                     {{-0.025, -0.0090, 0.0100, -0.0150, 0.0150},
                      {0.000, -0.0150, 0.0160, -0.0245, 0.0245},
                      {0.018, -0.0155, 0.0155, -0.0285, 0.0280},
                      {0.045, -0.0150, 0.0135, -0.0350, 0.0330},
                      {0.070, -0.0120, 0.0110, -0.0370, 0.0335},
                      {0.086, -0.0095, 0.0095, -0.0345, 0.0320}},
                     2.5),
                0.018, kPalm, kMirror);
  const dvec3 wrist_zero(rig.zero_world(wrist)[3]);
  const auto zero_of = [&](const std::string& name) { return dvec3(rig.zero_world(rig.find(name))[3]); };
  const std::array<const char*, 5> names = {"thumb", "index", "middle", "ring", "pinky"};
  const std::array<std::array<double, 4>, 5> radii = {{{0.0135, 0.0112, 0.0098, 0.0082},
                                                       {0.0103, 0.0088, 0.0078, 0.0066},
                                                       {0.0104, 0.0090, 0.0080, 0.0067},
                                                       {0.0100, 0.0085, 0.0076, 0.0064},
                                                       {0.0090, 0.0076, 0.0067, 0.0058}}};
  const std::array<double, 5> tip_length = {0.019, 0.0160, 0.0165, 0.0160, 0.0140};
  for (std::size_t f = 1; f < 5; ++f) {
    const dvec3 knuckle = zero_of(std::string(names[f]) + "_01_l");
    const dvec3 base = wrist_zero + dvec3(0.012, 0.001, 0.55 * (knuckle.z - wrist_zero.z));
    body.add_both(
        RoundCone{rig.to_bind(wrist, base), rig.to_bind(wrist, knuckle + dvec3(0, -0.0010, 0)), 0.0105, radii[f][0]},
        0.012, kPalm, kMirror);
  }
  body.add_both(RoundCone{point(wrist, {0.020, -0.007, -0.021}), point(wrist, {0.062, -0.007, -0.031}), 0.0125, 0.0095},
                0.014, kPalm, kMirror);
  // Webs between the fingers.
  for (std::size_t f = 1; f < 4; ++f) {
    const auto between = [&](const char* phalanx) {
      return (rig.bind_position(rig.find(names[f] + std::string(phalanx))) +
              rig.bind_position(rig.find(names[f + 1] + std::string(phalanx)))) /
             2.0;
    };
    const dvec3 base = between("_01_l");
    body.add_both(RoundCone{base, glm::mix(base, between("_02_l"), 0.30), 0.0080, 0.0060}, 0.010, kPalm, kMirror);
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
      const double blend = i == 0 ? (f == 0 ? 0.016 : 0.009) : 0.005;
      body.add_both(RoundCone{p[i], p[i + 1], f == 0 && i == 0 ? 0.0165 : radii[f][i], radii[f][i + 1]}, blend,
                    kThumb + static_cast<int>(f), kMirror);
    }
  }
}

void add_leg(Body& body, const RigBuilder& rig) {
  const auto key = [](double y, double inner, double outer, double back, double front) {
    return LoftKey{y, inner, outer, back, front};
  };
  Loft leg;
  leg.axes = kUpwards;
  leg.exponent = 2;
  leg.keys = {key(0.070, 0.089, 0.137, -0.056, 0.010), key(0.110, 0.089, 0.135, -0.056, 0.008),
              key(0.150, 0.086, 0.138, -0.058, 0.014), key(0.200, 0.077, 0.145, -0.065, 0.021),
              key(0.250, 0.068, 0.151, -0.076, 0.027), key(0.300, 0.060, 0.157, -0.086, 0.032),
              key(0.350, 0.056, 0.160, -0.089, 0.037), key(0.400, 0.057, 0.158, -0.079, 0.043),
              key(0.440, 0.059, 0.154, -0.066, 0.048), key(0.480, 0.059, 0.152, -0.057, 0.054),
              key(0.520, 0.055, 0.153, -0.057, 0.060), key(0.570, 0.046, 0.156, -0.063, 0.068),
              key(0.630, 0.034, 0.161, -0.072, 0.078), key(0.700, 0.023, 0.166, -0.082, 0.086),
              key(0.770, 0.014, 0.169, -0.089, 0.090), key(0.820, 0.009, 0.169, -0.092, 0.089),
              key(0.870, 0.009, 0.167, -0.093, 0.086), key(0.915, 0.020, 0.160, -0.087, 0.080),
              key(0.955, 0.040, 0.142, -0.066, 0.066), key(0.990, 0.070, 0.105, -0.025, 0.025)};
  body.add_both(leg, 0.028, kLeg, kMirror);
  body.add_both(Ellipsoid{{0.106, 0.500, 0.034}, dmat3(1.0), {0.026, 0.036, 0.024}}, 0.030, kLeg, kMirror);
  body.add_both(Ellipsoid{{0.080, 0.575, 0.032}, turned({0, 0, 1}, 12), {0.024, 0.065, 0.032}}, 0.045, kLeg, kMirror);
  body.add_both(Ellipsoid{{0.1335, 0.076, -0.034}, dmat3(1.0), {0.0085, 0.014, 0.012}}, 0.018, kLeg, kMirror);
  body.add_both(Ellipsoid{{0.0925, 0.087, -0.026}, dmat3(1.0), {0.0085, 0.014, 0.012}}, 0.018, kLeg, kMirror);

  const dvec3 forward = glm::normalize(dvec3(0.105, 0, 1));
  const dvec3 outward = glm::normalize(dvec3(1, 0, -0.105));
  const dvec3 heel(rig.bind_position(rig.find("ankle_l")).x, 0, rig.bind_position(rig.find("ankle_l")).z);
  Loft foot;
  foot.origin = heel;
  foot.axes = dmat3(forward, outward, dvec3(0, 1, 0));
  foot.exponent = 2.3;
  foot.keys = {{-0.061, -0.008, 0.008, 0.020, 0.038},  {-0.053, -0.019, 0.019, 0.004, 0.056},
               {-0.035, -0.026, 0.026, -0.006, 0.070}, {0.000, -0.027, 0.027, -0.006, 0.082},
               {0.030, -0.030, 0.032, -0.004, 0.078},  {0.065, -0.035, 0.038, -0.003, 0.062},
               {0.100, -0.041, 0.044, -0.005, 0.044},  {0.125, -0.042, 0.045, -0.005, 0.034},
               {0.145, -0.037, 0.038, -0.002, 0.025}};
  body.add_both(foot, 0.03, kLeg, kMirror);
  const auto on_foot = [&](double t, double u, double y) { return heel + forward * t + outward * u + dvec3(0, y, 0); };
  struct Toe {
    double t0, t1, u0, u1, r0, r1;
  };
  constexpr std::array<Toe, 5> kToes = {{{0.130, 0.180, -0.0275, -0.0245, 0.0155, 0.0128},
                                         {0.132, 0.181, -0.0055, -0.0025, 0.0112, 0.0094},
                                         {0.128, 0.172, 0.0105, 0.0130, 0.0108, 0.0090},
                                         {0.120, 0.160, 0.0250, 0.0270, 0.0104, 0.0086},
                                         {0.110, 0.145, 0.0380, 0.0390, 0.0100, 0.0082}}};
  for (const Toe& toe : kToes) {
    body.add_both(
        RoundCone{on_foot(toe.t0, toe.u0, toe.r0 + 0.001), on_foot(toe.t1, toe.u1, toe.r1 - 0.001), toe.r0, toe.r1},
        0.009, kLeg, kMirror);
  }
  // The arch, then the ground.
  body.add_both(
      Ellipsoid{on_foot(0.045, -0.034, -0.004), dmat3(forward, dvec3(0, 1, 0), outward), {0.042, 0.016, 0.020}}, 0.018,
      kLeg, kMirror, Blend::kSubtract);
  body.add(HalfSpace{{0, 0, 0}, {0, -1, 0}}, 0.010, kTorso, Blend::kIntersect);
}

}  // namespace

Body make_humanoid_body(const RigBuilder& rig) {
  Body body;
  add_torso(body);
  add_leg(body, rig);
  add_arm(body, rig);
  add_head(body);
  return body;
}

double humanoid_edge_length(const RigBuilder& rig, const glm::dvec3& p) {
  // Fine spots in a coarse body; edges grow by a quarter of the distance around them.
  struct Spot {
    dvec3 a, b;
    double radius, length;
  };
  static const std::vector<Spot> spots = [&] {
    std::vector<Spot> out;
    const auto joint = [&](const char* name) { return rig.bind_position(rig.find(name)); };
    for (const char* finger : {"thumb", "index", "middle", "ring", "pinky"}) {
      const std::string name = finger;
      const dvec3 tip = joint((name + "_03_l").c_str()) + dvec3(rig.bind_world(rig.find(name + "_03_l"))[0]) * 0.02;
      out.push_back({joint((name + "_01_l").c_str()), joint((name + "_02_l").c_str()), 0.012, 0.0082});
      out.push_back({joint((name + "_02_l").c_str()), tip, 0.010, 0.0061});
    }
    const std::array<const char*, 4> row = {"index_", "middle_", "ring_", "pinky_"};
    for (std::size_t f = 0; f + 1 < row.size(); ++f) {
      const std::string first = row[f];
      const std::string second = row[f + 1];
      const dvec3 knuckles = (joint((first + "01_l").c_str()) + joint((second + "01_l").c_str())) / 2.0;
      const dvec3 middles = (joint((first + "02_l").c_str()) + joint((second + "02_l").c_str())) / 2.0;
      out.push_back({glm::mix(knuckles, middles, 0.35), glm::mix(knuckles, middles, 0.55), 0.007, 0.0054});
    }
    out.push_back({{0, 0.85, 0.02}, {0, 0.85, -0.05}, 0.020, 0.0140});
    out.push_back({joint("wrist_l"), joint("middle_01_l"), 0.034, 0.0115});
    out.push_back({joint("elbow_l"), joint("elbow_l"), 0.045, 0.0135});
    out.push_back({joint("knee_l"), joint("knee_l"), 0.060, 0.0155});
    out.push_back({joint("shoulder_l"), joint("shoulder_l"), 0.080, 0.0165});
    out.push_back({{0.115, 0.02, 0.10}, {0.135, 0.01, 0.16}, 0.042, 0.0090});
    out.push_back({joint("ankle_l"), {0.115, 0.02, 0.05}, 0.050, 0.0125});
    out.push_back({{0, 1.69, 0}, {0, 1.58, 0.02}, 0.08, 0.0145});
    out.push_back({{0.0, 1.640, 0.085}, {0.032, 1.636, 0.075}, 0.018, 0.0062});
    out.push_back({{0, 1.63, 0.095}, {0, 1.60, 0.10}, 0.014, 0.0052});
    out.push_back({{0, 1.567, 0.085}, {0.020, 1.567, 0.078}, 0.008, 0.0029});
    out.push_back({{0.078, 1.645, -0.014}, {0.078, 1.610, -0.014}, 0.016, 0.0050});
    return out;
  }();
  double length = 0.0218;
  for (const Spot& spot : spots) {
    const dvec3 ab = spot.b - spot.a;
    const double l2 = glm::dot(ab, ab);
    const double t = l2 > 0 ? glm::clamp(glm::dot(p - spot.a, ab) / l2, 0.0, 1.0) : 0.0;
    const double d = glm::length(p - spot.a - ab * t);
    length = std::min(length, spot.length + 0.25 * std::max(0.0, d - spot.radius));
  }
  return length;
}

}  // namespace pelt::assets
