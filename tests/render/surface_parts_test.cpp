#include "render/surface_parts.h"

#include <gtest/gtest.h>

#include "support/fixtures.h"

namespace pelt::render {
namespace {

class SurfacePartsTest : public ::testing::Test {
 protected:
  SurfacePartsTest() : character_(test::random_rig({.seed = 1, .morph_targets = 2})), before_(character_) {}
  [[nodiscard]] bool same() const { return before_ == SurfaceParts(character_); }
  [[nodiscard]] bool but_weights() const { return same_but_weights(before_, SurfaceParts(character_)); }
  mesh::Primitive& primitive() { return character_.meshes.edit(0).primitives.edit(0); }

  rig::Character character_;
  SurfaceParts before_;
};

TEST_F(SurfacePartsTest, NamesAndMaterialsAreNoPart) {
  character_.skeleton.edit().name[0] = "other";
  character_.skins.edit(0).name = "other";
  character_.meshes.edit(0).name = "other";
  primitive().morph_targets.edit(1).name = "other";
  primitive().material = 3;
  character_.materials.emplace_back();
  EXPECT_TRUE(same());
  EXPECT_FALSE(AppearanceParts(character_) == AppearanceParts(test::random_rig({.seed = 1, .morph_targets = 2})));
}

TEST_F(SurfacePartsTest, WeightsAreTheOnlyDifferenceOfAnEditOfWeights) {
  primitive().influences.edit().set_stored_sum(0, 0.5f);
  EXPECT_FALSE(same());
  EXPECT_TRUE(but_weights());
  primitive().influences = {};
  EXPECT_FALSE(but_weights()) << "who is skinned at all is more than weights";
}

TEST_F(SurfacePartsTest, EveryOtherPartCounts) {
  const rig::Character original = character_;
  const auto changed = [&](const auto& edit) {
    character_ = original;
    edit();
    return !same() && !but_weights();
  };
  EXPECT_TRUE(changed([&] { character_.skeleton.edit().rest[0].translation.x += 1.0f; }));
  EXPECT_TRUE(changed([&] { character_.skeleton.edit().parent[2] = 0; }) || original.skeleton->parent[2] == 0);
  EXPECT_TRUE(changed([&] { character_.skins.edit(0).joint_from_mesh[0][3].x += 1.0f; }));
  EXPECT_TRUE(changed([&] { std::swap(character_.skins.edit(0).joints[0], character_.skins.edit(0).joints[1]); }));
  EXPECT_TRUE(changed([&] { primitive().positions.edit()[0].x += 1.0f; }));
  EXPECT_TRUE(changed([&] { primitive().normals.edit()[0].x += 1.0f; }));
  EXPECT_TRUE(changed([&] { primitive().tangents.edit()[0].w *= -1.0f; }));
  EXPECT_TRUE(changed([&] { primitive().texcoords[0].edit()[0].x += 1.0f; }));
  EXPECT_TRUE(changed([&] { primitive().indices.edit()[0] = 1; }));
  EXPECT_TRUE(changed([&] { primitive().topology = mesh::Topology::kPoints; }));
  EXPECT_TRUE(changed([&] { primitive().morph_targets.edit(0).position_deltas.edit()[0].x += 1.0f; }));
  EXPECT_TRUE(changed([&] { character_.mesh_nodes.edit()[0].skin = -1; }));
  EXPECT_TRUE(changed([&] { character_.parts.edit()[0].joint = 0; }) || original.parts[0].joint == 0);
  character_ = original;
  EXPECT_TRUE(same());
}

}  // namespace
}  // namespace pelt::render
