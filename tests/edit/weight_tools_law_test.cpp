// The tools of weights in random order (ALGORITHMS.md §39), and damaged texts of weights.
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "edit/weight_text.h"
#include "edit/weight_tools.h"
#include "edit_fixtures.h"
#include "support/effort.h"
#include "support/mutations.h"
#include "trousers.h"

namespace pelt::edit {
namespace {

TEST(WeightText, AnyBytesAreReadOrRefused) {
  const std::string text = weights_as_text(test::cylinder()).substr(0, 4000);
  const std::string whole = text.substr(0, text.rfind('\n') + 1);
  std::mt19937 random(39);
  const Document document = make_document(std::make_shared<const rig::Character>(test::cylinder()));
  int used = 0;
  for (int n = 0; n < test::rounds(1000); ++n) {
    std::string bytes = whole;
    for (std::uint32_t k = 0; k <= random() % 4; ++k) {
      if (!bytes.empty()) {
        test::mutate_once(bytes, random);
      }
    }
    Result<WeightTable> table = read_weights_text(bytes);
    if (!table) {
      EXPECT_FALSE(table.error().message.empty());
      continue;
    }
    const UseWeightTool change{.tool = "load", .table = std::make_shared<const WeightTable>(*std::move(table))};
    if (why_refused(document, change).empty()) {
      Document loaded_one = document;
      test::apply(loaded_one, change);
      test::expect_sums_of_one(loaded_one);
      ++used;
    }
  }
  EXPECT_GT(used, test::rounds(1000) / 60);
}

TEST(WeightTools, C39_6_RandomOperationsAndTheirUndo) {
  test::Random random(396);
  Document document = test::trousers_document(29);
  const auto first = document.content.character;
  const auto surface = mesh::welded_surface(first->meshes[0]);
  std::vector<std::shared_ptr<const rig::Character>> was;
  std::size_t changed = 0;
  const int kRounds = test::sanitized() ? 4 : 100;  // 10 000 operations
  constexpr int kSteps = 100;
  for (int round = 0; round < kRounds; ++round) {
    was.assign(1, document.content.character);
    for (int step = 0; step < kSteps; ++step) {
      const std::span<const WeightTool> tools = weight_tools();
      const WeightTool& tool = tools[random.raw() % tools.size()];
      UseWeightTool change{.tool = std::string(tool.id), .surface = surface};
      for (const bind::Field& field : tool.fields) {
        change.values.push_back(random.real(field.minimum, field.maximum));
      }
      for (int k = 0; k < static_cast<int>(tool.joints); ++k) {
        change.joints.push_back(random.below(5));
      }
      for (int k = 0; k < 6; ++k) {
        change.vertices.push_back(random.raw() % 1314);
        change.strengths.push_back(random.real(0.0f, 1.5f));
      }
      if (random.below(3) == 0) {
        change.locked = {random.below(5)};
      }
      const auto before = document.content.character;
      test::apply(document, change);
      if (document.content.character != before) {
        was.push_back(document.content.character);
        ++changed;
      }
    }
    test::expect_sums_of_one(document);
    for (std::size_t k = was.size() - 1; k-- > 0;) {
      undo(document);
      ASSERT_TRUE(*was[k]->meshes[0].primitives[0].influences == test::rows_in(document)) << round;
    }
    for (std::size_t k = 1; k < was.size(); ++k) {
      redo(document);
    }
    ASSERT_TRUE(*was.back()->meshes[0].primitives[0].influences == test::rows_in(document));
  }
  EXPECT_GT(changed, 40u * kRounds);
}

}  // namespace
}  // namespace pelt::edit
