#include "render/gpu_paint.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "deform/skinning_methods.h"
#include "render/gl_test.h"
#include "render/gpu_character.h"
#include "render/gpu_parity.h"
#include "render/large_sheet.h"
#include "support/effort.h"
#include "support/fixtures.h"

namespace pelt::render {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(PaintRanges, NearVerticesShareARangeAndFarOnesDoNot) {
  std::vector<RowRange> ranges;
  for (const std::size_t v : {3u, 4u, 10u, 40u, 200u, 201u}) {
    add_to_ranges(ranges, v);
  }
  EXPECT_THAT(ranges, ElementsAre(RowRange(3, 8), RowRange(40, 1), RowRange(200, 2)));
}

constexpr int kVertices = 300;

/// One character in one place and what is asked of it.
struct Posed {
  rig::Character character;
  rig::Pose pose;
  deform::SkinningSettings skinning;
  bool paint = true;
  std::uint64_t version = 0;
  std::shared_ptr<const CharacterPlan> plan = nullptr;

  [[nodiscard]] deform::DeformedCharacter cpu() const { return deform::deform_once(character, pose, skinning); }
};

class GpuPaint : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    if (!IsSkipped()) {
      programs_ = std::make_unique<ProgramCache>(ShaderLibrary::from_environment());
    }
  }
  void TearDown() override {
    programs_.reset();
    GlTest::TearDown();
  }

  static UploadStats update(GpuCharacter& gpu, const Posed& posed) {
    rig::WorldMatrices world;
    world.evaluate(posed.character.skeleton, posed.pose);
    deform::DeformedCharacter deformed;
    if (needs_cpu(posed.character, posed.skinning)) {
      deformed = posed.cpu();
    }
    const Status updated = gpu.update({.character = &posed.character,
                                       .pose = &posed.pose,
                                       .world = world.world(),
                                       .pose_version = posed.version,
                                       .skinning = posed.skinning,
                                       .deformed = &deformed,
                                       .paint = posed.paint,
                                       .plan = posed.plan});
    EXPECT_TRUE(updated) << updated.error().message;
    return gpu.uploads();
  }
  deform::DeformedCharacter shape(GpuCharacter& gpu, const Posed& posed) {
    update(gpu, posed);
    auto read = gpu.read_back(*programs_);
    EXPECT_TRUE(read) << read.error().message;
    return read ? std::move(*read) : deform::DeformedCharacter();
  }
  deform::DeformedCharacter fresh(const Posed& posed) {
    GpuCharacter gpu(device_limits());
    return shape(gpu, posed);
  }
  static void expect_same(const deform::DeformedCharacter& a, const deform::DeformedCharacter& b,
                          const std::string& what) {
    ASSERT_EQ(a.parts.size(), b.parts.size()) << what;
    for (std::size_t p = 0; p < a.parts.size(); ++p) {
      EXPECT_EQ(a.parts[p].positions, b.parts[p].positions) << what << ", part " << p;
      EXPECT_EQ(a.parts[p].normals, b.parts[p].normals) << what << ", part " << p;
      EXPECT_EQ(a.parts[p].tangents, b.parts[p].tangents) << what << ", part " << p;
    }
  }
  static void expect_near_cpu(const deform::DeformedCharacter& shape, const Posed& posed, const std::string& what) {
    const deform::DeformedCharacter cpu = posed.cpu();
    const measure::Difference difference = measure::difference(shape, cpu);
    EXPECT_LE(difference.max, kPositionTolerance * static_cast<double>(cpu.bounds.diagonal())) << what;
    EXPECT_LE(difference.max_normal_angle, kNormalTolerance) << what;
    EXPECT_EQ(difference.non_finite, 0) << what;
  }

  std::unique_ptr<ProgramCache> programs_;
};

/// Gives `count` random vertices rows of up to `most` random joints.
void dab(rig::Character& character, test::Random& random, int count, int most) {
  const int joints = static_cast<int>(character.skins[0].joints.size());
  mesh::Influences& rows = character.meshes.edit(0).primitives.edit(0).influences.edit();
  for (int i = 0; i < count; ++i) {
    std::vector<std::uint16_t> row;
    std::vector<float> weights;
    for (int k = random.below(most + 1); k > 0; --k) {
      const auto joint = static_cast<std::uint16_t>(random.below(joints));
      if (std::ranges::find(row, joint) == row.end()) {
        row.push_back(joint);
        weights.push_back(random.real(0.05f, 1.0f));
      }
    }
    rows.set_row(static_cast<std::size_t>(random.below(static_cast<int>(rows.vertex_count()))), row, weights);
  }
}

