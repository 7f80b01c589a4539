// Tests that a million selected vertices and a thousand selected joints cost nothing where they are not used.
#include <gtest/gtest.h>

#include <array>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "edit/commands.h"
#include "edit/selection_edits.h"
#include "support/effort.h"
#include "support/sheet.h"

namespace pelt::edit {
namespace {

Document document_of_a_million() {
  return make_document(std::make_shared<const rig::Character>(test::sheets(1000, 4, std::array{0.0f})));
}

double seconds_of_playing(Document& document, int pictures) {
  return test::processor_seconds([&] {
    for (int i = 0; i < pictures; ++i) {
      edit::apply(document, {SetTime{static_cast<float>(i) / static_cast<float>(pictures)}, {}, false});
    }
  });
}

TEST(LargeSelection, PlayingCostsAsMuchAsWithoutIt) {
  Document document = document_of_a_million();
  edit::apply(document, {SetClip{0}, {}, false});
  constexpr int kPictures = 300;
  const double without = seconds_of_playing(document, kPictures);
  document.view.selected_vertices = all_vertices(*document.character);
  const double with = seconds_of_playing(document, kPictures);
  std::cout << kPictures << " commands: " << 1e3 * without << " ms without a selection, " << 1e3 * with
            << " ms with a million vertices\n";
  EXPECT_EQ(vertex_count(document.view.selected_vertices), 1'000'000u);
  EXPECT_LT(with, 0.03 + 3 * without);
}

// A reset to rest costs one pose, whatever the number of joints.
TEST(LargeSelection, ResettingAThousandJointsIsLinear) {
  Document document = make_document(std::make_shared<const rig::Character>(test::sheets(4, 1000, std::array{0.0f})));
  edit::apply(document, {SetClip{0}, {}, false});
  const auto seconds = [&](std::vector<int> joints) {
    return test::processor_seconds([&] {
      edit::apply(document, {ResetJoints{std::move(joints), ResetScope::kSubtree, ResetTo::kRest}, {}, true});
    });
  };
  const double one = seconds({0});
  edit::undo(document);
  std::vector<int> all;
  for (int j = 0; j < 1000; ++j) {
    all.push_back(999 - j);
  }
  EXPECT_LT(seconds(all), 5 * one + 0.02);
  EXPECT_EQ(document.content.overrides->size(), 1000u);
}

}  // namespace
}  // namespace pelt::edit
