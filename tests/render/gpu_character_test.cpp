#include "render/gpu_character.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <numbers>
#include <set>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "deform/fast_root.h"
#include "deform/fine_cylinder.h"
#include "deform/skinning_methods.h"
#include "measure/compare.h"
#include "measure/diet.h"
#include "measure/skin_meter.h"
#include "render/gl_test.h"
#include "render/gpu_parity.h"
#include "render/gpu_skinner.h"
#include "render/gpu_timer.h"
#include "render/shader_interface.h"
#include "rig/own_bindings.h"
#include "support/effort.h"
#include "support/fixtures.h"
#include "support/requirements.h"
#include "support/two_skins.h"

namespace pelt::render {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using GpuSkinning = GlTest;

TEST_F(GpuSkinning, C9_1_EqualsCpuInRandomPosesForEveryMethodAndNormalVariant) {
  Parity parity;
  double worst = 0;
  for (std::size_t method = 0; method < deform::skinning_methods().size(); ++method) {
    if (!deform::has(deform::skinning_methods()[method].laws, deform::Law::kCpuEqualsGpu)) {
      continue;
    }
    for (const bool scaled : {false, true}) {
      const rig::Character character = test::random_rig(
          {.seed = scaled ? 7u : 3u, .joints = 20, .vertices = 200, .influences = 4, .scaled = scaled});
      parity.replace_character();
      test::Random random(11);
      for (int pose_index = 0; pose_index < 100; ++pose_index) {
        const rig::Pose pose = test::random_pose(character, random, 2.0, 0.1f, scaled ? 0.3f : 0.0f);
        deform::SkinningSettings settings;
        settings.method = static_cast<int>(method);
        const deform::NormalVariantInfo& normals =
            deform::kVertexNormalVariants[static_cast<std::size_t>(pose_index) % deform::kVertexNormalVariants.size()];
        settings.normals = normals.variant;
        worst = std::max(worst, parity.expect_equal(
                                    character, pose, settings,
                                    fmt::format("method {}, pose {}, normals {}", method, pose_index, normals.letter)));
      }
    }
  }
  RecordProperty("worst_over_diagonal", fmt::format("{:.3g}", worst));
}

// Down to where squares are denormal numbers, of which many devices make zero, and below.
TEST_F(GpuSkinning, C9_1_NormalsAndTangentsNextToNoLengthEqualTheCpu) {
  Parity parity;
  rig::Character character = test::random_rig({.seed = 5, .joints = 20, .vertices = 200, .influences = 4});
  mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
  for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
    const auto size = static_cast<float>(std::pow(10.0, -2.0 * static_cast<double>(v % 20)));
    primitive.normals.edit()[v] *= size;
    primitive.tangents.edit()[v] = glm::vec4(glm::vec3(primitive.tangents[v]) * size, primitive.tangents[v].w);
  }
  test::Random random(12);
  const rig::Pose pose = test::random_pose(character, random, 2.0, 0.1f, 0.0f);
  for (const char* method : {"lbs", "dqs", "rigid"}) {
    for (const deform::NormalVariantInfo& normals : deform::kVertexNormalVariants) {
      deform::SkinningSettings settings;
      settings.method = deform::find_method(method);
      settings.normals = normals.variant;
      parity.expect_equal(character, pose, settings, fmt::format("{}, normals {}", method, normals.letter));
    }
  }
}

TEST_F(GpuSkinning, C3_3_BindPosesOfSkinsThatShareJointsEqualTheCpu) {
  Parity parity;
  const rig::Character character = test::two_skins();
  rig::Pose pose = rig::bind_pose(character);
  rig::add_own_bindings(character, pose);
  ASSERT_FALSE(pose.own_bindings.empty());
  for (const char* method : {"lbs", "dqs", "ddm"}) {
    const deform::SkinningSettings settings = {.method = deform::find_method(method)};
    parity.expect_equal(character, pose, settings, method);
    const deform::DeformedCharacter shape = parity.gpu(character, pose, settings);
    for (std::size_t p = 0; p < shape.parts.size(); ++p) {
      const std::vector<glm::vec3>& bind = character.primitive(character.parts[p]).positions;
      for (std::size_t v = 0; v < bind.size(); ++v) {
        ASSERT_LT(glm::distance(shape.parts[p].positions[v], bind[v]), 1e-5f) << method << ", part " << p;
      }
    }
  }
}

/// Turns the sign of one axis of the root, which mirrors everything, or of one joint in three, with what hangs on it.
void mirror(const rig::Character& character, bool root, test::Random& random, rig::Pose& pose) {
  for (std::size_t j = 0; j < pose.local.size(); ++j) {
    const bool is_root = character.skeleton->parent[j] < 0;
    if (root ? is_root : !is_root && random.below(3) == 0) {
      pose.local[j].scale[random.below(3)] *= -1.0f;
    }
  }
}

TEST_F(GpuSkinning, C9_1_EqualsCpuWithMirroredJointsForEveryMethodAndNormalVariant) {
  Parity parity;
  const rig::Character character =
      test::random_rig({.seed = 27, .joints = 20, .vertices = 200, .influences = 4, .scaled = true});
  for (const bool root : {false, true}) {
    for (std::size_t m = 0; m < deform::skinning_methods().size(); ++m) {
      const deform::SkinningMethod& method = deform::skinning_methods()[m];
      for (const deform::NormalVariantInfo& normals : deform::kVertexNormalVariants) {
        if (!deform::has(method.laws, deform::Law::kCpuEqualsGpu) ||
            deform::normals_under(method, normals.variant) != normals.variant) {
          continue;
        }
        deform::SkinningSettings settings;
        settings.method = static_cast<int>(m);
        settings.normals = normals.variant;
        settings.parameters.direct_iterations = 2;  // in a soup of triangles more reach every vertex
        test::Random random(29);
        std::ptrdiff_t turned = 0;
        for (int i = 0; i < 5; ++i) {
          rig::Pose pose = test::random_pose(character, random, 2.0, 0.1f, 0.3f);
          const LineVector<glm::vec4> plain = parity.gpu(character, pose, settings).parts[0].tangents;
          mirror(character, root, random, pose);
          parity.expect_equal(character, pose, settings,
                              fmt::format("{}, normals {}, {} mirrored, pose {}", method.id, normals.letter,
                                          root ? "root" : "joints", i));
          const LineVector<glm::vec4> tangents = parity.gpu(character, pose, settings).parts[0].tangents;
          for (std::size_t v = 0; v < plain.size(); ++v) {
            turned += tangents[v].w != plain[v].w ? 1 : 0;
          }
        }
        if (root) {
          EXPECT_EQ(turned, 5 * 200) << method.id << ": a mirror turns every handedness";
        } else {
          EXPECT_GT(turned, 100) << method.id;
          EXPECT_LT(turned, 900) << method.id;
        }
      }
    }
  }
}

