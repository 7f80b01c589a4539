// What a write leaves behind, whatever happens to it.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"
#include "core/file_calls.h"
#include "core/leftovers.h"
#include "support/memory_folder.h"
#include "support/write_faults.h"

namespace pelt {
namespace {

namespace fs = std::filesystem;
using test::files_in;
using test::WriteCall;
using test::WriteFault;
using testing::HasSubstr;

using Files = std::map<std::string, std::string>;

// A document and what it names, one name per line; the names say what is in the files.
struct Set {
  std::string document;
  Files named;

  [[nodiscard]] Files all() const {
    Files files = named;
    files["doc"] = document;
    return files;
  }
};
const Set kOld = {"old\npart-aa\npart-bb\n", {{"part-aa", "aa"}, {"part-bb", "bb"}}};
const Set kNew = {"new\npart-bb\npart-cc\npart-dd\n",
                  {{"part-bb", "bb"}, {"part-cc", std::string(5000, 'c')}, {"part-dd", ""}}};

class WriteFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_FALSE(base_.path().empty());
    start_anew();
  }

  // An empty folder, with the old files where they are wanted.
  void start_anew(const Files& files = {}) {
    fs::remove_all(base_.path() / "out");
    folder_ = base_.path() / "out";
    fs::create_directory(folder_);
    for (const auto& [name, bytes] : files) {
      std::ofstream(folder_ / name) << bytes;
    }
  }

  [[nodiscard]] Status write(const Set& set) const {
    std::vector<NewFile> files = {{folder_ / "doc", set.document}};
    for (const auto& [name, bytes] : set.named) {
      files.push_back({folder_ / name, bytes});
    }
    return write_files_atomically(files, [](const fs::path& folder) {
      std::vector<std::string> unused;
      const Files now = files_in(folder);
      for (const auto& [name, bytes] : now) {
        if (name.starts_with("part-") && now.at("doc").find(name) == std::string::npos) {
          unused.push_back(name);
        }
      }
      return unused;
    });
  }

  // Whether the document is one of both and has all that it names.
  [[nodiscard]] bool is_whole(const Files& now, const Set& set) const {
    const Files all = set.all();
    return std::ranges::all_of(all, [&](const auto& file) {
      const auto found = now.find(file.first);
      return found != now.end() && found->second == file.second;
    });
  }

  test::MemoryFolder base_;
  fs::path folder_;
};

// Fails the n-th call of every kind with every error that a disk has, for every n that there is.
TEST_F(WriteFileTest, AFaultAtAnyCallLeavesTheOldOrTheNewFiles) {
  int faults = 0;
  for (const WriteCall call : test::kWriteCalls) {
    for (const int code : {ENOSPC, EIO, EDQUOT}) {
      bool happened = true;
      for (int n = 0; happened; ++n) {
        ASSERT_LT(n, 100);
        start_anew(kOld.all());
        // One leftover of a killed program, so that its removal can fail as well.
        std::ofstream(folder_ / temporary_name(new_write_id(), 0)) << "leftover";
        Status written;
        {
          const WriteFault fault(call, n, code);
          written = write(kNew);
          happened = fault.happened();
        }
        faults += happened ? 1 : 0;
        const Files now = files_in(folder_);
        const std::string what = fmt::format("{} {} failing with {}", test::kWriteCallNames[static_cast<int>(call)], n,
                                             strerrorname_np(code));
        const bool last_sync = !written && written.error().message.find("may not outlast") != std::string::npos;
        ASSERT_TRUE(!written || is_whole(now, kNew)) << what;
        ASSERT_TRUE(written || is_whole(now, last_sync ? kNew : kOld)) << what << ": " << written.error().message;
        if (call != WriteCall::kUnlink) {
          // Where the folder cannot be opened, nothing can be removed from it.
          Files expected = written || last_sync ? kNew.all() : kOld.all();
          for (const auto& [name, bytes] : now) {
            const bool allowed = is_temporary_name(name) ? bytes == "leftover" && call == WriteCall::kOpen && n == 0
                                                         : expected.contains(name) || last_sync;
            EXPECT_TRUE(allowed) << what << " leaves " << name;
          }
        }
        ASSERT_TRUE(write(kNew)) << what;
        EXPECT_EQ(files_in(folder_), kNew.all()) << what;
      }
    }
  }
  RecordProperty("faults", faults);
  EXPECT_GE(faults, 3 * (5 + 3 + 5 + 3 + 2));
}

