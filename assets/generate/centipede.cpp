#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include "characters.h"
#include "core/expect.h"
#include "rig_builder.h"
#include "shapes.h"

namespace pelt::assets {
// The sources of all characters use the same names, and may be compiled as one unit.
namespace centipede_parts {
namespace {

using glm::dvec3;

constexpr double kPi = std::numbers::pi;
constexpr int kSegments = 24;
constexpr double kSpacing = 0.036;  // between the joints of neighbouring segments
constexpr double kFront = 0.432;    // z of the first segment's joint
constexpr double kHeight = 0.040;   // of the body's axis

double joint_z(int segment) {
  return kFront - kSpacing * segment;
}

/// Half the body's width where `s` segments lie ahead: a narrow neck, broad shoulders, a taper to the tail.
double half_width(double s) {
  const double u = std::clamp(s / kSegments, 0.0, 1.0);
  return 0.0345 * (0.80 + 0.20 * smooth_step(0, 0.16, u)) * (1 - 0.34 * smooth_step(0.45, 1.0, u));
}

double half_height(double s) {
  return 0.50 * half_width(s);
}

struct Leg {
  dvec3 hip;
  dvec3 knee;
  dvec3 foot;
};

Leg left_leg(int segment) {
  const double u = static_cast<double>(segment) / (kSegments - 1);
  const double s = segment + 0.5;
  const double z = joint_z(0) - kSpacing * s;
  const double reach = 1.0 - 0.16 * smooth_step(0.0, 1.0, std::abs(2 * u - 1));
  const double lean = 0.030 - 0.072 * u;  // front legs reach forward, hind legs backward
  const dvec3 hip(0.80 * half_width(s), kHeight - 0.004, z);
  return {hip, hip + dvec3(0.046 * reach, 0.022 * reach, 0.45 * lean), {hip.x + 0.086 * reach, 0.0, z + lean}};
}

const dvec3 kUp(0, 1, 0);

struct CentipedeRig {
  RigBuilder builder;
  std::vector<int> body;
  std::array<std::vector<int>, 2> coxa;   // left, right
  std::array<std::vector<int>, 2> tibia;  // left, right
  std::array<std::vector<int>, 2> antenna;
  std::array<std::vector<int>, 2> tail;
  std::array<int, 2> fang{};
  int head = -1;
};

std::vector<dvec3> antenna_path() {
  // From the head outwards and forward, slightly lifted, in three bones.
  return {{0.008, 0.043, 0.476}, {0.030, 0.058, 0.525}, {0.068, 0.068, 0.572}, {0.122, 0.058, 0.612}};
}

std::vector<dvec3> tail_path() {
  return {{0.014, 0.040, joint_z(kSegments) + 0.006}, {0.040, 0.047, -0.484}, {0.064, 0.010, -0.556}};
}

dvec3 fang_hip() {
  return {0.023, 0.033, 0.452};
}

CentipedeRig make_rig() {
  CentipedeRig rig;
  RigBuilder& b = rig.builder;
  const int root = b.add("root", -1, dvec3(0), glm::dmat3(1.0), {{.name = "turn", .axis = kSideAxis}});
  b.add_translation_dofs(root, 2);
  const dvec3 backward(0, 0, -1);
  for (int i = 0; i < kSegments; ++i) {
    const float reach = i == 0 ? 60.0f : 22.0f;
    rig.body.push_back(b.add(fmt::format("body_{:02}", i + 1), i == 0 ? root : rig.body.back(),
                             {0, kHeight, joint_z(i)}, bone_axes(backward, kUp),
                             {{.name = "twist", .axis = kTwistAxis, .lower = -20, .upper = 20},
                              {.name = "side", .axis = kSideAxis, .lower = -reach, .upper = reach},
                              {.name = "bend", .axis = kBendAxis, .lower = -reach, .upper = reach}}));
  }
  rig.head = b.add("head", rig.body.front(), {0, kHeight, kFront}, bone_axes(-backward, kUp),
                   {{.name = "twist", .axis = kTwistAxis, .lower = -30, .upper = 30},
                    {.name = "side", .axis = kSideAxis, .lower = -40, .upper = 40},
                    {.name = "bend", .axis = kBendAxis, .lower = -30, .upper = 40}});
  const auto both = [&](const std::string& name, int parent, const dvec3& position, const glm::dmat3& axes,
                        const std::vector<AuthoredDof>& dofs) {
    const int left = b.add_both(name + "_l", parent, position, axes, dofs);
    return std::array{left, b.find(name + "_r")};
  };
  const auto chain = [&](const char* name, int parent, const std::vector<dvec3>& path, float reach,
                         std::array<std::vector<int>, 2>& out) {
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      const auto joints = both(fmt::format("{}_{:02}", name, i + 1), i == 0 ? parent : out[0].back(), path[i],
                               bone_axes(path[i + 1] - path[i], kUp),
                               {{.name = "side", .axis = kSideAxis, .lower = -reach, .upper = reach},
                                {.name = "bend", .axis = kBendAxis, .lower = -reach, .upper = reach}});
      out[0].push_back(joints[0]);
      out[1].push_back(joints[1]);
    }
  };
  chain("antenna", rig.head, antenna_path(), 60, rig.antenna);
  rig.fang = both("fang", rig.head, fang_hip(), bone_axes({0, -0.05, 1}, {-1, 0, 0}),
                  {{.name = "bend", .axis = kBendAxis, .lower = -35, .upper = 25}});
  for (int i = 0; i < kSegments; ++i) {
    const Leg leg = left_leg(i);
    const auto coxa =
        both(fmt::format("coxa_{:02}", i + 1), rig.body[at(i)], leg.hip, bone_axes(leg.knee - leg.hip, kUp),
             {{.name = "side", .axis = kSideAxis, .lower = -70, .upper = 70},
              {.name = "bend", .axis = kBendAxis, .lower = -50, .upper = 60}});
    const auto tibia =
        both(fmt::format("tibia_{:02}", i + 1), coxa[0], leg.knee, bone_axes(leg.foot - leg.knee, {-1, 0, 0}),
             {{.name = "bend", .axis = kBendAxis, .lower = -60, .upper = 70}});
    for (std::size_t side = 0; side < 2; ++side) {
      rig.coxa[side].push_back(coxa[side]);
      rig.tibia[side].push_back(tibia[side]);
    }
  }
  chain("tail", rig.body.back(), tail_path(), 50, rig.tail);
  return rig;
}

/// Weights along the body: all of a segment's at its middle, half and half where two meet; `sharpness` 1 spreads the
/// change over the whole segment, larger values draw it together at the meeting.
Weighting body_weighting(const CentipedeRig& rig, double sharpness) {
  return [&rig, sharpness](const dvec3& p, double) -> WeightRow {
    const double s = std::clamp((kFront - p.z) / kSpacing - 0.5, 0.0, kSegments - 1.0);
    const int i = std::min(static_cast<int>(s), kSegments - 2);
    const double half = 0.5 / sharpness;
    const double w = smooth_step(0.5 - half, 0.5 + half, s - i);
    return {{rig.body[at(i)], 1 - w}, {rig.body[at(i + 1)], w}};
  };
}

/// The soft body under the plates: gently swollen in each segment, flatter below.
Shape make_belly() {
  std::vector<std::vector<dvec3>> rings;
  constexpr int kAround = 16;
  constexpr int kPerSegment = 4;
  const auto add = [&](double s, double scale) {
    const dvec3 center(0, kHeight - 0.002, kFront - kSpacing * s);
    const double swell = 0.90 + 0.07 * std::cos(2 * kPi * (s - 0.5));
    rings.push_back(superellipse(center, {-1, 0, 0}, kUp, scale * swell * 0.92 * half_width(s),
                                 scale * swell * 0.80 * half_height(s), 2.3, kAround));
  };
  add(-0.30, 0.30);
  add(-0.26, 0.62);
  for (int i = 0; i <= kSegments * kPerSegment; ++i) {
    add(static_cast<double>(i) / kPerSegment, 1);
  }
  add(kSegments + 0.25, 0.90);
  add(kSegments + 0.45, 0.62);
  add(kSegments + 0.52, 0.25);
  return tinted(loft(rings), [](const dvec3& p, double) {
    const double groove = 0.5 + 0.5 * std::cos(2 * kPi * (kFront - p.z) / kSpacing);
    return dvec3(1.0, 0.92, 0.85) * (0.78 - 0.30 * groove);
  });
}

/// A domed plate over z from `front` to `rear`, its outline given by (along 0..1, width, height) factors.
struct PlateProfile {
  double along, width, height;
};

Shape make_plate(double front, double rear, double width, double height, std::span<const PlateProfile> profile) {
  constexpr int kUpper = 16;
  constexpr int kLower = 5;
  std::vector<std::vector<dvec3>> rings;
  for (const PlateProfile& at_ring : profile) {
    const double z = front + (rear - front) * at_ring.along;
    const double w = width * at_ring.width;
    const double h = height * at_ring.height;
    std::vector<dvec3> ring;
    // Right-handed about -z: from the -x rim over the top to the +x rim, back below.
    for (int k = 0; k < kUpper + kLower; ++k) {
      const bool upper = k < kUpper;
      const double angle = upper ? kPi * k / kUpper : kPi * (1 + static_cast<double>(k - kUpper) / kLower);
      const double x = -w * std::cos(angle);
      // Two shallow furrows run along the back.
      const double furrow = 0.06 * std::exp(-std::pow((std::abs(x) / width - 0.45) / 0.13, 2));
      const double y =
          upper ? h * (std::pow(std::sin(angle), 0.72) - furrow * std::sin(angle)) : 0.16 * h * std::sin(angle);
      ring.push_back({x, kHeight + 0.001 + y, z});
    }
    rings.push_back(ring);
  }
  return loft(rings);
}

Shape make_back_plate(int segment) {
  static constexpr std::array kProfile = {PlateProfile{0.00, 0.60, 0.62},  PlateProfile{0.02, 0.78, 0.78},
                                          PlateProfile{0.10, 0.91, 0.88},  PlateProfile{0.30, 0.985, 0.96},
                                          PlateProfile{0.55, 1.01, 1.01},  PlateProfile{0.78, 1.00, 1.06},
                                          PlateProfile{0.90, 0.965, 1.09}, PlateProfile{0.965, 0.90, 1.08},
                                          PlateProfile{1.00, 0.82, 1.02},  PlateProfile{0.985, 0.72, 0.90}};
  const double s = segment + 0.5;
  const double front = joint_z(segment) - 0.001;
  const double rear = joint_z(segment + 1) - 0.0050;
  const double width = half_width(s) * 1.05;
  Shape plate = make_plate(front, rear, width, half_height(s) * 1.02, kProfile);
  return tinted(std::move(plate), [&](const dvec3& p, double) {
    // Dark in the middle of the back, glowing red towards rim and hind edge.
    const double t = (front - p.z) / (front - rear);
    const double rim = smooth_step(0.35, 1.0, std::abs(p.x) / width);
    const double hind = smooth_step(0.70, 1.0, t);
    const double warm = std::clamp(0.75 * rim + 0.7 * hind, 0.0, 1.0);
    const dvec3 dark(0.16, 0.10, 0.10);
    const dvec3 bright(1.0, 0.86, 0.62);
    return dark + (bright - dark) * warm;
  });
}

Shape make_head() {
  static constexpr std::array kProfile = {PlateProfile{0.00, 0.30, 0.30}, PlateProfile{0.015, 0.46, 0.50},
                                          PlateProfile{0.07, 0.66, 0.70}, PlateProfile{0.18, 0.84, 0.86},
                                          PlateProfile{0.36, 0.97, 0.98}, PlateProfile{0.58, 1.00, 1.04},
                                          PlateProfile{0.80, 0.93, 1.04}, PlateProfile{0.93, 0.80, 0.98},
                                          PlateProfile{1.00, 0.62, 0.84}, PlateProfile{0.99, 0.45, 0.60}};
  Shape head = make_plate(0.500, 0.424, 0.033, 0.0205, kProfile);
  return tinted(std::move(head), [](const dvec3& p, double) {
    const double edge = smooth_step(0.4, 1.0, std::abs(p.x) / 0.033);
    return dvec3(0.72, 0.60, 0.55) + dvec3(0.28, 0.30, 0.2) * edge;
  });
}

/// Points on a smooth curve through `path` (Catmull-Rom), `steps` per stretch; element i lies at path parameter i /
/// steps.
std::vector<dvec3> smooth_path(std::span<const dvec3> path, int steps) {
  std::vector<dvec3> out;
  const auto point = [&](int i) {
    const int last = static_cast<int>(path.size()) - 1;
    if (i < 0) {
      return 2.0 * path[0] - path[1];
    }
    return i > last ? 2.0 * path[at(last)] - path[at(last - 1)] : path[at(i)];
  };
  for (int i = 0; i + 1 < static_cast<int>(path.size()); ++i) {
    for (int k = i == 0 ? 0 : 1; k <= steps; ++k) {
      const double t = static_cast<double>(k) / steps;
      const dvec3 a = point(i - 1);
      const dvec3 b = point(i);
      const dvec3 c = point(i + 1);
      const dvec3 d = point(i + 2);
      out.push_back(0.5 * (2.0 * b + (c - a) * t + (2.0 * a - 5.0 * b + 4.0 * c - d) * (t * t) +
                           (3.0 * b - a - 3.0 * c + d) * (t * t * t)));
    }
  }
  return out;
}

/// Weights along a chain of limb joints, its root blended into `base`.
/// @param steps  rings per stretch of the path, one stretch per joint
/// @param lead   stretches before the first joint, inside the body
Weighting chain_weighting(std::vector<int> joints, int base, double steps, double lead) {
  return [joints = std::move(joints), base, steps, lead](const dvec3&, double station) -> WeightRow {
    const double q = station / steps - lead;
    const double own = smooth_step(-0.25, 0.25, q);
    WeightRow row = {{base, 1 - own}};
    double left = own;
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const double begin = static_cast<double>(i) + 1;
      const double next = i + 1 < joints.size() ? smooth_step(begin - 0.2, begin + 0.2, q) : 0;
      row.emplace_back(joints[i], left * (1 - next));
      left *= next;
    }
    return row;
  };
}

constexpr int kLegSteps = 4;  // rings per stretch of a leg

Shape make_leg(const Leg& leg) {
  const dvec3 shin = leg.foot - leg.knee;
  // From inside the body; between knee and foot the path bulges a little outwards, as legs do.
  const dvec3 inside = leg.hip - dvec3(0.012, 0.003, 0.1 * (leg.foot.z - leg.hip.z));
  const std::vector<dvec3> path = smooth_path(
      std::array{inside, leg.hip, leg.knee, leg.knee + 0.52 * shin + dvec3(0.004, 0.004, 0), leg.foot}, kLegSteps);
  const auto along = [](double station) { return (station - kLegSteps) / (3 * kLegSteps); };
  std::vector<double> radius;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const double t = along(static_cast<double>(i));
    const double taper = 0.0070 * (1 - t) + 0.0011 * t;
    // Limb sections swell, and pinch where they meet.
    radius.push_back(t < 0 ? 0.0058 : taper * (1 + 0.14 * std::cos(2 * kPi * (3 * t - 0.5))));
  }
  return tinted(tube(path, radius, 8), [&](const dvec3&, double station) {
    const double t = along(station);
    const double tip = smooth_step(0.70, 1.0, t);
    const double joint = std::exp(-std::pow(t / 0.06, 2)) + std::exp(-std::pow((t - 0.333) / 0.06, 2)) +
                         0.6 * std::exp(-std::pow((t - 0.667) / 0.05, 2));
    const dvec3 amber = dvec3(1.0, 1.0 - 0.45 * joint, 1.0 - 0.6 * joint) * (1 - 0.30 * joint);
    return amber * (1 - tip) + dvec3(0.22, 0.07, 0.05) * tip;
  });
}