TEST_F(GpuSkinning, EightInfluencesTakeTwoAttributeSets) {
  Parity parity;
  const rig::Character character = test::random_rig({.seed = 5, .joints = 30, .influences = 8, .scaled = true});
  test::Random random(1);
  for (const deform::NormalVariantInfo& info : deform::kVertexNormalVariants) {
    deform::SkinningSettings settings;
    settings.normals = info.variant;
    parity.expect_equal(character, test::random_pose(character, random, 1.5), settings, std::string(info.label));
    EXPECT_EQ(parity.character().variant(0).influence_sets, 2);
    settings.influence_limit = 3;
    parity.expect_equal(character, test::random_pose(character, random, 1.5), settings, std::string(info.label));
    EXPECT_EQ(parity.character().variant(0).influence_sets, 1);
  }
}

TEST_F(GpuSkinning, C15_3_EveryFormatIsTheSameOnBothBackends) {
  Parity parity;
  test::Random random(15);
  for (const int influences : test::last_or_all({1, 3, 8, 4})) {
    for (const int joints : influences == 4 ? std::vector<int>{30, 300} : std::vector<int>{30}) {
      rig::Character character =
          test::random_rig({.seed = 40, .joints = joints, .vertices = 300, .influences = influences, .scaled = true});
      mesh::Influences& rows = character.meshes.edit(0).primitives.edit(0).influences.edit();
      test::set_stored_sums(rows, 0.9f);
      mesh::append_row(rows, {}, {});  // a vertex that follows no joint
      character.meshes.edit(0).primitives.edit(0).positions.emplace_back(0.5f, 0.25f, 0.125f);
      character.meshes.edit(0).primitives.edit(0).normals.emplace_back(0.0f, 1.0f, 0.0f);
      character.meshes.edit(0).primitives.edit(0).tangents.emplace_back(1.0f, 0.0f, 0.0f, 1.0f);
      character.meshes.edit(0).primitives.edit(0).texcoords[0].emplace_back(0.0f);
      for (const deform::WeightFormatInfo& info : deform::kWeightFormats) {
        for (std::size_t method = 0; method < deform::skinning_methods().size(); ++method) {
          parity.replace_character();
          deform::SkinningSettings settings;
          settings.method = static_cast<int>(method);
          settings.weight_format = info.format;
          settings.palette_limit = 0;
          settings.parameters.direct_iterations = 2;  // in a soup of triangles more reach every vertex
          settings.normals = deform::kVertexNormalVariants[method % deform::kVertexNormalVariants.size()].variant;
          settings.weights_as_stored = method % 2 == 1;
          parity.expect_equal(character, test::random_pose(character, random, 1.0), settings,
                              fmt::format("{}, {} influences, {} joints, {}", info.id, influences, joints,
                                          deform::skinning_methods()[method].id));
        }
      }
    }
  }
}

TEST_F(GpuSkinning, C12_2_RigidTrianglesDrawnApartLeaveTheShapeAsItIs) {
  Parity parity;
  const rig::Character cylinder = test::cylinder();
  rig::Character robot = test::random_rig({.seed = 43, .joints = 12, .vertices = 300, .influences = 1});
  test::Random random(12);
  for (const rig::Character* character : {&std::as_const(cylinder), &std::as_const(robot)}) {
    parity.replace_character();
    for (std::size_t method = 0; method < deform::skinning_methods().size(); ++method) {
      deform::SkinningSettings settings;
      settings.method = static_cast<int>(method);
      settings.partition = true;
      const rig::Pose pose = test::random_pose(*character, random, 1.0);
      parity.expect_equal(*character, pose, settings, std::string(deform::skinning_methods()[method].id));
      if (!has(deform::skinning_methods()[method].laws, deform::Law::kOneHotIsRigid) ||
          deform::skinning_methods()[method].shader.empty()) {
        continue;
      }
      std::int64_t single = 0;
      std::int64_t blended = 0;
      for (const BatchInfo& batch : parity.character().batches()) {
        (batch.joints == 1 ? single : blended) += batch.triangles;
      }
      if (character == &cylinder) {  // C12.1
        EXPECT_THAT(parity.character().batches(), SizeIs(3));
        EXPECT_EQ(single, 1056 + 1056);
        EXPECT_EQ(blended, 512);
      }
      EXPECT_EQ(single + blended,
                static_cast<std::int64_t>(character->primitive(character->parts[0]).triangle_count()));
    }
  }
}

