#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "characters.h"
#include "mesh/nurbs.h"
#include "rig_builder.h"

namespace pelt::assets {
// The sources of all characters use the same names, and may be compiled as one unit.
namespace tube_parts {
namespace {

using glm::dvec3;

constexpr double kRadius = 0.1;
constexpr int kAround = 9;  // control points of a circle, the last one on the first
constexpr int kUSteps = 8;  // of each quarter
constexpr int kVSteps = 8;
constexpr int kVertices = 4 * kUSteps + 1;  // of a ring
constexpr std::array kKnots = {0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 5.0, 5.0, 5.0};
constexpr int kRows = static_cast<int>(kKnots.size()) - 4;

// Where the knots put a row so that equal steps of v are equal steps along the tube: their means, 0 to 1.
double row_x(int j) {
  const std::size_t k = j;
  return (kKnots[k + 1] + kKnots[k + 2] + kKnots[k + 3]) / 3 / kKnots.back();
}

// Each row of control points follows one joint alone: nothing is blended, the surface alone is smooth.
mesh::NurbsSurface make_surface() {
  mesh::NurbsSurface tube;
  tube.u = {2, kAround, {0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4}};
  tube.v = {3, kRows, {kKnots.begin(), kKnots.end()}};
  constexpr std::array<std::array<int, 2>, kAround> kCircle = {
      {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}, {1, 0}}};
  for (int j = 0; j < kRows; ++j) {
    for (int i = 0; i < kAround; ++i) {
      const auto [y, z] = kCircle[static_cast<std::size_t>(i)];
      tube.cage.positions.emplace_back(dvec3(row_x(j), kRadius * y, kRadius * z));
      tube.cage.texcoords[0].push_back({static_cast<float>(i) / (kAround - 1), static_cast<float>(row_x(j))});
      tube.weights.push_back(i % 2 == 0 ? 1.0 : std::numbers::sqrt2 / 2);
      const std::uint16_t joint[] = {static_cast<std::uint16_t>(row_x(j) < 0.5 ? 0 : 1)};
      const float weight[] = {1.0f};
      mesh::append_row(tube.cage.influences.edit(), joint, weight);
    }
  }
  return tube;
}

// Bone colours that meet where the weights of the mesh do, a dark line on every fourth ring and one along the tube.
glm::vec4 color_of(int ring, int around, int last_ring, float tip_weight) {
  const glm::vec4 root = srgb(38, 108, 134);
  const glm::vec4 tip = srgb(232, 142, 62);
  const bool on_line = (ring % 4 == 0 && ring != 0 && ring != last_ring) || around == kUSteps;
  const glm::vec4 color = (root + (tip - root) * tip_weight) * (on_line ? 0.46f : 1.0f);
  return {color.x, color.y, color.z, 1.0f};
}

mesh::Primitive make_primitive() {
  mesh::Primitive p = mesh::with_control_points(make_surface(), kUSteps, kVSteps);
  const int rings = static_cast<int>(p.vertex_count()) / kVertices;
  for (std::size_t v = 0; v < p.vertex_count(); ++v) {
    float tip_weight = 0;
    const mesh::InfluenceRow row = p.influences->row(v);
    for (std::size_t k = 0; k < row.joints.size(); ++k) {
      tip_weight += row.joints[k] == 1 ? row.weights[k] : 0.0f;
    }
    p.colors.push_back(
        color_of(static_cast<int>(v) / kVertices, static_cast<int>(v) % kVertices, rings - 1, tip_weight));
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
}  // namespace tube_parts

rig::Character make_tube() {
  using namespace tube_parts;
  RigBuilder rig;
  const int root = rig.add("root", -1, dvec3(0), glm::dmat3(1.0));
  rig.add("tip", root, {0.5, 0, 0}, glm::dmat3(1.0),
          {{.name = "twist", .axis = kTwistAxis}, {.name = "bend", .axis = kBendAxis}});

  rig::Character c;
  c.name = "tube";
  c.skins.push_back(rig.make_skin("tube"));
  c.skeleton = rig.skeleton();
  c.skeleton.edit().dofs[0] = {};  // joint 0 has the default degrees of freedom
  c.clips.push_back(make_sweep(rig.skeleton()));
  c.skeleton.edit().parent.push_back(-1);
  c.skeleton.edit().name.emplace_back("tube");
  c.meshes.push_back({.name = "tube", .primitives = {make_primitive()}, .morph_names = {}, .morph_weights = {}});
  c.mesh_nodes.push_back({.joint = 2, .mesh = 0, .skin = 0, .morph_weights = {}});
  rig::Material material;
  material.name = "painted tube";
  material.metallic = 0;
  material.roughness = 0.42f;
  material.double_sided = true;  // its ends are open
  c.materials.push_back(material);
  rig::finish(c);
  return c;
}

}  // namespace pelt::assets
