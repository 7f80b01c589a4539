#include "app/recovery.h"

#include <csignal>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "support/output_folder.h"
#include "support/write_faults.h"

namespace pelt::app {
namespace {

namespace fs = std::filesystem;

class RecoveryTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = test::output_folder() / "recovery" / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
  }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static void write(const fs::path& session) {
    std::ofstream(session) << "work";
    fs::create_directories(session.string() + ".d");
    std::ofstream(session.string() + ".d/data") << "data";
  }

  fs::path folder_;
};

TEST_F(RecoveryTest, NothingIsMadeUntilThereIsSomethingToSave) {
  { const Recovery recovery(folder_); }
  EXPECT_FALSE(fs::exists(folder_));
  EXPECT_TRUE(left_behind(folder_).empty());
}

TEST_F(RecoveryTest, WhatALivingProgramSavesIsNotOfferedToAnother) {
  Recovery living(folder_);
  const fs::path session = (*living.file())->session();
  write(session);
  EXPECT_TRUE(left_behind(folder_).empty());
  EXPECT_TRUE(fs::exists(session));
  remove_left_behind(session);
  EXPECT_TRUE(fs::exists(session)) << "it lives";
  living.forget();
  EXPECT_EQ(entries(), 0u);
}

TEST_F(RecoveryTest, WhatAKilledProgramLeftIsOfferedAndCanBeRemoved) {
  fs::create_directories(folder_);
  EXPECT_FALSE(test::in_a_child([&] {
    Recovery recovery(folder_);
    write((*recovery.file())->session());
    ::raise(SIGKILL);
    return true;
  }));
  const std::vector<fs::path> left = left_behind(folder_);
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left_behind(folder_), left) << "asking takes nothing away";
  remove_left_behind(left[0]);
  EXPECT_EQ(entries(), 0u);
}

TEST_F(RecoveryTest, WhatIsStillBeingWrittenKeepsItsLockUntilThatHasEnded) {
  Recovery living(folder_);
  std::shared_ptr<RecoveryFile> writing = *living.file();
  const fs::path session = writing->session();
  living.forget();
  write(session);  // by who has not heard of it
  EXPECT_TRUE(left_behind(folder_).empty()) << "no other program is offered it";
  EXPECT_TRUE(fs::exists(session));
  EXPECT_NE((*living.file())->session(), session) << "what comes next goes elsewhere";
  writing.reset();
  EXPECT_FALSE(fs::exists(session));
  EXPECT_EQ(entries(), 1u) << "the lock of the next";
}

TEST_F(RecoveryTest, WhatIsBeingRecoveredIsNotOfferedToAnother) {
  fs::create_directories(folder_);
  write(folder_ / "aa.pelt");
  std::shared_ptr<RecoveryFile> taken = RecoveryFile::take(folder_ / "aa.pelt");
  ASSERT_NE(taken, nullptr);
  EXPECT_TRUE(left_behind(folder_).empty());
  EXPECT_EQ(RecoveryFile::take(folder_ / "aa.pelt"), nullptr);
  remove_left_behind(folder_ / "aa.pelt");
  EXPECT_TRUE(fs::exists(folder_ / "aa.pelt"));
  taken.reset();
  EXPECT_EQ(left_behind(folder_).size(), 1u) << "it was let go, and not removed";
  taken = RecoveryFile::take(folder_ / "aa.pelt");
  taken->discard();
  EXPECT_TRUE(fs::exists(folder_ / "aa.pelt")) << "until it is let go";
  taken.reset();
  EXPECT_EQ(entries(), 0u);
  EXPECT_EQ(RecoveryFile::take(folder_ / "gone.pelt"), nullptr);
  EXPECT_EQ(entries(), 0u);
}

TEST_F(RecoveryTest, ItsOwnFilesAreToldByTheirNames) {
  const Recovery recovery(folder_);
  EXPECT_TRUE(recovery.holds(folder_ / "aa.pelt"));
  EXPECT_FALSE(recovery.holds(folder_ / "aa.glb"));
  EXPECT_FALSE(recovery.holds(folder_ / "below" / "aa.pelt"));
  EXPECT_FALSE(Recovery({}).holds("aa.pelt"));
}

TEST_F(RecoveryTest, LocksDataAndUnfinishedFilesWithoutASessionAreRemoved) {
  fs::create_directories(folder_ / "aa.pelt.d");
  std::ofstream(folder_ / ".pelt-0123456789abcdef-0.new") << "{";
  std::ofstream(folder_ / "bb.lock") << "";
  std::ofstream(folder_ / "notes.txt") << "a person's";
  EXPECT_TRUE(left_behind(folder_).empty());
  EXPECT_EQ(entries(), 1u);
}

TEST_F(RecoveryTest, TheNewestComesFirst) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "old.pelt") << "1";
  std::ofstream(folder_ / "new.pelt") << "2";
  fs::last_write_time(folder_ / "old.pelt", fs::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_EQ(left_behind(folder_), (std::vector<fs::path>{folder_ / "new.pelt", folder_ / "old.pelt"}));
}

TEST_F(RecoveryTest, AFolderThatCannotBeMadeIsASentence) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "file") << "";
  Recovery recovery(folder_ / "file" / "recovery");
  EXPECT_FALSE(recovery.file());
  Recovery nowhere({});
  EXPECT_FALSE(nowhere.file());
}

}  // namespace
}  // namespace pelt::app
