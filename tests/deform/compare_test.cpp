#include "deform/compare.h"

#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "support/fixtures.h"

namespace pelt::deform {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

CollapseMeasures measures_of(const rig::Character& character, const rig::Pose& pose) {
  return collapse_measures(character, deform_once(character, pose, {}));
}

rig::Pose tip_turned(const rig::Character& character, double degrees, bool twist) {
  rig::Pose pose = rig::rest_pose(character);
  pose.local[1].rotation =
      glm::quat(glm::angleAxis(degrees * kDegree, twist ? glm::dvec3(1, 0, 0) : glm::dvec3(0, 0, 1)));
  return pose;
}

TEST(CollapseMeasures, C53_1_GoldenLinearBlendRatios) {
  struct Golden {
    bool twist;
    double degrees;
    double volume;
    double area;
  };
  constexpr Golden kGolden[] = {{true, 60, 0.965956, 0.986646},  {true, 90, 0.932513, 0.975254},
                                {true, 120, 0.899289, 0.964468}, {true, 180, 0.866667, 0.946414},
                                {false, 60, 0.982812, 0.997286}, {false, 90, 0.965625, 0.997330},
                                {false, 120, 0.948437, 1.002260}};
  const rig::Character character = test::cylinder();
  for (const Golden& golden : kGolden) {
    const CollapseMeasures measures = measures_of(character, tip_turned(character, golden.degrees, golden.twist));
    EXPECT_NEAR(measures.volume_ratio, golden.volume, 1e-5) << golden.degrees;
    EXPECT_NEAR(measures.area_ratio, golden.area, 1e-5) << golden.degrees;
    EXPECT_GT(measures.max_edge_stretch, 1.0);
  }
}

TEST(CollapseMeasures, HolesAreClosed) {
  // Without its caps the cylinder encloses the same volume once its two holes are closed, and closing them adds no
  // area.
  rig::Character open = test::cylinder();
  mesh::Primitive& primitive = open.meshes[0].primitives[0];
  primitive.indices.resize(primitive.indices.size() - 6 * test::kCylinderAround);
  const rig::Character closed = test::cylinder();
  for (const double degrees : {60.0, 120.0}) {
    for (const bool twist : {true, false}) {
      const CollapseMeasures a = measures_of(open, tip_turned(open, degrees, twist));
      const CollapseMeasures b = measures_of(closed, tip_turned(closed, degrees, twist));
      EXPECT_NEAR(a.volume_ratio, b.volume_ratio, 1e-5);
    }
  }
}

TEST(CollapseMeasures, SeamsAreNoHoles) {
  // Every triangle with its own three vertices: welded by position, the measures stay.
  const rig::Character whole = test::cylinder();
  rig::Character torn = whole;
  mesh::Primitive& primitive = torn.meshes[0].primitives[0];
  const mesh::Primitive source = primitive;
  primitive = {};
  for (const std::uint32_t v : source.indices) {
    primitive.indices.push_back(static_cast<std::uint32_t>(primitive.positions.size()));
    primitive.positions.push_back(source.positions[v]);
    const std::uint32_t begin = source.influences.offset[v];
    mesh::append_row(primitive.influences,
                     std::span(source.influences.joint).subspan(begin, source.influences.count(v)),
                     std::span(source.influences.weight).subspan(begin, source.influences.count(v)));
  }
  const CollapseMeasures a = measures_of(whole, tip_turned(whole, 90, true));
  const CollapseMeasures b = measures_of(torn, tip_turned(torn, 90, true));
  EXPECT_NEAR(a.volume_ratio, b.volume_ratio, 1e-9);
  EXPECT_NEAR(a.area_ratio, b.area_ratio, 1e-9);
  EXPECT_NEAR(a.max_edge_stretch, b.max_edge_stretch, 1e-9);
}

TEST(CollapseMeasures, C53_4_RigidMotionAndUniformScale) {
  const rig::Character character = test::cylinder();
  test::Random random(534);
  for (int round = 0; round < 10; ++round) {
    rig::Pose pose = rig::rest_pose(character);
    pose.local[0].rotation = glm::quat(random.rotation());
    pose.local[0].translation = random.vector(-0.2f, 0.2f);
    const CollapseMeasures rigid = measures_of(character, pose);
    EXPECT_NEAR(rigid.volume_ratio, 1.0, 1e-6);
    EXPECT_NEAR(rigid.area_ratio, 1.0, 1e-6);
    EXPECT_NEAR(rigid.max_edge_stretch, 1.0, 2e-5);  // edges of 2 cm, single precision
    const float s = random.real(0.5f, 2.0f);
    pose.local[0].scale = glm::vec3(s);
    const CollapseMeasures scaled = measures_of(character, pose);
    const double factor = static_cast<double>(s);
    EXPECT_NEAR(scaled.volume_ratio / (factor * factor * factor), 1.0, 1e-6);
    EXPECT_NEAR(scaled.area_ratio / (factor * factor), 1.0, 1e-6);
    EXPECT_NEAR(scaled.max_edge_stretch / factor, 1.0, 2e-5);
  }
}

TEST(CollapseMeasures, ScaleFoldedIntoInverseBindsIsNoCollapse) {
  // As quantised files have it: the mesh a hundred times larger, the inverse binds a hundred times smaller.
  rig::Character character = test::cylinder();
  for (glm::vec3& p : character.meshes[0].primitives[0].positions) {
    p *= 100.0f;
  }
  for (glm::mat4& m : character.skins[0].joint_from_mesh) {
    m = m * glm::mat4(glm::mat3(0.01f));
  }
  const CollapseMeasures rest = measures_of(character, rig::rest_pose(character));
  EXPECT_NEAR(rest.volume_ratio, 1.0, 1e-5);
  EXPECT_NEAR(rest.area_ratio, 1.0, 1e-5);
  EXPECT_NEAR(rest.max_edge_stretch, 1.0, 1e-4);
  EXPECT_NEAR(measures_of(character, tip_turned(character, 90, true)).volume_ratio, 0.932513, 1e-5);
}

TEST(CollapseMeasures, FlatSheetEnclosesNothing) {
  rig::Character character = test::strip100();
  const CollapseMeasures measures = measures_of(character, rig::rest_pose(character));
  EXPECT_EQ(measures.volume_ratio, 1.0);
  EXPECT_NEAR(measures.area_ratio, 1.0, 1e-5);
}

TEST(Difference, FindsTheWorstVertex) {
  DeformedCharacter a;
  a.parts.resize(2);
  a.parts[0].positions = {{0, 0, 0}, {1, 0, 0}};
  a.parts[1].positions = {{0, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  a.parts[1].normals = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
  DeformedCharacter b = a;
  b.parts[0].positions[1].y = 3;
  b.parts[1].positions[2].z = 5;
  b.parts[1].normals[1] = {0, 1, 0};
  const Difference out = difference(a, b);
  EXPECT_DOUBLE_EQ(out.max, 4.0);
  EXPECT_EQ(out.worst_part, 1);
  EXPECT_EQ(out.worst_vertex, 2);
  EXPECT_DOUBLE_EQ(out.rms, std::sqrt((9.0 + 16.0) / 5));
  EXPECT_DOUBLE_EQ(out.max_normal_angle, std::numbers::pi / 2);
  EXPECT_EQ(out.non_finite, 0);
}

TEST(Difference, CountsWhatIsNotFinite) {
  DeformedCharacter a;
  a.parts.resize(1);
  a.parts[0].positions = {{0, 0, 0}, {1, 0, 0}};
  DeformedCharacter b = a;
  b.parts[0].positions[0].x = std::numeric_limits<float>::quiet_NaN();
  const Difference out = difference(a, b);
  EXPECT_EQ(out.non_finite, 1);
  EXPECT_EQ(out.max, 0.0);
  EXPECT_EQ(out.rms, 0.0);
}

}  // namespace
}  // namespace pelt::deform
