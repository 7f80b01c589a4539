// Smoothing of weights, ALGORITHMS.md §37, on meshes that are made here and read by their surfaces.
#include "mesh/weight_smoothing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include <gmock/gmock.h>

#include "core/parallel.h"
#include "support/fixtures.h"

namespace pelt::mesh {
namespace {

using testing::ElementsAre;
using testing::FloatEq;

constexpr double kFloatRounding = 6e-8;  // half a step of floats below 1

std::vector<std::uint32_t> all_places(const WeldedSurface& surface) {
  std::vector<std::uint32_t> places(surface.place_count());
  std::iota(places.begin(), places.end(), 0u);
  return places;
}

std::vector<const Influences*> rows_of(const Mesh& mesh) {
  std::vector<const Influences*> out;
  for (const Primitive& primitive : mesh.primitives) {
    out.push_back(&*primitive.influences);
  }
  return out;
}

// The mesh with all its places smoothed.
Mesh smoothed(const Mesh& mesh, const WeightSmoothing& how, std::vector<std::uint32_t> places = {},
              std::span<const float> strengths = {}) {
  const auto surface = welded_surface(mesh);
  if (places.empty()) {
    places = all_places(*surface);
  }
  const std::vector<InfluencesPatch> changes = smoothed_weights(*surface, rows_of(mesh), places, strengths, how);
  Mesh out = mesh;
  for (std::size_t p = 0; p < changes.size(); ++p) {
    Shared<Influences>& rows = out.primitives.edit(p).influences;
    rows = patched(*rows, changes[p]);
  }
  return out;
}

double weight_of(const Influences& rows, std::size_t v, std::uint16_t joint) {
  const InfluenceRow row = rows.row(v);
  for (std::size_t k = 0; k < row.joints.size(); ++k) {
    if (row.joints[k] == joint) {
      return static_cast<double>(row.weights[k]);
    }
  }
  return 0;
}

// Joint 1 has `weight`, joint 0 the rest.
void push_two(Influences& rows, double weight) {
  const std::array<std::uint16_t, 2> joints = {0, 1};
  const std::array<float, 2> weights = {static_cast<float>(1 - weight), static_cast<float>(weight)};
  append_row(rows, joints, weights);
}

// Vertices along the x axis or a circle, one line from each to the next.
Mesh line_mesh(std::span<const double> weights, bool closed) {
  Primitive primitive;
  primitive.topology = Topology::kLines;
  const std::size_t count = weights.size();
  for (std::size_t v = 0; v < count; ++v) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(v) / static_cast<double>(count);
    primitive.positions.push_back(closed ? glm::vec3(std::cos(angle), std::sin(angle), 0)
                                         : glm::vec3(static_cast<float>(v), 0, 0));
    push_two(primitive.influences.edit(), weights[v]);
    if (closed || v + 1 < count) {
      primitive.indices.append({static_cast<std::uint32_t>(v), static_cast<std::uint32_t>((v + 1) % count)});
    }
  }
  Mesh mesh;
  mesh.primitives.push_back(std::move(primitive));
  return mesh;
}

std::vector<double> mode(int k) {
  std::vector<double> weights;
  for (int v = 0; v < 16; ++v) {
    weights.push_back(0.5 + 0.25 * std::cos(2 * std::numbers::pi * k * v / 16));
  }
  return weights;
}

// The part of the mode in the weights of joint 1, against a quarter.
double decay(const Mesh& mesh, int k) {
  double sum = 0;
  double norm = 0;
  for (int v = 0; v < 16; ++v) {
    const double wave = std::cos(2 * std::numbers::pi * k * v / 16);
    sum += wave * (weight_of(mesh.primitives[0].influences, static_cast<std::size_t>(v), 1) - 0.5);
    norm += wave * wave;
  }
  return sum / norm / 0.25;
}

TEST(WeightSmoothing, C37_1_ModesOfARingDecay) {
  for (const auto& [k, left] : std::map<int, double>{{1, 0.961940}, {2, 0.853553}, {4, 0.5}, {8, 0.0}}) {
    SCOPED_TRACE(k);
    const Mesh ring = smoothed(line_mesh(mode(k), true), {});
    EXPECT_NEAR(decay(ring, k), left, 1e-6);
    EXPECT_NEAR(decay(ring, k), 1 - 0.5 * (1 - std::cos(2 * std::numbers::pi * k / 16)), 1e-6);
  }
}

TEST(WeightSmoothing, C37_1_ModesOfATubeDecayByTheirCotangents) {
  // Rectangles of width a round the tube and height b along it, each parted by a diagonal, whose cotangents are 0: the
  // neighbours round the tube count b / a, those along it a / b, at its ends half of both in one of them.
  constexpr int kRings = 5;
  const double a = 2 * std::sin(std::numbers::pi / 16);
  const double b = 0.7;
  Primitive tube;
  for (int r = 0; r < kRings; ++r) {
    for (int v = 0; v < 16; ++v) {
      const double angle = 2 * std::numbers::pi * v / 16;
      tube.positions.push_back(glm::vec3(std::cos(angle), std::sin(angle), b * r));
      push_two(tube.influences.edit(), mode(3)[v]);
      if (r + 1 < kRings) {
        const auto at = [&](int ring, int along) { return static_cast<std::uint32_t>(16 * ring + along % 16); };
        tube.indices.append({at(r, v), at(r, v + 1), at(r + 1, v + 1), at(r, v), at(r + 1, v + 1), at(r + 1, v)});
      }
    }
  }
  Mesh mesh;
  mesh.primitives.push_back(tube);
  WeightSmoothing how;
  how.shares = NeighborShares::kCotangent;
  const Mesh after = smoothed(mesh, how);
  const double around = b / a / (b / a + a / b);
  const double left = 1 - 0.5 * around * (1 - std::cos(2 * std::numbers::pi * 3 / 16));
  for (std::size_t v = 0; v < tube.positions.size(); ++v) {
    const double wave = mode(3)[v % 16] - 0.5;
    EXPECT_NEAR(weight_of(after.primitives[0].influences, v, 1), 0.5 + left * wave, 1e-6) << v;
  }
}

TEST(WeightSmoothing, C37_2_ADeltaOnALine) {
  const std::array<double, 9> delta = {0, 0, 0, 0, 1, 0, 0, 0, 0};
  WeightSmoothing how;
  how.threshold = 0;
  const auto along = [&](const Mesh& mesh) {
    std::vector<double> weights;
    for (std::size_t v = 0; v < 9; ++v) {
      weights.push_back(weight_of(mesh.primitives[0].influences, v, 1));
    }
    return weights;
  };
  EXPECT_THAT(along(smoothed(line_mesh(delta, false), how)), ElementsAre(0, 0, 0, .25, .5, .25, 0, 0, 0));
  how.iterations = 2;
  EXPECT_THAT(along(smoothed(line_mesh(delta, false), how)), ElementsAre(0, 0, .0625, .25, .375, .25, .0625, 0, 0));
  const std::array<double, 8> step = {0, 0, 0, 0, 1, 1, 1, 1};
  const Mesh after = smoothed(line_mesh(step, false), how);
  EXPECT_EQ(weight_of(after.primitives[0].influences, 2, 1), .0625);
  EXPECT_EQ(weight_of(after.primitives[0].influences, 3, 1), .3125);
  EXPECT_EQ(weight_of(after.primitives[0].influences, 4, 1), .6875);
  EXPECT_EQ(weight_of(after.primitives[0].influences, 5, 1), .9375);
}

// ---------------------------------------------------------------------------------------------------------------------

// A bumpy sheet in two primitives that meet in a column of vertices of their own, with random rows of up to four of
// eight joints; copies have the same row.
Mesh sheet(test::Random& random, int across = 12, int down = 9) {
  std::map<std::pair<int, int>, std::pair<glm::vec3, InfluenceRow>> unused;
  std::vector<glm::vec3> points;
  Influences rows;
  for (int y = 0; y < down; ++y) {
    for (int x = 0; x < across; ++x) {
      points.push_back(glm::vec3(x, y, 0) + random.vector(-0.3f, 0.3f));
      std::vector<std::uint16_t> joints;
      std::vector<float> weights;
      for (int k = 0; k < 1 + random.below(4); ++k) {
        joints.push_back(static_cast<std::uint16_t>(random.below(8)));
        weights.push_back(random.real(0.05f, 1.0f));
      }
      append_row(rows, joints, weights);
    }
  }
  Mesh mesh;
  for (const auto& [begin, end] : {std::pair{0, across / 2 + 1}, std::pair{across / 2, across}}) {
    Primitive primitive;
    const int width = end - begin;
    for (int y = 0; y < down; ++y) {
      for (int x = begin; x < end; ++x) {
        primitive.positions.push_back(points[y * across + x]);
        primitive.influences.edit().push_row(rows.row(y * across + x));
        if (x + 1 < end && y + 1 < down) {
          const auto at = [&](int i, int j) { return static_cast<std::uint32_t>((y + j) * width + x - begin + i); };
          primitive.indices.append({at(0, 0), at(1, 0), at(1, 1), at(0, 0), at(1, 1), at(0, 1)});
        }
      }
    }
    mesh.primitives.push_back(std::move(primitive));
  }
  return mesh;
}

WeightSmoothing random_smoothing(test::Random& random) {
  WeightSmoothing how;
  how.strength = random.real(0.0f, 1.0f);
  how.iterations = 1 + random.below(5);
  how.shares = random.below(2) == 0 ? NeighborShares::kUniform : NeighborShares::kCotangent;
  for (int k = random.below(3); k > 0; --k) {
    how.locked.push_back(static_cast<std::uint16_t>(random.below(8)));
  }
  if (random.below(3) == 0) {
    how.across = {static_cast<std::uint16_t>(random.below(8)), static_cast<std::uint16_t>(random.below(8))};
  }
  how.limit = random.below(3) == 0 ? 2 + random.below(4) : 0;
  how.threshold = random.below(2) == 0 ? 0.0f : random.real(0.0f, 0.05f);
  return how;
}

bool is_kept(const WeightSmoothing& how, std::uint16_t joint) {
  return std::ranges::count(how.locked, joint) > 0 ||
         (!how.across.empty() && std::ranges::count(how.across, joint) == 0);
}

TEST(WeightSmoothing, C37_3_Law_RowsStaySumsOfOneAndLockedWeightsKeepTheirBits) {
  test::Random random(373);
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    Mesh mesh = sheet(random);
    if (i % 2 == 1) {  // copies at the seam need not agree
      Influences& rows = mesh.primitives.edit(1).influences.edit();
      for (std::size_t v = 0; v < rows.vertex_count(); v += 2) {
        const InfluenceRow other = rows.row((v + 5) % rows.vertex_count());
        const std::vector<std::uint16_t> joints(other.joints.begin(), other.joints.end());
        const std::vector<float> weights(other.weights.begin(), other.weights.end());
        rows.set_row(v, joints, weights);
      }
    }
    const WeightSmoothing how = random_smoothing(random);
    const auto surface = welded_surface(mesh);
    const std::vector<std::uint32_t> places = all_places(*surface);
    const auto rows = smoothed_rows(*surface, rows_of(mesh), places, {}, how);
    for (const std::uint32_t w : places) {
      const std::uint32_t v = surface->copies(w).front();
      const std::size_t p = surface->primitive_of(v);
      double before = 0;
      for (const float weight : mesh.primitives[p].influences->weights(v - surface->first[p])) {
        before += static_cast<double>(weight);
      }
      double after = 0;
      for (const WeightEntry& entry : rows[w]) {
        ASSERT_GE(entry.weight, 0);
        after += entry.weight;
      }
      ASSERT_NEAR(after, before, 1e-12);
    }
    const Mesh stored = smoothed(mesh, how);
    for (std::size_t p = 0; p < 2; ++p) {
      const Influences& now = stored.primitives[p].influences;
      for (std::size_t v = 0; v < now.vertex_count(); ++v) {
        const InfluenceRow row = now.row(v);
        double sum = 0;
        for (std::size_t k = 0; k < row.joints.size(); ++k) {
          ASSERT_GT(row.weights[k], 0);
          ASSERT_TRUE(k == 0 || row.weights[k - 1] > row.weights[k] ||
                      (row.weights[k - 1] == row.weights[k] && row.joints[k - 1] < row.joints[k]));
          sum += static_cast<double>(row.weights[k]);
        }
        ASSERT_NEAR(sum, 1, 4 * kFloatRounding);
        for (std::uint16_t joint = 0; joint < 8; ++joint) {
          if (is_kept(how, joint)) {
            ASSERT_EQ(weight_of(now, v, joint), weight_of(mesh.primitives[p].influences, v, joint));
          }
        }
      }
    }
  }
}

