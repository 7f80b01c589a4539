#include "mesh/simplify.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/parallel.h"
#include "mesh/joined.h"
#include "mesh/measures.h"
#include "mesh/surface_checks.h"
#include "support/fixtures.h"
#include "support/surfaces.h"

namespace pelt::mesh {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;
using testing::Le;

std::vector<SimplifiedLevel> halves(const Primitive& primitive) {
  const std::size_t count = primitive.triangle_count();
  return simplify(primitive, std::array{count / 2, count / 4, count / 8});
}

TEST(Simplify, APlaneLosesNothing) {
  const Primitive plane = test::grid(16, 16);
  const SimplifiedLevel level = std::move(simplify(plane, std::array<std::size_t, 1>{2}).front());
  EXPECT_LE(level.primitive.triangle_count(), 4u);
  EXPECT_NEAR(level.error, 0.0, 1e-7);
  EXPECT_NEAR(surface_area(level.primitive.positions, level.primitive.indices), 1.0, 1e-6);
}

// The survivors lie on the sphere, so the surface is inside of it: no deeper than the chord over the longest edge.
TEST(Simplify, ASphereStaysOne) {
  const Primitive sphere = test::sphere(5);
  const std::vector<SimplifiedLevel> levels = halves(sphere);
  double error_before = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Primitive& primitive = levels[i].primitive;
    EXPECT_THAT(primitive.triangle_count(), Le(sphere.triangle_count() >> (i + 1)));
    EXPECT_GT(primitive.triangle_count() + 2, sphere.triangle_count() >> (i + 1));
    EXPECT_THAT(test::edge_degrees(primitive), ElementsAre(Key(2)));
    EXPECT_EQ(test::euler_number(primitive), 2);
    EXPECT_GE(levels[i].error, error_before);
    error_before = levels[i].error;
    // As fine a sphere of equal triangles has sagitta s = 1 - r; ours is within a small factor of it.
    const double deepest = [&] {
      double depth = 0;
      for (std::size_t t = 0; t < primitive.indices.size(); t += 3) {
        const glm::vec3 middle =
            (primitive.positions[primitive.indices[t]] + primitive.positions[primitive.indices[t + 1]] +
             primitive.positions[primitive.indices[t + 2]]) /
            3.0f;
        depth = std::max(depth, 1.0 - static_cast<double>(glm::length(middle)));
      }
      return depth;
    }();
    EXPECT_LT(deepest, 0.05);
    EXPECT_GT(levels[i].error, 0.0);
    EXPECT_LT(levels[i].error, 2 * deepest);
    EXPECT_NEAR(signed_volume(primitive.positions, primitive.indices), 4.18879, 0.2);
  }
}

TEST(Simplify, C52_SurvivorsKeepTheirWeightsAndEachLevelSumsToOne) {
  Primitive cylinder = test::cylinder_primitive();
  MorphTarget target;
  for (const glm::vec3& position : cylinder.positions) {
    target.position_deltas.push_back(position * 2.0f);
    cylinder.colors.emplace_back(position, 1.0f);
  }
  cylinder.morph_targets.push_back(target);
  for (const SimplifiedLevel& level : halves(cylinder)) {
    const Primitive& primitive = level.primitive;
    ASSERT_EQ(level.source_vertex.size(), primitive.vertex_count());
    EXPECT_TRUE(std::ranges::is_sorted(level.source_vertex));
    for (std::uint32_t v = 0; v < primitive.vertex_count(); ++v) {
      const std::uint32_t source = level.source_vertex[v];
      EXPECT_EQ(primitive.positions[v], cylinder.positions[source]);
      EXPECT_EQ(primitive.normals[v], cylinder.normals[source]);
      EXPECT_EQ(primitive.colors[v], cylinder.colors[source]);
      EXPECT_EQ(primitive.morph_targets[0].position_deltas[v], target.position_deltas[source]);
      ASSERT_EQ(primitive.influences->count(v), cylinder.influences->count(source));
      double sum = 0;
      for (std::uint32_t k = 0; k < primitive.influences->count(v); ++k) {
        EXPECT_EQ(primitive.influences->joints(v)[k], cylinder.influences->joints(source)[k]);
        EXPECT_EQ(primitive.influences->weights(v)[k], cylinder.influences->weights(source)[k]);
        sum += static_cast<double>(primitive.influences->weights(v)[k]);
      }
      EXPECT_NEAR(sum, 1.0, 1e-6);
    }
  }
}

