#include "motion/pose_layers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "rig/constraints.h"
#include "rig/kinematics.h"
#include "rig/own_bindings.h"
#include "support/fixtures.h"
#include "support/two_skins.h"

namespace pelt::motion {
namespace {

using rig::Layer;

// All kinds have something to say: a clip that turns joint 3 and moves joint 5 and the first shape, joints 3, 4 and the
// second shape posed by hand, joint 8 that follows joint 4, joint 11 that aims at joint 5.
struct Stage {
  rig::Character character;
  std::map<int, JointOverride> overrides;
  std::map<int, float> morph_overrides = {{1, 0.75f}};
  BasePose base = BasePose::kRest;
  int clip = 0;
  std::vector<Layer> layers = standard_pose_layers();

  explicit Stage(std::uint32_t seed) {
    test::Random random(seed);
    character = test::random_rig({.seed = seed, .joints = 14, .vertices = 12, .morph_targets = 2});
    const glm::quat turn(random.rotation());
    rig::Clip clip_of;
    clip_of.channels.push_back({.joint = 3,
                                .path = rig::ChannelPath::kRotation,
                                .times = {0, 1},
                                .values = {0, 0, 0, 1, turn.x, turn.y, turn.z, turn.w},
                                .width = 4});
    clip_of.channels.push_back({.joint = 5, .times = {0, 1}, .values = {0, 0, 0, 1, 2, 3}});
    clip_of.channels.push_back(
        {.joint = 14, .path = rig::ChannelPath::kWeights, .times = {0, 1}, .values = {0, 0, 1, 0.5f}, .width = 2});
    clip_of.end = 1;
    character.clips.push_back(clip_of);
    for (const int j : {3, 4}) {
      overrides[j] = {{random.vector(-1, 1), glm::quat(random.rotation()), random.vector(0.5f, 2.0f)}, {}};
    }
    const std::vector<rig::NodeConstraint> constraints = {
        {.kind = rig::ConstraintKind::kAim, .joint = 11, .source = 5, .weight = 0.8f},
        {.kind = rig::ConstraintKind::kRotation, .joint = 8, .source = 4}};
    for (const int c : rig::constraint_order(character.skeleton, constraints)) {
      character.constraints.push_back(constraints[c]);
    }
    EXPECT_EQ(character.constraints.size(), 2u);
  }
  [[nodiscard]] PoseSources sources() const { return {character, base, clip, 0.4f, overrides, morph_overrides}; }
  [[nodiscard]] rig::Pose pose() const { return layered_pose(layers, sources()); }
  Layer& layer(std::string_view kind) { return *std::ranges::find(layers, kind, &Layer::kind); }
  // What the layers of these kinds say, one after the other, as it was before there were layers.
  [[nodiscard]] rig::Pose said_by(const std::set<std::string_view>& kinds) const {
    rig::Pose pose = base == BasePose::kBind   ? rig::bind_pose(character)
                     : base == BasePose::kZero ? rig::zero_pose(character)
                                               : rig::rest_pose(character);
    if (kinds.contains("clip") && clip >= 0) {
      rig::apply(character.clips[0], 0.4f, character.morph_offset, pose);
    } else if (base == BasePose::kBind) {
      rig::add_own_bindings(character, pose);
    }
    if (kinds.contains("pose")) {
      for (const auto& [joint, own] : overrides) {
        pose.local[joint] = own.local;
      }
      for (const auto& [index, weight] : morph_overrides) {
        pose.morph_weights[index] = weight;
      }
    }
    if (kinds.contains("constraints") && base != BasePose::kBind) {
      rig::apply_constraints(character.skeleton, character.constraints, pose);
    }
    return pose;
  }
};

TEST(PoseLayers, EachKindHasANameAHelpAndValuesInRange) {
  std::set<std::string_view> ids;
  for (const PoseLayerKind& kind : pose_layer_kinds()) {
    SCOPED_TRACE(kind.about.id);
    EXPECT_TRUE(ids.insert(kind.about.id).second);
    EXPECT_FALSE(kind.about.label.empty());
    EXPECT_FALSE(kind.about.help.empty());
    EXPECT_EQ(kind.about.slot, rig::LayerSlot::kPose);
    EXPECT_EQ(find_pose_layer_kind(kind.about.id)->about.label, kind.about.label);
    for (const rig::LayerField& field : kind.about.fields) {
      EXPECT_LE(field.minimum, field.standard);
      EXPECT_LE(field.standard, field.maximum);
    }
  }
  EXPECT_EQ(find_pose_layer_kind("no such layer"), nullptr);
  EXPECT_TRUE(standard_pose_layers().is(standard_pose_layers()));
}

// Off and with a weight of 0 as if there were no such layer, on with a weight of 1 as if nobody had thought of layers:
// to the bit, for every set of switches.
TEST(PoseLayers, Law_SwitchesAreExact) {
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    for (const BasePose base : {BasePose::kRest, BasePose::kBind, BasePose::kZero}) {
      for (unsigned mask = 0; mask < 16; ++mask) {
        Stage stage(seed);
        stage.base = base;
        stage.clip = (mask & 8) != 0 ? 0 : -1;
        std::set<std::string_view> on;
        const char* const kinds[] = {"clip", "pose", "constraints"};
        for (unsigned i = 0; i < 3; ++i) {
          if ((mask & (1u << i)) != 0) {
            on.insert(kinds[i]);
          } else if (seed % 2 == 0) {
            stage.layer(kinds[i]).on = false;
          } else {
            stage.layer(kinds[i]).values[0] = 0;
          }
        }
        EXPECT_EQ(stage.pose(), stage.said_by(on)) << "seed " << seed << ", set " << mask;
      }
    }
  }
}

TEST(PoseLayers, EveryKindSaysSomethingHere) {
  const Stage stage(3);
  std::set<std::string_view> on = {"clip", "pose", "constraints"};
  const rig::Pose all = stage.said_by(on);
  for (const std::string_view kind : {"clip", "pose", "constraints"}) {
    on.erase(kind);
    EXPECT_NE(stage.said_by(on), all) << kind;
    on.insert(kind);
  }
}

// Between what the layers before say and what it says: straight, and by the shortest rotation.
TEST(PoseLayers, AWeightIsTheShareOfWhatTheLayerSays) {
  Stage stage(5);
  stage.layer("constraints").on = false;
  const rig::Pose before = stage.said_by({"clip"});
  const rig::Pose after = stage.said_by({"clip", "pose"});
  for (const float share : {0.25f, 0.5f, 0.9f}) {
    stage.layer("pose").values[0] = share;
    const rig::Pose pose = stage.pose();
    for (const std::size_t j : {std::size_t{3}, std::size_t{4}}) {
      const Transform& from = before.local[j];
      const Transform& to = after.local[j];
      EXPECT_LT(glm::distance(pose.local[j].translation, glm::mix(from.translation, to.translation, share)), 1e-6f);
      EXPECT_LT(glm::distance(pose.local[j].scale, glm::mix(from.scale, to.scale, share)), 1e-6f);
      const auto angle = [](const glm::quat& a, const glm::quat& b) {
        return 2 * std::acos(std::min(1.0, std::abs(glm::dot(glm::dquat(a), glm::dquat(b)))));
      };
      const double whole = angle(from.rotation, to.rotation);
      EXPECT_NEAR(angle(from.rotation, pose.local[j].rotation), static_cast<double>(share) * whole, 2e-3) << j;
      EXPECT_NEAR(angle(pose.local[j].rotation, to.rotation), (1 - static_cast<double>(share)) * whole, 2e-3) << j;
    }
    for (const std::size_t j : {std::size_t{0}, std::size_t{5}, std::size_t{8}}) {
      EXPECT_EQ(pose.local[j], before.local[j]) << "it says nothing of joint " << j;
    }
    EXPECT_EQ(pose.morph_weights[0], before.morph_weights[0]);
    EXPECT_NEAR(pose.morph_weights[1], before.morph_weights[1] + share * (0.75f - before.morph_weights[1]), 1e-6f);
  }
}

// Skins that were bound in poses of their own leave them by and by: no leap at the smallest weight, no shape but a
// turned one in between.
TEST(PoseLayers, AClipThatFadesInTakesOwnBindingsAwayByAndBy) {
  rig::Character character = test::two_skins();
  rig::Clip clip;
  clip.channels.push_back({.joint = 0, .times = {0, 1}, .values = {0, 0, 0, 0, 0, 0}});
  clip.end = 1;
  character.clips.push_back(clip);
  const std::map<int, JointOverride> overrides;
  const std::map<int, float> morphs;
  std::vector<Layer> layers(standard_pose_layers().begin(), standard_pose_layers().end());
  float& weight = std::ranges::find(layers, "clip", &Layer::kind)->values[0];
  std::vector<glm::mat4> before;
  constexpr int kSteps = 64;
  for (int step = 0; step <= kSteps; ++step) {
    weight = static_cast<float>(step) / kSteps;
    const rig::Pose pose = layered_pose(layers, {character, BasePose::kBind, 0, 0.5f, overrides, morphs});
    rig::WorldMatrices world;
    world.evaluate(character.skeleton, pose);
    std::vector<glm::mat4> matrices(character.skins[1].joints.size());
    rig::posed_skin_matrices(character, pose, world.world(), 1, matrices);
    for (std::size_t k = 0; k < matrices.size(); ++k) {
      EXPECT_NEAR(glm::determinant(glm::mat3(matrices[k])), 1, 1e-5f) << step;
      for (int c = 0; c < 4; ++c) {
        const glm::vec4 was = step == 0 ? glm::mat4(1.0f)[c] : before[k][c];
        // The whole way is 7.5 units and a sixth of a turn.
        EXPECT_LT(glm::distance(matrices[k][c], was), step == 0 ? 1e-5f : 0.2f) << step;
      }
    }
    before = matrices;
  }
  for (const glm::mat4& matrix : before) {
    EXPECT_GT(glm::distance(matrix[0], glm::vec4(1, 0, 0, 0)), 0.3f) << "the second skin was bound elsewhere";
  }
}

// Order is data: with the clip behind what is posed by hand, the clip wins.
TEST(PoseLayers, TheOrderIsThatOfTheStack) {
  Stage stage(7);
  std::swap(stage.layer("clip"), stage.layer("pose"));
  const rig::Pose pose = stage.pose();
  EXPECT_EQ(pose.local[3].rotation, stage.said_by({"clip"}).local[3].rotation);
  EXPECT_EQ(pose.local[3].translation, stage.overrides.at(3).local.translation) << "the clip does not move it";
  EXPECT_EQ(pose.local[4], stage.overrides.at(4).local);
}

TEST(PoseLayers, KindsThatNobodyKnowsDoNothing) {
  Stage stage(9);
  const rig::Pose before = stage.pose();
  stage.layers.push_back({"from the future", true, {1}});
  EXPECT_EQ(stage.pose(), before);
}

// C18.3: the same tree of joints, its nodes in another order in the file.
TEST(PoseLayers, C18_3_TheOrderInWhichNodesWereMadeDoesNotMatter) {
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    const Stage stage(seed);
    const int count = stage.character.skeleton->size();
    test::Random random(seed);
    // A random order with parents before their children: old[new].
    std::vector<int> old;
    std::vector<int> now(count, -1);
    while (static_cast<int>(old.size()) < count) {
      const int j = random.below(count);
      const int parent = stage.character.skeleton->parent[j];
      if (now[j] < 0 && (parent < 0 || now[parent] >= 0)) {
        now[j] = static_cast<int>(old.size());
        old.push_back(j);
      }
    }
    ASSERT_FALSE(std::ranges::is_sorted(old));
    const auto moved = [&](int j) { return now[j]; };
    Stage other(seed);
    rig::Skeleton& skeleton = other.character.skeleton.edit();
    skeleton = {};
    for (const int j : old) {
      const std::size_t at = j;
      const int parent = stage.character.skeleton->parent[at];
      skeleton.parent.push_back(parent < 0 ? -1 : moved(parent));
      skeleton.name.push_back(stage.character.skeleton->name[at]);
      skeleton.rest.push_back(stage.character.skeleton->rest[at]);
    }
    for (rig::Skin& skin : other.character.skins.edit_each()) {
      std::ranges::transform(skin.joints, skin.joints.begin(), moved);
    }
    for (rig::MeshNode& node : other.character.mesh_nodes.edit()) {
      node.joint = moved(node.joint);
    }
    for (rig::Scene& scene : other.character.scenes.edit()) {
      std::ranges::transform(scene.roots, scene.roots.begin(), moved);
    }
    for (rig::Channel& channel : other.character.clips.edit(0).channels) {
      channel.joint = moved(channel.joint);
    }
    std::ranges::reverse(other.character.clips.edit(0).channels);
    std::vector<rig::NodeConstraint> constraints;
    for (rig::NodeConstraint constraint : other.character.constraints) {
      constraint.joint = moved(constraint.joint);
      constraint.source = moved(constraint.source);
      constraints.insert(constraints.begin(), constraint);
    }
    other.character.constraints.clear();
    for (const int c : rig::constraint_order(skeleton, constraints)) {
      other.character.constraints.push_back(constraints[c]);
    }
    other.overrides.clear();
    for (const auto& [joint, own] : stage.overrides) {
      other.overrides[moved(joint)] = own;
    }
    rig::finish(other.character);
    for (const float weight : {1.0f, 0.6f}) {
      Stage one = stage;
      Stage two = other;
      for (const std::string_view kind : {"clip", "pose", "constraints"}) {
        one.layer(kind).values[0] = weight;
        two.layer(kind).values[0] = weight;
      }
      const rig::Pose a = one.pose();
      const rig::Pose b = two.pose();
      rig::WorldMatrices world_a;
      rig::WorldMatrices world_b;
      world_a.evaluate(one.character.skeleton, a);
      world_b.evaluate(two.character.skeleton, b);
      for (int j = 0; j < count; ++j) {
        EXPECT_EQ(a.local[j], b.local[moved(j)]) << j;
        EXPECT_EQ(world_a[j], world_b[moved(j)]) << j;
      }
      EXPECT_EQ(a.morph_weights, b.morph_weights);
    }
  }
}

}  // namespace
}  // namespace pelt::motion