Posed random_posed(std::uint32_t seed, int influences) {
  Posed posed;
  posed.character = test::random_rig({.seed = seed, .joints = 20, .vertices = kVertices, .influences = influences});
  posed.pose = rig::rest_pose(posed.character);
  return posed;
}

// Whatever is edited, taken back and posed: what was followed equals what is made anew, bit for bit.
TEST_F(GpuPaint, FollowsEditsUndoAndPosesOfEveryMethodAndFormat) {
  for (std::size_t m = 0; m < deform::skinning_methods().size(); ++m) {
    const deform::SkinningMethod& method = deform::skinning_methods()[m];
    if (method.shader.empty()) {
      continue;
    }
    for (const deform::WeightFormatInfo& format : deform::kWeightFormats) {
      if (test::sanitized() &&
          m % deform::kWeightFormats.size() != static_cast<std::size_t>(&format - deform::kWeightFormats.data())) {
        continue;  // each method and each format, not all pairs
      }
      Posed posed = random_posed(60 + static_cast<std::uint32_t>(m), 3);
      posed.skinning.method = static_cast<int>(m);
      posed.skinning.weight_format = format.format;
      posed.skinning.weights_as_stored = format.format == deform::WeightFormat::kFloat && m % 2 == 0;
      posed.skinning.parameters.direct_iterations = 2;  // in a soup of triangles more reach every vertex
      test::Random random(17 + static_cast<std::uint32_t>(m));
      GpuCharacter gpu(device_limits());
      std::vector<rig::Character> past = {posed.character};
      for (int step = 0; step < 8; ++step) {
        const std::string what = fmt::format("{}, {}, step {}", method.id, format.id, step);
        switch (step % 4) {
          case 0:
          case 1:
            past.push_back(posed.character);
            dab(posed.character, random, 1 + random.below(40), step < 4 ? 4 : 7);
            break;
          case 2:
            posed.pose = test::random_pose(posed.character, random, 1.0);
            ++posed.version;
            break;
          default:
            posed.character = past[random.below(static_cast<int>(past.size()))];
            break;
        }
        const deform::DeformedCharacter followed = shape(gpu, posed);
        EXPECT_EQ(gpu.path(0), VertexPath::kSkinned) << what;
        EXPECT_THAT(gpu.batches(), SizeIs(1)) << what;
        expect_same(followed, fresh(posed), what);
        expect_near_cpu(followed, posed, what);
      }
      posed.paint = false;
      expect_same(shape(gpu, posed), fresh(posed), fmt::format("{}, {}, left", method.id, format.id));
    }
  }
}

TEST_F(GpuPaint, AnEditOfWeightsMovesItsRowsAndNothingElse) {
  Posed posed = random_posed(3, 4);
  GpuCharacter gpu(device_limits());
  EXPECT_GT(update(gpu, posed).static_bytes, 0);
  const std::uint64_t plan = gpu.plan_version();
  const std::uint16_t joints[] = {2, 5};
  const float weights[] = {0.25f, 0.75f};
  mesh::Influences& rows = posed.character.meshes.edit(0).primitives.edit(0).influences.edit();
  for (const std::size_t v : {10u, 11u, 12u, 290u}) {
    rows.set_row(v, joints, weights);
  }
  const UploadStats uploads = update(gpu, posed);
  EXPECT_EQ(uploads.static_bytes, 0);
  EXPECT_EQ(uploads.vertex_bytes, 0);
  EXPECT_EQ(uploads.row_ranges, 2);
  EXPECT_EQ(uploads.row_bytes, 4 * (8 + 8 * 4)) << "eight joints of a byte and eight floats for each of four vertices";
  EXPECT_EQ(uploads.palette_bytes, 0);
  EXPECT_EQ(gpu.plan_version(), plan);
  EXPECT_EQ(update(gpu, posed).row_bytes, 0) << "once";
}

TEST_F(GpuPaint, NamesUploadNothing) {
  for (const bool paint : {false, true}) {
    for (const deform::Backend backend : {deform::Backend::kGpu, deform::Backend::kCpu}) {
      Posed posed = random_posed(4, 4);
      posed.paint = paint;
      posed.skinning.backend = backend;
      GpuCharacter gpu(device_limits());
      update(gpu, posed);
      const std::uint64_t plan = gpu.plan_version();
      posed.character.skeleton.edit().name[1] = "another";
      posed.character.meshes.edit(0).name = "another";
      const UploadStats uploads = update(gpu, posed);
      EXPECT_EQ(uploads.palette_bytes + uploads.vertex_bytes + uploads.static_bytes + uploads.row_bytes, 0);
      EXPECT_EQ(gpu.plan_version(), plan);
    }
  }
}

