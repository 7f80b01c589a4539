#include "mesh/measures.h"

#include <gtest/gtest.h>

#include "support/fixtures.h"

namespace pelt::mesh {
namespace {

TEST(Measures, CylinderVolumeAndArea) {
  const Primitive primitive = test::cylinder_primitive();
  const double sector = 2 * std::numbers::pi / 32;
  EXPECT_NEAR(signed_volume(primitive.positions, primitive.indices), 0.031214451523, 1e-8);
  const double caps = 2 * 0.5 * 32 * 0.01 * std::sin(sector);
  const double wall = 32 * 2 * 0.1 * std::sin(sector / 2);
  EXPECT_NEAR(surface_area(primitive.positions, primitive.indices), caps + wall, 1e-6);
}

TEST(Measures, VolumeOfAClosedMeshIgnoresTheOriginAndTurnsWithTheWinding) {
  Primitive primitive = test::cylinder_primitive();
  for (glm::vec3& position : primitive.positions.edit()) {
    position += glm::vec3(1, -2, 3);
  }
  EXPECT_NEAR(signed_volume(primitive.positions, primitive.indices), 0.031214451523, 1e-6);
  std::vector<std::uint32_t>& indices = primitive.indices.edit();
  for (std::size_t i = 0; i < indices.size(); i += 3) {
    std::swap(indices[i], indices[i + 1]);
  }
  EXPECT_NEAR(signed_volume(primitive.positions, primitive.indices), -0.031214451523, 1e-6);
}

TEST(Measures, NothingHasNoVolume) {
  EXPECT_EQ(signed_volume({}, {}), 0.0);
  EXPECT_EQ(surface_area({}, {}), 0.0);
}

}  // namespace
}  // namespace pelt::mesh
