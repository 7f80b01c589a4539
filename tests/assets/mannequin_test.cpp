#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <glm/gtx/string_cast.hpp>

#include "gltf/import.h"
#include "rig/kinematics.h"

namespace pelt {
namespace {

using ::testing::ElementsAre;

using Key = std::tuple<float, float, float>;

Key key(const glm::vec3& p) {
  return {p.x, p.y, p.z};
}

/// The committed file, and its surface with the seams between materials closed.
class BundledMannequin : public ::testing::Test {
 protected:
  struct Vertex {
    glm::vec3 position{0.0f};
    glm::vec3 normal{0.0f};
    std::map<std::string, float> weights;
    std::vector<glm::vec3> morphs;  ///< per target

    bool operator==(const Vertex&) const = default;
  };

  void SetUp() override {
    Result<rig::Character> read = gltf::import_file(std::string(PELT_SOURCE_DIR) + "/assets/mannequin.glb");
    ASSERT_TRUE(read.has_value()) << read.error().message;
    character_ = std::move(*read);
    ASSERT_EQ(character_.meshes.size(), 1u);
    ASSERT_EQ(character_.skins.size(), 1u);
    for (const mesh::Primitive& p : character_.meshes[0].primitives) {
      std::vector<int> index;
      for (std::size_t v = 0; v < p.vertex_count(); ++v) {
        Vertex vertex = vertex_of(p, v);
        const auto [known, is_new] = ids_.emplace(key(vertex.position), static_cast<int>(vertices_.size()));
        if (is_new) {
          vertices_.push_back(std::move(vertex));
        } else {
          ++seam_vertices_;
          EXPECT_EQ(vertices_[known->second], vertex) << "a seam is open";
        }
        index.push_back(known->second);
      }
      for (std::size_t i = 0; i < p.indices.size(); i += 3) {
        triangles_.push_back({index[p.indices[i]], index[p.indices[i + 1]], index[p.indices[i + 2]]});
      }
    }
  }

  [[nodiscard]] Vertex vertex_of(const mesh::Primitive& p, std::size_t v) const {
    Vertex vertex;
    vertex.position = p.positions[v];
    vertex.normal = p.normals[v];
    const mesh::InfluenceRow row = p.influences->row(v);
    for (std::size_t i = 0; i < row.joints.size(); ++i) {
      const int j = character_.skins[0].joints[row.joints[i]];
      vertex.weights[character_.skeleton->name[j]] = row.weights[i];
    }
    for (const mesh::MorphTarget& target : p.morph_targets) {
      vertex.morphs.push_back(target.position_deltas.empty() ? glm::vec3(0.0f) : target.position_deltas[v]);
    }
    return vertex;
  }

  [[nodiscard]] const rig::Clip& clip(const std::string& name) const {
    return *std::find_if(character_.clips.begin(), character_.clips.end(),
                         [&](const rig::Clip& c) { return c.name == name; });
  }

  [[nodiscard]] rig::WorldMatrices world_at(const rig::Clip& c, float time) const {
    rig::Pose pose = rig::rest_pose(character_);
    rig::apply(c, time, character_.morph_offset, pose);
    rig::WorldMatrices world;
    world.evaluate(character_.skeleton, pose);
    return world;
  }

  [[nodiscard]] float lowest(const rig::WorldMatrices& world) const {
    std::map<std::string, glm::mat4> skin;
    for (std::size_t k = 0; k < character_.skins[0].joints.size(); ++k) {
      const int j = character_.skins[0].joints[k];
      skin[character_.skeleton->name[j]] = world[j] * character_.skins[0].joint_from_mesh[k];
    }
    float y = std::numeric_limits<float>::max();
    for (const Vertex& vertex : vertices_) {
      glm::vec3 p(0.0f);
      for (const auto& [joint, weight] : vertex.weights) {
        p += weight * glm::vec3(skin[joint] * glm::vec4(vertex.position, 1));
      }
      y = std::min(y, p.y);
    }
    return y;
  }

