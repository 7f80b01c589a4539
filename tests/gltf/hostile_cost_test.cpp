// Tests the time and the memory that hostile files cost. The test of memory runs this program again with the tests of
// import_files_test.cpp, import_memory_test.cpp and corpus_test.cpp, so the program must hold these, too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "gltf/import.h"
#include "gltf/invalid_files.h"
#include "support/effort.h"
#include "support/requirements.h"

namespace pelt {
namespace {

TEST(CorpusCost, EveryInvalidFileIsRefusedOrLoadsFinite) {
  PELT_NEEDS_CORPUS("README.md");
  const std::vector<test::InvalidFile> files = test::invalid_files();
  EXPECT_EQ(files.size(), 175U);
  for (const test::InvalidFile& file : files) {
    const std::filesystem::path path = std::filesystem::path(PELT_CORPUS_DIR) / "invalid" / file.path;
    EXPECT_LT(test::processor_seconds([&] { static_cast<void>(gltf::import_file(path)); }), 2.0) << file.path;
  }
}

/// The output of a program, how it ended, and its largest memory.
struct EndedProgram {
  std::string output;
  int status = -1;  ///< exit status in the form of wait()
  rusage usage{};
};

/// Runs this program again, with other tests.
EndedProgram run_again(const char* filter) {
  EndedProgram ended;
  std::array<int, 2> pipe_ends{};
  if (pipe(pipe_ends.data()) != 0) {
    return ended;
  }
  const std::string tests = std::string("--gtest_filter=") + filter;
  malloc_trim(0);  // the parent's memory at the fork counts as the child's
  const pid_t child = fork();
  if (child == 0) {
    dup2(pipe_ends[1], STDOUT_FILENO);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    // The child runs all of these tests, not only those of its shard, and does not overwrite this program's report.
    for (const char* variable : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", "GTEST_OUTPUT"}) {
      unsetenv(variable);
    }
    execl("/proc/self/exe", "/proc/self/exe", tests.c_str(), "--gtest_brief=1", nullptr);
    _exit(127);
  }
  close(pipe_ends[1]);
  std::array<char, 4096> bytes{};
  for (ssize_t count = 0; (count = ::read(pipe_ends[0], bytes.data(), bytes.size())) > 0;) {
    ended.output.append(bytes.data(), static_cast<std::size_t>(count));
  }
  close(pipe_ends[0]);
  if (child > 0) {
    wait4(child, &ended.status, 0, &ended.usage);
  }
  return ended;
}

TEST(Memory, HostileFilesTakeLessThanOneGigabyte) {
  const EndedProgram ended = run_again("ImportMemory.*:ImportFiles.WhatIsNamedOften*:Corpus.EveryInvalid*");
  EXPECT_TRUE(WIFEXITED(ended.status) && WEXITSTATUS(ended.status) == 0) << ended.status << '\n' << ended.output;
  EXPECT_THAT(ended.output, testing::HasSubstr(" tests from 3 test suites ran.")) << "else some are not here";
  EXPECT_LT(ended.usage.ru_maxrss, 1'000'000) << "kilobytes";
  RecordProperty("peak_kilobytes", static_cast<int>(ended.usage.ru_maxrss));
}

}  // namespace
}  // namespace pelt
