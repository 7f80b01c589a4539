// Rogue vertices: ALGORITHMS.md §38, without the repair, and only where an island is cut out of a shell: genuinely
// separate shells have a seed of their own.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "mesh/adjacency.h"
#include "mesh/joined.h"
#include "mesh/weld.h"
#include "rig/lint_checks.h"
#include "rig/skin_sides.h"

namespace pelt::rig {
namespace {

constexpr std::uint32_t kUsualInfluences = 4;  // one set of JOINTS_n
constexpr float kNoticedLoss = 0.05f;          // of a vertex's weight, before a picture shows it
constexpr float kRogueWeight = 0.01f;          // less moves a vertex by less than a hundredth of its joint's way
constexpr float kRogueReach = 1.5f;            // times as far from the joint as its own vertices
constexpr float kRogueShare = 0.1f;            // of the joint's weight at most: more is no stray
constexpr float kNoticedAsymmetry = 0.1f;      // of a vertex's weight
constexpr std::size_t kMostNamedJoints = 20;   // in a message
constexpr double kMirrorTolerance = 1e-4;      // of the diagonal
constexpr double kSymmetricShare = 0.9;        // of the vertices that must have a mirrored one
constexpr std::string_view kNeutralBone = "neutral_bone";  // of the Blender exporter

/// A joint and its index in a skin as a place.
LintPlace joint_place(const Character& character, int skin, std::size_t k) {
  const int j = character.skins[skin].joints[k];
  return {.node = character.skeleton->source_node[j], .skin = skin, .joint = static_cast<int>(k)};
}

void check_influence_count(const Character& character, Findings& findings) {
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    for (std::size_t p = 0; p < character.meshes[m].primitives.size(); ++p) {
      const mesh::Influences& rows = character.meshes[m].primitives[p].influences;
      if (rows.empty() || rows.max_count() <= kUsualInfluences) {
        continue;
      }
      LintPlace place{.mesh = static_cast<int>(m), .primitive = static_cast<int>(p)};
      float largest = 0;
      for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
        if (rows.count(v) > kUsualInfluences) {
          place.vertices.push_back(static_cast<std::uint32_t>(v));
          largest = std::max(largest,
                             std::accumulate(rows.weights(v).begin() + kUsualInfluences, rows.weights(v).end(), 0.0f));
        }
      }
      const std::size_t count = place.vertices.size();
      add_finding(findings, character, "many-influences",
                  largest >= kNoticedLoss ? Severity::kWarning : Severity::kInfo, std::move(place),
                  fmt::format("{} of {} vertices follow more than four joints, up to {}; where only four count they "
                              "lose up to {:.2g} of their weight",
                              count, rows.vertex_count(), rows.max_count(), largest));
    }
  }
}

void check_joint_use(const Character& character, Findings& findings) {
  const JointUse use = joint_use(character);
  const std::vector<char> attachments = attachment_joints(character);
  std::set<std::vector<int>> told;  // skins of the same joints are one skeleton
  for (std::size_t s = 0; s < character.skins.size(); ++s) {
    const Skin& skin = character.skins[s];
    if (!told.insert(skin.joints).second ||
        std::ranges::none_of(use.weighted[s], [](char weighted) { return weighted != 0; })) {
      continue;
    }
    std::vector<std::size_t> unused;
    std::vector<std::size_t> above;
    std::vector<std::size_t> carriers;
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      if (use.weighted[s][k] == 0) {
        const bool carries = attachments[skin.joints[k]] != 0;
        (use.kept[s][k] == 0 ? unused : carries ? carriers : above).push_back(k);
      }
    }
    const auto tell = [&](const char* code, const std::vector<std::size_t>& joints, const char* what,
                          std::size_t most_named) {
      if (!joints.empty()) {
        std::string names;
        for (std::size_t i = 0; i < std::min(joints.size(), most_named); ++i) {
          names += (i == 0 ? "" : ", ") + character.skeleton->label(skin.joints[joints[i]]);
        }
        add_finding(findings, character, code, joint_place(character, static_cast<int>(s), joints.front()),
                    fmt::format("{} of {} joints have no vertex that follows them{}{}{}{}", joints.size(),
                                skin.joints.size(), what, most_named == 1 ? ", the first " : ": ", names,
                                joints.size() > most_named && most_named > 1
                                    ? fmt::format(" and {} more", joints.size() - most_named)
                                    : ""));
      }
    };
    tell("unused-joint", unused, " or a joint below", kMostNamedJoints);
    tell("attachment-joint", carriers, ", but things hang on them or are to be hung there", kMostNamedJoints);
    tell("joint-without-weight", above, ", but joints below them have some", 1);
  }
}

