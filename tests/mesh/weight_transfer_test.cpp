// Weights from another surface, ALGORITHMS.md §39 (copying by closest surface, inpainting).
#include "mesh/weight_transfer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>

#include "support/fixtures.h"

namespace pelt::mesh {
namespace {

double share_of(const std::vector<WeightEntry>& row, std::uint16_t joint) {
  const auto at = std::ranges::find(row, joint, &WeightEntry::joint);
  return at == row.end() ? 0 : at->weight;
}

// A grid over [x0, x1] x [0, 1] at a height, facing up, or down where it is turned.
TransferSurface sheet(double x0, double x1, int columns, int lines, double height = 0, bool turned = false) {
  TransferSurface out;
  for (int y = 0; y <= lines; ++y) {
    for (int x = 0; x <= columns; ++x) {
      out.positions.emplace_back(x0 + (x1 - x0) * x / columns, static_cast<double>(y) / lines, height);
      if (x < columns && y < lines) {
        const auto a = static_cast<std::uint32_t>(y * (columns + 1) + x);
        const auto up = a + static_cast<std::uint32_t>(columns) + 1;
        std::array<std::uint32_t, 3> first = {a, a + 1, up + 1};
        std::array<std::uint32_t, 3> second = {a, up + 1, up};
        if (turned) {
          std::swap(first[1], first[2]);
          std::swap(second[1], second[2]);
        }
        out.triangles.push_back(first);
        out.triangles.push_back(second);
      }
    }
  }
  return out;
}

void add_sheet(TransferSurface& to, const TransferSurface& more) {
  const auto first = static_cast<std::uint32_t>(to.positions.size());
  to.positions.insert(to.positions.end(), more.positions.begin(), more.positions.end());
  for (const auto& [a, b, c] : more.triangles) {
    to.triangles.push_back({first + a, first + b, first + c});
  }
}

// Joint 1 has x of the weight, joint 0 the rest.
TransferRows rows_along_x(const TransferSurface& surface) {
  TransferRows rows;
  for (const glm::dvec3& p : surface.positions) {
    rows.push_back({{0, 1 - p.x}, {1, p.x}});
  }
  return rows;
}

TEST(WeightTransfer, WeightsThatGoStraightAreReproducedOnAnotherMesh) {
  const TransferSurface source = sheet(0, 1, 5, 3);
  const TransferSurface target = sheet(0, 1, 17, 11, 0.01);
  const Transfer transfer = transferred_weights(source, rows_along_x(source), target, {}, {});
  EXPECT_EQ(transfer.count[0], target.positions.size());
  for (std::size_t w = 0; w < target.positions.size(); ++w) {
    EXPECT_NEAR(share_of(transfer.rows[w], 1), target.positions[w].x, 1e-12);
    EXPECT_NEAR(share_of(transfer.rows[w], 0), 1 - target.positions[w].x, 1e-12);
  }
}

TEST(WeightTransfer, TheSameSurfaceGivesTheSameRows) {
  TransferSurface surface;
  surface.positions = test::cylinder_points();
  const std::vector<std::uint32_t> indices = test::cylinder_indices();
  for (std::size_t k = 0; k < indices.size(); k += 3) {
    surface.triangles.push_back({indices[k], indices[k + 1], indices[k + 2]});
  }
  test::Random random(5);
  TransferRows rows(surface.positions.size());
  for (auto& row : rows) {
    const double a = random.real(0.1, 0.9);
    row = {{static_cast<std::uint16_t>(random.below(3)), a}, {static_cast<std::uint16_t>(3 + random.below(3)), 1 - a}};
  }
  const Transfer transfer = transferred_weights(surface, rows, surface, {}, {});
  for (std::size_t w = 0; w < rows.size(); ++w) {
    ASSERT_EQ(transfer.cause[w], TransferCause::kMatched);
    for (const WeightEntry& one : rows[w]) {
      EXPECT_NEAR(share_of(transfer.rows[w], one.joint), one.weight, 1e-9) << w;
    }
  }
}

TEST(WeightTransfer, WhatHasNoMatchIsHarmonicBetweenWhatHas) {
  // The source has a gap in the middle: across it weights go straight from one side to the other.
  TransferSurface source = sheet(0, 0.3, 3, 4);
  add_sheet(source, sheet(0.7, 1, 3, 4));
  const TransferSurface target = sheet(0, 1, 20, 8);
  const Transfer transfer =
      transferred_weights(source, rows_along_x(source), target, {}, {.distance = 1e-6, .angle = 1});
  EXPECT_EQ(transfer.count[0], 9u * 14u);
  EXPECT_EQ(transfer.count[1], 9u * 7u);
  for (std::size_t w = 0; w < target.positions.size(); ++w) {
    EXPECT_NEAR(share_of(transfer.rows[w], 1), target.positions[w].x, 1e-7) << w;
  }
  const Transfer nearest =
      transferred_weights(source, rows_along_x(source), target, {}, {.distance = 1e-6, .angle = 1, .nearest = true});
  EXPECT_EQ(nearest.count[2], 9u * 7u);
  for (std::size_t w = 0; w < target.positions.size(); ++w) {
    const double x = target.positions[w].x;
    const double expected = x <= 0.3 || x >= 0.7 ? x : x < 0.4999 ? 0.3 : 0.7;
    if (std::abs(x - 0.5) > 1e-6) {
      EXPECT_NEAR(share_of(nearest.rows[w], 1), expected, 1e-9) << w;
    }
  }
}

TEST(WeightTransfer, ASurfaceThatFacesTheOtherWayIsNoMatch) {
  // Two sheets beside each other like the sides of a coat: the target lies nearer to the one that faces away.
  TransferSurface source = sheet(0, 1, 4, 4, 0, true);
  TransferRows rows(source.positions.size(), {{0, 1.0}});
  const TransferSurface outer = sheet(0, 1, 4, 4, 0.1);
  add_sheet(source, outer);
  rows.resize(source.positions.size(), {{1, 1.0}});
  const TransferSurface target = sheet(0, 1, 4, 4, 0.03);
  const Transfer away = transferred_weights(source, rows, target, {}, {.distance = 1, .angle = 1});
  EXPECT_EQ(away.count[2], target.positions.size()) << "nothing round it matches: the nearest it is";
  EXPECT_EQ(share_of(away.rows[0], 0), 1);
  const Transfer any = transferred_weights(source, rows, target, {}, {.distance = 1, .angle = 4});
  EXPECT_EQ(any.count[0], target.positions.size());
}

TEST(WeightTransfer, FixedRowsStayAndRowsOfNothingGiveNothing) {
  const TransferSurface target = sheet(0, 1, 10, 2);
  TransferSurface far = sheet(0, 1, 2, 2, 50);
  TransferRows fixed(target.positions.size());
  for (std::size_t w = 0; w < fixed.size(); ++w) {
    if (target.positions[w].x == 0 || target.positions[w].x == 1) {
      fixed[w] = {{static_cast<std::uint16_t>(target.positions[w].x == 0 ? 4 : 7), 1.0}};
    }
  }
  const TransferRows rows(far.positions.size(), std::vector<WeightEntry>{{0, 1.0}});
  const Transfer transfer = transferred_weights(far, rows, target, fixed, {.distance = 1});
  for (std::size_t w = 0; w < fixed.size(); ++w) {
    EXPECT_NEAR(share_of(transfer.rows[w], 7), target.positions[w].x, 1e-7);
    EXPECT_EQ(share_of(transfer.rows[w], 0), 0);
  }
  const TransferRows none(far.positions.size());
  const Transfer nothing = transferred_weights(far, none, target, {}, {.distance = 100});
  EXPECT_TRUE(std::ranges::all_of(nothing.rows, [](const auto& row) { return row.empty(); }));
}

TEST(WeightTransfer, Law_InpaintedWeightsStayBetweenTheirNeighboursAndSumToOne) {
  test::Random random(77);
  for (int n = 0; n < 20; ++n) {
    TransferSurface target = sheet(0, 1, 12, 12);
    for (glm::dvec3& p : target.positions) {  // obtuse triangles, and normals all over the place
      p += 0.06 * random.dvector(-1, 1);
    }
    TransferRows fixed(target.positions.size());
    for (auto& row : fixed) {
      if (random.below(3) == 0) {
        const double a = random.real(0.0, 1.0);
        row = {{2, a}, {5, 1 - a}};
      }
    }
    const Transfer transfer = transferred_weights({}, {}, target, fixed, {});
    for (std::size_t w = 0; w < fixed.size(); ++w) {
      const double sum = std::accumulate(transfer.rows[w].begin(), transfer.rows[w].end(), 0.0,
                                         [](double s, const WeightEntry& one) { return s + one.weight; });
      EXPECT_NEAR(sum, 1, 1e-12);
      EXPECT_TRUE(std::ranges::all_of(transfer.rows[w], [](const WeightEntry& one) { return one.weight >= 0; }));
    }
  }
}

TEST(WeightTransfer, ClosestPointsAreClosest) {
  test::Random random(3);
  for (int n = 0; n < 300; ++n) {
    const glm::dvec3 a = random.dvector(-1, 1);
    const glm::dvec3 b = random.dvector(-1, 1);
    const glm::dvec3 c = random.dvector(-1, 1);
    const glm::dvec3 p = random.dvector(-2, 2);
    const SurfacePoint point = closest_on_triangle(p, a, b, c);
    const auto& [u, v, w] = point.share;
    EXPECT_NEAR(u + v + w, 1, 1e-12);
    EXPECT_GE(std::min({u, v, w}), -1e-12);
    const glm::dvec3 at = u * a + v * b + w * c;
    EXPECT_NEAR(glm::length(p - at), point.distance, 1e-12);
    // No corner lies farther in the direction of p than the closest point does.
    for (const glm::dvec3& corner : {a, b, c}) {
      EXPECT_LE(glm::dot(p - at, corner - at), 1e-9);
    }
  }
}

}  // namespace
}  // namespace pelt::mesh
