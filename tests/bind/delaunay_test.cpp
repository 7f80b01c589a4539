#include <gtest/gtest.h>

#include "bind/delaunay.h"
#include "bind/delaunay_cells.h"
#include "bind/nearest_ways.h"
#include "bind/thinned_places.h"
#include "bind/winding.h"
#include "support/binding.h"
#include "support/fixtures.h"

namespace pelt::bind {
namespace {

double volume_of(std::span<const glm::dvec3> points, const std::array<std::uint32_t, 4>& t) {
  const glm::dvec3& o = points[t[0]];
  return std::abs(glm::dot(points[t[1]] - o, glm::cross(points[t[2]] - o, points[t[3]] - o))) / 6.0;
}

// Centre and radius of the sphere through four points, by the equations of the bisecting planes.
std::pair<glm::dvec3, double> sphere_through(std::span<const glm::dvec3> points,
                                             const std::array<std::uint32_t, 4>& t) {
  const glm::dvec3& o = points[t[0]];
  glm::dmat3 rows(0.0);
  glm::dvec3 right(0.0);
  for (int i = 0; i < 3; ++i) {
    const glm::dvec3 way = points[t[static_cast<std::size_t>(i) + 1]] - o;
    for (int axis = 0; axis < 3; ++axis) {
      rows[axis][i] = way[axis];
    }
    right[i] = 0.5 * glm::dot(way, way);
  }
  const glm::dvec3 center = glm::inverse(rows) * right;
  return {o + center, glm::length(center)};
}

TEST(Delaunay, C33_1_ACubeAndItsCentre) {
  std::vector<glm::dvec3> points;
  for (int i = 0; i < 8; ++i) {
    points.emplace_back(i & 1, i >> 1 & 1, i >> 2);
  }
  points.emplace_back(0.5, 0.5, 0.5);
  const auto cells = delaunay_cells(points);
  ASSERT_TRUE(cells);
  EXPECT_EQ(cells->tetrahedra.size(), 12u);
  double sum = 0;
  for (const auto& t : cells->tetrahedra) {
    EXPECT_NEAR(volume_of(points, t), 1.0 / 12, 1e-9);
    EXPECT_TRUE(std::ranges::find(t, 8u) != t.end());
    sum += volume_of(points, t);
  }
  EXPECT_NEAR(sum, 1, 1e-6);
  // Each face and the centre lie on one sphere, whatever its diagonal.
  ASSERT_EQ(cells->size(), 6u);
  for (std::size_t c = 0; c < 6; ++c) {
    EXPECT_EQ(cells->cell(c).size(), 5u);
  }
}

TEST(Delaunay, C33_2_RandomPointsHaveEmptySpheres) {
  for (std::uint32_t seed = 1; seed <= 2; ++seed) {
    test::Random random(seed);
    std::vector<glm::dvec3> points;
    for (int i = 0; i < 60; ++i) {
      points.push_back(random.dvector(0, 1));
    }
    const auto cells = delaunay_cells(points);
    ASSERT_TRUE(cells);
    double sum = 0;
    for (const auto& t : cells->tetrahedra) {
      const auto [center, radius] = sphere_through(points, t);
      for (const glm::dvec3& p : points) {
        EXPECT_GE(glm::length(p - center), radius * (1 - 1e-9));
      }
      sum += volume_of(points, t);
    }
    // The hull's volume by its faces, those with all points on one side.
    double hull = 0;
    for (std::size_t a = 0; a < 60; ++a) {
      for (std::size_t b = a + 1; b < 60; ++b) {
        for (std::size_t c = b + 1; c < 60; ++c) {
          const glm::dvec3 n = glm::cross(points[b] - points[a], points[c] - points[a]);
          bool above = false;
          bool below = false;
          for (std::size_t p = 0; p < 60; ++p) {
            const double side = p == a || p == b || p == c ? 0 : glm::dot(n, points[p] - points[a]);
            above = above || side > 0;
            below = below || side < 0;
          }
          if (above != below) {
            hull += (above ? -1 : 1) * glm::dot(n, points[a] - glm::dvec3(0.5)) / 6;
          }
        }
      }
    }
    EXPECT_NEAR(sum, hull, 1e-9) << seed;
  }
}

TEST(Delaunay, PointsInAPlaneHaveNoCells) {
  std::vector<glm::dvec3> points;
  EXPECT_FALSE(delaunay_cells(points));
  for (int i = 0; i < 12; ++i) {
    points.emplace_back(i % 3, i / 3, 0);
  }
  EXPECT_FALSE(delaunay_cells(points));
  points.assign({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}});
  EXPECT_FALSE(delaunay_cells(points));
}

TEST(Delaunay, C33_3_AnOpenTubeSeesItsBones) {
  Problem problem;
  test::add_tube(problem, 0, 1, 20, 12, {}, 0.1, false);
  problem.bones = {test::bone_between({0, 0, 0}, {0.5, 0, 0}), test::bone_between({0.5, 0, 0}, {1, 0, 0}, 0)};
  finish(problem);
  ASSERT_EQ(problem.place_count(), 252u);
  std::vector<BoneSample> samples;
  for (int i = 1; i < 20; ++i) {
    samples.push_back({{0.05 * i, 0, 0}, {}});
    if (i <= 10) {
      samples.back().bones.push_back(0);
    }
    if (i >= 10) {
      samples.back().bones.push_back(1);
    }
  }
  const auto binding = bind_to_samples(problem, problem, samples, {.hard = true});
  ASSERT_TRUE(binding);
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    const double x = problem.positions[w].x;
    EXPECT_EQ(binding->cause[w], Cause::kSolved) << w;
    if (std::abs(x - 0.5) > 1e-9) {
      EXPECT_EQ(binding->rows.weight(w, x > 0.5 ? 1 : 0), 1) << w;
    }
  }
}

