#include "deform/deform.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "core/parallel.h"
#include "deform/fast_kernels.h"
#include "deform/skinning_methods.h"
#include "one_vertex.h"
#include "support/effort.h"
#include "support/fixtures.h"

namespace pelt::deform {
namespace {

struct PoseInWorld {
  rig::Pose pose;
  rig::WorldMatrices world;
};

PoseInWorld pose_in_world(const rig::Character& character, const rig::Pose& pose) {
  PoseInWorld out{pose, {}};
  out.world.evaluate(character.skeleton, pose);
  return out;
}

bool same(const DeformedCharacter& a, const DeformedCharacter& b) {
  if (a.parts.size() != b.parts.size()) {
    return false;
  }
  for (std::size_t p = 0; p < a.parts.size(); ++p) {
    if (a.parts[p].positions != b.parts[p].positions || a.parts[p].normals != b.parts[p].normals ||
        a.parts[p].tangents != b.parts[p].tangents) {
      return false;
    }
  }
  return a.bounds.lower == b.bounds.lower && a.bounds.upper == b.bounds.upper;
}

TEST(CpuDeformer, C11_2_ThreadCountDoesNotMatter) {
  const rig::Character character = test::random_rig({.seed = 112, .vertices = 9000, .morph_targets = 2});
  test::Random random(112);
  const rig::Pose pose = test::random_pose(character, random, 2.0);
  for (std::size_t method = 0; method < skinning_methods().size(); ++method) {
    // In a soup of triangles every vertex is near every other, so more smoothing steps would all reach everywhere.
    const SkinningSettings settings = {.method = static_cast<int>(method), .parameters = {.direct_iterations = 2}};
    set_thread_limit(1);
    const DeformedCharacter one = deform_once(character, pose, settings);
    set_thread_limit(2);
    const DeformedCharacter two = deform_once(character, pose, settings);
    set_thread_limit(0);
    const DeformedCharacter all = deform_once(character, pose, settings);
    EXPECT_TRUE(same(one, two));
    EXPECT_TRUE(same(one, all));
  }
}

// The vector kernels read rounded rows in 16 bits; the sum of points has no such kernel.
TEST(CpuDeformer, C15_EveryWeightFormatIsReadAsItIsStored) {
  const rig::Character character = test::random_rig({.seed = 15, .joints = 30, .vertices = 3000, .influences = 4});
  test::Random random(15);
  const rig::Pose pose = test::random_pose(character, random, 1.0);
  const auto farthest = [](const DeformedCharacter& a, const DeformedCharacter& b) {
    float out = 0;
    for (std::size_t v = 0; v < b.parts[0].positions.size(); ++v) {
      out = std::max(out, glm::distance(a.parts[0].positions[v], b.parts[0].positions[v]));
    }
    return out / bounds_of(b.parts[0].positions).diagonal();
  };
  const DeformedCharacter unrounded = deform_once(character, pose, {.method = find_method("lbs-sum")});
  for (const WeightFormatInfo& format : kWeightFormats) {
    // The rows rounded before anything sees them, and a format that leaves them as they are.
    rig::Character rounded = character;
    mesh::Primitive& primitive = rounded.meshes.edit(0).primitives.edit(0);
    primitive.influences = mesh::quantized_influences(primitive.influences, format.format);
    const DeformedCharacter expected = deform_once(rounded, pose, {.method = find_method("lbs-sum")});
    for (const char* method : {"lbs", "lbs-sum"}) {
      const DeformedCharacter actual =
          deform_once(character, pose, {.method = find_method(method), .weight_format = format.format});
      EXPECT_LE(farthest(actual, expected), 1e-6f) << format.id << ", " << method;
    }
    if (format.format != WeightFormat::kFloat) {
      const auto fast = [&](const rig::Character& of, WeightFormat weights) {
        return deform_once(of, pose, {.method = find_method("lbs"), .weight_format = weights}).parts[0].positions;
      };
      EXPECT_EQ(fast(character, format.format) == fast(rounded, WeightFormat::kFloat), fast_kernels().empty())
          << format.id << " is multiplied out of 16 bits, which rounds otherwise than the same weights as floats";
      EXPECT_GE(farthest(expected, unrounded), 4e-6f) << format.id << " must show, else nothing is tried here";
    }
  }
}

// deform_cost_test.cpp measures the time.
TEST(CpuDeformer, C11_3_NothingChangedCostsNothing) {
  const rig::Character character = test::random_rig({.seed = 113, .vertices = 60000, .morph_targets = 1});
  test::Random random(113);
  const PoseInWorld a = pose_in_world(character, test::random_pose(character, random, 2.0));
  const PoseInWorld b = pose_in_world(character, test::random_pose(character, random, 2.0));
  CpuDeformer deformer;
  DeformedCharacter out;
  for (const PoseInWorld* now : {&a, &b, &a}) {
    EXPECT_TRUE(deformer.deform(character, now->pose, now->world.world(), {}, out));
    const DeformedCharacter before = out;
    EXPECT_FALSE(deformer.deform(character, now->pose, now->world.world(), {}, out));
    EXPECT_TRUE(same(before, out));
  }
}

TEST(CpuDeformer, EveryInputThatMattersIsNoticed) {
  const rig::Character character = test::random_rig({.seed = 3, .influences = 8, .morph_targets = 1});
  test::Random random(3);
  rig::Pose pose = test::random_pose(character, random, 1.0);
  CpuDeformer deformer;
  DeformedCharacter out;
  SkinningSettings settings;
  const auto changed = [&] {
    const PoseInWorld now = pose_in_world(character, pose);
    const bool computed = deformer.deform(character, now.pose, now.world.world(), settings, out);
    EXPECT_TRUE(same(out, deform_once(character, pose, settings)));
    EXPECT_FALSE(deformer.deform(character, now.pose, now.world.world(), settings, out));
    return computed;
  };
  EXPECT_TRUE(changed());
  settings.backend = Backend::kCpu;
  settings.palette_limit = 12;
  EXPECT_FALSE(changed());
  settings.method = find_method("rigid");
  EXPECT_TRUE(changed());
  settings.method = find_method("lbs");
  settings.influence_limit = 2;
  EXPECT_TRUE(changed());
  settings.normals = NormalVariant::kBlend;
  EXPECT_TRUE(changed());
  settings.weights_as_stored = true;
  EXPECT_TRUE(changed());
  pose.morph_weights[0] += 0.25f;
  EXPECT_TRUE(changed());
  pose.local[2].rotation = glm::quat(random.rotation());
  EXPECT_TRUE(changed());
  deformer.reset();
  EXPECT_TRUE(changed());
  DeformedCharacter other;
  const PoseInWorld now = pose_in_world(character, pose);
  EXPECT_TRUE(deformer.deform(character, now.pose, now.world.world(), settings, other));
  EXPECT_TRUE(same(other, out));
}

TEST(CpuDeformer, OnlyPartsThatChangedAreComputed) {
  // Two skins: a motion of the second leaves the memory of the first alone.
  rig::Character character = test::cylinder();
  const int other = test::add_node(character, "other", -1, {});
  mesh::Primitive primitive = test::cylinder_primitive();
  primitive.influences.edit().renumber_joints([](std::uint16_t) { return 0; });
  primitive.influences = mesh::limit_influences(primitive.influences, 1);
  test::add_skinned_mesh(character, "second", {other}, std::move(primitive));
  rig::finish(character);
  ASSERT_EQ(character.parts.size(), 2u);
  rig::Pose pose = rig::rest_pose(character);
  CpuDeformer deformer;
  DeformedCharacter out;
  PoseInWorld now = pose_in_world(character, pose);
  deformer.deform(character, now.pose, now.world.world(), {}, out);
  const glm::vec3 mark(123, 456, 789);
  out.parts[0].positions[0] = mark;
  out.parts[1].positions[0] = mark;
  pose.local[other].translation.y = 1;
  now = pose_in_world(character, pose);
  EXPECT_TRUE(deformer.deform(character, now.pose, now.world.world(), {}, out));
  EXPECT_EQ(out.parts[0].positions[0], mark);
  EXPECT_NE(out.parts[1].positions[0], mark);
  EXPECT_NEAR(out.bounds.upper.y, 1.1, 1e-5);
  EXPECT_NEAR(out.bounds.lower.y, -0.1, 1e-5);
}

// Meshes of one skin that share a border stay together bit by bit, also where one of them follows a joint that makes
// its kernel take stretches into account.
TEST(CpuDeformer, MeshesOfOneSkinMeet) {
  rig::Character character = test::cylinder();
  const int stretched = test::add_node(character, "stretched", -1, {});
  mesh::Primitive primitive = test::cylinder_primitive();
  const std::size_t vertex_count = primitive.vertex_count();
  mesh::Influences rows;
  for (std::size_t v = 0; v < vertex_count; ++v) {
    const std::uint16_t last = 2;
    const float one = 1;
    if (v + 1 < vertex_count) {
      mesh::append_row(rows, primitive.influences->joints(v), primitive.influences->weights(v));
    } else {
      mesh::append_row(rows, {&last, 1}, {&one, 1});
    }
  }
  ASSERT_EQ(character.skins[0].joints.size(), 2u);
  character.skins.edit(0).joints.push_back(stretched);
  character.skins.edit(0).joint_from_mesh.emplace_back(1.0f);
  primitive.influences = rows;
  test::add_skinned_mesh(character, "other", character.skins[0].joints, std::move(primitive));
  character.mesh_nodes.edit().back().skin = 0;
  rig::finish(character);
  ASSERT_EQ(character.parts.size(), 2u);
  ASSERT_EQ(character.parts[0].skin, character.parts[1].skin);
  rig::Pose pose = rig::rest_pose(character);
  pose.local[1].rotation = glm::angleAxis(1.2f, glm::normalize(glm::vec3(1, 2, 3)));
  pose.local[stretched].scale = glm::vec3(2, 1, 0.5f);
  for (const char* method : {"lbs", "dqs"}) {
    SkinningSettings settings;
    settings.method = find_method(method);
    const DeformedCharacter out = deform_once(character, pose, settings);
    for (std::size_t v = 0; v + 1 < vertex_count; ++v) {
      ASSERT_EQ(out.parts[0].positions[v], out.parts[1].positions[v]) << method << ", vertex " << v;
    }
  }
}

// Recomputed normals are made of all parts of a mesh: none may be left over from the pose before.
TEST(CpuDeformer, RecomputedNormalsDoNotDependOnHistory) {
  rig::Character character = test::cylinder();
  mesh::Primitive plain = test::cylinder_primitive();
  plain.influences = {};
  character.meshes.edit(0).primitives.push_back(plain);
  rig::finish(character);
  ASSERT_EQ(character.parts.size(), 2u);
  SkinningSettings settings;
  settings.normals = NormalVariant::kRecomputed;
  rig::Pose pose = rig::rest_pose(character);
  CpuDeformer deformer;
  DeformedCharacter out;
  for (const float turn : {0.0f, 0.5f, 1.0f}) {
    const std::size_t node = character.parts[1].joint;
    pose.local[node].rotation = glm::angleAxis(turn, glm::vec3(0, 0, 1));
    const PoseInWorld now = pose_in_world(character, pose);
    deformer.deform(character, now.pose, now.world.world(), settings, out);
    EXPECT_TRUE(same(out, deform_once(character, pose, settings))) << turn;
  }
}

TEST(CpuDeformer, C17_APartWithoutSkinIsMorphed) {
  rig::Character character = test::random_rig({.seed = 31, .morph_targets = 2});
  character.meshes.edit(0).primitives.edit(0).influences = {};
  rig::finish(character);
  rig::Pose pose = rig::rest_pose(character);
  ASSERT_GE(pose.morph_weights.size(), 2u);
  pose.morph_weights[0] = 0.5f;
  pose.morph_weights[1] = -0.25f;
  const std::size_t node = character.parts[0].joint;
  pose.local[node].rotation = glm::angleAxis(0.7f, glm::vec3(0, 1, 0));
  const PoseInWorld now = pose_in_world(character, pose);
  const DeformedCharacter out = deform_once(character, pose, {});
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
    const glm::vec3 morphed = primitive.positions[v] + 0.5f * primitive.morph_targets[0].position_deltas[v] -
                              0.25f * primitive.morph_targets[1].position_deltas[v];
    const glm::vec3 expected(now.world.world()[node] * glm::vec4(morphed, 1.0f));
    ASSERT_LE(glm::distance(out.parts[0].positions[v], expected), 1e-6f * out.bounds.diagonal()) << v;
  }
}

TEST(CpuDeformer, AJointThatNothingFollowsCostsNothing) {
  rig::Character character = test::cylinder();
  const int idle = test::add_node(character, "idle", -1, {});
  rig::Skin& skin = character.skins.edit(0);
  skin.joints.push_back(idle);
  skin.joint_from_mesh.emplace_back(1.0f);
  rig::finish(character);
  rig::Pose pose = rig::rest_pose(character);
  CpuDeformer deformer;
  DeformedCharacter out;
  PoseInWorld now = pose_in_world(character, pose);
  deformer.deform(character, now.pose, now.world.world(), {}, out);
  const DeformedCharacter before = out;
  pose.local[idle].translation.y = 1;
  now = pose_in_world(character, pose);
  EXPECT_FALSE(deformer.deform(character, now.pose, now.world.world(), {}, out));
  EXPECT_TRUE(same(out, before));
}

TEST(CpuDeformer, C1_3_NodeOfASkinnedMeshIsIgnored) {
  rig::Character character;
  test::add_node(character, "node_0", -1, {.translation = {0, 1, 0}});
  test::add_node(character, "node_1", 0, {.scale = glm::vec3(0.5f)});
  mesh::Primitive primitive;
  primitive.topology = mesh::Topology::kPoints;
  primitive.indices = {0};
  primitive.positions = {{1, 0, 0}};
  const std::uint16_t joint = 0;
  const float one = 1.0f;
  mesh::append_row(primitive.influences.edit(), {&joint, 1}, {&one, 1});
  test::add_skinned_mesh(character, "mesh", {1}, primitive);
  character.skins.edit(0).joint_from_mesh = {glm::mat4(1.0f)};
  Transform& carrier = character.skeleton.edit().rest[character.mesh_nodes.edit()[0].joint];
  carrier.translation = {1, 0, 0};
  carrier.rotation = quat_xyzw(0.0f, 1.0f, 0.0f, 0.0f);
  rig::finish(character);
  const DeformedCharacter out = deform_once(character, rig::rest_pose(character), {});
  EXPECT_VEC_NEAR(out.parts[0].positions[0], glm::dvec3(0.5, 1, 0), 1e-6);
  EXPECT_TRUE(is_skinned(character, character.parts[0]));
}

TEST(CpuDeformer, PartsWithoutSkinFollowTheirNode) {
  // A stretched node: positions by its matrix, normals by the inverse transpose; points and absent normals are fine.
  rig::Character character;
  test::add_node(character, "node", -1, {.translation = {0, 0, 1}, .scale = {2, 1, 1}});
  mesh::Primitive lit;
  lit.topology = mesh::Topology::kLines;
  lit.indices = {0, 1};
  lit.positions = {{0, 0, 0}, {1, 1, 0}};
  lit.normals = {glm::normalize(glm::vec3(1, 1, 0)), {0, 0, 1}};
  lit.tangents = {glm::vec4(0, 0, 1, -1), glm::vec4(1, 0, 0, 1)};
  mesh::Primitive bare;
  bare.topology = mesh::Topology::kPoints;
  bare.indices = {0};
  bare.positions = {{1, 2, 3}};
  mesh::Primitive weighted = bare;  // influences, but the node has no skin
  const std::uint16_t joint = 7;
  const float one = 1.0f;
  mesh::append_row(weighted.influences.edit(), {&joint, 1}, {&one, 1});
  character.meshes.push_back(
      {.name = "", .primitives = {lit, bare, weighted, {}}, .morph_names = {}, .morph_weights = {}});
  character.mesh_nodes.push_back({.joint = 0, .mesh = 0, .skin = -1, .morph_weights = {}});
  rig::finish(character);
  const DeformedCharacter out = deform_once(character, rig::rest_pose(character), {});
  ASSERT_EQ(out.parts.size(), 4u);
  EXPECT_EQ(out.parts[0].positions, (LineVector<glm::vec3>{{0, 0, 1}, {2, 1, 1}}));
  EXPECT_VEC_NEAR(out.parts[0].normals[0], glm::dvec3(0.447214, 0.894427, 0), 1e-6);
  EXPECT_VEC_NEAR(out.parts[0].normals[1], glm::dvec3(0, 0, 1), 1e-6);
  EXPECT_EQ(out.parts[0].tangents[0], glm::vec4(0, 0, 1, -1));
  EXPECT_EQ(out.parts[1].positions, (LineVector<glm::vec3>{{2, 2, 4}}));
  EXPECT_TRUE(out.parts[1].normals.empty());
  EXPECT_TRUE(out.parts[1].tangents.empty());
  EXPECT_EQ(out.parts[2].positions, out.parts[1].positions);
  EXPECT_FALSE(is_skinned(character, character.parts[2]));
  EXPECT_TRUE(out.parts[3].positions.empty());
  EXPECT_EQ(out.bounds.upper, glm::vec3(2, 2, 4));
}

TEST(CpuDeformer, C16_4_LimitStaysWithinItsBound) {
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    const rig::Character character = test::random_rig({.seed = seed, .joints = 30, .influences = 8});
    const mesh::Primitive& primitive = character.meshes[0].primitives[0];
    const mesh::Influences& full = primitive.influences;
    test::Random random(seed);
    const PoseInWorld now = pose_in_world(character, test::random_pose(character, random, 1.5));
    std::vector<glm::mat4> matrices(character.skins[0].joints.size());
    rig::skin_matrices(character.skins[0], now.world.world(), matrices);
    const DeformedCharacter all = deform_once(character, now.pose, {});
    for (const int limit : {1, 2, 4}) {
      const DeformedCharacter few = deform_once(character, now.pose, {.influence_limit = limit});
      float largest_dropped = 0;
      mesh::limit_influences(full, limit, 0.0f, &largest_dropped);
      double largest_seen = 0;
      for (std::size_t v = 0; v < primitive.positions.size(); ++v) {
        double dropped = 0;
        double spread = 0;
        const mesh::InfluenceRow row = full.row(v);
        for (std::size_t k = 0; k < row.joints.size(); ++k) {
          if (k >= static_cast<std::size_t>(limit)) {
            dropped += static_cast<double>(row.weights[k]);
          }
          for (std::size_t l = 0; l < k; ++l) {
            const glm::vec4 p(primitive.positions[v], 1.0f);
            spread = std::max(
                spread, static_cast<double>(glm::distance(matrices[row.joints[k]] * p, matrices[row.joints[l]] * p)));
          }
        }
        largest_seen = std::max(largest_seen, dropped);
        const double shift = static_cast<double>(glm::distance(all.parts[0].positions[v], few.parts[0].positions[v]));
        ASSERT_LE(shift, dropped * spread + 1e-6 * static_cast<double>(all.bounds.diagonal()));
        if (full.count(v) <= static_cast<std::uint32_t>(limit)) {
          ASSERT_EQ(all.parts[0].positions[v], few.parts[0].positions[v]);
        }
      }
      EXPECT_NEAR(static_cast<double>(largest_dropped), largest_seen, 1e-6);
    }
  }
}

