// Weights on the wrong side: a vertex at the mirror image of a joint that follows the joint itself. Sides are told by
// where the joints stood when the mesh was bound; names only say which two are partners.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "rig/lint_checks.h"

namespace pelt::rig {
namespace {

constexpr float kWrongSideWeight = 0.25f;  // less is the end of a falloff across the middle
constexpr double kClearlyNearer = 3;       // times as far from the own bone as from the partner's
constexpr double kBeyondMiddle = 0.5;      // of the way from the middle to the partner's head
constexpr double kTellableSides = 0.01;    // of the mesh's diagonal: partners that stand closer have no sides

/// Vertices of one mesh that follow one joint where its partner is.
struct Strays {
  std::size_t count = 0;
  float weight = 0;   ///< the largest
  double own = 0;     ///< of that vertex: how far from the joint's bone, mesh space
  double mirror = 0;  ///< and from its partner's
  int primitive = -1;
  std::vector<std::uint32_t> vertices;  ///< of that primitive
};

Strays strays_of(const mesh::Mesh& mesh, const BoundBones& bones, std::size_t k, std::size_t partner) {
  const glm::dvec3 middle = 0.5 * (*bones.heads[k] + *bones.heads[partner]);
  const glm::dvec3 across = *bones.heads[partner] - middle;
  Strays out;
  for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
    const mesh::Primitive& primitive = mesh.primitives[p];
    const mesh::Influences& rows = primitive.influences;
    for (std::uint32_t v = 0; v < rows.vertex_count(); ++v) {
      const mesh::InfluenceRow row = rows.row(v);
      for (std::size_t i = 0; i < row.joints.size(); ++i) {
        if (row.joints[i] != k || row.weights[i] < kWrongSideWeight) {
          continue;
        }
        const glm::dvec3 at(primitive.positions[v]);
        if (glm::dot(at - middle, across) < kBeyondMiddle * glm::dot(across, across)) {
          continue;
        }
        const double own = bones.distance(k, at);
        const double mirror = bones.distance(partner, at);
        if (own < kClearlyNearer * mirror) {
          continue;
        }
        ++out.count;
        if (out.primitive < 0) {
          out.primitive = static_cast<int>(p);
        }
        if (out.primitive == static_cast<int>(p)) {
          out.vertices.push_back(v);
        }
        if (row.weights[i] > out.weight) {
          out.weight = row.weights[i];
          out.own = own;
          out.mirror = mirror;
        }
      }
    }
  }
  return out;
}

}  // namespace

void check_sides(const Character& character, Findings& findings) {
  const std::vector<int> mirrored = mirrored_joints(character.skeleton);
  const std::vector<double> units = mesh_units(character);
  for (const SkinnedMesh& use : skinned_meshes(character)) {
    const Skin& skin = character.skins[use.skin];
    const mesh::Mesh& mesh = character.meshes[use.mesh];
    Bounds bounds;
    std::vector<char> has_weight(skin.joints.size(), 0);
    for (const mesh::Primitive& primitive : mesh.primitives) {
      bounds.add(bounds_of(primitive.positions));
      primitive.influences->for_each_entry([&](std::uint16_t k, float) { has_weight[k] = 1; });
    }
    const BoundBones bones(character, skin);
    const std::vector<int> partner = partners_in(skin, mirrored);
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      const std::size_t other = partner[k];
      if (partner[k] < 0 || other == k || has_weight[k] == 0 || !bones.heads[k] || !bones.heads[other] ||
          glm::length(*bones.heads[k] - *bones.heads[other]) <
              kTellableSides * static_cast<double>(bounds.diagonal())) {
        continue;
      }
      Strays strays = strays_of(mesh, bones, k, other);
      if (strays.count == 0) {
        continue;
      }
      const double unit = units[use.skin];
      add_finding(findings, character, "wrong-side-weight",
                  {.node = character.skeleton->source_node[skin.joints[k]],
                   .mesh = use.mesh,
                   .primitive = strays.primitive,
                   .skin = use.skin,
                   .joint = static_cast<int>(k),
                   .vertices = std::move(strays.vertices)},
                  fmt::format("{} with weight on {}, up to {:.2g}, but {} from its bone and {} from that of its mirror "
                              "image {}",
                              counted(strays.count, "vertex"), character.skeleton->label(skin.joints[k]), strays.weight,
                              length_text(unit * strays.own), length_text(unit * strays.mirror),
                              character.skeleton->label(skin.joints[other])));
    }
  }
}

}  // namespace pelt::rig