// The same tube bound softly: by the squares of the ways, straight to the own bone, and slanted to the next sample and
// from there along the bone to the other one.
TEST(Delaunay, SoftWeightsGoByTheSquaresOfTheWays) {
  Problem problem;
  test::add_tube(problem, 0, 1, 20, 12, {}, 0.1, false);
  problem.bones = {test::bone_between({0, 0, 0}, {0.5, 0, 0}), test::bone_between({0.5, 0, 0}, {1, 0, 0}, 0)};
  finish(problem);
  std::vector<BoneSample> samples;
  for (int i = 1; i < 20; ++i) {
    samples.push_back({{0.05 * i, 0, 0}, {}});
    if (i <= 10) {
      samples.back().bones.push_back(0);
    }
    if (i >= 10) {
      samples.back().bones.push_back(1);
    }
  }
  const auto binding = bind_to_samples(problem, problem, samples, {.hard = false, .bones = 2});
  ASSERT_TRUE(binding);
  const double own = 0.1;
  int checked = 0;
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    const double away = 0.5 - problem.positions[w].x;
    if (away < 0.049 || away > 0.41) {
      continue;
    }
    const double other = std::hypot(0.1, 0.05) + away - 0.05;
    const double expected = own * own / (own * own + other * other);
    EXPECT_NEAR(static_cast<double>(binding->rows.weight(w, 1)), expected, 1e-6) << away;
    ++checked;
  }
  EXPECT_EQ(checked, 8 * 12);
}

// A ball whose points all lie on one sphere, drawn out to a tip far away. Within the ball any two points are one edge
// apart, which leads through the middle of their cell and counts as one: the nearer of two bones at one edge has it.
TEST(Delaunay, AWayThroughTheMiddleOfACellIsOneEdge) {
  constexpr std::uint32_t kRound = 8;
  Problem problem;
  for (int ring = 1; ring <= 3; ++ring) {
    const double polar = ring * std::numbers::pi / 4;
    for (std::uint32_t k = 0; k < kRound; ++k) {
      const double angle = 2 * std::numbers::pi * k / kRound;
      problem.positions.emplace_back(std::cos(polar), std::sin(polar) * std::cos(angle),
                                     std::sin(polar) * std::sin(angle));
    }
  }
  const auto tip = static_cast<std::uint32_t>(problem.positions.size());
  problem.positions.emplace_back(3.5, 0, 0);
  problem.positions.emplace_back(-1, 0, 0);
  for (std::uint32_t k = 0; k < kRound; ++k) {
    const std::uint32_t next = (k + 1) % kRound;
    problem.triangles.push_back({tip, k, next});
    for (const std::uint32_t ring : {0u, kRound}) {
      problem.triangles.push_back({ring + k, ring + kRound + k, ring + kRound + next});
      problem.triangles.push_back({ring + k, ring + kRound + next, ring + next});
    }
    problem.triangles.push_back({2 * kRound + k, tip + 1, 2 * kRound + next});
  }
  problem.bones = {test::bone_between({3.5, 0, 0}, {3, 0, 0}), test::bone_between({0, 1, 0}, {0, 0.5, 0})};
  finish(problem);
  const std::vector<BoneSample> samples = {{{3.5, 0, 0}, {0}}, {problem.positions[kRound], {1}}};
  const auto binding = bind_to_samples(problem, problem, samples, {.hard = true});
  ASSERT_TRUE(binding);
  for (std::uint32_t w = 0; w < problem.place_count(); ++w) {
    EXPECT_EQ(binding->rows.weight(w, 1), w == tip ? 0 : 1) << w;
  }
}

