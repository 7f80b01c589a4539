// VRMC_springBone and its extended colliders: what is read, and what a fault costs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gltf/export.h"
#include "gltf/opened.h"

namespace pelt {
namespace {

using nlohmann::json;
using test::opened;
using test::QuadFile;
using test::remarks;
using testing::ElementsAre;
using testing::IsEmpty;

// A spring over both joints of the quad with a sphere on the first.
QuadFile with_springs(const json& change = json::object()) {
  QuadFile file = test::skinned_quad();
  file.root["extensionsUsed"] = {"VRMC_springBone"};
  json springs = {{"specVersion", "1.0"},
                  {"colliders", {{{"node", 0}, {"shape", {{"sphere", {{"offset", {0, 1, 0}}, {"radius", 0.5}}}}}}}},
                  {"colliderGroups", {{{"colliders", {0}}}}},
                  {"springs",
                   {{{"name", "hair"},
                     {"joints",
                      {{{"node", 0},
                        {"hitRadius", 0.1},
                        {"stiffness", 2},
                        {"gravityPower", 0.5},
                        {"gravityDir", {0, -2, 0}},
                        {"dragForce", 0.25}},
                       {{"node", 1}}}},
                     {"colliderGroups", {0, 0}},
                     {"center", 2}}}}};
  springs.merge_patch(change);
  file.root["extensions"]["VRMC_springBone"] = springs;
  return file;
}

TEST(SpringBones, AreReadWhole) {
  const rig::Character character = opened(with_springs());
  EXPECT_THAT(remarks(character), IsEmpty());
  ASSERT_EQ(character.spring_colliders.size(), 1u);
  EXPECT_EQ(character.spring_colliders[0].joint, 0);
  EXPECT_EQ(character.spring_colliders[0].offset, glm::vec3(0, 1, 0));
  EXPECT_EQ(character.spring_colliders[0].radius, 0.5f);
  EXPECT_FALSE(character.spring_colliders[0].inside);
  ASSERT_EQ(character.spring_bones.size(), 1u);
  const rig::SpringBone& spring = character.spring_bones[0];
  EXPECT_EQ(spring.name, "hair");
  EXPECT_EQ(spring.center, 2);
  EXPECT_THAT(spring.colliders, ElementsAre(0)) << "each once";
  ASSERT_EQ(spring.joints.size(), 2u);
  EXPECT_EQ(spring.joints[0].hit_radius, 0.1f);
  EXPECT_EQ(spring.joints[0].stiffness, 2);
  EXPECT_EQ(spring.joints[0].gravity_power, 0.5f);
  EXPECT_EQ(spring.joints[0].gravity_direction, glm::vec3(0, -1, 0));
  EXPECT_EQ(spring.joints[0].drag, 0.25f);
  EXPECT_EQ(spring.joints[1].joint, 1);
  EXPECT_EQ(spring.joints[1].drag, 0.5f) << "as the specification has it";
}

TEST(SpringBones, TheExtendedShapeWinsOverThePlainOne) {
  const auto collider = [](const json& shape) {
    return opened(with_springs(
        {{"colliders",
          {{{"node", 1},
            {"shape", {{"sphere", {{"radius", 9}}}}},
            {"extensions", {{"VRMC_springBone_extended_collider", {{"specVersion", "1.0"}, {"shape", shape}}}}}}}}}));
  };
  const rig::Character inside = collider({{"capsule", {{"tail", {0, 0, 2}}, {"radius", 0.25}, {"inside", true}}}});
  EXPECT_THAT(remarks(inside), IsEmpty());
  EXPECT_EQ(inside.spring_colliders.at(0).shape, rig::ColliderShape::kCapsule);
  EXPECT_EQ(inside.spring_colliders[0].tail, glm::vec3(0, 0, 2));
  EXPECT_TRUE(inside.spring_colliders[0].inside);
  const rig::Character plane = collider({{"plane", {{"offset", {1, 2, 3}}, {"normal", {0, 3, 0}}}}});
  EXPECT_EQ(plane.spring_colliders.at(0).shape, rig::ColliderShape::kPlane);
  EXPECT_EQ(plane.spring_colliders[0].normal, glm::vec3(0, 1, 0));
  const rig::Character unknown = collider({{"torus", {{"radius", 1}}}});
  EXPECT_EQ(unknown.spring_colliders.at(0).radius, 9) << "the plain one is for whoever does not know the other";
}

TEST(SpringBones, FaultsCostWhatIsFaulty) {
  EXPECT_THAT(
      remarks(with_springs({{"colliders", {{{"node", 7}, {"shape", {{"sphere", json::object()}}}}}}})),
      ElementsAre("extension-value: spring collider 0: VRMC_springBone: node: expected an index below 3, got 7; "
                  "left out"));
  EXPECT_THAT(
      remarks(with_springs({{"colliders", {{{"node", 0}, {"shape", {{"cube", json::object()}}}}}}})),
      ElementsAre("extension-value: spring collider 0: VRMC_springBone: expected a sphere, a capsule or a plane, "
                  "got none; left out"));
  EXPECT_THAT(
      remarks(with_springs({{"colliderGroups", {{{"colliders", {5}}}}}})),
      ElementsAre(
          "extension-value: spring collider group 0: VRMC_springBone: colliders: expected an index below 1, got "
          "5; left out"));
  EXPECT_THAT(remarks(with_springs({{"springs", {{{"joints", {{{"node", 0}}}}}}}})),
              ElementsAre("extension-value: spring 0: VRMC_springBone: expected at least two joints, got 1; left out"));
  EXPECT_THAT(
      remarks(with_springs({{"springs", {{{"joints", {{{"node", 1}}, {{"node", 0}}}}}}}})),
      ElementsAre(
          "extension-value: spring 0, joint 1: VRMC_springBone: it is not below the joint before it; the spring "
          "ends before it",
          "extension-value: spring 0: VRMC_springBone: expected at least two joints, got 1; left out"));
  const auto of_joint = [](const json& joint) {
    return remarks(with_springs({{"springs", {{{"joints", {joint, {{"node", 1}}}}}}}}));
  };
  EXPECT_THAT(
      of_joint({{"node", 0}, {"dragForce", 3}}),
      ElementsAre("extension-value: spring 0, joint 0: VRMC_springBone: dragForce: expected 0 to 1, got 3; 1 is "
                  "used"));
  EXPECT_THAT(
      of_joint({{"node", 0}, {"gravityDir", {1, "x", 0}}}),
      ElementsAre("extension-value: spring 0, joint 0: VRMC_springBone: gravityDir: expected three numbers; the "
                  "default is used"));
}

TEST(SpringBones, AreWrittenAgain) {
  const rig::Character before = opened(with_springs());
  const auto bytes = gltf::export_glb(before);
  ASSERT_TRUE(bytes);
  const auto after = gltf::import_memory(*bytes, {});
  ASSERT_TRUE(after);
  ASSERT_EQ(after->spring_bones.size(), 1u);
  EXPECT_EQ(after->spring_bones[0].joints[0].stiffness, 2);
  EXPECT_EQ(after->spring_colliders.size(), 1u);
}

}  // namespace
}  // namespace pelt
