// A history of weight edits: a step costs the rows that changed, not their blocks, and every place of the list is what
// it was.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "edit/commands.h"
#include "edit/history.h"
#include "edit/point_meshes.h"
#include "support/fixtures.h"

namespace pelt::edit {
namespace {

constexpr std::size_t kBlock = mesh::Influences::kBlockRows;

// Bytes of a row with `entries` entries: where it begins, joints, weights, its sum.
std::size_t row_bytes(std::size_t entries) {
  return sizeof(std::uint32_t) + sizeof(float) + entries * (sizeof(float) + sizeof(std::uint16_t));
}

// A dab: other weights for these vertices. @return bytes of the rows that changed
std::size_t dab(Document& document, const std::vector<std::size_t>& vertices, float share,
                const std::string& key = {}) {
  auto character = std::make_shared<rig::Character>(*own_character(document));
  mesh::Influences& rows = test::weights_in(*character, 0, 0);
  std::size_t bytes = 0;
  for (const std::size_t v : vertices) {
    const std::vector<std::uint16_t> joint(rows.joints(v).begin(), rows.joints(v).end());
    std::vector<float> weight(rows.weights(v).begin(), rows.weights(v).end());
    weight.front() += share;
    rows.set_row(v, joint, weight);
    bytes += row_bytes(rows.count(v));
  }
  edit::apply(document, {ReplaceCharacter{character}, key});
  return bytes;
}

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

TEST(WeightHistory, TravellingKeepsTheBlocksThatNoStepTouched) {
  test::Random random(17);
  Document document = test::document_of_points({{10 * kBlock}, {3 * kBlock, kBlock}}, random);
  document.file = nullptr;
  const auto first = std::make_shared<const rig::Character>(*own_character(document));  // its parts
  dab(document, {0, 5 * kBlock + 3}, 0.5f);
  auto second = own_character(document);
  edit::apply(document, {SetDof{1, 0, 0.5f}, ""});
  ASSERT_EQ(own_character(document), second);
  undo(document);
  EXPECT_EQ(own_character(document), second) << "one character is one";
  second.reset();
  undo(document);
  ASSERT_FALSE(own_character(document)->meshes.shared(0).is(first->meshes.shared(0))) << "made anew";
  const mesh::Influences& now = own_character(document)->meshes[0].primitives[0].influences;
  const mesh::Influences& was = first->meshes[0].primitives[0].influences;
  EXPECT_EQ(now, was);
  mesh::for_changed_blocks(was, now, [](std::size_t b, std::size_t, std::size_t) { EXPECT_TRUE(b == 0 || b == 5); });
  EXPECT_TRUE(own_character(document)->meshes.shared(1).is(first->meshes.shared(1)));
  EXPECT_TRUE(own_character(document)->meshes[0].primitives[0].positions.is(first->meshes[0].primitives[0].positions));
  EXPECT_TRUE(own_character(document)->skeleton.is(first->skeleton));
  redo(document);
  const auto again = own_character(document);
  redo(document);
  EXPECT_EQ(own_character(document), again) << "shared by both again";
}

// What the document goes on holding is not made anew: undoing all is showing the file.
TEST(WeightHistory, TheFilesOwnCharacterIsTheVerySameAgain) {
  test::Random random(19);
  Document document = test::document_of_points({{4 * kBlock}}, random);
  dab(document, {1, 2, 3}, 0.5f);
  undo(document);
  EXPECT_EQ(own_character(document), document.file);
}

TEST(WeightHistory, TakingAStrokeBackGivesTheVerySame) {
  test::Random random(18);
  Document document = test::document_of_points({{4 * kBlock}}, random);
  const auto before = own_character(document);
  dab(document, {1, 2, 3}, 0.5f, "stroke");
  dab(document, {3, 400}, 0.5f, "stroke");
  cancel_merge(document, "stroke");
  EXPECT_EQ(own_character(document), before);
  EXPECT_EQ(document.history.size(), 1u);
  EXPECT_EQ(document.history.bytes(), 0u);
}

}  // namespace
}  // namespace pelt::edit
