// What is kept of a character follows edits of its weights: the result is that of a fresh one, the cost that of the
// edit.
#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deform/deform.h"
#include "deform/fast_skin.h"
#include "deform/followed_joints.h"
#include "deform/layers.h"
#include "rig/kinematics.h"
#include "support/fixtures.h"

namespace pelt::deform {
namespace {

constexpr int kRigJoints = 20;

void expect_equal(const DeformedCharacter& a, const DeformedCharacter& b) {
  ASSERT_EQ(a.parts.size(), b.parts.size());
  for (std::size_t p = 0; p < a.parts.size(); ++p) {
    ASSERT_EQ(a.parts[p].positions, b.parts[p].positions) << p;
    ASSERT_EQ(a.parts[p].normals, b.parts[p].normals) << p;
    ASSERT_EQ(a.parts[p].tangents, b.parts[p].tangents) << p;
  }
  ASSERT_EQ(a.bounds.lower, b.bounds.lower);
  ASSERT_EQ(a.bounds.upper, b.bounds.upper);
}

// Two meshes of one skin, the second of few vertices; neighbours follow neighbouring joints.
rig::Character character_of(int vertices, int morph_targets = 0) {
  rig::Character character =
      test::random_rig({.seed = 91, .joints = kRigJoints, .vertices = vertices, .morph_targets = morph_targets});
  mesh::Influences& rows = character.meshes.edit(0).primitives.edit(0).influences.edit();
  for (int v = 0; v < vertices; ++v) {
    const int first = v * (kRigJoints - 2) / vertices;
    const std::uint16_t joints[] = {static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(first + 1)};
    const float weights[] = {0.25f, 0.75f};
    rows.set_row(static_cast<std::size_t>(v), std::span(joints).first(v % 7 == 0 ? 1 : 2),
                 std::span(weights).first(v % 7 == 0 ? 1 : 2));
  }
  const rig::Character small = test::random_rig({.seed = 92, .joints = kRigJoints, .vertices = 300});
  character.meshes.push_back(small.meshes[0]);
  character.mesh_nodes.push_back({.joint = 0, .mesh = 1, .skin = 0, .morph_weights = {}});
  rig::finish(character);
  return character;
}

void edit_rows(rig::Character& character, std::size_t mesh, int count, int most_joints, test::Random& random) {
  mesh::Influences& rows = character.meshes.edit(mesh).primitives.edit(0).influences.edit();
  const int vertex_count = static_cast<int>(rows.vertex_count());
  const bool contiguous = random.below(2) == 0;
  const int first = random.below(vertex_count);
  for (int i = 0; i < count; ++i) {
    const int v = contiguous ? (first + i) % vertex_count : random.below(vertex_count);
    std::vector<std::uint16_t> joints(kRigJoints);
    std::iota(joints.begin(), joints.end(), std::uint16_t{0});
    for (std::size_t j = 0; j + 1 < joints.size(); ++j) {
      std::swap(joints[j], joints[j + static_cast<std::size_t>(random.below(static_cast<int>(joints.size() - j)))]);
    }
    joints.resize(random.below(most_joints + 1));
    std::vector<float> weights;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      weights.push_back(random.real(0.1f, 1.0f));
    }
    rows.set_row(static_cast<std::size_t>(v), joints, weights);
  }
}

struct Way {
  const char* method;
  NormalVariant normals;
  WeightFormat format;
  int limit;
};
void PrintTo(const Way& way, std::ostream* out) {
  *out << way.method << " " << letter_of(way.normals);
}

class EditedWeights : public testing::TestWithParam<Way> {
 protected:
  static SkinningSettings settings() {
    SkinningSettings out;
    out.method = find_method(GetParam().method);
    out.normals = GetParam().normals;
    out.weight_format = GetParam().format;
    out.influence_limit = GetParam().limit;
    return out;
  }
};

// Edits, poses, morph weights, travel through what there was, with rows that become too long for the kernels.
TEST_P(EditedWeights, GiveWhatAFreshDeformerGives) {
  const SkinningSettings settings = EditedWeights::settings();
  ASSERT_GE(settings.method, 0);
  const bool plain = skinning_methods()[settings.method].fast == FastMethod::kNone;
  test::Random random(93);
  std::vector<rig::Character> history = {character_of(plain ? 400 : 5000, 2)};
  rig::Pose pose = rig::rest_pose(history[0]);
  CpuDeformer deformer;
  DeformedCharacter out;
  DeformedCharacter before;
  std::uint64_t serial = 0;
  for (int step = 0; step < (plain ? 12 : 40); ++step) {
    rig::Character character = history.back();
    const int kind = random.below(8);
    if (kind < 5) {
      edit_rows(character, static_cast<std::size_t>(random.below(4) == 0), 1 + random.below(60),
                step % 9 == 8 ? kRigJoints : 5, random);
    } else if (kind == 5) {
      character = history[random.below(static_cast<int>(history.size()))];
    } else if (kind == 6) {
      pose = test::random_pose(character, random, 0.7);
    } else {
      pose.morph_weights[0] = random.real(0.0f, 1.0f);
    }
    history.push_back(character);
    rig::WorldMatrices world;
    world.evaluate(character.skeleton, pose);
    deformer.deform(character, pose, world.world(), settings, out);
    ASSERT_NO_FATAL_FAILURE(expect_equal(out, deform_once(character, pose, settings))) << step;
    // Outside of what it says that it wrote nothing is other than it was.
    for (std::size_t p = 0; p < before.parts.size(); ++p) {
      std::size_t at = 0;
      std::vector<VertexRange> ranges = deformer.written_since(serial, p);
      ranges.push_back({out.parts[p].positions.size(), 0});
      for (const VertexRange& range : ranges) {
        for (; at < range.first; ++at) {
          ASSERT_EQ(out.parts[p].positions[at], before.parts[p].positions[at]) << step;
          ASSERT_EQ(out.parts[p].normals[at], before.parts[p].normals[at]) << step;
        }
        at = range.end;
      }
    }
    before = out;
    serial = deformer.serial();
  }
}

std::string name_of_way(const testing::TestParamInfo<Way>& way) {
  std::string out = std::string(way.param.method) + "_" + letter_of(way.param.normals);
  std::ranges::replace(out, '-', '_');
  return out + "_" + std::to_string(way.index);
}
INSTANTIATE_TEST_SUITE_P(Ways, EditedWeights,
                         testing::Values(Way{"lbs", NormalVariant::kInverseTransposeOfBlend, WeightFormat::kFloat, 0},
                                         Way{"lbs", NormalVariant::kLargestWeight, WeightFormat::kUnorm8, 4},
                                         Way{"lbs", NormalVariant::kRecomputed, WeightFormat::kFloat, 0},
                                         Way{"lbs", NormalVariant::kExact, WeightFormat::kFloat, 0},
                                         Way{"rigid", NormalVariant::kInverseTransposeOfBlend, WeightFormat::kFloat, 0},
                                         Way{"dqs", NormalVariant::kInverseTransposeOfBlend, WeightFormat::kFloat, 0},
                                         Way{"dqs", NormalVariant::kInverseTransposeOfBlend, WeightFormat::kUnorm16, 3},
                                         Way{"dqs-exact", NormalVariant::kInverseTransposeOfBlend, WeightFormat::kFloat,
                                             0},
                                         Way{"cor", NormalVariant::kInverseTransposeOfBlend, WeightFormat::kFloat, 0},
                                         Way{"delta-mush", NormalVariant::kRecomputed, WeightFormat::kFloat, 0},
                                         Way{"ddm", NormalVariant::kInverseTransposeOfBlend, WeightFormat::kFloat, 0}),
                         name_of_way);

TEST(CpuDeformer, C11_3_AnEditOfWeightsWritesItsChunkAlone) {
  if (fast_kernels().empty()) {
    GTEST_SKIP() << "no kernels on this machine";
  }
  rig::Character character = character_of(5000);
  test::Random random(94);
  const rig::Pose pose = test::random_pose(character, random, 0.7);
  const std::size_t large = character.parts[0].mesh == 0 ? 0 : 1;
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  CpuDeformer deformer;
  DeformedCharacter out;
  deformer.deform(character, pose, world.world(), {}, out);
  EXPECT_EQ(deformer.written_since(0, large), (std::vector<VertexRange>{{0, 5000}}));
  const std::uint64_t serial = deformer.serial();
  EXPECT_FALSE(deformer.deform(character, pose, world.world(), {}, out));
  EXPECT_TRUE(deformer.written_since(serial, large).empty());
  const auto put = [&](std::size_t v) {
    const mesh::Influences& rows = character.meshes[0].primitives[0].influences;
    const std::vector<std::uint16_t> joints(rows.joints(v).begin(), rows.joints(v).end());
    character.meshes.edit(0).primitives.edit(0).influences.edit().set_row(v, joints,
                                                                          std::vector<float>(joints.size(), 1.0f));
  };
  put(FastSkin::kChunkVertices + 1);
  EXPECT_TRUE(deformer.deform(character, pose, world.world(), {}, out));
  EXPECT_EQ(deformer.written_since(serial, large),
            (std::vector<VertexRange>{{FastSkin::kChunkVertices, 2 * FastSkin::kChunkVertices}}));
  EXPECT_TRUE(deformer.written_since(serial, 1 - large).empty()) << "the other mesh";
  put(4999);
  EXPECT_TRUE(deformer.deform(character, pose, world.world(), {}, out));
  EXPECT_EQ(deformer.written_since(serial, large), (std::vector<VertexRange>{{FastSkin::kChunkVertices, 5000}}));
}

TEST(SkinCache, BindingsFollowEditsAsIfGatheredAnew) {
  test::Random random(95);
  std::vector<rig::Character> history = {character_of(3000)};
  SkinCache cache;
  cache.bindings(history[0]);
  for (int step = 0; step < 60; ++step) {
    rig::Character character = history[random.below(static_cast<int>(history.size()))];
    if (random.below(6) == 0) {  // a joint that nothing follows any more
      character.meshes.edit(random.below(2)).primitives.edit(0).influences.edit().renumber_joints([](std::uint16_t j) {
        return j == 3 ? std::uint16_t{19} : j;
      });
    } else {
      edit_rows(character, static_cast<std::size_t>(random.below(2)), 1 + random.below(40), 4, random);
    }
    history.push_back(character);
    const std::vector<SkinBinding> expected = skin_bindings(character);
    const auto actual = cache.bindings(character);
    ASSERT_EQ(actual->size(), expected.size());
    for (std::size_t s = 0; s < expected.size(); ++s) {
      ASSERT_EQ((*actual)[s].order, expected[s].order) << step;
      ASSERT_EQ((*actual)[s].parent, expected[s].parent) << step;
      ASSERT_EQ((*actual)[s].anchor, expected[s].anchor) << step;
      ASSERT_EQ((*actual)[s].pivots, expected[s].pivots) << step;
      ASSERT_EQ((*actual)[s].shape_from_mesh, expected[s].shape_from_mesh) << step;
    }
  }
}

TEST(SkinCache, WeightsOfTheSameJointsBindNothingAnew) {
  rig::Character character = character_of(3000);
  SkinCache cache;
  FollowedJoints joints;
  joints.follow(character.meshes);
  const auto first = cache.bindings(character);
  const std::size_t all = joints.blocks_read();
  const std::uint16_t both[] = {4, 5};
  const float halves[] = {0.5f, 0.5f};
  character.meshes.edit(0).primitives.edit(0).influences.edit().set_row(700, both, halves);
  EXPECT_EQ(cache.bindings(character), first) << "the very same";
  EXPECT_EQ(cache.work().bound, 1u);
  joints.follow(character.meshes);
  EXPECT_EQ(joints.blocks_read(), all + 1);
}

// A stroke: what it has gone through is found again as far as the bytes allow, what is current always.
TEST(SkinCache, KeepsWhatEditsHaveSupersededAsFarAsItIsSmall) {
  const std::size_t limit = std::size_t{200} << 10;
  SkinCache cache(limit);
  SkinningSettings settings;
  settings.influence_limit = 2;
  test::Random random(96);
  std::vector<rig::Character> history = {character_of(5000)};
  std::vector<std::shared_ptr<const SkinData>> data = {cache.get(history[0], 0, settings)};
  for (int step = 0; step < 300; ++step) {
    rig::Character character = history.back();
    edit_rows(character, 0, 1, 4, random);
    history.push_back(character);
    data.push_back(cache.get(character, 0, settings));
    ASSERT_LE(cache.kept().superseded_bytes, limit);
  }
  const std::size_t kept = cache.kept().entries;
  EXPECT_GT(kept, 10u) << "a step holds a block of rows, some kilobytes";
  EXPECT_LT(kept, 300u);
  const SkinCache::Work work = cache.work();
  for (std::size_t back = 0; back < 10; ++back) {
    EXPECT_EQ(cache.get(history[history.size() - 1 - back], 0, settings), data[data.size() - 1 - back]) << back;
  }
  EXPECT_EQ(cache.work().blocks, work.blocks) << "going back computes nothing";
  // What shares nothing with what replaced it goes at once.
  rig::Character other = history.back();
  mesh::Primitive& primitive = other.meshes.edit(0).primitives.edit(0);
  primitive.influences = mesh::Influences(mesh::in_blocks(mesh::flat(*primitive.influences)));
  for (glm::vec3& position : primitive.positions.edit()) {
    position += 1.0f;
  }
  cache.get(other, 0, settings);
  EXPECT_LT(cache.kept().entries, kept);
  EXPECT_LE(cache.kept().superseded_bytes, limit);
}

TEST(SkinCache, ServesWhatWasPreparedBeforeAnEditUntilThereIsItsOwn) {
  for (const char* id : {"cor", "ddm", "delta-mush", "lbs"}) {
    SCOPED_TRACE(id);
    rig::Character character = character_of(300);
    SkinCache cache;
    SkinningSettings settings;
    settings.method = find_method(id);
    settings.normals = std::string_view(id) == "lbs" ? NormalVariant::kExact : settings.normals;
    EXPECT_EQ(cache.readiness(character, settings),
              std::string_view(id) == "lbs" ? Readiness::kReady : Readiness::kMissing);
    cache.serve_outdated(true);
    cache.prepare(character, settings, {});
    EXPECT_EQ(cache.readiness(character, settings), Readiness::kReady);
    const auto first = cache.get(character, 0, settings);
    EXPECT_FALSE(first->outdated);
    const SkinCache::Work work = cache.work();
    const rig::Character before = character;
    test::Random random(97);
    edit_rows(character, 0, 5, 3, random);
    EXPECT_EQ(cache.readiness(character, settings), Readiness::kOutdated);
    EXPECT_FALSE(cache.ready(character, settings) && std::string_view(id) != "lbs");
    const auto outdated = cache.get(character, 0, settings);
    EXPECT_TRUE(outdated->outdated);
    EXPECT_EQ(cache.get(character, 0, settings), outdated);
    EXPECT_TRUE(outdated->influences[0] == *character.meshes[0].primitives[0].influences) << "the weights are new";
    EXPECT_TRUE(outdated->prepared.is(first->prepared));
    EXPECT_EQ(cache.work().prepared, work.prepared);
    EXPECT_EQ(cache.get(before, 0, settings), first) << "going back finds its own";
    cache.prepare(character, settings, {});
    const auto own = cache.get(character, 0, settings);
    EXPECT_FALSE(own->outdated);
    EXPECT_EQ(cache.readiness(character, settings), Readiness::kReady);
    // Other points, or other joints: nothing to go on with.
    rig::Character moved = character;
    moved.meshes.edit(0).primitives.edit(0).positions.edit()[0].x += 1;
    EXPECT_NE(cache.readiness(moved, settings), Readiness::kOutdated);
    EXPECT_FALSE(cache.get(moved, 0, settings)->outdated);
    rig::Character renumbered = character;
    renumbered.skins.edit(0).joint_from_mesh[0][3].x += 1;
    renumbered.meshes.edit(0).primitives.edit(0).influences.edit().set_row(0, std::array<std::uint16_t, 1>{2},
                                                                           std::array<float, 1>{1.0f});
    EXPECT_FALSE(cache.get(renumbered, 0, settings)->outdated);
    cache.serve_outdated(false);
    edit_rows(character, 0, 5, 3, random);
    EXPECT_FALSE(cache.get(character, 0, settings)->outdated);
  }
}

TEST(SkinCache, AMeshWithoutASkinIsNotWaitedFor) {
  rig::Character character = character_of(300);
  mesh::Mesh prop = character.meshes[1];
  prop.primitives.edit(0).influences = {};
  character.meshes.push_back(std::move(prop));
  character.mesh_nodes.push_back({.joint = 0, .mesh = 2, .skin = -1, .morph_weights = {}});
  rig::finish(character);
  for (const char* id : {"cor", "ddm", "delta-mush"}) {
    SCOPED_TRACE(id);
    SkinCache cache;
    const SkinningSettings settings = {.method = find_method(id)};
    EXPECT_EQ(cache.readiness(character, settings), Readiness::kMissing);
    ASSERT_TRUE(cache.prepare(character, settings, {}));
    EXPECT_EQ(cache.work().prepared, 2u) << "of those that are skinned";
    EXPECT_EQ(cache.readiness(character, settings), Readiness::kReady);
  }
}

TEST(CpuDeformer, AnEditUnderALayerOnThePosedSkinMovesEachVertexOnce) {
  rig::Character character = character_of(5000);
  test::Random random(98);
  const rig::Pose pose = test::random_pose(character, random, 0.7);
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  rig::Layer layer = rig::standard_layer(find_deformer_layer_kind("push-posed")->about);
  layer.on = true;
  layer.values[0] = 0.1f;
  SkinningSettings settings;
  settings.layers = {layer};
  CpuDeformer deformer;
  DeformedCharacter out;
  deformer.deform(character, pose, world.world(), settings, out);
  for (int dab = 0; dab < 3; ++dab) {
    edit_rows(character, 0, 1, 3, random);
    deformer.deform(character, pose, world.world(), settings, out);
    ASSERT_NO_FATAL_FAILURE(expect_equal(out, deform_once(character, pose, settings))) << dab;
  }
}

TEST(CpuDeformer, FollowsEveryArrayOfAPrimitive) {
  rig::Character character = character_of(5000, 1);
  test::Random random(99);
  const rig::Pose pose = test::random_pose(character, random, 0.7);
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  const std::vector<std::function<void(mesh::Primitive&)>> edits = {
      [](mesh::Primitive& p) { p.positions.edit()[3].x += 1.0f; },
      [](mesh::Primitive& p) { p.normals.edit()[3] *= -1.0f; },
      [](mesh::Primitive& p) { p.tangents.edit()[3].w *= -1.0f; },
      [](mesh::Primitive& p) { p.morph_targets.edit(0).position_deltas.edit()[3].y += 1.0f; }};
  CpuDeformer deformer;
  DeformedCharacter out;
  deformer.deform(character, pose, world.world(), {}, out);
  for (std::size_t i = 0; i < edits.size(); ++i) {
    edits[i](character.meshes.edit(0).primitives.edit(0));
    EXPECT_TRUE(deformer.deform(character, pose, world.world(), {}, out)) << i;
    ASSERT_NO_FATAL_FAILURE(expect_equal(out, deform_once(character, pose, {}))) << i;
  }
}

TEST(SkinCache, KeepsTheLastSixteenSettingsOfAMesh) {
  const rig::Character character = character_of(300);
  SkinCache cache;
  SkinningSettings settings;
  const auto first = [&] {
    settings.prune_threshold = 0.001f;
    return cache.get(character, 0, settings);
  };
  const auto oldest = first();
  for (int k = 2; k <= 40; ++k) {
    settings.prune_threshold = 0.001f * static_cast<float>(k);
    const auto data = cache.get(character, 0, settings);
    EXPECT_EQ(cache.get(character, 0, settings), data) << "the newest is there";
    EXPECT_LE(cache.kept().entries, 16u);
  }
  EXPECT_NE(first(), oldest) << "gone";
}

}  // namespace
}  // namespace pelt::deform
