#include "mesh/t_junctions.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "math/transform.h"
#include "mesh/measures.h"
#include "mesh/weld.h"
#include "support/fixtures.h"
#include "support/surfaces.h"

namespace pelt::mesh {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<TJunction> found(const Primitive& primitive) {
  return find_t_junctions(primitive.positions, primitive.indices);
}

// Cuts every `step`-th triangle at a point on its first side, where it has a neighbour, and leaves that alone.
std::vector<TJunction> plant(Primitive& primitive, std::size_t step, test::Random& random) {
  std::vector<TJunction> planted;
  std::set<std::pair<std::uint32_t, std::uint32_t>> taken;
  const std::size_t triangles = primitive.triangle_count();
  const std::vector<EdgeUse> uses = edge_uses(primitive.indices, weld_by_position(primitive.positions));
  std::vector<EdgeUse> shared_edges;
  for (std::size_t i = 0; i + 1 < uses.size(); ++i) {
    if (uses[i].same_edge(uses[i + 1])) {
      shared_edges.push_back(uses[i]);
    }
  }
  for (std::size_t t = 0; t < triangles; t += step) {
    const std::uint32_t a = primitive.indices[3 * t];
    const std::uint32_t b = primitive.indices[3 * t + 1];
    const std::uint32_t c = primitive.indices[3 * t + 2];
    const bool shared = std::ranges::any_of(
        shared_edges, [&](const EdgeUse& edge) { return edge.low == std::min(a, b) && edge.high == std::max(a, b); });
    if (!shared || !taken.insert(std::minmax(a, b)).second) {
      continue;
    }
    const float parameter = random.real(0.1f, 0.9f);
    const auto v = static_cast<std::uint32_t>(primitive.positions.size());
    primitive.positions.push_back(glm::mix(primitive.positions[a], primitive.positions[b], parameter));
    primitive.indices.edit()[3 * t + 1] = v;
    primitive.indices.append({v, b, c});
    planted.push_back({v, std::min(a, b), std::max(a, b), a < b ? parameter : 1.0f - parameter});
  }
  return planted;
}

void expect_same(std::vector<TJunction> actual, std::vector<TJunction> expected) {
  const auto order = [](const TJunction& s, const TJunction& t) { return s.vertex < t.vertex; };
  std::ranges::sort(actual, order);
  std::ranges::sort(expected, order);
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_EQ(actual[i].vertex, expected[i].vertex);
    EXPECT_EQ(actual[i].a, expected[i].a);
    EXPECT_EQ(actual[i].b, expected[i].b);
    EXPECT_NEAR(actual[i].parameter, expected[i].parameter, 1e-4f);
  }
}

TEST(TJunctions, C52_2_FindsAllPlanted) {
  test::Random random(52);
  for (Primitive surface : {test::sphere(4), test::grid(20, 20), test::cylinder_primitive()}) {
    EXPECT_THAT(found(surface), IsEmpty());
    const std::vector<TJunction> planted = plant(surface, 7, random);
    EXPECT_GT(planted.size(), 50u);
    expect_same(found(surface), planted);
  }
}

TEST(TJunctions, C52_2_NoneOnCleanSurfaces) {
  EXPECT_THAT(found(Primitive{}), IsEmpty());
  EXPECT_THAT(found(test::hard_cube()), IsEmpty());
  EXPECT_THAT(found(test::octahedron()), IsEmpty());
  EXPECT_THAT(found(test::strip100().meshes[0].primitives[0]), IsEmpty());
}