TEST_F(WriteFileTest, AKillAtAnyCallLeavesTheOldOrTheNewDocumentAndTheNextWriteTidies) {
  int killed = 0;
  for (const WriteCall call : test::kWriteCalls) {
    bool ended = false;
    for (int n = 0; !ended; ++n) {
      ASSERT_LT(n, 100);
      for (const Set& next : {kOld, kNew}) {
        start_anew(kOld.all());
        ended = test::in_a_child([&] {
          const WriteFault fault(call, n, WriteFault::kKill);
          return write(kNew).has_value();
        });
        killed += ended ? 0 : 1;
        const std::string what = fmt::format("killed at {} {}", test::kWriteCallNames[static_cast<int>(call)], n);
        ASSERT_TRUE(is_whole(files_in(folder_), kOld) || is_whole(files_in(folder_), kNew)) << what;
        ASSERT_TRUE(test::in_a_child([&] { return write(next).has_value(); })) << what;
        EXPECT_EQ(files_in(folder_), next.all()) << what;
      }
    }
  }
  RecordProperty("killed", killed);
  EXPECT_GE(killed, 2 * (4 + 3 + 5 + 3 + 1));
}

// What cannot be tried without cutting the power: that the disk has each thing before what counts on it.
TEST_F(WriteFileTest, EverythingIsFlushedBeforeWhatCountsOnIt) {
  start_anew(kOld.all());
  const WriteFault none(WriteCall::kOpen, -1, 0);
  ASSERT_TRUE(write(kNew));
  std::vector<std::string> log = WriteFault::log();
  std::erase_if(log, [](const std::string& line) { return line.starts_with("open") || line == "write"; });
  EXPECT_THAT(log, testing::ElementsAre("fsync file", "fsync file", "fsync file", "rename part-dd", "rename part-cc",
                                        "fsync folder", "rename doc", "fsync folder", "unlink part-aa"));
}

TEST_F(WriteFileTest, ASignalAtAnyCallRemovesWhatIsTemporary) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    for (const WriteCall call : test::kWriteCalls) {
      bool ended = false;
      for (int n = 0; !ended; ++n) {
        ASSERT_LT(n, 100);
        start_anew(kOld.all());
        const pid_t child = fork();
        if (child == 0) {
          prepare_process();
          const WriteFault fault(call, n, -signal);
          const bool written = write(kNew).has_value();
          _exit(fault.happened() ? 2 : written ? 0 : 1);  // 2: the signal came and did not end it
        }
        int status = 0;
        waitpid(child, &status, 0);
        ended = WIFEXITED(status);
        const std::string what =
            fmt::format("signal {} at {} {}", signal, test::kWriteCallNames[static_cast<int>(call)], n);
        ASSERT_EQ(ended ? WEXITSTATUS(status) : WTERMSIG(status), ended ? 0 : signal) << what;
        const Files now = files_in(folder_);
        ASSERT_TRUE(is_whole(now, kOld) || is_whole(now, kNew)) << what;
        for (const auto& [name, bytes] : now) {
          EXPECT_FALSE(is_temporary_name(name)) << what << " leaves " << name;
        }
        // Names that belong together are given without a break: either none or all are there.
        EXPECT_EQ(now.contains("part-cc"), now.at("doc") == kNew.document) << what;
      }
    }
  }
}

