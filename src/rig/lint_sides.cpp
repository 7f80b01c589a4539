// Weights on the wrong side: a vertex at the mirror image of a joint that follows the joint itself. Sides are told by
// where the joints stood when the mesh was bound; names only say which two are partners.

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mesh/weight_rows.h"
#include "mesh/welded_surface.h"
#include "rig/lint_checks.h"

namespace pelt::rig {
namespace {

constexpr float kWrongSideWeight = 0.18f;  // less is the end of a falloff across the middle
constexpr double kClearlyNearer = 3;       // times as far from the own bone as from the partner's
constexpr double kBeyondMiddle = 0.5;      // of the way from the middle to the partner's head
constexpr double kTellableSides = 0.01;    // of the mesh's diagonal: partners that stand closer have no sides
// Round what is clearly wrong the rest of its patch is wrong, too.
constexpr float kPatchWeight = 0.01f;
constexpr double kNearer = 1.5;

/// Vertices of one mesh that follow one joint where its partner is.
struct Strays {
  float weight = 0;                     ///< the largest
  double own = 0;                       ///< of that vertex: how far from the joint's bone, mesh space
  double mirror = 0;                    ///< and from its partner's
  std::vector<std::uint32_t> vertices;  ///< counted through all primitives, ascending
};

/// Looks for what follows joint k where its partner is.
class StraySearch {
 public:
  StraySearch(const BoundMesh& bound, std::size_t k, std::size_t partner)
      : surface_(*bound.surface),
        influences_(bound.influences),
        bones_(bound.bones),
        k_(k),
        partner_(partner),
        middle_(0.5 * (*bones_.heads[k] + *bones_.heads[partner])),
        across_(*bones_.heads[partner] - middle_) {}

  [[nodiscard]] Strays find() const {
    Strays out;
    std::vector<char> is_taken(surface_.place_count(), 0);
    std::vector<std::uint32_t> waiting;
    for (std::uint32_t w = 0; w < surface_.place_count(); ++w) {
      const float weight = weight_at(w);
      if (weight < kWrongSideWeight || !is_there(w, kBeyondMiddle, kClearlyNearer)) {
        continue;
      }
      is_taken[w] = 1;
      waiting.push_back(w);
      if (weight > out.weight) {
        const glm::dvec3 at(surface_.position(w));
        out.weight = weight;
        out.own = bones_.distance(k_, at);
        out.mirror = bones_.distance(partner_, at);
      }
    }
    while (!waiting.empty()) {
      const std::uint32_t w = waiting.back();
      waiting.pop_back();
      const std::span<const std::uint32_t> copies = surface_.copies(w);
      out.vertices.insert(out.vertices.end(), copies.begin(), copies.end());
      for (const std::uint32_t u : surface_.adjacency.neighbors(w)) {
        if (is_taken[u] == 0 && weight_at(u) >= kPatchWeight && is_there(u, 0, kNearer)) {
          is_taken[u] = 1;
          waiting.push_back(u);
        }
      }
    }
    std::ranges::sort(out.vertices);
    return out;
  }

 private:
  [[nodiscard]] float weight_at(std::uint32_t w) const {
    return mesh::weight_on(mesh::row_at(surface_, influences_, w), k_);
  }
  // Beyond so much of the way to the partner, and so many times as far from the own bone as from the partner's.
  [[nodiscard]] bool is_there(std::uint32_t w, double beyond, double nearer) const {
    const glm::dvec3 at(surface_.position(w));
    return glm::dot(at - middle_, across_) >= beyond * glm::dot(across_, across_) &&
           bones_.distance(k_, at) >= nearer * bones_.distance(partner_, at);
  }

  const mesh::WeldedSurface& surface_;
  const std::vector<const mesh::Influences*>& influences_;
  const BoundBones& bones_;
  std::size_t k_;
  std::size_t partner_;
  glm::dvec3 middle_;
  glm::dvec3 across_;
};

}  // namespace

void check_sides(const Character& character, const BoundMesh& bound, Findings& findings) {
  const Skin& skin = character.skins[bound.use.skin];
  const std::vector<int> partner = partners_in(skin, mirrored_joints(character.skeleton));
  Bounds bounds;
  std::vector<char> has_weight(skin.joints.size(), 0);
  for (const mesh::Primitive& primitive : character.meshes[bound.use.mesh].primitives) {
    bounds.add(bounds_of(primitive.positions));
    primitive.influences->for_each_entry([&](std::uint16_t k, float) { has_weight[k] = 1; });
  }
  const BoundBones& bones = bound.bones;
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    const std::size_t other = partner[k];
    if (partner[k] < 0 || other == k || has_weight[k] == 0 || !bones.heads[k] || !bones.heads[other] ||
        glm::length(*bones.heads[k] - *bones.heads[other]) < kTellableSides * static_cast<double>(bounds.diagonal())) {
      continue;
    }
    Strays strays = StraySearch(bound, k, other).find();
    if (strays.vertices.empty()) {
      continue;
    }
    std::string message =
        fmt::format("{} with weight on {}, up to {:.2g}, but {} from its bone and {} from that of its mirror image {}",
                    counted(strays.vertices.size(), "vertex"), character.skeleton->label(skin.joints[k]), strays.weight,
                    length_text(bound.unit * strays.own), length_text(bound.unit * strays.mirror),
                    character.skeleton->label(skin.joints[other]));
    add_finding(findings, character, "wrong-side-weight", joint_place(character, bound.use.skin, k, bound.use.mesh),
                std::move(message), std::move(strays.vertices));
  }
}

}  // namespace pelt::rig
