// A history of weight edits: every place of the list is what it was.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "edit/commands.h"
#include "edit/history.h"
#include "edit/point_meshes.h"
#include "edit/weight_dabs.h"
#include "support/fixtures.h"

namespace pelt::edit {
namespace {

constexpr std::size_t kBlock = mesh::Influences::kBlockRows;

using test::dab;

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
