#include "core/leftovers.h"

#include <fcntl.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <utility>

#include "core/expect.h"

namespace pelt {
namespace {

constexpr std::string_view kPrefix = ".pelt-";
constexpr std::string_view kSuffix = ".new";
constexpr std::size_t kIdDigits = 16;
constexpr std::size_t kLongestName = kPrefix.size() + kIdDigits + 1 + 20 + kSuffix.size() + 1;
constexpr std::array kEndingSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};

// Everything a signal handler reads: fixed memory, lock-free values.
struct Slot {
  std::atomic<bool> taken{false};
  std::atomic<int> folder{-1};
  std::array<char, kIdDigits> id{};
  std::atomic<std::size_t> count{0};
};
std::array<Slot, 64> slots;
std::atomic<int> delays{0};
std::atomic<int> waiting_signal{0};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<std::size_t>::is_always_lock_free);

// The one maker of names, which a signal handler can use: no memory is asked for. @returns  the end, where a zero
// stands
char* put_name(char* at, std::string_view id, std::size_t number) {
  const auto put = [&](std::string_view text) { at = std::copy(text.begin(), text.end(), at); };
  put(kPrefix);
  put(id);
  put("-");
  std::array<char, 20> digits{};
  std::size_t count = 0;
  do {
    digits[count++] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number > 0);
  while (count > 0) {
    *at++ = digits[--count];
  }
  put(kSuffix);
  *at = '\0';
  return at;
}

void remove_guarded_files() {
  for (Slot& slot : slots) {
    const int folder = slot.folder;
    for (std::size_t i = 0; folder >= 0 && i < slot.count; ++i) {
      std::array<char, kLongestName> name{};
      put_name(name.data(), {slot.id.data(), slot.id.size()}, i);
      ::unlinkat(folder, name.data(), 0);
    }
  }
}

[[noreturn]] void end_by(int signal) {
  remove_guarded_files();
  ::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  ::raise(signal);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);  // it is blocked while its handler runs
  ::_exit(128 + signal);
}

// Either this sees the delay, or the delay sees the signal: both write before they read.
extern "C" void on_ending_signal(int signal) {
  waiting_signal = signal;
  if (delays == 0) {
    end_by(signal);
  }
}

}  // namespace

std::string new_write_id() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof(number), 0) != sizeof(number)) {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    number = static_cast<std::uint64_t>(now.tv_sec) << 34U ^ static_cast<std::uint64_t>(now.tv_nsec) << 4U ^
             static_cast<std::uint64_t>(::getpid());
  }
  std::string digits;
  for (std::size_t i = 0; i < kIdDigits; ++i) {
    digits += "0123456789abcdef"[number >> (4 * i) & 15U];
  }
  return digits;
}

std::string temporary_name(std::string_view write_id, std::size_t number) {
  PELT_EXPECT(write_id.size() == kIdDigits, "an id comes from new_write_id()");
  std::array<char, kLongestName> name{};
  return {name.data(), put_name(name.data(), write_id, number)};
}

bool is_temporary_name(std::string_view name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix) ||
      name.size() < kPrefix.size() + kIdDigits + 2 + kSuffix.size()) {
    return false;
  }
  name = name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_hex = [&](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); };
  const std::string_view number = name.substr(kIdDigits + 1);
  return std::all_of(name.begin(), name.begin() + kIdDigits, is_hex) && name[kIdDigits] == '-' &&
         std::all_of(number.begin(), number.end(), is_digit);
}

SignalGuard::SignalGuard(int folder, std::string_view write_id) {
  PELT_EXPECT(write_id.size() == kIdDigits, "an id comes from new_write_id()");
  for (std::size_t i = 0; folder >= 0 && i < slots.size() && slot_ < 0; ++i) {
    if (!slots[i].taken.exchange(true)) {
      slot_ = static_cast<int>(i);
      std::copy(write_id.begin(), write_id.end(), slots[i].id.begin());
      slots[i].count = 0;
      slots[i].folder = folder;
    }
  }
}

SignalGuard::SignalGuard(SignalGuard&& other) noexcept : slot_(std::exchange(other.slot_, -1)) {}

SignalGuard& SignalGuard::operator=(SignalGuard&& other) noexcept {
  std::swap(slot_, other.slot_);
  return *this;
}

SignalGuard::~SignalGuard() {
  if (slot_ >= 0) {
    Slot& slot = slots[slot_];
    slot.folder = -1;
    slot.taken = false;
  }
}

void SignalGuard::add() {
  if (slot_ >= 0) {
    ++slots[slot_].count;
  }
}

SignalDelay::SignalDelay() {
  ++delays;
  if (const int signal = waiting_signal; signal != 0) {
    end_by(signal);  // it came just before: nothing is renamed yet
  }
}

SignalDelay::~SignalDelay() {
  if (--delays == 0) {
    if (const int signal = waiting_signal; signal != 0) {
      end_by(signal);
    }
  }
}

void prepare_process() {
  // Each gets the lowest free number, so this fills the gaps in order.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF) {
      // Results that would go nowhere are failures; what is only told to people may be lost.
      ::open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
  ::signal(SIGXFSZ, SIG_IGN);
  for (const int signal : kEndingSignals) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) {
      action.sa_handler = on_ending_signal;
      action.sa_flags = 0;
      sigemptyset(&action.sa_mask);
      ::sigaction(signal, &action, nullptr);
    }
  }
}

}  // namespace pelt