void check_neutral_bones(const Character& character, Findings& findings) {
  for (const SkinnedMesh& use : skinned_meshes(character)) {
    const Skin& skin = character.skins[use.skin];
    const auto neutral = std::ranges::find_if(
        skin.joints, [&](int j) { return std::string_view(character.skeleton->name[j]).starts_with(kNeutralBone); });
    if (neutral == skin.joints.end()) {
      continue;
    }
    const std::size_t k = neutral - skin.joints.begin();
    const mesh::Mesh& mesh = character.meshes[use.mesh];
    for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
      const mesh::Influences& rows = mesh.primitives[p].influences;
      LintPlace place = joint_place(character, use.skin, k);
      place.mesh = use.mesh;
      place.primitive = static_cast<int>(p);
      for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
        if (rows.count(v) > 0 && rows.joints(v)[0] == k) {
          place.vertices.push_back(static_cast<std::uint32_t>(v));
        }
      }
      if (const std::size_t count = place.vertices.size(); count > 0) {
        add_finding(findings, character, "neutral-bone", std::move(place),
                    fmt::format("{} of {} vertices hang on it, which had no weights, expected none", count,
                                rows.vertex_count()));
      }
    }
  }
}

// Islands and mirrors are looked for in the space of the mesh, where it was bound.

/// A connected set of vertices with weight on one joint.
struct Island {
  std::vector<std::uint32_t> vertices;
  double weight = 0;
  double nearest = 0;  ///< to the bone
  double farthest = 0;
  std::size_t border = 0;  ///< edges to vertices that follow the joint by less than counts
  std::size_t faded = 0;   ///< those of them where the other vertex follows it a little: the weight falls off smoothly
};

/// The joined surface with vertices at one position as one.
struct WeldedSurface {
  mesh::JoinedMesh joined;
  std::vector<std::uint32_t> weld;
  mesh::Adjacency adjacency;

  explicit WeldedSurface(const mesh::Mesh& mesh) : joined(mesh::join(mesh)) {
    const mesh::Primitive& whole = joined.whole;
    weld = mesh::weld_by_position(whole.positions);
    std::vector<std::uint32_t> triangles;
    for (std::size_t i = 0; i + 2 < whole.indices.size(); i += 3) {
      const std::uint32_t a = weld[whole.indices[i]];
      const std::uint32_t b = weld[whole.indices[i + 1]];
      const std::uint32_t c = weld[whole.indices[i + 2]];
      if (a != b && b != c && c != a) {
        triangles.insert(triangles.end(), {a, b, c});
      }
    }
    adjacency = mesh::make_adjacency(whole.vertex_count(), triangles);
  }
};

/// A vertex's weight on one joint; 0 without.
float weight_on(const mesh::Influences& rows, std::size_t v, std::size_t k) {
  const mesh::InfluenceRow row = rows.row(v);
  for (std::size_t i = 0; i < row.joints.size(); ++i) {
    if (row.joints[i] == k) {
      return row.weights[i];
    }
  }
  return 0.0f;
}

std::vector<Island> islands_of(const WeldedSurface& surface, const BoundBones& bones, std::size_t k,
                               const std::vector<std::pair<std::uint32_t, float>>& members,
                               std::vector<std::int8_t>& state) {
  std::vector<Island> islands;
  for (const auto& [v, weight] : members) {
    state[v] = 1;
  }
  std::vector<std::uint32_t> waiting;
  std::vector<float> weight_of;
  for (const auto& [start, start_weight] : members) {
    if (state[start] != 1) {
      continue;
    }
    Island island;
    island.nearest = std::numeric_limits<double>::max();
    waiting.assign(1, start);
    state[start] = 2;
    while (!waiting.empty()) {
      const std::uint32_t v = waiting.back();
      waiting.pop_back();
      island.vertices.push_back(v);
      const auto found = std::ranges::lower_bound(members, v, {}, &std::pair<std::uint32_t, float>::first);
      island.weight += static_cast<double>(found->second);
      const double distance = bones.distance(k, glm::dvec3(surface.joined.whole.positions[v]));
      island.nearest = std::min(island.nearest, distance);
      island.farthest = std::max(island.farthest, distance);
      for (const std::uint32_t w : surface.adjacency.neighbors(v)) {
        if (state[w] == 1) {
          state[w] = 2;
          waiting.push_back(w);
        }
        if (state[w] == 0) {
          ++island.border;
          island.faded += weight_on(surface.joined.whole.influences, w, k) > 0 ? 1U : 0U;
        }
      }
    }
    islands.push_back(std::move(island));
  }
  for (const auto& [v, weight] : members) {
    state[v] = 0;
  }
  return islands;
}