TEST(WeightSmoothing, C37_3_ConstantWeightsShareTheirBlocks) {
  test::Random random(5);
  for (const NeighborShares shares : {NeighborShares::kUniform, NeighborShares::kCotangent}) {
    Mesh mesh = sheet(random);
    const std::array<std::uint16_t, 3> joints = {1, 4, 6};
    const std::array<float, 3> weights = {0.31f, 0.00001f, 0.2f};
    for (Primitive& primitive : mesh.primitives.edit_each()) {
      for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
        primitive.influences.edit().set_row(v, joints, weights);
      }
    }
    WeightSmoothing how;
    how.iterations = 7;
    how.shares = shares;
    const Mesh after = smoothed(mesh, how);
    for (std::size_t p = 0; p < 2; ++p) {
      EXPECT_TRUE(after.primitives[p].influences->blocks()[0].is(mesh.primitives[p].influences->blocks()[0]));
    }
  }
}

TEST(WeightSmoothing, C37_3_CopiesAtASeamStayEqual) {
  test::Random random(6);
  for (int i = 0; i < 50; ++i) {
    const Mesh after = smoothed(sheet(random), random_smoothing(random));
    const auto surface = welded_surface(after);
    ASSERT_EQ(surface->place_count(), 12u * 9u);
    std::size_t seams = 0;
    for (std::size_t w = 0; w < surface->place_count(); ++w) {
      const auto copies = surface->copies(w);
      const auto row = [&](std::uint32_t v) {
        const std::size_t p = surface->primitive_of(v);
        return after.primitives[p].influences->row(v - surface->first[p]);
      };
      for (const std::uint32_t v : copies) {
        ASSERT_TRUE(same_row(row(v), row(copies.front())));
      }
      seams += copies.size() > 1 ? 1 : 0;
    }
    ASSERT_EQ(seams, 9u);
  }
}

