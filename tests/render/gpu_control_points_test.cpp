// Surfaces of skinned control points under the GPU backend, ALGORITHMS.md §52.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "deform/skinning_methods.h"
#include "render/gl_test.h"
#include "render/gpu_parity.h"
#include "support/control_points.h"

namespace pelt::render {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using GpuControlPoints = GlTest;

TEST_F(GpuControlPoints, C52_7_AreStreamedAndSaidSoUnderEveryMethod) {
  Parity parity;
  const rig::Character character = test::control_character(1, true);
  test::Random random(52);
  const rig::Pose pose = test::random_pose(character, random, 0.8);
  for (std::size_t method = 0; method < deform::skinning_methods().size(); ++method) {
    const deform::SkinningMethod& row = deform::skinning_methods()[method];
    SCOPED_TRACE(row.id);
    deform::SkinningSettings settings{.method = static_cast<int>(method)};
    settings.parameters.direct_iterations = 3;
    const deform::DeformedCharacter mesh = parity.gpu(character, pose, settings);
    settings.refine = deform::Refine::kAfterSkin;
    EXPECT_TRUE(needs_cpu(character, settings));
    parity.expect_equal(character, pose, settings, std::string(row.id));
    EXPECT_EQ(parity.character().path(0), VertexPath::kStreamed);
    EXPECT_EQ(parity.character().path(1), row.shader.empty() ? VertexPath::kStreamed : VertexPath::kSkinned)
        << "a part without control points stays where it was";
    ASSERT_FALSE(parity.character().notes().empty());
    EXPECT_EQ(parity.character().notes()[0],
              "part 0 (tube): its control points are skinned, and the surface made of them, on the CPU only");
    const deform::DeformedCharacter points = parity.gpu(character, pose, settings);
    float most = 0;
    for (std::size_t v = 0; v < mesh.parts[0].positions.size(); ++v) {
      most = std::max(most, glm::distance(mesh.parts[0].positions[v], points.parts[0].positions[v]));
    }
    EXPECT_GT(most, 1e-3f);
  }
}

TEST_F(GpuControlPoints, TheMeshOfThemNeedsNoCpu) {
  Parity parity;
  const rig::Character character = test::control_character();
  const deform::SkinningSettings settings;
  EXPECT_FALSE(needs_cpu(character, settings));
  parity.expect_equal(character, rig::rest_pose(character), settings, "mesh");
  EXPECT_EQ(parity.character().path(0), VertexPath::kSkinned);
  EXPECT_THAT(parity.character().notes(), IsEmpty());
}

}  // namespace
}  // namespace pelt::render
