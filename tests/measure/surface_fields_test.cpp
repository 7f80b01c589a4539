#include "measure/surface_fields.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <gtest/gtest.h>

#include "deform/fine_cylinder.h"
#include "math/angle.h"
#include "support/fixtures.h"

namespace pelt::measure {
namespace {

std::vector<float> first_part(const rig::Character& character, Measure measure, const deform::DeformedCharacter& shape,
                              const deform::DeformedCharacter& reference) {
  return surface_field(character, measure, shape, reference).at(0);
}

TEST(SurfaceFields, TableIsInTheOrderOfTheEnum) {
  for (std::size_t i = 0; i < kMeasures.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kMeasures[i].measure), i);
    EXPECT_EQ(find_measure(kMeasures[i].id), kMeasures[i].measure);
    EXPECT_GT(kMeasures[i].default_range, 0.0f);
  }
  EXPECT_FALSE(find_measure("weights").has_value());
}

TEST(SurfaceFields, NothingAgainstItself) {
  const rig::Character character = test::cylinder();
  const deform::DeformedCharacter shape = deform::deform_once(character, test::tip_turned(character, 70, false), {});
  const deform::DeformedCharacter bind = bind_shape(character);
  for (const MeasureInfo& row : kMeasures) {
    const auto field = surface_field(character, row.measure, shape, shape);
    ASSERT_EQ(field.size(), character.parts.size());
    ASSERT_EQ(field[0].size(), 1314u);
    for (const float value : field[0]) {
      EXPECT_EQ(value, 0.0f) << row.id;
    }
    // Against another shape there is something, whichever of the two is asked about.
    for (const auto& [one, other] : {std::pair(&shape, &bind), std::pair(&bind, &shape)}) {
      float largest = 0;
      for (const float value : first_part(character, row.measure, *one, *other)) {
        largest = std::max(largest, std::abs(value));
      }
      EXPECT_GT(largest, 0.1f) << row.id;
    }
  }
}

TEST(SurfaceFields, C53_4_RigidMotionChangesOnlyPlaces) {
  // Of edges as long as the coordinates: rounding alone changes those of F-CYL by 1e-5.
  const rig::Character character = test::coarse_ball();
  const deform::DeformedCharacter bind = bind_shape(character);
  test::Random random(534);
  for (int round = 0; round < 10; ++round) {
    rig::Pose pose = rig::rest_pose(character);
    pose.local[0].rotation = glm::quat(glm::angleAxis(0.7, random.unit()));
    pose.local[0].translation = random.vector(-0.2f, 0.2f);
    const deform::DeformedCharacter moved = deform::deform_once(character, pose, {});
    for (const Measure measure : {Measure::kEdgeStrain, Measure::kAreaStrain, Measure::kVolumeChange}) {
      for (const float value : first_part(character, measure, moved, bind)) {
        EXPECT_NEAR(value, 0.0f, 1e-6f) << info(measure).id;
      }
    }
    for (const float angle : first_part(character, Measure::kNormalAngle, moved, bind)) {
      EXPECT_LE(angle, 0.7f + 1e-6f);
    }
  }
}

TEST(SurfaceFields, AffineMapsChangeVolumeByTheirDeterminant) {
  const rig::Character character = test::cylinder();
  const deform::DeformedCharacter bind = bind_shape(character);
  const glm::mat3 shear(glm::vec3(1.5f, 0.2f, 0.0f), glm::vec3(-0.3f, 0.8f, 0.1f), glm::vec3(0.4f, 0.0f, 1.25f));
  deform::DeformedCharacter mapped = bind;
  for (glm::vec3& p : mapped.parts[0].positions) {
    p = shear * p + glm::vec3(0.3f, 0, 1);
  }
  for (const float value : first_part(character, Measure::kVolumeChange, mapped, bind)) {
    EXPECT_NEAR(value, glm::determinant(shear) - 1.0f, 1e-4f);
  }
  // Uniform scale: s - 1 along edges, s^2 - 1 in area, s^3 - 1 in volume, everywhere.
  deform::DeformedCharacter scaled = bind;
  for (glm::vec3& p : scaled.parts[0].positions) {
    p *= 1.3f;
  }
  const std::pair<Measure, float> expected[] = {
      {Measure::kEdgeStrain, 0.3f}, {Measure::kAreaStrain, 0.69f}, {Measure::kVolumeChange, 1.197f}};
  for (const auto& [measure, value] : expected) {
    for (const float got : first_part(character, measure, scaled, bind)) {
      EXPECT_NEAR(got, value, 1e-4f) << info(measure).id;
    }
  }
}

