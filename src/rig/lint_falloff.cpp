// Weights that no falloff has: a joint far away along the body, and falloffs that are cut off where the rest of the
// skin is soft.

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <unordered_map>
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
// Round it the rest of its patch.
constexpr float kFarPatchWeight = 0.02f;
constexpr float kFollowed = 0.02f;     // less of a joint between is as good as nothing
constexpr double kMostOfJoint = 0.95;  // of the joint's weight on the mesh: what has more is how the rig is made

// An edge over which most of the weight changes.
constexpr double kHardJump = 0.85;
constexpr double kRunJump = 0.5;       // of edges that go on with a run
constexpr double kCountedJump = 0.02;  // of an edge in a falloff
constexpr double kSoftJump = 0.5;      // nine of ten such edges have less: the skin is soft
constexpr double kMostHard = 0.1;      // of these edges
constexpr std::size_t kHardRun = 4;    // edges that hang together

/// Of one mesh: the distances and the chains of joints that far weights are told by.
class FarSearch {
 public:
  FarSearch(const BoundMesh& bound, const BoundBones& bones)
      : surface_(*bound.surface), influences_(bound.influences), bones_(bones), above_(bones.heads.size(), -1) {
    for (std::size_t up = 0; up < bones.tips.size(); ++up) {
      for (const std::size_t k : bones.tips[up]) {
        above_[k] = static_cast<int>(up);
      }
    }
    total_.resize(above_.size(), 0.0);
    reach_.resize(above_.size(), 0.0);
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
    double distance = 0;                  ///< of that place from the joint's bone, mesh space
    double nearest = 0;                   ///< and from that of `instead`
    std::vector<std::uint32_t> vertices;  ///< ascending
  };

