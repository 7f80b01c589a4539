// Selections of vertices grown and shrunk by rings, ALGORITHMS.md §39.
#include <algorithm>

#include <gtest/gtest.h>

#include "edit/selection.h"
#include "support/fixtures.h"
#include "support/surfaces.h"

namespace pelt::edit {
namespace {

constexpr int kSquares = 20;  // along each side; vertices have six neighbours but at the borders

std::shared_ptr<const rig::Character> grid_character() {
  rig::Character character;
  test::add_node(character, "root", -1, {});
  mesh::Primitive primitive = test::grid(kSquares, kSquares);
  const std::uint16_t joint = 0;
  const float weight = 1;
  for (std::size_t v = 0; v < primitive.positions.size(); ++v) {
    mesh::append_row(primitive.influences.edit(), {&joint, 1}, {&weight, 1});
  }
  test::add_skinned_mesh(character, "grid", {0}, std::move(primitive));
  rig::finish(character);
  return std::make_shared<const rig::Character>(std::move(character));
}

std::uint32_t vertex_at(int x, int y) {
  return static_cast<std::uint32_t>(y * (kSquares + 1) + x);
}

// All within k rings of a vertex: edges go along x, along y and along both at once.
std::vector<std::uint32_t> disc_of(int x, int y, int k) {
  std::vector<std::uint32_t> out;
  for (int dy = -k; dy <= k; ++dy) {
    for (int dx = -k; dx <= k; ++dx) {
      const int steps = dx * dy > 0 ? std::max(std::abs(dx), std::abs(dy)) : std::abs(dx) + std::abs(dy);
      if (steps <= k) {
        out.push_back(vertex_at(x + dx, y + dy));
      }
    }
  }
  std::ranges::sort(out);
  return out;
}

TEST(SelectionRings, C39_4_GrownByOneRingAndShrunkBackToTheDisc) {
  const auto character = grid_character();
  SurfaceCache surfaces;
  VertexSelection selection = {{0, {vertex_at(10, 10)}}};
  selection = grown(*character, surfaces, selection);
  EXPECT_EQ(selection[0].vertices, disc_of(10, 10, 1)) << "it and its six neighbours";
  for (int k = 1; k < 6; ++k) {
    EXPECT_EQ(selection[0].vertices, disc_of(10, 10, k));
    const VertexSelection more = grown(*character, surfaces, selection);
    EXPECT_EQ(shrunk(*character, surfaces, more), selection);
    EXPECT_EQ(shrunk(*character, surfaces, selection)[0].vertices, disc_of(10, 10, k - 1));
    selection = more;
  }
  test::Random random(394);
  for (int n = 0; n < 100; ++n) {
    std::vector<std::uint32_t> vertices;
    for (int k = 0; k <= random.below(60); ++k) {
      vertices.push_back(random.raw() % ((kSquares + 1) * (kSquares + 1)));
    }
    std::ranges::sort(vertices);
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    const VertexSelection any = {{0, vertices}};
    const VertexSelection closed = shrunk(*character, surfaces, grown(*character, surfaces, any));
    EXPECT_TRUE(std::ranges::includes(closed[0].vertices, vertices));
  }
}

}  // namespace
}  // namespace pelt::edit