  rig::Character character_;
  std::map<Key, int> ids_;
  std::vector<Vertex> vertices_;
  std::vector<std::array<int, 3>> triangles_;
  int seam_vertices_ = 0;
};

bool of_spine(const std::string& joint) {
  return joint.starts_with("spine") || joint == "hips" || joint == "neck" || joint == "head";
}

/// "index" of "index_02_l", empty for what is no finger.
std::string finger(const std::string& joint) {
  for (const char* name : {"thumb", "index", "middle", "ring", "pinky"}) {
    if (joint.starts_with(name)) {
      return name;
    }
  }
  return "";
}

std::string other_side(std::string joint) {
  if (joint.ends_with("_l") || joint.ends_with("_r")) {
    joint.back() = joint.back() == 'l' ? 'r' : 'l';
  }
  return joint;
}

TEST_F(BundledMannequin, HasTheParts) {
  EXPECT_EQ(character_.skins[0].joints.size(), 56u);
  EXPECT_GE(triangles_.size(), 10'000u);
  EXPECT_LE(triangles_.size(), 20'000u);
  std::vector<std::string> materials;
  for (const mesh::Primitive& p : character_.meshes[0].primitives) {
    materials.push_back(character_.materials.at(p.material).name);
  }
  EXPECT_THAT(materials, ElementsAre("skin", "white cotton", "graphite", "coral", "eyes"));
  EXPECT_THAT(character_.meshes[0].morph_names, ElementsAre("breathe", "biceps_bulge_l", "biceps_bulge_r", "smile"));
  std::vector<std::string> clips;
  for (const rig::Clip& c : character_.clips) {
    clips.push_back(c.name);
  }
  EXPECT_THAT(clips, ElementsAre("idle", "walk", "wave"));
  EXPECT_TRUE(character_.diagnostics.empty());
}

TEST_F(BundledMannequin, IsOneClosedSurfaceWithoutHandles) {
  EXPECT_GT(seam_vertices_, 100);
  std::set<std::pair<int, int>> edges;
  for (const auto& t : triangles_) {
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_TRUE(edges.emplace(t[i], t[(i + 1) % 3]).second) << "an edge is used twice in one direction";
    }
  }
  for (const auto& [a, b] : edges) {
    EXPECT_TRUE(edges.contains({b, a})) << "an edge is open";
  }
  const auto count = [](std::size_t n) { return static_cast<long>(n); };
  EXPECT_EQ(count(vertices_.size()) - count(edges.size() / 2) + count(triangles_.size()), 2);
}

TEST_F(BundledMannequin, IsItsOwnMirrorImage) {
  const std::vector<std::string>& names = character_.meshes[0].morph_names;
  for (const Vertex& vertex : vertices_) {
    const glm::vec3& p = vertex.position;
    const auto found = ids_.find({-p.x, p.y, p.z});
    ASSERT_NE(found, ids_.end());
    const Vertex& image = vertices_[found->second];
    ASSERT_EQ(image.weights.size(), vertex.weights.size());
    for (const auto& [joint, weight] : vertex.weights) {
      const auto there = image.weights.find(other_side(joint));
      ASSERT_NE(there, image.weights.end()) << joint;
      EXPECT_EQ(there->second, weight) << joint;
    }
    for (std::size_t m = 0; m < vertex.morphs.size(); ++m) {
      const auto other = std::ranges::find(names, other_side(names[m]));
      ASSERT_NE(other, names.end());
      EXPECT_EQ(image.morphs[static_cast<std::size_t>(other - names.begin())],
                glm::vec3(-vertex.morphs[m].x, vertex.morphs[m].y, vertex.morphs[m].z));
    }
  }
}

TEST_F(BundledMannequin, LimbsFollowTheirOwnJointsOnly) {
  for (const Vertex& vertex : vertices_) {
    EXPECT_LE(vertex.weights.size(), 4u);
    std::set<std::string> fingers;
    bool beyond_knuckle = false;
    bool spine = false;
    bool forearm = false;
    for (const auto& [joint, weight] : vertex.weights) {
      EXPECT_FALSE(joint.ends_with("_l") && vertex.position.x <= 0) << joint;
      EXPECT_FALSE(joint.ends_with("_r") && vertex.position.x >= 0) << joint;
      if (!finger(joint).empty()) {
        fingers.insert(finger(joint));
        beyond_knuckle = beyond_knuckle || joint.find("_01_") == std::string::npos;
      }
      spine = spine || of_spine(joint);
      forearm = forearm || joint.starts_with("elbow") || joint.starts_with("forearm") || joint.starts_with("wrist");
    }
    EXPECT_FALSE(beyond_knuckle && fingers.size() > 1) << "a finger follows its neighbour";
    EXPECT_FALSE(spine && (forearm || !fingers.empty())) << "an arm follows the spine";
  }
}

TEST_F(BundledMannequin, WeightsChangeGently) {
  // Half of a joint's hold may not be lost within one edge, or bending tears a step into the surface.
  float steepest = 0;
  std::string place;
  for (const auto& t : triangles_) {
    for (std::size_t i = 0; i < 3; ++i) {
      const Vertex& a = vertices_[t[i]];
      const Vertex& b = vertices_[t[(i + 1) % 3]];
      for (const auto& [joint, weight] : a.weights) {
        const auto there = b.weights.find(joint);
        const float lost = std::abs(weight - (there == b.weights.end() ? 0.0f : there->second));
        if (lost > steepest) {
          steepest = lost;
          place = joint + " between " + glm::to_string(a.position) + " and " + glm::to_string(b.position);
        }
      }
    }
  }
  EXPECT_LT(steepest, 0.5f) << place;
  RecordProperty("steepest", std::to_string(steepest));
}

TEST_F(BundledMannequin, MorphTargetsMoveWhatTheyAreNamedFor) {
  std::array<float, 4> largest{};
  for (const Vertex& vertex : vertices_) {
    ASSERT_EQ(vertex.morphs.size(), largest.size());
    for (std::size_t m = 0; m < largest.size(); ++m) {
      const float moved = glm::length(vertex.morphs[m]);
      largest[m] = std::max(largest[m], moved);
      if (moved > 0.001f) {
        const glm::vec3& p = vertex.position;
        const bool in_place = m == 0   ? std::abs(p.x) < 0.22f && p.y > 0.9f && p.y < 1.5f
                              : m <= 2 ? (m == 1 ? p.x : -p.x) > 0.18f && p.y > 1.1f && p.y < 1.45f
                                       : p.y > 1.5f && p.z > 0;
        EXPECT_TRUE(in_place) << "target " << m << " moves a vertex at " << p.x << " " << p.y << " " << p.z;
      }
    }
  }
  for (const float moved : largest) {
    EXPECT_GT(moved, 0.005f);
    EXPECT_LT(moved, 0.025f);
  }
}

TEST_F(BundledMannequin, FeetStayOnTheGround) {
  rig::WorldMatrices rest;
  rest.evaluate(character_.skeleton, rig::rest_pose(character_));
  EXPECT_NEAR(lowest(rest), 0, 0.001f);
  for (const rig::Clip& c : character_.clips) {
    for (int k = 0; k < 25; ++k) {
      const float y = lowest(world_at(c, c.duration() * static_cast<float>(k) / 25));
      EXPECT_GT(y, -0.003f) << c.name << " " << k;
      EXPECT_LT(y, 0.003f) << c.name << " " << k;
    }
  }
}

TEST_F(BundledMannequin, StandingFeetPassWithTheGround) {
  // Walking in place, a flat foot moves backwards at the pace of the walk: 1.12 m/s.
  const rig::Clip& walk = clip("walk");
  for (const auto& [joint, begin] : {std::pair<const char*, float>{"ankle_l", 0.15f}, {"ankle_r", 0.65f}}) {
    const int j = character_.skeleton->find(joint);
    const glm::vec3 first(world_at(walk, begin * walk.duration())[j][3]);
    for (int k = 1; k <= 6; ++k) {
      const float dt = 0.03f * static_cast<float>(k) * walk.duration();
      const glm::vec3 p(world_at(walk, begin * walk.duration() + dt)[j][3]);
      EXPECT_NEAR(p.z, first.z - 1.12f * dt, 0.002f) << joint << " " << k;
      EXPECT_NEAR(p.x, first.x, 0.002f) << joint << " " << k;
      EXPECT_NEAR(p.y, first.y, 0.002f) << joint << " " << k;
    }
  }
  // Standing about, they do not move at all.
  for (const char* name : {"idle", "wave"}) {
    for (const char* joint : {"ankle_l", "ankle_r"}) {
      const int j = character_.skeleton->find(joint);
      const glm::vec3 first(world_at(clip(name), 0)[j][3]);
      for (int k = 1; k < 25; ++k) {
        const float time = clip(name).duration() * static_cast<float>(k) / 25;
        EXPECT_LT(glm::distance(first, glm::vec3(world_at(clip(name), time)[j][3])), 0.001f) << name << " " << joint;
      }
    }
  }
}

}  // namespace
}  // namespace pelt