// Where weights keep the batches their vertices, these stay too.
TEST_F(GpuPaint, BatchesOfOtherWeightsKeepVerticesThatStayInTheirPlaces) {
  Posed posed = random_posed(5, 4);
  posed.paint = false;
  GpuCharacter gpu(device_limits());
  const std::int64_t all = update(gpu, posed).static_bytes;
  test::Random random(5);
  dab(posed.character, random, 20, 4);
  const UploadStats uploads = update(gpu, posed);
  EXPECT_GT(uploads.static_bytes, 0);
  const std::int64_t positions = kVertices * (12 + 12 + 16 + 8);
  EXPECT_LE(uploads.static_bytes, all - positions);
  expect_same(shape(gpu, posed), fresh(posed), "batches");
}

TEST_F(GpuPaint, WhatNoPoseMovesFollowsItsOwnArray) {
  Posed posed = random_posed(6, 4);
  for (const bool paint : {false, true}) {
    posed.paint = paint;
    GpuCharacter gpu(device_limits());
    update(gpu, posed);
    posed.character.meshes.edit(0).primitives.edit(0).normals.edit()[3] *= -1.0f;
    EXPECT_EQ(update(gpu, posed).static_bytes, kVertices * 12) << "normals";
    expect_same(shape(gpu, posed), fresh(posed), "normals");
    posed.character.meshes.edit(0).primitives.edit(0).positions.edit()[3] *= 2.0f;
    EXPECT_EQ(update(gpu, posed).static_bytes, kVertices * 12) << "positions";
    expect_same(shape(gpu, posed), fresh(posed), "positions");
    posed.character.skins.edit(0).joint_from_mesh[2][3].x += 0.5f;
    EXPECT_EQ(update(gpu, posed).static_bytes, 0) << "a skin is a palette";
    expect_same(shape(gpu, posed), fresh(posed), "bind matrices");
  }
}

TEST_F(GpuPaint, RowsThatTheShaderCannotTakeAreStreamedUntilTheyAreNarrowAgain) {
  Posed posed = random_posed(7, 4);
  GpuCharacter gpu(device_limits());
  update(gpu, posed);
  const rig::Character before = posed.character;
  std::vector<std::uint16_t> joints(9);
  std::iota(joints.begin(), joints.end(), std::uint16_t{0});
  posed.character.meshes.edit(0).primitives.edit(0).influences.edit().set_row(0, joints, std::vector<float>(9, 1.0f));
  expect_near_cpu(shape(gpu, posed), posed, "nine influences");
  EXPECT_EQ(gpu.path(0), VertexPath::kStreamed);
  EXPECT_THAT(gpu.notes(), ElementsAre(HasSubstr("9 influences per vertex, the shader takes 8: skinned on the CPU")));
  posed.character = before;
  expect_same(shape(gpu, posed), fresh(posed), "narrow again");
  EXPECT_EQ(gpu.path(0), VertexPath::kSkinned);
  EXPECT_THAT(gpu.notes(), IsEmpty());
}

// A joint that nobody followed has anything in its palette.
TEST_F(GpuPaint, JointsThatBeginToBeFollowedAreReady) {
  Posed posed = random_posed(8, 4);
  posed.skinning.method = deform::find_method("dqs");
  mesh::Influences& rows = posed.character.meshes.edit(0).primitives.edit(0).influences.edit();
  const std::uint16_t first[] = {0};
  const std::uint16_t other[] = {7};
  const float one[] = {1.0f};
  for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
    rows.set_row(v, first, one);
  }
  test::Random random(8);
  posed.pose = test::random_pose(posed.character, random, 2.0, 0.3f);
  GpuCharacter gpu(device_limits());
  update(gpu, posed);
  const rig::Character before = posed.character;
  posed.character.meshes.edit(0).primitives.edit(0).influences.edit().set_row(280, other, one);
  expect_same(shape(gpu, posed), fresh(posed), "begins");
  expect_near_cpu(shape(gpu, posed), posed, "begins");
  posed.character = before;
  expect_same(shape(gpu, posed), fresh(posed), "ceases");
}

