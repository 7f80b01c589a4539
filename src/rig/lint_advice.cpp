// The practical rules of ALGORITHMS.md §53. All of them are information: a character may well be meant so.

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <glm/gtc/quaternion.hpp>

#include "rig/joint_matching.h"
#include "rig/kinematics.h"
#include "rig/lint_checks.h"

namespace pelt::rig {
namespace {

constexpr double kOffGround = 0.02;   // of the height
constexpr double kOffCentre = 0.02;   // of the height
constexpr double kStraight = 3;       // degrees between upper and lower arm
constexpr double kTogether = 3;       // degrees between the first and the last finger
constexpr std::size_t kPalette = 64;  // joints
constexpr std::size_t kRigidTriangles = 1000;
constexpr double kWideTurn = 150;      // degrees from the bind pose
constexpr float kSharedWeight = 0.1f;  // of a vertex that follows both joints
constexpr std::size_t kBodyPairs = 2;  // of joints with a partner, so that the character has a left and a right

/// What the checks share.
struct Practice {
  const Character& character;
  Findings& findings;
  std::vector<glm::mat4> world;                               ///< rest pose
  std::vector<std::string> roles;                             ///< [J] of a human body
  std::vector<std::vector<std::optional<glm::dvec3>>> heads;  ///< [S][joints] where they were bound, mesh space

