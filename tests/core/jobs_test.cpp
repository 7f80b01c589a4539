#include "core/jobs.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/patience.h"

namespace pelt {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

/// Work that goes on until it is let go or asked to stop, and tells of itself.
struct Held {
  std::atomic<bool> runs = false;
  std::atomic<bool> let_go = false;
  std::atomic<bool> stopped = false;

  std::optional<int> operator()(const Progress& progress, int result) {
    runs = true;
    while (!let_go) {
      if (!progress(0.25f, "holding")) {
        stopped = true;
        return std::nullopt;
      }
      std::this_thread::sleep_for(1ms);
    }
    return result;
  }
};

JobSlot<int>::Work held(const std::shared_ptr<Held>& work, int result) {
  return [work, result](const Progress& progress) { return (*work)(progress, result); };
}

std::vector<std::string> names(const Jobs& jobs) {
  std::vector<std::string> found;
  for (const Jobs::Row& row : jobs.list()) {
    found.push_back(row.name);
  }
  return found;
}

TEST(Jobs, DeliverOnceAndWake) {
  std::atomic<int> wakes = 0;
  const auto jobs = std::make_shared<Jobs>([&] { ++wakes; });
  JobSlot<int> slot(jobs, Jobs::Kind::kLong, "seven");
  EXPECT_FALSE(slot.active());
  EXPECT_FALSE(slot.take());
  slot.start([](const Progress&) { return std::optional(7); });
  slot.wait(test::kPatience);
  EXPECT_FALSE(slot.active());
  EXPECT_EQ(slot.take(), 7);
  EXPECT_FALSE(slot.take());
  EXPECT_TRUE(test::eventually([&] { return wakes > 0; }));
  EXPECT_THAT(jobs->list(), IsEmpty());
}

TEST(Jobs, TheNewestOfASlotWinsAndBeginsWhenTheOneBeforeHasEnded) {
  const auto jobs = std::make_shared<Jobs>();
  JobSlot<int> slot(jobs, Jobs::Kind::kAsked, "slot");
  const auto first = std::make_shared<Held>();
  slot.start(held(first, 1));
  ASSERT_TRUE(test::eventually([&] { return first->runs.load(); }));
  bool after_the_first = false;
  slot.start([&, first](const Progress&) {
    after_the_first = first->stopped;
    return std::optional(2);
  });
  slot.wait(test::kPatience);
  EXPECT_EQ(slot.take(), 2);
  EXPECT_TRUE(after_the_first);
}

TEST(Jobs, WhatOnlyWaitedNeverRuns) {
  const auto jobs = std::make_shared<Jobs>();
  JobSlot<int> slot(jobs, Jobs::Kind::kAsked, "slot");
  // The first job ignores the request to stop. Otherwise the second could begin before the third is queued.
  const auto first = std::make_shared<Held>();
  slot.start([first](const Progress&) { return (*first)([](float, std::string_view) { return true; }, 1); });
  ASSERT_TRUE(test::eventually([&] { return first->runs.load(); }));
  const auto never = std::make_shared<Held>();
  slot.start(held(never, 2));
  slot.start([](const Progress&) { return std::optional(3); });
  EXPECT_EQ(never.use_count(), 1) << "nor is kept";
  first->let_go = true;
  slot.wait(test::kPatience);
  EXPECT_EQ(slot.take(), 3);
  EXPECT_FALSE(never->runs);
}

TEST(Jobs, WhatIsCancelledIsNotDelivered) {
  const auto jobs = std::make_shared<Jobs>();
  JobSlot<int> slot(jobs, Jobs::Kind::kLong, "slot");
  const auto work = std::make_shared<Held>();
  slot.start(held(work, 1));
  ASSERT_TRUE(test::eventually([&] { return work->runs.load(); }));
  slot.cancel();
  EXPECT_FALSE(slot.active());
  EXPECT_THAT(jobs->list(), IsEmpty());
  EXPECT_TRUE(test::eventually([&] { return work->stopped.load(); }));
  // Also where it has come to an end already.
  slot.start([](const Progress&) { return std::optional(3); });
  slot.wait(test::kPatience);
  slot.cancel();
  EXPECT_FALSE(slot.take());
  // Also where it comes to an end without having asked.
  const auto go_on = std::make_shared<std::atomic<bool>>(false);
  slot.start([go_on](const Progress&) {
    while (!*go_on) {
      std::this_thread::sleep_for(1ms);
    }
    return std::optional(4);
  });
  slot.cancel();
  *go_on = true;
  slot.start([](const Progress&) -> std::optional<int> { return std::nullopt; });
  slot.wait(test::kPatience);
  EXPECT_FALSE(slot.take());
}

TEST(Jobs, ASlotThatGoesCancelsAndDoesNotWait) {
  const auto jobs = std::make_shared<Jobs>();
  const auto work = std::make_shared<Held>();
  {
    JobSlot<int> slot(jobs, Jobs::Kind::kLong, "slot");
    slot.start(held(work, 1));
    ASSERT_TRUE(test::eventually([&] { return work->runs.load(); }));
  }
  EXPECT_TRUE(test::eventually([&] { return work->stopped.load(); }));
}

TEST(Jobs, LeavingStopsAllWorkAndWaitsForIt) {
  const auto work = std::make_shared<Held>();
  const auto waiting = std::make_shared<Held>();
  {
    Jobs jobs;
    jobs.start(jobs.new_slot(), Jobs::Kind::kLong, "runs", [work](const Progress& progress) { (*work)(progress, 0); });
    ASSERT_TRUE(test::eventually([&] { return work->runs.load(); }));
  }
  EXPECT_TRUE(work->stopped);
  EXPECT_EQ(work.use_count(), 1) << "what it owned is gone";
}

// With three threads one kind after the other finds none left, and what is asked for still runs.
TEST(Jobs, AThreadIsLeftForWhatIsAskedFor) {
  const auto jobs = std::make_shared<Jobs>(nullptr, 3);
  std::vector<std::unique_ptr<JobSlot<int>>> slots;
  std::vector<std::shared_ptr<Held>> works;
  const auto start = [&](Jobs::Kind kind, const char* name) {
    slots.push_back(std::make_unique<JobSlot<int>>(jobs, kind, name));
    works.push_back(std::make_shared<Held>());
    slots.back()->start(held(works.back(), static_cast<int>(works.size())));
    return works.back();
  };
  const auto long_one = start(Jobs::Kind::kLong, "long");
  ASSERT_TRUE(test::eventually([&] { return long_one->runs.load(); }));
  const auto other_long_one = start(Jobs::Kind::kLong, "other long");
  const auto live = start(Jobs::Kind::kLive, "live");
  ASSERT_TRUE(test::eventually([&] { return live->runs.load(); }));
  const auto other_live = start(Jobs::Kind::kLive, "other live");
  const auto asked = start(Jobs::Kind::kAsked, "asked");
  ASSERT_TRUE(test::eventually([&] { return asked->runs.load(); }));
  EXPECT_FALSE(other_long_one->runs);
  EXPECT_FALSE(other_live->runs);
  EXPECT_THAT(names(*jobs), ElementsAre("long", "other long", "live", "other live", "asked"));
  const std::vector<Jobs::Row> rows = jobs->list();
  EXPECT_TRUE(rows[0].running && !rows[1].running && rows[2].running && !rows[3].running && rows[4].running);
  EXPECT_EQ(rows[0].what, "holding");
  EXPECT_EQ(rows[0].fraction, 0.25f);
  // A thread that comes free goes to what matters more, though it was asked for later.
  live->let_go = true;
  ASSERT_TRUE(test::eventually([&] { return other_live->runs.load(); }));
  EXPECT_FALSE(other_long_one->runs);
  for (const auto& work : works) {
    work->let_go = true;
  }
  for (std::size_t i = 0; i < slots.size(); ++i) {
    slots[i]->wait(test::kPatience);
    EXPECT_EQ(slots[i]->take(), static_cast<int>(i + 1));
  }
}

TEST(Jobs, WhatIsAskedForGoesBeforeWhatWasThereFirst) {
  const auto jobs = std::make_shared<Jobs>(nullptr, 3);
  std::vector<std::unique_ptr<JobSlot<int>>> slots;
  std::vector<std::shared_ptr<Held>> works;
  const auto start = [&](Jobs::Kind kind) {
    slots.push_back(std::make_unique<JobSlot<int>>(jobs, kind, "slot"));
    works.push_back(std::make_shared<Held>());
    slots.back()->start(held(works.back(), 0));
    return works.back();
  };
  for (int i = 0; i < 3; ++i) {
    const auto work = start(Jobs::Kind::kAsked);
    ASSERT_TRUE(test::eventually([&] { return work->runs.load(); }));
  }
  const auto live = start(Jobs::Kind::kLive);
  const auto asked = start(Jobs::Kind::kAsked);
  works[0]->let_go = true;
  ASSERT_TRUE(test::eventually([&] { return asked->runs.load(); }));
  EXPECT_FALSE(live->runs);
  works[1]->let_go = true;
  EXPECT_TRUE(test::eventually([&] { return live->runs.load(); }));
}

TEST(Jobs, WantOfMemoryIsToldUntilTheNextStart) {
  const auto jobs = std::make_shared<Jobs>();
  JobSlot<int> slot(jobs, Jobs::Kind::kLong, "slot");
  slot.start([](const Progress&) -> std::optional<int> { throw std::bad_alloc(); });
  slot.wait(test::kPatience);
  EXPECT_TRUE(slot.failed());
  EXPECT_FALSE(slot.take());
  slot.start([](const Progress&) { return std::optional(1); });
  EXPECT_FALSE(slot.failed());
  slot.wait(test::kPatience);
  EXPECT_EQ(slot.take(), 1);
}

TEST(Jobs, AreToldOfAtMostTenTimesASecond) {
  std::atomic<int> wakes = 0;
  const auto jobs = std::make_shared<Jobs>([&] { ++wakes; });
  JobSlot<int> slot(jobs, Jobs::Kind::kLong, "slot");
  const auto start = std::chrono::steady_clock::now();
  slot.start([](const Progress& progress) {
    for (int i = 0; i < 50; ++i) {
      progress(static_cast<float>(i) / 50, "");
      std::this_thread::sleep_for(1ms);
    }
    return std::optional(1);
  });
  slot.wait(test::kPatience);
  const auto passed = std::chrono::steady_clock::now() - start;
  EXPECT_TRUE(test::eventually([&] { return wakes >= 2; })) << "at the first report and at the end";
  EXPECT_LE(wakes, 3 + passed / 100ms);
}

// Many slots, started and cancelled from one thread while others run.
TEST(Jobs, EachSlotDeliversItsNewestWhateverIsCancelled) {
  std::vector<std::atomic<int>> at_once(8);
  std::atomic<bool> twice = false;
  const auto jobs = std::make_shared<Jobs>();
  std::vector<std::unique_ptr<JobSlot<int>>> slots;
  for (int i = 0; i < 8; ++i) {
    slots.push_back(std::make_unique<JobSlot<int>>(jobs, static_cast<Jobs::Kind>(i % 3), "slot"));
  }
  for (int round = 0; round < 200; ++round) {
    for (std::size_t s = 0; s < slots.size(); ++s) {
      slots[s]->start([&, s, round](const Progress& progress) {
        twice = twice || ++at_once[s] > 1;
        for (int i = 0; i < 20 && progress(0, ""); ++i) {
          std::this_thread::yield();
        }
        --at_once[s];
        return std::optional(round);
      });
      if ((round + static_cast<int>(s)) % 5 == 0) {
        slots[s]->cancel();
      }
    }
  }
  for (std::size_t s = 0; s < slots.size(); ++s) {
    slots[s]->wait(test::kPatience);
    const bool cancelled = (199 + static_cast<int>(s)) % 5 == 0;
    EXPECT_EQ(slots[s]->take(), cancelled ? std::nullopt : std::optional(199)) << s;
  }
  EXPECT_FALSE(twice);
}

TEST(Jobs, WhatWorkOwnsMayEndASlotOfTheQueue) {
  const auto jobs = std::make_shared<Jobs>();
  JobSlot<int> slot(jobs, Jobs::Kind::kAsked, "slot");
  const auto first = std::make_shared<Held>();
  slot.start(held(first, 1));
  ASSERT_TRUE(test::eventually([&] { return first->runs.load(); }));
  auto owned = std::make_shared<JobSlot<int>>(jobs, Jobs::Kind::kLong, "owned");
  slot.start([owned](const Progress&) { return std::optional(2); });
  owned.reset();
  slot.start([](const Progress&) { return std::optional(3); });  // lets go of what only waited
  slot.wait(test::kPatience);
  EXPECT_EQ(slot.take(), 3);
  owned = std::make_shared<JobSlot<int>>(jobs, Jobs::Kind::kLong, "owned");
  slot.start([owned](const Progress&) { return std::optional(4); });  // and here of what ran
  owned.reset();
  slot.wait(test::kPatience);
  EXPECT_EQ(slot.take(), 4);
  EXPECT_TRUE(test::eventually([&] { return jobs->list().empty(); }));
}

}  // namespace
}  // namespace pelt