TEST(SkinAll, HandsWhatAMethodPreparedToItsKernel) {
  // A method that moves each vertex to what it prepared: its bind position mirrored.
  constexpr SkinningMethod kMirror = {
      .id = "mirror",
      .label = "",
      .help = "",
      .shader = "",
      .vec4s_per_joint = 3,
      .laws = Law::kNone,
      .skin =
          [](const SkinInput& input, const SkinOutput& output, std::size_t begin, std::size_t end) {
            for (std::size_t v = begin; v < end; ++v) {
              output.positions[v] = glm::vec3(input.prepared->per_vertex[v]);
            }
          },
      .pack = [](const SkinBinding&, std::span<const glm::mat4>, std::span<glm::vec4>) {},
      .vec4s_per_vertex = 1,
      .prepare =
          [](const mesh::MeshSurface& surface, const MethodParameters&, const Progress&, std::span<Prepared> out) {
            for (const glm::vec3& p : surface.primitives[0]->positions) {
              out[0].per_vertex.emplace_back(-p.x, p.y, p.z, 0.0f);
            }
            return true;
          }};
  const rig::Character character = test::cylinder();
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  const std::vector<glm::mat4> matrices(2, glm::mat4(1.0f));
  const DeformedPart out = skin_once(kMirror, primitive, primitive.influences, matrices);
  for (std::size_t v = 0; v < out.positions.size(); ++v) {
    EXPECT_EQ(out.positions[v], primitive.positions[v] * glm::vec3(-1, 1, 1));
  }
}