TEST_F(GpuSkinning, ResidentBytesAreThoseThatADietPromises) {
  Parity parity;
  const rig::Character character = test::random_rig({.seed = 44, .joints = 60, .vertices = 300, .influences = 4});
  const rig::Character cylinder = test::cylinder();
  for (const rig::Character* c : {&character, &cylinder}) {
    for (const deform::WeightFormatInfo& info : deform::kWeightFormats) {
      for (const bool partition : {false, true}) {
        parity.replace_character();
        deform::SkinningSettings settings;
        settings.weight_format = info.format;
        settings.palette_limit = 24;
        settings.partition = partition;
        parity.gpu(*c, rig::rest_pose(*c), settings);
        const measure::DietCost cost = measure::diet_cost(*c, settings);
        EXPECT_EQ(cost.resident_bytes, parity.character().resident_bytes()) << info.id << partition;
        EXPECT_EQ(cost.influence_bytes, parity.character().influence_bytes()) << info.id << partition;
        EXPECT_EQ(cost.upload_bytes, parity.character().uploads().palette_bytes) << info.id << partition;
        EXPECT_EQ(static_cast<std::size_t>(cost.batches), parity.character().batches().size()) << info.id << partition;
      }
    }
  }
}

TEST_F(GpuSkinning, InfluencesTakeAsManyBytesAsTheirFormatSays) {
  Parity parity;
  const rig::Character four = test::random_rig({.seed = 41, .joints = 60, .vertices = 200, .influences = 4});
  const rig::Character eight = test::random_rig({.seed = 42, .joints = 60, .vertices = 200, .influences = 8});
  const auto bytes_per_vertex = [&](const rig::Character& character, deform::WeightFormat format, int limit) {
    parity.replace_character();
    deform::SkinningSettings settings;
    settings.weight_format = format;
    settings.influence_limit = limit;
    settings.palette_limit = 0;
    parity.gpu(character, rig::rest_pose(character), settings);
    return static_cast<double>(parity.character().influence_bytes()) / 200;
  };
  EXPECT_EQ(bytes_per_vertex(four, deform::WeightFormat::kFloat, 0), 20);
  EXPECT_EQ(bytes_per_vertex(four, deform::WeightFormat::kUnorm16, 0), 12);
  EXPECT_EQ(bytes_per_vertex(four, deform::WeightFormat::kUnorm8, 0), 8);
  EXPECT_EQ(bytes_per_vertex(four, deform::WeightFormat::kPacked56, 0), 7);
  EXPECT_EQ(bytes_per_vertex(four, deform::WeightFormat::kUnorm8, 2), 4);
  EXPECT_EQ(bytes_per_vertex(eight, deform::WeightFormat::kUnorm8, 0), 16);
  EXPECT_THAT(parity.character().notes(), IsEmpty());
  EXPECT_EQ(bytes_per_vertex(eight, deform::WeightFormat::kPacked56, 0), 7);
  ASSERT_THAT(parity.character().notes(), SizeIs(1));
  EXPECT_EQ(parity.character().notes()[0],
            "part 0 (mesh) has 8 influences per vertex, 56 bits hold 4: the heaviest are kept");
}

TEST_F(GpuSkinning, MoreThanEightInfluencesAreSkinnedOnTheCpuWithANote) {
  Parity parity;
  const rig::Character character = test::random_rig({.seed = 6, .joints = 30, .influences = 12});
  test::Random random(1);
  deform::SkinningSettings settings;
  EXPECT_TRUE(needs_cpu(character, settings));
  parity.expect_equal(character, test::random_pose(character, random, 1.0), settings, "twelve");
  EXPECT_EQ(parity.character().path(0), VertexPath::kStreamed);
  ASSERT_THAT(parity.character().notes(), SizeIs(1));
  EXPECT_EQ(parity.character().notes()[0],
            "part 0 (mesh) has 12 influences per vertex, the shader takes 8: skinned on the CPU");
  EXPECT_THAT(parity.character().batches(), IsEmpty());

  settings.influence_limit = 8;
  EXPECT_FALSE(needs_cpu(character, settings));
  parity.expect_equal(character, test::random_pose(character, random, 1.0), settings, "limited to eight");
  EXPECT_EQ(parity.character().path(0), VertexPath::kSkinned);
  EXPECT_THAT(parity.character().notes(), IsEmpty());
}

TEST_F(GpuSkinning, WeightsAsStoredScaleBothBackendsAlike) {
  Parity parity;
  rig::Character character = test::random_rig({.seed = 8});
  mesh::Influences& influences = character.meshes.edit(0).primitives.edit(0).influences.edit();
  for (std::size_t v = 0; v < influences.vertex_count(); v += 2) {
    influences.set_stored_sum(v, 0.9f);
  }
  test::Random random(2);
  const rig::Pose pose = test::random_pose(character, random, 1.0);
  deform::SkinningSettings settings;
  const auto renormalised = parity.gpu(character, pose, settings);
  settings.weights_as_stored = true;
  parity.expect_equal(character, pose, settings, "as stored");
  const auto as_stored = parity.gpu(character, pose, settings);
  EXPECT_GT(measure::difference(renormalised, as_stored).max, 0.01);
}

TEST_F(GpuSkinning, VerticesWithoutInfluencesStayAsTheyAre) {
  Parity parity;
  rig::Character character = test::random_rig({.seed = 9, .vertices = 30});
  mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
  mesh::Influences rows;
  for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
    const std::uint16_t joint = 1;
    const float weight = v % 3 == 0 ? 0.0f : 1.0f;
    mesh::append_row(rows, {&joint, 1}, {&weight, 1});
  }
  primitive.influences = rows;
  test::Random random(2);
  const rig::Pose pose = test::random_pose(character, random, 1.0, 0.5f);
  for (std::size_t method = 0; method < deform::skinning_methods().size(); ++method) {
    deform::SkinningSettings settings;
    settings.method = static_cast<int>(method);
    settings.normals = deform::skinning_methods()[method].default_normals;
    parity.expect_equal(character, pose, settings, "some rows empty");
    if (deform::skinning_methods()[method].finish != nullptr) {
      continue;  // places vertices by their neighbours, which may follow joints
    }
    EXPECT_EQ(parity.gpu(character, pose, settings).parts[0].positions[0], primitive.positions[0]);
  }
}

