// What a session knows its character's file by is found in the background.
#include "app/source_job.h"

#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "core/text.h"
#include "formats/source_hash.h"
#include "support/output_folder.h"
#include "support/patience.h"

namespace pelt::app {
namespace {

namespace fs = std::filesystem;

class SourceJobTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = test::output_folder() / "source_job" / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    write("first");
  }
  void write(const std::string& text) const { std::ofstream(path()) << text; }
  [[nodiscard]] std::string path() const { return (folder_ / "fox.glb").string(); }
  [[nodiscard]] SourceJob::File file() const { return {path(), file_stamp(path())}; }
  // Waits for what a first call has begun.
  static Result<std::string> found(SourceJob& job, const SourceJob::File& file) {
    EXPECT_FALSE(job.hash_of(file)) << "nobody waits for a first call";
    job.slot().wait(test::kPatience);
    std::optional<Result<std::string>> hash = job.hash_of(file);
    EXPECT_TRUE(hash.has_value());
    return hash ? *std::move(hash) : Result<std::string>(error("none"));
  }

  fs::path folder_;
  std::shared_ptr<Jobs> jobs_ = std::make_shared<Jobs>();
};

TEST_F(SourceJobTest, IsWhatTheVerbsFind) {
  SourceJob job(jobs_);
  EXPECT_EQ(*found(job, file()), *formats::source_hash(path(), {}));
  EXPECT_EQ(*found(job, {.name = "@elbow"}), *formats::source_hash("@elbow", {}));
  const Result<std::string> none = found(job, {.name = (folder_ / "no such file").string()});
  EXPECT_FALSE(none);
}

TEST_F(SourceJobTest, NeverHashesOnTheThreadThatAsks) {
  int calls = 0;
  std::thread::id where;
  SourceJob job(jobs_, [&](const std::string&, std::span<const StampedFile>) -> Result<std::string> {
    ++calls;
    where = std::this_thread::get_id();
    return std::string("sha256:1");
  });
  const SourceJob::File wanted = file();
  EXPECT_EQ(*found(job, wanted), "sha256:1");
  EXPECT_NE(where, std::this_thread::get_id());
  EXPECT_EQ(**job.hash_of(wanted), "sha256:1");
  EXPECT_EQ(calls, 1) << "found once";
  job.cancel();
  EXPECT_EQ(*found(job, wanted), "sha256:1");
  EXPECT_EQ(calls, 2);
  // Nothing of the window asks for a hash but through this class.
  for (const auto& entry : fs::directory_iterator(PELT_SOURCE_DIR "/src/app")) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("window")) {
      EXPECT_EQ(read_file(entry.path())->find("source_hash"), std::string::npos) << name;
    }
  }
}

TEST_F(SourceJobTest, AFileThatHasChangedFitsNoHash) {
  const SourceJob::File before = file();
  write("second, and longer");
  SourceJob job(jobs_);
  EXPECT_TRUE(found(job, before)->starts_with("unknown"));
  // While it is read.
  const SourceJob::File now = file();
  SourceJob slow(jobs_, [&](const std::string&, std::span<const StampedFile>) -> Result<std::string> {
    write("the third");
    return std::string("sha256:1");
  });
  EXPECT_TRUE(found(slow, now)->starts_with("unknown"));
}

TEST_F(SourceJobTest, AnotherFileIsAnotherHash) {
  SourceJob job(jobs_, [](const std::string& name, std::span<const StampedFile>) -> Result<std::string> {
    return "sha256:" + name;
  });
  EXPECT_EQ(*found(job, {.name = "@elbow"}), "sha256:@elbow");
  EXPECT_EQ(*found(job, {.name = "@robot"}), "sha256:@robot");
}

}  // namespace
}  // namespace pelt::app