Shape make_antenna() {
  constexpr int kSteps = 7;
  const std::vector<dvec3> path = smooth_path(antenna_path(), kSteps);
  std::vector<double> radius;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(path.size() - 1);
    radius.push_back((0.0044 * (1 - t) + 0.0014 * t) * (i % 2 == 1 ? 1.10 : 0.84));
  }
  return tinted(tube(path, radius, 10), [](const dvec3&, double station) {
    return dvec3(1.0, 0.80, 0.66) * (0.80 - 0.35 * station / 21) * (static_cast<int>(station) % 2 == 1 ? 1.0 : 0.62);
  });
}

Shape make_fang() {
  const dvec3 hip = fang_hip();
  const std::vector<dvec3> path = smooth_path(
      std::array{hip, hip + dvec3(0.013, -0.004, 0.022), hip + dvec3(0.006, -0.010, 0.050), dvec3(0.005, 0.019, 0.513)},
      6);
  std::vector<double> radius;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(path.size() - 1);
    radius.push_back(0.0098 * std::pow(1 - t, 0.75) + 0.0009);
  }
  return tinted(tube(path, radius, 14), [](const dvec3&, double station) {
    const double tip = smooth_step(8, 17, station);
    return dvec3(1.0, 0.85, 0.75) * (1 - tip) + dvec3(0.06, 0.035, 0.03) * tip;
  });
}

