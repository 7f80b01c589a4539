#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "characters.h"
#include "rig_builder.h"
#include "shapes.h"

namespace pelt::assets {
// The sources of all characters use the same names, and may be compiled as one unit.
namespace robot_parts {
namespace {

using glm::dvec2;
using glm::dvec3;

constexpr double kPi = std::numbers::pi;
const dvec3 kUp(0, 1, 0);
const dvec3 kDown(0, -1, 0);
const dvec3 kAhead(0, 0, 1);
const dvec3 kLeft(1, 0, 0);

enum MaterialIndex { kYellow, kWhite, kRubber, kMetal, kGlass, kGlow, kMaterials };

std::vector<rig::Material> make_materials() {
  std::vector<rig::Material> m(kMaterials);
  const auto set = [&](MaterialIndex i, const char* name, const glm::vec4& color, float metallic, float roughness) {
    m[i].name = name;
    m[i].base_color = color;
    m[i].metallic = metallic;
    m[i].roughness = roughness;
  };
  set(kYellow, "yellow paint", srgb(244, 172, 22), 0, 0.34f);
  set(kWhite, "white paint", srgb(232, 232, 226), 0, 0.38f);
  set(kRubber, "rubber", srgb(44, 46, 50), 0, 0.72f);
  set(kMetal, "brushed metal", srgb(186, 190, 196), 1, 0.36f);
  set(kGlass, "visor", srgb(14, 17, 22), 0, 0.08f);
  set(kGlow, "lamp", srgb(90, 214, 232), 0, 0.3f);
  m[kGlow].emissive = glm::vec3(0.16f, 0.78f, 0.95f);
  return m;
}

// The joints in the zero pose; left ones are mirrored to the right.
const dvec3 kHips(0, 0.70, 0);
const dvec3 kTorso(0, 0.775, 0);
const dvec3 kHead(0, 1.185, 0);
const dvec3 kAntenna(0.085, 1.425, -0.03);
const dvec3 kShoulder(0.272, 1.075, 0);
const dvec3 kElbow(0.285, 0.835, 0);
const dvec3 kWrist(0.285, 0.615, 0);
const dvec3 kFinger(0.030, 0.535, 0);  // x counted from the wrist
const dvec3 kHip(0.105, 0.665, 0);
const dvec3 kKnee(0.110, 0.395, 0);
const dvec3 kAnkle(0.110, 0.105, 0);

RigBuilder make_rig() {
  RigBuilder rig;
  const auto twist = [](float reach) {
    return AuthoredDof{.name = "twist", .axis = kTwistAxis, .lower = -reach, .upper = reach};
  };
  const auto side = [](float lower, float upper, float rest = 0) {
    return AuthoredDof{.name = "side", .axis = kSideAxis, .lower = lower, .upper = upper, .rest = rest};
  };
  const auto bend = [](float lower, float upper, float rest = 0) {
    return AuthoredDof{.name = "bend", .axis = kBendAxis, .lower = lower, .upper = upper, .rest = rest};
  };
  const int root = rig.add("root", -1, dvec3(0), glm::dmat3(1.0), {{.name = "turn", .axis = kSideAxis}});
  rig.add_translation_dofs(root, 2);
  const int hips = rig.add("hips", root, kHips, bone_axes(kUp, kAhead), {twist(30), side(-15, 15), bend(-15, 25)});
  rig.add_translation_dofs(hips, 0.3f);
  const int torso = rig.add("torso", hips, kTorso, bone_axes(kUp, kAhead), {twist(60), side(-15, 15), bend(-15, 35)});
  const int head = rig.add("head", torso, kHead, bone_axes(kUp, kAhead), {twist(80), side(-20, 20), bend(-20, 30)});
  rig.add("antenna", head, kAntenna, bone_axes(kUp, kAhead), {side(-40, 40), bend(-40, 40)});
  const int shoulder = rig.add_both("shoulder_l", torso, kShoulder, bone_axes(kElbow - kShoulder, kAhead),
                                    {side(-5, 160, 9), bend(-60, 170, -4)});
  const int upper_arm = rig.add_both("upper_arm_l", shoulder, kShoulder + 0.2 * (kElbow - kShoulder),
                                     bone_axes(kElbow - kShoulder, kAhead), {twist(90)});
  const int elbow = rig.add_both("elbow_l", upper_arm, kElbow, bone_axes(kDown, kAhead), {bend(0, 135, 18)});
  const int wrist = rig.add_both("wrist_l", elbow, kWrist, bone_axes(kDown, kAhead), {twist(170)});
  for (const double sign : {1.0, -1.0}) {
    rig.add_both(sign > 0 ? "finger_outer_l" : "finger_inner_l", wrist,
                 {kWrist.x + sign * kFinger.x, kFinger.y, kFinger.z}, bone_axes(kDown, -sign * kLeft), {bend(-40, 16)});
  }
  const int hip = rig.add_both("hip_l", hips, kHip, bone_axes(kDown, kAhead), {side(-8, 35), bend(-45, 95)});
  const int knee = rig.add_both("knee_l", hip, kKnee, bone_axes(kDown, -kAhead), {bend(0, 120)});
  rig.add_both("ankle_l", knee, kAnkle, bone_axes(kAhead, kUp), {bend(-50, 50)});
  return rig;
}

/// What hangs on one node, in the world of the zero pose.
struct Part {
  std::string joint;
  std::array<Shape, kMaterials> surfaces;
  void add(MaterialIndex material, const Shape& shape) { append(surfaces[material], shape); }
};

/// A pillow-edged block about a vertical axis: superellipse sections given by (height, half width, half depth, shift
/// ahead).
struct Section {
  double y, a, b, z = 0;
};
Shape block(std::span<const Section> sections, double power, double x = 0, int around = 48) {
  std::vector<std::vector<dvec3>> rings;
  for (const Section& s : sections) {
    rings.push_back(superellipse({x, s.y, s.z}, {0, 0, 1}, {1, 0, 0}, s.b, s.a, power, around));
  }
  return loft(rings);
}

Shape box(const dvec3& center, const dvec3& half_size, double bevel) {
  return moved(rounded_box(half_size, bevel), center);
}

/// A cylinder from `from`, `height` along `direction`.
Shape rod(const dvec3& from, const dvec3& direction, double radius, double height, double bevel, int around = 28) {
  return aligned(cylinder(radius, height, bevel, around), from, direction);
}

/// Rubber bellows about a vertical axis.
Shape bellows(const dvec3& bottom, double height, double radius, int folds) {
  std::vector<dvec2> profile;
  const int n = folds * 5;
  for (int i = 0; i <= n; ++i) {
    const double t = static_cast<double>(i) / n;
    profile.emplace_back(radius * (1 - 0.075 + 0.075 * std::cos(2 * kPi * (folds * t - 0.5))), height * t);
  }
  return moved(lathe(profile, 28), bottom);
}

Part make_hips() {
  Part p{.joint = "hips", .surfaces = {}};
  p.add(kWhite, block(std::array<Section, 8>{{{.y = 0.630, .a = 0.060, .b = 0.060},
                                              {.y = 0.633, .a = 0.072, .b = 0.074},
                                              {.y = 0.645, .a = 0.088, .b = 0.088},
                                              {.y = 0.690, .a = 0.150, .b = 0.100},
                                              {.y = 0.722, .a = 0.156, .b = 0.104},
                                              {.y = 0.736, .a = 0.151, .b = 0.100},
                                              {.y = 0.742, .a = 0.142, .b = 0.092},
                                              {.y = 0.744, .a = 0.125, .b = 0.078}}},
                      3.6));
  p.add(kRubber, bellows({0, 0.738, 0}, 0.062, 0.105, 3));
  p.add(kYellow, box({0, 0.705, 0.098}, {0.038, 0.022, 0.012}, 0.009));
  p.add(kMetal, rod({0, 0.705, 0.106}, kAhead, 0.010, 0.007, 0.003, 24));
  return p;
}

Part make_torso() {
  Part p{.joint = "torso", .surfaces = {}};
  p.add(kYellow, block(std::array<Section, 12>{{{.y = 0.792, .a = 0.115, .b = 0.085},
                                                {.y = 0.794, .a = 0.128, .b = 0.097},
                                                {.y = 0.801, .a = 0.138, .b = 0.106},
                                                {.y = 0.815, .a = 0.145, .b = 0.112},
                                                {.y = 0.920, .a = 0.176, .b = 0.128},
                                                {.y = 1.030, .a = 0.204, .b = 0.139},
                                                {.y = 1.105, .a = 0.213, .b = 0.141},
                                                {.y = 1.135, .a = 0.211, .b = 0.138},
                                                {.y = 1.155, .a = 0.202, .b = 0.129},
                                                {.y = 1.167, .a = 0.187, .b = 0.115},
                                                {.y = 1.173, .a = 0.168, .b = 0.098},
                                                {.y = 1.175, .a = 0.140, .b = 0.075}}},
                       4.2));
  // Chest panel, leaning with the chest, with its lamp and two buttons.
  const auto on_chest = [](const dvec3& p_in_panel) {
    const double lean = 0.085;
    return dvec3(p_in_panel.x, 1.045 + std::cos(lean) * p_in_panel.y - std::sin(lean) * p_in_panel.z,
                 0.134 + std::sin(lean) * p_in_panel.y + std::cos(lean) * p_in_panel.z);
  };
  const auto panel = [&](const dvec3& center, const dvec3& half_size, double bevel) {
    Shape shape = rounded_box(half_size, bevel);
    glm::dmat4 m(1.0);
    m[1] = glm::dvec4(on_chest({0, 1, 0}) - on_chest(dvec3(0)), 0);
    m[2] = glm::dvec4(on_chest({0, 0, 1}) - on_chest(dvec3(0)), 0);
    m[3] = glm::dvec4(on_chest(center), 1);
    return transformed(std::move(shape), m);
  };
  const dvec3 out = on_chest({0, 0, 1}) - on_chest(dvec3(0));
  p.add(kWhite, panel({0, 0, 0}, {0.128, 0.072, 0.013}, 0.0115));
  p.add(kMetal, rod(on_chest({-0.066, 0.008, 0.010}), out, 0.038, 0.010, 0.004));
  p.add(kGlow, rod(on_chest({-0.066, 0.008, 0.015}), out, 0.028, 0.009, 0.006));
  for (int i = 0; i < 3; ++i) {
    p.add(i == 0 ? kYellow : kRubber, panel({0.050, 0.032 - 0.026 * i, 0.013}, {0.048, 0.0085, 0.004}, 0.0035));
  }
  for (int i = 0; i < 3; ++i) {
    const double y = 0.905 - 0.027 * i;
    p.add(kRubber, box({0, y, 0.1165 + 0.145 * (y - 0.851)}, {0.060 - 0.004 * i, 0.0075, 0.010}, 0.006));
  }
  // Pack on the back with two pipes, collars at the shoulders and the neck.
  p.add(kWhite, box({0, 1.020, -0.150}, {0.120, 0.105, 0.045}, 0.026));
  p.add(kRubber, box({0, 1.020, -0.192}, {0.080, 0.060, 0.008}, 0.006));
  for (const double sign : {1.0, -1.0}) {
    p.add(kMetal, rod({sign * 0.085, 1.100, -0.160}, kUp, 0.021, 0.085, 0.004));
    p.add(kRubber, rod({sign * 0.085, 1.183, -0.160}, kUp, 0.015, 0.004, 0.001));
    p.add(kRubber, rod({sign * 0.185, kShoulder.y, 0}, {sign, 0, 0}, 0.062, 0.050, 0.010));
  }
  p.add(kMetal, rod({0, 1.168, 0}, kUp, 0.080, 0.016, 0.005, 40));
  return p;
}

Part make_head() {
  Part p{.joint = "head", .surfaces = {}};
  p.add(kRubber, bellows({0, 1.180, 0}, 0.050, 0.062, 2));
  p.add(kWhite, block(std::array<Section, 13>{{{.y = 1.214, .a = 0.095, .b = 0.085},
                                               {.y = 1.216, .a = 0.110, .b = 0.100},
                                               {.y = 1.224, .a = 0.125, .b = 0.113},
                                               {.y = 1.240, .a = 0.138, .b = 0.123},
                                               {.y = 1.270, .a = 0.148, .b = 0.130},
                                               {.y = 1.330, .a = 0.152, .b = 0.132},
                                               {.y = 1.375, .a = 0.148, .b = 0.128},
                                               {.y = 1.400, .a = 0.138, .b = 0.118},
                                               {.y = 1.417, .a = 0.122, .b = 0.104},
                                               {.y = 1.428, .a = 0.100, .b = 0.084},
                                               {.y = 1.434, .a = 0.070, .b = 0.058},
                                               {.y = 1.436, .a = 0.035, .b = 0.028},
                                               {.y = 1.4365, .a = 0, .b = 0}}},
                      3.4));
  p.add(kGlass, box({0, 1.322, 0.104}, {0.118, 0.058, 0.040}, 0.036));
  for (const double sign : {1.0, -1.0}) {
    p.add(kGlow, transformed(moved(rod({0, 0, 0}, kAhead, 0.0205, 0.006, 0.0028, 40), {0, 0, 0}),
                             glm::dmat4(1, 0, 0, 0, 0, 1.28, 0, 0, 0, 0, 1, 0, sign * 0.049, 1.330, 0.1415, 1)));
    p.add(kMetal, rod({sign * 0.144, 1.322, 0}, {sign, 0, 0}, 0.046, 0.022, 0.006));
    p.add(kYellow, rod({sign * 0.162, 1.322, 0}, {sign, 0, 0}, 0.032, 0.014, 0.006));
  }
  std::vector<dvec3> smile;
  std::vector<double> thickness;
  for (int i = 0; i <= 12; ++i) {
    const double t = -1 + i / 6.0;
    smile.emplace_back(0.022 * t, 1.2925 + 0.008 * t * t, 0.1438);
    thickness.push_back(i == 0 || i == 12 ? 0.0016 : 0.0030);
  }
  p.add(kGlow, tube(smile, thickness, 10));
  p.add(kYellow, box({0, 1.414, 0.000}, {0.030, 0.026, 0.100}, 0.020));
  p.add(kRubber, rod({kAntenna.x, 1.405, kAntenna.z}, kUp, 0.022, 0.024, 0.006));
  return p;
}

Part make_antenna() {
  Part p{.joint = "antenna", .surfaces = {}};
  p.add(kMetal, rod(kAntenna, kUp, 0.0055, 0.128, 0.002, 20));
  p.add(kRubber, bellows(kAntenna - dvec3(0, 0.002, 0), 0.032, 0.012, 4));
  p.add(kGlow, moved(sphere(0.023, 32, 18), kAntenna + dvec3(0, 0.145, 0)));
  return p;
}

Part make_shoulder() {
  Part p{.joint = "shoulder_l", .surfaces = {}};
  p.add(kRubber, moved(sphere(0.060), {kShoulder.x - 0.006, kShoulder.y, 0}));
  // A pauldron: a bulging cap, open inwards only in appearance.
  p.add(kYellow, block(std::array<Section, 10>{{{.y = 1.035, .a = 0.058, .b = 0.066},
                                                {.y = 1.037, .a = 0.064, .b = 0.074},
                                                {.y = 1.045, .a = 0.068, .b = 0.080},
                                                {.y = 1.075, .a = 0.069, .b = 0.083},
                                                {.y = 1.105, .a = 0.065, .b = 0.080},
                                                {.y = 1.128, .a = 0.056, .b = 0.070},
                                                {.y = 1.143, .a = 0.043, .b = 0.055},
                                                {.y = 1.150, .a = 0.027, .b = 0.036},
                                                {.y = 1.153, .a = 0.012, .b = 0.016},
                                                {.y = 1.1535, .a = 0, .b = 0}}},
                       2.6, 0.302, 40));
  p.add(kMetal, rod({0.366, 1.082, 0}, kLeft, 0.022, 0.010, 0.004));
  return p;
}

Part make_upper_arm() {
  Part p{.joint = "upper_arm_l", .surfaces = {}};
  const double x = kElbow.x;
  p.add(kRubber, bellows({x, 0.865, 0}, 0.180, 0.045, 8));
  p.add(kWhite, rod({x, 0.908, 0}, kUp, 0.053, 0.074, 0.008, 40));
  // The elbow's fork.
  for (const double sign : {1.0, -1.0}) {
    p.add(kWhite, box({x + sign * 0.047, 0.858, 0}, {0.0085, 0.048, 0.030}, 0.008));
    p.add(kMetal, rod({x + sign * 0.054, kElbow.y, 0}, {sign, 0, 0}, 0.024, 0.008, 0.003));
  }
  p.add(kWhite, box({x, 0.902, 0}, {0.055, 0.014, 0.034}, 0.010));
  return p;
}

Part make_forearm() {
  Part p{.joint = "elbow_l", .surfaces = {}};
  const double x = kElbow.x;
  p.add(kMetal, rod({x - 0.037, kElbow.y, 0}, kLeft, 0.040, 0.074, 0.006, 40));
  p.add(kYellow, block(std::array<Section, 10>{{{.y = 0.640, .a = 0.046, .b = 0.050},
                                                {.y = 0.642, .a = 0.053, .b = 0.058},
                                                {.y = 0.650, .a = 0.058, .b = 0.064},
                                                {.y = 0.670, .a = 0.060, .b = 0.067},
                                                {.y = 0.730, .a = 0.056, .b = 0.063},
                                                {.y = 0.785, .a = 0.046, .b = 0.051},
                                                {.y = 0.805, .a = 0.041, .b = 0.045},
                                                {.y = 0.816, .a = 0.036, .b = 0.039},
                                                {.y = 0.820, .a = 0.030, .b = 0.032},
                                                {.y = 0.821, .a = 0.020, .b = 0.022}}},
                       3.0, x, 40));
  p.add(kWhite, block(std::array<Section, 4>{{{.y = 0.664, .a = 0.0600, .b = 0.0675},
                                              {.y = 0.667, .a = 0.0635, .b = 0.0705},
                                              {.y = 0.694, .a = 0.0622, .b = 0.0692},
                                              {.y = 0.697, .a = 0.0580, .b = 0.0650}}},
                      3.0, x, 40));
  p.add(kRubber, rod({x, 0.618, 0}, kUp, 0.040, 0.030, 0.006));
  return p;
}

Part make_hand() {
  Part p{.joint = "wrist_l", .surfaces = {}};
  const double x = kWrist.x;
  p.add(kMetal, rod({x, 0.592, 0}, kUp, 0.033, 0.034, 0.005));
  p.add(kWhite, box({x, 0.568, 0}, {0.056, 0.026, 0.040}, 0.016));
  p.add(kRubber, box({x, 0.544, 0}, {0.046, 0.008, 0.030}, 0.006));
  for (const double sign : {1.0, -1.0}) {
    p.add(kMetal, rod({x + sign * kFinger.x, kFinger.y + 0.004, -0.034}, kAhead, 0.014, 0.068, 0.004, 28));
  }
  return p;
}

Part make_finger(double sign) {
  Part p{.joint = sign > 0 ? "finger_outer_l" : "finger_inner_l", .surfaces = {}};
  const double x = kWrist.x + sign * kFinger.x;
  p.add(kRubber, box({x + sign * 0.004, 0.508, 0}, {0.012, 0.030, 0.025}, 0.008));
  p.add(kYellow, box({x + sign * 0.001, 0.462, 0}, {0.013, 0.026, 0.027}, 0.010));
  p.add(kRubber, box({x - sign * 0.012, 0.460, 0}, {0.004, 0.019, 0.020}, 0.0035));
  return p;
}

Part make_thigh() {
  Part p{.joint = "hip_l", .surfaces = {}};
  const double x = kKnee.x;
  p.add(kRubber, moved(sphere(0.066), kHip));
  p.add(kMetal, rod({0.150, kHip.y, 0}, kLeft, 0.040, 0.034, 0.007));
  p.add(kYellow, block(std::array<Section, 9>{{{.y = 0.445, .a = 0.044, .b = 0.048},
                                               {.y = 0.447, .a = 0.051, .b = 0.056},
                                               {.y = 0.455, .a = 0.056, .b = 0.062},
                                               {.y = 0.480, .a = 0.060, .b = 0.067},
                                               {.y = 0.560, .a = 0.066, .b = 0.075},
                                               {.y = 0.608, .a = 0.066, .b = 0.075},
                                               {.y = 0.626, .a = 0.062, .b = 0.070},
                                               {.y = 0.636, .a = 0.054, .b = 0.062},
                                               {.y = 0.639, .a = 0.042, .b = 0.050}}},
                       3.2, x, 40));
  p.add(kWhite, box({x, 0.545, 0.067}, {0.036, 0.050, 0.011}, 0.009));
  for (const double sign : {1.0, -1.0}) {
    p.add(kRubber, box({x + sign * 0.054, 0.418, 0}, {0.0085, 0.052, 0.034}, 0.008));
    p.add(kMetal, rod({x + sign * 0.061, kKnee.y, 0}, {sign, 0, 0}, 0.027, 0.009, 0.0035));
  }
  return p;
}

Part make_shin() {
  Part p{.joint = "knee_l", .surfaces = {}};
  const double x = kAnkle.x;
  p.add(kMetal, rod({x - 0.044, kKnee.y, 0}, kLeft, 0.046, 0.088, 0.007, 40));
  p.add(kWhite, block(std::array<Section, 11>{{{.y = 0.140, .a = 0.056, .b = 0.062},
                                               {.y = 0.142, .a = 0.066, .b = 0.073},
                                               {.y = 0.150, .a = 0.073, .b = 0.081},
                                               {.y = 0.172, .a = 0.077, .b = 0.086},
                                               {.y = 0.240, .a = 0.073, .b = 0.081},
                                               {.y = 0.310, .a = 0.061, .b = 0.067},
                                               {.y = 0.345, .a = 0.053, .b = 0.058},
                                               {.y = 0.362, .a = 0.047, .b = 0.051},
                                               {.y = 0.371, .a = 0.040, .b = 0.043},
                                               {.y = 0.374, .a = 0.032, .b = 0.034},
                                               {.y = 0.375, .a = 0.022, .b = 0.024}}},
                      3.2, x, 40));
  p.add(kYellow, box({x, 0.235, 0.074}, {0.040, 0.062, 0.013}, 0.011));
  p.add(kYellow, box({x, kKnee.y - 0.002, 0.049}, {0.036, 0.036, 0.014}, 0.012));
  p.add(kRubber, bellows({x, 0.092, 0}, 0.056, 0.050, 3));
  return p;
}

Part make_foot() {
  Part p{.joint = "ankle_l", .surfaces = {}};
  const double x = kAnkle.x;
  p.add(kRubber, box({x, 0.016, 0.035}, {0.088, 0.016, 0.148}, 0.011));
  p.add(kYellow, box({x, 0.048, 0.035}, {0.080, 0.032, 0.138}, 0.026));
  p.add(kWhite, box({x, 0.062, 0.118}, {0.074, 0.026, 0.052}, 0.024));
  p.add(kMetal, rod({x - 0.052, kAnkle.y - 0.012, 0}, kLeft, 0.030, 0.104, 0.007));
  p.add(kRubber, rod({x, 0.070, 0}, kUp, 0.058, 0.022, 0.007));
  return p;
}

void add_part(rig::Character& c, const RigBuilder& rig, const Part& part, bool other_side) {
  std::string joint_name = part.joint;
  if (other_side) {
    joint_name.back() = 'r';
  }
  const int joint = rig.find(joint_name);
  mesh::Mesh mesh;
  mesh.name = joint_name;
  for (int m = 0; m < kMaterials; ++m) {
    const Shape& surface = part.surfaces[at(m)];
    if (surface.positions.empty()) {
      continue;
    }
    mesh::Primitive primitive;
    primitive.material = m;
    append(primitive, transformed(other_side ? mirrored(surface) : surface, glm::inverse(rig.zero_world(joint))),
           false);
    mesh.primitives.push_back(std::move(primitive));
  }
  c.meshes.push_back(std::move(mesh));
  c.mesh_nodes.push_back({.joint = joint, .mesh = static_cast<int>(c.meshes.size()) - 1, .morph_weights = {}});
}

/// Lowers or lifts the hips until the lower of the two soles stands on the ground.
void stand_on_ground(PoseAuthor& pose, const RigBuilder& rig) {
  double lowest = 1;
  for (const char* name : {"ankle_l", "ankle_r"}) {
    const int ankle = rig.find(name);
    const glm::dmat4 from_zero = pose.world(ankle) * glm::inverse(rig.zero_world(ankle));
    const double side = pose.skeleton().name[at(ankle)].back() == 'l' ? 1 : -1;
    for (const double x : {kAnkle.x - 0.088, kAnkle.x + 0.088}) {
      for (const double z : {0.035 - 0.148, 0.035 + 0.148}) {
        lowest = std::min(lowest, (from_zero * glm::dvec4(side * x, 0, z, 1)).y);
      }
    }
  }
  pose.set("hips", "ty", pose.get("hips", "ty") - lowest);
}

rig::Clip make_wave(const RigBuilder& rig) {
  constexpr int kKeys = 60;
  std::vector<PoseAuthor> poses;
  for (int k = 0; k <= kKeys; ++k) {
    const double t = static_cast<double>(k % kKeys) / kKeys;
    const double up = smooth_step(0.04, 0.24, t) * (1 - smooth_step(0.76, 0.96, t));
    const double shake = up * std::sin(2 * kPi * 5 * t);
    const auto from_rest = [&](double rest, double to) { return rest + (to - rest) * up; };
    PoseAuthor pose(rig.skeleton());
    pose.set("shoulder_r", "side", from_rest(9, 104));
    pose.set("shoulder_r", "bend", from_rest(-4, 8));
    pose.set("upper_arm_r", "twist", from_rest(0, -78));
    pose.set("elbow_r", "bend", from_rest(18, 78) + 24 * shake);
    pose.set("wrist_r", "twist", 12 * shake);
    pose.set("finger_outer_r", "bend", -26 * up);
    pose.set("finger_inner_r", "bend", -26 * up);
    pose.set("torso", "side", 4 * up + 1.2 * shake);
    pose.set("torso", "twist", -8 * up);
    pose.set("head", "side", 9 * up);
    pose.set("head", "twist", 6 * up);
    pose.set("antenna", "side", 9 * up * std::sin(2 * kPi * 5 * t - 1.2));
    pose.set("shoulder_l", "side", from_rest(9, 16));
    pose.set("elbow_l", "bend", from_rest(18, 32));
    poses.push_back(pose);
  }
  return clip_from_poses("wave", 3, poses);
}

/// A toy's trudge: stiff swinging legs, rocking hips, arms against legs.
rig::Clip make_walk(const RigBuilder& rig) {
  constexpr int kKeys = 36;
  std::vector<PoseAuthor> poses;
  for (int k = 0; k <= kKeys; ++k) {
    const double t = 2 * kPi * (k % kKeys) / kKeys;
    PoseAuthor pose(rig.skeleton());
    for (const bool left : {true, false}) {
      const std::string side = left ? "_l" : "_r";
      const double phase = t + (left ? 0 : kPi);
      const double lifting = std::pow(std::max(0.0, std::cos(phase)), 1.5);  // while the leg swings ahead
      const double hip = 25 * std::sin(phase) + 9 * lifting + 4;
      const double knee = 8 + 46 * lifting;
      pose.set("hip" + side, "bend", hip);
      pose.set("knee" + side, "bend", knee);
      pose.set("ankle" + side, "bend", -(hip - knee) + 7 * std::max(0.0, std::sin(phase)) * lifting);
      pose.set("shoulder" + side, "bend", -4 - 30 * std::sin(phase));
      pose.set("elbow" + side, "bend", 34 - 14 * std::sin(phase));
    }
    pose.set("hips", "twist", -5 * std::sin(t));
    pose.set("hips", "tx", -0.012 * std::cos(t));
    pose.set("torso", "twist", 11 * std::sin(t));
    pose.set("torso", "side", 2.5 * std::cos(t));
    pose.set("torso", "bend", 4 + 1.5 * std::cos(2 * t));
    pose.set("head", "twist", -6 * std::sin(t));
    pose.set("head", "bend", -3 - 2 * std::cos(2 * t - 0.6));
    pose.set("antenna", "bend", -6 + 10 * std::cos(2 * t - 1.4));
    stand_on_ground(pose, rig);
    poses.push_back(pose);
  }
  return clip_from_poses("walk", 1.3f, poses);
}

}  // namespace
}  // namespace robot_parts

rig::Character make_robot() {
  using namespace robot_parts;
  const RigBuilder rig = make_rig();
  rig::Character c;
  c.name = "robot";
  c.skeleton = rig.skeleton();
  c.materials = make_materials();
  for (const Part& part : {make_hips(), make_torso(), make_head(), make_antenna()}) {
    add_part(c, rig, part, false);
  }
  for (const Part& part : {make_shoulder(), make_upper_arm(), make_forearm(), make_hand(), make_finger(1),
                           make_finger(-1), make_thigh(), make_shin(), make_foot()}) {
    add_part(c, rig, part, false);
    add_part(c, rig, part, true);
  }
  c.clips.push_back(make_wave(rig));
  c.clips.push_back(make_walk(rig));
  rig::finish(c);
  return c;
}

}  // namespace pelt::assets