// The same sheet as one primitive must not know of the border between the two.
TEST(WeightSmoothing, ABorderBetweenPrimitivesIsNone) {
  test::Random random(7);
  const Mesh parted = sheet(random);
  const auto surface = welded_surface(parted);
  Primitive whole;
  for (std::size_t w = 0; w < surface->place_count(); ++w) {
    const std::uint32_t v = surface->copies(w).front();
    const std::size_t p = surface->primitive_of(v);
    whole.positions.push_back(surface->position(w));
    whole.influences.edit().push_row(parted.primitives[p].influences->row(v - surface->first[p]));
  }
  for (std::size_t p = 0; p < 2; ++p) {
    for (const std::uint32_t corner : parted.primitives[p].indices) {
      whole.indices.push_back(surface->place[surface->first[p] + corner]);
    }
  }
  Mesh mesh;
  mesh.primitives.push_back(whole);
  const Mesh one = smoothed(mesh, {});
  const Mesh two = smoothed(parted, {});
  for (std::size_t w = 0; w < surface->place_count(); ++w) {
    for (const std::uint32_t v : surface->copies(w)) {
      const std::size_t p = surface->primitive_of(v);
      ASSERT_TRUE(
          same_row(one.primitives[0].influences->row(w), two.primitives[p].influences->row(v - surface->first[p])));
    }
  }
}

