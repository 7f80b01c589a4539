#include "support/program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>

#include <fmt/format.h>

#include "support/program_path.h"

namespace pelt::test {
namespace {

void limit_child(int what, long value) {
  if (value >= 0) {
    const rlimit limit{static_cast<rlim_t>(value), static_cast<rlim_t>(value)};
    setrlimit(static_cast<__rlimit_resource>(what), &limit);
  }
}

// Waits for the child's end. @returns  whether it came within `seconds`
bool ends_within(int handle, double seconds) {
  pollfd wait{handle, POLLIN, 0};
  const double whole = std::floor(seconds);
  const timespec span{static_cast<time_t>(whole), static_cast<long>((seconds - whole) * 1e9)};
  return ppoll(&wait, 1, &span, nullptr) > 0;
}

std::string text_of(int fd) {
  std::string text;
  char chunk[4096];
  lseek(fd, 0, SEEK_SET);
  for (ssize_t got = 0; (got = read(fd, chunk, sizeof(chunk))) > 0;) {
    text.append(chunk, static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace

bool Ran::orderly() const {
  const bool watched = err.find("Sanitizer") != std::string::npos || err.find("runtime error") != std::string::npos;
  return code >= 0 && code <= 2 && !hung && !watched && err.find("internal error") == std::string::npos &&
         (code == 0 || err.find("pelt: ") != std::string::npos);
}

std::string Ran::text() const {
  const std::string how = hung          ? fmt::format("no end after {:.0f} s", seconds)
                          : signal != 0 ? fmt::format("signal {}", signal)
                                        : fmt::format("exit code {}", code);
  return fmt::format("{}: {}", how, err.substr(0, std::min<std::size_t>(err.find('\n'), 300)));
}

Ran run_pelt(const std::vector<std::string>& arguments, const RunOptions& options) {
  std::vector<std::string> words = {"pelt"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  const std::string program = options.program.empty() ? program_path() : options.program;
  std::vector<std::string> variables = {"HOME=" + options.folder.string()};
  for (const char* name : kDrawingVariables) {
    if (const char* value = std::getenv(name)) {
      variables.push_back(fmt::format("{}={}", name, value));
    }
  }
  variables.insert(variables.end(), options.environment.begin(), options.environment.end());
  std::vector<char*> environment;
  for (std::string& variable : variables) {
    environment.push_back(variable.data());
  }
  environment.push_back(nullptr);
  const int out = options.output.empty() ? memfd_create("out", MFD_CLOEXEC)
                                         : open(options.output.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  const int err = memfd_create("err", MFD_CLOEXEC);
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    const int in = open(options.input.c_str(), O_RDONLY);
    if (in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0 || chdir(options.folder.c_str()) != 0) {
      _exit(126);
    }
    limit_child(RLIMIT_FSIZE, options.largest_file);
    limit_child(RLIMIT_AS, options.most_memory);
    execve(program.c_str(), argv.data(), environment.data());
    _exit(127);
  }
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  Ran ran;
  bool ended = false;
  if (options.signal != 0) {
    ended = ends_within(handle, options.after);
    if (!ended) {
      kill(child, options.signal);
    }
  }
  if (!ended && !ends_within(handle, options.limit)) {
    ran.hung = true;
    kill(child, SIGKILL);
  }
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  ran.processor_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
  ran.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  ran.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ran.out = options.output.empty() ? text_of(out) : std::string();
  ran.err = text_of(err);
  for (const int fd : {handle, out, err}) {
    close(fd);
  }
  return ran;
}

}  // namespace pelt::test