// A character of two skinned meshes, each of several blocks.
rig::Character two_meshes() {
  rig::Character character = test::random_rig({.seed = 71, .joints = 9, .vertices = 1100, .influences = 4});
  mesh::Mesh second = character.meshes[0];
  for (glm::vec3& position : second.primitives.edit(0).positions.edit()) {
    position.x += 5.0f;
  }
  character.meshes.push_back(std::move(second));
  character.mesh_nodes.push_back({.joint = 0, .mesh = 1, .skin = 0, .morph_weights = {}});
  rig::finish(character);
  return character;
}

void edit_row(rig::Character& character, std::size_t mesh, test::Random& random) {
  mesh::Influences& rows = character.meshes.edit(mesh).primitives.edit(0).influences.edit();
  const std::size_t v = random.below(static_cast<int>(rows.vertex_count()));
  const std::uint16_t joints[] = {static_cast<std::uint16_t>(random.below(9)),
                                  static_cast<std::uint16_t>(random.below(9))};
  const float weights[] = {random.real(0.1f, 1.0f), random.real(0.1f, 1.0f)};
  rows.set_row(v, joints, weights);
}

void expect_same_shape(const DeformedCharacter& a, const DeformedCharacter& b) {
  ASSERT_EQ(a.parts.size(), b.parts.size());
  for (std::size_t p = 0; p < a.parts.size(); ++p) {
    EXPECT_EQ(a.parts[p].positions, b.parts[p].positions) << p;
    EXPECT_EQ(a.parts[p].normals, b.parts[p].normals) << p;
    EXPECT_EQ(a.parts[p].tangents, b.parts[p].tangents) << p;
  }
  EXPECT_EQ(a.bounds.lower, b.bounds.lower);
  EXPECT_EQ(a.bounds.upper, b.bounds.upper);
}

