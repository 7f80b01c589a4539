#include "mesh/surface_disc.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "mesh/welded_surface.h"
#include "support/fixtures.h"

namespace pelt::mesh {
namespace {

using testing::ElementsAre;

PlacePosition bind_position(const WeldedSurface& surface) {
  return [&surface](std::uint32_t w) { return surface.position(w); };
}

// Two rows of four vertices a metre apart, diagonals from the lower left, and a triangle close by that touches nothing.
//   4---5---6---7
//   | / | / | / |
//   0---1---2---3
Mesh strip() {
  Primitive primitive;
  for (int y = 0; y < 2; ++y) {
    for (int x = 0; x < 4; ++x) {
      primitive.positions.push_back(glm::vec3(x, y, 0));
    }
  }
  for (std::uint32_t x = 0; x < 3; ++x) {
    primitive.indices.append({x, x + 1, x + 5, x, x + 5, x + 4});
  }
  for (int k = 0; k < 3; ++k) {
    primitive.positions.push_back(glm::vec3(0.1f * static_cast<float>(k % 2), 0.1f * static_cast<float>(k / 2), 0.01f));
  }
  primitive.indices.append({8, 9, 10});
  Mesh mesh;
  mesh.primitives.push_back(primitive);
  return mesh;
}

TEST(SurfaceDisc, DistancesRunAlongEdgesNearestFirst) {
  const auto surface = welded_surface(strip());
  DiscSearch search;
  const SurfaceDisc disc = search.find(surface->adjacency, bind_position(*surface), 0, 2.5f);
  EXPECT_THAT(disc.place, ElementsAre(0, 1, 4, 5, 2, 6));
  const float root = std::sqrt(2.0f);
  EXPECT_THAT(disc.distance, ElementsAre(0, 1, 1, root, 2, 1 + root));
}

TEST(SurfaceDisc, TheRimIsOutsideAndNothingRoundAPointWithoutRadius) {
  const auto surface = welded_surface(strip());
  DiscSearch search;
  const auto found = [&](float radius) {
    return search.find(surface->adjacency, bind_position(*surface), 0, radius).place;
  };
  EXPECT_THAT(found(1.0f), ElementsAre(0));
  EXPECT_THAT(found(std::nextafter(1.0f, 2.0f)), ElementsAre(0, 1, 4));
  EXPECT_THAT(found(0), ElementsAre(0));
  EXPECT_THAT(found(-1), ElementsAre(0));
  EXPECT_THAT(found(std::numeric_limits<float>::quiet_NaN()), ElementsAre(0));
  EXPECT_EQ(found(std::numeric_limits<float>::infinity()).size(), 8u) << "its shell, not the one beside it";
}

TEST(SurfaceDisc, ShapesMayBePosed) {
  const auto surface = welded_surface(strip());
  DiscSearch search;
  const PlacePosition stretched = [&](std::uint32_t w) { return surface->position(w) * glm::vec3(10, 1, 1); };
  EXPECT_THAT(search.find(surface->adjacency, stretched, 1, 2).place, ElementsAre(1, 5));
}

TEST(SurfaceDisc, FalloffOfTheBrush) {
  EXPECT_EQ(brush_falloff(0, 2), 1);
  EXPECT_EQ(brush_falloff(1, 2), 0.5625f);
  EXPECT_EQ(brush_falloff(2, 2), 0);
  EXPECT_EQ(brush_falloff(3, 2), 0);
  EXPECT_EQ(brush_falloff(1, std::numeric_limits<float>::infinity()), 1);
}

// Against relaxing all edges until nothing changes, on random sheets, with one search for all of them.
TEST(SurfaceDisc, Law_AgreesWithRelaxation) {
  test::Random random(12);
  DiscSearch search;
  for (int i = 0; i < 40; ++i) {
    Primitive primitive;
    constexpr std::uint32_t kAcross = 9;
    const std::uint32_t down = 3 + static_cast<std::uint32_t>(random.below(8));
    for (std::uint32_t y = 0; y < down; ++y) {
      for (std::uint32_t x = 0; x < kAcross; ++x) {
        primitive.positions.push_back(glm::vec3(x, y, 0) + random.vector(-0.4f, 0.4f));
        if (x + 1 < kAcross && y + 1 < down) {
          const std::uint32_t v = y * kAcross + x;
          primitive.indices.append({v, v + 1, v + kAcross + 1, v, v + kAcross + 1, v + kAcross});
        }
      }
    }
    Mesh mesh;
    mesh.primitives.push_back(primitive);
    const auto surface = welded_surface(mesh);
    const auto middle = static_cast<std::uint32_t>(random.below(static_cast<int>(surface->place_count())));
    const float radius = random.real(0.5f, 6.0f);
    std::vector<float> expected(surface->place_count(), std::numeric_limits<float>::infinity());
    expected[middle] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t w = 0; w < expected.size(); ++w) {
        for (const std::uint32_t u : surface->adjacency.neighbors(w)) {
          const float way = expected[w] + glm::distance(surface->position(w), surface->position(u));
          if (way < expected[u]) {
            expected[u] = way;
            changed = true;
          }
        }
      }
    }
    const SurfaceDisc disc = search.find(surface->adjacency, bind_position(*surface), middle, radius);
    std::size_t within = 0;
    for (const float distance : expected) {
      within += distance < radius ? 1 : 0;
    }
    ASSERT_EQ(disc.place.size(), within);
    for (std::size_t k = 0; k < disc.place.size(); ++k) {
      ASSERT_EQ(disc.distance[k], expected[disc.place[k]]);
      ASSERT_TRUE(k == 0 || disc.distance[k - 1] <= disc.distance[k]);
    }
  }
}