TEST_F(GpuSkinning, ZeroScaleStaysFiniteAndEqual) {
  Parity parity;
  const rig::Character character = test::random_rig({.seed = 10});
  test::Random random(4);
  rig::Pose pose = test::random_pose(character, random, 1.0);
  pose.local[3].scale = glm::vec3(0.0f);
  pose.local[5].scale = glm::vec3(1.0f, 0.0f, 1.0f);
  for (const deform::NormalVariantInfo& info : deform::kVertexNormalVariants) {
    deform::SkinningSettings settings;
    settings.normals = info.variant;
    const deform::DeformedCharacter on_gpu = parity.gpu(character, pose, settings);
    const deform::DeformedCharacter on_cpu = deform::deform_once(character, pose, settings);
    const measure::Difference difference = measure::difference(on_gpu, on_cpu);
    EXPECT_LE(difference.max, kPositionTolerance * static_cast<double>(on_cpu.bounds.diagonal()));
    EXPECT_EQ(difference.non_finite, 0);
    // Fast renormalisation leaves normals too short by design.
    const float shorter = info.variant == deform::NormalVariant::kFastRenormalised ? deform::kFastRootError : 0.0f;
    for (std::size_t v = 0; v < on_gpu.parts[0].normals.size(); ++v) {
      EXPECT_GE(glm::length(on_gpu.parts[0].normals[v]), 1.0f - 1e-5f - shorter) << info.letter << " " << v;
      EXPECT_LE(glm::length(on_gpu.parts[0].normals[v]), 1.0f + 1e-5f) << info.letter << " " << v;
      EXPECT_NEAR(glm::length(glm::vec3(on_gpu.parts[0].tangents[v])), 1.0f, 1e-5f) << info.letter << " " << v;
    }
  }
}

TEST_F(GpuSkinning, C9_5_ReportsTheBytesOfThePalette) {
  Parity parity;
  for (const auto& [joints, bytes] : {std::pair{64, 3072}, std::pair{85, 4080}}) {
    rig::Character character = test::random_rig({.seed = 12, .joints = joints, .vertices = 600});
    deform::SkinningSettings settings;
    settings.palette_limit = joints;
    parity.replace_character();
    parity.gpu(character, rig::rest_pose(character), settings);
    ASSERT_THAT(parity.character().batches(), SizeIs(1));
    EXPECT_EQ(parity.character().batches()[0].joints, joints) << "every joint is used by some vertex";
    EXPECT_EQ(parity.character().uploads().palette_bytes, bytes);
    EXPECT_EQ(parity.character().uploads().vertex_bytes, 0);
  }
}

TEST_F(GpuSkinning, NothingIsUploadedWhenNothingChanges) {
  const rig::Character character = test::random_rig({.seed = 13});
  const rig::Pose pose = rig::rest_pose(character);
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  GpuCharacter gpu(device_limits());
  GpuInput input{.character = &character,
                 .pose = &pose,
                 .world = world.world(),
                 .pose_version = 1,
                 .skinning = {},
                 .deformed = nullptr};
  ASSERT_TRUE(gpu.update(input));
  EXPECT_GT(gpu.uploads().palette_bytes, 0);
  const std::uint64_t plan = gpu.plan_version();
  ASSERT_TRUE(gpu.update(input));
  EXPECT_EQ(gpu.uploads().palette_bytes, 0);

  input.skinning.normals = deform::NormalVariant::kBlend;
  ASSERT_TRUE(gpu.update(input));
  EXPECT_GT(gpu.uploads().palette_bytes, 0);
  EXPECT_EQ(gpu.plan_version(), plan) << "a normal variant is a uniform";

  input.skinning.palette_limit = 12;
  ASSERT_TRUE(gpu.update(input));
  EXPECT_GT(gpu.plan_version(), plan);
}

TEST_F(GpuSkinning, CpuBackendStreamsWhatTheCpuMade) {
  Parity parity;
  const rig::Character character = test::random_rig({.seed = 14, .vertices = 50, .morph_targets = 2});
  test::Random random(5);
  const rig::Pose pose = test::random_pose(character, random, 1.0);
  deform::SkinningSettings settings;
  settings.backend = deform::Backend::kCpu;
  const deform::DeformedCharacter on_cpu = deform::deform_once(character, pose, settings);
  const deform::DeformedCharacter on_gpu = parity.gpu(character, pose, settings);
  EXPECT_EQ(on_gpu.parts[0].positions, on_cpu.parts[0].positions) << "bitwise";
  EXPECT_LE(measure::difference(on_gpu, on_cpu).max_normal_angle, 1e-6);
  EXPECT_EQ(parity.character().uploads().vertex_bytes, 50 * (12 + 12 + 16));
  EXPECT_EQ(parity.character().uploads().palette_bytes, 0);
  EXPECT_EQ(parity.character().path(0), VertexPath::kStreamed);

  // And back again.
  settings.backend = deform::Backend::kGpu;
  parity.expect_equal(character, pose, settings, "after the toggle");
}

TEST_F(GpuSkinning, C9_4_TheMeshNodesTransformDoesNotMatter) {
  Parity parity;
  const rig::Character character = test::random_rig({.seed = 15});
  test::Random random(6);
  rig::Pose pose = test::random_pose(character, random, 1.0);
  const deform::DeformedCharacter before = parity.gpu(character, pose, {});
  Transform& node = pose.local[character.parts[0].joint];
  node.translation = glm::vec3(5, 6, 7);
  node.scale = glm::vec3(-2.0f);
  const deform::DeformedCharacter after = parity.gpu(character, pose, {});
  EXPECT_EQ(before.parts[0].positions, after.parts[0].positions);
  EXPECT_EQ(before.parts[0].normals, after.parts[0].normals);
}

