#include <gtest/gtest.h>

#include "bind/voxels.h"
#include "bind/winding.h"
#include "support/binding.h"
#include "support/fixtures.h"

namespace pelt::bind {
namespace {

Voxels voxels_of(const Problem& problem, int n) {
  return *voxelised(problem, n);
}

double distance_to_triangle(const glm::dvec3& p, const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& c) {
  const glm::dvec3 normal = glm::cross(b - a, c - a);
  const auto on_side = [&](const glm::dvec3& one, const glm::dvec3& two) {
    return glm::dot(glm::cross(two - one, p - one), normal) >= 0;
  };
  if (on_side(a, b) && on_side(b, c) && on_side(c, a)) {
    return std::abs(glm::dot(p - a, normal)) / glm::length(normal);
  }
  return std::min({nearest_on_segment(p, a, b).distance, nearest_on_segment(p, b, c).distance,
                   nearest_on_segment(p, c, a).distance});
}

// Random triangles: every point of them is in a marked cube, and each marked cube is as near as a cube that they meet.
// Those that are nearer to a triangle than their inscribed sphere is wide are marked for sure.
TEST(Voxels, MarksTheCubesThatATriangleMeetsAndNoOthers) {
  test::Random random(1);
  const VoxelGrid grid{{24, 24, 24}, 1, {}};
  for (int round = 0; round < 60; ++round) {
    std::array<glm::dvec3, 3> corners;
    for (glm::dvec3& corner : corners) {
      corner = random.dvector(1, 23);
      if (round % 3 == 0) {
        corner = glm::floor(corner);  // along the borders of cubes
      }
    }
    std::vector<char> marked(grid.count(), 0);
    for_each_cube(grid, corners, [&](std::size_t at) { marked[at] = 1; });
    for (int k = 0; k < 400; ++k) {
      const double u = random.real(0.0, 1.0);
      const double v = random.real(0.0, 1.0 - u);
      const glm::dvec3 p = corners[0] + u * (corners[1] - corners[0]) + v * (corners[2] - corners[0]);
      EXPECT_TRUE(marked[grid.index(grid.cell_at(p))]) << round;
    }
    for (std::size_t at = 0; at < grid.count(); ++at) {
      const double distance = distance_to_triangle(grid.center(grid.cell(at)), corners[0], corners[1], corners[2]);
      EXPECT_TRUE(marked[at] == 0 || distance <= std::sqrt(0.75) + 1e-5) << round << ' ' << distance;
      EXPECT_TRUE(marked[at] != 0 || distance >= 0.5) << round << ' ' << distance;
    }
  }
}

TEST(Voxels, AWalkPassesEveryCubeOfASegmentOnce) {
  test::Random random(2);
  const VoxelGrid grid{{24, 24, 24}, 0.5, {-1, -1, -1}};
  for (int round = 0; round < 100; ++round) {
    const glm::dvec3 a = random.dvector(-3, 13);
    const glm::dvec3 b = random.dvector(-3, 13);
    std::vector<glm::ivec3> passed;
    EXPECT_TRUE(walk_cubes(grid, a, b, [&](const glm::ivec3& at) {
      passed.push_back(at);
      return true;
    }));
    EXPECT_EQ(passed.front(), grid.cell_at(a));
    EXPECT_EQ(passed.back(), grid.cell_at(b));
    for (std::size_t k = 1; k < passed.size(); ++k) {
      const glm::ivec3 step = glm::abs(passed[k] - passed[k - 1]);
      EXPECT_EQ(step.x + step.y + step.z, 1);
    }
    for (int k = 0; k <= 500; ++k) {
      const glm::ivec3 at = grid.cell_at(glm::mix(a, b, k / 500.0));
      EXPECT_NE(std::ranges::find(passed, at), passed.end()) << round;
    }
  }
}

double inside_volume(const Voxels& voxels) {
  const double cube = voxels.grid.edge * voxels.grid.edge * voxels.grid.edge;
  return cube * (static_cast<double>(voxels.inside_count) + 0.5 * static_cast<double>(voxels.surface_count));
}

TEST(Voxels, AClosedCylinderHasItsVolume) {
  const Voxels voxels = voxels_of(test::cylinder_to_bind(), 128);
  EXPECT_NEAR(inside_volume(voxels), 0.0312144, 0.001);  // 16 r^2 sin(pi / 16), length 1
  EXPECT_EQ(std::ranges::count(voxels.turned, 0), std::ssize(voxels.turned));
  EXPECT_EQ(voxels.at(glm::dvec3(0.5, 0, 0)), Voxel::kInside);
  EXPECT_EQ(voxels.at(glm::dvec3(0.5, 0.1, 0)), Voxel::kSurface);
  EXPECT_EQ(voxels.at(glm::dvec3(0.5, 0.15, 0)), Voxel::kOutside);
  EXPECT_EQ(voxels.at(glm::dvec3(50, 0, 0)), Voxel::kOutside);
}

// Open at both ends, with holes, inside out, every other triangle turned, doubled: the volume stays.
TEST(Voxels, DamagedCylindersKeepTheirVolume) {
  const Problem whole = test::cylinder_to_bind();
  const double volume = inside_volume(voxels_of(whole, 96));
  test::Random random(3);
  const auto expect_same = [&](Problem damaged, double tolerance, const char* what) {
    finish(damaged);
    const Voxels voxels = voxels_of(damaged, 96);
    EXPECT_NEAR(inside_volume(voxels) / volume, 1, tolerance) << what;
    EXPECT_EQ(voxels.at(glm::dvec3(0.5, 0.01, 0.01)), Voxel::kInside) << what;
    EXPECT_EQ(voxels.at(glm::dvec3(0.5, 0.12, 0)), Voxel::kOutside) << what;
  };
  Problem open = whole;
  open.triangles.resize(open.triangles.size() - 64);
  expect_same(open, 0.03, "without caps");
  Problem torn = whole;
  std::erase_if(torn.triangles, [&](const auto&) { return random.below(20) == 0; });
  expect_same(torn, 0.03, "torn");
  Problem cut = whole;  // a quarter of the way round, for half of the length
  std::erase_if(cut.triangles, [&](const auto& triangle) {
    const glm::dvec3& p = cut.positions[triangle[0]];
    return p.x > 0.25 && p.x < 0.75 && p.y > 0.08;
  });
  expect_same(cut, 0.08, "cut open");
  Problem turned = whole;
  for (auto& triangle : turned.triangles) {
    std::swap(triangle[1], triangle[2]);
  }
  expect_same(turned, 1e-12, "inside out");
  turned.triangles.resize(turned.triangles.size() - 64);
  expect_same(turned, 0.03, "inside out and open");
  Problem mixed = open;
  for (auto& triangle : mixed.triangles) {
    if (random.below(2) == 0) {
      std::swap(triangle[1], triangle[2]);
    }
  }
  expect_same(mixed, 0.03, "mixed and open");
  Problem doubled = open;
  for (std::size_t t = 0; t < open.triangles.size(); t += 7) {
    doubled.triangles.push_back(open.triangles[t]);
  }
  expect_same(doubled, 0.03, "doubled");
}

TEST(Voxels, TurnedTrianglesAreFound) {
  Problem problem = test::fingers_to_bind();  // two sheets
  const Voxels before = voxels_of(problem, 96);
  EXPECT_EQ(std::ranges::count(before.turned, 1), 0);
  test::Random random(4);
  std::vector<char> turned;
  for (auto& triangle : problem.triangles) {
    turned.push_back(static_cast<char>(random.below(3) == 0));
    if (turned.back() != 0) {
      std::swap(triangle[1], triangle[2]);
    }
  }
  const Voxels after = voxels_of(problem, 96);
  EXPECT_EQ(after.turned, turned);
  EXPECT_EQ(before.cell, after.cell);
  const std::vector<glm::dvec3> normals = outward_normals(problem, after.turned);
  for (std::size_t w = 64; w < 128; ++w) {
    const glm::dvec3 out = glm::normalize(glm::dvec3(0, problem.positions[w].y, problem.positions[w].z));
    EXPECT_GT(glm::dot(normals[w], out), 0.98);
  }
}

TEST(Voxels, AreSymmetricAndDoNotKnowUnits) {
  Problem problem = test::cylinder_to_bind();
  problem.triangles.resize(problem.triangles.size() - 64);
  const Voxels voxels = voxels_of(problem, 80);
  const glm::ivec3 size = voxels.grid.size;
  for (std::size_t at = 0; at < voxels.cell.size(); ++at) {
    const glm::ivec3 cell = voxels.grid.cell(at);
    EXPECT_EQ(voxels.cell[at], voxels.cell[voxels.grid.index({cell.x, size.y - 1 - cell.y, cell.z})]);
  }
  for (glm::dvec3& p : problem.positions) {
    p *= 1024;
  }
  finish(problem);
  EXPECT_EQ(voxels_of(problem, 80).cell, voxels.cell);
}

TEST(Winding, CountsHowOftenASurfaceGoesRound) {
  Problem problem = test::fingers_to_bind();
  const WindingTree tree(problem.positions, problem.triangles, {});
  test::Random random(5);
  for (int k = 0; k < 300; ++k) {
    const glm::dvec3 p = random.dvector(-0.5, 2.5);
    const auto depth = [&](double y, double radius) {
      return std::max({glm::length(glm::dvec2(p.y - y, p.z)) - radius, -p.x, p.x - 2});
    };
    const double nearest = std::min(depth(0, 0.3), depth(0.45, 0.1));
    if (std::abs(nearest) > 0.01) {
      EXPECT_NEAR(tree.at(p), nearest < 0 ? 1 : 0, 0.05);
      EXPECT_NEAR(tree.at(p, 10), nearest < 0 ? 1 : 0, 0.002);
    }
  }
  problem.triangles.resize(2 * 64 * 20);  // a tube without caps: short of both of their solid angles
  const double cap = 0.5 * (1 - 1 / std::sqrt(1 + 0.09));
  const WindingTree open(problem.positions, problem.triangles, {});
  EXPECT_NEAR(open.at({1, 0, 0}, 10), 1 - 2 * cap, 0.002);
  const std::vector<char> turned(problem.triangles.size(), 1);
  EXPECT_NEAR(WindingTree(problem.positions, problem.triangles, turned).at({1, 0, 0}, 10), 2 * cap - 1, 0.002);
}

}  // namespace
}  // namespace pelt::bind