// The definition itself, tried on every vertex and every side.
TEST(TJunctions, C52_2_AgreesWithTheDefinitionOnASoup) {
  test::Random random(2);
  Primitive soup;
  for (int t = 0; t < 60; ++t) {
    for (int c = 0; c < 3; ++c) {
      // Few places, all on a lattice: many vertices lie on sides of others.
      soup.positions.emplace_back(static_cast<float>(random.below(5)), static_cast<float>(random.below(5)),
                                  static_cast<float>(random.below(2)));
      soup.indices.push_back(static_cast<std::uint32_t>(soup.indices.size()));
    }
  }
  const double reach = 1e-5 * static_cast<double>(bounds_of(soup.positions).diagonal());
  const auto& p = soup.positions;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> expected;
  const std::vector<std::uint32_t> weld = weld_by_position(p);
  const std::vector<EdgeUse> uses = edge_uses(soup.indices, weld);
  std::set<std::uint32_t> open_vertices;
  const auto count = [&](const EdgeUse& edge) {
    return std::ranges::count_if(uses, [&](const EdgeUse& other) { return other.same_edge(edge); });
  };
  std::set<std::uint32_t> used;
  for (const EdgeUse& edge : uses) {
    used.insert({edge.low, edge.high});
    if (count(edge) == 1) {
      open_vertices.insert({edge.low, edge.high});
    }
  }
  for (const EdgeUse& edge : uses) {
    for (const std::uint32_t v : used) {
      const glm::dvec3 a(p[edge.low]);
      const glm::dvec3 ab = glm::dvec3(p[edge.high]) - a;
      const double parameter = glm::dot(glm::dvec3(p[v]) - a, ab) / glm::dot(ab, ab);
      const double along = parameter * glm::length(ab);
      const bool inside = along > reach && along < glm::length(ab) - reach &&
                          glm::length(glm::dvec3(p[v]) - a - ab * parameter) < reach;
      const bool spanned =
          std::ranges::any_of(uses, [&](const EdgeUse& use) { return use.same_edge(edge) && use.opposite == v; });
      if (inside && !spanned && (count(edge) == 1 || open_vertices.contains(v))) {
        expected.insert({edge.low, edge.high, v});
      }
    }
  }
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> actual;
  for (const TJunction& junction : found(soup)) {
    EXPECT_TRUE(actual.insert({junction.a, junction.b, junction.vertex}).second);
  }
  EXPECT_GT(expected.size(), 20u);
  EXPECT_EQ(actual, expected);
}

TEST(TJunctions, DuplicatesOfTheEndsAndSpannedEdgesAreNone) {
  // A triangle, and another with a corner within 1e-5 of the diagonal of its corner 1.
  Primitive surface;
  surface.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1 - 5e-6f, 0, 0}, {1, -1, 0}, {0, -1, 0}};
  surface.indices = {0, 1, 2, 3, 4, 5};
  EXPECT_THAT(found(surface), IsEmpty());
  surface.positions.edit()[3].x = 0.5f;
  EXPECT_THAT(found(surface), ElementsAre(TJunction{3, 0, 1, 0.5f}));
  // A triangle without area between the two closes the gap.
  surface.indices.append({0, 3, 1});
  EXPECT_THAT(found(surface), IsEmpty());
}

TEST(TJunctions, ClosedSurfacesThatTouchAreNone) {
  Primitive two = test::octahedron();
  const Primitive other = test::octahedron();
  for (const glm::vec3& position : other.positions) {
    two.positions.push_back(position * glm::vec3(1, 3, 1) +
                            glm::vec3(1.5f, 0.5f, 0.0f));  // its corner -x in the middle of edge 0 2
  }
  for (const std::uint32_t index : other.indices) {
    two.indices.push_back(index + 6);
  }
  EXPECT_THAT(found(two), IsEmpty());
  // Opened at that corner, it hangs on the other by it.
  two.indices.resize(two.indices.size() - 6);
  std::vector<std::uint32_t>& indices = two.indices.edit();
  indices.erase(indices.begin() + 24 + 3, indices.begin() + 24 + 6);
  EXPECT_THAT(found(two), ElementsAre(TJunction{7, 0, 2, 0.5f}));
}

TEST(TJunctions, SeamCopiesAreOneJunction) {
  Primitive surface;
  surface.positions = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {1, 0, 0}, {2, 0, 0}, {1, -1, 0}, {1, 0, 0}, {0, 0, 0}};
  surface.indices = {0, 1, 2, 3, 5, 4, 6, 7, 5};
  EXPECT_THAT(found(surface), ElementsAre(TJunction{3, 0, 1, 0.5f}));
}

