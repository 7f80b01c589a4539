#include "motion/sliders.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "math/angle.h"
#include "motion/pose_layers.h"
#include "support/fixtures.h"

namespace pelt::motion {
namespace {

// A head with two hinges of different limits, and a mesh with three shapes.
struct Face {
  rig::Character character;
  std::map<int, JointOverride> overrides;
  std::map<int, float> morph_overrides;
  BasePose base = BasePose::kRest;
  std::vector<SemanticSlider> sliders = {
      {"smile", -1, 1, {{"shape(corners)", 0.5f}, {"jaw.bend", 20}, {"shape(cheeks)", 0, 0.25f}}},
      {"surprise", 0, 1, {{"jaw.bend", 25}, {"shape(brows)", 1}, {"head.bend", -4}}}};

  Face() {
    test::add_node(character, "head", -1, {});
    test::add_node(character, "jaw", 0, {.translation = {0, -0.05f, 0.05f}});
    mesh::Primitive primitive;
    primitive.topology = mesh::Topology::kPoints;
    primitive.positions = {{0, 0, 0}};
    primitive.indices = {0};
    for (int m = 0; m < 3; ++m) {
      mesh::MorphTarget target;
      target.position_deltas = {{0, 0.1f, 0}};
      primitive.morph_targets.push_back(target);
    }
    const std::uint16_t joints[] = {0};
    const float weights[] = {1};
    mesh::append_row(primitive.influences.edit(), joints, weights);
    test::add_skinned_mesh(character, "face", {0, 1}, std::move(primitive));
    character.meshes.edit(0).morph_names = {"corners", "cheeks", "brows"};
    character.meshes.edit(0).morph_weights = {0, 0, 0};
    rig::finish(character);
    for (const int j : {0, 1}) {
      rig::JointDofs& dofs = character.skeleton.edit().dofs[j];
      dofs = {};
      dofs.offset = character.skeleton->rest[j].translation;
      dofs.dofs.push_back({.name = "bend",
                           .axis = {1, 0, 0},
                           .lower = static_cast<float>(-10 * kDegree),
                           .upper = static_cast<float>(40 * kDegree)});
    }
  }
  [[nodiscard]] PoseSources sources() const { return {character, base, -1, 0, overrides, morph_overrides}; }
  [[nodiscard]] rig::Pose pose(std::vector<float> values) {
    for (std::size_t s = 0; s < values.size(); ++s) {
      sliders[s].value = values[s];
    }
    const SliderRig rig = make_slider_rig(character, sliders);
    EXPECT_EQ(rig.faults, std::vector<std::string>(sliders.size()));
    PoseSources all = sources();
    all.sliders = &rig;
    return layered_pose(standard_pose_layers(), all);
  }
  [[nodiscard]] double bend(const rig::Pose& pose, int joint) const {
    rig::Pose copy = pose;
    const std::map<int, JointOverride> none;
    const PoseSources plain{character, base, -1, 0, none, morph_overrides};
    return control_value(plain, {.joint = joint, .dof = 0}, rig::PoseBuilder(character.skeleton, copy));
  }
  void bend_jaw(double degrees) {
    const float angle = static_cast<float>(degrees * kDegree);
    overrides[1] = {rig::local_from_dofs(character.skeleton->dofs[1], std::vector{angle}), {angle}};
  }
};

TEST(Sliders, C50_1_AllNeutralIsThePoseItself) {
  Face face;
  face.bend_jaw(7);
  face.overrides[1].local.rotation *= 1.0000001f;  // what no DOF gives back stays, bit by bit
  face.morph_overrides[0] = 0.3f;
  EXPECT_EQ(face.pose({0, 0}), layered_pose(standard_pose_layers(), face.sources()));
}

// Of the linear part: surprise has no other.
TEST(Sliders, C50_2_SlidersAddUp) {
  Face face;
  face.bend_jaw(2);
  face.sliders[0].rows.pop_back();
  const rig::Pose neutral = face.pose({0, 0});
  const rig::Pose one = face.pose({0.5f, 0});
  const rig::Pose other = face.pose({0, 0.4f});
  const rig::Pose both = face.pose({0.5f, 0.4f});
  for (const int j : {0, 1}) {
    const double start = face.bend(neutral, j);
    EXPECT_NEAR(face.bend(both, j) - start, face.bend(one, j) - start + face.bend(other, j) - start, 1e-4) << j;
  }
  EXPECT_NEAR(face.bend(both, 1), 2 + 10 + 10, 1e-4);
  for (std::size_t m = 0; m < 3; ++m) {
    EXPECT_NEAR(both.morph_weights[m], one.morph_weights[m] + other.morph_weights[m], 1e-6);
  }
  EXPECT_NEAR(both.morph_weights[0], 0.25f, 1e-6);
  const rig::Pose twice = face.pose({1.0f, 0});
  EXPECT_NEAR(face.bend(twice, 1) - 2, 2 * (face.bend(one, 1) - 2), 1e-4);
}

TEST(Sliders, CurvesGrowWithTheSquare) {
  Face face;
  EXPECT_NEAR(face.pose({0.5f, 0}).morph_weights[1], 0.0625f, 1e-6);
  EXPECT_NEAR(face.pose({-1, 0}).morph_weights[1], 0.25f, 1e-6);
}

TEST(Sliders, C50_3_WhatLimitsHeldBackIsReported) {
  Face face;
  const auto held = [&](std::vector<float> values) {
    const rig::Pose pose = face.pose(values);
    const SliderRig rig = make_slider_rig(face.character, face.sliders);
    rig::Pose below = layered_pose(standard_pose_layers(), face.sources());
    rig::PoseBuilder builder(face.character.skeleton, below);
    const std::vector<std::string> out = apply_sliders(rig, face.sources(), builder);
    EXPECT_EQ(builder.pose(), pose);
    return out;
  };
  EXPECT_EQ(held({1, 0.5f}), std::vector<std::string>());
  EXPECT_EQ(held({1, 1}), std::vector<std::string>{"jaw.bend"});
  EXPECT_NEAR(face.bend(face.pose({1, 1}), 1), 40, 1e-4);
  EXPECT_EQ(held({-1, 0}), std::vector<std::string>{"jaw.bend"});
  EXPECT_NEAR(face.bend(face.pose({-1, 0}), 1), -10, 1e-4);
  face.bend_jaw(50);  // already outside of its limits: stays, and goes no further
  EXPECT_EQ(held({1, 0}), std::vector<std::string>{"jaw.bend"});
  EXPECT_NEAR(face.bend(face.pose({1, 0}), 1), 50, 1e-4);
}

TEST(Sliders, C50_4_EverythingComesBack) {
  Face face;
  face.bend_jaw(5);
  const rig::Pose before = face.pose({0, 0});
  EXPECT_NE(face.pose({0.7f, 0.9f}), before);
  EXPECT_EQ(face.pose({0, 0}), before);
}

TEST(Sliders, DoNothingInTheBindPose) {
  Face face;
  face.base = BasePose::kBind;
  EXPECT_EQ(face.pose({1, 1}), face.pose({0, 0}));
}

TEST(Sliders, FaultsNameMissingTargetsAndTheRestGoesOn) {
  Face face;
  face.sliders[0].rows.insert(face.sliders[0].rows.begin(), {{"jw.bend", 1}, {"shape(x)", 1}});
  face.sliders[0].value = 1;
  const SliderRig rig = make_slider_rig(face.character, face.sliders);
  EXPECT_EQ(rig.faults[0], "there is no joint 'jw' (did you mean \"jaw\"?); there is no shape 'x'");
  EXPECT_EQ(rig.faults[1], "");
  EXPECT_EQ(rig.rows.size(), 5u);
}

TEST(Sliders, ARowIsLearnedFromAPose) {
  Face face;
  const rig::Pose neutral = layered_pose(standard_pose_layers(), face.sources());
  face.bend_jaw(12);
  face.morph_overrides[2] = 0.75f;
  const rig::Pose posed = layered_pose(standard_pose_layers(), face.sources());
  const std::vector<SliderRow> rows = learned_rows(face.sources(), neutral, posed);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].target, "jaw.bend");
  EXPECT_NEAR(rows[0].amount, 12, 1e-4);
  EXPECT_EQ(rows[1], (SliderRow{"shape(brows)", 0.75f}));
  // The slider makes that pose again of the neutral one.
  Face again;
  again.sliders = {{"learned", 0, 1, rows}};
  const rig::Pose made = again.pose({1});
  EXPECT_NEAR(again.bend(made, 1), 12, 1e-4);
  EXPECT_EQ(made.morph_weights, posed.morph_weights);
}