/// The library with another palette file: a palette of four columns per joint in place of three rows.
ShaderLibrary with_column_palette() {
  const ShaderLibrary built_in = ShaderLibrary::from_environment();
  std::map<std::string, std::string, std::less<>> files;
  for (const char* path : {"common/interface.glsl", "common/part.glsl", "common/frame.glsl", "surface/varyings.glsl",
                           "surface/surface.vert", "skinning/vertex_frame.glsl", "skinning/row.glsl",
                           "skinning/lbs.glsl", "skinning/morph.glsl", "surface/weight_look.glsl"}) {
    files[path] = *built_in.file(path);
  }
  files["skinning/palette.glsl"] =
      "layout(std140) uniform Palette { mat4 u_palette[PALETTE_JOINTS]; };\n"
      "mat4x3 palette_matrix(uint slot) { return mat4x3(u_palette[slot]); }\n";
  return ShaderLibrary(std::move(files));
}

/// Draws points by hand: full control over attributes and palette.
struct RawSkinning {
  std::vector<glm::vec3> positions;
  std::vector<glm::uvec4> indices;
  std::vector<glm::vec4> weights;
  std::vector<glm::vec4> palette;

  std::vector<glm::vec3> run(const ShaderLibrary& library) const {
    ProgramCache programs{library};
    const auto program =
        programs.get_feedback({.method = deform::find_method("lbs"), .influence_sets = 1, .palette_joints = 64});
    EXPECT_TRUE(program) << program.error().message;
    if (!program) {
      return {};
    }
    const Framebuffer framebuffer = Framebuffer::make();
    const Renderbuffer pixel = Renderbuffer::make();
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer.id());
    glBindRenderbuffer(GL_RENDERBUFFER, pixel.id());
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 1, 1);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, pixel.id());
    const VertexArray vertex_array = VertexArray::make();
    glBindVertexArray(vertex_array.id());
    const Buffer buffers[] = {Buffer::make(), Buffer::make(), Buffer::make(),
                              Buffer::make(), Buffer::make(), Buffer::make()};
    upload(buffers[0], std::span(positions), GL_STATIC_DRAW);
    upload(buffers[1], std::span(indices), GL_STATIC_DRAW);
    upload(buffers[2], std::span(weights), GL_STATIC_DRAW);
    std::vector<glm::vec4> block = palette;
    block.resize(64 * 4);
    upload(buffers[3], std::span<const glm::vec4>(block), GL_STATIC_DRAW);
    std::vector<glm::ivec4> part(6, glm::ivec4(0));
    part[4].w = 4;  // influence slots
    upload(buffers[4], std::span<const glm::ivec4>(part), GL_STATIC_DRAW);
    allocate(buffers[5], positions.size() * 40, GL_STREAM_READ);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0].id());
    glVertexAttribPointer(kAttributePosition, 3, GL_FLOAT, GL_FALSE, 0, nullptr);
    glEnableVertexAttribArray(kAttributePosition);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[1].id());
    glVertexAttribIPointer(kAttributeBlendIndices, 4, GL_UNSIGNED_INT, 0, nullptr);
    glEnableVertexAttribArray(kAttributeBlendIndices);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[2].id());
    glVertexAttribPointer(kAttributeBlendWeights, 4, GL_FLOAT, GL_FALSE, 0, nullptr);
    glEnableVertexAttribArray(kAttributeBlendWeights);
    glBindBufferBase(GL_UNIFORM_BUFFER, kBindingPalette, buffers[3].id());
    glBindBufferBase(GL_UNIFORM_BUFFER, kBindingPart, buffers[4].id());
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffers[5].id());
    glUseProgram((*program)->id());
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, static_cast<GLsizei>(positions.size()));
    glEndTransformFeedback();
    glDisable(GL_RASTERIZER_DISCARD);
    glBindVertexArray(0);
    glUseProgram(0);
    std::vector<float> captured(positions.size() * 10);
    glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, static_cast<GLsizeiptr>(captured.size() * sizeof(float)),
                       captured.data());
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    std::vector<glm::vec3> out;
    for (std::size_t v = 0; v < positions.size(); ++v) {
      out.emplace_back(captured[10 * v], captured[10 * v + 1], captured[10 * v + 2]);
    }
    return out;
  }
};

RawSkinning raw_example() {
  RawSkinning raw;
  test::Random random(21);
  for (int v = 0; v < 64; ++v) {
    raw.positions.push_back(random.vector(-1.0f, 1.0f));
    const auto j = static_cast<glm::uint>(1 + random.below(18));
    const float w = random.real(0.6f, 0.9f);
    raw.indices.emplace_back(j, j + 1, 0, 0);
    raw.weights.emplace_back(w, 1.0f - w, 0.0f, 0.0f);
  }
  for (int j = 0; j < 20; ++j) {
    const glm::mat4 m =
        to_matrix({random.vector(-1.0f, 1.0f), glm::quat(random.rotation()), random.vector(0.8f, 1.2f)});
    for (int r = 0; r < 3; ++r) {
      raw.palette.emplace_back(m[0][r], m[1][r], m[2][r], m[3][r]);
    }
  }
  return raw;
}

TEST_F(GpuSkinning, C9_2_PaddingIndexOutOfRangeAndPoisonedFirstMatrixDoNoHarm) {
  const RawSkinning clean = raw_example();
  const std::vector<glm::vec3> expected = clean.run(ShaderLibrary::from_environment());
  RawSkinning padded = clean;
  for (glm::uvec4& indices : padded.indices) {
    indices.z = 255;
    indices.w = 255;
  }
  EXPECT_EQ(padded.run(ShaderLibrary::from_environment()), expected);

  RawSkinning poisoned = clean;
  for (std::size_t row = 0; row < 3; ++row) {
    poisoned.palette[row] = glm::vec4(std::numeric_limits<float>::quiet_NaN());
  }
  EXPECT_EQ(poisoned.run(ShaderLibrary::from_environment()), expected) << "NaN would differ from everything";
}