double difference(const Influences& a, std::size_t v, const Influences& b, std::size_t u) {
  double most = 0;
  for (std::uint16_t joint = 0; joint < 8; ++joint) {
    most = std::max(most, std::abs(weight_of(a, v, joint) - weight_of(b, u, joint)));
  }
  return most;
}

TEST(WeightSmoothing, Law_PermutingVerticesPermutesTheResult) {
  test::Random random(8);
  for (int i = 0; i < 50; ++i) {
    const Mesh mesh = sheet(random);
    WeightSmoothing how = random_smoothing(random);
    how.limit = 0;  // a tie of two weights may be decided either way
    how.threshold = 0;
    const Mesh after = smoothed(mesh, how);
    Mesh shuffled = mesh;
    const Primitive& from = mesh.primitives[0];
    std::vector<std::uint32_t> order(from.vertex_count());  // [new] = old
    std::iota(order.begin(), order.end(), 0u);
    for (std::size_t k = order.size() - 1; k > 0; --k) {
      std::swap(order[k], order[random.below(static_cast<int>(k) + 1)]);
    }
    Primitive& to = shuffled.primitives.edit(0);
    std::vector<std::uint32_t> inverse(order.size());
    for (std::uint32_t n = 0; n < order.size(); ++n) {
      inverse[order[n]] = n;
      to.positions.edit()[n] = from.positions[order[n]];
      to.influences.edit().put_row(n, from.influences->row(order[n]));
    }
    for (std::uint32_t& corner : to.indices.edit()) {
      corner = inverse[corner];
    }
    const Mesh then = smoothed(shuffled, how);
    for (std::uint32_t n = 0; n < order.size(); ++n) {
      ASSERT_LT(difference(then.primitives[0].influences, n, after.primitives[0].influences, order[n]),
                2 * kFloatRounding);
    }
  }
}

