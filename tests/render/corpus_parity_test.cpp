// C9.1 on real files: GPU and CPU agree in random poses within the limits of the joints' degrees of freedom.

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "deform/skinning_methods.h"
#include "gltf/bundled.h"
#include "gltf/import.h"
#include "render/gl_test.h"
#include "render/gpu_parity.h"
#include "support/effort.h"
#include "support/fixtures.h"
#include "support/requirements.h"

namespace pelt::render {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Every degree of freedom anywhere between its limits, every morph target between 0 and 1.
rig::Pose random_pose_within_limits(const rig::Character& character, test::Random& random) {
  rig::Pose pose = rig::rest_pose(character);
  for (std::size_t j = 0; j < pose.local.size(); ++j) {
    const rig::JointDofs& joint = character.skeleton->dofs[j];
    std::vector<float> values = rig::default_values(joint);
    for (std::size_t d = 0; d < values.size(); ++d) {
      if (joint.dofs[d].kind == rig::DofKind::kRotation) {
        values[d] = random.real(joint.dofs[d].lower, joint.dofs[d].upper);
      }
    }
    rig::clamp_to_limits(joint, values);
    const Transform turned = rig::local_from_dofs(joint, values);
    pose.local[j].rotation = turned.rotation;
  }
  for (float& weight : pose.morph_weights) {
    weight = random.real(0.0f, 1.0f);
  }
  return pose;
}

std::size_t vertices_of(const rig::Character& character) {
  std::size_t count = 0;
  for (const rig::Part& part : character.parts) {
    count += character.primitive(part).vertex_count();
  }
  return count;
}

// A hundred poses of each method; of large characters, which software rendering takes long to skin, as many as come to
// the same number of vertices as a hundred of this size, and at least so many.
constexpr std::size_t kHundredPosesOf = 1000;                // vertices
const std::size_t kMostPoses = test::sanitized() ? 1 : 100;  // the sanitizers see the same code in each
const std::size_t kLeastPoses = test::sanitized() ? 1 : 15;

/// Every method that the shaders have, with all normals that it tells apart, in turn. Where nothing follows a skin the
/// methods are all the same and one is tried.
void expect_parity(const rig::Character& character) {
  const bool skinned =
      std::ranges::any_of(character.parts, [&](const rig::Part& part) { return deform::is_skinned(character, part); });
  const std::size_t poses =
      std::clamp(100 * kHundredPosesOf / std::max<std::size_t>(vertices_of(character), 1), kLeastPoses, kMostPoses);
  Parity parity;
  test::Random random(91);
  double worst = 0;
  for (std::size_t m = 0; m < deform::skinning_methods().size(); ++m) {
    const deform::SkinningMethod& method = deform::skinning_methods()[m];
    if (!deform::has(method.laws, deform::Law::kCpuEqualsGpu) || (!skinned && method.id != "lbs")) {
      continue;  // what is streamed from the CPU is the CPU's
    }
    std::vector<deform::NormalVariantInfo> normals;
    std::ranges::copy_if(deform::kVertexNormalVariants, std::back_inserter(normals),
                         [&](const auto& info) { return deform::normals_under(method, info.variant) == info.variant; });
    for (std::size_t i = 0; i < poses; ++i) {
      const deform::NormalVariantInfo& with = normals[i % normals.size()];
      deform::SkinningSettings settings;
      settings.method = static_cast<int>(m);
      settings.normals = with.variant;
      worst = std::max(worst, parity.expect_equal(character, random_pose_within_limits(character, random), settings,
                                                  fmt::format("{}, normals {}, pose {}", method.id, with.letter, i)));
      if (::testing::Test::HasFailure()) {
        return;
      }
    }
  }
  ::testing::Test::RecordProperty("worst_over_diagonal", fmt::format("{:.3g}", worst));
  ::testing::Test::RecordProperty("worst_normal_radians", fmt::format("{:.3g}", parity.worst_normal_angle()));
}

class CorpusGpu : public GlTest {
 protected:
  static Result<rig::Character> open(std::string_view path) {
    return gltf::import_file(std::filesystem::path(PELT_CORPUS_DIR) / path, {.decode_images = false});
  }
};

class CorpusParity : public CorpusGpu, public ::testing::WithParamInterface<std::string_view> {};

TEST_P(CorpusParity, C9_1_RandomPosesWithinLimitsOfEveryMethod) {
  PELT_NEEDS_CORPUS(GetParam());
  const auto character = open(GetParam());
  ASSERT_TRUE(character) << character.error().message;
  expect_parity(*character);
}

// The characters are listed by name below; this runs over every other model of the corpus that can be read.
TEST_F(CorpusGpu, C9_1_EveryOtherFile) {
  const std::filesystem::path corpus(PELT_CORPUS_DIR);
  PELT_NEEDS_CORPUS("");
  int count = 0;
  for (const char* folder : {"features", "derived", "unrigged"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus / folder)) {
      if (entry.path().extension() != ".gltf" && entry.path().extension() != ".glb") {
        continue;
      }
      const auto character = gltf::import_file(entry.path(), {.decode_images = false});
      ASSERT_TRUE(character) << character.error().message;
      SCOPED_TRACE(entry.path().filename().string());
      expect_parity(*character);
      ++count;
    }
  }
  EXPECT_GE(count, 45);
}