TEST_F(GpuPaint, APlanFromAnotherThreadIsTakenWhereItIsOfTheSameParts) {
  Posed posed = random_posed(9, 4);
  posed.skinning.palette_limit = 12;
  posed.skinning.partition = true;
  GpuCharacter gpu(device_limits());
  update(gpu, posed);
  const DeviceLimits limits = device_limits();
  Result<std::shared_ptr<const CharacterPlan>> plan = error("not planned");
  std::thread([&] { plan = plan_character(posed.character, posed.skinning, false, limits); }).join();
  ASSERT_TRUE(plan) << plan.error().message;
  posed.paint = false;
  posed.plan = *plan;
  Posed edited = posed;
  test::Random random(9);
  dab(edited.character, random, 5, 4);
  EXPECT_FALSE(update(gpu, edited).took_plan) << "weights went on";
  edited.plan = nullptr;
  expect_same(shape(gpu, edited), fresh(edited), "planned here");
  EXPECT_TRUE(update(gpu, posed).took_plan);
  const deform::DeformedCharacter taken = shape(gpu, posed);
  posed.plan = nullptr;
  expect_same(taken, fresh(posed), "planned elsewhere");
  GpuCharacter other(device_limits());
  update(other, posed);
  ASSERT_EQ(gpu.batches().size(), other.batches().size());
  for (std::size_t b = 0; b < gpu.batches().size(); ++b) {
    EXPECT_EQ(gpu.batches()[b].palette, other.batches()[b].palette);
  }
}

// Vertices in random order touch every block with a row each, and cost their rows all the same. gpu_paint_cost_test.cpp
// measures the time.
TEST_F(GpuPaint, ADabOnAMillionVerticesCostsItsRows) {
  Posed posed;
  posed.character = large_sheet();
  posed.pose = rig::rest_pose(posed.character);
  GpuCharacter gpu(device_limits());
  update(gpu, posed);
  const std::size_t vertices = posed.character.meshes[0].primitives[0].vertex_count();
  const std::int64_t row = gpu.influence_bytes() / static_cast<std::int64_t>(vertices);
  for (const bool scattered : {false, true}) {
    for (int i = 0; i < (test::sanitized() ? 3 : 9); ++i) {
      edit_a_thousand_rows(posed.character, i, scattered);
      const UploadStats uploads = update(gpu, posed);
      EXPECT_EQ(uploads.row_bytes, 1000 * row);
      EXPECT_EQ(uploads.row_ranges, scattered ? 1000 : 1);
      EXPECT_EQ(uploads.static_bytes + uploads.palette_bytes + uploads.vertex_bytes, 0);
    }
  }
}

TEST_F(GpuPaint, AnotherSkinOrNumberOfVerticesIsWrittenAnew) {
  test::Random random(5);
  Posed posed;
  posed.character = test::cylinder();
  posed.pose = test::random_pose(posed.character, random, 0.8);
  GpuCharacter gpu(device_limits());
  update(gpu, posed);
  const rig::Character before = posed.character;
  // More joints than one byte numbers, the last of them followed.
  rig::Character wider = before;
  rig::Skin& skin = wider.skins.edit(0);
  while (skin.joints.size() < 300) {
    skin.joints.push_back(skin.joints[1]);
    skin.joint_from_mesh.push_back(skin.joint_from_mesh[1]);
  }
  const std::uint16_t last[] = {299};
  const float one[] = {1};
  wider.meshes.edit(0).primitives.edit(0).influences.edit().set_row(7, last, one);
  posed.character = wider;
  ++posed.version;
  expect_same(shape(gpu, posed), fresh(posed), "more joints");
  posed.character = before;
  ++posed.version;
  expect_same(shape(gpu, posed), fresh(posed), "fewer joints again");
  // One vertex more, which no triangle uses.
  rig::Character longer = before;
  mesh::Primitive& primitive = longer.meshes.edit(0).primitives.edit(0);
  primitive.positions.push_back(glm::vec3(1));
  primitive.normals.push_back(glm::vec3(0, 0, 1));
  const std::uint16_t first[] = {0};
  mesh::append_row(primitive.influences.edit(), first, one);
  posed.character = longer;
  ++posed.version;
  expect_same(shape(gpu, posed), fresh(posed), "one vertex more");
}