TEST(Simplify, LevelsGoOnFromEachOther) {
  const std::vector<SimplifiedLevel> levels = halves(test::sphere(4));
  for (std::size_t i = 1; i < levels.size(); ++i) {
    EXPECT_TRUE(std::ranges::includes(levels[i - 1].source_vertex, levels[i].source_vertex));
    EXPECT_TRUE(std::ranges::includes(levels[i - 1].source_triangle, levels[i].source_triangle));
  }
}

TEST(Simplify, HardEdgesAndTextureSeamsStayClosed) {
  // The cube refined: eight corners of three vertices each, twelve seams.
  Primitive cube = test::hard_cube();
  for (std::size_t v = 0; v < cube.vertex_count(); ++v) {
    cube.texcoords[0].emplace_back(static_cast<float>(v / 4), cube.positions[v].x);
  }
  Primitive fine;
  for (std::size_t t = 0; t < cube.indices.size(); t += 3) {
    const auto corner = [&](std::size_t c) { return cube.positions[cube.indices[t + c]]; };
    constexpr int kCuts = 6;
    for (int i = 0; i < kCuts; ++i) {
      for (int j = 0; j + i < kCuts; ++j) {
        const auto add = [&](int s, int r) {
          const glm::vec3 p = corner(0) + (corner(1) - corner(0)) * (static_cast<float>(s) / kCuts) +
                              (corner(2) - corner(0)) * (static_cast<float>(r) / kCuts);
          const glm::vec3 normal = cube.normals[cube.indices[t]];
          for (std::uint32_t v = 0; v < fine.vertex_count(); ++v) {
            if (glm::length(fine.positions[v] - p) < 1e-5f) {
              if (fine.normals[v] == normal) {
                fine.indices.push_back(v);
                return;
              }
            }
          }
          // Copies at seams stand in the same place to the bit.
          const auto same =
              std::ranges::find_if(fine.positions, [&](const glm::vec3& q) { return glm::length(q - p) < 1e-5f; });
          fine.indices.push_back(static_cast<std::uint32_t>(fine.vertex_count()));
          const glm::vec3 place = same != fine.positions.end() ? *same : p;
          fine.positions.push_back(place);
          fine.normals.push_back(normal);
        };
        add(i, j);
        add(i + 1, j);
        add(i, j + 1);
        if (i + j + 1 < kCuts) {
          add(i + 1, j);
          add(i + 1, j + 1);
          add(i, j + 1);
        }
      }
    }
  }
  ASSERT_EQ(fine.triangle_count(), 432u);
  const SimplifiedLevel level = std::move(simplify(fine, std::array<std::size_t, 1>{12}).front());
  EXPECT_EQ(level.primitive.triangle_count(), 12u);
  EXPECT_EQ(level.primitive.vertex_count(), 24u);
  EXPECT_THAT(test::edge_degrees(level.primitive), ElementsAre(Key(2)));
  EXPECT_NEAR(signed_volume(level.primitive.positions, level.primitive.indices), 8.0, 1e-5);
  EXPECT_NEAR(level.error, 0.0, 1e-6);
  for (std::size_t v = 0; v < 24; ++v) {
    EXPECT_NEAR(glm::dot(level.primitive.positions[v], level.primitive.normals[v]), 1.0f, 1e-5f);
  }
}

TEST(Simplify, BordersKeepTheirCourse) {
  // A disc: its rim may lose vertices, but not its roundness.
  Primitive disc;
  disc.positions.emplace_back(0.0f);
  for (int ring = 1; ring <= 8; ++ring) {
    for (int i = 0; i < 64; ++i) {
      const double angle = 2 * std::numbers::pi * i / 64;
      disc.positions.emplace_back(glm::dvec3(std::cos(angle), std::sin(angle), 0) * (ring / 8.0));
    }
  }
  const auto at = [](int ring, int i) { return static_cast<std::uint32_t>(1 + (ring - 1) * 64 + i % 64); };
  for (int i = 0; i < 64; ++i) {
    disc.indices.append({0, at(1, i), at(1, i + 1)});
    for (int ring = 1; ring < 8; ++ring) {
      disc.indices.append(
          {at(ring, i), at(ring + 1, i), at(ring + 1, i + 1), at(ring, i), at(ring + 1, i + 1), at(ring, i + 1)});
    }
  }
  const double area = surface_area(disc.positions, disc.indices);
  for (const SimplifiedLevel& level : halves(disc)) {
    EXPECT_EQ(test::euler_number(level.primitive), 1);
    EXPECT_NEAR(surface_area(level.primitive.positions, level.primitive.indices), area, 0.02 * area);
  }
}