// A hand in the xz plane: four fingers along x beside each other in z, which bend about -z (palm down) and turn
// sideways about y.
rig::Character hand() {
  rig::Character character;
  test::add_node(character, "hips", -1, {.translation = {0, 1, 0}});
  test::add_node(character, "spine", 0, {.translation = {0, 0.3f, 0}});
  test::add_node(character, "neck", 1, {.translation = {0, 0.3f, 0}});
  test::add_node(character, "head", 2, {.translation = {0, 0.1f, 0}});
  int parent = 1;
  for (const char* name : {"shoulder", "upperarm", "lowerarm", "hand"}) {
    parent = test::add_node(character, std::string(name) + "_l", parent, {.translation = {0.25f, 0, 0}});
  }
  float z = 0.03f;
  for (const char* finger : {"index", "middle", "ring", "pinky"}) {
    int above = parent;
    for (int k = 1; k <= 3; ++k) {
      above = test::add_node(character, std::string(finger) + "_0" + std::to_string(k) + "_l", above,
                             {.translation = k == 1 ? glm::vec3(0.1f, 0, z) : glm::vec3(0.03f, 0, 0)});
    }
    z -= 0.02f;
  }
  rig::finish(character);
  for (int j = 8; j < character.skeleton->size(); ++j) {
    rig::JointDofs& dofs = character.skeleton.edit().dofs[j];
    dofs = {};
    dofs.offset = character.skeleton->rest[j].translation;
    dofs.dofs.push_back({.name = "bend", .axis = {0, 0, -1}, .lower = -0.3f, .upper = 1.5f});
    dofs.dofs.push_back({.name = "side", .axis = {0, 1, 0}, .lower = -0.3f, .upper = 0.3f});
  }
  return character;
}