TEST(TJunctions, ManyOnOneEdgeStopAtTheLimit) {
  // Hostile: every vertex inside of every longer edge would be 2e9 finds.
  Primitive surface;
  const int count = 60'000;
  for (int i = 0; i < count; ++i) {
    surface.positions.emplace_back(static_cast<float>(i), 0.0f, 0.0f);
  }
  for (int i = 0; i < count; ++i) {
    surface.positions.emplace_back(0.0f, static_cast<float>(i + 1), 1.0f);
    surface.indices.append({0u, static_cast<std::uint32_t>(std::max(1, i)), static_cast<std::uint32_t>(count + i)});
  }
  EXPECT_EQ(found(surface).size(), kMostTJunctions);
}

TEST(TJunctions, C52_3_SplittingClosesTheSurface) {
  test::Random random(3);
  for (Primitive surface : {test::sphere(3), test::cylinder_primitive()}) {
    surface.normals.clear();
    surface.influences = {};
    plant(surface, 5, random);
    const double area = surface_area(surface.positions, surface.indices);
    std::vector<std::uint32_t> source;
    const Primitive split = split_t_junctions(surface, found(surface), &source);
    EXPECT_THAT(found(split), IsEmpty());
    EXPECT_THAT(test::edge_degrees(split), ElementsAre(testing::Key(2)));  // closed again
    EXPECT_NEAR(surface_area(split.positions, split.indices), area, 1e-6 * area);
    ASSERT_EQ(source.size(), split.triangle_count());
    EXPECT_TRUE(std::ranges::is_sorted(source));
    EXPECT_TRUE(std::equal(surface.positions.begin(), surface.positions.end(), split.positions.begin()));
  }
}

TEST(TJunctions, SplitsSeveralPointsOnAllSidesOfATriangle) {
  Primitive surface;
  surface.positions = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
  surface.indices = {0, 1, 2};
  const auto add_ear = [&](glm::vec3 a, glm::vec3 b, glm::vec3 out) {
    const auto base = static_cast<std::uint32_t>(surface.positions.size());
    surface.positions.append({b, a, (a + b) * 0.5f + out});
    surface.indices.append({base, base + 1, base + 2});
  };
  for (int i = 0; i < 4; ++i) {
    const auto s = static_cast<float>(i);
    add_ear({s, 0, 0}, {s + 1, 0, 0}, {0, -0.4f, 0});
    add_ear({4 - s, s, 0}, {3 - s, s + 1, 0}, {0.4f, 0.4f, 0});
    add_ear({0, 4 - s, 0}, {0, 3 - s, 0}, {-0.4f, 0, 0});
  }
  const std::vector<TJunction> junctions = found(surface);
  EXPECT_EQ(junctions.size(), 9u);
  const Primitive split = split_t_junctions(surface, junctions);
  EXPECT_EQ(split.triangle_count(), 12u + 10u);  // n points on a triangle's sides make n + 1 of it
  EXPECT_THAT(found(split), IsEmpty());
  EXPECT_NEAR(surface_area(split.positions, split.indices), surface_area(surface.positions, surface.indices), 1e-6);
}

