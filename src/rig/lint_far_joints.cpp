// Weights on a joint far away along the body, past joints that come nearer.

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mesh/weight_rows.h"
#include "mesh/welded_surface.h"
#include "rig/lint_checks.h"

namespace pelt::rig {
namespace {

// A place that follows a joint far away.
constexpr float kFarWeight = 0.1f;
constexpr std::size_t kSkipped = 2;   // joints between that come nearer and that the place does not follow
constexpr double kFarther = 2.5;      // times as far from the bone as from the nearest that it follows
constexpr double kBeyondReach = 1.0;  // times as far as the joint's own places are
// What is so many times as far may be nearer to it in proportion to the others.
constexpr double kOutOfReach = 4;
constexpr double kSlightlyFarther = 1.4;
// The rest of the patch round such a place.
constexpr float kFarPatchWeight = 0.02f;
constexpr std::size_t kSkippedInPatch = 1;
constexpr double kFartherInPatch = 1.5;
constexpr float kFollowed = 0.02f;     // less of a joint between is as good as nothing
constexpr double kMostOfJoint = 0.95;  // of the joint's weight on the mesh: what has more is how the rig is made

/// Finds weights on far joints in one mesh.
class FarSearch {
 public:
  explicit FarSearch(const BoundMesh& bound)
      : surface_(*bound.surface),
        influences_(bound.influences),
        bones_(bound.bones),
        total_(bones_.above.size(), 0.0),
        reach_(bones_.above.size(), 0.0) {
    for (std::uint32_t w = 0; w < surface_.place_count(); ++w) {
      const mesh::InfluenceRow row = mesh::row_at(surface_, influences_, w);
      for (std::size_t i = 0; i < row.joints.size(); ++i) {
        total_[row.joints[i]] += static_cast<double>(row.weights[i]);
      }
      if (row.joints.empty() || !bones_.heads[row.joints[0]]) {
        continue;
      }
      const glm::dvec3 at(surface_.position(w));
      const double distance = bones_.distance(row.joints[0], at);
      if (distance <= nearest_of(at, row, row.joints[0]).distance) {
        reach_[row.joints[0]] = std::max(reach_[row.joints[0]], distance);
      }
    }
  }

  struct Patch {
    std::uint16_t joint = 0;
    std::uint16_t instead = 0;            ///< the nearest that the heaviest of these places follows
    float weight = 0;                     ///< the largest
    double distance = 0;                  ///< from that place to the joint's bone, mesh space
    double nearest = 0;                   ///< and to the bone of `instead`
    std::vector<std::uint32_t> vertices;  ///< ascending
  };

  [[nodiscard]] std::vector<Patch> find() const {
    std::vector<std::vector<std::uint32_t>> clear(bones_.above.size());
    for (std::uint32_t w = 0; w < surface_.place_count(); ++w) {
      const mesh::InfluenceRow row = mesh::row_at(surface_, influences_, w);
      for (std::size_t i = 0; row.joints.size() > 1 && i < row.joints.size(); ++i) {
        if (row.weights[i] >= kFarWeight && is_far(w, row, row.joints[i], kSkipped, kFarther)) {
          clear[row.joints[i]].push_back(w);
        }
      }
    }
    std::vector<Patch> out;
    for (std::size_t k = 0; k < clear.size(); ++k) {
      if (!clear[k].empty()) {
        if (std::optional<Patch> patch = grown(static_cast<std::uint16_t>(k), clear[k])) {
          out.push_back(*std::move(patch));
        }
      }
    }
    return out;
  }

 private:
  struct Near {
    std::uint16_t joint = 0;
    double distance = std::numeric_limits<double>::infinity();
  };
  // The nearest bone of those that the row follows, but for one.
  [[nodiscard]] Near nearest_of(const glm::dvec3& at, const mesh::InfluenceRow& row, std::uint16_t but) const {
    Near out;
    for (std::size_t i = 0; i < row.joints.size(); ++i) {
      const std::uint16_t k = row.joints[i];
      if (k != but && row.weights[i] >= kFollowed && bones_.heads[k]) {
        if (const double distance = bones_.distance(k, at); distance < out.distance) {
          out = {k, distance};
        }
      }
    }
    return out;
  }

  // Slots between two along the skeleton, without both; nothing where they do not hang together.
  [[nodiscard]] std::optional<std::vector<std::size_t>> between(std::size_t a, std::size_t b) const {
    std::vector<std::size_t> up_a;
    for (int k = static_cast<int>(a); k >= 0; k = bones_.above[k]) {
      up_a.push_back(static_cast<std::size_t>(k));
    }
    std::vector<std::size_t> out;
    for (int k = static_cast<int>(b); k >= 0; k = bones_.above[k]) {
      const auto at = std::ranges::find(up_a, static_cast<std::size_t>(k));
      if (at != up_a.end()) {
        out.insert(out.end(), up_a.begin(), at + 1);
        std::erase_if(out, [&](std::size_t slot) { return slot == a || slot == b; });
        return out;
      }
      out.push_back(static_cast<std::size_t>(k));
    }
    return std::nullopt;
  }