Shape make_tail_leg() {
  constexpr int kSteps = 8;
  const std::vector<dvec3> path = smooth_path(tail_path(), kSteps);
  std::vector<double> radius;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(path.size() - 1);
    radius.push_back((0.0085 * (1 - t) + 0.0012 * t) * (1 + 0.12 * std::cos(2 * kPi * (4 * t - 0.5))));
  }
  return tinted(tube(path, radius, 12), [](const dvec3&, double station) {
    const double tip = smooth_step(9, 16, station);
    return dvec3(1.0, 0.75, 0.6) * (1 - tip) + dvec3(0.22, 0.10, 0.08) * tip;
  });
}

enum MaterialIndex { kChitin, kAmber, kHeadPlate, kMaterials };

mesh::Mesh make_mesh(const CentipedeRig& rig) {
  std::array<mesh::Primitive, kMaterials> p;
  for (int m = 0; m < kMaterials; ++m) {
    p[at(m)].material = m;
  }
  append(p[kAmber], make_belly(), true, body_weighting(rig, 1.0));
  for (int i = 0; i < kSegments; ++i) {
    append(p[kChitin], make_back_plate(i), true, body_weighting(rig, 1.3));
    const Shape leg = make_leg(left_leg(i));
    const auto weigh = [&](std::size_t side) {
      return chain_weighting({rig.coxa[side][at(i)], rig.tibia[side][at(i)]}, rig.body[at(i)], kLegSteps, 1);
    };
    append(p[kAmber], leg, true, weigh(0));
    append(p[kAmber], mirrored(leg), true, weigh(1));
  }
  const Weighting head = [&](const dvec3& q, double) -> WeightRow {
    const double w = smooth_step(0.420, 0.446, q.z);
    return {{rig.head, w}, {rig.body.front(), 1 - w}};
  };
  append(p[kHeadPlate], make_head(), true, head);
  const Shape antenna = make_antenna();
  const Shape fang = make_fang();
  const Shape tail = make_tail_leg();
  for (std::size_t side = 0; side < 2; ++side) {
    const auto sided = [&](const Shape& shape) { return side == 0 ? shape : mirrored(shape); };
    append(p[kAmber], sided(antenna), true, chain_weighting(rig.antenna[side], rig.head, 7, 0.2));
    append(p[kHeadPlate], sided(fang), true, chain_weighting({rig.fang[side]}, rig.head, 6, 0.2));
    append(p[kAmber], sided(tail), true, chain_weighting(rig.tail[side], rig.body.back(), 8, 0.2));
    for (const dvec3& eye : {dvec3(0.0215, 0.0515, 0.4845), dvec3(0.0255, 0.0485, 0.4790)}) {
      const Shape bead = tinted(moved(sphere(0.0036, 14, 10), eye), [](const dvec3&, double) { return dvec3(0.02); });
      append(p[kHeadPlate], sided(bead), true, [&](const dvec3&, double) { return WeightRow{{rig.head, 1.0}}; });
    }
  }
  return {.name = "centipede", .primitives = {p.begin(), p.end()}, .morph_names = {}, .morph_weights = {}};
}

