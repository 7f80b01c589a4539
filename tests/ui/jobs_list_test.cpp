#include "ui/jobs_list.h"

#include <atomic>
#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/patience.h"
#include "ui/headless_window.h"

namespace pelt::ui {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

struct JobsList : HeadlessWindow {
  /// Work that goes on until it is cancelled, for so long that the status bar shows it.
  std::unique_ptr<JobSlot<int>> started(const char* name, Jobs::Kind kind) {
    auto slot = std::make_unique<JobSlot<int>>(workspace_.jobs, kind, name);
    slot->start([](const Progress& progress) -> std::optional<int> {
      while (progress(0.42f, "counting")) {
        std::this_thread::sleep_for(1ms);
      }
      return std::nullopt;
    });
    return slot;
  }
  /// Waits until the next picture shows the progress of the job.
  static bool is_shown(const JobSlot<int>& slot) {
    return test::eventually([&] { return slot.row()->seconds >= 0.6 && slot.row()->fraction > 0; });
  }
};

TEST_F(JobsList, StandsInTheStatusBarAndCancels) {
  EXPECT_FALSE(report_.contains("status.jobs"));
  const auto lint = started("Looking for faults", Jobs::Kind::kAsked);
  frames(1);
  if (lint->row()->seconds < 0.5) {  // on a busy machine the job may have run longer by now
    EXPECT_FALSE(report_.contains("status.jobs")) << "what is over at once does not flicker";
  }
  const auto other = started("Measuring a plot", Jobs::Kind::kAsked);
  ASSERT_TRUE(is_shown(*lint) && is_shown(*other));
  EXPECT_THAT(words(), HasSubstr("Looking for faults 42 % and 1 more"));
  click("status.jobs");
  frames(2);
  ASSERT_TRUE(report_.contains("jobs.cancel.1"));
  EXPECT_THAT(words(), HasSubstr("counting, 42 %"));
  std::optional<Jobs::SlotId> cancelled;
  move(report_["jobs.cancel.1"].center());
  button(true);
  ImGui::GetIO().MouseDown[0] = false;
  for (int i = 0; i < 2 && !cancelled; ++i) {
    cancelled = frame().cancel_job;
  }
  ASSERT_TRUE(cancelled);
  EXPECT_EQ(*cancelled, other->id());
  // As the window does.
  workspace_.jobs->cancel(*cancelled);
  EXPECT_THAT(words(), Not(HasSubstr("Measuring a plot")));
  EXPECT_TRUE(lint->active());
}

// Cancelled, it would begin again with the next picture.
TEST_F(JobsList, OffersNoEndToWhatFollowsThePicture) {
  const auto numbers = started("Numbers of the pose", Jobs::Kind::kLive);
  const auto plot = started("Measuring a plot", Jobs::Kind::kAsked);
  ASSERT_TRUE(is_shown(*plot));
  frames(1);
  click("status.jobs");
  frames(2);
  EXPECT_FALSE(report_.contains("jobs.cancel.0"));
  EXPECT_TRUE(report_.contains("jobs.cancel.1"));
}

}  // namespace
}  // namespace pelt::ui