TEST(WeightSmoothing, Law_UnitsHaveNoInfluence) {
  test::Random random(9);
  for (const float unit : {0.01f, 100.0f}) {
    for (int i = 0; i < 20; ++i) {
      const Mesh mesh = sheet(random);
      WeightSmoothing how = random_smoothing(random);
      how.limit = 0;
      how.threshold = 0;
      Mesh scaled = mesh;
      for (Primitive& primitive : scaled.primitives.edit_each()) {
        for (glm::vec3& position : primitive.positions.edit()) {
          position *= unit;
        }
      }
      const Mesh one = smoothed(mesh, how);
      const Mesh other = smoothed(scaled, how);
      // Positions are rounded anew, and cotangents with them.
      constexpr double kRoundedPlaces = 1e-5;
      const double allowed = how.shares == NeighborShares::kUniform ? 0 : kRoundedPlaces;
      for (std::size_t p = 0; p < 2; ++p) {
        for (std::size_t v = 0; v < mesh.primitives[p].vertex_count(); ++v) {
          ASSERT_LE(difference(one.primitives[p].influences, v, other.primitives[p].influences, v), allowed);
        }
      }
    }
  }
}

TEST(WeightSmoothing, Law_AnyNumberOfThreadsGivesTheSameBits) {
  test::Random random(10);
  const Mesh mesh = sheet(random, 90, 40);
  const WeightSmoothing how = {.strength = 0.7f, .iterations = 4};
  set_thread_limit(1);
  const Mesh one = smoothed(mesh, how);
  set_thread_limit(0);
  const Mesh many = smoothed(mesh, how);
  for (std::size_t p = 0; p < 2; ++p) {
    EXPECT_EQ(one.primitives[p].influences, many.primitives[p].influences);
    EXPECT_NE(one.primitives[p].influences, mesh.primitives[p].influences);
  }
}