TEST(WeldedSurface, KeepsWhatItWasMadeOfAndKnowsIt) {
  Mesh mesh = strip();
  const auto surface = welded_surface(mesh);
  EXPECT_TRUE(is_surface_of(*surface, mesh));
  Mesh painted = mesh;
  const std::uint16_t joint[] = {0};
  const float weight[] = {1};
  append_row(painted.primitives.edit(0).influences.edit(), joint, weight);
  EXPECT_TRUE(is_surface_of(*surface, painted)) << "weights are nothing to it";
  Mesh moved = mesh;
  moved.primitives.edit(0).positions.edit()[0].x = 3;
  EXPECT_FALSE(is_surface_of(*surface, moved));
  Mesh turned = mesh;
  turned.primitives.edit(0).indices.edit()[0] = 0;
  EXPECT_FALSE(is_surface_of(*surface, turned)) << "an array of its own, whatever it says";
  Mesh more = mesh;
  more.primitives.push_back(mesh.primitives[0]);
  EXPECT_FALSE(is_surface_of(*surface, more));
}

TEST(WeldedSurface, LinesAreNeighboursWithoutCorners) {
  Mesh mesh = strip();
  Primitive hair;
  hair.topology = Topology::kLines;
  hair.positions = {{0, 1, 0}, {0, 2, 0}, {0, 3, 0}};  // grows out of vertex 4
  hair.indices = {0, 1, 1, 2, 2, 2};
  mesh.primitives.push_back(hair);
  const auto surface = welded_surface(mesh);
  EXPECT_EQ(surface->place_count(), 13u);
  EXPECT_THAT(surface->adjacency.neighbors(4), ElementsAre(0, 5, 11));
  EXPECT_THAT(surface->adjacency.neighbors(11), ElementsAre(4, 12));
  EXPECT_THAT(surface->adjacency.neighbors(12), ElementsAre(11));
  EXPECT_TRUE(surface->adjacency.corners_at(11).empty());
  EXPECT_THAT(surface->copies(4), ElementsAre(4, 11));
  EXPECT_EQ(surface->primitive_of(10), 0u);
  EXPECT_EQ(surface->primitive_of(11), 1u);
  EXPECT_EQ(surface->position(12), glm::vec3(0, 3, 0));
}

}  // namespace
}  // namespace pelt::mesh
