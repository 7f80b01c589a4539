#pragma once

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/file.h"
#include "core/file_calls.h"

namespace pelt::test {

/// The calls by which files are written.
enum class WriteCall { kOpen, kWrite, kSync, kRename, kUnlink };
inline constexpr WriteCall kWriteCalls[] = {WriteCall::kOpen, WriteCall::kWrite, WriteCall::kSync, WriteCall::kRename,
                                            WriteCall::kUnlink};
inline constexpr const char* kWriteCallNames[] = {"open", "write", "fsync", "rename", "unlink"};

/// While it lives, the n-th of one kind of call fails, or ends the process. Writes take half of what they are given.
class WriteFault {
 public:
  static constexpr int kKill = 0;
  /// @param code  errno, kKill, or less than that a signal's negative number
  WriteFault(WriteCall call, int nth, int code) : original_(file_calls()) {
    state() = {call, nth, code};
    log().clear();
    file_calls() = {
        .open_at = [](int folder, const char* name, int flags,
                      mode_t mode) { return fails(WriteCall::kOpen, name) ? -1 : ::openat(folder, name, flags, mode); },
        .write =
            [](int file, const void* bytes, std::size_t count) {
              return fails(WriteCall::kWrite, {}) ? -1 : ::write(file, bytes, (count + 1) / 2);
            },
        .sync =
            [](int file) {
              struct stat status {};
              ::fstat(file, &status);
              return fails(WriteCall::kSync, S_ISDIR(status.st_mode) ? "folder" : "file") ? -1 : ::fsync(file);
            },
        .rename_at =
            [](int folder, const char* from, int to_folder, const char* to) {
              return fails(WriteCall::kRename, to) ? -1 : ::renameat(folder, from, to_folder, to);
            },
        .unlink_at =
            [](int folder, const char* name) {
              return fails(WriteCall::kUnlink, name) ? -1 : ::unlinkat(folder, name, 0);
            },
    };
  }
  ~WriteFault() { file_calls() = original_; }
  WriteFault(const WriteFault&) = delete;
  WriteFault& operator=(const WriteFault&) = delete;

  /// What was done so far: "open NAME", "write", "fsync file", "fsync folder", "rename NAME", "unlink NAME".
  static std::vector<std::string>& log() {
    static std::vector<std::string> lines;
    return lines;
  }

  /// Whether there were enough calls of that kind.
  [[nodiscard]] bool happened() const { return state().nth < 0; }

 private:
  struct State {
    WriteCall call;
    int nth;
    int code;
  };
  static State& state() {
    static State now{};
    return now;
  }
  static bool fails(WriteCall call, const std::string& what) {
    log().push_back(kWriteCallNames[static_cast<int>(call)] + (what.empty() ? what : " " + what));
    if (call != state().call || state().nth-- != 0) {
      return false;
    }
    if (state().code <= kKill) {
      ::raise(state().code == kKill ? SIGKILL : -state().code);
      return false;  // a signal that waits
    }
    errno = state().code;
    return true;
  }
  FileCalls original_;
};

/// Names and contents of all files of a folder, hidden ones too.
inline std::map<std::string, std::string> files_in(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const Result<std::string> bytes = read_file(entry.path());
    files[entry.path().filename().string()] = bytes ? *bytes : bytes.error().message;
  }
  return files;
}

/// Runs `work` in a process of its own. @returns  whether it returned true there; false where it was killed
inline bool in_a_child(const std::function<bool()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(work() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace pelt::test