TEST(TJunctions, TheNewVertexMovesAsTheOldAndLooksLikeTheEdge) {
  Primitive surface;
  surface.positions = {{0, 0, 0}, {4, 0, 0}, {0, 2, 0}, {1, 0, 0}, {4, 0, 0}, {2, -1, 0}};
  surface.indices = {0, 1, 2, 3, 5, 4};
  surface.normals = std::vector<glm::vec3>(6, glm::vec3(0, 0, 1));
  surface.normals.edit()[1] = {1, 0, 0};
  surface.texcoords[0] = {{0, 0}, {1, 0}, {0, 1}, {9, 9}, {9, 9}, {9, 9}};
  surface.colors = std::vector<glm::vec4>(6, glm::vec4(1));
  surface.colors.edit()[1] = glm::vec4(0, 0, 0, 1);
  const std::uint16_t joints[] = {0, 1, 2};
  const float weights[6][3] = {{1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0.2f, 0.3f, 0.5f}, {0, 1, 0}, {1, 0, 0}};
  for (const auto& row : weights) {
    append_row(surface.influences.edit(), joints, row);
  }
  surface.morph_targets.push_back({"up", std::vector<glm::vec3>(6, glm::vec3(0)), {}, {}});
  surface.morph_targets.edit(0).position_deltas.edit()[3] = {0, 0, 7};
  const std::vector<TJunction> junctions = found(surface);
  ASSERT_THAT(junctions, ElementsAre(TJunction{3, 0, 1, 0.25f}));
  EXPECT_TRUE(can_open(surface, junctions[0]));
  const Primitive split = split_t_junctions(surface, junctions);
  ASSERT_EQ(split.vertex_count(), 7u);
  EXPECT_EQ(split.positions[6], surface.positions[3]);
  EXPECT_EQ(split.influences->count(6), 3u);
  EXPECT_TRUE(same_row(split.influences->row(6), split.influences->row(3)));
  EXPECT_EQ(split.morph_targets[0].position_deltas[6], glm::vec3(0, 0, 7));
  EXPECT_EQ(split.texcoords[0][6], glm::vec2(0.25f, 0));
  EXPECT_EQ(split.colors[6], glm::vec4(0.75f, 0.75f, 0.75f, 1));
  EXPECT_NEAR(glm::length(split.normals[6]), 1.0f, 1e-6f);
  EXPECT_NEAR(split.normals[6].x / split.normals[6].z, 1.0f / 3, 1e-6f);
}

TEST(TJunctions, OneJointForAllNeverOpens) {
  Primitive surface;
  surface.positions = {{0, 0, 0}, {4, 0, 0}, {0, 2, 0}, {1, 0, 0}, {4, 0, 0}, {2, -1, 0}};
  surface.indices = {0, 1, 2, 3, 5, 4};
  EXPECT_FALSE(can_open(surface, found(surface).front()));
  const std::uint16_t joint = 3;
  const float one = 1;
  for (int v = 0; v < 6; ++v) {
    append_row(surface.influences.edit(), {&joint, 1}, {&one, 1});
  }
  EXPECT_FALSE(can_open(surface, found(surface).front()));
}

TEST(TJunctions, SplitsBetweenPrimitivesOfAMesh) {
  Mesh mesh;
  Primitive one;
  one.positions = {{0, 0, 0}, {4, 0, 0}, {0, 2, 0}};
  one.indices = {0, 1, 2};
  one.material = 5;
  one.texcoords[0] = {{0, 0}, {1, 0}, {0, 1}};
  Primitive two;
  two.positions = {{1, 0, 0}, {4, 0, 0}, {2, -1, 0}};
  two.indices = {0, 2, 1};
  Primitive line;
  line.topology = Topology::kLines;
  line.positions = {{2, 0, 0}, {3, 0, 0}};
  line.indices = {0, 1};
  mesh.primitives = {line, one, two};
  const Mesh split = without_t_junctions(mesh);
  ASSERT_EQ(split.primitives.size(), 3u);
  EXPECT_EQ(split.primitives[0].positions, line.positions);
  EXPECT_EQ(split.primitives[1].triangle_count(), 2u);
  EXPECT_EQ(split.primitives[1].material, 5);
  EXPECT_EQ(split.primitives[1].positions.back(), two.positions[0]);
  EXPECT_EQ(split.primitives[1].texcoords[0].back(), glm::vec2(0.25f, 0));
  EXPECT_EQ(split.primitives[2].indices, two.indices);
  EXPECT_THAT(split.primitives[2].texcoords[0], IsEmpty());
}

}  // namespace
}  // namespace pelt::mesh