TEST(Delaunay, C33_4_FingersAreNotBoundAcrossTheGap) {
  const Problem problem = test::fingers_to_bind();
  const Binding hard = test::bound(problem, "delaunay", {{"hard", 1}});
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    EXPECT_EQ(hard.rows.weight(w, w < 1346 ? 0 : 1), 1) << w;
    EXPECT_EQ(hard.cause[w], Cause::kSolved) << w;
  }
}

// Soft weights that cross the gap between the fingers go through cells outside of both: those are left out, all but
// cells whose middle lies within one of them.
TEST(Delaunay, CellsOutsideAreNoWays) {
  const Problem problem = test::fingers_to_bind();
  const Binding soft = test::bound(problem, "delaunay", {{"hard", 0}});
  double most = 0;
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    most = std::max(most, static_cast<double>(soft.rows.weight(w, w < 1346 ? 1 : 0)));
  }
  EXPECT_EQ(most, 0);
}

TEST(Delaunay, SamplesAreDenseWhereTheSurfaceIsNear) {
  const Problem problem = test::cylinder_to_bind();
  const std::vector<BoneSample> samples = bone_samples(problem);
  std::vector<double> x;
  for (const BoneSample& sample : samples) {
    x.push_back(sample.position.x);
    EXPECT_EQ(sample.bones.size(), sample.position.x == 0.5 ? 2u : 1u);
    EXPECT_EQ(sample.bones[0], sample.position.x > 0.5 ? 1u : 0u);
  }
  std::ranges::sort(x);
  EXPECT_EQ(x.front(), 0);
  EXPECT_EQ(x.back(), 1);
  for (std::size_t i = 1; i < x.size(); ++i) {
    EXPECT_GT(x[i], x[i - 1]);
    EXPECT_LE(x[i] - x[i - 1], 0.05 * (1 + 1e-8)) << "half of the radius";
  }
}

TEST(Delaunay, WindingNumbersAgreeWithTheSumOverAllTriangles) {
  const Problem problem = test::fingers_to_bind();
  const WindingTree tree(problem.positions, problem.triangles, {});
  test::Random random(33);
  for (int i = 0; i < 100; ++i) {
    const glm::dvec3 p(random.real(-0.5, 2.5), random.real(-0.5, 0.8), random.real(-0.5, 0.5));
    double sum = 0;
    for (const auto& [a, b, c] : problem.triangles) {
      const glm::dvec3 x = glm::normalize(problem.positions[a] - p);
      const glm::dvec3 y = glm::normalize(problem.positions[b] - p);
      const glm::dvec3 z = glm::normalize(problem.positions[c] - p);
      sum += 2 * std::atan2(glm::dot(x, glm::cross(y, z)), 1 + glm::dot(x, y) + glm::dot(y, z) + glm::dot(z, x));
    }
    EXPECT_NEAR(tree.at(p, WindingTree::kCloseReaches), sum / (4 * std::numbers::pi), 0.05);
  }
  EXPECT_TRUE(tree.is_inside({1, 0, 0}));
  EXPECT_TRUE(tree.is_inside({1, 0.45, 0}));
  EXPECT_FALSE(tree.is_inside({1, 0.325, 0})) << "in the gap";
  EXPECT_FALSE(tree.is_inside({-0.1, 0, 0}));
}

