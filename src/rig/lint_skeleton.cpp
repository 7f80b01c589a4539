#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "rig/kinematics.h"
#include "rig/lint_checks.h"
#include "rig/tree_walk.h"

namespace pelt::rig {
namespace {

constexpr double kSamePlace = 1e-5;     // of the skeleton's size: joints closer stand at one point
constexpr double kSameMatrix = 1e-3;    // of elements, translations relative to the size
constexpr double kVisibleShear = 0.01;  // cosine between axes that should be perpendicular, half a degree
constexpr double kVisibleScale = 1e-3;  // relative difference between axes

/// Everything the checks of the skeleton share.
struct SkeletonCheck {
  const Character& character;
  Findings& findings;
  std::vector<glm::mat4> world;  ///< rest pose
  TreeWalk walk;
  double size = 1;  ///< of what the rest pose spans, metres

  [[nodiscard]] LintPlace at_joint(std::size_t s, std::size_t k) const {
    return {.node = character.skeleton->source_node[character.skins[s].joints[k]],
            .skin = static_cast<int>(s),
            .joint = static_cast<int>(k)};
  }
  [[nodiscard]] std::string label(std::size_t s, std::size_t k) const {
    return character.skeleton->label(character.skins[s].joints[k]);
  }
  /// The largest difference of elements, translations in units of the size.
  [[nodiscard]] double difference(const glm::dmat4& a, const glm::dmat4& b) const {
    double worst = 0;
    for (int c = 0; c < 4; ++c) {
      for (int r = 0; r < 3; ++r) {
        worst = std::max(worst, std::abs(a[c][r] - b[c][r]) / (c == 3 ? size : 1.0));
      }
    }
    return worst;
  }
};

bool singular_bind(const Skin& skin, std::size_t k) {
  bool singular = false;
  affine_inverse(skin.joint_from_mesh[k], &singular);
  return singular;
}

void check_missing_binds(const SkeletonCheck& check, std::size_t s) {
  const Skin& skin = check.character.skins[s];
  if (!skin.has_inverse_binds) {
    add_finding(check.findings, check.character, "inverse-bind-missing", {.skin = static_cast<int>(s)},
                fmt::format("expected {} inverse bind matrices, there are none; identity is used", skin.joints.size()));
  }
}

void check_shear(const SkeletonCheck& check, std::size_t s, const std::vector<int>& parents) {
  const Skin& skin = check.character.skins[s];
  std::size_t odd = 0;
  std::size_t worst = 0;
  double largest = 0;
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    if (parents[k] < 0 || singular_bind(skin, k) || singular_bind(skin, parents[k])) {
      continue;
    }
    const glm::dmat3 above(skin.joint_from_mesh[parents[k]]);
    const glm::dmat3 local = above * glm::inverse(glm::dmat3(skin.joint_from_mesh[k]));
    double shear = 0;
    for (int c = 0; c < 3; ++c) {
      const glm::dvec3& a = local[c];
      const glm::dvec3& b = local[(c + 1) % 3];
      shear = std::max(shear, std::abs(glm::dot(a, b)) / std::max(glm::length(a) * glm::length(b), 1e-300));
    }
    odd += shear > kVisibleShear ? 1U : 0U;
    if (shear > largest) {
      largest = shear;
      worst = k;
    }
  }
  if (odd > 0) {
    add_finding(
        check.findings, check.character, "bind-shear", check.at_joint(s, worst),
        fmt::format("the bind pose shears {} of {} joints against those above, expected none, most of all {}: "
                    "two of its axes stand {:.3g} degrees from square",
                    odd, skin.joints.size(), check.label(s, worst), glm::degrees(std::asin(std::min(largest, 1.0)))));
  }
}

void check_scales(const SkeletonCheck& check, std::size_t s, const std::vector<int>& parents) {
  const Skin& skin = check.character.skins[s];
  std::vector<char> has_child(skin.joints.size(), 0);
  for (const int up : parents) {
    if (up >= 0) {
      has_child[up] = 1;
    }
  }
  std::vector<std::size_t> uneven;
  std::vector<std::size_t> mirrored;
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    const glm::dvec3 scale(check.character.skeleton->rest[skin.joints[k]].scale);
    const glm::dvec3 size = glm::abs(scale);
    const double least = std::min({size.x, size.y, size.z});
    const double most = std::max({size.x, size.y, size.z});
    if (has_child[k] != 0 && most - least > kVisibleScale * most) {
      uneven.push_back(k);
    }
    if (scale.x < 0 || scale.y < 0 || scale.z < 0) {
      mirrored.push_back(k);
    }
  }
  const auto tell = [&](const char* code, const std::vector<std::size_t>& joints, const char* what) {
    if (!joints.empty()) {
      const glm::vec3& scale = check.character.skeleton->rest[skin.joints[joints.front()]].scale;
      add_finding(check.findings, check.character, code, check.at_joint(s, joints.front()),
                  fmt::format("{} of {} joints {}, the first {} with scale ({:.4g}, {:.4g}, {:.4g})", joints.size(),
                              skin.joints.size(), what, check.label(s, joints.front()), scale.x, scale.y, scale.z));
    }
  };
  tell("joint-scale", uneven, "scale those below unevenly, expected the same factor along all axes");
  tell("joint-mirrored", mirrored, "have a negative scale, expected positive ones");
}

