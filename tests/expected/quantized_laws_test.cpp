// What `convert --quantize` writes deforms as the original does, but for what rounding moves, under every method. Its
// inverse bind matrices carry the units of the rounded box. tests/render/gpu_scale_test.cpp asks the shaders.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <numbers>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "deform/deform.h"
#include "deform/scaled_characters.h"
#include "deform/skinning_methods.h"
#include "gltf/bundled.h"
#include "gltf/import.h"
#include "support/effort.h"
#include "support/fixtures.h"
#include "support/quantized.h"
#include "support/requirements.h"

namespace pelt {
namespace {

const int kPoses = test::sanitized() ? 3 : 20;
// Normals are in 8 bits: half a step along each axis, see gltf::ExportOptions.
constexpr double kRoundedNormal = 0.4 * std::numbers::pi / 180;

// In kPoses random poses, under each method.
void expect_quantized_like_original(const std::string& name, rig::Character character) {
  SCOPED_TRACE(name);
  const test::Quantized pair = test::quantized(std::move(character));
  if (testing::Test::HasFailure() || test::skinned_parts(pair).empty()) {
    return;
  }
  double worst = 0;
  std::string_view worst_method;
  for (std::size_t m = 0; m < deform::skinning_methods().size(); ++m) {
    const deform::SkinningMethod& method = deform::skinning_methods()[m];
    SCOPED_TRACE(method.id);
    const deform::SkinningSettings settings = {.method = static_cast<int>(m)};
    deform::CpuDeformer of_original;
    deform::CpuDeformer of_quantized;
    deform::DeformedCharacter expected;
    deform::DeformedCharacter actual;
    test::Random random(7);
    double share = 0;
    double angle = 0;
    for (int i = 0; i < kPoses; ++i) {
      rig::Pose pose = test::random_pose(pair.original, random, 0.5);
      pose.morph_weights = rig::rest_pose(pair.original).morph_weights;
      rig::WorldMatrices world;
      world.evaluate(pair.original.skeleton, pose);
      of_original.deform(pair.original, pose, world.world(), settings, expected);
      const rig::Pose same = test::same_pose(pair, pose);
      world.evaluate(pair.quantized.skeleton, same);
      of_quantized.deform(pair.quantized, same, world.world(), settings, actual);
      const test::QuantizedResult result = test::compare(pair, pose, method, expected, actual);
      share = std::max(share, result.share);
      angle = std::max(angle, result.angle);
    }
    EXPECT_LE(share, 1.0);
    // Where rotations are blended as such, no normal turns further for it; a blend of matrices may flatten what is
    // between the joints, and normals of triangles know how small they are.
    if (method.reads_palette && method.finish == nullptr) {
      EXPECT_LE(angle, kRoundedNormal);
    }
    if (share > worst) {
      worst = share;
      worst_method = method.id;
    }
  }
  std::cout << "  " << name << ": " << worst << " of what rounding explains, under " << worst_method << "\n";
}

TEST(QuantizedLaws, ACentimetreRigDeformsLikeTheOriginal) {
  const rig::Character limb = test::limb();
  const test::PosedCharacter stored = test::in_units({limb, rig::rest_pose(limb)}, test::kUnits[0]);
  expect_quantized_like_original("metres", limb);
  expect_quantized_like_original("centimetres", test::under_scaled_root(stored, 0.01f).character);
}

TEST(QuantizedLaws, BundledCharactersDeformLikeTheOriginal) {
  for (const EmbeddedFile& file : gltf::bundled_characters()) {
    const std::string name = std::filesystem::path(file.name).stem().string();
    Result<rig::Character> character = gltf::import_bundled(name, {.decode_images = false});
    ASSERT_TRUE(character) << character.error().message;
    expect_quantized_like_original(name, *std::move(character));
  }
}

TEST(QuantizedLaws, CorpusCharactersDeformLikeTheOriginal) {
  PELT_NEEDS_CORPUS("characters");
  for (const char* name : {"fox.glb", "robot_player.glb", "cesium_man.gltf", "human.glb", "knight.glb",
                           "mannequiny.glb", "rigged_mesh.glb", "zombie.glb", "hand_left.glb", "dragon.glb"}) {
    Result<rig::Character> character =
        gltf::import_file(std::filesystem::path(PELT_CORPUS_DIR) / "characters" / name, {.decode_images = false});
    ASSERT_TRUE(character) << character.error().message;
    expect_quantized_like_original(name, *std::move(character));
  }
}

}  // namespace
}  // namespace pelt
