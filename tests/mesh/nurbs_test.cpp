#include "mesh/nurbs.h"

#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mesh/measures.h"
#include "support/fixtures.h"

namespace pelt::mesh {
namespace {

using testing::HasSubstr;

// A quarter of the cylinder x^2 + y^2 = 1, 0 <= z <= 2: u runs around, v up.
NurbsSurface quarter_cylinder() {
  NurbsSurface surface;
  surface.u = {2, 3, {0, 0, 0, 1, 1, 1}};
  surface.v = {1, 2, {0, 0, 1, 1}};
  surface.cage.positions = {{1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {1, 0, 2}, {1, 1, 2}, {0, 1, 2}};
  const double w = std::numbers::sqrt2 / 2;
  surface.weights = {1, w, 1, 1, w, 1};
  return surface;
}

// Bicubic with inner knots, weights and points of any kind.
NurbsSurface any_surface(std::uint32_t seed) {
  test::Random random(seed);
  NurbsSurface surface;
  surface.u = {3, 6, {0, 0, 0, 0, 0.3, 0.3, 1, 1, 1, 1}};
  surface.v = {2, 5, {-1, -0.5, 0, 1, 2, 3, 3, 4}};
  for (int i = 0; i < 30; ++i) {
    surface.cage.positions.push_back(random.vector(-1, 1) + glm::vec3(i % 6, i / 6, 0));
    surface.weights.push_back(random.real(0.5, 2.0));
  }
  return surface;
}

// The basis functions by their definition, eq. 2.5.
double basis(const std::vector<double>& knots, std::size_t i, int degree, double u) {
  if (degree == 0) {
    return knots[i] <= u && u < knots[i + 1] ? 1.0 : 0.0;
  }
  const std::size_t p = degree;
  const double left = knots[i + p] - knots[i];
  const double right = knots[i + p + 1] - knots[i + 1];
  return (left > 0 ? (u - knots[i]) / left * basis(knots, i, degree - 1, u) : 0.0) +
         (right > 0 ? (knots[i + p + 1] - u) / right * basis(knots, i + 1, degree - 1, u) : 0.0);
}

TEST(Nurbs, ACircleIsExact) {
  const NurbsSurface surface = quarter_cylinder();
  ASSERT_TRUE(check(surface));
  for (int i = 0; i <= 16; ++i) {
    const double u = i / 16.0;
    const glm::dvec3 point = evaluate(surface, u, 0.25);
    EXPECT_NEAR(std::hypot(point.x, point.y), 1.0, 1e-15);
    EXPECT_NEAR(point.z, 0.5, 1e-15);
  }
  const glm::dvec3 middle = evaluate(surface, 0.5, 0);
  EXPECT_NEAR(middle.x, std::numbers::sqrt2 / 2, 1e-15);
  EXPECT_NEAR(middle.y, std::numbers::sqrt2 / 2, 1e-15);
}

TEST(Nurbs, AgreesWithTheDefinition) {
  const NurbsSurface surface = any_surface(1);
  ASSERT_TRUE(check(surface)) << check(surface).error().message;
  test::Random random(2);
  for (int trial = 0; trial < 200; ++trial) {
    const double u = random.real(0.0, 1.0);
    const double v = random.real(0.0, 3.0);
    glm::dvec3 sum(0);
    double weight = 0;
    for (std::size_t i = 0; i < 30; ++i) {
      const double share =
          basis(surface.u.knots, i % 6, 3, u) * basis(surface.v.knots, i / 6, 2, v) * surface.weights[i];
      sum += glm::dvec3(surface.cage.positions[i]) * share;
      weight += share;
    }
    EXPECT_LT(glm::length(evaluate(surface, u, v) - sum / weight), 1e-12);
  }
}

TEST(Nurbs, TessellationLiesOnTheSurfaceWithItsNormals) {
  const TessellatedNurbs result = tessellate(quarter_cylinder(), 8, 2);
  const Primitive& primitive = result.primitive;
  ASSERT_EQ(primitive.vertex_count(), 9u * 3u);
  ASSERT_EQ(primitive.triangle_count(), 8u * 2u * 2u);
  for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
    const glm::vec3 p = primitive.positions[v];
    EXPECT_NEAR(std::hypot(p.x, p.y), 1.0f, 1e-6f);
    EXPECT_LT(glm::length(primitive.normals[v] - glm::vec3(p.x, p.y, 0)), 1e-6f);
  }
  // Triangles wind the way the normals point.
  for (std::size_t i = 0; i < primitive.indices.size(); i += 3) {
    const glm::vec3 a = primitive.positions[primitive.indices[i]];
    const glm::vec3 b = primitive.positions[primitive.indices[i + 1]];
    const glm::vec3 c = primitive.positions[primitive.indices[i + 2]];
    EXPECT_GT(glm::dot(glm::cross(b - a, c - a), primitive.normals[primitive.indices[i]]), 0.0f);
  }
}

TEST(Nurbs, RowsSumToOneAndGiveInfluences) {
  NurbsSurface surface = any_surface(3);
  for (std::uint16_t i = 0; i < 30; ++i) {
    const std::uint16_t joints[] = {static_cast<std::uint16_t>(i % 6), 9};
    const float weights[] = {0.75f, 0.25f};
    append_row(surface.cage.influences.edit(), joints, weights);
  }
  const TessellatedNurbs result = tessellate(surface, 3, 2);
  // Spans between distinct knots: 2 along u, 3 along v.
  ASSERT_EQ(result.primitive.vertex_count(), 7u * 7u);
  for (std::size_t v = 0; v < result.primitive.vertex_count(); ++v) {
    double sum = 0;
    for (std::size_t i = result.rows.offset[v]; i < result.rows.offset[v + 1]; ++i) {
      sum += static_cast<double>(result.rows.weight[i]);
    }
    EXPECT_NEAR(sum, 1.0, 1e-6);
    double weights = 0;
    const Influences& rows = result.primitive.influences;
    const InfluenceRow row = rows.row(v);
    for (std::size_t k = 0; k < row.joints.size(); ++k) {
      weights += static_cast<double>(row.weights[k]);
      if (row.joints[k] == 9) {
        EXPECT_NEAR(row.weights[k], 0.25f, 1e-6f);
      }
    }
    EXPECT_NEAR(weights, 1.0, 1e-6);
  }
}

// A half sphere as a surface of revolution: one side of the grid is a single point.
TEST(Nurbs, PolesHaveNormals) {
  const double w = std::numbers::sqrt2 / 2;
  NurbsSurface surface;
  surface.u = {2, 3, {0, 0, 0, 1, 1, 1}};
  surface.v = {2, 3, {0, 0, 0, 1, 1, 1}};
  surface.cage.positions = {{1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {1, 0, 1}, {1, 1, 1},
                            {0, 1, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
  surface.weights = {1, w, 1, w, w * w, w, 1, w, 1};
  const TessellatedNurbs result = tessellate(surface, 6, 6);
  for (std::size_t v = 0; v < result.primitive.vertex_count(); ++v) {
    EXPECT_NEAR(glm::length(result.primitive.positions[v]), 1.0f, 1e-6f);
    EXPECT_GT(glm::dot(result.primitive.positions[v], result.primitive.normals[v]), 1 - 1e-6f);
  }
}

TEST(Nurbs, SaysWhatIsWrong) {
  const auto message = [](auto change) {
    NurbsSurface surface = quarter_cylinder();
    change(surface);
    const Status status = check(surface);
    return status ? std::string() : status.error().message;
  };
  EXPECT_EQ(message([](NurbsSurface&) {}), "");
  EXPECT_EQ(message([](NurbsSurface& s) { s.u.degree = 3; }),
            "u: expected degree 1 or more and more control points than that, got degree 3 and 3");
  EXPECT_EQ(message([](NurbsSurface& s) { s.v.degree = 0; }),
            "v: expected degree 1 or more and more control points than that, got degree 0 and 2");
  EXPECT_EQ(message([](NurbsSurface& s) { s.v.knots.push_back(1); }), "v: expected 4 knots, got 5");
  EXPECT_THAT(message([](NurbsSurface& s) { s.u.knots[4] = 0.5; }), HasSubstr("u: knot 4: expected finite knots"));
  EXPECT_THAT(message([](NurbsSurface& s) { s.u.knots[5] = NAN; }), HasSubstr("u: knot 5: expected finite knots"));
  EXPECT_EQ(message([](NurbsSurface& s) { s.u.knots = {0, 0, 0, 0, 1, 1}; }),
            "u: knot 3: expected at most 3 equal knots, got more");
  EXPECT_EQ(message([](NurbsSurface& s) { s.weights.pop_back(); }),
            "expected 6 control points and weights, got 6 and 5");
  EXPECT_EQ(message([](NurbsSurface& s) { s.weights[2] = 0; }), "control point 2: expected a weight above 0, got 0");
}

}  // namespace
}  // namespace pelt::mesh
