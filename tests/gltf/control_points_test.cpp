// Control points in extras.pelt.nurbs, see src/gltf/extras_pelt.md.
#include <algorithm>
#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gltf/bundled.h"
#include "gltf/export.h"
#include "gltf/import.h"
#include "gltf/opened.h"
#include "rig/conversions.h"
#include "support/control_points.h"

namespace pelt {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

rig::Character round_trip(const rig::Character& character, const gltf::ExportOptions& options = {}) {
  const auto written = gltf::export_character(character, options);
  EXPECT_TRUE(written) << (written ? "" : written.error().message);
  auto again = gltf::import_memory(written->files.at(0).bytes, {});
  EXPECT_TRUE(again) << (again ? "" : again.error().message);
  return again ? *std::move(again) : rig::Character();
}

const mesh::Primitive& only(const rig::Character& character) {
  return character.meshes.at(0).primitives.at(0);
}

// To the bit, but for weights, which are normalised again when they are read.
void expect_same_cage(const mesh::Primitive& a, const mesh::Primitive& b) {
  ASSERT_TRUE(a.has_cage() && b.has_cage());
  EXPECT_EQ(a.cage->positions, b.cage->positions);
  EXPECT_EQ(a.cage->morph_deltas, b.cage->morph_deltas);
  EXPECT_EQ(a.cage->triangles, b.cage->triangles);
  EXPECT_EQ(a.cage->nurbs, b.cage->nurbs);
  EXPECT_EQ(*a.cage_rows, *b.cage_rows);
  ASSERT_EQ(a.cage->influences->vertex_count(), b.cage->influences->vertex_count());
  for (std::size_t c = 0; c < a.cage->positions.size(); ++c) {
    const mesh::InfluenceRow row = a.cage->influences->row(c);
    const mesh::InfluenceRow other = b.cage->influences->row(c);
    ASSERT_TRUE(std::ranges::equal(row.joints, other.joints)) << c;
    for (std::size_t k = 0; k < row.weights.size(); ++k) {
      EXPECT_NEAR(row.weights[k], other.weights[k], 1e-6f) << c;
    }
  }
}

TEST(ControlPointsInFiles, ComeBack) {
  const rig::Character character = test::control_character();
  const rig::Character again = round_trip(character);
  EXPECT_THAT(test::remarks(again), IsEmpty());
  expect_same_cage(only(again), only(character));
  expect_same_cage(only(round_trip(again)), only(character));
  for (const rig::KeptJson& kept : again.kept) {
    EXPECT_THAT(kept.extras, Not(HasSubstr("nurbs"))) << "a copy of the text would come back where they are given up";
  }
}

TEST(ControlPointsInFiles, OfTheBundledTube) {
  const Result<rig::Character> tube = gltf::import_bundled("tube");
  ASSERT_TRUE(tube) << tube.error().message;
  EXPECT_THAT(test::remarks(*tube), IsEmpty());
  ASSERT_TRUE(only(*tube).has_cage());
  EXPECT_EQ(only(*tube).cage->positions.size(), 72u);
  only(*tube).cage->influences->for_each_entry([](std::uint16_t, float weight) { EXPECT_EQ(weight, 1.0f); });
}

TEST(ControlPointsInFiles, SurviveWhatMakesFilesSmaller) {
  const rig::Character character = test::control_character(100);
  gltf::ExportOptions small;
  small.quantize = true;
  small.meshopt = true;
  const rig::Character again = round_trip(character, small);
  EXPECT_THAT(test::remarks(again), IsEmpty());
  ASSERT_TRUE(only(again).has_cage());
  EXPECT_EQ(only(again).cage->positions.size(), only(character).cage->positions.size());
}

// What the file says of its first primitive, changed by f.
rig::Character with(const std::function<void(json&)>& f) {
  gltf::ExportOptions embedded;
  embedded.form = gltf::FileForm::kEmbedded;
  const auto written = gltf::export_character(test::control_character(), embedded);
  EXPECT_TRUE(written);
  json root = json::parse(written->files.at(0).bytes.begin(), written->files.at(0).bytes.end());
  f(root["meshes"][0]["primitives"][0]["extras"]["pelt"]["nurbs"]);
  const std::string text = root.dump();
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  auto again = gltf::import_memory({bytes, text.size()}, {});
  EXPECT_TRUE(again) << (again ? "" : again.error().message);
  return again ? *std::move(again) : rig::Character();
}

TEST(ControlPointsInFiles, WhatIsNoSurfaceIsAMeshAndSaidSo) {
  EXPECT_TRUE(only(with([](json&) {})).has_cage());
  const struct {
    std::function<void(json&)> change;
    const char* why;
  } cases[] = {
      {[](json& n) { n["points"] = 3; }, "expected control points of skinned triangles"},
      {[](json& n) { n["u"]["degree"] = 0; },
       "u: expected a degree from 1 to 16, steps from 1 to 4096 and a list of knots"},
      {[](json& n) { n["v"]["steps"] = 1 << 20; },
       "v: expected a degree from 1 to 16, steps from 1 to 4096 and a list of knots"},
      {[](json& n) {
         n["v"]["knots"] = json::array({0, 1});
       },
       "v: expected a degree from 1 to 16, steps from 1 to 4096 and a list of knots"},
      {[](json& n) { n["v"]["knots"][4] = 7; }, "v: knot 5: expected finite knots that do not descend, got 2"},
      {[](json& n) {
         n["points"][5] = json::array({1, 2, 3});
       },
       "point 5: expected three coordinates and a weight"},
      {[](json& n) { n["points"][5][3] = 0; }, "control point 5: expected a weight above 0, got 0"},
      {[](json& n) { n["points"].erase(0); }, "expected 72 control points and weights, got 71 and 71"},
      {[](json& n) { n["joints"].erase(0); }, "expected joints and weights of 72 points"},
      {[](json& n) {
         n["joints"][3] = json::array({0, 1});
       },
       "point 3: expected as many joints as weights"},
      {[](json& n) { n["joints"][3] = json::array({9}); }, "point 3: expected joints below 3, got 9"},
      {[](json& n) { n["weights"][3] = json::array({-1}); }, "point 3: expected weights of 0 or more, not all 0"},
      {[](json& n) { n["shapes"].erase(0); }, "expected the shapes of 1 morph targets"},
      {[](json& n) { n["shapes"][0].erase(0); }, "shape 0: expected differences of 72 points"},
      {[](json& n) { n["u"]["steps"] = 5; }, "the control points make 441 vertices, the file has 357"},
      {[](json& n) { n["points"][30][1] = 4.0; }, "m from the surface of the control points, expected at most"},
  };
  for (const auto& [change, why] : cases) {
    const rig::Character character = with(change);
    EXPECT_FALSE(only(character).has_cage()) << why;
    ASSERT_THAT(character.diagnostics, SizeIs(1)) << why;
    EXPECT_EQ(character.diagnostics[0].code, "control-points");
    EXPECT_EQ(character.diagnostics[0].place, "mesh 0, primitive 0");
    EXPECT_THAT(character.diagnostics[0].message, HasSubstr(why));
    EXPECT_THAT(character.diagnostics[0].message, HasSubstr("it is a mesh without control points"));
  }
}

TEST(ControlPointsInFiles, ThoseThatWereGivenUpDoNotComeBack) {
  rig::Character character = round_trip(test::control_character());
  rig::Pose pose = rig::rest_pose(character);
  pose.local[1].rotation = glm::angleAxis(0.5f, glm::vec3(0, 0, 1));
  const Result<rig::Character> bound = rig::bound_in_pose(character, pose, -1);
  ASSERT_TRUE(bound);
  EXPECT_FALSE(only(*bound).has_cage()) << "they would make another shape";
  const rig::Character again = round_trip(*bound);
  EXPECT_FALSE(only(again).has_cage());
  EXPECT_THAT(test::remarks(again), IsEmpty());
}

TEST(ControlPointsInFiles, JointsThatLeaveASkinLeaveThemRight) {
  rig::Character character = test::control_character();
  // A joint that nothing follows, before the others in the list.
  rig::Skin& skin = character.skins.edit(0);
  skin.joints.insert(skin.joints.begin(), 0);
  skin.joint_from_mesh.insert(skin.joint_from_mesh.begin(), glm::mat4(1.0f));
  mesh::renumber_joints(character.meshes.edit(0).primitives.edit(0),
                        [](std::uint16_t k) { return static_cast<std::uint16_t>(k + 1); });
  const rig::Character lean = rig::without_unused_joints(character);
  ASSERT_THAT(lean.skins[0].joints, SizeIs(3));
  EXPECT_EQ(*only(lean).cage->influences, *only(test::control_character()).cage->influences);
}

}  // namespace
}  // namespace pelt
