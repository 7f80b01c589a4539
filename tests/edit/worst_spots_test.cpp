// Where the skin deforms worst, and what mends what lint finds of weights.
#include "edit/worst_spots.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <gmock/gmock.h>

#include "edit/weight_repairs.h"
#include "edit_fixtures.h"
#include "rig/lint.h"

namespace pelt::edit {
namespace {

using test::apply;
using testing::HasSubstr;

void give(rig::Character& character, std::size_t primitive, std::uint32_t v, const std::vector<std::uint16_t>& joints,
          const std::vector<float>& weights) {
  character.meshes.edit(0).primitives.edit(primitive).influences.edit().set_row(v, joints, weights);
}

Document document_with(rig::Character character) {
  rig::finish(character);
  return make_document(std::make_shared<const rig::Character>(std::move(character)));
}

WorstSpots spots_of(const Document& document, std::size_t most = 50) {
  const auto spots =
      find_worst_spots(document, {.limits = true, .clips = false}, most, std::make_shared<deform::SkinCache>(), {});
  EXPECT_TRUE(spots.has_value());
  return spots ? *spots : WorstSpots();
}

TEST(WorstSpots, AStrayVertexIsTheWorstAndMendedItIsNoLonger) {
  // A vertex far from the bend follows the tip: when that turns, its edges are as long as it goes.
  rig::Character character = test::cylinder();
  const std::uint32_t stray = test::cylinder_vertex(4, 7);
  give(character, 0, stray, {1}, {1});
  Document document = document_with(std::move(character));
  const WorstSpots spots = spots_of(document);
  ASSERT_FALSE(spots.spots.empty());
  const WorstSpot& worst = spots.spots.front();
  EXPECT_EQ(worst.part, 0);
  EXPECT_EQ(worst.vertex, stray);
  EXPECT_EQ(worst.joint, 1);
  EXPECT_GT(worst.jump, 0.5f) << "its neighbours' other edges are as they were";
  EXPECT_THAT(sentence(spots, worst), HasSubstr("cylinder, vertex " + std::to_string(stray) + ", tip: "));
  EXPECT_THAT(sentence(spots, worst), HasSubstr("% longer at tip."));
  // In a narrow list the vertex comes last, and the heading has the joint: "tip.".
  const std::string& label = spots.poses[worst.pose].label;
  const std::size_t sign = label.find('=');
  EXPECT_TRUE(short_sentence(spots, worst)
                  .ends_with(", " + label.substr(4, sign - 4) + " " + label.substr(sign + 1) + "\u00b0, vertex " +
                             std::to_string(stray)))
      << short_sentence(spots, worst);
  // The pose makes it so: the edge to a neighbour, measured by hand.
  const Document posed_there = posed(document, spots.poses[worst.pose]);
  rig::WorldMatrices world;
  world.evaluate(document.character->skeleton, evaluate_pose(posed_there));
  const auto& positions = document.character->meshes[0].primitives[0].positions;
  const glm::mat4 skin = world[1] * document.character->skins[0].joint_from_mesh[1];
  double largest = 0;
  for (const std::uint32_t u :
       {test::cylinder_vertex(4, 6), test::cylinder_vertex(4, 8), test::cylinder_vertex(3, 7),
        test::cylinder_vertex(5, 7), test::cylinder_vertex(5, 8), test::cylinder_vertex(3, 6)}) {
    const double rest = glm::distance(positions[stray], positions[u]);
    const double now = glm::distance(glm::vec3(skin * glm::vec4(positions[stray], 1)), positions[u]);
    largest = std::max(largest, now / rest - 1);
  }
  EXPECT_NEAR(static_cast<double>(worst.strain), largest, 1e-4 * largest);
  for (std::size_t k = 1; k < spots.spots.size(); ++k) {
    EXPECT_LE(spots.spots[k].badness, spots.spots[k - 1].badness);
    EXPECT_NE(spots.spots[k].vertex, test::cylinder_vertex(4, 6))
        << "its neighbours are its, and no spots of their own";
  }
  EXPECT_EQ(spots_of(document, 1).spots.size(), 1u);
  apply(document, UseWeightTool{.tool = "hammer", .vertices = {stray}});
  for (const WorstSpot& spot : spots_of(document).spots) {
    EXPECT_NE(spot.vertex, stray);
  }
}

TEST(WorstSpots, ASkinOfOneJointHasNone) {
  rig::Character character = test::cylinder();
  for (std::uint32_t v = 0; v < 1314; ++v) {
    give(character, 0, v, {0}, {1});
  }
  EXPECT_TRUE(spots_of(document_with(std::move(character))).spots.empty());
}

// What a clip, a slider or symmetric posing makes of the window's pose is no fault of the joint that is tried.
TEST(WorstSpots, AJointAnswersForItsOwnTurnAlone) {
  rig::Character character = test::cylinder();
  give(character, 0, test::cylinder_vertex(4, 7), {1}, {1});
  rig::Clip clip;
  clip.name = "bend";
  clip.end = 1;
  const float half = std::sqrt(0.5f);
  clip.channels.push_back({.joint = 1,
                           .path = rig::ChannelPath::kRotation,
                           .times = {0, 1},
                           .values = {0, 0, half, half, 0, 0, half, half},
                           .width = 4});
  character.clips.push_back(clip);
  Document document = document_with(std::move(character));
  const WorstSpots at_rest = spots_of(document);
  apply(document, SetClip{0});
  apply(document, SetDof{0, 0, 1});
  const WorstSpots in_clip = spots_of(document);
  ASSERT_FALSE(at_rest.spots.empty());
  ASSERT_EQ(in_clip.spots.size(), at_rest.spots.size());
  document.view.symmetric_posing = true;
  for (std::size_t i = 0; i < at_rest.spots.size(); ++i) {
    const WorstSpot& spot = in_clip.spots[i];
    EXPECT_EQ(spot.vertex, at_rest.spots[i].vertex);
    EXPECT_EQ(spot.badness, at_rest.spots[i].badness);
    // What is shown is what was judged.
    Document shown = document;
    for (Change& change : changes_of(document, in_clip, spot)) {
      apply(shown, std::move(change));
    }
    Document resting = document;
    resting.view.symmetric_posing = false;
    apply(resting, ReplacePose{});
    EXPECT_EQ(evaluate_pose(shown), evaluate_pose(posed(resting, in_clip.poses[spot.pose]))) << i;
  }
}

TEST(WorstSpots, StopsWhenAsked) {
  const Document document = document_with(test::cylinder());
  const auto stopped =
      find_worst_spots(document, {.limits = true, .clips = false}, 5, std::make_shared<deform::SkinCache>(),
                       [](float, std::string_view) { return false; });
  EXPECT_FALSE(stopped.has_value());
}

const rig::Finding* found(const rig::Findings& findings, std::string_view code) {
  const auto at = std::ranges::find(findings, code, &rig::Finding::code);
  return at == findings.end() ? nullptr : &*at;
}

// Lint finds it; with the repair it does not.
void expect_repaired(rig::Character character, std::string_view code, std::string_view tool) {
  SCOPED_TRACE(code);
  Document document = document_with(std::move(character));
  const auto before = rig::lint(*document.character);
  ASSERT_TRUE(before.has_value());
  const rig::Finding* finding = found(*before, code);
  ASSERT_NE(finding, nullptr);
  const std::optional<UseWeightTool> repair = repair_of(*document.character, *finding);
  ASSERT_TRUE(repair.has_value());
  EXPECT_EQ(repair->tool, tool);
  EXPECT_EQ(why_refused(document, *repair), "");
  apply(document, *repair);
  const auto after = rig::lint(*document.character);
  ASSERT_TRUE(after.has_value());
  EXPECT_EQ(found(*after, code), nullptr);
}

TEST(WeightRepairs, WhatLintFindsIsMended) {
  rig::Character many = test::cylinder();
  for (int j = 0; j < 4; ++j) {
    many.skins.edit(0).joints.push_back(test::add_node(many, "more_" + std::to_string(j), 1, {}));
  }
  many.skins.edit(0).joint_from_mesh = test::inverse_binds_of_rest(many.skeleton, many.skins[0].joints);
  give(many, 0, 700, {0, 1, 2, 3, 4, 5}, {.3f, .2f, .15f, .15f, .1f, .1f});
  expect_repaired(many, "many-influences", "limit");

  rig::Character seam = test::cylinder();
  seam.meshes.edit(0).primitives.push_back(seam.meshes[0].primitives[0]);
  give(seam, 1, test::cylinder_vertex(10, 3), {1}, {1});
  expect_repaired(seam, "open-seam", "weld");

  // Two legs along x that mirror each other, one of them bound otherwise.
  rig::Character sides;
  test::add_node(sides, "hip", -1, {});
  test::add_node(sides, "leg_l", 0, {.translation = {0.25f, 0, 0}});
  test::add_node(sides, "leg_r", 0, {.translation = {-0.25f, 0, 0}});
  mesh::Primitive primitive = test::cylinder_primitive();
  for (glm::vec3& position : primitive.positions.edit()) {
    position.x -= 0.5f;
  }
  mesh::Influences rows;
  for (const glm::vec3& position : primitive.positions) {
    const float out = std::clamp(2.5f * std::abs(position.x), 0.0f, 1.0f);
    const std::array<std::uint16_t, 2> joints = {0, position.x > 0 ? std::uint16_t{1} : std::uint16_t{2}};
    const std::array<float, 2> weights = {1 - out, position.x < 0 ? out * out : out};
    append_row(rows, joints, weights);
  }
  primitive.influences = rows;
  test::add_skinned_mesh(sides, "legs", {0, 1, 2}, primitive);
  expect_repaired(sides, "weight-asymmetry", "mirror");

  // A ring of the left leg that follows the right one.
  rig::Character strays = sides;
  for (std::uint32_t v = 0; v < primitive.vertex_count(); ++v) {
    if (std::abs(primitive.positions[v].x - 0.4f) < 0.02f) {
      give(strays, 0, v, {2}, {1});
    }
  }
  expect_repaired(strays, "wrong-side-weight", "replace");

  // What an exporter hung on a bone of its own.
  rig::Character neutral = test::cylinder();
  neutral.skins.edit(0).joints.push_back(test::add_node(neutral, "neutral_bone", -1, {}));
  neutral.skins.edit(0).joint_from_mesh = test::inverse_binds_of_rest(neutral.skeleton, neutral.skins[0].joints);
  for (int k = 0; k < test::kCylinderAround; ++k) {
    give(neutral, 0, test::cylinder_vertex(20, k), {2}, {1});
    give(neutral, 0, test::cylinder_vertex(21, k), {2}, {1});
  }
  expect_repaired(neutral, "neutral-bone", "hammer");
}

TEST(WeightRepairs, VerticesWithoutWeightsGetThoseRoundThem) {
  rig::Character character = test::cylinder();
  const auto whole = std::make_shared<const rig::Character>(character);
  give(character, 0, test::cylinder_vertex(5, 2), {}, {});
  give(character, 0, test::cylinder_vertex(6, 2), {}, {});
  rig::Finding finding;
  finding.code = "weight-zero";
  finding.place.mesh = 0;
  finding.place.primitive = 0;
  EXPECT_FALSE(repair_of(*whole, finding).has_value()) << "there are none";
  const std::optional<UseWeightTool> repair = repair_of(character, finding);
  ASSERT_TRUE(repair.has_value());
  EXPECT_EQ(repair->vertices.size(), 2u);
  const auto mended = with_weight_tool(character, *repair);
  ASSERT_TRUE(mended) << mended.error().message;
  ASSERT_NE(*mended, nullptr);
  for (const int ring : {5, 6}) {
    const mesh::Influences& rows = (*mended)->meshes[0].primitives[0].influences;
    const std::uint32_t v = test::cylinder_vertex(ring, 2);
    ASSERT_GT(rows.count(v), 0u);
    EXPECT_EQ(rows.joints(v)[0], whole->meshes[0].primitives[0].influences->joints(v)[0]);
  }
}

TEST(WeightRepairs, AllAtOnceUntilNothingIsFound) {
  rig::Character character = test::cylinder();
  for (int j = 0; j < 4; ++j) {
    character.skins.edit(0).joints.push_back(test::add_node(character, "more_" + std::to_string(j), 1, {}));
  }
  character.skins.edit(0).joint_from_mesh = test::inverse_binds_of_rest(character.skeleton, character.skins[0].joints);
  character.meshes.edit(0).primitives.push_back(character.meshes[0].primitives[0]);
  give(character, 0, 700, {0, 1, 2, 3, 4, 5}, {.3f, .2f, .15f, .15f, .1f, .1f});
  give(character, 1, test::cylinder_vertex(10, 3), {1}, {1});
  rig::finish(character);
  const auto before = std::make_shared<const rig::Character>(character);
  const auto all = with_repaired_weights(before, {});
  ASSERT_TRUE(all) << all.error().message;
  const auto left = rig::lint(*all->first);
  ASSERT_TRUE(left.has_value());
  EXPECT_EQ(found(*left, "many-influences"), nullptr);
  EXPECT_EQ(found(*left, "open-seam"), nullptr);
  EXPECT_GE(all->second.size(), 2u);
  const std::vector<std::string> one = {"open-seam"};
  const auto seams = with_repaired_weights(before, one);
  ASSERT_TRUE(seams);
  for (const WeightRepair& repair : seams->second) {
    EXPECT_EQ(repair.tool, "weld");
    EXPECT_GT(repair.difference.vertices, 0u);
  }
  const auto others = rig::lint(*seams->first);
  EXPECT_EQ(found(*others, "open-seam"), nullptr);
}

TEST(WeightRepairs, OtherFindingsHaveNone) {
  const rig::Character character = test::cylinder();
  rig::Finding finding;
  finding.code = "zero-length-bone";
  finding.place.mesh = 0;
  EXPECT_FALSE(repair_of(character, finding).has_value());
  finding.code = "rogue-weight";
  finding.place.skin = 0;
  finding.place.joint = 1;
  EXPECT_FALSE(repair_of(character, finding).has_value()) << "it names no vertex";
  finding.mesh_vertices = {5, 1u << 30};
  const std::optional<UseWeightTool> repair = repair_of(character, finding);
  ASSERT_TRUE(repair.has_value());
  EXPECT_EQ(repair->tool, "rogues");
  EXPECT_EQ(repair->vertices, (SharedArray<std::uint32_t>{5})) << "those that there are";
  EXPECT_EQ(repair->joints, std::vector<int>{character.skins[0].joints[1]});
  finding.place.mesh = -1;
  EXPECT_FALSE(repair_of(character, finding).has_value());
}

}  // namespace
}  // namespace pelt::edit