TEST(Sliders, ProposalsCloseTheHandSpreadFingersAndTurnTheHead) {
  const rig::Character character = hand();
  std::vector<SemanticSlider> sliders = proposed_sliders(character);
  std::vector<std::string> names;
  for (const SemanticSlider& slider : sliders) {
    names.push_back(slider.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"fist left", "spread left", "look sideways", "look up"}));
  const std::map<int, JointOverride> none;
  const std::map<int, float> no_morphs;
  const auto places = [&](const char* slider, float value) {
    std::vector<SemanticSlider> moved = sliders;
    std::ranges::find(moved, slider, &SemanticSlider::name)->value = value;
    const SliderRig rig = make_slider_rig(character, moved);
    PoseSources sources{character, BasePose::kRest, -1, 0, none, no_morphs};
    sources.sliders = &rig;
    rig::Pose pose = layered_pose(standard_pose_layers(), sources);
    rig::PoseBuilder builder(character.skeleton, pose);
    std::vector<glm::dvec3> out;
    for (int j = 0; j < character.skeleton->size(); ++j) {
      out.emplace_back(builder.world(j)[3]);
    }
    out.push_back(glm::dvec3(builder.world(3) * glm::dvec4(0, 0, 1, 1)) - glm::dvec3(builder.world(3)[3]));  // faces
    return out;
  };
  const auto rest = places("fist left", 0);
  const auto fist = places("fist left", 1);
  for (const int tip : {10, 13, 16, 19}) {
    EXPECT_LT(glm::distance(fist[tip], fist[7]), glm::distance(rest[tip], rest[7])) << tip;
    EXPECT_LT(fist[tip].y, rest[tip].y) << "towards the palm";
  }
  const auto spread = places("spread left", 1);
  EXPECT_GT(glm::distance(spread[10], spread[19]), 1.2 * glm::distance(rest[10], rest[19]));
  EXPECT_GT(places("look sideways", 1).back().x, 0.3) << "to the character's left";
  EXPECT_LT(places("look sideways", -1).back().x, -0.3);
  EXPECT_GT(places("look up", 1).back().y, 0.3);
}

TEST(Sliders, ProposalsTakeShapesThatMeanSomething) {
  Face face;
  face.character.meshes.edit(0).morph_names = {"Mouth_Smile_L", "blink", "target_17"};
  std::map<std::string, std::vector<SliderRow>> rows;
  for (const SemanticSlider& slider : proposed_sliders(face.character)) {
    rows[slider.name] = slider.rows;
  }
  EXPECT_EQ(rows["Mouth_Smile_L"], (std::vector<SliderRow>{{"shape(Mouth_Smile_L)", 1}}));
  EXPECT_EQ(rows["blink"], (std::vector<SliderRow>{{"shape(blink)", 1}}));
  EXPECT_EQ(rows.count("target_17"), 0u);
}

}  // namespace
}  // namespace pelt::motion
