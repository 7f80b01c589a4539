#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "characters.h"
#include "core/file.h"
#include "gltf/export.h"
#include "gltf/import.h"
#include "mesh/measures.h"
#include "rig/kinematics.h"
#include "support/fixtures.h"

namespace pelt {
namespace {

using ::testing::IsEmpty;

std::string committed_path(std::string_view name) {
  return std::string(PELT_SOURCE_DIR) + "/assets/" + std::string(name) + ".glb";
}

rig::Character load(std::string_view name) {
  Result<rig::Character> character = gltf::import_file(committed_path(name));
  EXPECT_TRUE(character.has_value()) << character.error().message;
  return character ? std::move(*character) : rig::Character{};
}

/// Lowest and highest point of a pose.
std::pair<glm::vec3, glm::vec3> bounds(const rig::Character& character, const rig::Pose& pose) {
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  glm::vec3 low(1e9f);
  glm::vec3 high(-1e9f);
  for (const rig::MeshNode& node : character.mesh_nodes) {
    std::vector<glm::mat4> matrices(1, world[node.joint]);
    if (node.skin >= 0) {
      const rig::Skin& skin = character.skins[node.skin];
      matrices.resize(skin.joints.size());
      rig::skin_matrices(skin, world.world(), matrices);
    }
    for (const mesh::Primitive& p : character.meshes[node.mesh].primitives) {
      for (std::size_t v = 0; v < p.vertex_count(); ++v) {
        glm::vec3 at(0.0f);
        if (node.skin < 0) {
          at = glm::vec3(matrices[0] * glm::vec4(p.positions[v], 1));
        } else {
          const mesh::InfluenceRow row = p.influences->row(v);
          for (std::size_t i = 0; i < row.joints.size(); ++i) {
            at += row.weights[i] * glm::vec3(matrices[row.joints[i]] * glm::vec4(p.positions[v], 1));
          }
        }
        low = glm::min(low, at);
        high = glm::max(high, at);
      }
    }
  }
  return {low, high};
}

class Bundled : public ::testing::TestWithParam<std::string_view> {};

TEST_P(Bundled, IsWhatItsCodeMakes) {
  const auto characters = assets::bundled_characters();
  const auto entry =
      std::find_if(characters.begin(), characters.end(), [](const auto& e) { return e.name == GetParam(); });
  ASSERT_NE(entry, characters.end());
  const auto made = gltf::export_glb(entry->make());
  ASSERT_TRUE(made.has_value()) << made.error().message;
  const Result<std::string> committed = read_file(committed_path(GetParam()));
  ASSERT_TRUE(committed.has_value()) << committed.error().message;
  ASSERT_EQ(made->size(), committed->size()) << "run pelt_generate_assets assets";
  EXPECT_TRUE(std::equal(made->begin(), made->end(), committed->begin(), [](std::uint8_t a, char b) {
    return a == static_cast<std::uint8_t>(b);
  })) << "run pelt_generate_assets assets";
}

TEST_P(Bundled, ReadsWithoutFindings) {
  const rig::Character character = load(GetParam());
  for (const Diagnostic& d : character.diagnostics) {
    ADD_FAILURE() << d.code << ": " << d.place << ": " << d.message;
  }
  EXPECT_LT(rig::rest_bind_difference(character), 1e-5f);
}

TEST_P(Bundled, RestPoseLiesWithinTheLimitsOfItsDofs) {
  const rig::Character character = load(GetParam());
  const rig::Skeleton& s = character.skeleton;
  int authored = 0;
  for (std::size_t j = 0; j < s.parent.size(); ++j) {
    authored += s.dofs[j].authored ? 1 : 0;
    const std::vector<float> values = rig::dofs_from_local(s.dofs[j], s.rest[j]);
    std::vector<float> clamped = values;
    rig::clamp_to_limits(s.dofs[j], clamped);
    for (std::size_t d = 0; d < values.size(); ++d) {
      EXPECT_NEAR(values[d], clamped[d], 1e-4f) << s.name[j] << "." << s.dofs[j].dofs[d].name;
    }
    const Transform again = rig::local_from_dofs(s.dofs[j], clamped);
    EXPECT_GT(std::abs(glm::dot(again.rotation, s.rest[j].rotation)), 1 - 1e-6f) << s.name[j];
    EXPECT_LT(glm::distance(again.translation, s.rest[j].translation), 1e-5f) << s.name[j];
  }
  EXPECT_GT(authored, 0);
}

TEST_P(Bundled, EveryClipLoopsAndKeepsToTheLimits) {
  const rig::Character character = load(GetParam());
  const rig::Skeleton& s = character.skeleton;
  ASSERT_FALSE(character.clips.empty());
  for (const rig::Clip& clip : character.clips) {
    rig::Pose first = rig::rest_pose(character);
    rig::Pose last = first;
    rig::apply(clip, clip.start, character.morph_offset, first);
    rig::apply(clip, clip.end, character.morph_offset, last);
    for (std::size_t j = 0; j < first.local.size(); ++j) {
      EXPECT_GT(std::abs(glm::dot(first.local[j].rotation, last.local[j].rotation)), 1 - 1e-6f) << clip.name;
      EXPECT_LT(glm::distance(first.local[j].translation, last.local[j].translation), 1e-6f) << clip.name;
    }
    EXPECT_EQ(first.morph_weights, last.morph_weights);
    for (int k = 0; k <= 24; ++k) {
      rig::Pose pose = rig::rest_pose(character);
      rig::apply(clip, clip.start + clip.duration() * static_cast<float>(k) / 24, character.morph_offset, pose);
      for (std::size_t j = 0; j < pose.local.size(); ++j) {
        if (!s.dofs[j].authored) {
          continue;
        }
        std::vector<float> values = rig::dofs_from_local(s.dofs[j], pose.local[j]);
        rig::clamp_to_limits(s.dofs[j], values);
        const Transform clamped = rig::local_from_dofs(s.dofs[j], values);
        // Between two keys an interpolated rotation leaves the DOFs of a hinge pair by a trifle.
        EXPECT_GT(std::abs(glm::dot(clamped.rotation, pose.local[j].rotation)), 1 - 1e-4f)
            << clip.name << " moves " << s.name[j] << " beyond its limits";
      }
    }
  }
}

TEST_P(Bundled, SurfacesAreSound) {
  const rig::Character character = load(GetParam());
  for (const mesh::Mesh& mesh : character.meshes) {
    double volume = 0;
    for (const mesh::Primitive& p : mesh.primitives) {
      EXPECT_LT(p.material, static_cast<int>(character.materials.size()));
      EXPECT_GE(p.material, 0);
      ASSERT_EQ(p.normals.size(), p.vertex_count());
      for (std::size_t v = 0; v < p.vertex_count(); ++v) {
        EXPECT_NEAR(glm::length(p.normals[v]), 1.0f, 1e-5f);
      }
      volume += mesh::signed_volume(p.positions, p.indices);
      // A primitive may be a patch of the mesh's surface: it faces where its normals point.
      double facing = 0;
      double area = 0;
      for (std::size_t i = 0; i + 2 < p.indices.size(); i += 3) {
        const glm::vec3& a = p.positions[p.indices[i]];
        const glm::vec3 out = glm::cross(p.positions[p.indices[i + 1]] - a, p.positions[p.indices[i + 2]] - a);
        const glm::vec3 sum = p.normals[p.indices[i]] + p.normals[p.indices[i + 1]] + p.normals[p.indices[i + 2]];
        facing += static_cast<double>(glm::dot(out, sum / 3.0f));
        area += static_cast<double>(glm::length(out));
      }
      EXPECT_GT(facing, 0.5 * area) << mesh.name << ", material " << p.material;
      for (std::size_t v = 0; v < p.influences->vertex_count(); ++v) {
        double sum = 0;
        const mesh::InfluenceRow row = p.influences->row(v);
        for (std::size_t i = 0; i < row.joints.size(); ++i) {
          sum += static_cast<double>(row.weights[i]);
        }
        EXPECT_NEAR(sum, 1.0, 1e-6);
        EXPECT_NEAR(p.influences->stored_sum(v), 1.0f, 1e-6f);
        EXPECT_LE(p.influences->count(v), 4u);
      }
    }
    // Closed surfaces that face outwards.
    EXPECT_GT(volume, 0.0) << mesh.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Characters, Bundled,
                         ::testing::Values("mannequin", "cylinder", "elbow", "tube", "centipede", "robot"),
                         [](const auto& character) { return std::string(character.param); });

TEST(BundledCylinder, IsTheFixtureExactly) {
  const rig::Character character = load("cylinder");
  ASSERT_EQ(character.meshes.size(), 1u);
  const mesh::Primitive& p = character.meshes[0].primitives.at(0);
  const mesh::Primitive expected = test::cylinder_primitive();
  ASSERT_EQ(p.vertex_count(), 1314u);
  ASSERT_EQ(p.triangle_count(), 2624u);
  EXPECT_EQ(p.positions, expected.positions);
  EXPECT_EQ(p.normals, expected.normals);
  EXPECT_EQ(p.indices, expected.indices);
  EXPECT_EQ(flat(p.influences).offset, flat(expected.influences).offset);
  EXPECT_EQ(flat(p.influences).joint, flat(expected.influences).joint);
  EXPECT_EQ(flat(p.influences).weight, flat(expected.influences).weight);
  EXPECT_NEAR(mesh::signed_volume(p.positions, p.indices), 0.031214451523, 1e-8);
}

TEST(BundledCylinder, TwistsAndBendsItsTip) {
  const rig::Character character = load("cylinder");
  const rig::Skeleton& s = character.skeleton;
  const int tip = s.find("tip");
  ASSERT_GE(tip, 0);
  ASSERT_EQ(s.parent[tip], s.find("root"));
  EXPECT_EQ(s.rest[tip].translation, glm::vec3(0.5f, 0, 0));
  const rig::JointDofs& dofs = s.dofs[tip];
  ASSERT_EQ(dofs.dofs.size(), 2u);
  EXPECT_EQ(dofs.dofs[0].name, "twist");
  EXPECT_EQ(dofs.dofs[0].axis, glm::vec3(1, 0, 0));
  EXPECT_EQ(dofs.dofs[1].name, "bend");
  EXPECT_EQ(dofs.dofs[1].axis, glm::vec3(0, 0, 1));
  for (const rig::Dof& dof : dofs.dofs) {
    EXPECT_FLOAT_EQ(dof.lower, -std::numbers::pi_v<float>);
    EXPECT_FLOAT_EQ(dof.upper, std::numbers::pi_v<float>);
  }
  EXPECT_THAT(s.dofs[0].dofs, ::testing::Not(IsEmpty()));
  EXPECT_EQ(character.clips.at(0).name, "sweep");
}

TEST(BundledElbow, HasTheVertexAndTheHingeOfTheFixture) {
  const rig::Character character = load("elbow");
  const rig::Skeleton& s = character.skeleton;
  const int forearm = s.find("forearm");
  ASSERT_GE(forearm, 0);
  EXPECT_EQ(s.parent[forearm], s.find("upper_arm"));
  EXPECT_EQ(s.rest[forearm].translation, glm::vec3(4, 0, 0));
  const rig::JointDofs& dofs = s.dofs[forearm];
  ASSERT_EQ(dofs.dofs.size(), 1u);
  EXPECT_EQ(dofs.dofs[0].name, "bend");
  EXPECT_EQ(dofs.dofs[0].axis, glm::vec3(0, 0, 1));
  const mesh::Primitive& p = character.meshes.at(0).primitives.at(0);
  const auto a = std::find(p.positions.begin(), p.positions.end(), glm::vec3(3, 1, 0));
  ASSERT_NE(a, p.positions.end());
  const std::size_t v = a - p.positions.begin();
  ASSERT_EQ(p.influences->count(v), 2u);
  EXPECT_EQ(p.influences->joints(v)[0], 0);
  EXPECT_EQ(p.influences->weights(v)[0], 0.8f);
  EXPECT_EQ(p.influences->joints(v)[1], 1);
  EXPECT_EQ(p.influences->weights(v)[1], 0.2f);
}

TEST(BundledCentipede, HasMoreJointsThanOnePaletteHolds) {
  const rig::Character character = load("centipede");
  ASSERT_EQ(character.skins.size(), 1u);
  EXPECT_EQ(character.skins[0].joints.size(), 134u);
  std::size_t vertices = 0;
  for (const mesh::Primitive& p : character.meshes.at(0).primitives) {
    vertices += p.vertex_count();
    EXPECT_GT(p.influences->max_count(), 1u);
  }
  EXPECT_GT(vertices, 8'000u);
  EXPECT_LT(vertices, 16'000u);
  EXPECT_EQ(character.clips.at(0).name, "walk");
}

TEST(BundledCentipede, StandsOnTheGroundAtRestAndWalking) {
  const rig::Character character = load("centipede");
  const auto [low, high] = bounds(character, rig::rest_pose(character));
  EXPECT_NEAR(low.y, 0, 0.002f);
  EXPECT_GT(high.z - low.z, 1.0f);
  const rig::Clip& walk = character.clips.at(0);
  for (int k = 0; k < 20; ++k) {
    rig::Pose pose = rig::rest_pose(character);
    rig::apply(walk, walk.duration() * static_cast<float>(k) / 20, character.morph_offset, pose);
    EXPECT_NEAR(bounds(character, pose).first.y, 0, 0.002f) << k;
  }
}

TEST(BundledRobot, IsMadeOfRigidParts) {
  const rig::Character character = load("robot");
  EXPECT_THAT(character.skins, IsEmpty());
  EXPECT_EQ(character.mesh_nodes.size(), 22u);
  for (const rig::MeshNode& node : character.mesh_nodes) {
    EXPECT_LT(node.skin, 0);
    EXPECT_TRUE(character.skeleton->dofs[node.joint].authored);
  }
  const auto [low, high] = bounds(character, rig::rest_pose(character));
  EXPECT_NEAR(low.y, 0, 1e-4f);
  EXPECT_NEAR(high.y, 1.6f, 0.03f);
  EXPECT_NEAR(low.x, -high.x, 1e-4f);
}

TEST(BundledRobot, WalksOnTheGround) {
  const rig::Character character = load("robot");
  const auto walk = std::find_if(character.clips.begin(), character.clips.end(),
                                 [](const rig::Clip& clip) { return clip.name == "walk"; });
  ASSERT_NE(walk, character.clips.end());
  for (int k = 0; k <= 36; ++k) {
    rig::Pose pose = rig::rest_pose(character);
    rig::apply(*walk, walk->duration() * static_cast<float>(k) / 36, character.morph_offset, pose);
    EXPECT_NEAR(bounds(character, pose).first.y, 0, 0.001f) << k;
  }
}

}  // namespace
}  // namespace pelt