  [[nodiscard]] bool is_far(std::uint32_t w, const mesh::InfluenceRow& row, std::uint16_t k, std::size_t skipped,
                            double farther) const {
    if (!bones_.heads[k]) {
      return false;
    }
    const glm::dvec3 at(surface_.position(w));
    const double distance = bones_.distance(k, at);
    const Near near = nearest_of(at, row, k);
    // A head is as thick as it is far from the chest: there the joint's own reach tells what is far.
    const bool is_out_of_reach = reach_[k] > 0 && distance >= kOutOfReach * reach_[k];
    if (distance < kBeyondReach * reach_[k] ||
        !(distance >= (is_out_of_reach ? kSlightlyFarther : farther) * near.distance)) {
      return false;
    }
    const std::optional<std::vector<std::size_t>> path = between(k, near.joint);
    if (!path) {
      return false;
    }
    std::size_t count = 0;
    for (const std::size_t slot : *path) {
      const auto in_row = std::ranges::find(row.joints, slot);
      const bool is_followed = in_row != row.joints.end() && row.weights[in_row - row.joints.begin()] > kFollowed;
      count += !is_followed && total_[slot] > 0 && bones_.heads[slot] && bones_.distance(slot, at) < distance ? 1U : 0U;
    }
    return count >= (is_out_of_reach ? 1 : skipped);
  }

  // What hangs together with clearly far places and is far as well; nothing where that is most of what the joint has.
  [[nodiscard]] std::optional<Patch> grown(std::uint16_t k, const std::vector<std::uint32_t>& clear) const {
    Patch out;
    out.joint = k;
    std::vector<char> is_taken(surface_.place_count(), 0);
    std::vector<std::uint32_t> waiting = clear;
    for (const std::uint32_t w : clear) {
      is_taken[w] = 1;
    }
    double sum = 0;
    while (!waiting.empty()) {
      const std::uint32_t w = waiting.back();
      waiting.pop_back();
      const mesh::InfluenceRow row = mesh::row_at(surface_, influences_, w);
      const float weight = mesh::weight_on(row, k);
      sum += static_cast<double>(weight);
      if (weight > out.weight) {
        const glm::dvec3 at(surface_.position(w));
        const Near near = nearest_of(at, row, k);
        out.weight = weight;
        out.instead = near.joint;
        out.nearest = near.distance;
        out.distance = bones_.distance(k, at);
      }
      const std::span<const std::uint32_t> copies = surface_.copies(w);
      out.vertices.insert(out.vertices.end(), copies.begin(), copies.end());
      for (const std::uint32_t u : surface_.adjacency.neighbors(w)) {
        const mesh::InfluenceRow other = mesh::row_at(surface_, influences_, u);
        if (is_taken[u] == 0 && mesh::weight_on(other, k) >= kFarPatchWeight && other.joints.size() > 1 &&
            is_far(u, other, k, kSkippedInPatch, kFartherInPatch)) {
          is_taken[u] = 1;
          waiting.push_back(u);
        }
      }
    }
    if (sum > kMostOfJoint * total_[k]) {
      return std::nullopt;
    }
    std::ranges::sort(out.vertices);
    return out;
  }

  const mesh::WeldedSurface& surface_;
  const std::vector<const mesh::Influences*>& influences_;
  const BoundBones& bones_;
  std::vector<double> total_;  ///< [slots] weight on the mesh
  std::vector<double> reach_;  ///< [slots] how far the places are that follow it most and come nearest to it
};

}  // namespace

void check_far_joints(const Character& character, const BoundMesh& bound, Findings& findings) {
  const std::vector<int>& joints = character.skins[bound.use.skin].joints;
  for (FarSearch::Patch& patch : FarSearch(bound).find()) {
    std::string message = fmt::format(
        "{} with weight on {}, up to {:.2g}, {} from its bone and {} from that of {}, with joints between that they do "
        "not follow",
        counted(patch.vertices.size(), "vertex"), character.skeleton->label(joints[patch.joint]), patch.weight,
        length_text(bound.unit * patch.distance), length_text(bound.unit * patch.nearest),
        character.skeleton->label(joints[patch.instead]));
    add_finding(findings, character, "far-joint-weight",
                joint_place(character, bound.use.skin, patch.joint, bound.use.mesh), std::move(message),
                std::move(patch.vertices));
  }
}

}  // namespace pelt::rig
