#include "mesh/subdivide.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mesh/measures.h"
#include "mesh/weld.h"
#include "support/fixtures.h"
#include "support/surfaces.h"

namespace pelt::mesh {
namespace {

using testing::ElementsAre;
using testing::Key;

void expect_near(const glm::vec3& actual, const glm::vec3& expected, float tolerance = 1e-6f) {
  EXPECT_LE(glm::length(actual - expected), tolerance) << actual.x << ' ' << actual.y << ' ' << actual.z << " is not "
                                                       << expected.x << ' ' << expected.y << ' ' << expected.z;
}

// Loop 1987: beta(4) = (5/8 - (3/8 + cos(2 pi / 4) / 4)^2) / 4 = 31/256.
TEST(SubdivideLoop, MasksOfTheOctahedron) {
  const Subdivision result = subdivide_loop(test::octahedron(), 1);
  ASSERT_EQ(result.primitive.vertex_count(), 6u + 12u);
  ASSERT_EQ(result.primitive.triangle_count(), 32u);
  // Four neighbours whose sum is zero: the vertex shrinks to 1 - 4 beta = 33/64.
  expect_near(result.primitive.positions[0], {33.0f / 64, 0, 0});
  // Edge x y with z and -z opposite: 3/8 of both.
  const auto edge =
      std::ranges::find_if(result.primitive.positions, [](const glm::vec3& p) { return p.x > 0 && p.y > 0; });
  ASSERT_NE(edge, result.primitive.positions.end());
  expect_near(*edge, {0.375f, 0.375f, 0});
  EXPECT_THAT(test::edge_degrees(result.primitive), ElementsAre(Key(2)));
  EXPECT_EQ(test::euler_number(result.primitive), 2);
}

// Valence 3: beta = 3/16; valence 6: 1/16.
TEST(SubdivideLoop, MasksOfOtherValences) {
  Primitive tetrahedron;
  tetrahedron.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  tetrahedron.indices = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  expect_near(subdivide_loop(tetrahedron, 1).primitive.positions[0], glm::vec3(3.0f / 16));
  Primitive plane = test::grid(2, 2);
  plane.positions.edit()[4].z = 1;
  // The grid's middle has six neighbours.
  expect_near(subdivide_loop(plane, 1).primitive.positions[4], {0.5f, 0.5f, 0.625f});
}

TEST(SubdivideLoop, BordersFollowTheirCurve) {
  Primitive strip;
  strip.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  strip.indices = {0, 1, 2};
  const Primitive finer = subdivide_loop(strip, 1).primitive;
  expect_near(finer.positions[0], {0.125f, 0.125f, 0});  // 3/4 of itself, 1/8 of both neighbours
  expect_near(finer.positions[3], {0.5f, 0, 0});
  // A flat border stays where it is.
  const Primitive grid = subdivide_loop(test::grid(4, 4), 2).primitive;
  for (const glm::vec3& p : grid.positions) {
    EXPECT_EQ(p.z, 0.0f);
  }
}

TEST(SubdivideLoop, HardEdgesStayHard) {
  const Primitive cube = test::hard_cube();
  const Primitive finer = subdivide_loop(cube, 2).primitive;
  EXPECT_NEAR(surface_area(finer.positions, finer.indices), 24.0, 1e-5);
  EXPECT_NEAR(signed_volume(finer.positions, finer.indices), 8.0, 1e-5);
  for (std::size_t v = 0; v < finer.vertex_count(); ++v) {
    EXPECT_NEAR(glm::dot(finer.positions[v], finer.normals[v]), 1.0f, 1e-6f);  // on its side
  }
  // The same cube with one normal per corner is smooth and shrinks.
  Primitive soft = cube;
  for (std::size_t v = 0; v < soft.vertex_count(); ++v) {
    soft.normals.edit()[v] = glm::normalize(soft.positions[v]);
  }
  const Primitive round = subdivide_loop(soft, 2).primitive;
  EXPECT_LT(signed_volume(round.positions, round.indices), 5.0);
  EXPECT_THAT(test::edge_degrees(round), ElementsAre(Key(2)));
}

TEST(SubdivideLoop, SeamsOfTextureCoordinatesStayClosedAndSmooth) {
  // A sphere, and the same with every triangle's vertices of its own.
  const Primitive welded = test::sphere(2);
  Primitive loose;
  for (const std::uint32_t index : welded.indices) {
    loose.indices.push_back(static_cast<std::uint32_t>(loose.positions.size()));
    loose.positions.push_back(welded.positions[index]);
    loose.normals.push_back(welded.normals[index]);
    loose.texcoords[0].emplace_back(static_cast<float>(loose.positions.size()), 0.0f);
  }
  const Primitive a = subdivide_loop(welded, 2).primitive;
  const Primitive b = subdivide_loop(loose, 2).primitive;
  ASSERT_EQ(a.indices.size(), b.indices.size());
  for (std::size_t i = 0; i < a.indices.size(); ++i) {
    expect_near(a.positions[a.indices[i]], b.positions[b.indices[i]]);
  }
  EXPECT_THAT(test::edge_degrees(b), ElementsAre(Key(2)));  // bit for bit
  EXPECT_EQ(test::euler_number(b), 2);
  // Each triangle is its own chart: within it the coordinates stay between those of its corners.
  for (std::size_t t = 0; t < b.triangle_count(); ++t) {
    const auto corner = static_cast<float>(t / 16 * 3);
    for (std::size_t c = 0; c < 3; ++c) {
      const float s = b.texcoords[0][b.indices[3 * t + c]].x;
      EXPECT_GE(s, corner + 1);
      EXPECT_LE(s, corner + 3);
    }
  }
}

// Subdivision shading: normals of a refined sphere point from its middle.
TEST(SubdivideLoop, NormalsFollowTheSurface) {
  const Primitive finer = subdivide_loop(test::sphere(2), 2).primitive;
  for (std::size_t v = 0; v < finer.vertex_count(); ++v) {
    EXPECT_NEAR(glm::length(finer.normals[v]), 1.0f, 1e-6f);
    EXPECT_GT(glm::dot(glm::normalize(finer.positions[v]), finer.normals[v]), std::cos(0.01f));
  }
}

TEST(SubdivideLoop, TangentsAndCoordinatesFollowTheSurface) {
  const Primitive finer = subdivide_loop(test::grid(4, 3), 3).primitive;
  ASSERT_EQ(finer.tangents.size(), finer.vertex_count());
  for (std::size_t v = 0; v < finer.vertex_count(); ++v) {
    EXPECT_EQ(finer.tangents[v], glm::vec4(1, 0, 0, 1));
    // The coordinates are the plane's own before and after.
    EXPECT_NEAR(finer.texcoords[0][v].x, finer.positions[v].x, 1e-6f);
    EXPECT_NEAR(finer.texcoords[0][v].y, finer.positions[v].y, 1e-6f);
  }
}

TEST(SubdivideLoop, InfluencesUseTheRowsOfThePositionsAndSumToOne) {
  const Primitive cage = test::cylinder_primitive();
  const Subdivision result = subdivide_loop(cage, 1);
  const Influences& rows = result.primitive.influences;
  ASSERT_EQ(rows.vertex_count(), result.primitive.vertex_count());
  ASSERT_EQ(result.levels.size(), 1u);
  const Stencils& stencils = result.levels[0];
  for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
    double expected = 0;  // of joint 1
    double row_sum = 0;
    for (std::size_t i = stencils.offset[v]; i < stencils.offset[v + 1]; ++i) {
      const double x = static_cast<double>(cage.positions[stencils.source[i]].x);
      expected += static_cast<double>(stencils.weight[i]) * test::cylinder_weight(x);
      row_sum += static_cast<double>(stencils.weight[i]);
    }
    EXPECT_NEAR(row_sum, 1.0, 1e-6);
    double actual = 0;
    double sum = 0;
    const mesh::InfluenceRow row = rows.row(v);
    for (std::size_t k = 0; k < row.joints.size(); ++k) {
      actual += row.joints[k] == 1 ? static_cast<double>(row.weights[k]) : 0.0;
      sum += static_cast<double>(row.weights[k]);
    }
    EXPECT_NEAR(actual, expected, 1e-6);
    EXPECT_NEAR(sum, 1.0, 1e-6);
  }
}

TEST(SubdivideLoop, MorphingAndSubdividingCommute) {
  test::Random random(17);
  Primitive cage = test::sphere(1);
  MorphTarget target;
  for (std::size_t v = 0; v < cage.vertex_count(); ++v) {
    target.position_deltas.push_back(random.vector(-0.3f, 0.3f));
  }
  cage.morph_targets.push_back(target);
  const Subdivision result = subdivide_loop(cage, 2);
  std::vector<glm::vec3> morphed = cage.positions;
  for (std::size_t v = 0; v < morphed.size(); ++v) {
    morphed[v] += target.position_deltas[v] * 0.7f;
  }
  const std::vector<glm::vec3> refined = refine(result, morphed);
  for (std::size_t v = 0; v < refined.size(); ++v) {
    expect_near(refined[v],
                result.primitive.positions[v] + result.primitive.morph_targets[0].position_deltas[v] * 0.7f);
  }
}

TEST(SubdivideLoop, LevelZeroIsTheCage) {
  const Primitive cage = test::hard_cube();
  const Subdivision result = subdivide_loop(cage, 0);
  EXPECT_EQ(result.primitive.positions, cage.positions);
  EXPECT_EQ(result.primitive.indices, cage.indices);
  EXPECT_EQ(refine(result, cage.positions), cage.positions);
}

TEST(SubdivideLoop, DegenerateSurfaces) {
  EXPECT_EQ(subdivide_loop({}, 2).primitive.vertex_count(), 0u);
  // A triangle with a repeated corner and one with two corners in one place go; a third sheet makes a crease.
  Primitive surface;
  surface.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, -1, 0}, {0.5f, 0, 1}};
  surface.indices = {0, 1, 2, 0, 0, 1, 1, 2, 3, 1, 0, 4, 0, 1, 5};
  const Subdivision result = subdivide_loop(surface, 1);
  EXPECT_EQ(result.primitive.triangle_count(), 12u);
  EXPECT_THAT(result.source_triangle, ElementsAre(0, 0, 0, 0, 3, 3, 3, 3, 4, 4, 4, 4));
  for (const glm::vec3& p : result.primitive.positions) {
    EXPECT_TRUE(is_finite(p));
  }
  const auto middle = std::ranges::count(result.primitive.positions, glm::vec3(0.5f, 0, 0));
  EXPECT_EQ(middle, 1);  // of the shared edge
}

// Vertices at one place with different weights part when posed; subdivision must not glue them.
TEST(SubdivideLoop, SeamsOfDifferingWeightsStayBorders) {
  Primitive surface;
  surface.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {1, 0, 0}, {0, -1, 0}};
  surface.indices = {0, 1, 2, 4, 3, 5};
  for (std::uint16_t v = 0; v < 6; ++v) {
    const auto joint = static_cast<std::uint16_t>(v < 3 ? 0 : 1);
    const float one = 1;
    append_row(surface.influences.edit(), {&joint, 1}, {&one, 1});
  }
  const Primitive finer = subdivide_loop(surface, 1).primitive;
  for (std::size_t v = 0; v < finer.vertex_count(); ++v) {
    EXPECT_EQ(finer.influences->count(v), 1u);
  }
}

}  // namespace
}  // namespace pelt::mesh