std::vector<rig::Material> make_materials() {
  std::vector<rig::Material> m(kMaterials);
  m[kChitin].name = "chitin";
  m[kChitin].base_color = srgb(158, 54, 26);
  m[kChitin].metallic = 0.0f;
  m[kChitin].roughness = 0.24f;
  m[kAmber].name = "amber";
  m[kAmber].base_color = srgb(226, 148, 52);
  m[kAmber].metallic = 0.0f;
  m[kAmber].roughness = 0.36f;
  m[kHeadPlate].name = "head plate";
  m[kHeadPlate].base_color = srgb(172, 62, 26);
  m[kHeadPlate].metallic = 0.45f;
  m[kHeadPlate].roughness = 0.26f;
  return m;
}

/// Moves a leg's three DOFs so that its foot comes to `target`: Newton's method on the two joints.
void reach(PoseAuthor& pose, const CentipedeRig& rig, std::size_t side, int segment, const dvec3& foot_in_tibia,
           const dvec3& target) {
  const rig::Skeleton& skeleton = rig.builder.skeleton();
  const int coxa = rig.coxa[side][at(segment)];
  const int tibia = rig.tibia[side][at(segment)];
  const glm::dmat4 parent = pose.world(rig.body[at(segment)]);
  const std::string& coxa_name = skeleton.name[at(coxa)];
  const std::string& tibia_name = skeleton.name[at(tibia)];
  const auto foot = [&](const dvec3& degrees) {
    constexpr double kDegree = kPi / 180;
    const std::array coxa_values = {static_cast<float>(degrees.x * kDegree), static_cast<float>(degrees.y * kDegree)};
    const std::array tibia_values = {static_cast<float>(degrees.z * kDegree)};
    const glm::dmat4 upper(to_matrix(rig::local_from_dofs(skeleton.dofs[at(coxa)], coxa_values)));
    const glm::dmat4 lower(to_matrix(rig::local_from_dofs(skeleton.dofs[at(tibia)], tibia_values)));
    return dvec3(parent * upper * lower * glm::dvec4(foot_in_tibia, 1));
  };
  dvec3 degrees(0);
  for (int step = 0; step < 8; ++step) {
    const dvec3 here = foot(degrees);
    glm::dmat3 jacobian(0.0);
    for (int k = 0; k < 3; ++k) {
      dvec3 nudged = degrees;
      nudged[k] += 0.5;
      jacobian[k] = (foot(nudged) - here) / 0.5;
    }
    degrees += glm::clamp(glm::inverse(jacobian) * (target - here), -12.0, 12.0);
  }
  pose.set(coxa_name, "side", degrees.x);
  pose.set(coxa_name, "bend", degrees.y);
  pose.set(tibia_name, "bend", degrees.z);
}