  /// The skin and place in its list of the joint of that role; none where no skin lists it.
  struct Listed {
    std::size_t skin = 0, k = 0;
  };
  [[nodiscard]] std::optional<Listed> find(std::string_view role) const {
    for (std::size_t s = 0; s < character.skins.size(); ++s) {
      for (std::size_t k = 0; k < character.skins[s].joints.size(); ++k) {
        if (roles[character.skins[s].joints[k]] == role && heads[s][k]) {
          return Listed{s, k};
        }
      }
    }
    return std::nullopt;
  }
  [[nodiscard]] const glm::dvec3& head(const Listed& at) const { return *heads[at.skin][at.k]; }
  [[nodiscard]] LintPlace place(const Listed& at) const {
    return {.node = character.skeleton->source_node[character.skins[at.skin].joints[at.k]],
            .skin = static_cast<int>(at.skin),
            .joint = static_cast<int>(at.k)};
  }
  /// The direction from one joint of that role to another in the bind pose; zero where they are not known.
  [[nodiscard]] glm::dvec3 direction(const std::string& from, const std::string& to) const {
    const std::optional<Listed> a = find(from);
    const std::optional<Listed> b = find(to);
    const glm::dvec3 along = a && b && a->skin == b->skin ? head(*b) - head(*a) : glm::dvec3(0);
    return glm::length(along) > 0 ? glm::normalize(along) : glm::dvec3(0);
  }
};

double degrees_between(const glm::dvec3& a, const glm::dvec3& b) {
  return glm::degrees(std::atan2(glm::length(glm::cross(a, b)), glm::dot(a, b)));
}

/// What skinned parts span in the rest pose, linear blending.
Bounds standing_bounds(const Practice& practice) {
  const Character& character = practice.character;
  Bounds bounds;
  std::vector<glm::mat4> matrices;
  for (const Part& part : character.parts) {
    const mesh::Primitive& primitive = character.primitive(part);
    const mesh::Influences& rows = primitive.influences;
    if (part.skin < 0 || rows.empty()) {
      continue;
    }
    const Skin& skin = character.skins[part.skin];
    matrices.resize(skin.joints.size());
    skin_matrices(skin, practice.world, matrices);
    for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
      glm::vec4 position(0.0f);
      const mesh::InfluenceRow row = rows.row(v);
      for (std::size_t i = 0; i < row.joints.size(); ++i) {
        position += row.weights[i] * (matrices[row.joints[i]] * glm::vec4(primitive.positions[v], 1.0f));
      }
      if (rows.count(v) > 0) {
        bounds.add(glm::vec3(position));
      }
    }
  }
  return bounds;
}

// A body that stands: on the ground, in the middle between its left and its right.
void check_standing(const Practice& practice) {
  const Character& character = practice.character;
  const std::vector<int> mirrored = mirrored_joints(character.skeleton);
  std::size_t pairs = 0;
  double middle = 0;
  double apart = 0;
  for (const Skin& skin : character.skins) {
    for (const int j : skin.joints) {
      if (const int other = mirrored[j]; other > j) {
        const glm::dvec3 here(practice.world[j][3]);
        const glm::dvec3 there(practice.world[other][3]);
        middle += 0.5 * (here.x + there.x);
        apart += std::abs(here.x - there.x) - std::abs(here.z - there.z);
        ++pairs;
      }
    }
  }
  const Bounds bounds = standing_bounds(practice);
  if (pairs < kBodyPairs || bounds.empty()) {
    return;
  }
  const double height = static_cast<double>(bounds.upper.y) - static_cast<double>(bounds.lower.y);
  if (std::abs(static_cast<double>(bounds.lower.y)) > kOffGround * height) {
    add_finding(practice.findings, character, "off-ground", {},
                fmt::format("the lowest point of the skin is at y = {}, expected 0; it is {} high",
                            length_text(static_cast<double>(bounds.lower.y)), length_text(height)));
  }
  middle /= static_cast<double>(pairs);
  // Of a body that looks along x, what lies across is z; glTF wants it to look along z.
  if (apart > 0 && std::abs(middle) > kOffCentre * height) {
    add_finding(practice.findings, character, "off-centre", {},
                fmt::format("the middle between left and right joints is at x = {}, expected 0", length_text(middle)));
  }
}

void check_arms(const Practice& practice) {
  for (const char* side : {"left", "right"}) {
    const std::string prefix(side);
    const glm::dvec3 upper = practice.direction(prefix + "UpperArm", prefix + "LowerArm");
    const glm::dvec3 lower = practice.direction(prefix + "LowerArm", prefix + "Hand");
    if (glm::length(upper) > 0 && glm::length(lower) > 0 && degrees_between(upper, lower) < kStraight) {
      const std::optional<Practice::Listed> elbow = practice.find(prefix + "LowerArm");
      add_finding(practice.findings, practice.character, "straight-elbow", practice.place(*elbow),
                  fmt::format("the {} elbow is bent by {:.2g} degrees in the bind pose, expected {:g} or more", side,
                              degrees_between(upper, lower), kStraight));
    }
    const glm::dvec3 index = practice.direction(prefix + "Index1", prefix + "Index2");
    const glm::dvec3 little = practice.direction(prefix + "Little1", prefix + "Little2");
    if (glm::length(index) > 0 && glm::length(little) > 0 && degrees_between(index, little) < kTogether) {
      const std::optional<Practice::Listed> finger = practice.find(prefix + "Index1");
      add_finding(practice.findings, practice.character, "closed-fingers", practice.place(*finger),
                  fmt::format("the first and the last finger of the {} hand stand {:.2g} degrees apart in the bind "
                              "pose, expected {:g} or more",
                              side, degrees_between(index, little), kTogether));
    }
  }
}

void check_sizes(const Practice& practice) {
  const Character& character = practice.character;
  for (std::size_t s = 0; s < character.skins.size(); ++s) {
    const std::vector<int>& joints = character.skins[s].joints;
    const auto same = [&](const Skin& earlier) { return earlier.joints == joints; };
    if (joints.size() > kPalette &&
        std::none_of(character.skins.begin(), character.skins.begin() + static_cast<std::ptrdiff_t>(s), same)) {
      add_finding(practice.findings, character, "many-joints", {.skin = static_cast<int>(s)},
                  fmt::format("it has {} joints, expected at most {}", joints.size(), kPalette));
    }
  }
  for (const SkinnedMesh& use : skinned_meshes(character)) {
    const mesh::Mesh& mesh = character.meshes[use.mesh];
    std::size_t triangles = 0;
    std::size_t straddling = 0;
    bool is_rigid = true;
    for (const mesh::Primitive& primitive : mesh.primitives) {
      const mesh::Influences& rows = primitive.influences;
      is_rigid = is_rigid && !rows.empty() && rows.max_count() == 1;
      for (std::size_t t = 0; t < primitive.triangle_count() && is_rigid; ++t) {
        ++triangles;
        const auto joint = [&](std::size_t i) {
          const std::uint32_t v = primitive.indices[3 * t + i];
          return rows.count(v) > 0 ? static_cast<int>(rows.joints(v)[0]) : -1;
        };
        straddling += joint(0) != joint(1) || joint(1) != joint(2) ? 1U : 0U;
      }
    }
    if (is_rigid && triangles > kRigidTriangles && straddling > 0) {
      add_finding(practice.findings, character, "rigid-binding", {.mesh = use.mesh, .skin = use.skin},
                  fmt::format("each vertex follows one joint alone, and {} of {} triangles have corners on several; "
                              "expected at most {} triangles, or smooth weights",
                              straddling, triangles, kRigidTriangles));
    }
  }
}

/// [skeleton index] For joints that share vertices with the joint above, its rotation against that joint in the bind
/// pose.
std::vector<std::optional<glm::dquat>> bound_turns(const Character& character) {
  std::vector<std::optional<glm::dquat>> out(character.skeleton->parent.size());
  for (const SkinnedMesh& use : skinned_meshes(character)) {
    const Skin& skin = character.skins[use.skin];
    std::vector<int> slot(character.skeleton->parent.size(), -1);
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      slot[skin.joints[k]] = static_cast<int>(k);
    }
    const auto slot_above = [&](std::size_t k) {
      const int up = character.skeleton->parent[skin.joints[k]];
      return up < 0 ? -1 : slot[up];
    };
    std::vector<char> shares(skin.joints.size(), 0);
    for (const mesh::Primitive& primitive : character.meshes[use.mesh].primitives) {
      const mesh::Influences& rows = primitive.influences;
      for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
        const mesh::InfluenceRow row = rows.row(v);
        for (std::size_t i = 0; i < row.joints.size(); ++i) {
          for (std::size_t other = 0; other < row.joints.size(); ++other) {
            if (row.weights[i] >= kSharedWeight && row.weights[other] >= kSharedWeight &&
                slot_above(row.joints[i]) == static_cast<int>(row.joints[other])) {
              shares[row.joints[i]] = 1;
            }
          }
        }
      }
    }
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      bool singular = false;
      const glm::mat4 mesh_from_joint = affine_inverse(skin.joint_from_mesh[k], &singular);
      if (shares[k] == 0 || singular || out[skin.joints[k]]) {
        continue;
      }
      const glm::mat4 local = skin.joint_from_mesh[slot_above(k)] * mesh_from_joint;
      if (glm::determinant(glm::mat3(local)) > 0) {  // a mirrored joint has no rotation to compare with
        out[skin.joints[k]] = glm::dquat(decompose(local).transform.rotation);
      }
    }
  }
  return out;
}

