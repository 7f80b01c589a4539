#include "humanoid.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "characters.h"
#include "edit/file_behaviour.h"

namespace pelt::assets {
namespace {

// Normals of the surface itself, exact mirror images of each other.
std::vector<glm::vec3> surface_normals(const Body& body, const SymmetricMesh& whole) {
  std::vector<glm::vec3> normals;
  for (const glm::dvec3& p : whole.mesh.positions) {
    glm::dvec3 n = body.gradient({std::abs(p.x), p.y, p.z});
    if (p.x == 0) {
      n.x = 0;
    }
    n = glm::normalize(n);
    normals.emplace_back(p.x < 0 ? -n.x : n.x, n.y, n.z);
  }
  return normals;
}

mesh::MorphTarget selected(const mesh::MorphTarget& target, const std::vector<std::size_t>& vertices) {
  mesh::MorphTarget out;
  out.name = target.name;
  for (const std::size_t v : vertices) {
    out.position_deltas.push_back(target.position_deltas[v]);
    out.normal_deltas.push_back(target.normal_deltas[v]);
  }
  return out;
}

std::vector<rig::Material> materials() {
  const auto material = [](const char* name, const glm::vec4& color, float roughness) {
    rig::Material m;
    m.name = name;
    m.base_color = color;
    m.metallic = 0;
    m.roughness = roughness;
    return m;
  };
  return {material("skin", srgb(226, 172, 138), 0.50f), material("white cotton", srgb(238, 236, 230), 0.62f),
          material("graphite", srgb(52, 56, 64), 0.55f), material("coral", srgb(232, 92, 62), 0.50f),
          material("eyes", srgb(30, 24, 26), 0.16f)};
}

// The upper arm's muscle rises while its elbow bends.
motion::Behaviour muscles() {
  motion::Behaviour out;
  for (const char* side : {"_l", "_r"}) {
    out.drivers.push_back({.target = fmt::format("shape(biceps_bulge{})", side),
                           .expression = fmt::format("ramp(elbow{}.bend, 10, 140)", side)});
  }
  return out;
}

}  // namespace

rig::Character make_mannequin() {
  const RigBuilder rig = make_humanoid_rig();
  Body body = make_humanoid_body(rig);
  const TriangleMesh raw = polygonize_half(body, {0, -0.02, -0.2}, {0.75, 1.92, 0.25}, 0.004);
  const EdgeLength edge_length = [&](const glm::dvec3& p) { return 1.05 * humanoid_edge_length(rig, p); };
  const SymmetricMesh whole = mirror_half(remesh(raw, body, edge_length, humanoid_feature_lines(rig)));
  const std::vector<glm::vec3> normals = surface_normals(body, whole);
  const mesh::Influences influences = humanoid_influences(rig, body, whole);
  const std::vector<mesh::MorphTarget> morphs = humanoid_morphs(rig, whole, normals, influences);

  rig::Character c;
  c.name = "mannequin";
  c.skeleton = rig.skeleton();
  c.materials = materials();
  c.skins.push_back(rig.make_skin("mannequin"));

  // One primitive per material; vertices on a line between two are in both, alike in every bit.
  mesh::Mesh m;
  m.name = "mannequin";
  std::vector<int> material_of;
  for (const std::array<int, 3>& t : whole.mesh.triangles) {
    const glm::dvec3 center =
        (whole.mesh.positions[at(t[0])] + whole.mesh.positions[at(t[1])] + whole.mesh.positions[at(t[2])]) / 3.0;
    material_of.push_back(humanoid_material(rig, center));
  }
  for (int material = 0; material < static_cast<int>(c.materials.size()); ++material) {
    mesh::Primitive p;
    p.material = material;
    std::vector<int> index(whole.mesh.positions.size(), -1);
    std::vector<std::size_t> vertices;
    for (std::size_t t = 0; t < whole.mesh.triangles.size(); ++t) {
      if (material_of[t] != material) {
        continue;
      }
      for (const int v : whole.mesh.triangles[t]) {
        if (index[at(v)] < 0) {
          index[at(v)] = static_cast<int>(vertices.size());
          vertices.push_back(at(v));
        }
        p.indices.push_back(static_cast<std::uint32_t>(index[at(v)]));
      }
    }
    for (const std::size_t v : vertices) {
      p.positions.emplace_back(whole.mesh.positions[v]);
      p.normals.push_back(normals[v]);
      mesh::append_row(p.influences.edit(), influences.joints(v), influences.weights(v));
    }
    for (const mesh::MorphTarget& target : morphs) {
      p.morph_targets.push_back(selected(target, vertices));
    }
    m.primitives.push_back(std::move(p));
  }
  for (const mesh::MorphTarget& target : morphs) {
    m.morph_names.push_back(target.name);
    m.morph_weights.push_back(0);
  }
  c.meshes.push_back(std::move(m));

  c.skeleton.edit().parent.push_back(-1);
  c.skeleton.edit().name.emplace_back("mannequin");
  rig::MeshNode node;
  node.joint = c.skeleton->size() - 1;
  node.mesh = 0;
  node.skin = 0;
  c.mesh_nodes.push_back(std::move(node));
  c.clips = humanoid_clips(rig.skeleton(), node.joint);
  rig::finish(c);
  const Status said = edit::put_behaviour(c, muscles());
  if (!said) {
    throw std::logic_error(said.error().message);
  }
  return c;
}

}  // namespace pelt::assets