TEST_F(GpuPaint, WhatStoodInForAPreparationGoesWhenItIsThere) {
  for (const char* id : {"cor", "ddm"}) {
    Posed posed = random_posed(12, 3);
    posed.skinning.method = deform::find_method(id);
    posed.skinning.parameters.direct_iterations = 2;
    test::Random random(12);
    posed.pose = test::random_pose(posed.character, random, 1.0);
    deform::SkinCache cache;
    cache.serve_outdated(true);
    GpuCharacter gpu(device_limits());
    const auto shown = [&] {
      rig::WorldMatrices world;
      world.evaluate(posed.character.skeleton, posed.pose);
      const Status updated = gpu.update({.character = &posed.character,
                                         .pose = &posed.pose,
                                         .world = world.world(),
                                         .pose_version = ++posed.version,
                                         .skinning = posed.skinning,
                                         .cache = &cache,
                                         .paint = posed.paint});
      EXPECT_TRUE(updated) << updated.error().message;
      auto read = gpu.read_back(*programs_);
      return read ? std::move(*read) : deform::DeformedCharacter();
    };
    ASSERT_TRUE(cache.prepare(posed.character, posed.skinning, {}));
    shown();
    dab(posed.character, random, 20, 3);
    shown();  // by what was prepared before
    ASSERT_EQ(cache.readiness(posed.character, posed.skinning), deform::Readiness::kOutdated);
    ASSERT_TRUE(cache.prepare(posed.character, posed.skinning, {}));
    expect_same(shown(), fresh(posed), id);
  }
}

TEST_F(GpuPaint, RowsThatOutgrowTheirSlotsGetMore) {
  Posed posed = random_posed(11, 2);
  test::Random random(11);
  posed.pose = test::random_pose(posed.character, random, 1.0);
  GpuCharacter gpu(device_limits());
  update(gpu, posed);
  const std::int64_t narrow = gpu.influence_bytes();
  for (const std::size_t count : {4u, 5u, 8u, 2u}) {
    std::vector<std::uint16_t> joints(count);
    std::iota(joints.begin(), joints.end(), std::uint16_t{3});
    mesh::Influences& rows = posed.character.meshes.edit(0).primitives.edit(0).influences.edit();
    rows.set_row(17, joints, std::vector<float>(count, 1.0f));
    expect_near_cpu(shape(gpu, posed), posed, fmt::format("{} influences", count));
    EXPECT_EQ(gpu.path(0), VertexPath::kSkinned);
  }
  EXPECT_GT(gpu.influence_bytes(), narrow);
}

TEST_F(GpuPaint, OtherTrianglesOfTheSameVerticesAreDrawn) {
  for (const bool paint : {false, true}) {
    Posed posed = random_posed(10, 4);
    posed.paint = paint;
    GpuCharacter gpu(device_limits());
    update(gpu, posed);
    ASSERT_EQ(gpu.batches()[0].triangles, kVertices - 2);
    posed.character.meshes.edit(0).primitives.edit(0).indices.edit().resize(30);
    EXPECT_GT(update(gpu, posed).static_bytes, 0) << "elements";
    EXPECT_EQ(gpu.batches()[0].triangles, 10);
    expect_same(shape(gpu, posed), fresh(posed), "other triangles");
  }
}

TEST_F(GpuPaint, AttributesThatComeAndGoAreFollowed) {
  for (const bool paint : {false, true}) {
    Posed posed = random_posed(13, 4);
    posed.paint = paint;
    const rig::Character whole = posed.character;
    GpuCharacter gpu(device_limits());
    update(gpu, posed);
    posed.character.meshes.edit(0).primitives.edit(0).normals = {};
    posed.character.meshes.edit(0).primitives.edit(0).tangents = {};
    EXPECT_TRUE(shape(gpu, posed).parts[0].normals.empty()) << paint;
    posed.character = whole;
    expect_same(shape(gpu, posed), fresh(posed), "they are back");
  }
}

TEST_F(GpuPaint, JointsThatBeginToBeFollowedAreReadyUnderEveryMethod) {
  for (const char* id : {"dqs", "dqs-exact", "cor", "ddm"}) {
    Posed posed = random_posed(8, 4);
    posed.skinning.method = deform::find_method(id);
    posed.skinning.parameters.direct_iterations = 2;
    mesh::Influences& rows = posed.character.meshes.edit(0).primitives.edit(0).influences.edit();
    const std::uint16_t first[] = {0};
    const std::uint16_t other[] = {7};
    const float one[] = {1.0f};
    for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
      rows.set_row(v, first, one);
    }
    test::Random random(8);
    posed.pose = test::random_pose(posed.character, random, 1.0, 0.3f);
    GpuCharacter gpu(device_limits());
    update(gpu, posed);
    posed.character.meshes.edit(0).primitives.edit(0).influences.edit().set_row(280, other, one);
    expect_same(shape(gpu, posed), fresh(posed), id);
  }
}

}  // namespace
}  // namespace pelt::render
