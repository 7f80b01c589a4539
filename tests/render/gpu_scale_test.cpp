// Units do not matter to the shaders either, under any method and normal variant: tests/deform/scale_laws_test.cpp on
// the other backend.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "deform/scaled_characters.h"
#include "deform/skinning_methods.h"
#include "gltf/import.h"
#include "render/gl_test.h"
#include "render/gpu_parity.h"
#include "support/quantized.h"
#include "support/requirements.h"

namespace pelt::render {
namespace {

using GpuScale = GlTest;

// By definition these turn a normal with the matrices themselves, which is wrong where they stretch.
constexpr deform::NormalVariants kByMatrices = deform::one_of(deform::NormalVariant::kBlend) |
                                               deform::one_of(deform::NormalVariant::kLargestWeight) |
                                               deform::one_of(deform::NormalVariant::kFastRenormalised);

/// `other` is `expected`, after p -> scale (p - center) + center.
void expect_image(const deform::DeformedCharacter& other, const deform::DeformedCharacter& expected, double scale,
                  const glm::dvec3& center, const std::string& what) {
  deform::DeformedCharacter image = expected;
  for (deform::DeformedPart& part : image.parts) {
    for (glm::vec3& p : part.positions) {
      p = glm::vec3((glm::dvec3(p) - center) * scale + center);
    }
  }
  const measure::Difference difference = measure::difference(other, image);
  EXPECT_LE(difference.max, kPositionTolerance * scale * static_cast<double>(expected.bounds.diagonal())) << what;
  EXPECT_LE(difference.max_normal_angle, kNormalTolerance) << what;
  EXPECT_EQ(difference.non_finite, 0) << what;
}

template <typename Visit>
void for_each_method_and_variant(const Visit& visit) {
  for (std::size_t m = 0; m < deform::skinning_methods().size(); ++m) {
    const deform::SkinningMethod& method = deform::skinning_methods()[m];
    for (const deform::NormalVariantInfo& info : deform::kNormalVariants) {
      deform::SkinningSettings settings;
      settings.method = static_cast<int>(m);
      settings.normals = info.variant;
      settings.parameters.direct_iterations = 3;
      if (deform::normals_under(method, info.variant) == info.variant) {
        visit(settings, std::string(method.id) + ", normals " + info.letter);
      }
    }
  }
}

TEST_F(GpuScale, SizeAndSharedScaleAreThoseOfTheResult) {
  Parity plain;
  Parity scaled;
  for (const test::PosedCharacter& subject : test::posed_characters()) {
    plain.replace_character();
    const test::PosedCharacter small = test::similar(subject, 0.01f);
    const test::PosedCharacter centimetres = test::under_scaled_root(subject, 0.01f);
    const glm::dvec3 center(subject.pose.local[0].translation);
    for_each_method_and_variant([&](const deform::SkinningSettings& settings, const std::string& what) {
      const deform::DeformedCharacter expected = plain.gpu(subject.character, subject.pose, settings);
      scaled.replace_character();
      expect_image(scaled.gpu(small.character, small.pose, settings), expected, 0.01, glm::dvec3(0.0),
                   subject.character.name + ", a hundredth in all, " + what);
      scaled.replace_character();
      expect_image(scaled.gpu(centimetres.character, centimetres.pose, settings), expected, 0.01, center,
                   subject.character.name + ", under a root of a hundredth, " + what);
    });
  }
}

TEST_F(GpuScale, UnitsOfTheMeshThatItsBindingUndoesDoNotMatter) {
  Parity plain;
  Parity stored;
  for (const test::PosedCharacter& subject : test::posed_characters()) {
    plain.replace_character();
    for (const test::Units& units : test::kUnits) {
      const test::PosedCharacter other = test::in_units(subject, units);
      stored.replace_character();
      for_each_method_and_variant([&](const deform::SkinningSettings& settings, const std::string& what) {
        if (!units.uniform() && (kByMatrices & deform::one_of(settings.normals)) != 0) {
          return;
        }
        const std::string where = subject.character.name + ", " + units.name + ", " + what;
        expect_image(stored.gpu(other.character, other.pose, settings),
                     plain.gpu(subject.character, subject.pose, settings), 1, glm::dvec3(0.0), where);
        stored.expect_equal(other.character, other.pose, settings, where);
      });
    }
  }
}

TEST_F(GpuScale, WhatIsQuantizedDeformsLikeTheOriginal) {
  PELT_NEEDS_CORPUS("characters");
  std::vector<rig::Character> characters = {
      test::under_scaled_root(test::in_units({test::limb(), rig::rest_pose(test::limb())}, test::kUnits[0]), 0.01f)
          .character};
  for (const char* name : {"fox.glb", "robot_player.glb", "cesium_man.gltf"}) {
    Result<rig::Character> character =
        gltf::import_file(std::filesystem::path(PELT_CORPUS_DIR) / "characters" / name, {.decode_images = false});
    ASSERT_TRUE(character) << character.error().message;
    characters.push_back(*std::move(character));
  }
  Parity of_original;
  Parity of_quantized;
  for (rig::Character& character : characters) {
    const test::Quantized pair = test::quantized(std::move(character));
    of_original.replace_character();
    of_quantized.replace_character();
    for (std::size_t m = 0; m < deform::skinning_methods().size(); ++m) {
      const deform::SkinningMethod& method = deform::skinning_methods()[m];
      if (!deform::has(method.laws, deform::Law::kCpuEqualsGpu)) {
        continue;
      }
      const deform::SkinningSettings settings = {.method = static_cast<int>(m)};
      test::Random random(7);
      for (int i = 0; i < 20; ++i) {
        rig::Pose pose = test::random_pose(pair.original, random, 0.5);
        pose.morph_weights = rig::rest_pose(pair.original).morph_weights;
        const deform::DeformedCharacter expected = of_original.gpu(pair.original, pose, settings);
        const deform::DeformedCharacter actual =
            of_quantized.gpu(pair.quantized, test::same_pose(pair, pose), settings);
        ASSERT_LE(test::compare(pair, pose, method, expected, actual).share, 1.0)
            << pair.original.name << ", " << method.id << ", pose " << i;
      }
    }
  }
}

}  // namespace
}  // namespace pelt::render