// As under nohup.
TEST_F(WriteFileTest, ASignalThatIsIgnoredStaysSo) {
  const pid_t child = fork();
  if (child == 0) {
    ::signal(SIGHUP, SIG_IGN);
    prepare_process();
    ::raise(SIGHUP);
    _exit(write(kNew) ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// Another program that writes there has perhaps found the file, and keeps it for its own document.
TEST_F(WriteFileTest, WhatAnotherProgramMayCountOnStaysWhereAWriteFails) {
  for (const bool shared : {true, false}) {
    start_anew(kOld.all());
    const int other = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (shared) {
      ASSERT_EQ(::flock(other, LOCK_SH), 0);
    }
    const WriteFault fault(WriteCall::kRename, 2, EIO);  // of the document
    EXPECT_FALSE(write(kNew));
    EXPECT_TRUE(fault.happened());
    EXPECT_EQ(files_in(folder_).contains("part-cc"), shared);
    EXPECT_TRUE(is_whole(files_in(folder_), kOld));
    ::close(other);
  }
}

TEST_F(WriteFileTest, LeavesAloneWhatALivingProgramWrites) {
  const std::string theirs = temporary_name(new_write_id(), 3);
  std::ofstream(folder_ / theirs) << "half";
  std::ofstream(folder_ / "part-zz") << "zz";
  const int lock = open(folder_.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(flock(lock, LOCK_SH), 0);
  ASSERT_TRUE(write(kNew));
  EXPECT_TRUE(fs::exists(folder_ / theirs));
  EXPECT_TRUE(fs::exists(folder_ / "part-zz"));
  close(lock);
  ASSERT_TRUE(write(kNew));
  EXPECT_EQ(files_in(folder_), kNew.all());
}

TEST_F(WriteFileTest, WritesWhereSomebodyHoldsTheFolder) {
  const int lock = open(folder_.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(flock(lock, LOCK_EX), 0);
  EXPECT_TRUE(write_file_atomically(folder_ / "x", "bytes"));
  close(lock);
}

TEST_F(WriteFileTest, WhatADocumentNamesReplacesNothing) {
  start_anew({{"part-cc", "another's"}});
  const Status status = write(kNew);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            fmt::format("cannot write '{}': it is there with another content", (folder_ / "part-cc").string()));
  EXPECT_EQ(files_in(folder_), (Files{{"part-cc", "another's"}}));
}

// A document that goes to a pipe or device counts on what it names as well.
TEST_F(WriteFileTest, WhatADocumentThatIsNoFileNamesStays) {
  const NewFile files[] = {{"/dev/null", "document"}, {folder_ / "part", "named"}};
  ASSERT_TRUE(write_files_atomically(files));
  EXPECT_EQ(files_in(folder_), (Files{{"part", "named"}}));
}

TEST_F(WriteFileTest, AFileThatBreaksOffIsAnotherContent) {
  for (const std::string& there : {std::string(4999, 'c'), std::string(5001, 'c'), std::string()}) {
    start_anew({{"part-cc", there}});
    EXPECT_FALSE(write(kNew)) << there.size();
    EXPECT_EQ(files_in(folder_), (Files{{"part-cc", there}}));
  }
}

TEST_F(WriteFileTest, AnInterruptedCallIsMadeAgain) {
  for (const WriteCall call : {WriteCall::kWrite, WriteCall::kSync}) {
    for (int n = 0; n < 4; ++n) {
      start_anew(kOld.all());
      const WriteFault fault(call, n, EINTR);
      EXPECT_TRUE(write(kNew)) << n;
      EXPECT_TRUE(fault.happened());
      EXPECT_EQ(files_in(folder_), kNew.all()) << n;
    }
  }
}

// Some file systems cannot flush folders, and say so in one of these ways.
TEST_F(WriteFileTest, WhatCannotBeFlushedIsWrittenAllTheSame) {
  for (const int code : {EINVAL, ENOSYS, EOPNOTSUPP}) {
    for (int n = 0; n < 4; ++n) {
      const WriteFault fault(WriteCall::kSync, n, code);
      EXPECT_TRUE(write(n % 2 == 0 ? kNew : kOld)) << n;
    }
  }
}

class ReplacedCalls {
 public:
  ReplacedCalls() : original_(file_calls()) {}
  ~ReplacedCalls() { file_calls() = original_; }
  ReplacedCalls(const ReplacedCalls&) = delete;
  ReplacedCalls& operator=(const ReplacedCalls&) = delete;

 private:
  FileCalls original_;
};

TEST_F(WriteFileTest, ADiskThatTakesNothingIsAnError) {
  const ReplacedCalls restore;
  file_calls().write = [](int, const void*, std::size_t) { return ssize_t{0}; };
  const Status status = write_file_atomically(folder_ / "x", "bytes");
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("Input/output error"));
  EXPECT_TRUE(files_in(folder_).empty());
}

// Else another program would take what is being written for a leftover; also after this one has removed some itself.
TEST_F(WriteFileTest, TheFolderIsHeldWhileFilesAreWritten) {
  static fs::path folder;
  static int free_folders;
  folder = folder_;
  const ReplacedCalls restore;
  file_calls().write = [](int file, const void* bytes, std::size_t count) {
    const int other = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free_folders += ::flock(other, LOCK_EX | LOCK_NB) == 0 ? 1 : 0;
    ::close(other);
    return ::write(file, bytes, count);
  };
  for (const bool leftover : {false, true}) {
    free_folders = 0;
    if (leftover) {
      std::ofstream(folder_ / temporary_name(new_write_id(), 0)) << "leftover";
    }
    ASSERT_TRUE(write_file_atomically(folder_ / "x", "bytes"));
    EXPECT_EQ(free_folders, 0) << leftover;
  }
}

TEST_F(WriteFileTest, OnlyItsOwnTemporaryNamesAreRemoved) {
  const std::string own = temporary_name(new_write_id(), 12);
  ASSERT_TRUE(is_temporary_name(own));
  for (const std::string& name : {own + "x", "x" + own, std::string(".pelt-notes.new"), std::string(".pelt-.new"),
                                  own.substr(0, own.size() - 6) + ".new", std::string(".pelt-0123456789abcdef_1.new"),
                                  std::string(".pelt-0123456789abcdef-1a.new")}) {
    EXPECT_FALSE(is_temporary_name(name)) << name;
    std::ofstream(folder_ / name) << "a person's";
  }
  std::ofstream(folder_ / own) << "leftover";
  fs::create_directory(folder_ / temporary_name(new_write_id(), 0));
  const std::size_t before = files_in(folder_).size();
  ASSERT_TRUE(write_file_atomically(folder_ / "x", "bytes"));
  EXPECT_EQ(files_in(folder_).size(), before);  // one came, one went
  EXPECT_FALSE(fs::exists(folder_ / own));
}

TEST_F(WriteFileTest, NamesAsLongAsAFileSystemTakes) {
  for (const std::size_t length : {std::size_t{249}, std::size_t{255}}) {
    EXPECT_TRUE(write_file_atomically(folder_ / std::string(length, 'n'), "bytes")) << length;
  }
  const Status status = write_file_atomically(folder_ / std::string(256, 'n'), "bytes");
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("File name too long"));
  EXPECT_EQ(files_in(folder_).size(), 2u);
}

TEST_F(WriteFileTest, AFileThatOutgrowsItsLimitIsASentence) {
  ASSERT_TRUE(write_file_atomically(folder_ / "x", "old"));
  EXPECT_TRUE(test::in_a_child([&] {
    prepare_process();
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const Status status = write_file_atomically(folder_ / "x", std::string(5000, 'x'));
    return !status && status.error().message == "cannot write '" + (folder_ / "x").string() + "': File too large";
  }));
  EXPECT_EQ(files_in(folder_), (Files{{"x", "old"}}));
}

// Root may write anywhere, so another user tries.
TEST_F(WriteFileTest, ProtectedFilesAndFoldersStayAsTheyAre) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "only root can become another user";
  }
  ASSERT_TRUE(write_file_atomically(folder_ / "theirs", "old"));
  ASSERT_TRUE(write_file_atomically(folder_ / "protected", "old"));
  ASSERT_EQ(chown((folder_ / "protected").c_str(), 12345, 12345), 0);
  ASSERT_EQ(chmod((folder_ / "protected").c_str(), 0444), 0);
  const auto try_as_somebody = [&](const std::string& name) {
    return test::in_a_child([&] {
      if (setgid(12345) != 0 || setuid(12345) != 0) {
        return false;
      }
      const std::error_code why = why_not_writable(folder_);
      if (name == "new" ? why != std::errc::permission_denied : static_cast<bool>(why)) {
        return false;  // what a dialog asks beforehand
      }
      const Status status = write_file_atomically(folder_ / name, "new");
      return !status && status.error().message.find("Permission denied") != std::string::npos;
    });
  };
  ASSERT_EQ(chmod(base_.path().c_str(), 0755), 0);
  ASSERT_EQ(chmod(folder_.c_str(), 0555), 0);
  EXPECT_TRUE(try_as_somebody("new"));
  ASSERT_EQ(chmod(folder_.c_str(), 0777), 0);
  EXPECT_TRUE(try_as_somebody("protected"));
  EXPECT_EQ(files_in(folder_), (Files{{"theirs", "old"}, {"protected", "old"}}));
  // A folder that may be written to but not read.
  ASSERT_EQ(chmod(folder_.c_str(), 0333), 0);
  EXPECT_TRUE(test::in_a_child(
      [&] { return setgid(12345) == 0 && setuid(12345) == 0 && write_file_atomically(folder_ / "new", "new"); }));
  EXPECT_EQ(files_in(folder_).at("new"), "new");
}