std::string test_name(const ::testing::TestParamInfo<std::string_view>& file) {
  std::string name = std::filesystem::path(file.param).stem().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    Files, CorpusParity,
    ::testing::Values("characters/cesium_man.gltf", "characters/dragon.glb", "characters/fox.glb",
                      "characters/hand_left.glb", "characters/hand_humanoid/LeftHandHumanoid.gltf",
                      "characters/human.glb", "characters/knight.glb", "characters/mannequiny.glb",
                      "characters/rigged_mesh.glb", "characters/robot_player.glb", "characters/sintel.glb",
                      "characters/zombie.glb", "derived/human_influences8.glb", "derived/robot_nonormals.glb",
                      "derived/robot_quantized.glb", "features/quad_skin.glb", "features/SimpleSkin.gltf",
                      "features/rigged_simple.gltf", "features/test_targets.gltf", "features/MorphStressTest.gltf",
                      "features/unassigned-skeleton.gltf", "features/box_animated.gltf",
                      "features/skin/Animation_Skin_05.gltf", "features/skin/Animation_Skin_08.gltf",
                      "features/mode/Mesh_PrimitiveMode_00.gltf", "features/mode/Mesh_PrimitiveMode_03.gltf"),
    test_name);

using BundledParity = GlTest;

TEST_F(BundledParity, C9_1_RandomPosesWithinLimitsOfEveryMethod) {
  if (gltf::bundled_characters().empty()) {
    GTEST_SKIP() << "no bundled characters in this build";
  }
  for (const EmbeddedFile& file : gltf::bundled_characters()) {
    const auto character =
        gltf::import_bundled(std::filesystem::path(file.name).stem().string(), {.decode_images = false});
    ASSERT_TRUE(character) << character.error().message;
    SCOPED_TRACE(file.name);
    expect_parity(*character);
  }
}

TEST_F(CorpusGpu, DragonInBatchesOf12And24And64EqualsUnsplitBitwise) {
  PELT_NEEDS_CORPUS("characters/dragon.glb");
  const auto character = open("characters/dragon.glb");
  ASSERT_TRUE(character) << character.error().message;
  Parity parity;
  test::Random random(3);
  const rig::Pose pose = random_pose_within_limits(*character, random);
  deform::SkinningSettings settings;
  settings.palette_limit = 0;
  const deform::DeformedCharacter unsplit = parity.gpu(*character, pose, settings);
  for (const int cap : {12, 24, 64}) {
    settings.palette_limit = cap;
    const deform::DeformedCharacter split = parity.gpu(*character, pose, settings);
    std::size_t batches = 0;
    for (const BatchInfo& row : parity.character().batches()) {
      EXPECT_LE(row.joints, std::max(cap, 12));
      ++batches;
    }
    EXPECT_GT(batches, character->parts.size()) << cap;
    for (std::size_t p = 0; p < split.parts.size(); ++p) {
      EXPECT_EQ(split.parts[p].positions, unsplit.parts[p].positions) << cap;
      EXPECT_EQ(split.parts[p].normals, unsplit.parts[p].normals) << cap;
    }
  }
}

TEST_F(CorpusGpu, EightAndTenInfluencesTakeTheirPaths) {
  PELT_NEEDS_CORPUS("derived/human_influences8.glb");
  Parity parity;
  const auto eight = open("derived/human_influences8.glb");
  ASSERT_TRUE(eight) << eight.error().message;
  parity.gpu(*eight, rig::rest_pose(*eight), {});
  EXPECT_EQ(parity.character().path(0), VertexPath::kSkinned);
  EXPECT_EQ(parity.character().variant(0).influence_sets, 2);
  EXPECT_THAT(parity.character().notes(), IsEmpty());

  const auto ten = open("features/quad_skin.glb");
  ASSERT_TRUE(ten) << ten.error().message;
  parity.replace_character();
  parity.gpu(*ten, rig::rest_pose(*ten), {});
  EXPECT_EQ(parity.character().path(0), VertexPath::kStreamed);
  ASSERT_THAT(parity.character().notes(), SizeIs(1));
  EXPECT_THAT(parity.character().notes()[0], HasSubstr("10 influences per vertex, the shader takes 8"));
}

}  // namespace
}  // namespace pelt::render