// Edits, undone and redone at random, in copies and in place: what is kept gives what a fresh deformer gives.
TEST(CpuDeformer, FollowsEditedWeightsAsAFreshOneDoes) {
  for (const char* id : {"lbs", "rigid", "dqs", "cor", "delta-mush", "ddm"}) {
    SCOPED_TRACE(id);
    for (const NormalVariant normals :
         test::last_or_all({NormalVariant::kInverseTransposeOfBlend, NormalVariant::kExact})) {
      test::Random random(72);
      SkinningSettings settings;
      settings.method = find_method(id);
      ASSERT_GE(settings.method, 0);
      settings.normals = normals;
      settings.influence_limit = 3;
      settings.weight_format = WeightFormat::kUnorm8;
      std::vector<rig::Character> history = {two_meshes()};
      const rig::Pose pose = test::random_pose(history[0], random, 1.0);
      CpuDeformer deformer;
      DeformedCharacter out;
      for (int step = 0; step < 6; ++step) {
        const std::size_t at = random.below(static_cast<int>(history.size()));
        rig::Character character = history[at];
        if (step % 3 != 2) {
          edit_row(character, static_cast<std::size_t>(random.below(2)), random);
          history.push_back(character);
        }
        rig::WorldMatrices world;
        world.evaluate(character.skeleton, pose);
        deformer.deform(character, pose, world.world(), settings, out);
        expect_same_shape(out, deform_once(character, pose, settings));
      }
    }
  }
}

