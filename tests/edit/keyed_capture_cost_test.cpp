// Tests the cost of an edit of one joint of a long capture.
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "edit/commands.h"
#include "edit/long_capture.h"
#include "support/effort.h"
#include "support/requirements.h"

namespace pelt::edit {
namespace {

TEST(KeyedCaptureCost, C47_15_AnEditOfOneJointOfALongCaptureIsCheap) {
  PELT_NEEDS_CORPUS("mocap/cmu_01_01.bvh");
  Document document = test::playing_document(test::opened_from_corpus("mocap/cmu_01_01.bvh"));
  const ChannelId id = test::first_turn(document);
  const std::size_t frames = find_channel(document.character->clips[0], id)->times.size();
  const std::size_t channels = document.character->clips[0].channels.size();
  ASSERT_GE(document.character->clips[0].channels[0].times.size(), 2752U);
  constexpr double kMilliseconds = 1000.0 / test::kCaptureEdits;
  const double posed = test::processor_seconds([&] { test::pose_keys(document, id); }) * kMilliseconds;
  const double moved = test::processor_seconds([&] { test::move_keys(document, id); }) * kMilliseconds;
  const std::size_t bytes = document.history.bytes() / (document.history.size() - 1);
  const double undone = test::processor_seconds([&] { test::undo_all(document); }) * kMilliseconds / 2;
  RecordProperty("posed_ms", std::to_string(posed));
  RecordProperty("moved_ms", std::to_string(moved));
  RecordProperty("undone_ms", std::to_string(undone));
  std::printf("%zu frames, %zu channels: %.2f ms a posed key, %.2f ms a moved key, %.2f ms an undo, %zu bytes a step\n",
              frames, channels, posed, moved, undone, bytes);
  EXPECT_LT(posed, 5);
  EXPECT_LT(moved, 5);
  EXPECT_LT(undone, 5);
}

}  // namespace
}  // namespace pelt::edit
