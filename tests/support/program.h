#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace pelt::test {

/// How a run of the program came to its end.
struct Ran {
  int code = -1;      ///< exit code; -1 where a signal ended it
  int signal = 0;     ///< that ended it; 0: none
  bool hung = false;  ///< it ran past the limit and was killed
  std::string out;
  std::string err;
  double seconds = 0;            ///< wall time
  double processor_seconds = 0;  ///< sum over all threads of the program

  /// Whether it ended by itself with 0 to 2 and what it said is one of the program's own sentences.
  [[nodiscard]] bool orderly() const;
  /// For failures: "exit code 3", "signal 11", "no end after 20 s", and the first line that it said.
  [[nodiscard]] std::string text() const;
};

struct RunOptions {
  std::filesystem::path folder;               ///< it runs there
  std::string program = {};                   ///< another one than pelt, its path
  std::string input = "/dev/null";            ///< its standard input
  std::string output = {};                    ///< its standard output; empty: what it writes there is kept
  std::vector<std::string> environment = {};  ///< "NAME=value": more of it
  double limit = 600;                         ///< wall seconds after which the program counts as hung
  int signal = 0;                             ///< sent to it `after` seconds; 0: none
  double after = 0;
  long largest_file = -1;  ///< RLIMIT_FSIZE; -1: as it is
  long most_memory = -1;   ///< RLIMIT_AS; -1: as it is
};

/// Variables that CTest sets for drawing in software: the number of threads, the folder of compiled shaders, and an end
/// to tuning these. Without them a program spends many seconds on its first picture.
inline constexpr const char* kDrawingVariables[] = {"LP_NUM_THREADS", "MESA_SHADER_CACHE_DIR", "GALLIVM_PERF"};

/// Runs `pelt`, or the program that the options name, with these arguments and an environment of HOME (the
/// folder), kDrawingVariables, and those of the options.
Ran run_pelt(const std::vector<std::string>& arguments, const RunOptions& options);

}  // namespace pelt::test
