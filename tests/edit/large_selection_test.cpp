// Several joints at once, and vertices that the character lacks. large_selection_cost_test.cpp measures very many.
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "edit/commands.h"
#include "edit/selection_edits.h"
#include "support/sheet.h"

namespace pelt::edit {
namespace {

TEST(LargeSelection, SeveralJointsAreResetAsEachAlone) {
  const auto character = std::make_shared<const rig::Character>(test::sheets(4, 12, std::array{0.0f}));
  for (const ResetScope scope : {ResetScope::kJoint, ResetScope::kSubtree}) {
    for (const ResetTo to : {ResetTo::kBase, ResetTo::kRest, ResetTo::kZero}) {
      Document document = make_document(character);
      apply(document, {SetClip{0}, {}, false});
      for (int j = 0; j < 12; ++j) {
        apply(document, {SetDof{j, 0, 0.1f * static_cast<float>(j + 1)}, {}, false});
      }
      Document one_by_one = document;
      apply(document, {ResetJoints{{9, 4, 9}, scope, to}, {}, true});
      for (const int joint : {9, 4}) {
        apply(one_by_one, {ResetJoints{{joint}, scope, to}, {}, true});
      }
      EXPECT_EQ(*document.content.overrides, *one_by_one.content.overrides);
      EXPECT_EQ(document.history.cursor(), 1u);
      EXPECT_EQ(document.content.overrides->contains(5), scope == ResetScope::kJoint || to != ResetTo::kBase);
      EXPECT_TRUE(document.content.overrides->contains(3));
    }
  }
}

TEST(LargeSelection, WhatTheCharacterLacksIsLeftOutAllTheSame) {
  Document document = make_document(std::make_shared<const rig::Character>(test::sheets(10, 1, std::array{0.f, 1.f})));
  document.view.selected_vertices = {{0, {3, 99, 100, 2000}}, {1, {100}}, {7, {0}}};
  const View before = document.view;
  apply(document, {RenameJoint{0, "other"}, {}, true});
  EXPECT_EQ(document.view.selected_vertices, (VertexSelection{{0, {3, 99}}}));
  EXPECT_EQ(vertex_count(before.selected_vertices), 6u) << "a copy keeps its own";
}

}  // namespace
}  // namespace pelt::edit