TEST_F(GpuSkinning, C9_3_ThreeRowUploadEqualsFourByFourBitwise) {
  const RawSkinning rows = raw_example();
  RawSkinning columns = rows;
  columns.palette.clear();
  for (std::size_t j = 0; j < rows.palette.size() / 3; ++j) {
    const glm::vec4* r = &rows.palette[3 * j];
    for (int c = 0; c < 4; ++c) {
      columns.palette.emplace_back(r[0][c], r[1][c], r[2][c], c == 3 ? 1.0f : 0.0f);
    }
  }
  EXPECT_EQ(columns.run(with_column_palette()), rows.run(ShaderLibrary::from_environment()));
}

TEST_F(GpuSkinning, C10_3_SplitMeshEqualsUnsplitBitwise) {
  Parity parity;
  const rig::Character random_rig = test::random_rig({.seed = 16, .joints = 100, .vertices = 900});
  const rig::Character strip = test::strip100();
  for (const rig::Character* character : {&random_rig, &strip}) {
    test::Random random(7);
    const rig::Pose pose = test::random_pose(*character, random, 0.5);
    deform::SkinningSettings settings;
    settings.palette_limit = 0;
    const deform::DeformedCharacter unsplit = parity.gpu(*character, pose, settings);
    ASSERT_THAT(parity.character().batches(), SizeIs(1));
    std::size_t last = 1;
    for (const int cap : {64, 24, 12}) {
      settings.palette_limit = cap;
      const deform::DeformedCharacter split = parity.gpu(*character, pose, settings);
      EXPECT_EQ(split.parts[0].positions, unsplit.parts[0].positions) << cap;
      EXPECT_EQ(split.parts[0].normals, unsplit.parts[0].normals) << cap;
      EXPECT_GT(parity.character().batches().size(), last);
      last = parity.character().batches().size();
      for (const BatchInfo& row : parity.character().batches()) {
        EXPECT_LE(row.joints, cap);
        EXPECT_THAT(row.palette, SizeIs(static_cast<std::size_t>(row.joints)));
      }
    }
  }
  // F-STRIP100, C10.1.
  EXPECT_THAT(parity.character().batches(), SizeIs(9));
  std::set<std::uint16_t> all;  // neighbouring batches share one joint
  for (const BatchInfo& row : parity.character().batches()) {
    all.insert(row.palette.begin(), row.palette.end());
  }
  EXPECT_THAT(all, SizeIs(100));
}

TEST_F(GpuSkinning, ALimitBelowTheWidestElementIsRaisedWithANote) {
  Parity parity;
  const rig::Character character = test::random_rig({.seed = 17, .joints = 60, .influences = 8});
  deform::SkinningSettings settings;
  settings.palette_limit = 12;
  test::Random random(8);
  parity.expect_equal(character, test::random_pose(character, random, 1.0), settings, "cap 12");
  ASSERT_THAT(parity.character().notes(), SizeIs(1));
  EXPECT_THAT(parity.character().notes()[0], HasSubstr("the palette limit is 12"));
}

TEST_F(GpuSkinning, BatchesAreNumberedThroughTheWholeCharacter) {
  Parity parity;
  rig::Character character = test::strip100();
  character.mesh_nodes.push_back(character.mesh_nodes[0]);
  character.mesh_nodes.edit().back().joint = 1;
  rig::finish(character);
  test::Random random(9);
  parity.expect_equal(character, test::random_pose(character, random, 0.2), {}, "two strips");
  const std::vector<BatchInfo> rows = parity.character().batches();
  ASSERT_THAT(rows, SizeIs(4));
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(rows[i].part, i / 2);
    EXPECT_EQ(rows[i].batch, i);
  }
}

TEST_F(GpuSkinning, VerticesOfNoElementAreSkinnedToo) {
  Parity parity;
  rig::Character character = test::random_rig({.seed = 18, .joints = 40, .vertices = 120});
  std::vector<std::uint32_t>& indices = character.meshes.edit(0).primitives.edit(0).indices.edit();
  indices.resize(60);
  test::Random random(9);
  deform::SkinningSettings settings;
  settings.palette_limit = 12;
  parity.expect_equal(character, test::random_pose(character, random, 1.0), settings, "loose vertices");
  int triangles = 0;
  for (const BatchInfo& row : parity.character().batches()) {
    triangles += row.triangles;
    EXPECT_GT(row.triangles, 0) << "batches of loose vertices are no rows";
  }
  EXPECT_EQ(triangles, 20);
}

TEST_F(GpuSkinning, MorphTargetsComeBeforeTheSkin) {
  Parity parity;
  const rig::Character character = test::random_rig({.seed = 19, .vertices = 300, .morph_targets = 12});
  test::Random random(10);
  for (int i = 0; i < 10; ++i) {
    rig::Pose pose = test::random_pose(character, random, 1.0);
    for (std::size_t t = 0; t < pose.morph_weights.size(); ++t) {
      pose.morph_weights[t] = random.below(3) == 0 ? 0.0f : random.real(-0.5f, 1.5f);
    }
    parity.expect_equal(character, pose, {}, "morphs and skin");
    EXPECT_TRUE(parity.character().variant(0).morphs);
  }
}

TEST_F(GpuSkinning, MoreActiveTargetsThanTheShaderTakesAreMorphedOnTheCpu) {
  Parity parity;
  const rig::Character character = test::random_rig({.seed = 20, .vertices = 60, .morph_targets = 70});
  test::Random random(10);
  rig::Pose pose = test::random_pose(character, random, 1.0);
  parity.expect_equal(character, pose, {}, "70 active");
  ASSERT_THAT(parity.character().notes(), SizeIs(1));
  EXPECT_EQ(parity.character().notes()[0],
            "part 0 has 70 active morph targets, the shader takes 64: morphed on the CPU");
  EXPECT_GT(parity.character().uploads().vertex_bytes, 0);

  std::fill(pose.morph_weights.begin() + 5, pose.morph_weights.end(), 0.0f);
  parity.expect_equal(character, pose, {}, "5 active again");
  EXPECT_THAT(parity.character().notes(), IsEmpty());
  EXPECT_EQ(parity.character().uploads().vertex_bytes, 0);
}

