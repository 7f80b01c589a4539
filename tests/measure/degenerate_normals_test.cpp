#include "measure/degenerate_normals.h"

#include <gtest/gtest.h>

#include "deform/one_vertex.h"
#include "rig/kinematics.h"
#include "support/fixtures.h"

namespace pelt::measure {
namespace {

// F-ELBOW's one vertex, half and half, with a normal; the forearm turned about z.
struct HalfAndHalf {
  rig::Character character = test::elbow();
  rig::Pose pose;
  deform::SkinningSettings settings;

  explicit HalfAndHalf(double degrees, const glm::vec3& normal = {1, 0, 0}) {
    mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
    primitive.influences.edit().edit_block(0).weight = {0.5f, 0.5f};
    primitive.normals = {normal};
    pose = rig::rest_pose(character);
    pose.local[1].rotation = glm::quat(glm::angleAxis(degrees * kDegree, glm::dvec3(0, 0, 1)));
  }
  std::optional<DegenerateNormals> count(const char* method, deform::NormalVariant variant) {
    settings.method = deform::find_method(method);
    settings.normals = variant;
    rig::WorldMatrices world;
    world.evaluate(character.skeleton, pose);
    deform::SkinCache cache;
    return count_degenerate_normals(character, pose, world.world(), settings, cache);
  }
};

// C13.4: half a turn, half and half, n = x: nothing is left.
TEST(DegenerateNormals, C13_4_AreCounted) {
  HalfAndHalf half_turn(180);
  for (const deform::NormalVariant variant :
       {deform::NormalVariant::kBlend, deform::NormalVariant::kInverseTransposePerJoint,
        deform::NormalVariant::kPerJointNormalized, deform::NormalVariant::kFastRenormalised}) {
    const std::optional<DegenerateNormals> count = half_turn.count("lbs", variant);
    ASSERT_TRUE(count);
    EXPECT_EQ(count->count, 1) << deform::letter_of(variant);
    EXPECT_EQ(count->vertices, 1);
    EXPECT_EQ(count->part, 0);
    EXPECT_EQ(count->vertex, 0);
  }
  EXPECT_EQ(half_turn.count("rigid", deform::NormalVariant::kBlend)->count, 0) << "one joint alone cancels nothing";
  EXPECT_EQ(half_turn.count("dqs", deform::NormalVariant::kBlend)->count, 0) << "a blend of rotations is a rotation";
  EXPECT_EQ(HalfAndHalf(179).count("lbs", deform::NormalVariant::kBlend)->count, 0);
  EXPECT_EQ(HalfAndHalf(0).count("lbs", deform::NormalVariant::kBlend)->part, -1);
}

TEST(DegenerateNormals, ASquashedNormalAndAZeroOneCount) {
  HalfAndHalf flat(0);
  for (Transform& local : flat.pose.local) {
    local.scale = {0, 1, 1};
  }
  EXPECT_EQ(flat.count("lbs", deform::NormalVariant::kBlend)->count, 1) << "along x nothing is left";
  EXPECT_EQ(flat.count("lbs", deform::NormalVariant::kInverseTransposeOfBlend)->count, 0)
      << "the cofactor still has it";
  EXPECT_EQ(HalfAndHalf(0, {0, 0, 0}).count("lbs", deform::NormalVariant::kBlend)->count, 1);
}

// Far away and in other units the count is the same: translations play no part in it.
TEST(DegenerateNormals, PlaceAndSizeDoNotMatter) {
  for (const float scale : {1e-3f, 1e3f}) {
    HalfAndHalf half_turn(180);
    half_turn.pose.local[0].translation = {5000, 0, 300};
    half_turn.pose.local[0].scale = glm::vec3(scale);
    for (const char* method : {"lbs", "lbs-sum"}) {
      EXPECT_EQ(half_turn.count(method, deform::NormalVariant::kBlend)->count, 1) << method << " " << scale;
    }
    HalfAndHalf bent(90);
    bent.pose.local[0] = half_turn.pose.local[0];
    EXPECT_EQ(bent.count("lbs", deform::NormalVariant::kBlend)->count, 0);
  }
}

// Weights that sum to next to nothing leave next to nothing of a sum of matrices, unless they are normalised.
TEST(DegenerateNormals, WeightsAsStoredCount) {
  HalfAndHalf faint(0);
  faint.character.meshes.edit(0).primitives.edit(0).influences.edit().set_stored_sum(0, 1e-7f);
  EXPECT_EQ(faint.count("lbs", deform::NormalVariant::kBlend)->count, 0);
  faint.settings.weights_as_stored = true;
  EXPECT_EQ(faint.count("lbs", deform::NormalVariant::kBlend)->count, 1);
  EXPECT_EQ(faint.count("lbs", deform::NormalVariant::kInverseTransposePerJoint)->count, 0) << "sums by weights alone";
}

TEST(DegenerateNormals, NothingIsSaidWhereNothingIsSummed) {
  HalfAndHalf half_turn(180);
  EXPECT_FALSE(half_turn.count("lbs", deform::NormalVariant::kLargestWeight));
  EXPECT_FALSE(half_turn.count("lbs", deform::NormalVariant::kExact));
  EXPECT_FALSE(half_turn.count("lbs", deform::NormalVariant::kRecomputed));
  EXPECT_FALSE(half_turn.count("delta-mush", deform::NormalVariant::kBlend));
  EXPECT_FALSE(half_turn.count("ddm", deform::NormalVariant::kInverseTransposeOfBlend));
  half_turn.character.meshes.edit(0).primitives.edit(0).normals.clear();
  EXPECT_EQ(half_turn.count("lbs", deform::NormalVariant::kBlend)->vertices, 0);
}

}  // namespace
}  // namespace pelt::measure
