#include "render/gpu_rows.h"

#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "deform/skinning_methods.h"
#include "render/gl_test.h"
#include "render/gpu_parity.h"
#include "support/fixtures.h"

namespace pelt::render {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using GpuRowsTest = GlTest;

deform::SkinningSettings direct() {
  return {.method = deform::find_method("ddm")};
}

rig::Pose turned(const rig::Character& character, float angle, const glm::vec3& axis) {
  rig::Pose pose = rig::rest_pose(character);
  pose.local[1].rotation = glm::angleAxis(angle, axis);
  return pose;
}

TEST_F(GpuRowsTest, C24_CylinderEqualsTheCpuAlsoWhereRotationsCancelOut) {
  Parity parity;
  rig::Character character = test::cylinder();
  for (const bool hard : {false, true}) {
    mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
    if (hard) {
      primitive.influences = mesh::limit_influences(primitive.influences, 1);
      parity.replace_character();
    }
    for (const glm::vec3 axis : {glm::vec3(1, 0, 0), glm::vec3(0, 0, 1)}) {
      for (const float angle : {0.0f, 1.5f, 3.0f, std::numbers::pi_v<float>}) {
        for (const float alpha : {0.0f, 0.8f, 1.0f}) {
          deform::SkinningSettings settings = direct();
          settings.parameters.direct_alpha = alpha;
          parity.expect_equal(character, turned(character, angle, axis), settings, fmt::format("{} {}", angle, alpha));
          EXPECT_EQ(parity.character().path(0), VertexPath::kSkinned);
        }
      }
    }
  }
}

TEST_F(GpuRowsTest, WhatTheShaderAloneReadsUploadsNoGeometry) {
  Parity parity;
  const rig::Character character = test::cylinder();
  const rig::Pose pose = turned(character, 1.0f, {0, 0, 1});
  deform::SkinningSettings settings = direct();
  parity.expect_equal(character, pose, settings, "as it is");
  const std::uint64_t plan = parity.character().plan_version();
  settings.parameters.direct_alpha = 0.1f;
  parity.expect_equal(character, pose, settings, "less alpha");
  EXPECT_EQ(parity.character().plan_version(), plan);
  settings.parameters.direct_iterations = 3;
  parity.expect_equal(character, pose, settings, "fewer iterations");
  EXPECT_GT(parity.character().plan_version(), plan);
}

TEST_F(GpuRowsTest, ThePaletteIsWhole) {
  Parity parity;
  const rig::Character character = test::random_rig({.seed = 5, .joints = 80, .influences = 10});
  test::Random random(5);
  const rig::Pose pose = test::random_pose(character, random, 1.0);
  deform::SkinningSettings settings = direct();
  settings.parameters.direct_iterations = 2;
  parity.expect_equal(character, pose, settings, "80 joints, ten influences");
  EXPECT_THAT(parity.character().notes(),
              ElementsAre(HasSubstr("reads all 80 joints at once, the palette limit of 64 is not used")));
  EXPECT_EQ(parity.character().uploads().palette_bytes, 80 * 5 * 16);
  EXPECT_EQ(parity.character().batch_count(0), 1);
  settings.palette_limit = 0;
  parity.expect_equal(character, pose, settings, "no limit");
  EXPECT_THAT(parity.character().notes(), IsEmpty());
}

TEST_F(GpuRowsTest, RowsThatNoBufferTextureHoldsAreAnError) {
  const rig::Character character = test::cylinder();
  const rig::Pose pose = rig::rest_pose(character);
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  DeviceLimits limits = device_limits();
  limits.texture_buffer_texels = 1000;
  GpuCharacter gpu(limits);
  const Status status =
      gpu.update({.character = &character, .pose = &pose, .world = world.world(), .skinning = direct()});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("a buffer texture of this device holds 1000: use the CPU backend"));
}

TEST_F(GpuRowsTest, AnEmptyBufferTextureCanBeBound) {
  BufferTexture texture;
  texture.set({}, GL_STATIC_DRAW);
  texture.bind(0);
  EXPECT_TRUE(check_gl("binding"));
}

}  // namespace
}  // namespace pelt::render