TEST_F(GpuSkinning, RigidPartsFollowTheirNodeAlsoMirrored) {
  Parity parity;
  rig::Character character;
  test::add_node(character, "node", -1, {.translation = {1, 2, 3}, .scale = {-1, 2, 1}});
  mesh::Mesh mesh;
  mesh.primitives.push_back(
      test::random_rig({.seed = 22, .influences = 0, .morph_targets = 2}).meshes[0].primitives[0]);
  mesh.primitives.edit(0).influences = {};
  mesh.morph_weights = {0.0f, 0.0f};
  character.meshes.push_back(mesh);
  character.mesh_nodes.push_back({.joint = 0, .mesh = 0, .skin = -1, .morph_weights = {}});
  rig::finish(character);
  test::Random random(11);
  for (int i = 0; i < 10; ++i) {
    parity.expect_equal(character, test::random_pose(character, random, 3.0, 1.0f, 0.5f), {}, "rigid");
    EXPECT_EQ(parity.character().path(0), VertexPath::kNode);
  }
}

TEST_F(GpuSkinning, PrimitivesWithoutNormalsGiveNone) {
  Parity parity;
  rig::Character character = test::random_rig({.seed = 23});
  character.meshes.edit(0).primitives.edit(0).normals.clear();
  test::Random random(12);
  const rig::Pose pose = test::random_pose(character, random, 1.0);
  parity.expect_equal(character, pose, {}, "tangents without normals");
  EXPECT_THAT(parity.gpu(character, pose, {}).parts[0].normals, IsEmpty());
}

TEST_F(GpuSkinning, EmptyPrimitivesAreNoTrouble) {
  Parity parity;
  rig::Character character = test::random_rig({.seed = 24});
  mesh::Mesh empty;
  empty.primitives.emplace_back();
  character.meshes.push_back(empty);
  character.mesh_nodes.push_back({.joint = 0, .mesh = 1, .skin = -1, .morph_weights = {}});
  rig::finish(character);
  ASSERT_THAT(character.parts, SizeIs(2));
  const auto result = parity.gpu(character, rig::rest_pose(character), {});
  EXPECT_THAT(result.parts, SizeIs(2));
  const int empty_part = character.parts[0].mesh == 1 ? 0 : 1;
  EXPECT_THAT(result.parts[empty_part].positions, IsEmpty());
  EXPECT_THAT(result.parts[1 - empty_part].positions, SizeIs(200));
  EXPECT_EQ(parity.character().draw(empty_part), 0);
}

TEST_F(GpuSkinning, TimerNeverWaits) {
  GpuTimer timer;
  EXPECT_EQ(timer.milliseconds(), 0.0);
  for (int i = 0; i < 10; ++i) {
    timer.begin();
    timer.end();
    EXPECT_GE(timer.milliseconds(), 0.0);
  }
}

/// Closed forms of the shapes that the verbs get from the GPU.
class GpuClosedForms : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto made = GpuSkinner::create();
    if (made) {
      skinner_ = std::move(*made);
    } else {
      reason_ = made.error().message;
    }
  }
  static void TearDownTestSuite() { skinner_.reset(); }
  void SetUp() override { PELT_NEEDS(skinner_ != nullptr, "PELT_REQUIRE_GL", reason_); }

  static deform::DeformedCharacter shape(const rig::Character& character, const rig::Pose& pose,
                                         std::string_view method) {
    const deform::SkinningSettings settings = {.method = deform::find_method(method)};
    rig::WorldMatrices world;
    world.evaluate(character.skeleton, pose);
    EXPECT_FALSE(GpuSkinner::needs_cpu(character, settings));
    auto made = skinner_->skin(character, pose, world.world(), settings, nullptr);
    EXPECT_TRUE(made) << made.error().message;
    return made ? std::move(*made) : deform::DeformedCharacter();
  }
  /// One vertex at (1,0,0) on two joints at the origin.
  static rig::Character one_vertex(float weight_of_second) {
    rig::Character character;
    test::add_node(character, "first", -1, {});
    test::add_node(character, "second", -1, {});
    mesh::Primitive primitive;
    primitive.topology = mesh::Topology::kPoints;
    primitive.positions = {{1, 0, 0}};
    primitive.indices = {0};
    const std::uint16_t joints[] = {0, 1};
    const float weights[] = {1.0f - weight_of_second, weight_of_second};
    mesh::append_row(primitive.influences.edit(), joints, weights);
    test::add_skinned_mesh(character, "point", {0, 1}, std::move(primitive));
    rig::finish(character);
    return character;
  }
  static void expect_near(const glm::vec3& p, const glm::dvec3& expected, double tolerance) {
    EXPECT_LE(glm::distance(glm::dvec3(p), expected), tolerance) << p.x << " " << p.y << " " << p.z;
  }
  /// Distance of a vertex of F-CYL from the axis.
  static double from_axis(const deform::DeformedCharacter& shape, int ring, int around) {
    const glm::dvec3 p(shape.parts[0].positions[test::cylinder_vertex(ring, around)]);
    return std::hypot(p.y, p.z);
  }
  static double radians(double degrees) { return degrees * std::numbers::pi / 180; }

  static inline std::unique_ptr<GpuSkinner> skinner_;
  static inline std::string reason_;
};

constexpr double kSixDigits = 1e-6;  // of lengths from 0.1 to 4 m

TEST_F(GpuClosedForms, C7_1_C22_2_Elbow) {
  const rig::Character character = test::elbow();
  const rig::Pose pose = test::elbow_bent(character);
  expect_near(shape(character, pose, "lbs").parts[0].positions[0], {3.4, 1, 0}, kSixDigits);
  const glm::vec3 turned = shape(character, pose, "dqs").parts[0].positions[0];
  expect_near(turned, {3.337949, 1.249675, 0}, 2 * kSixDigits);  // printed to six digits
  EXPECT_NEAR(glm::distance(glm::dvec3(turned), glm::dvec3(4, 0, 0)), std::numbers::sqrt2, kSixDigits);
}