TEST(WeightSmoothing, OnlyPlacesThatAreNamedChange) {
  test::Random random(11);
  const Mesh mesh = sheet(random, 60, 20);
  const std::vector<std::uint32_t> places = {3, 4, 300, 301};
  const std::array<float, 4> strengths = {1, 0, 0.5f, 1};
  WeightSmoothing how;
  const Mesh some = smoothed(mesh, how, places, strengths);
  const auto surface = welded_surface(mesh);
  int changed = 0;
  for (std::size_t p = 0; p < 2; ++p) {
    for_changed_rows(mesh.primitives[p].influences, some.primitives[p].influences, [&](std::size_t v) {
      const std::uint32_t w = surface->place[surface->first[p] + v];
      EXPECT_TRUE(w == 3 || w == 300 || w == 301) << w;
      ++changed;
    });
  }
  EXPECT_EQ(changed, 3);
  // One pass reads what was there before it: alone or among others a place becomes the same.
  how.strength = 0.25f;
  const Mesh alone = smoothed(mesh, how, {300});
  const std::uint32_t v = surface->copies(300).front();
  const std::size_t p = surface->primitive_of(v);
  const std::size_t row = v - surface->first[p];
  EXPECT_TRUE(same_row(alone.primitives[p].influences->row(row), some.primitives[p].influences->row(row)));
}

TEST(WeightSmoothing, WhatHasNoWeightsNeitherGivesNorTakes) {
  Mesh mesh = line_mesh(std::array<double, 3>{0, 0, 1}, false);
  mesh.primitives.edit(0).influences.edit().put_row(1, {});
  const Mesh after = smoothed(mesh, {});
  EXPECT_TRUE(after.primitives[0].influences->joints(1).empty());
  EXPECT_EQ(weight_of(after.primitives[0].influences, 0, 0), 1);
  EXPECT_EQ(weight_of(after.primitives[0].influences, 2, 1), 1);
}

TEST(WeightSmoothing, PruningKeepsTheHeaviestAndTheSum) {
  Mesh mesh = line_mesh(std::array<double, 3>{0, 0, 0}, false);
  Influences& rows = mesh.primitives.edit(0).influences.edit();
  const auto set = [&](std::size_t v, std::vector<std::uint16_t> joints, std::vector<float> weights) {
    rows.set_row(v, joints, weights);
  };
  set(0, {0, 1}, {0.5f, 0.5f});
  set(1, {2}, {1.0f});
  set(2, {3, 4}, {0.75f, 0.25f});
  WeightSmoothing how;
  how.limit = 3;
  Mesh after = smoothed(mesh, how);  // 2: .5, 3: .1875, 0 and 1: .125, 4: .0625
  EXPECT_THAT(after.primitives[0].influences->joints(1), ElementsAre(2, 3, 0));
  const double left = .5 + .1875 + .125;
  EXPECT_NEAR(weight_of(after.primitives[0].influences, 1, 2), .5 / left, kFloatRounding);
  how = {};
  how.threshold = 0.1f;
  after = smoothed(mesh, how);
  EXPECT_THAT(after.primitives[0].influences->joints(1), ElementsAre(2, 3, 0, 1));
  how.limit = 1;
  how.locked = {2};
  after = smoothed(mesh, how);
  EXPECT_THAT(after.primitives[0].influences->joints(1), ElementsAre(2)) << "nothing is left to the others there";
  EXPECT_EQ(after.primitives[0].influences->row(0).joints.size(), 2u) << "nothing changed there, so nothing is dropped";
}

TEST(WeightSmoothing, WhatPruningTakesBackIsNoChange) {
  const Mesh mesh = line_mesh(std::array<double, 2>{0, 1}, false);
  const Mesh after = smoothed(mesh, {.strength = 0.25f, .limit = 1});
  EXPECT_TRUE(after.primitives[0].influences->blocks()[0].is(mesh.primitives[0].influences->blocks()[0]));
}

