#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "characters.h"
#include "rig_builder.h"

namespace pelt::assets {
// The sources of all characters use the same names, and may be compiled as one unit.
namespace elbow_parts {
namespace {

using glm::dvec3;

constexpr int kRings = 33;     // along the arm, from x = 0 to 8
constexpr int kDomeRings = 5;  // of each rounded end, between the tube and the pole
constexpr int kAround = 32;
constexpr int kRingOfA = 12;  // x = 3

double forearm_weight(double x) {
  return std::clamp(0.5 + 0.3 * (x - 4), 0.0, 1.0);
}

// Bone colours that meet where the weights do, a dark line on every fourth ring, and the vertex A as a red spot.
glm::vec4 color_of(double x, bool on_line, bool is_a) {
  if (is_a) {
    return srgb(214, 32, 48);
  }
  const glm::vec4 upper = srgb(38, 108, 134);
  const glm::vec4 fore = srgb(232, 142, 62);
  const float shade = on_line ? 0.46f : 1.0f;
  const glm::vec4 color = (upper + (fore - upper) * static_cast<float>(forearm_weight(x))) * shade;
  return {color.x, color.y, color.z, 1.0f};
}

mesh::Primitive make_surface() {
  mesh::Primitive p;
  const auto add = [&](const dvec3& position, const dvec3& normal, const glm::vec4& color) {
    p.positions.emplace_back(position);
    p.normals.emplace_back(normal);
    p.colors.push_back(color);
    const double w = forearm_weight(position.x);
    const std::uint16_t joints[] = {0, 1};
    const float weights[] = {static_cast<float>(1 - w), static_cast<float>(w)};
    mesh::append_row(p.influences.edit(), joints, weights);
  };
  // A ring of radius r at x whose normals lean along the arm.
  const auto add_ring = [&](double x, double r, double lean, bool on_line, int spot) {
    for (int k = 0; k < kAround; ++k) {
      const double angle = 2 * std::numbers::pi * k / kAround;
      const dvec3 radial(0, std::cos(angle), std::sin(angle));
      add(r * radial + dvec3(x, 0, 0), std::cos(lean) * radial + dvec3(std::sin(lean), 0, 0),
          color_of(x, on_line, k == spot));
    }
  };
  const auto latitude = [](int ring) { return std::numbers::pi / 2 * ring / (kDomeRings + 1); };
  for (int ring = kDomeRings; ring > 0; --ring) {
    add_ring(-std::sin(latitude(ring)), std::cos(latitude(ring)), -latitude(ring), false, -1);
  }
  for (int ring = 0; ring < kRings; ++ring) {
    add_ring(ring / 4.0, 1, 0, ring % 4 == 0 && ring != kRingOfA, ring == kRingOfA ? 0 : -1);
  }
  for (int ring = 1; ring <= kDomeRings; ++ring) {
    add_ring(8 + std::sin(latitude(ring)), std::cos(latitude(ring)), latitude(ring), false, -1);
  }
  constexpr int kAllRings = kRings + 2 * kDomeRings;
  const auto vertex = [](int ring, int around) {
    return static_cast<std::uint32_t>(ring * kAround + around % kAround);
  };
  for (int i = 0; i + 1 < kAllRings; ++i) {
    for (int k = 0; k < kAround; ++k) {
      const std::uint32_t a = vertex(i, k);
      const std::uint32_t c = vertex(i + 1, k + 1);
      p.indices.append({a, c, vertex(i + 1, k), a, vertex(i, k + 1), c});
    }
  }
  const std::uint32_t pole = vertex(kAllRings, 0);
  add({-1, 0, 0}, {-1, 0, 0}, color_of(-1, false, false));
  add({9, 0, 0}, {1, 0, 0}, color_of(9, false, false));
  for (int k = 0; k < kAround; ++k) {
    p.indices.append({pole, vertex(0, k + 1), vertex(0, k)});
    p.indices.append({pole + 1, vertex(kAllRings - 1, k), vertex(kAllRings - 1, k + 1)});
  }
  p.material = 0;
  return p;
}

// To the right angle of the textbook and back.
rig::Clip make_bend(const rig::Skeleton& skeleton) {
  constexpr int kKeys = 24;
  std::vector<PoseAuthor> poses;
  for (int k = 0; k <= kKeys; ++k) {
    PoseAuthor pose(skeleton);
    if (k % kKeys != 0) {
      pose.set("forearm", "bend", -90 * (0.5 - 0.5 * std::cos(2 * std::numbers::pi * k / kKeys)));
    }
    poses.push_back(pose);
  }
  return clip_from_poses("bend", 4, poses);
}

}  // namespace
}  // namespace elbow_parts

rig::Character make_elbow() {
  using namespace elbow_parts;
  RigBuilder rig;
  const int upper_arm = rig.add("upper_arm", -1, dvec3(0), glm::dmat3(1.0));
  rig.add("forearm", upper_arm, {4, 0, 0}, glm::dmat3(1.0),
          {{.name = "bend", .axis = kBendAxis, .lower = -150, .upper = 150}});

  rig::Character c;
  c.name = "elbow";
  c.skins.push_back(rig.make_skin("elbow"));
  c.skeleton = rig.skeleton();
  c.skeleton.edit().dofs[0] = {};  // the upper arm has the default degrees of freedom
  c.clips.push_back(make_bend(rig.skeleton()));
  c.skeleton.edit().parent.push_back(-1);
  c.skeleton.edit().name.emplace_back("elbow");
  c.meshes.push_back({.name = "elbow", .primitives = {make_surface()}, .morph_names = {}, .morph_weights = {}});
  c.mesh_nodes.push_back({.joint = 2, .mesh = 0, .skin = 0, .morph_weights = {}});
  rig::Material material;
  material.name = "painted arm";
  material.metallic = 0;
  material.roughness = 0.42f;
  c.materials.push_back(material);
  rig::finish(c);
  return c;
}

}  // namespace pelt::assets
