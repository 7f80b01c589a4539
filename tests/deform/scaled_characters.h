#pragma once

#include <array>
#include <string_view>
#include <vector>

#include <glm/glm.hpp>

#include "support/fixtures.h"

// Characters in a pose, and the same ones in other units.

namespace pelt::test {

struct PosedCharacter {
  rig::Character character;
  rig::Pose pose;
};

inline constexpr int kLimbJoints = 6;

/// A tapering tube on a chain of joints, closed and with a bump, so that nothing about it is symmetric; weights of up
/// to three joints, tangents along it, and beside it a small box on two joints of its own: a second root. Normals are
/// those of its triangles.
inline rig::Character limb() {
  constexpr int kRings = 37;
  constexpr int kAround = 12;
  rig::Character character;
  character.name = "limb";
  std::vector<int> joints;
  for (int j = 0; j < kLimbJoints; ++j) {
    const Transform rest = {
        .translation = j == 0 ? glm::vec3(0.3f, 0.2f, -0.1f) : glm::vec3(0.05f, 0.31f, 0.02f * static_cast<float>(j)),
        .rotation = glm::angleAxis(0.2f * static_cast<float>(j), glm::normalize(glm::vec3(1, 2, 0.5f)))};
    joints.push_back(add_node(character, "limb_" + std::to_string(j), j - 1, rest));
  }
  const int side = add_node(character, "side_0", -1, {.translation = {1.5f, 0.5f, 0.25f}});
  joints.push_back(side);
  joints.push_back(add_node(character, "side_1", side, {.translation = {0, 0.4f, 0}}));

  std::vector<glm::mat4> local;
  for (const Transform& rest : character.skeleton->rest) {
    local.push_back(to_matrix(rest));
  }
  std::vector<glm::mat4> world(local.size());
  rig::local_to_world<float>(character.skeleton->parent, local, world);

  mesh::Primitive primitive;
  const auto add_tube = [&](int first_joint, int joint_count, int rings, float radius) {
    const auto begin = static_cast<std::uint32_t>(primitive.positions.size());
    for (int i = 0; i < rings; ++i) {
      const float along = static_cast<float>(i) / static_cast<float>(rings - 1) * static_cast<float>(joint_count - 1);
      const int below = std::min(static_cast<int>(along), joint_count - 2);
      const float share = along - static_cast<float>(below);
      const auto place = [&](int j) { return glm::vec3(world[first_joint + j][3]); };
      const glm::vec3 center = glm::mix(place(below), place(below + 1), share);
      const glm::vec3 axis = glm::normalize(place(below + 1) - place(below));
      const glm::vec3 u = glm::normalize(glm::cross(axis, glm::vec3(0.3f, 0, 1)));
      const glm::vec3 w = glm::cross(axis, u);
      for (int k = 0; k < kAround; ++k) {
        const float angle = 2 * std::numbers::pi_v<float> * static_cast<float>(k) / kAround;
        const float r = radius * (1.2f - 0.1f * along + (k == 3 && i % 4 == 1 ? 0.3f : 0.0f)) *
                        (i == 0 || i == rings - 1 ? 0.4f : 1.0f);
        primitive.positions.push_back(center + (u * std::cos(angle) + w * std::sin(angle)) * r);
        primitive.tangents.emplace_back(axis, k % 2 == 0 ? 1.0f : -1.0f);
        std::vector<std::uint16_t> row;
        std::vector<float> weights;
        for (int j = 0; j < joint_count; ++j) {
          const float distance = std::abs(along - static_cast<float>(j)) + 0.01f * static_cast<float>(k);
          if (distance < 1.4f) {
            row.push_back(static_cast<std::uint16_t>(first_joint + j));
            weights.push_back((1.4f - distance) * (1.4f - distance));
          }
        }
        mesh::append_row(primitive.influences.edit(), row, weights);
      }
    }
    for (int i = 0; i + 1 < rings; ++i) {
      for (int k = 0; k < kAround; ++k) {
        const auto at = [&](int ring, int around) {
          return begin + static_cast<std::uint32_t>(ring * kAround + around % kAround);
        };
        primitive.indices.append({at(i, k), at(i, k + 1), at(i + 1, k), at(i, k + 1), at(i + 1, k + 1), at(i + 1, k)});
      }
    }
    for (int k = 1; k + 1 < kAround; ++k) {
      const auto last = begin + static_cast<std::uint32_t>((rings - 1) * kAround);
      const auto at = static_cast<std::uint32_t>(k);
      primitive.indices.append({begin, begin + at + 1, begin + at, last, last + at, last + at + 1});
    }
  };
  add_tube(0, kLimbJoints, kRings, 0.12f);
  add_tube(kLimbJoints, 2, 9, 0.1f);
  std::vector<glm::dvec3> normals(primitive.positions.size(), glm::dvec3(0.0));
  for (std::size_t t = 0; t < primitive.indices.size(); t += 3) {
    const auto corner = [&](std::size_t i) { return glm::dvec3(primitive.positions[primitive.indices[t + i]]); };
    for (std::size_t i = 0; i < 3; ++i) {
      normals[primitive.indices[t + i]] += glm::cross(corner(1) - corner(0), corner(2) - corner(0));
    }
  }
  for (const glm::dvec3& normal : normals) {
    primitive.normals.emplace_back(glm::normalize(normal));
  }
  add_skinned_mesh(character, "limb", std::move(joints), std::move(primitive));
  rig::finish(character);
  return character;
}

/// The limb bent; the limb with two joints scaled as well, one of them with what hangs on it; random joints.
inline std::vector<PosedCharacter> posed_characters() {
  std::vector<PosedCharacter> out;
  Random random(15);
  const rig::Character plain = limb();
  out.push_back({plain, random_pose(plain, random, 0.6, 0.02f)});
  rig::Character scaled = plain;
  scaled.name = "limb with scaled joints";
  rig::Pose pose = random_pose(plain, random, 0.6, 0.02f);
  pose.local[2].scale = glm::vec3(1.6f);
  pose.local[4].scale = glm::vec3(0.7f, 1.3f, 1.1f);
  out.push_back({scaled, pose});
  return out;
}

/// All of a character `scale` times as large: mesh, binding, joints and pose.
inline PosedCharacter similar(const PosedCharacter& subject, float scale) {
  PosedCharacter out = subject;
  for (mesh::Mesh& mesh : out.character.meshes.edit_each()) {
    for (mesh::Primitive& primitive : mesh.primitives.edit_each()) {
      for (glm::vec3& p : primitive.positions.edit()) {
        p *= scale;
      }
    }
  }
  for (rig::Skin& skin : out.character.skins.edit_each()) {
    for (glm::mat4& m : skin.joint_from_mesh) {
      m[3] = glm::vec4(glm::vec3(m[3]) * scale, 1.0f);
    }
  }
  for (Transform& rest : out.character.skeleton.edit().rest) {
    rest.translation *= scale;
  }
  for (Transform& local : out.pose.local) {
    local.translation *= scale;
  }
  return out;
}

/// Nodes without a parent scaled about the first one's place, in rest and pose; mesh and binding as they were.
inline PosedCharacter under_scaled_root(const PosedCharacter& subject, float scale) {
  PosedCharacter out = subject;
  const auto put = [&](std::vector<Transform>& locals, const std::vector<Transform>& from) {
    for (std::size_t j = 0; j < locals.size(); ++j) {
      if (subject.character.skeleton->parent[j] < 0) {
        locals[j].scale = from[j].scale * scale;
        locals[j].translation = from[0].translation + (from[j].translation - from[0].translation) * scale;
      }
    }
  };
  put(out.character.skeleton.edit().rest, subject.character.skeleton->rest);
  put(out.pose.local, subject.pose.local);
  return out;
}

/// What a mesh is stored in: stored = scale * p + offset.
struct Units {
  const char* name;
  glm::vec3 scale;
  glm::vec3 offset;
  [[nodiscard]] bool uniform() const { return scale.x == scale.y && scale.y == scale.z; }
};
inline const std::array<Units, 4> kUnits = {
    {{"centimetres", glm::vec3(100.0f), glm::vec3(0.0f)},
     {"a unit box", glm::vec3(0.37f), glm::vec3(0.3f, 0.25f, 0.4f)},
     {"a flat box", glm::vec3(0.8f, 0.5f, 1.7f), glm::vec3(0.3f, -0.2f, 0.1f)},
     {"a flat box of centimetres", glm::vec3(90, 250, 120), glm::vec3(-30, 20, 5)}}};

/// The mesh in other units, with inverse bind matrices that undo them.
inline PosedCharacter in_units(const PosedCharacter& subject, const Units& units) {
  PosedCharacter out = subject;
  for (mesh::Mesh& mesh : out.character.meshes.edit_each()) {
    for (mesh::Primitive& primitive : mesh.primitives.edit_each()) {
      for (glm::vec3& p : primitive.positions.edit()) {
        p = glm::vec3(glm::dvec3(p) * glm::dvec3(units.scale) + glm::dvec3(units.offset));
      }
      for (glm::vec3& n : primitive.normals.edit()) {
        n = glm::vec3(glm::normalize(glm::dvec3(n) / glm::dvec3(units.scale)));
      }
      for (glm::vec4& t : primitive.tangents.edit()) {
        t = glm::vec4(glm::vec3(glm::normalize(glm::dvec3(t) * glm::dvec3(units.scale))), t.w);
      }
    }
  }
  glm::dmat4 mesh_from_stored(1.0);
  for (int c = 0; c < 3; ++c) {
    mesh_from_stored[c][c] = 1.0 / static_cast<double>(units.scale[c]);
    mesh_from_stored[3][c] = -static_cast<double>(units.offset[c]) / static_cast<double>(units.scale[c]);
  }
  for (rig::Skin& skin : out.character.skins.edit_each()) {
    for (glm::mat4& m : skin.joint_from_mesh) {
      m = glm::mat4(glm::dmat4(m) * mesh_from_stored);
    }
  }
  return out;
}

}  // namespace pelt::test
