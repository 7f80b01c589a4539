// A million selected vertices, and a thousand selected joints, cost nothing where nobody asks for them.
#include <gtest/gtest.h>

#include <array>
#include <iostream>
#include <memory>

#include "edit/commands.h"
#include "edit/selection_edits.h"
#include "support/effort.h"
#include "support/sheet.h"

namespace pelt::edit {
namespace {

Document million() {
  return make_document(std::make_shared<const rig::Character>(test::sheets(1000, 4, std::array{0.0f})));
}

double played(Document& document, int pictures) {
  return test::processor_seconds([&] {
    for (int i = 0; i < pictures; ++i) {
      apply(document, {SetTime{static_cast<float>(i) / static_cast<float>(pictures)}, {}, false});
    }
  });
}

TEST(LargeSelection, PlayingCostsAsMuchAsWithoutIt) {
  Document document = million();
  apply(document, {SetClip{0}, {}, false});
  constexpr int kPictures = 300;
  const double without = played(document, kPictures);
  document.view.selected_vertices = all_vertices(*document.character);
  const double with = played(document, kPictures);
  std::cout << kPictures << " commands: " << 1e3 * without << " ms without a selection, " << 1e3 * with
            << " ms with a million vertices\n";
  EXPECT_EQ(vertex_count(document.view.selected_vertices), 1'000'000u);
  EXPECT_LT(with, 0.03 * test::kSlowness + 3 * without);
}

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

// What a reset to rest costs is one pose, however many joints it is about.
TEST(LargeSelection, ResettingAThousandJointsIsLinear) {
  Document document = make_document(std::make_shared<const rig::Character>(test::sheets(4, 1000, std::array{0.0f})));
  apply(document, {SetClip{0}, {}, false});
  const auto seconds = [&](std::vector<int> joints) {
    return test::processor_seconds([&] {
      apply(document, {ResetJoints{std::move(joints), ResetScope::kSubtree, ResetTo::kRest}, {}, true});
    });
  };
  const double one = seconds({0});
  edit::undo(document);
  std::vector<int> all;
  for (int j = 0; j < 1000; ++j) {
    all.push_back(999 - j);
  }
  EXPECT_LT(seconds(all), 5 * one + 0.02 * test::kSlowness);
  EXPECT_EQ(document.content.overrides->size(), 1000u);
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
