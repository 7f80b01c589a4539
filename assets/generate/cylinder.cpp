#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "characters.h"
#include "rig_builder.h"

namespace pelt::assets {
// The sources of all characters use the same names, and may be compiled as one unit.
namespace cylinder_parts {
namespace {

using glm::dvec3;

constexpr int kRings = 41;
constexpr int kAround = 32;
constexpr double kRadius = 0.1;

// Bone colours that meet where the weights do, a dark line on every fourth ring and one along the tube, so that
// bending, twisting and collapsing can be read off the surface.
glm::vec4 color_of(int ring, int around, double x) {
  const glm::vec4 root = srgb(38, 108, 134);
  const glm::vec4 tip = srgb(232, 142, 62);
  const auto w = static_cast<float>(std::clamp((x - 0.4) / 0.2, 0.0, 1.0));
  const bool on_line = (ring % 4 == 0 && ring != 0 && ring != kRings - 1) || around == 8;
  const float shade = on_line ? 0.46f : 1.0f;
  const glm::vec4 color = (root + (tip - root) * w) * shade;
  return {color.x, color.y, color.z, 1.0f};
}

mesh::Primitive make_surface() {
  mesh::Primitive p;
  const auto add = [&](const dvec3& position, const dvec3& normal, const glm::vec4& color) {
    p.positions.emplace_back(position);
    p.normals.emplace_back(normal);
    p.colors.push_back(color);
    const double w1 = std::clamp((position.x - 0.4) / 0.2, 0.0, 1.0);
    const std::uint16_t joints[] = {0, 1};
    const float weights[] = {static_cast<float>(1 - w1), static_cast<float>(w1)};
    mesh::append_row(p.influences.edit(), joints, weights);
  };
  for (int i = 0; i < kRings; ++i) {
    for (int k = 0; k < kAround; ++k) {
      const double angle = 2 * std::numbers::pi * k / kAround;
      const dvec3 position(i / 40.0, kRadius * std::cos(angle), kRadius * std::sin(angle));
      add(position, glm::normalize(dvec3(0, position.y, position.z)), color_of(i, k, position.x));
    }
  }
  add({0, 0, 0}, {-1, 0, 0}, color_of(1, 0, 0));
  add({1, 0, 0}, {1, 0, 0}, color_of(1, 0, 1));

  const auto vertex = [](int ring, int around) {
    return static_cast<std::uint32_t>(ring * kAround + around % kAround);
  };
  for (int i = 0; i + 1 < kRings; ++i) {
    for (int k = 0; k < kAround; ++k) {
      const std::uint32_t a = vertex(i, k);
      const std::uint32_t b = vertex(i + 1, k);
      const std::uint32_t c = vertex(i + 1, k + 1);
      const std::uint32_t d = vertex(i, k + 1);
      p.indices.append({a, c, b, a, d, c});
    }
  }
  const std::uint32_t hub = vertex(kRings, 0);
  for (int k = 0; k < kAround; ++k) {
    p.indices.append({hub, vertex(0, k + 1), vertex(0, k)});
    p.indices.append({hub + 1, vertex(kRings - 1, k), vertex(kRings - 1, k + 1)});
  }
  p.material = 0;
  return p;
}

// Up to a right angle and back, then half a turn about the bone and back.
rig::Clip make_sweep(const rig::Skeleton& skeleton) {
  constexpr int kKeys = 48;
  std::vector<PoseAuthor> poses;
  for (int k = 0; k <= kKeys; ++k) {
    const double t = 2.0 * k / kKeys;
    const double eased = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * t);
    PoseAuthor pose(skeleton);
    if (k % kKeys != 0) {
      pose.set("tip", t < 1 ? "bend" : "twist", (t < 1 ? 90 : 180) * eased);
    }
    poses.push_back(pose);
  }
  return clip_from_poses("sweep", 6, poses);
}

}  // namespace
}  // namespace cylinder_parts

rig::Character make_cylinder() {
  using namespace cylinder_parts;
  RigBuilder rig;
  const int root = rig.add("root", -1, dvec3(0), glm::dmat3(1.0));
  rig.add("tip", root, {0.5, 0, 0}, glm::dmat3(1.0),
          {{.name = "twist", .axis = kTwistAxis}, {.name = "bend", .axis = kBendAxis}});

  rig::Character c;
  c.name = "cylinder";
  c.skins.push_back(rig.make_skin("cylinder"));
  c.skeleton = rig.skeleton();
  c.skeleton.edit().dofs[0] = {};  // joint 0 has the default degrees of freedom
  c.clips.push_back(make_sweep(rig.skeleton()));
  c.skeleton.edit().parent.push_back(-1);
  c.skeleton.edit().name.emplace_back("cylinder");
  c.meshes.push_back({.name = "cylinder", .primitives = {make_surface()}, .morph_names = {}, .morph_weights = {}});
  c.mesh_nodes.push_back({.joint = 2, .mesh = 0, .skin = 0, .morph_weights = {}});
  rig::Material material;
  material.name = "painted tube";
  material.metallic = 0;
  material.roughness = 0.42f;
  c.materials.push_back(material);
  rig::finish(c);
  return c;
}

}  // namespace pelt::assets
