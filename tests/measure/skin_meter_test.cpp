#include "measure/skin_meter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <ostream>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "deform/fine_cylinder.h"
#include "deform/skinning_methods.h"
#include "math/angle.h"
#include "mesh/triangle_bvh.h"
#include "support/fixtures.h"

namespace pelt::measure {
namespace {

using ::testing::HasSubstr;

CollapseMeasures measures_of(const rig::Character& character, const rig::Pose& pose) {
  return collapse_measures(character, deform::deform_once(character, pose, {}));
}

struct Posed {
  deform::DeformedCharacter shape;
  rig::Pose pose;
  std::vector<glm::mat4> world;
};

Posed posed(const rig::Character& character, const rig::Pose& pose, int method = deform::find_method("lbs")) {
  deform::SkinningSettings settings;
  settings.method = method;
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  return {deform::deform_once(character, pose, settings), pose, world.world()};
}

/// A ring of F-CYL by its vertices.
Ring ring_of_cylinder(int i) {
  Ring ring;
  ring.joint = 1;
  for (int k = 0; k < test::kCylinderAround; ++k) {
    const std::uint32_t v = test::cylinder_vertex(i, k);
    ring.points.push_back({v, v, 0.0});
  }
  return ring;
}

// --- the golden numbers of ALGORITHMS.md §53, for every method that they name

struct GoldenPose {
  bool twist;
  double degrees;
};
constexpr std::array kGoldenPoses = {GoldenPose{true, 60},  GoldenPose{true, 90},  GoldenPose{true, 120},
                                     GoldenPose{true, 180}, GoldenPose{false, 60}, GoldenPose{false, 90},
                                     GoldenPose{false, 120}};

struct GoldenMethod {
  const char* id;
  double tolerance;
  std::array<double, 7> volume;
  std::array<double, 7> area;  // 0: not given
};
constexpr std::array kGoldenMethods = {
    GoldenMethod{"lbs",
                 1e-5,
                 {0.965956, 0.932513, 0.899289, 0.866667, 0.982812, 0.965625, 0.948437},
                 {0.986646, 0.975254, 0.964468, 0.946414, 0.997286, 0.997330, 1.002260}},
    GoldenMethod{"dqs",
                 1e-4,
                 {0.998572, 0.997435, 0.996014, 0.992232, 0.999144, 0.998075, 0.996570},
                 {1.000660, 1.002130, 1.005156, 1.020053, 1.004070, 1.010582, 1.023131}},
    GoldenMethod{"cor", 1e-4, {0.998572, 0.997435, 0.996014, 0.992232, 0.998733, 0.996102, 0.990803}, {}},
};

class Golden : public testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {};

TEST_P(Golden, C53_1_C23_5_RatiosOfTheCylinder) {
  const GoldenMethod& golden = kGoldenMethods[std::get<0>(GetParam())];
  const std::size_t row = std::get<1>(GetParam());
  const GoldenPose& pose = kGoldenPoses[row];
  const int method = deform::find_method(golden.id);
  ASSERT_GE(method, 0);
  const rig::Character character = test::cylinder();
  const CollapseMeasures measures = collapse_measures(
      character, posed(character, test::tip_turned(character, pose.degrees, pose.twist), method).shape);
  EXPECT_NEAR(measures.volume_ratio, golden.volume[row], golden.tolerance);
  if (golden.area[row] > 0) {
    EXPECT_NEAR(measures.area_ratio, golden.area[row], golden.tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Cylinder, Golden,
                         testing::Combine(testing::Range<std::size_t>(0, kGoldenMethods.size()),
                                          testing::Range<std::size_t>(0, kGoldenPoses.size())),
                         [](const auto& param) {
                           const GoldenPose& pose = kGoldenPoses[std::get<1>(param.param)];
                           return std::string(kGoldenMethods[std::get<0>(param.param)].id) +
                                  (pose.twist ? "_twist_" : "_bend_") + std::to_string(static_cast<int>(pose.degrees));
                         });

TEST(RingRadius, C7_3_CandyWrapper) {
  const rig::Character character = test::cylinder();
  const SkinMeter meter(character);
  constexpr struct {
    double degrees;
    double half;  // sqrt(1 - 4 w (1 - w) sin^2(theta / 2)) at w = 1/2
  } kTable[] = {{30, 0.9659}, {60, 0.8660}, {90, 0.7071}, {120, 0.5}, {150, 0.2588}, {170, 0.0872}, {180, 0}};
  for (const auto& row : kTable) {
    const deform::DeformedCharacter shape =
        deform::deform_once(character, test::tip_turned(character, row.degrees, true), {});
    const RingRadius half = meter.radius(ring_of_cylinder(20), shape);
    EXPECT_NEAR(half.mean / 0.1, row.half, 5e-5) << row.degrees;  // printed to four digits
    EXPECT_NEAR(half.mean, 0.1 * std::abs(std::cos(row.degrees * kDegree / 2)), 2e-8) << row.degrees;
  }
  constexpr struct {
    double degrees;
    double quarter;
  } kQuarter[] = {{90, 0.790569}, {120, 0.661438}, {180, 0.5}};
  for (const auto& row : kQuarter) {
    const deform::DeformedCharacter shape =
        deform::deform_once(character, test::tip_turned(character, row.degrees, true), {});
    const RingRadius quarter = meter.radius(ring_of_cylinder(18), shape);
    EXPECT_NEAR(quarter.mean / 0.1, row.quarter, 1e-6) << row.degrees;
    EXPECT_NEAR(quarter.min, quarter.max, 1e-7);
  }
}

TEST(SkinMeter, C7_4_TwistVolumeOfTheBlendZone) {
  const rig::Character character = test::fine_cylinder();
  const SkinMeter meter(character, true);
  for (const double degrees : {0.0, 60.0, 90.0, 120.0, 180.0}) {
    const Posed twisted = posed(character, test::tip_turned(character, degrees, true));
    const double factor = 1 - 2.0 / 3 * std::pow(std::sin(degrees * kDegree / 2), 2);
    // A fifth of the tube is the zone. Bands of 1/400 miss their continuum by less than a thousandth.
    EXPECT_NEAR(meter.collapse(twisted.shape).volume_ratio, 0.8 + 0.2 * factor, 1e-4) << degrees;
    const std::vector<ZoneMeasures> zones = meter.zones(twisted.shape, twisted.pose, twisted.world);
    ASSERT_EQ(zones.size(), 1u);
    EXPECT_EQ(zones[0].joint, 1) << "the deeper of the two joints";
    ASSERT_TRUE(zones[0].volume_ratio.has_value());
    EXPECT_NEAR(*zones[0].volume_ratio, factor, 1e-3) << degrees;
  }
}

TEST(SkinMeter, C53_ZonesThatEncloseNothingHaveNoVolumeAndNoneIsNegative) {
  // A leaf: the tube pressed flat. Its ends close, and yet it holds next to nothing.
  rig::Character leaf = test::cylinder();
  for (glm::vec3& p : leaf.meshes.edit(0).primitives.edit(0).positions.edit()) {
    p.z *= 0.02f;
  }
  const SkinMeter meter(leaf, true);
  const Posed bent = posed(leaf, test::tip_turned(leaf, 90, false));
  const std::vector<ZoneMeasures> flat = meter.zones(bent.shape, bent.pose, bent.world);
  ASSERT_EQ(flat.size(), 1u);
  EXPECT_FALSE(flat[0].volume_ratio.has_value());
  EXPECT_GT(flat[0].max_edge_stretch, 1.0) << "what else there is to say stays";
  // An open tube is closed by fans; bent back onto itself it is not less than empty.
  rig::Character open = test::cylinder();
  std::vector<std::uint32_t>& indices = open.meshes.edit(0).primitives.edit(0).indices.edit();
  indices.resize(indices.size() / 6 * 3);
  const SkinMeter half(open, true);
  for (const double degrees : {0.0, 90.0, 180.0}) {
    const Posed folded = posed(open, test::tip_turned(open, degrees, false));
    for (const ZoneMeasures& zone : half.zones(folded.shape, folded.pose, folded.world)) {
      EXPECT_GE(zone.volume_ratio.value_or(0), 0.0) << degrees;
    }
  }
}

TEST(RingRadius, C7_5_ElbowNarrowsInThePlaneOfTheBend) {
  const rig::Character character = test::cylinder();
  for (const double degrees : {30.0, 60.0, 90.0, 120.0}) {
    const deform::DeformedCharacter shape =
        deform::deform_once(character, test::tip_turned(character, degrees, false), {});
    const auto at = [&](int k) { return glm::dvec3(shape.parts[0].positions[test::cylinder_vertex(20, k)]); };
    EXPECT_NEAR(glm::length(at(0) - at(16)) / 2, 0.1 * std::cos(degrees * kDegree / 2), 1e-7) << degrees;
    EXPECT_NEAR(glm::length(at(8) - at(24)) / 2, 0.1, 1e-7) << degrees;
  }
}

class MidRing : public testing::TestWithParam<std::string_view> {};

TEST_P(MidRing, C53_2_RadiusAtTheJoint) {
  const int method = deform::find_method(GetParam());
  ASSERT_GE(method, 0);
  const bool collapses = GetParam() == "lbs";
  // Centres of rotation are sums over all triangles in single precision.
  const double tolerance = GetParam() == "cor" ? 1e-6 : 1e-7;
  const rig::Character character = test::cylinder();
  const SkinMeter meter(character);
  const Result<Ring> ring = meter.ring(1);
  ASSERT_TRUE(ring.has_value()) << ring.error().message;
  EXPECT_NEAR(meter.bind_radius(*ring).mean, 0.1, 1e-8);
  for (const double degrees : {30.0, 60.0, 90.0, 120.0, 150.0}) {
    const double small = collapses ? 0.1 * std::cos(degrees * kDegree / 2) : 0.1;
    const RingRadius twist =
        meter.radius(*ring, posed(character, test::tip_turned(character, degrees, true), method).shape);
    EXPECT_NEAR(twist.min, small, tolerance) << degrees;
    EXPECT_NEAR(twist.mean, small, tolerance) << degrees;
    EXPECT_NEAR(twist.max, small, tolerance) << degrees;
    const RingRadius bend =
        meter.radius(*ring, posed(character, test::tip_turned(character, degrees, false), method).shape);
    EXPECT_NEAR(bend.min, small, tolerance) << degrees;
    EXPECT_NEAR(bend.max, 0.1, tolerance) << degrees;
  }
}
INSTANTIATE_TEST_SUITE_P(Methods, MidRing, testing::Values("lbs", "dqs", "cor"),
                         [](const auto& param) { return std::string(param.param); });

struct GoldenDistance {
  const char* id;
  double min;
  double max;
};

void PrintTo(const GoldenDistance& golden, std::ostream* out) {
  *out << golden.id;
}

class Bulge : public testing::TestWithParam<GoldenDistance> {};

TEST_P(Bulge, C53_3_C22_7_DistanceToThePosedBones) {
  const int method = deform::find_method(GetParam().id);
  ASSERT_GE(method, 0);
  const rig::Character character = test::cylinder();
  const SkinMeter meter(character);
  const Posed rest = posed(character, rig::rest_pose(character), method);
  const BoneDistance before = meter.bone_distance(rest.shape, rest.pose, rest.world);
  EXPECT_NEAR(before.min, 0.1, 1e-7) << "the centres of the caps lie on the bones and do not count";
  EXPECT_NEAR(before.max, 0.1, 1e-7);
  const Posed bent = posed(character, test::tip_turned(character, 90, false), method);
  const BoneDistance after = meter.bone_distance(bent.shape, bent.pose, bent.world);
  EXPECT_NEAR(after.min, GetParam().min, 1e-6);  // printed to six digits
  EXPECT_NEAR(after.max, GetParam().max, 1e-6);
  EXPECT_NEAR(after.min_ratio, GetParam().min / 0.1, 1e-5);
  EXPECT_NEAR(after.max_ratio, GetParam().max / 0.1, 1e-5);
}
INSTANTIATE_TEST_SUITE_P(Methods, Bulge,
                         testing::Values(GoldenDistance{"lbs", 0.05, 0.101845},
                                         GoldenDistance{"dqs", 0.070019, 0.111978},
                                         GoldenDistance{"cor", 0.070582, 0.108092}),
                         [](const auto& param) { return std::string(param.param.id); });

// --- collapse measures in general

TEST(CollapseMeasures, HolesAreClosed) {
  // Without its caps the cylinder encloses the same volume once its two holes are closed, and closing them adds no
  // area.
  rig::Character open = test::cylinder();
  mesh::Primitive& primitive = open.meshes.edit(0).primitives.edit(0);
  primitive.indices.resize(primitive.indices.size() - 6 * test::kCylinderAround);
  const rig::Character closed = test::cylinder();
  for (const double degrees : {60.0, 120.0}) {
    for (const bool twist : {true, false}) {
      const CollapseMeasures a = measures_of(open, test::tip_turned(open, degrees, twist));
      const CollapseMeasures b = measures_of(closed, test::tip_turned(closed, degrees, twist));
      EXPECT_NEAR(a.volume_ratio, b.volume_ratio, 1e-5);
    }
  }
}

TEST(CollapseMeasures, SeamsAreNoHoles) {
  // Every triangle with its own three vertices: welded by position, the measures stay.
  const rig::Character whole = test::cylinder();
  const rig::Character torn = test::torn(whole);
  const CollapseMeasures a = measures_of(whole, test::tip_turned(whole, 90, true));
  const CollapseMeasures b = measures_of(torn, test::tip_turned(torn, 90, true));
  EXPECT_NEAR(a.volume_ratio, b.volume_ratio, 1e-9);
  EXPECT_NEAR(a.area_ratio, b.area_ratio, 1e-9);
  EXPECT_NEAR(a.max_edge_stretch, b.max_edge_stretch, 1e-9);
}

TEST(CollapseMeasures, C53_4_RigidMotionAndUniformScale) {
  test::Random random(534);
  for (const bool coarse : {true, false}) {
    const rig::Character character = coarse ? test::coarse_ball() : test::cylinder();
    // Storing coordinates of up to 1.4 m moves the ends of an edge by up to 2^-24 m along each axis: the edges of
    // F-CYL, 2 cm long, by 1e-5 of their length. Those of the ball, by no more than 1.5e-7.
    const double of_edges = coarse ? 1e-6 : 2 * std::sqrt(3.0) * 0x1p-24 / 0.0196;
    for (int round = 0; round < 10; ++round) {
      rig::Pose pose = rig::rest_pose(character);
      pose.local[0].rotation = glm::quat(random.rotation());
      pose.local[0].translation = random.vector(-0.2f, 0.2f);
      const CollapseMeasures rigid = measures_of(character, pose);
      EXPECT_NEAR(rigid.volume_ratio, 1.0, 1e-6);
      EXPECT_NEAR(rigid.area_ratio, 1.0, 1e-6);
      EXPECT_NEAR(rigid.max_edge_stretch, 1.0, of_edges);
      EXPECT_NEAR(rigid.min_edge_stretch, 1.0, of_edges);
      const float s = random.real(0.5f, 2.0f);
      pose.local[0].scale = glm::vec3(s);
      const CollapseMeasures scaled = measures_of(character, pose);
      const double factor = static_cast<double>(s);
      EXPECT_NEAR(scaled.volume_ratio / (factor * factor * factor), 1.0, 1e-6);
      EXPECT_NEAR(scaled.area_ratio / (factor * factor), 1.0, 1e-6);
      EXPECT_NEAR(scaled.max_edge_stretch / factor, 1.0, of_edges);
      EXPECT_NEAR(scaled.min_edge_stretch / factor, 1.0, of_edges);
    }
  }
}

TEST(CollapseMeasures, ScaleFoldedIntoInverseBindsIsNoCollapse) {
  // As quantised files have it: the mesh a hundred times larger, the inverse binds a hundred times smaller.
  rig::Character character = test::cylinder();
  for (glm::vec3& p : character.meshes.edit(0).primitives.edit(0).positions.edit()) {
    p *= 100.0f;
  }
  for (glm::mat4& m : character.skins.edit(0).joint_from_mesh) {
    m = m * glm::mat4(glm::mat3(0.01f));
  }
  const CollapseMeasures rest = measures_of(character, rig::rest_pose(character));
  EXPECT_NEAR(rest.volume_ratio, 1.0, 1e-5);
  EXPECT_NEAR(rest.area_ratio, 1.0, 1e-5);
  EXPECT_NEAR(rest.max_edge_stretch, 1.0, 1e-4);
  EXPECT_NEAR(measures_of(character, test::tip_turned(character, 90, true)).volume_ratio, 0.932513, 1e-5);
}

TEST(CollapseMeasures, FlatSheetEnclosesNothing) {
  rig::Character character = test::strip100();
  const CollapseMeasures measures = measures_of(character, rig::rest_pose(character));
  EXPECT_EQ(measures.volume_ratio, 1.0);
  EXPECT_NEAR(measures.area_ratio, 1.0, 1e-5);
}

TEST(CollapseMeasures, EdgeStretchBothWays) {
  // Twisted by half a turn the middle ring is a point: its edges are gone.
  const rig::Character character = test::cylinder();
  const CollapseMeasures measures = measures_of(character, test::tip_turned(character, 180, true));
  EXPECT_NEAR(measures.min_edge_stretch, 0.0, 1e-6);
  EXPECT_GT(measures.max_edge_stretch, 1.0);
}

// --- rings

TEST(Ring, IsTheLoopAroundItsOwnBone) {
  // Two tubes side by side, one skin: each joint gets the ring of its own tube, torn or whole.
  rig::Character character;
  test::add_node(character, "root", -1, {});
  test::add_node(character, "a", 0, {.translation = {0.5f, 0, 0}});
  test::add_node(character, "b", 0, {.translation = {0.5f, 0.5f, 0}});
  test::add_node(character, "a_end", 1, {.translation = {0.5f, 0, 0}});
  test::add_node(character, "b_end", 2, {.translation = {0.5f, 0, 0}});
  mesh::Primitive primitive = test::cylinder_primitive();
  const std::size_t count = primitive.vertex_count();
  const std::vector<std::uint32_t> indices = primitive.indices;
  for (std::size_t v = 0; v < count; ++v) {
    const glm::vec3 p = primitive.positions[v];
    primitive.positions.push_back(glm::vec3(p.x, 0.5f + 2.0f * p.y, 2.0f * p.z));
    const std::uint16_t joint = 2;
    const float one = 1.0f;
    mesh::append_row(primitive.influences.edit(), {&joint, 1}, {&one, 1});
  }
  primitive.normals.clear();
  for (const std::uint32_t i : indices) {
    primitive.indices.push_back(i + static_cast<std::uint32_t>(count));
  }
  test::add_skinned_mesh(character, "tubes", {0, 1, 2, 3, 4}, std::move(primitive));
  rig::finish(character);
  // The bone from the root to "b" runs across; past "b" it runs along x. Halfway between, the plane is slanted.
  const double slant = std::numbers::pi / 8;
  for (const rig::Character& one : {character, test::torn(character)}) {
    const SkinMeter meter(one);
    const Result<Ring> a = meter.ring(1);
    ASSERT_TRUE(a.has_value()) << a.error().message;
    EXPECT_NEAR(meter.bind_radius(*a).max, 0.1, 1e-7);
    EXPECT_NEAR(meter.bind_radius(*a).min, 0.1, 1e-7);
    const Result<Ring> b = meter.ring(2);
    ASSERT_TRUE(b.has_value()) << b.error().message;
    EXPECT_NEAR(meter.bind_radius(*b).max, 0.2 / std::cos(slant), 1e-3);
    EXPECT_NEAR(meter.bind_radius(*b).min, 0.2, 2e-3);
  }
}

TEST(Ring, SaysWhyThereIsNone) {
  const rig::Character cylinder = test::cylinder();
  const SkinMeter meter(cylinder);
  EXPECT_THAT(meter.ring(2).error().message, HasSubstr("no skin lists the joint cylinder"));
  const rig::Character strip = test::strip100();
  EXPECT_FALSE(SkinMeter(strip).ring(5).has_value());
}

// --- flipped triangles

TEST(FlippedTriangles, AgainstWhereTheStrongestJointTurnsThem) {
  const rig::Character character = test::strip100();
  const SkinMeter meter(character);
  Posed rest = posed(character, rig::rest_pose(character));
  EXPECT_EQ(meter.flipped_triangles(rest.shape, rest.pose, rest.world), 0);
  rest.shape.parts[0].positions[7].y = -1.0f;  // the corner (3, 1): triangles 2 and 3 hang from it
  const std::int64_t flipped = meter.flipped_triangles(rest.shape, rest.pose, rest.world);
  EXPECT_EQ(flipped, 1) << "of triangle j = (j-1, 0), (j, 0), (j-1, 1) only one has that corner";
  // The whole strip over: nothing is flipped against its joints. Mirrored as well.
  rig::Pose pose = rig::rest_pose(character);
  pose.local[0].rotation = glm::quat(glm::angleAxis(std::numbers::pi, glm::dvec3(1, 0, 0)));
  const Posed over = posed(character, pose);
  EXPECT_EQ(meter.flipped_triangles(over.shape, over.pose, over.world), 0);
  pose.local[0].scale = {-1, 1, 1};
  const Posed mirrored = posed(character, pose);
  EXPECT_EQ(meter.flipped_triangles(mirrored.shape, mirrored.pose, mirrored.world), 0);
}

TEST(FlippedTriangles, ThoseWithoutAreaHaveNoSide) {
  // Three vertices on a straight line of F-CYL, which a twist bends; two vertices at one place and a third.
  const rig::Character plain = test::cylinder();
  rig::Character character = plain;
  mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
  const auto copied = static_cast<std::uint32_t>(primitive.vertex_count());
  for (std::uint32_t v = 0; v < copied; ++v) {
    primitive.positions.push_back(primitive.positions[v]);
    primitive.normals.push_back(primitive.normals[v]);
    const mesh::InfluenceRow row = primitive.influences->row(v);
    const std::vector<std::uint16_t> joints(row.joints.begin(), row.joints.end());
    const std::vector<float> weights(row.weights.begin(), row.weights.end());
    mesh::append_row(primitive.influences.edit(), joints, weights);
  }
  for (int i = 0; i + 2 < test::kCylinderRings; ++i) {
    for (int k = 0; k < test::kCylinderAround; ++k) {
      const std::uint32_t a = test::cylinder_vertex(i, k);
      primitive.indices.append({a, test::cylinder_vertex(i + 1, k), test::cylinder_vertex(i + 2, k)});
      primitive.indices.append({a, a + copied, test::cylinder_vertex(i + 1, k + 1)});
    }
  }
  rig::finish(character);
  rig::Pose pose = rig::rest_pose(character);
  pose.local[1].rotation = glm::quat(glm::angleAxis(1.0, glm::normalize(glm::dvec3(1, 0.2, 0.3))));
  pose.local[0].rotation = glm::quat(glm::angleAxis(0.7, glm::normalize(glm::dvec3(1, 2, 3))));
  const Posed without = posed(plain, pose);
  ASSERT_EQ(SkinMeter(plain).flipped_triangles(without.shape, without.pose, without.world), 0);
  const Posed with = posed(character, pose);
  EXPECT_EQ(SkinMeter(character).flipped_triangles(with.shape, with.pose, with.world), 0);
}

// --- self-intersections

std::int64_t intersections(const std::vector<glm::vec3>& positions) {
  std::vector<std::uint32_t> indices;
  for (std::uint32_t i = 0; i < positions.size(); ++i) {
    indices.push_back(i);
  }
  return mesh::count_self_intersections(positions, indices, indices);
}

TEST(SelfIntersections, ByHand) {
  const std::vector<glm::vec3> floor = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}};
  const auto with = [&](glm::vec3 a, glm::vec3 b, glm::vec3 c) {
    std::vector<glm::vec3> all = floor;
    all.insert(all.end(), {a, b, c});
    return intersections(all);
  };
  EXPECT_EQ(with({0, 0, -1}, {0, 0, 1}, {0.1f, 0.2f, 1}), 1) << "straight through";
  EXPECT_EQ(with({5, 0, -1}, {5, 0, 1}, {5.1f, 0.2f, 1}), 0) << "through the plane, beside the triangle";
  EXPECT_EQ(with({0, 0, 0}, {0, 0.5f, 1}, {0.1f, -0.2f, 1}), 0) << "stands on it with a corner";
  EXPECT_EQ(with({0, 0, 0}, {0.2f, 0, 0}, {0.1f, -0.2f, 1}), 0) << "stands on it with an edge";
  EXPECT_EQ(with({-0.5f, -1, 0}, {0.5f, -0.5f, 0}, {0, 0.5f, 0}), 0) << "lies in its plane";
  EXPECT_EQ(with({0, 0, 1}, {1, 0, 1}, {0, 1, 1}), 0);
  EXPECT_EQ(with({0, 0, -1}, {0, 0, 1}, {0, 0, 1}), 0) << "a needle without area";
  EXPECT_EQ(with({0, 0, -1}, {0, 0, std::numeric_limits<float>::quiet_NaN()}, {0.1f, 0.2f, 1}), 0);
  // An edge crosses an edge: as deep as either goes.
  EXPECT_EQ(with({0, -1.5f, -1}, {0, -1.5f, 1}, {0, 0, 0.0f}), 1);
  // A shared vertex makes neighbours, whatever they do to each other.
  const std::vector<glm::vec3> fold = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}};
  const std::vector<std::uint32_t> indices = {0, 1, 2, 2, 3, 4};
  const std::vector<std::uint32_t> welded = {0, 1, 2, 3, 4};
  EXPECT_EQ(mesh::count_self_intersections(fold, indices, welded), 0);
}