void check_lengths(const SkeletonCheck& check, std::size_t s, const std::vector<int>& parents) {
  const Skin& skin = check.character.skins[s];
  std::vector<std::size_t> still;
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    if (parents[k] < 0) {
      continue;
    }
    const glm::dvec3 head(check.world[skin.joints[k]][3]);
    const glm::dvec3 above(check.world[skin.joints[parents[k]]][3]);
    if (glm::length(head - above) < kSamePlace * check.size) {
      still.push_back(k);
    }
  }
  if (!still.empty()) {
    const std::size_t k = still.front();
    add_finding(check.findings, check.character, "zero-length-bone", check.at_joint(s, k),
                fmt::format("{} of {} joints stand where the joint above stands, the first {} on {}", still.size(),
                            skin.joints.size(), check.label(s, k), check.label(s, parents[k])));
  }
}

void check_repeated_joints(const SkeletonCheck& check, std::size_t s) {
  const Skin& skin = check.character.skins[s];
  std::map<int, std::size_t> slot_of;
  std::vector<std::size_t> repeated;
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    if (!slot_of.try_emplace(skin.joints[k], k).second) {
      repeated.push_back(k);
    }
  }
  if (!repeated.empty()) {
    const std::size_t k = repeated.front();
    add_finding(check.findings, check.character, "joint-listed-twice", check.at_joint(s, k),
                fmt::format("{} of {} joints are listed before, the first {} as joint {}; expected each node once",
                            repeated.size(), skin.joints.size(), check.label(s, k), slot_of[skin.joints[k]]));
  }
}

void check_roots(const SkeletonCheck& check, std::size_t s, const std::vector<int>& parents, bool is_shown) {
  const Character& character = check.character;
  const Skeleton& skeleton = character.skeleton;
  const Skin& skin = character.skins[s];
  std::vector<std::size_t> tops;
  std::set<int> top_joints;
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    if (parents[k] < 0 && top_joints.insert(skin.joints[k]).second) {
      tops.push_back(k);
    }
  }
  std::map<int, std::size_t> trees;
  for (const std::size_t k : tops) {
    trees.try_emplace(check.walk.root[skin.joints[k]], k);
  }
  if (tops.size() > 1) {
    const bool common = trees.size() == 1;
    add_finding(check.findings, character, "several-roots", common ? Severity::kInfo : Severity::kError,
                check.at_joint(s, tops[1]),
                fmt::format("{} of {} joints have no joint above, expected one, the first two {} and {}; {}",
                            tops.size(), skin.joints.size(), check.label(s, tops[0]), check.label(s, tops[1]),
                            common ? "a node that is no joint is above them all" : "no node is above them all"));
  }
  if (skin.skeleton_root >= 0) {
    const auto outside = std::ranges::find_if(
        tops, [&](std::size_t k) { return !check.walk.is_within(skin.joints[k], skin.skeleton_root); });
    if (outside != tops.end()) {
      add_finding(check.findings, character, "skeleton-root-not-common", check.at_joint(s, *outside),
                  fmt::format("expected a node above all joints, but {} is not above {}",
                              skeleton.label(skin.skeleton_root), check.label(s, *outside)));
    }
  }
  if (is_shown && !character.scenes.empty()) {
    const std::vector<int>& roots = character.scenes[character.scene].roots;
    const auto lost = std::ranges::find_if(trees, [&](const auto& tree) {
      return std::ranges::none_of(roots,
                                  [&](int root) { return check.walk.is_within(skin.joints[tree.second], root); });
    });
    if (lost != trees.end()) {
      add_finding(check.findings, character, "skeleton-outside-scene", check.at_joint(s, lost->second),
                  fmt::format("{} and what hangs on it move a mesh that scene {} shows, but are not in the scene",
                              skeleton.label(lost->first), character.scene));
    }
  }
}