// A joint that nothing follows any more, and one that something follows now, change what a skin binds.
TEST(CpuDeformer, FollowsJointsThatAnEditGivesAndTakes) {
  rig::Character character = test::random_rig({.seed = 76, .joints = 6, .vertices = 120});
  test::Random random(73);
  const rig::Pose pose = test::random_pose(character, random, 1.0);
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  for (const char* id : {"lbs", "dqs"}) {
    SkinningSettings settings;
    settings.method = find_method(id);
    CpuDeformer deformer;
    DeformedCharacter out;
    deformer.deform(character, pose, world.world(), settings, out);
    const rig::Character before = character;
    character.meshes.edit(0).primitives.edit(0).influences.edit().renumber_joints(
        [](std::uint16_t joint) { return joint == 3 ? std::uint16_t{1} : joint; });
    EXPECT_TRUE(deformer.deform(character, pose, world.world(), settings, out));
    expect_same_shape(out, deform_once(character, pose, settings));
    EXPECT_TRUE(deformer.deform(before, pose, world.world(), settings, out));
    expect_same_shape(out, deform_once(before, pose, settings));
    EXPECT_FALSE(deformer.deform(before, pose, world.world(), settings, out));
  }
}

TEST(SkinCache, AnEditComputesItsBlockAndNothingElse) {
  rig::Character character = two_meshes();
  SkinCache cache;
  SkinningSettings settings;
  settings.method = find_method("delta-mush");
  settings.influence_limit = 2;
  const auto first = cache.get(character, 0, settings);
  const auto second = cache.get(character, 1, settings);
  const SkinCache::Work start = cache.work();
  EXPECT_EQ(start.blocks, 10u);
  EXPECT_EQ(start.surfaces, 2u);
  const rig::Character before = character;
  mesh::Influences& rows = character.meshes.edit(0).primitives.edit(0).influences.edit();
  rows.set_row(300, std::vector<std::uint16_t>{1, 2}, std::vector<float>{0.75f, 0.25f});
  const auto edited = cache.get(character, 0, settings);
  EXPECT_EQ(cache.get(character, 1, settings), second);
  EXPECT_EQ(cache.get(before, 0, settings), first);
  EXPECT_EQ(cache.get(character, 0, settings), edited);
  EXPECT_EQ(cache.work().blocks - start.blocks, 1u);
  EXPECT_EQ(cache.work().surfaces, start.surfaces);
  EXPECT_EQ(cache.work().prepared - start.prepared, 1u);
  for (std::size_t b = 0; b < 5; ++b) {
    EXPECT_EQ(edited->influences[0].blocks()[b].is(first->influences[0].blocks()[b]), b != 1) << b;
  }
  EXPECT_TRUE(edited->influences[0] == *effective_influences(character.meshes[0].primitives[0], settings));
  // Where settings change nothing, the rows are the primitive's own.
  EXPECT_TRUE(cache.get(character, 0, {})->influences.shared(0).is(character.meshes[0].primitives[0].influences));
  // Points that move are welded anew.
  character.meshes.edit(0).primitives.edit(0).positions.edit()[3] += glm::vec3(0.5f);
  cache.get(character, 0, settings);
  EXPECT_EQ(cache.work().surfaces, start.surfaces + 1);
}

TEST(SkinCache, UpdatedRowsAreThoseMadeAnew) {
  test::Random random(74);
  rig::Character character = test::random_rig({.seed = 75, .joints = 9, .vertices = 900, .influences = 6});
  for (const WeightFormatInfo& format : kWeightFormats) {
    for (const int limit : {0, 1, 3}) {
      SkinningSettings settings;
      settings.influence_limit = limit;
      settings.prune_threshold = 0.05f;
      settings.weight_format = format.format;
      Shared<mesh::Influences> effective = effective_influences(character.meshes[0].primitives[0], settings);
      for (int edit = 0; edit < 20; ++edit) {
        const Shared<mesh::Influences> before = character.meshes[0].primitives[0].influences;
        edit_row(character, 0, random);
        const mesh::Primitive& now = character.meshes[0].primitives[0];
        ASSERT_LE(update_effective(before, now.influences, settings, effective.edit()), 1u);
        ASSERT_TRUE(*effective == *effective_influences(now, settings)) << format.id << " limit " << limit;
      }
    }
  }
}

}  // namespace
}  // namespace pelt::deform