// Weights by hand: a chain of three nodes, a goal at either end.
TEST(NearestWays, ChainsAndTies) {
  const WayGraph chain = make_way_graph(4, {{0, 1, 1.0}, {1, 2, 2.0}, {1, 2, 5.0}});
  const std::vector<WayStart> starts = {{0, 7}, {2, 9}, {0, 8}};
  const auto one = nearest_goals(chain, starts, 1, 1e-9);
  ASSERT_EQ(one[1].size(), 2u) << "7 and 8 are equally near";
  EXPECT_EQ(one[1][0].length, 1);
  EXPECT_TRUE(one[3].empty()) << "no way leads there";
  const auto all = nearest_goals(chain, starts, 5, 1e-9);
  ASSERT_EQ(all[1].size(), 3u);
  EXPECT_EQ(all[1][2].goal, 9u);
  EXPECT_EQ(all[1][2].length, 2);
  EXPECT_EQ(all[2][0].length, 0);
  EXPECT_EQ(all[2][1].length, 3);
}

TEST(ThinnedPlaces, WeightsComeBackFromSomePlaces) {
  const Problem problem = test::tube_to_bind(100, 32);
  const std::vector<std::uint32_t> places = thinned_places(problem, 400);
  EXPECT_LE(places.size(), 400u);
  EXPECT_GE(places.size(), 200u);
  const Binding there = test::bound(problem_of_places(problem, places), "point-to-line");
  const Binding back = spread(problem, places, there);
  const Binding here = test::bound(problem, "point-to-line");
  double sum = 0;
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    sum += std::abs(back.rows.weight(w, 0) - here.rows.weight(w, 0));
  }
  EXPECT_LT(sum / static_cast<double>(problem.place_count()), 0.03);
  for (std::size_t k = 0; k < places.size(); ++k) {
    EXPECT_NEAR(back.rows.weight(places[k], 0), there.rows.weight(k, 0), 1e-12);
    EXPECT_EQ(back.cause[places[k]], Cause::kSolved);
  }
  const auto remark = std::ranges::find(back.remarks, RemarkKind::kCoarseSurface, &Remark::kind);
  ASSERT_NE(remark, back.remarks.end());
  EXPECT_EQ(remark->places, problem.place_count() - places.size());
  EXPECT_EQ(remark->amount, static_cast<double>(places.size()));
}

TEST(ThinnedPlaces, EveryIslandKeepsAPlace) {
  Problem problem;
  for (int i = 0; i < 30; ++i) {
    problem.positions.emplace_back(i, 0, 0);
  }
  problem.bones = {test::bone_between({0, 0, 0}, {1, 0, 0})};
  finish(problem);
  EXPECT_EQ(thinned_places(problem, 5).size(), 30u);
  EXPECT_EQ(spread(problem, thinned_places(problem, 5), test::bound(problem, "point-to-line")).rows.size(), 30u);
}

// Parts see enough of each other to make the same tetrahedra inside of a body.
TEST(Delaunay, PartsMakeTheSameCellsInsideOfABody) {
  Problem problem;
  test::add_tube(problem, -1, 1, 60, 16, {}, 0.1, true);
  test::Random random(3);
  for (glm::dvec3& p : problem.positions) {
    p += random.dvector(-1e-3, 1e-3);
  }
  finish(problem);
  const auto sorted = [&](const DelaunayCells& cells) {
    std::vector<std::array<std::uint32_t, 4>> inside;
    const WindingTree winding(problem.positions, problem.triangles, {});
    for (const auto& t : cells.tetrahedra) {
      if (winding.is_inside(0.25 * (problem.positions[t[0]] + problem.positions[t[1]] + problem.positions[t[2]] +
                                    problem.positions[t[3]]))) {
        inside.push_back(t);
      }
    }
    std::ranges::sort(inside);
    return inside;
  };
  const auto whole = sorted(*delaunay_cells(problem.positions));
  const auto parts = sorted(*delaunay_cells_in_parts(problem.positions, 250));
  EXPECT_GT(whole.size(), 1000u);
  EXPECT_EQ(whole, parts);
  int calls = 0;
  EXPECT_FALSE(delaunay_cells_in_parts(problem.positions, 250, [&](float, std::string_view) { return ++calls < 3; }));
}

// Which way faces go round says nothing about what lies inside.
TEST(Delaunay, TurnedFacesChangeNothing) {
  const Problem problem = test::cylinder_to_bind();
  Problem turned = problem;
  for (std::size_t t = 0; t < turned.triangles.size(); t += 2) {
    std::swap(turned.triangles[t][1], turned.triangles[t][2]);
  }
  EXPECT_LT(test::largest_difference(test::bound(problem, "delaunay").rows, test::bound(turned, "delaunay").rows),
            1e-12);
}

}  // namespace
}  // namespace pelt::bind