/// Whether the segment p q passes through the inside of triangle abc, by signed volumes.
bool pierces(const glm::dvec3& p, const glm::dvec3& q, const std::array<glm::dvec3, 3>& t) {
  const auto volume = [](const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& c, const glm::dvec3& d) {
    return glm::dot(b - a, glm::cross(c - a, d - a));
  };
  if ((volume(t[0], t[1], t[2], p) > 0) == (volume(t[0], t[1], t[2], q) > 0)) {
    return false;
  }
  const bool side = volume(p, q, t[0], t[1]) > 0;
  return (volume(p, q, t[1], t[2]) > 0) == side && (volume(p, q, t[2], t[0]) > 0) == side;
}

TEST(SelfIntersections, AgreeWithTestingEveryPairByItsEdges) {
  for (const std::uint32_t seed : {1u, 2u, 3u}) {
    test::Random random(seed);
    std::vector<glm::vec3> positions;
    for (int t = 0; t < 300; ++t) {
      const glm::vec3 center = random.vector(-1.0f, 1.0f);
      for (int corner = 0; corner < 3; ++corner) {
        positions.push_back(center + random.vector(-0.25f, 0.25f));
      }
    }
    std::int64_t expected = 0;
    const auto triangle = [&](std::size_t t) {
      return std::array<glm::dvec3, 3>{glm::dvec3(positions[3 * t]), glm::dvec3(positions[3 * t + 1]),
                                       glm::dvec3(positions[3 * t + 2])};
    };
    for (std::size_t a = 0; a < 300; ++a) {
      for (std::size_t b = a + 1; b < 300; ++b) {
        bool crosses = false;
        for (std::size_t i = 0; i < 3; ++i) {
          crosses = crosses || pierces(triangle(a)[i], triangle(a)[(i + 1) % 3], triangle(b)) ||
                    pierces(triangle(b)[i], triangle(b)[(i + 1) % 3], triangle(a));
        }
        expected += crosses ? 1 : 0;
      }
    }
    EXPECT_GT(expected, 50);
    EXPECT_EQ(intersections(positions), expected) << seed;
  }
}

TEST(SelfIntersections, AppearWhereABendFoldsTheSkin) {
  const rig::Character character = test::cylinder();
  const SkinMeter meter(character);
  EXPECT_EQ(meter.self_intersections(bind_shape(character)), 0);
  EXPECT_GT(meter.self_intersections(deform::deform_once(character, test::tip_turned(character, 170, false), {})), 0);
}

}  // namespace
}  // namespace pelt::measure