TEST(WeightSmoothing, APrimitiveWithoutASkinGetsNoRows) {
  test::Random random(12);
  Mesh mesh = sheet(random);
  mesh.primitives.edit(1).influences = {};
  const Mesh after = smoothed(mesh, {});
  EXPECT_TRUE(after.primitives[1].influences->empty());
  EXPECT_FALSE(after.primitives[0].influences == mesh.primitives[0].influences);
  mesh = sheet(random);  // and where the first copy of a seam is the one without
  mesh.primitives.edit(0).influences = {};
  EXPECT_TRUE(smoothed(mesh, {}).primitives[0].influences->empty());
}

TEST(WeightSmoothing, LockedInfluencesCountAgainstTheLimit) {
  Mesh mesh = line_mesh(std::array<double, 3>{0, 0, 0}, false);
  Influences& rows = mesh.primitives.edit(0).influences.edit();
  const auto set = [&](std::size_t v, std::vector<std::uint16_t> joints, std::vector<float> weights) {
    rows.set_row(v, joints, weights);
  };
  set(0, {0, 1}, {0.5f, 0.5f});
  set(1, {2, 3}, {0.75f, 0.25f});
  set(2, {4, 5}, {0.5f, 0.5f});
  for (const int limit : {2, 3}) {
    const Mesh after = smoothed(mesh, {.locked = {2}, .limit = limit});
    EXPECT_LE(after.primitives[0].influences->joints(1).size(), static_cast<std::size_t>(limit));
    EXPECT_EQ(weight_of(after.primitives[0].influences, 1, 2), 0.75);
  }
}

TEST(WeightSmoothing, NothingPassesThroughAVertexWithoutWeights) {
  Mesh mesh = line_mesh(std::array<double, 4>{0, 0, 1, 1}, false);
  mesh.primitives.edit(0).influences.edit().put_row(1, {});
  const Mesh after = smoothed(mesh, {.strength = 1, .iterations = 3});
  EXPECT_EQ(weight_of(after.primitives[0].influences, 0, 0), 1);
  EXPECT_EQ(weight_of(after.primitives[0].influences, 2, 1), 1);
  // Beside it a vertex takes as much from the others as if it were not there.
  Mesh row = line_mesh(std::array<double, 3>{0, 1, 0}, false);
  row.primitives.edit(0).influences.edit().put_row(0, {});
  EXPECT_NEAR(weight_of(smoothed(row, {}).primitives[0].influences, 1, 1), 0.5, kFloatRounding);
}

TEST(WeightSmoothing, AnObtuseAngleGivesItsEdgeNothing) {
  Primitive primitive;
  primitive.positions = {{0, 0, 0}, {4, 0, 0}, {1, 0.5f, 0}};  // obtuse at the third, which faces the edge 0-1
  primitive.indices = {0, 1, 2};
  for (std::uint16_t joint = 0; joint < 3; ++joint) {
    append_row(primitive.influences.edit(), std::array{joint}, std::array{1.0f});
  }
  Mesh mesh;
  mesh.primitives.push_back(primitive);
  const auto surface = welded_surface(mesh);
  const std::array<std::uint32_t, 1> place = {surface->place[0]};
  const auto rows = smoothed_rows(*surface, rows_of(mesh), place, {}, {.shares = NeighborShares::kCotangent});
  EXPECT_EQ(rows[0], (std::vector<WeightEntry>{{0, 0.5}, {2, 0.5}}));
}

TEST(WeightSmoothing, LinesCountAlikeAlsoByAngles) {
  const std::array<double, 5> delta = {0, 0, 1, 0, 0};
  const Mesh line = line_mesh(delta, false);
  const Mesh one = smoothed(line, {.shares = NeighborShares::kCotangent});
  const Mesh other = smoothed(line, {});
  EXPECT_EQ(one.primitives[0].influences, other.primitives[0].influences);
  EXPECT_EQ(weight_of(one.primitives[0].influences, 1, 1), 0.25);
}

}  // namespace
}  // namespace pelt::mesh