  [[nodiscard]] std::vector<Patch> find() const {
    std::vector<std::vector<std::uint32_t>> clear(above_.size());
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
    for (int k = static_cast<int>(a); k >= 0; k = above_[k]) {
      up_a.push_back(static_cast<std::size_t>(k));
    }
    std::vector<std::size_t> out;
    for (int k = static_cast<int>(b); k >= 0; k = above_[k]) {
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
    if (!(distance >= farther * near.distance) || distance < kBeyondReach * reach_[k]) {
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
    return count >= skipped;
  }

  [[nodiscard]] static float weight_of(const mesh::InfluenceRow& row, std::uint16_t k) {
    const auto at = std::ranges::find(row.joints, k);
    return at == row.joints.end() ? 0.0f : row.weights[at - row.joints.begin()];
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
      const float weight = weight_of(row, k);
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
        if (is_taken[u] == 0 && weight_of(other, k) >= kFarPatchWeight && other.joints.size() > 1 &&
            is_far(u, other, k, 1, 1.5)) {
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
  std::vector<int> above_;     ///< [slots] the one right above, -1 at the top
  std::vector<double> total_;  ///< [slots] weight on the mesh
  std::vector<double> reach_;  ///< [slots] how far the places are that follow it most and come nearest to it
};

/// How much of the weight changes from one row to another, 0 to 1.
double jump_between(const mesh::InfluenceRow& a, const mesh::InfluenceRow& b) {
  double both = 0;
  for (std::size_t i = 0; i < a.joints.size(); ++i) {
    const auto at = std::ranges::find(b.joints, a.joints[i]);
    if (at != b.joints.end()) {
      both += static_cast<double>(std::min(a.weights[i], b.weights[at - b.joints.begin()]));
    }
  }
  return 1 - both;
}

struct HardEdge {
  std::uint32_t a, b;
  double jump;
};

/// The hard edges of a surface that is soft otherwise.
struct HardEdges {
  std::vector<HardEdge> edges;
  double width = 0;  ///< of the falloffs of the rest, mesh space: the way on which a weight goes from 0 to 1
};

double edge_length(const mesh::WeldedSurface& surface, std::uint32_t a, std::uint32_t b) {
  return glm::length(glm::dvec3(surface.position(a)) - glm::dvec3(surface.position(b)));
}

HardEdges hard_edges(const BoundMesh& bound) {
  const mesh::WeldedSurface& surface = *bound.surface;
  std::vector<HardEdge> hard;
  std::vector<float> jumps;
  std::vector<double> widths;
  for (std::uint32_t w = 0; w < surface.place_count(); ++w) {
    const mesh::InfluenceRow row = mesh::row_at(surface, bound.influences, w);
    for (const std::uint32_t u : surface.adjacency.neighbors(w)) {
      const mesh::InfluenceRow other = mesh::row_at(surface, bound.influences, u);
      if (u <= w || row.joints.empty() || other.joints.empty()) {
        continue;
      }
      const double jump = jump_between(row, other);
      if (jump > kCountedJump) {
        jumps.push_back(static_cast<float>(jump));
        widths.push_back(edge_length(surface, w, u) / jump);
      }
      if (jump >= kRunJump) {
        hard.push_back({w, u, jump});
      }
    }
  }
  if (hard.empty() || static_cast<double>(hard.size()) > kMostHard * static_cast<double>(jumps.size())) {
    return {};
  }
  const auto middle = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2);
  std::ranges::nth_element(widths, middle);
  const auto ninth = jumps.begin() + static_cast<std::ptrdiff_t>(9 * jumps.size() / 10);
  std::ranges::nth_element(jumps, ninth);
  return static_cast<double>(*ninth) < kSoftJump ? HardEdges{std::move(hard), *middle} : HardEdges();
}

/// The places that a falloff across a run of edges would have: within half of its width along edges.
std::vector<std::uint32_t> places_round(const mesh::WeldedSurface& surface, const std::vector<HardEdge>& hard,
                                        const std::vector<std::size_t>& run, double width) {
  using Step = std::pair<double, std::uint32_t>;
  std::priority_queue<Step, std::vector<Step>, std::greater<>> waiting;
  std::unordered_map<std::uint32_t, double> way;
  const auto reach = [&](std::uint32_t w, double length) {
    const auto [at, is_new] = way.emplace(w, length);
    if (is_new || length < at->second) {
      at->second = length;
      waiting.push({length, w});
    }
  };
  for (const std::size_t e : run) {
    reach(hard[e].a, 0);
    reach(hard[e].b, 0);
  }
  while (!waiting.empty()) {
    const auto [length, w] = waiting.top();
    waiting.pop();
    if (length > way.at(w)) {
      continue;
    }
    for (const std::uint32_t u : surface.adjacency.neighbors(w)) {
      if (const double there = length + edge_length(surface, w, u); there <= 0.5 * width) {
        reach(u, there);
      }
    }
  }
  std::vector<std::uint32_t> out;
  for (const auto& [w, length] : way) {
    out.push_back(w);
  }
  return out;
}

void check_hard_edges(const Character& character, const BoundMesh& bound, Findings& findings) {
  const auto [hard, width] = hard_edges(bound);
  // Edges that share a place are one run.
  std::vector<std::vector<std::size_t>> at(hard.empty() ? 0 : bound.surface->place_count());
  for (std::size_t e = 0; e < hard.size(); ++e) {
    at[hard[e].a].push_back(e);
    at[hard[e].b].push_back(e);
  }
  std::vector<char> is_told(hard.size(), 0);
  for (std::size_t start = 0; start < hard.size(); ++start) {
    if (is_told[start] != 0) {
      continue;
    }
    std::vector<std::size_t> run = {start};
    is_told[start] = 1;
    for (std::size_t i = 0; i < run.size(); ++i) {
      for (const std::uint32_t w : {hard[run[i]].a, hard[run[i]].b}) {
        for (const std::size_t e : at[w]) {
          if (std::exchange(is_told[e], char{1}) == 0) {
            run.push_back(e);
          }
        }
      }
    }
    const auto count =
        static_cast<std::size_t>(std::ranges::count_if(run, [&](std::size_t e) { return hard[e].jump >= kHardJump; }));
    if (count < kHardRun) {
      continue;
    }
    const HardEdge& worst = hard[*std::ranges::max_element(run, {}, [&](std::size_t e) { return hard[e].jump; })];
    std::vector<std::uint32_t> vertices;
    for (const std::uint32_t w : places_round(*bound.surface, hard, run, width)) {
      const std::span<const std::uint32_t> copies = bound.surface->copies(w);
      vertices.insert(vertices.end(), copies.begin(), copies.end());
    }
    std::ranges::sort(vertices);
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    const auto joint_at = [&](std::uint32_t w) {
      return static_cast<std::size_t>(mesh::row_at(*bound.surface, bound.influences, w).joints[0]);
    };
    const Skin& skin = character.skins[bound.use.skin];
    const std::size_t k = joint_at(worst.a);
    const int joint = skin.joints[k];
    std::string message = fmt::format(
        "over {} in a row {:.2g} of the weight and more changes at once, most of it from {} to {}; at nine of ten of "
        "the other edges less than half of it does",
        counted(count, "edge"), kHardJump, character.skeleton->label(joint),
        character.skeleton->label(skin.joints[joint_at(worst.b)]));
    add_finding(findings, character, "hard-edge-weight",
                {.node = character.skeleton->source_node[joint],
                 .mesh = bound.use.mesh,
                 .skin = bound.use.skin,
                 .joint = static_cast<int>(k)},
                std::move(message), std::move(vertices));
  }
}

}  // namespace

void check_falloffs(const Character& character, Findings& findings) {
  const std::vector<double> units = mesh_units(character);
  for (const SkinnedMesh& use : skinned_meshes(character)) {
    const BoundMesh bound(character, use);
    if (!bound.has_weights()) {
      continue;
    }
    const Skin& skin = character.skins[use.skin];
    const BoundBones bones(character, skin);
    for (FarSearch::Patch& patch : FarSearch(bound, bones).find()) {
      const int joint = skin.joints[patch.joint];
      std::string message = fmt::format(
          "{} with weight on {}, up to {:.2g}, {} from its bone and {} from that of {}, with joints between that they "
          "do not "
          "follow",
          counted(patch.vertices.size(), "vertex"), character.skeleton->label(joint), patch.weight,
          length_text(units[use.skin] * patch.distance), length_text(units[use.skin] * patch.nearest),
          character.skeleton->label(skin.joints[patch.instead]));
      add_finding(findings, character, "far-joint-weight",
                  {.node = character.skeleton->source_node[joint],
                   .mesh = use.mesh,
                   .skin = use.skin,
                   .joint = static_cast<int>(patch.joint)},
                  std::move(message), std::move(patch.vertices));
    }
    check_hard_edges(character, bound, findings);
  }
}

}  // namespace pelt::rig