/// @param unit  metres per unit of the mesh
void check_rogue_weights(const Character& character, const SkinnedMesh& use, const WeldedSurface& surface, double unit,
                         Findings& findings) {
  const Skin& skin = character.skins[use.skin];
  const BoundBones bones(character, skin);
  const mesh::Influences& rows = surface.joined.whole.influences;
  std::vector<std::vector<std::pair<std::uint32_t, float>>> members(skin.joints.size());
  for (std::uint32_t v = 0; v < rows.vertex_count(); ++v) {
    const mesh::InfluenceRow row = rows.row(v);
    for (std::size_t i = 0; i < row.joints.size() && surface.weld[v] == v; ++i) {
      if (row.weights[i] > kRogueWeight && row.joints[i] < members.size()) {
        members[row.joints[i]].emplace_back(v, row.weights[i]);
      }
    }
  }
  std::vector<std::int8_t> state(rows.vertex_count(), 0);  // 0 follows other joints, 1 waits, 2 belongs to an island
  for (std::size_t k = 0; k < members.size(); ++k) {
    if (!bones.heads[k] || members[k].size() < 2) {
      continue;
    }
    const std::vector<Island> islands = islands_of(surface, bones, k, members[k], state);
    if (islands.size() < 2) {
      continue;
    }
    // The joint's own vertices: the island that comes nearest and the one that weighs most.
    const auto seed = std::ranges::min_element(islands, {}, &Island::nearest);
    const auto heaviest = std::ranges::max_element(islands, {}, &Island::weight);
    const double reach = std::max(seed->farthest, heaviest->farthest);
    const double total = std::accumulate(islands.begin(), islands.end(), 0.0,
                                         [](double sum, const Island& island) { return sum + island.weight; });
    std::size_t count = 0;
    std::size_t vertex_count = 0;
    double farthest = 0;
    std::vector<std::uint32_t> rogue;
    for (const Island& island : islands) {
      if (&island != &*seed && &island != &*heaviest && 2 * island.faded < island.border &&
          island.nearest > static_cast<double>(kRogueReach) * reach &&
          island.weight < static_cast<double>(kRogueShare) * total) {
        ++count;
        vertex_count += island.vertices.size();
        farthest = std::max(farthest, island.nearest);
        rogue.insert(rogue.end(), island.vertices.begin(), island.vertices.end());
      }
    }
    if (count == 0) {
      continue;
    }
    LintPlace place = joint_place(character, use.skin, k);
    place.mesh = use.mesh;
    std::ranges::sort(rogue);
    place.primitive = static_cast<int>(surface.joined.place(rogue.front()).primitive);
    for (const std::uint32_t v : rogue) {
      if (const mesh::JoinedMesh::Place at = surface.joined.place(v);
          static_cast<int>(at.primitive) == place.primitive) {
        place.vertices.push_back(at.vertex);
      }
    }
    add_finding(findings, character, "rogue-weight", std::move(place),
                fmt::format("{} of {} with weight on {}, as far as {} from it, expected at most {} as for its own",
                            counted(count, "island"), counted(vertex_count, "vertex"),
                            character.skeleton->label(skin.joints[k]), length_text(unit * farthest),
                            length_text(unit * reach)));
  }
}