TEST_F(WriteFileTest, OwnerAndRightsOfTheReplacedFileStay) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "only root can give files away";
  }
  ASSERT_TRUE(write_file_atomically(folder_ / "x", "old"));
  ASSERT_EQ(chown((folder_ / "x").c_str(), 12345, 23456), 0);
  ASSERT_EQ(chmod((folder_ / "x").c_str(), 0640), 0);
  ASSERT_TRUE(write_file_atomically(folder_ / "x", "new"));
  struct stat status {};
  ASSERT_EQ(stat((folder_ / "x").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 12345u);
  EXPECT_EQ(status.st_gid, 23456u);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

// A disk that is really full, where the machine lets one be made.
TEST_F(WriteFileTest, AFullDiskLeavesTheOldFiles) {
  if (mount("pelt-full", folder_.c_str(), "tmpfs", 0, "size=64k") != 0) {
    GTEST_SKIP() << "no small file system can be mounted: " << std::strerror(errno);
  }
  ASSERT_TRUE(write(kOld));
  int failed = 0;
  for (std::size_t size = 1000; size < 100000; size += 3000) {
    Set large = kNew;
    large.named["part-cc"] = std::string(size, 'c');
    large.document = "new\npart-bb\npart-cc\npart-dd\n";
    const Status written = write(large);
    failed += written ? 0 : 1;
    EXPECT_EQ(files_in(folder_), written ? large.all() : kOld.all()) << size;
    if (!written) {
      EXPECT_THAT(written.error().message, HasSubstr("No space left on device"));
    }
    ASSERT_TRUE(write(kOld));
  }
  EXPECT_GT(failed, 5);
  EXPECT_LT(failed, 30);
  umount2(folder_.c_str(), MNT_DETACH);
}

TEST_F(WriteFileTest, WhatIsReadIsKnownThroughLinksAndSpellings) {
  ASSERT_TRUE(write_file_atomically(folder_ / "model", "bytes"));
  ASSERT_TRUE(write_file_atomically(folder_ / "other", "bytes"));
  fs::create_symlink("model", folder_ / "link");
  fs::create_hard_link(folder_ / "model", folder_ / "hard");
  const std::vector<ReadFile> read = {{folder_ / "missing", "--pose"}, {folder_ / "model", "the input"}};
  for (const char* name : {"model", "link", "hard", "./model", "../out/model"}) {
    const Status status = check_not_read(folder_ / name, read);
    ASSERT_FALSE(status) << name;
    EXPECT_EQ(status.error().message,
              fmt::format("{}: is the same file as {} (the input), which is read; choose another name for the output",
                          (folder_ / name).string(), (folder_ / "model").string()));
  }
  EXPECT_TRUE(check_not_read(folder_ / "other", read));
  EXPECT_TRUE(check_not_read(folder_ / "new", read));
  EXPECT_TRUE(check_not_read("/dev/null", std::vector<ReadFile>{{"/dev/null", "the input"}}));
}

}  // namespace
}  // namespace pelt