TEST(Simplify, PrimitivesOfAMeshStayJoinedAndNoneVanishes) {
  // The upper and lower half of a sphere as two primitives, and a lone triangle as a third.
  const Primitive sphere = test::sphere(4);
  Mesh mesh;
  mesh.primitives.resize(3);
  for (std::size_t t = 0; t < sphere.triangle_count(); ++t) {
    const glm::vec3 middle = sphere.positions[sphere.indices[3 * t]] + sphere.positions[sphere.indices[3 * t + 1]] +
                             sphere.positions[sphere.indices[3 * t + 2]];
    Primitive& half = mesh.primitives.edit(middle.z > 0 ? 0 : 1);
    for (std::size_t c = 0; c < 3; ++c) {
      half.indices.push_back(static_cast<std::uint32_t>(half.vertex_count()));
      half.positions.push_back(sphere.positions[sphere.indices[3 * t + c]]);
    }
  }
  mesh.primitives.edit(2).positions = {{5, 0, 0}, {5.001f, 0, 0}, {5, 0.001f, 0}};
  mesh.primitives.edit(2).indices = {0, 1, 2};
  // Each triangle with corners of its own: all edges are seams, nothing may collapse.
  JoinedMesh joined = join(mesh);
  const auto stuck = simplify(joined.whole, std::array<std::size_t, 1>{1}, joined.triangle_primitive);
  EXPECT_EQ(stuck[0].primitive.triangle_count(), joined.whole.triangle_count());
  // Indexed within each half, only the equator is one.
  for (Primitive& primitive : mesh.primitives.edit_each()) {
    const std::vector<std::uint32_t> weld = weld_by_position(primitive.positions);
    for (std::uint32_t& index : primitive.indices.edit()) {
      index = weld[index];
    }
  }
  joined = join(mesh);
  const auto levels = simplify(joined.whole, std::array<std::size_t, 2>{600, 1}, joined.triangle_primitive);
  EXPECT_THAT(levels[0].primitive.triangle_count(), Le(600u));
  std::vector<std::uint32_t> groups;
  for (const std::uint32_t t : levels[0].source_triangle) {
    groups.push_back(joined.triangle_primitive[t]);
  }
  const Mesh coarse = separate(mesh, levels[0].primitive, groups);
  JoinedMesh rejoined = join(coarse);
  EXPECT_EQ(test::edge_degrees(rejoined.whole)[1], 3u);  // of the lone triangle
  EXPECT_EQ(test::edge_degrees(rejoined.whole).size(), 2u);
  for (const std::uint32_t group : {0u, 1u, 2u}) {
    EXPECT_TRUE(std::ranges::any_of(levels[1].source_triangle,
                                    [&](std::uint32_t t) { return joined.triangle_primitive[t] == group; }));
  }
}

TEST(Simplify, IsDeterministic) {
  const Primitive sphere = test::sphere(4);
  const std::vector<SimplifiedLevel> a = halves(sphere);
  set_thread_limit(1);
  const std::vector<SimplifiedLevel> b = halves(sphere);
  set_thread_limit(0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].primitive.indices, b[i].primitive.indices);
    EXPECT_EQ(a[i].source_vertex, b[i].source_vertex);
    EXPECT_EQ(a[i].error, b[i].error);
  }
}

TEST(Simplify, DegenerateSurfaces) {
  EXPECT_EQ(simplify({}, std::array<std::size_t, 1>{0})[0].primitive.vertex_count(), 0u);
  Primitive one;
  one.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  one.indices = {0, 1, 2};
  EXPECT_EQ(simplify(one, std::array<std::size_t, 1>{0})[0].primitive.triangle_count(), 1u);
  // A fan of three sheets on one edge: its ends stay.
  Primitive book;
  book.positions = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}};
  book.indices = {0, 1, 2, 1, 0, 3, 0, 1, 4};
  const SimplifiedLevel level = std::move(simplify(book, std::array<std::size_t, 1>{1}).front());
  EXPECT_THAT(level.source_vertex, testing::IsSupersetOf({0u, 1u}));
}

}  // namespace
}  // namespace pelt::mesh
