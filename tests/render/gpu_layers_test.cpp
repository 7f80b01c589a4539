// Layers under the GPU backend, ALGORITHMS.md §18.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "deform/layers.h"
#include "deform/skinning_methods.h"
#include "render/gl_test.h"
#include "render/gpu_parity.h"
#include "support/fixtures.h"

namespace pelt::render {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using GpuLayers = GlTest;

TEST_F(GpuLayers, WithoutTheSkinBothBackendsShowTheMorphedBindShape) {
  Parity parity;
  const rig::Character character = test::random_rig({.seed = 18, .joints = 20, .vertices = 200, .morph_targets = 3});
  const mesh::Primitive& primitive = character.primitive(character.parts[0]);
  test::Random random(18);
  rig::Pose pose = test::random_pose(character, random, 2.0, 0.1f);
  pose.skinned = false;
  for (std::size_t method = 0; method < deform::skinning_methods().size(); ++method) {
    const deform::SkinningMethod& row = deform::skinning_methods()[method];
    if (!deform::has(row.laws, deform::Law::kCpuEqualsGpu) || !deform::has(row.laws, deform::Law::kBindIdentity)) {
      continue;
    }
    SCOPED_TRACE(row.id);
    const deform::SkinningSettings settings{.method = static_cast<int>(method)};
    parity.expect_equal(character, pose, settings, std::string(row.id));
    const deform::DeformedCharacter shape = parity.gpu(character, pose, settings);
    for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
      glm::vec3 expected = primitive.positions[v];
      for (std::size_t m = 0; m < primitive.morph_targets.size(); ++m) {
        expected += pose.morph_weights[m] * primitive.morph_targets[m].position_deltas[v];
      }
      ASSERT_LT(glm::distance(shape.parts[0].positions[v], expected), 1e-5f) << "vertex " << v;
    }
  }
}

TEST_F(GpuLayers, WhatMovesVerticesIsStreamedAndSaidSo) {
  Parity parity;
  const rig::Character character = test::random_rig({.seed = 3, .joints = 12, .vertices = 100});
  test::Random random(3);
  const rig::Pose pose = test::random_pose(character, random, 1.0);
  deform::SkinningSettings settings;
  EXPECT_FALSE(needs_cpu(character, settings));
  const deform::DeformedCharacter plain = parity.gpu(character, pose, settings);
  EXPECT_EQ(parity.character().path(0), VertexPath::kSkinned);
  for (const char* const kind : {"push", "push-posed"}) {
    rig::Layer layer = rig::standard_layer(deform::find_deformer_layer_kind(kind)->about);
    layer.values[0] = 0.1f;
    settings.layers = {layer};
    EXPECT_TRUE(needs_cpu(character, settings));
    parity.expect_equal(character, pose, settings, kind);
    EXPECT_EQ(parity.character().path(0), VertexPath::kStreamed);
    ASSERT_THAT(parity.character().notes(), SizeIs(1));
    EXPECT_EQ(parity.character().notes()[0], fmt::format("part 0 (mesh): the layer {} moves vertices on the CPU only",
                                                         deform::find_deformer_layer_kind(kind)->about.label));
    const deform::DeformedCharacter pushed = parity.gpu(character, pose, settings);
    for (std::size_t v = 0; v < plain.parts[0].positions.size(); ++v) {
      EXPECT_GT(glm::distance(pushed.parts[0].positions[v], plain.parts[0].positions[v]), 0.01f) << kind << " " << v;
    }
  }
  settings.layers = {};
  const deform::DeformedCharacter again = parity.gpu(character, pose, settings);
  EXPECT_EQ(parity.character().path(0), VertexPath::kSkinned);
  EXPECT_THAT(parity.character().notes(), IsEmpty());
  EXPECT_EQ(measure::difference(again, plain).max, 0);
}

}  // namespace
}  // namespace pelt::render
