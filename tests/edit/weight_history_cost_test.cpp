// A step of a history of weight edits costs the rows that changed, not their blocks.
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "edit/history.h"
#include "edit/point_meshes.h"
#include "edit/weight_dabs.h"
#include "support/fixtures.h"

namespace pelt::edit {
namespace {

using test::dab;

std::vector<std::size_t> one_after_the_other(std::size_t first, std::size_t count) {
  std::vector<std::size_t> vertices(count);
  std::iota(vertices.begin(), vertices.end(), first);
  return vertices;
}
std::vector<std::size_t> spread(std::size_t vertex_count, std::size_t count, test::Random& random) {
  std::vector<std::size_t> vertices;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = i * vertex_count / count;
    vertices.push_back(first + static_cast<std::size_t>(random.below(static_cast<int>(vertex_count / count))));
  }
  return vertices;
}

TEST(WeightHistory, AStepOfAMillionVerticesCostsTheRowsThatChanged) {
  test::Random random(16);
  constexpr std::size_t kVertices = 1000000;
  constexpr std::size_t kDab = 1000;
  Document document = test::document_of_points({{kVertices}}, random);
  std::size_t touched = dab(document, one_after_the_other(499000, kDab), 0.5f);
  EXPECT_LE(document.history.step(0).bytes, 2 * touched);
  EXPECT_GT(document.history.step(0).bytes, touched) << "it does say them";
  undo(document);
  EXPECT_LE(document.history.step(1).bytes, 2 * touched);
  redo(document);
  // In random order a thousand vertices lie in a thousand blocks.
  const auto before = own_character(document);
  touched = dab(document, spread(kVertices, kDab, random), 0.5f);
  std::size_t blocks = 0;
  mesh::for_changed_blocks(before->meshes[0].primitives[0].influences,
                           own_character(document)->meshes[0].primitives[0].influences,
                           [&](std::size_t, std::size_t, std::size_t) { ++blocks; });
  ASSERT_GT(blocks, 900u);
  EXPECT_LE(document.history.step(1).bytes, 2 * touched);
  // A stroke is one step, and as cheap once the button is released.
  for (int i = 0; i < 3; ++i) {
    touched = dab(document, spread(kVertices, kDab, random), 0.25f, "stroke");
  }
  end_merge(document);
  EXPECT_LE(document.history.step(2).bytes, 3 * 2 * touched);
  for (int i = 0; i < 253; ++i) {
    dab(document, spread(kVertices, kDab, random), 0.25f);
  }
  EXPECT_EQ(document.history.size(), 257u) << "none is forgotten";
  EXPECT_LT(document.history.bytes(), kHistoryBytes / 16);
}

}  // namespace
}  // namespace pelt::edit