void check_turns(const Practice& practice) {
  const Character& character = practice.character;
  const std::vector<std::optional<glm::dquat>> bound = bound_turns(character);
  for (std::size_t c = 0; c < character.clips.size(); ++c) {
    const Clip& clip = character.clips[c];
    double widest = 0;
    std::size_t joints = 0;
    LintPlace place;
    std::string what;
    for (std::size_t i = 0; i < clip.channels.size(); ++i) {
      const Channel& channel = clip.channels[i];
      const std::optional<glm::dquat>& rest = bound[channel.joint];
      if (channel.path != ChannelPath::kRotation || !rest) {
        continue;
      }
      double own = 0;
      std::size_t worst = 0;
      const bool cubic = channel.interpolation == Interpolation::kCubicSpline;
      for (std::size_t f = 0; f < channel.times.size(); ++f) {
        const float* q = channel.values.data() + f * (cubic ? 12 : 4) + (cubic ? 4 : 0);
        const glm::dquat key = normalized_or_identity(quat_xyzw<double>(q[0], q[1], q[2], q[3]));
        const double turn = glm::degrees(2 * std::acos(std::min(std::abs(glm::dot(key, *rest)), 1.0)));
        if (turn > own) {
          own = turn;
          worst = f;
        }
      }
      joints += own > kWideTurn ? 1U : 0U;
      if (own > kWideTurn && own > widest) {
        widest = own;
        place = {.node = character.skeleton->source_node[channel.joint],
                 .clip = static_cast<int>(c),
                 .channel = static_cast<int>(i)};
        what = fmt::format("{} by {:.0f} degrees at {:.4g} s", character.skeleton->label(channel.joint), own,
                           channel.times[worst]);
      }
    }
    if (joints > 0) {
      add_finding(practice.findings, character, "wide-turn", std::move(place),
                  fmt::format("{} further than {:g} degrees from the bind pose, most of all {}",
                              joints == 1 ? "1 joint turns" : fmt::format("{} joints turn", joints), kWideTurn, what));
    }
  }
}

}  // namespace

void check_advice(const Character& character, Findings& findings) {
  if (character.skins.empty()) {
    return;
  }
  WorldMatrices world;
  world.evaluate(character.skeleton, rest_pose(character));
  Practice practice{character, findings, world.world(), human_roles(named_joints(character)), {}};
  for (const Skin& skin : character.skins) {
    practice.heads.push_back(bound_heads(skin));
  }
  check_standing(practice);
  check_arms(practice);
  check_sizes(practice);
  check_turns(practice);
}

}  // namespace pelt::rig