TEST_F(GpuClosedForms, C7_2_Chord) {
  const rig::Character character = one_vertex(0.5f);
  rig::Pose pose = rig::rest_pose(character);
  pose.local[1].rotation = glm::angleAxis(std::numbers::pi_v<float> / 2, glm::vec3(0, 0, 1));
  expect_near(shape(character, pose, "lbs").parts[0].positions[0], {0.5, 0.5, 0}, kSixDigits);
}

TEST_F(GpuClosedForms, C22_6_StretchComesBeforeTheRotation) {
  const rig::Character character = one_vertex(1.0f);
  rig::Pose pose = rig::rest_pose(character);
  pose.local[1].rotation = glm::angleAxis(std::numbers::pi_v<float> / 2, glm::vec3(0, 0, 1));
  pose.local[1].scale = glm::vec3(2, 1, 1);
  expect_near(shape(character, pose, "dqs").parts[0].positions[0], {0, 2, 0}, kSixDigits);
}

TEST_F(GpuClosedForms, C7_3_C22_3_C23_3_C53_2_RingsUnderTwist) {
  const rig::Character character = test::cylinder();
  for (const char* method : {"lbs", "dqs", "cor"}) {
    for (const double degrees : {30.0, 60.0, 90.0, 120.0, 150.0, 170.0}) {
      const double half = radians(degrees) / 2;
      const deform::DeformedCharacter twisted = shape(character, test::tip_turned(character, degrees, true), method);
      for (int ring = 16; ring <= 24; ++ring) {
        const double w = test::cylinder_weight(ring / 40.0);
        const bool collapses = std::string_view(method) == "lbs";
        const double radius = collapses ? 0.1 * std::sqrt(1 - 4 * w * (1 - w) * std::pow(std::sin(half), 2)) : 0.1;
        for (int k = 0; k < test::kCylinderAround; k += 5) {
          EXPECT_NEAR(from_axis(twisted, ring, k), radius, kSixDigits) << method << ", " << degrees << ", " << ring;
        }
        if (std::string_view(method) == "dqs") {
          const double angle = 2 * std::atan2(w * std::sin(half), 1 - w + w * std::cos(half));
          expect_near(twisted.parts[0].positions[test::cylinder_vertex(ring, 0)],
                      {ring / 40.0, 0.1 * std::cos(angle), 0.1 * std::sin(angle)}, kSixDigits);
        }
      }
    }
  }
}

TEST_F(GpuClosedForms, C7_4_TwistVolumeOfTheBlendZone) {
  const rig::Character character = test::cylinder();
  for (const double degrees : {60.0, 90.0, 120.0, 180.0}) {
    const deform::DeformedCharacter twisted = shape(character, test::tip_turned(character, degrees, true), "lbs");
    // The area of a ring is quadratic in its weight, so Simpson's rule over the zone's nine rings is exact.
    double sum = 0;
    for (int ring = 16; ring <= 24; ++ring) {
      sum += std::pow(from_axis(twisted, ring, 5) / 0.1, 2) * (ring == 16 || ring == 24 ? 1 : ring % 2 == 0 ? 2 : 4);
    }
    EXPECT_NEAR(sum / 24, 1 - 2.0 / 3 * std::pow(std::sin(radians(degrees) / 2), 2), 5e-6) << degrees;
  }
}

TEST_F(GpuClosedForms, C7_5_C53_2_RingAtTheBend) {
  const rig::Character character = test::cylinder();
  const measure::SkinMeter meter(character);
  const Result<measure::Ring> ring = meter.ring(1);
  ASSERT_TRUE(ring) << ring.error().message;
  for (const char* method : {"lbs", "dqs", "cor"}) {
    for (const double degrees : {30.0, 60.0, 90.0, 120.0, 150.0}) {
      const deform::DeformedCharacter bent = shape(character, test::tip_turned(character, degrees, false), method);
      const double small = std::string_view(method) == "lbs" ? 0.1 * std::cos(radians(degrees) / 2) : 0.1;
      const measure::RingRadius radius = meter.radius(*ring, bent);
      EXPECT_NEAR(radius.min, small, kSixDigits) << method << ", " << degrees;
      EXPECT_NEAR(radius.max, 0.1, kSixDigits) << method << ", " << degrees;
      const auto width = [&](int k) {
        const std::span<const glm::vec3> at = bent.parts[0].positions;
        return glm::distance(glm::dvec3(at[test::cylinder_vertex(20, k)]),
                             glm::dvec3(at[test::cylinder_vertex(20, k + 16)]));
      };
      EXPECT_NEAR(width(0) / 2, small, kSixDigits) << method << ": in the plane of the bend";
      EXPECT_NEAR(width(8) / 2, 0.1, kSixDigits) << method << ": across it";
    }
  }
}

TEST_F(GpuClosedForms, C53_3_C22_7_DistanceToThePosedBones) {
  const rig::Character character = test::cylinder();
  const measure::SkinMeter meter(character);
  const rig::Pose pose = test::tip_turned(character, 90, false);
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  const struct {
    const char* method;
    double min;
    double max;
  } rows[] = {{"lbs", 0.05, 0.101845}, {"dqs", 0.070019, 0.111978}, {"cor", 0.070582, 0.108092}};
  for (const auto& row : rows) {
    const measure::BoneDistance distance = meter.bone_distance(shape(character, pose, row.method), pose, world.world());
    EXPECT_NEAR(distance.min, row.min, kSixDigits) << row.method;
    EXPECT_NEAR(distance.max, row.max, kSixDigits) << row.method;
  }
}

}  // namespace
}  // namespace pelt::render