// Two skins may bind their meshes in different spaces, as long as it is the same space for all joints they share.
void check_consistency(const SkeletonCheck& check) {
  const Character& character = check.character;
  struct Bound {
    std::size_t skin;
    std::size_t k;
  };
  const std::vector<double> units = mesh_units(character);
  std::map<int, Bound> first;                                      // of each joint
  std::map<std::pair<std::size_t, std::size_t>, glm::dmat4> from;  // space of the second skin's mesh in the first's
  std::map<std::pair<std::size_t, std::size_t>, char> told;
  for (std::size_t s = 0; s < character.skins.size(); ++s) {
    const Skin& skin = character.skins[s];
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      if (singular_bind(skin, k)) {
        continue;
      }
      const auto [entry, is_new] = first.try_emplace(skin.joints[k], Bound{s, k});
      const Bound& other = entry->second;
      if (is_new || other.skin == s) {
        continue;
      }
      const glm::dmat4 between = glm::inverse(glm::dmat4(character.skins[other.skin].joint_from_mesh[other.k])) *
                                 glm::dmat4(skin.joint_from_mesh[k]);
      const auto [known, is_first] = from.try_emplace({other.skin, s}, between);
      // Relative, so that it does not matter which unit a mesh is stored in.
      const glm::dmat4 off = between * glm::inverse(known->second);
      const double difference = check.difference(off, glm::dmat4(1.0));
      if (!is_first && difference > kSameMatrix && told.try_emplace({other.skin, s}, 1).second) {
        const glm::dvec3 here(glm::inverse(glm::dmat4(skin.joint_from_mesh[k]))[3]);
        const glm::dvec3 there(glm::inverse(glm::dmat4(character.skins[other.skin].joint_from_mesh[other.k]))[3]);
        const double distance = glm::length(glm::dvec3(known->second * glm::dvec4(here, 1)) - there);
        add_finding(
            check.findings, character, "inverse-bind-inconsistent", check.at_joint(s, k),
            fmt::format(
                "{} is bound otherwise than in skin {}, {} away from where the first joint that both have would "
                "put it{}",
                check.label(s, k), other.skin, length_text(units[other.skin] * distance),
                distance > kSamePlace * check.size ? "" : " but turned or scaled"));
      }
    }
  }
}

void check_mesh_nodes(const SkeletonCheck& check) {
  const Character& character = check.character;
  std::size_t count = 0;
  std::size_t moved = 0;
  const MeshNode* first = nullptr;
  for (const MeshNode& node : character.mesh_nodes) {
    count += node.skin >= 0 ? 1U : 0U;
    const glm::dmat4 world(check.world[node.joint]);
    if (node.skin >= 0 && check.difference(world, glm::dmat4(1.0)) > kSameMatrix) {
      first = moved++ == 0 ? &node : first;
    }
  }
  if (first != nullptr) {
    add_finding(check.findings, character, "mesh-node-transform",
                {.node = character.skeleton->source_node[first->joint], .mesh = first->mesh, .skin = first->skin},
                fmt::format("{} of {} nodes that carry a skinned mesh have a world transform other than identity, the "
                            "first this one; it is ignored",
                            moved, count));
  }
}

}  // namespace

void check_skeleton(const Character& character, Findings& findings) {
  if (character.skins.empty()) {
    return;
  }
  const RestSkeleton rest(character);
  SkeletonCheck check{character, findings, rest.world, rest.walk, rest.size};
  std::vector<char> shown(character.skins.size(), 0);
  for (const Part& part : character.parts) {
    if (part.skin >= 0) {
      shown[part.skin] = 1;
    }
  }
  check_bind_fit(character, rest, findings);
  std::set<std::vector<int>> seen;
  for (std::size_t s = 0; s < character.skins.size(); ++s) {
    const std::vector<int>& parents = rest.parents[s];
    check_missing_binds(check, s);
    check_repeated_joints(check, s);
    check_roots(check, s, parents, shown[s] != 0);
    // Skins of the same joints have the same rest pose and, unless that is told, the same bind pose.
    if (seen.insert(character.skins[s].joints).second) {
      check_shear(check, s, parents);
      check_scales(check, s, parents);
      check_lengths(check, s, parents);
    }
  }
  check_consistency(check);
  check_mesh_nodes(check);
}

}  // namespace pelt::rig