/// For each vertex one at its mirrored place, -1 where there is none.
std::vector<std::int64_t> mirrored_vertices(std::span<const glm::vec3> positions, const mesh::MirrorPlane& plane,
                                            double tolerance) {
  std::vector<std::uint32_t> order(positions.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) { return positions[a].y < positions[b].y; });
  std::vector<std::int64_t> out(positions.size(), -1);
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const glm::dvec3 wanted = plane.mirrored(glm::dvec3(positions[v]));
    const auto from = std::ranges::lower_bound(order, wanted.y - tolerance, {},
                                               [&](std::uint32_t w) { return static_cast<double>(positions[w].y); });
    double nearest = tolerance;
    // A flat mesh has everything at one height; that many are not looked through.
    constexpr std::ptrdiff_t kMostCandidates = 4096;
    for (auto at = from; at != order.end() && at - from < kMostCandidates &&
                         static_cast<double>(positions[*at].y) <= wanted.y + tolerance;
         ++at) {
      const double distance = glm::length(glm::dvec3(positions[*at]) - wanted);
      if (distance <= nearest) {
        nearest = distance;
        out[v] = *at;
      }
    }
  }
  return out;
}

void check_asymmetry(const Character& character, const SkinnedMesh& use, const WeldedSurface& surface,
                     Findings& findings) {
  const Skin& skin = character.skins[use.skin];
  const mesh::Primitive& whole = surface.joined.whole;
  const std::vector<int> partner = partners_in(skin, mirrored_joints(character.skeleton));
  bool has_sides = false;
  for (std::size_t k = 0; k < partner.size(); ++k) {
    has_sides = has_sides || (partner[k] >= 0 && std::cmp_not_equal(partner[k], k));
  }
  if (!has_sides) {
    return;
  }
  const double tolerance = kMirrorTolerance * static_cast<double>(bounds_of(whole.positions).diagonal());
  const std::vector<std::optional<glm::dvec3>> heads = bound_heads(skin);
  const std::optional<mesh::MirrorPlane> plane = mirror_plane(heads, partner, 10 * tolerance);
  if (!plane) {
    return;
  }
  const std::vector<std::int64_t> other = mirrored_vertices(whole.positions, *plane, tolerance);
  const auto matched = std::ranges::count_if(other, [](std::int64_t v) { return v >= 0; });
  if (static_cast<double>(matched) < kSymmetricShare * static_cast<double>(other.size())) {
    return;
  }
  const mesh::Influences& rows = whole.influences;
  std::size_t count = 0;
  float largest = 0;
  std::uint32_t worst = 0;
  std::vector<std::uint32_t> odd;
  for (std::uint32_t v = 0; v < rows.vertex_count(); ++v) {
    if (other[v] < 0) {
      continue;
    }
    const std::uint32_t w = surface.weld[other[v]];
    float difference = 0;
    const mesh::InfluenceRow row = rows.row(v);
    for (std::size_t i = 0; i < row.joints.size(); ++i) {
      const int across = partner[row.joints[i]];
      difference =
          across < 0 ? difference : std::max(difference, std::abs(row.weights[i] - weight_on(rows, w, across)));
    }
    if (difference > kNoticedAsymmetry) {
      ++count;
      odd.push_back(v);
      if (difference > largest) {
        largest = difference;
        worst = v;
      }
    }
  }
  if (count == 0) {
    return;
  }
  const mesh::JoinedMesh::Place at = surface.joined.place(worst);
  const mesh::JoinedMesh::Place across = surface.joined.place(static_cast<std::uint32_t>(other[worst]));
  LintPlace place{.mesh = use.mesh, .primitive = static_cast<int>(at.primitive), .skin = use.skin};
  for (const std::uint32_t v : odd) {
    if (const mesh::JoinedMesh::Place here = surface.joined.place(v); here.primitive == at.primitive) {
      place.vertices.push_back(here.vertex);
    }
  }
  add_finding(
      findings, character, "weight-asymmetry", std::move(place),
      fmt::format("{} of {} vertices differ from their mirror image by more than {:.2g} of a weight, the most "
                  "vertex {}{} by {:.2g}",
                  count, rows.vertex_count(), kNoticedAsymmetry, at.vertex,
                  at == across ? ", which lies between both sides," : fmt::format(" from vertex {}", across.vertex),
                  largest));
}

}  // namespace

void check_weights(const Character& character, Findings& findings) {
  check_influence_count(character, findings);
  check_joint_use(character, findings);
  check_neutral_bones(character, findings);
  const std::vector<double> units = mesh_units(character);
  for (const SkinnedMesh& use : skinned_meshes(character)) {
    const WeldedSurface surface(character.meshes[use.mesh]);
    if (!surface.joined.whole.influences->empty()) {
      check_rogue_weights(character, use, surface, units[use.skin], findings);
      check_asymmetry(character, use, surface, findings);
    }
  }
}

}  // namespace pelt::rig
