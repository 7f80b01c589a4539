// What lint says of weights.

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "mesh/rogues.h"
#include "mesh/weight_mirror.h"
#include "mesh/weight_rows.h"
#include "mesh/welded_surface.h"
#include "rig/lint_checks.h"
#include "rig/skin_sides.h"

namespace pelt::rig {
namespace {

constexpr std::uint32_t kUsualInfluences = 4;              // one set of JOINTS_n
constexpr float kNoticedLoss = 0.05f;                      // of a vertex's weight, before a picture shows it
constexpr float kNoticedAsymmetry = 0.1f;                  // of a vertex's weight
constexpr std::size_t kMostNamedJoints = 20;               // in a message
constexpr double kMirrorTolerance = 1e-4;                  // of the diagonal
constexpr double kSymmetricShare = 0.9;                    // of the vertices that must have a mirrored one
constexpr std::string_view kNeutralBone = "neutral_bone";  // of the Blender exporter

void check_influence_count(const Character& character, Findings& findings) {
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    const std::vector<std::uint32_t> first = mesh::first_vertices(character.meshes[m]);
    for (std::size_t p = 0; p < character.meshes[m].primitives.size(); ++p) {
      const mesh::Influences& rows = character.meshes[m].primitives[p].influences;
      if (rows.empty() || rows.max_count() <= kUsualInfluences) {
        continue;
      }
      std::vector<std::uint32_t> vertices;
      float largest = 0;
      for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
        if (rows.count(v) > kUsualInfluences) {
          vertices.push_back(first[p] + static_cast<std::uint32_t>(v));
          largest = std::max(largest,
                             std::accumulate(rows.weights(v).begin() + kUsualInfluences, rows.weights(v).end(), 0.0f));
        }
      }
      std::string message = fmt::format(
          "{} of {} vertices follow more than four joints, up to {}; where only four count they lose up to {:.2g} of "
          "their weight",
          vertices.size(), rows.vertex_count(), rows.max_count(), largest);
      add_finding(findings, character, "many-influences",
                  largest >= kNoticedLoss ? Severity::kWarning : Severity::kInfo, {.mesh = static_cast<int>(m)},
                  std::move(message), std::move(vertices));
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
    const std::vector<std::uint32_t> first = mesh::first_vertices(mesh);
    for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
      const mesh::Influences& rows = mesh.primitives[p].influences;
      std::vector<std::uint32_t> vertices;
      for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
        if (rows.count(v) > 0 && rows.joints(v)[0] == k) {
          vertices.push_back(first[p] + static_cast<std::uint32_t>(v));
        }
      }
      if (!vertices.empty()) {
        LintPlace place = joint_place(character, use.skin, k, use.mesh);
        std::string message = fmt::format("{} of {} vertices hang on it, which had no weights, expected none",
                                          vertices.size(), rows.vertex_count());
        add_finding(findings, character, "neutral-bone", std::move(place), std::move(message), std::move(vertices));
      }
    }
  }
}

void check_rogue_weights(const Character& character, const BoundMesh& bound, Findings& findings) {
  const Skin& skin = character.skins[bound.use.skin];
  const std::vector<mesh::RoguePatch> strays =
      mesh::find_rogues(*bound.surface, bound.influences, bone_distances(character, bound.use.skin), mesh::kStrays);
  for (auto patch = strays.begin(); patch != strays.end();) {
    const std::uint16_t k = patch->joint;
    const auto end = std::find_if(patch, strays.end(), [&](const mesh::RoguePatch& other) { return other.joint != k; });
    const auto count = static_cast<std::size_t>(end - patch);
    double farthest = 0;
    const double reach = patch->own_reach;
    std::vector<std::uint32_t> vertices;
    for (; patch != end; ++patch) {
      farthest = std::max(farthest, patch->nearest);
      for (const std::uint32_t w : patch->places) {
        const std::span<const std::uint32_t> copies = bound.surface->copies(w);
        vertices.insert(vertices.end(), copies.begin(), copies.end());
      }
    }
    std::ranges::sort(vertices);
    LintPlace place = joint_place(character, bound.use.skin, k, bound.use.mesh);
    std::string message = fmt::format(
        "{} of {} with weight on {}, as far as {} from it, expected at most {} as for its own",
        counted(count, "island"), counted(vertices.size(), "vertex"), character.skeleton->label(skin.joints[k]),
        length_text(bound.unit * farthest), length_text(bound.unit * reach));
    add_finding(findings, character, "rogue-weight", std::move(place), std::move(message), std::move(vertices));
  }
}

/// "vertex 12", or "vertex 12 of primitive 1" where there are several.
std::string vertex_name(const mesh::WeldedSurface& surface, std::uint32_t v) {
  const std::size_t p = surface.primitive_of(v);
  const std::string name = fmt::format("vertex {}", v - surface.first[p]);
  return surface.sources.size() > 1 ? fmt::format("{} of primitive {}", name, p) : name;
}

/// Vertices that differ from their mirror image.
struct Asymmetry {
  std::vector<std::uint32_t> vertices;  ///< of both sides, ascending
  std::size_t count = 0;                ///< those that have weight which their image lacks or has less of
  float largest = 0;
  std::uint32_t worst = 0;  ///< where
};