/// Waves of steps run from tail to head while the body snakes; feet on the ground keep their place on a ground that
/// passes backwards, so the walk loops on the spot.
rig::Clip make_walk(const CentipedeRig& rig) {
  constexpr int kKeys = 36;
  constexpr int kStepsPerLoop = 2;
  constexpr double kDuration = 1.2;
  constexpr double kStride = 0.046;   // of the ground under a foot while it stands
  constexpr double kStanding = 0.62;  // part of a step
  constexpr double kSway = 0.016;     // metres to each side
  constexpr double kWave = 0.62;      // metres of body per bow
  const rig::Skeleton& skeleton = rig.builder.skeleton();
  const auto fraction = [](double x) { return x - std::floor(x); };
  std::vector<PoseAuthor> poses;
  for (int k = 0; k <= kKeys; ++k) {
    const double phase = static_cast<double>(k % kKeys) / kKeys;
    const auto sway = [&](double z) { return kSway * std::sin(2 * kPi * (z / kWave - phase)); };
    PoseAuthor pose(skeleton);
    pose.set("root", "tx", sway(kFront));
    double heading = 0;
    for (int i = 0; i < kSegments; ++i) {
      const double z = joint_z(i);
      // A bone that runs along -z turns towards -x by a positive angle about +y.
      const double wanted = std::atan2(sway(z) - sway(z - kSpacing), kSpacing) * 180 / kPi;
      pose.set(skeleton.name[at(rig.body[at(i)])], "side", wanted - heading);
      heading = wanted;
    }
    const double first = std::atan2(sway(kFront) - sway(kFront - kSpacing), kSpacing) * 180 / kPi;
    pose.set("head", "side", -0.9 * first);
    for (std::size_t side = 0; side < 2; ++side) {
      const std::string suffix = side == 0 ? "_l" : "_r";
      const double sign = side == 0 ? 1 : -1;
      for (int a = 0; a < 3; ++a) {
        const double swing = 2 * kPi * (phase * kStepsPerLoop - 0.13 * a + (side == 0 ? 0 : 0.35));
        pose.set(fmt::format("antenna_{:02}{}", a + 1, suffix), "side", 7 * std::sin(swing));
        pose.set(fmt::format("antenna_{:02}{}", a + 1, suffix), "bend", 6 * std::cos(swing));
      }
      pose.set("fang" + suffix, "bend", 4 * std::sin(2 * kPi * phase * kStepsPerLoop));
      pose.set("tail_01" + suffix, "side", 5 * std::sin(2 * kPi * (phase + 0.2 * sign)));
      for (int i = 0; i < kSegments; ++i) {
        const Leg leg = left_leg(i);
        const double t = fraction(phase * kStepsPerLoop + 0.115 * i + (side == 0 ? 0.0 : 0.5));
        dvec3 target = leg.foot;
        if (t < kStanding) {
          target.z += kStride * (0.5 - t / kStanding);
        } else {
          const double u = (t - kStanding) / (1 - kStanding);
          target.z += kStride * (-0.5 + smooth_step(0, 1, u));
          target.y += 0.020 * std::pow(std::sin(kPi * u), 1.3);
          target.x -= 0.004 * std::sin(kPi * u);
        }
        target.x *= sign;
        target.x += 0.6 * sway(leg.hip.z);
        const dvec3 foot = dvec3(glm::inverse(rig.builder.bind_world(rig.tibia[side][at(i)])) *
                                 glm::dvec4(sign * leg.foot.x, leg.foot.y, leg.foot.z, 1));
        reach(pose, rig, side, i, foot, target);
      }
    }
    poses.push_back(pose);
  }
  return clip_from_poses("walk", static_cast<float>(kDuration), poses);
}

}  // namespace
}  // namespace centipede_parts

rig::Character make_centipede() {
  using namespace centipede_parts;
  const CentipedeRig rig = make_rig();
  rig::Character c;
  c.name = "centipede";
  c.skeleton = rig.builder.skeleton();
  c.skins.push_back(rig.builder.make_skin("centipede"));
  c.meshes.push_back(make_mesh(rig));
  c.materials = make_materials();
  c.clips.push_back(make_walk(rig));
  c.skeleton.edit().parent.push_back(-1);
  c.skeleton.edit().name.emplace_back("centipede");
  c.mesh_nodes.push_back({.joint = c.skeleton->size() - 1, .mesh = 0, .skin = 0, .morph_weights = {}});
  rig::finish(c);
  return c;
}

}  // namespace pelt::assets