TEST(SurfaceFields, C7_3_LocalVolumeOfATwistedTubeFollowsItsRadius) {
  // (r' / r)^2 with r' / r = sqrt(1 - 4 w (1 - w) sin^2(theta / 2)), the candy wrapper.
  const rig::Character character = test::fine_cylinder();
  const deform::DeformedCharacter bind = bind_shape(character);
  const SurfaceField volume(character, Measure::kVolumeChange);
  for (const double degrees : {30.0, 90.0, 150.0}) {
    const auto field =
        volume.values(deform::deform_once(character, test::tip_turned(character, degrees, true), {}), bind);
    const double s = std::sin(degrees * kDegree / 2);
    for (int ring = 1; ring < 400; ++ring) {
      if (ring == 160 || ring == 240) {
        continue;  // the weights have a kink here, and a vertex averages the bands on both sides
      }
      const double w = test::cylinder_weight(ring / 400.0);
      const double expected = -4 * w * (1 - w) * s * s;
      // A band turns by up to 4 degrees where the radius is smallest, which the square of its chord misses.
      EXPECT_NEAR(static_cast<double>(field[0][test::cylinder_vertex(ring, 5)]), expected, 4e-3)
          << degrees << " degrees, ring " << ring;
    }
  }
}

TEST(SurfaceFields, DistanceAndAngleByHand) {
  const rig::Character character = test::cylinder();
  const deform::DeformedCharacter bind = bind_shape(character);
  const deform::DeformedCharacter turned = deform::deform_once(character, test::tip_turned(character, 90, true), {});
  const auto distance = surface_field(character, Measure::kDistance, turned, bind);
  const auto angle = surface_field(character, Measure::kNormalAngle, turned, bind);
  for (int k = 0; k < test::kCylinderAround; ++k) {
    EXPECT_EQ(distance[0][test::cylinder_vertex(0, k)], 0.0f);
    EXPECT_NEAR(distance[0][test::cylinder_vertex(40, k)], 0.1f * std::numbers::sqrt2_v<float>, 1e-6f);
    EXPECT_NEAR(angle[0][test::cylinder_vertex(40, k)], std::numbers::pi_v<float> / 2, 1e-5f);
    EXPECT_NEAR(angle[0][test::cylinder_vertex(20, k)], std::numbers::pi_v<float> / 4, 1e-5f);
  }
}

TEST(SurfaceFields, SeamsShareTheirValue) {
  // Every triangle with vertices of its own: values stay those of the welded mesh.
  const rig::Character whole = test::cylinder();
  const rig::Character torn = test::torn(whole);
  const std::vector<std::uint32_t>& indices = whole.meshes[0].primitives[0].indices;
  for (const Measure measure : {Measure::kEdgeStrain, Measure::kAreaStrain, Measure::kVolumeChange}) {
    const auto a = surface_field(whole, measure, deform::deform_once(whole, test::tip_turned(whole, 80, false), {}),
                                 bind_shape(whole))[0];
    const auto b = surface_field(torn, measure, deform::deform_once(torn, test::tip_turned(torn, 80, false), {}),
                                 bind_shape(torn))[0];
    for (std::size_t i = 0; i < indices.size(); ++i) {
      EXPECT_NEAR(b[i], a[indices[i]], 1e-6f) << info(measure).id;
    }
  }
}

TEST(SurfaceFields, OpenSheetsHaveNoVolumeAndWhatIsNotFiniteIsZero) {
  const rig::Character character = test::strip100();
  const deform::DeformedCharacter bind = bind_shape(character);
  deform::DeformedCharacter broken = bind;
  broken.parts[0].positions[6].y = std::numeric_limits<float>::quiet_NaN();
  broken.parts[0].normals[7] = glm::vec3(std::numeric_limits<float>::infinity());
  for (const MeasureInfo& row : kMeasures) {
    for (const float value : first_part(character, row.measure, broken, bind)) {
      EXPECT_TRUE(std::isfinite(value)) << row.id;
      EXPECT_EQ(value, 0.0f) << row.id;
    }
  }
}

TEST(SurfaceFields, PartsOnNodesAreMeasuredFromTheirRestPlace) {
  rig::Character character;
  test::add_node(character, "wheel", -1, {.translation = {0, 2, 0}});
  mesh::Mesh mesh;
  mesh.primitives.push_back(test::cylinder_primitive());
  mesh.primitives.edit(0).influences = {};
  character.meshes.push_back(std::move(mesh));
  character.mesh_nodes.push_back({.joint = 0, .mesh = 0, .skin = -1, .morph_weights = {}});
  rig::finish(character);
  const deform::DeformedCharacter bind = bind_shape(character);
  EXPECT_EQ(bind.parts[0].positions[0], glm::vec3(0, 2.1f, 0));
  rig::Pose pose = rig::rest_pose(character);
  pose.local[0].translation.z = 0.5f;
  const deform::DeformedCharacter moved = deform::deform_once(character, pose, {});
  for (const float value : first_part(character, Measure::kDistance, moved, bind)) {
    EXPECT_FLOAT_EQ(value, 0.5f);
  }
  for (const float value : first_part(character, Measure::kVolumeChange, moved, bind)) {
    EXPECT_NEAR(value, 0.0f, 1e-4f);
  }
}

}  // namespace
}  // namespace pelt::measure