/// @param image  [W] of mirrored_places() @param partner  by slot
Asymmetry asymmetry_of(const BoundMesh& bound, const std::vector<std::uint32_t>& image,
                       const std::vector<int>& partner) {
  Asymmetry out;
  for (std::uint32_t v = 0; v < bound.surface->vertex_count(); ++v) {
    const std::uint32_t across = image[bound.surface->place[v]];
    const std::size_t p = bound.surface->primitive_of(v);
    if (across == mesh::kNoPlace || bound.influences[p]->empty()) {
      continue;
    }
    const mesh::InfluenceRow row = bound.influences[p]->row(v - bound.surface->first[p]);
    const mesh::InfluenceRow other = mesh::row_at(*bound.surface, bound.influences, across);
    float difference = 0;
    for (std::size_t i = 0; i < row.joints.size(); ++i) {
      const int k = partner[row.joints[i]];
      difference =
          k < 0 ? difference
                : std::max(difference, std::abs(row.weights[i] - mesh::weight_on(other, static_cast<std::size_t>(k))));
    }
    if (difference > kNoticedAsymmetry) {
      ++out.count;
      const std::span<const std::uint32_t> images = bound.surface->copies(across);
      out.vertices.push_back(v);
      out.vertices.insert(out.vertices.end(), images.begin(), images.end());
    }
    if (difference > kNoticedAsymmetry && difference > out.largest) {
      out.largest = difference;
      out.worst = v;
    }
  }
  std::ranges::sort(out.vertices);
  out.vertices.erase(std::unique(out.vertices.begin(), out.vertices.end()), out.vertices.end());
  return out;
}

void check_asymmetry(const Character& character, const BoundMesh& bound, Findings& findings) {
  const Skin& skin = character.skins[bound.use.skin];
  const std::vector<int> partner = partners_in(skin, mirrored_joints(character.skeleton));
  bool has_sides = false;
  for (std::size_t k = 0; k < partner.size(); ++k) {
    has_sides = has_sides || (partner[k] >= 0 && std::cmp_not_equal(partner[k], k));
  }
  if (!has_sides) {
    return;
  }
  Bounds bounds;
  for (const mesh::WeldedSurface::Source& source : bound.surface->sources) {
    bounds.add(bounds_of(source.positions));
  }
  const double tolerance = kMirrorTolerance * static_cast<double>(bounds.diagonal());
  const std::optional<mesh::MirrorPlane> plane = mirror_plane(bound_heads(skin), partner, 10 * tolerance);
  if (!plane) {
    return;
  }
  const std::vector<std::uint32_t> image = mesh::mirrored_places(*bound.surface, *plane, tolerance);
  const auto matched = std::ranges::count_if(image, [](std::uint32_t w) { return w != mesh::kNoPlace; });
  if (static_cast<double>(matched) < kSymmetricShare * static_cast<double>(image.size())) {
    return;
  }
  Asymmetry odd = asymmetry_of(bound, image, partner);
  if (odd.count == 0) {
    return;
  }
  const std::uint32_t across = image[bound.surface->place[odd.worst]];
  const bool is_between = across == bound.surface->place[odd.worst];
  std::string message = fmt::format(
      "{} of {} vertices differ from their mirror image by more than {:.2g} of a weight, the most {}{} by {:.2g}",
      odd.count, bound.surface->vertex_count(), kNoticedAsymmetry, vertex_name(*bound.surface, odd.worst),
      is_between ? ", which lies between both sides,"
                 : fmt::format(" from {}", vertex_name(*bound.surface, bound.surface->copies(across).front())),
      odd.largest);
  add_finding(findings, character, "weight-asymmetry", {.mesh = bound.use.mesh, .skin = bound.use.skin},
              std::move(message), std::move(odd.vertices));
}

}  // namespace

BoundMesh::BoundMesh(const Character& character, const SkinnedMesh& of, double metres)
    : use(of),
      surface(mesh::welded_surface(character.meshes[of.mesh])),
      bones(character, character.skins[of.skin]),
      unit(metres) {
  for (const mesh::Primitive& primitive : character.meshes[of.mesh].primitives) {
    influences.push_back(&*primitive.influences);
  }
}

bool BoundMesh::has_weights() const {
  return std::ranges::any_of(influences, [](const mesh::Influences* rows) { return !rows->empty(); });
}

void check_weights(const Character& character, Findings& findings) {
  check_influence_count(character, findings);
  check_joint_use(character, findings);
  check_neutral_bones(character, findings);
  const std::vector<double> units = mesh_units(character);
  for (const SkinnedMesh& use : skinned_meshes(character)) {
    const BoundMesh bound(character, use, units[use.skin]);
    if (bound.has_weights()) {
      check_rogue_weights(character, bound, findings);
      check_asymmetry(character, bound, findings);
      check_sides(character, bound, findings);
      check_far_joints(character, bound, findings);
      check_hard_edges(character, bound, findings);
    }
  }
}

}  // namespace pelt::rig
