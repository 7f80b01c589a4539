#include "cli/edit_benchmark.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/effort.h"

namespace pelt::cli {
namespace {

TEST(EditBenchmark, CountsWhatADabTouchesInAnyOrderOfVertices) {
  const auto text = benchmark_edits(
      {.around = 100, .rings = 100, .joints = 12, .dab_vertices = 150, .dabs = 9, .pictures = test::rounds(12)}, true);
  ASSERT_TRUE(text) << text.error().message;
  const nlohmann::json edit = nlohmann::json::parse(*text)["edit"];
  EXPECT_EQ(edit["vertices"], 10'000);
  EXPECT_EQ(edit["joints"], 12);
  EXPECT_EQ(edit["goals"].size(), edit["device"].is_null() ? 7u : 8u);
  EXPECT_GT(edit["key_ms"].get<double>(), 0);
  // The channel of one joint, and little else.
  EXPECT_GT(edit["key_step_bytes"].get<double>(), 2752.0 * 5 * sizeof(float));
  EXPECT_LT(edit["key_step_bytes"].get<double>(), 2 * 2752.0 * 5 * sizeof(float));
  for (const nlohmann::json& of : {edit, edit["random_order"]}) {
    EXPECT_EQ(of["steps"], 9);
    // Where weights are those of one joint alone a dab changes less than it reaches.
    EXPECT_GT(of["dab_vertices"], 75);
    EXPECT_LT(of["dab_vertices"], 300);
    // Four or more influences of six bytes, and the row's own eight.
    EXPECT_GE(of["dab_bytes_touched"].get<double>(), 24.0 * of["dab_vertices"].get<double>());
    EXPECT_LE(of["step_bytes"].get<double>(), 4 * of["dab_bytes_touched"].get<double>());
    EXPECT_GT(of["steps_bytes"].get<double>(), 8 * of["step_bytes"].get<double>());
    ASSERT_EQ(of["stages"].size(), 5u);
    double sum = 0;
    for (const nlohmann::json& stage : of["stages"]) {
      EXPECT_GE(stage["milliseconds"].get<double>(), 0);
      sum += stage["milliseconds"].get<double>();
    }
    EXPECT_GT(sum, 0);
    EXPECT_GT(of["dab_ms"].get<double>(), 0);
    if (!edit["device"].is_null()) {
      // A row has four or eight slots of six bytes or more; ranges bridge gaps.
      EXPECT_GE(of["uploaded_bytes"].get<double>(), 24.0 * of["dab_vertices"].get<double>());
      EXPECT_EQ(of["stages"][4]["stage"], "buffer ranges");
      EXPECT_GT(of["stages"][4]["milliseconds"].get<double>(), 0);
      EXPECT_GT(of["orbiting_picture_ms"].get<double>(), 0);
      EXPECT_GT(of["painting_picture_ms"].get<double>(), 0);
    }
  }
  // The same places in either order: the same rows change, but for the order in which neighbours are added up.
  EXPECT_NEAR(edit["dab_vertices"].get<double>(), edit["random_order"]["dab_vertices"].get<double>(),
              0.3 * edit["dab_vertices"].get<double>());
}

}  // namespace
}  // namespace pelt::cli
