#include "core/file.h"

#include <fstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pelt {
namespace {

namespace fs = std::filesystem;

class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "pelt-file-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::size_t entry_count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
};

TEST_F(FileTest, WritesAndReadsBack) {
  const std::string bytes("a\0b\n", 4);
  ASSERT_TRUE(write_file_atomically(folder_ / "x", bytes));
  EXPECT_EQ(*read_file(folder_ / "x"), bytes);
  ASSERT_TRUE(write_file_atomically(folder_ / "x", ""));
  EXPECT_EQ(*read_file(folder_ / "x"), "");
  EXPECT_EQ(entry_count(), 1u);
}

TEST_F(FileTest, WhatIsTooLargeIsNotRead) {
  ASSERT_TRUE(write_file_atomically(folder_ / "x", "12345"));
  EXPECT_TRUE(read_file(folder_ / "x", 5));
  EXPECT_EQ(read_file(folder_ / "x", 4).error().message,
            "cannot read '" + (folder_ / "x").string() + "': expected at most 4 bytes, got 5");
  EXPECT_FALSE(read_file_bytes(folder_ / "x", 4));
  // Without a byte on the disk, more than any file may have.
  ASSERT_EQ(truncate((folder_ / "x").c_str(), static_cast<off_t>(kLargestFile) + 1), 0);
  EXPECT_FALSE(read_file(folder_ / "x"));
  EXPECT_FALSE(read_file_bytes(folder_ / "x"));
}

TEST_F(FileTest, StreamsHaveTheSameLimit) {
  const auto stream = [&](std::size_t size, std::uintmax_t most) {
    EXPECT_TRUE(write_file_atomically(folder_ / "x", std::string(size, 'x')));
    const int file = open((folder_ / "x").c_str(), O_RDONLY | O_CLOEXEC);
    Result<std::string> read = read_stream(file, most);
    close(file);
    return read;
  };
  for (const std::size_t size : {0, 1, 65535, 65536, 65537, 300'000}) {
    EXPECT_EQ(stream(size, 300'000)->size(), size);
  }
  EXPECT_EQ(stream(300'001, 300'000).error().message, "expected at most 300000 bytes, got more");
  EXPECT_EQ(stream(5, 4).error().message, "expected at most 4 bytes, got more");
  EXPECT_EQ(*stream(4, 4), "xxxx");
  EXPECT_EQ(read_stream(-1).error().message, "cannot be read: Bad file descriptor");
}

TEST_F(FileTest, GivesBackWholePagesInside) {
  const std::size_t page = sysconf(_SC_PAGESIZE);
  ASSERT_TRUE(write_file_atomically(folder_ / "x", std::string(3 * page + 5, 'x')));
  Result<FileBytes> file = read_file_bytes(folder_ / "x");
  ASSERT_TRUE(file);
  ASSERT_EQ(file->bytes().size(), 3 * page + 5);
  FileBytes moved = *std::move(file);
  moved.release(1, 3 * page + 5);
  EXPECT_EQ(moved.bytes()[page - 1], 'x');
  EXPECT_EQ(moved.bytes()[page], 0);
  EXPECT_EQ(moved.bytes()[3 * page - 1], 0);
  EXPECT_EQ(moved.bytes()[3 * page], 'x');
  ASSERT_TRUE(write_file_atomically(folder_ / "x", ""));
  EXPECT_TRUE(read_file_bytes(folder_ / "x")->bytes().empty());
  EXPECT_FALSE(read_file_bytes(folder_ / "y"));
}

TEST_F(FileTest, ReadsLargeFilesOnAllThreads) {
  std::string bytes((std::size_t{17} << 20) + 3, ' ');
  for (std::size_t i = 0; i < bytes.size(); i += 4093) {
    bytes[i] = static_cast<char>('a' + i / 4093 % 26);
  }
  ASSERT_TRUE(write_file_atomically(folder_ / "x", bytes));
  EXPECT_TRUE(*read_file(folder_ / "x") == bytes);
  const Result<FileBytes> file = read_file_bytes(folder_ / "x");
  ASSERT_TRUE(file);
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), file->bytes().begin(), file->bytes().end(),
                         [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; }));
}

TEST_F(FileTest, KeepsThePermissionsOfTheReplacedFile) {
  ASSERT_TRUE(write_file_atomically(folder_ / "x", "old"));
  ASSERT_EQ(chmod((folder_ / "x").c_str(), 0640), 0);
  ASSERT_TRUE(write_file_atomically(folder_ / "x", "new"));
  struct stat status {};
  ASSERT_EQ(stat((folder_ / "x").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(FileTest, FailureNamesPathAndReasonAndLeavesNothing) {
  const Status status = write_file_atomically(folder_ / "missing" / "x", "bytes");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "cannot write '" + (folder_ / "missing" / "x").string() + "': No such file or directory");
  // A folder in the file's place cannot be replaced, and the temporary file is cleaned up.
  fs::create_directory(folder_ / "taken");
  EXPECT_FALSE(write_file_atomically(folder_ / "taken", "bytes"));
  EXPECT_EQ(entry_count(), 1u);
}

TEST_F(FileTest, WritingThroughALinkKeepsTheLink) {
  fs::create_directory(folder_ / "elsewhere");
  ASSERT_TRUE(write_file_atomically(folder_ / "elsewhere" / "x", "old"));
  fs::create_symlink("elsewhere/x", folder_ / "link");
  ASSERT_TRUE(write_file_atomically(folder_ / "link", "new"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(*read_file(folder_ / "elsewhere" / "x"), "new");
  // One that leads to a file not yet there makes it.
  fs::create_symlink("elsewhere/y", folder_ / "dangling");
  ASSERT_TRUE(write_file_atomically(folder_ / "dangling", "made"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "dangling"));
  EXPECT_EQ(*read_file(folder_ / "elsewhere" / "y"), "made");
  fs::create_symlink("circle", folder_ / "circle");
  EXPECT_FALSE(write_file_atomically(folder_ / "circle", "lost"));
}

TEST_F(FileTest, WritingToAPipeOrDeviceLeavesItInPlace) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  EXPECT_TRUE(write_file_atomically(pipe, "bytes"));
  char got[8] = {};
  EXPECT_EQ(read(reader, got, sizeof(got)), 5);
  EXPECT_STREQ(got, "bytes");
  close(reader);
  EXPECT_TRUE(fs::is_fifo(pipe));
  // By a link, so that a failure of this test cannot cost the machine its device.
  fs::create_symlink("/dev/full", folder_ / "full");
  const Status full = write_file_atomically(folder_ / "full", "bytes");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().message, "cannot write '" + (folder_ / "full").string() + "': No space left on device");
}

TEST_F(FileTest, ReadingRefusesFoldersPipesAndMissingFiles) {
  EXPECT_EQ(read_file(folder_).error().message, "cannot read '" + folder_.string() + "': it is not a regular file");
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(read_file(folder_ / "pipe"));
  EXPECT_EQ(read_file(folder_ / "none").error().message,
            "cannot read '" + (folder_ / "none").string() + "': No such file or directory");
}

}  // namespace
}  // namespace pelt
