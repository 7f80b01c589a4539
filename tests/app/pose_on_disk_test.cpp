#include "app/pose_on_disk.h"

#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "core/file.h"
#include "support/fixtures.h"
#include "support/output_folder.h"

namespace pelt::app {
namespace {

namespace fs = std::filesystem;

edit::Document limb(const char* upper, const char* lower) {
  rig::Character character;
  test::add_node(character, upper, -1, {});
  test::add_node(character, lower, 0, {.translation = {0, 1, 0}});
  rig::finish(character);
  return edit::make_document(std::make_shared<rig::Character>(std::move(character)));
}

void turn(edit::Document& document, int joint) {
  edit::apply(document,
              {edit::SetJointLocal{joint, {{0, 1, 0}, quat_xyzw(0.0f, 0.0f, 0.6f, 0.8f), {1, 1, 1}}, false}, {}, true});
}

class PoseOnDiskTest : public testing::Test {
 protected:
  void SetUp() override {
    const fs::path folder = test::output_folder() / "pose_on_disk";
    fs::create_directories(folder);
    file_ = folder / (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".json");
    other_ = folder / "other.json";
    fs::remove(file_);
    fs::remove(other_);
  }
  [[nodiscard]] std::string content() const { return *read_file(file_); }
  void change(const std::string& text) const { ASSERT_TRUE(write_file_atomically(file_, text)); }

  fs::path file_;
  fs::path other_;
  edit::Document document_ = limb("hip", "knee");
  edit::PoseReport report_;
  PoseOnDisk pose_;
};

TEST_F(PoseOnDiskTest, IsWrittenAsOftenAsNobodyElseDoes) {
  ASSERT_TRUE(pose_.save(document_, file_));
  EXPECT_EQ(pose_.path(), file_);
  turn(document_, 1);
  ASSERT_TRUE(pose_.save(document_, file_));
  EXPECT_EQ(content(), edit::pose_to_json(document_));
  ASSERT_TRUE(pose_.open(document_, file_, report_));
  turn(document_, 0);
  EXPECT_TRUE(pose_.save(document_, file_));
}

TEST_F(PoseOnDiskTest, AChangeByAnotherProgramIsReplacedOnlyOnTheSecondCall) {
  ASSERT_TRUE(pose_.save(document_, file_));
  ASSERT_TRUE(pose_.open(document_, file_, report_));
  change("somebody else's");
  const Status refused = pose_.save(document_, file_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, file_.string() +
                                         " was changed by another program since it was opened or saved here; save "
                                         "again to replace it, or save the pose under another name");
  EXPECT_EQ(content(), "somebody else's");
  change("changed once more");
  EXPECT_FALSE(pose_.save(document_, file_)) << "nobody agreed to lose this";
  EXPECT_TRUE(pose_.save(document_, file_));
  EXPECT_EQ(content(), edit::pose_to_json(document_));
}

TEST_F(PoseOnDiskTest, ARefusalLeavesOtherNamesFree) {
  ASSERT_TRUE(pose_.save(document_, file_));
  change("somebody else's");
  ASSERT_FALSE(pose_.save(document_, file_));
  EXPECT_TRUE(pose_.save(document_, other_));
  EXPECT_EQ(pose_.path(), other_);
  EXPECT_EQ(content(), "somebody else's");
}

TEST_F(PoseOnDiskTest, AFileThatIsGoneIsWrittenAnew) {
  ASSERT_TRUE(pose_.save(document_, file_));
  fs::remove(file_);
  EXPECT_TRUE(pose_.save(document_, file_));
  EXPECT_TRUE(fs::exists(file_));
}

TEST_F(PoseOnDiskTest, AFailedWriteIsNoFileToSaveTo) {
  EXPECT_FALSE(pose_.save(document_, file_.parent_path() / "missing" / "pose.json"));
  EXPECT_TRUE(pose_.path().empty());
}

// Saving over it would drop the joints that this character lacks.
TEST_F(PoseOnDiskTest, APoseOfAnotherCharacterIsNotSavedOver) {
  turn(document_, 0);
  turn(document_, 1);
  ASSERT_TRUE(pose_.save(document_, file_));
  const edit::Document part = limb("hip", "tail");
  ASSERT_TRUE(pose_.open(part, file_, report_));
  EXPECT_EQ(report_.missing(), 1);
  EXPECT_TRUE(pose_.path().empty());

  const edit::Document spelled = limb("Hip", "Knee");
  ASSERT_TRUE(pose_.open(spelled, file_, report_));
  EXPECT_EQ(report_.missing(), 0);
  EXPECT_TRUE(pose_.path().empty());

  ASSERT_TRUE(pose_.open(document_, file_, report_));
  EXPECT_EQ(pose_.path(), file_);
  pose_.forget();
  EXPECT_TRUE(pose_.path().empty());
}

TEST_F(PoseOnDiskTest, AFileThatIsNoPoseChangesNothing) {
  ASSERT_TRUE(pose_.save(document_, file_));
  ASSERT_TRUE(write_file_atomically(other_, "{}"));
  EXPECT_FALSE(pose_.open(document_, other_, report_));
  EXPECT_EQ(pose_.path(), file_);
  EXPECT_TRUE(pose_.save(document_, file_));
}

}  // namespace
}  // namespace pelt::app
