// Long attacks on the program. All of them, whole: `./dev soak`. A build's tests run a slice: `soak --seconds 60`.
#include "soak/soak.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <time.h>

#include "core/text.h"

namespace pelt::soak {
namespace {

constexpr std::size_t kMostReported = 10;  // failures of one attack that are printed

}  // namespace

double clock_seconds() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

Attack::Attack(std::string name, const Limits& limits, std::filesystem::path folder)
    : name_(std::move(name)), limits_(limits), folder_(std::move(folder)), start_(clock_seconds()) {}

double Attack::elapsed() const {
  return clock_seconds() - start_;
}

bool Attack::next(std::size_t rounds) {
  round_ = limits_.only >= 0 ? static_cast<std::size_t>(limits_.only) : rounds_run_;
  const bool once = limits_.only >= 0 && rounds_run_ > 0;
  const bool over = limits_.seconds > 0 && rounds_run_ > 0 && elapsed() > limits_.seconds;
  if (once || over || round_ >= rounds || !skipped_.empty()) {
    return false;
  }
  // A sequence that mixes both, so that neighbours have nothing in common.
  std::seed_seq seeds{limits_.seed, static_cast<std::uint32_t>(round_)};
  random_.seed(seeds);
  ++rounds_run_;
  return true;
}

void Attack::fail(std::string_view sentence) {
  if (++failures_ <= kMostReported) {
    fmt::print("{} --seed {} --round {}: {}\n", name_, limits_.seed, round_, sentence);
    std::fflush(stdout);
  }
}

void Attack::skip(std::string_view reason) {
  skipped_ = reason;
}

std::string Attack::summary() const {
  if (!skipped_.empty()) {
    return fmt::format("{}: skipped, {}", name_, skipped_);
  }
  std::string counts;
  for (const auto& [what, count] : counts_) {
    counts += fmt::format(", {} {}", count, what);
  }
  return fmt::format("{}: {} rounds in {:.1f} s{}; {} failure(s)", name_, rounds_run_, elapsed(), counts, failures_);
}

}  // namespace pelt::soak

namespace {

using pelt::soak::Attack;
using pelt::soak::AttackRow;
using pelt::soak::kAttacks;

struct Wish {
  Attack::Limits limits;
  bool list = false;
  std::vector<const AttackRow*> attacks;
};

int usage() {
  std::fputs(
      "usage: soak [--seconds S] [--seed N] [--round N] [--any-memory] [--list] [ATTACK...]\n\n"
      "Runs all attacks, or those named. --seconds: together at most about so long. --round: that one alone.\n"
      "--any-memory: for a program under sanitizers, whose shadow memory alone takes terabytes of addresses.\n",
      stderr);
  return 2;
}

// Nothing where the command line is wrong.
std::optional<Wish> parsed(const std::vector<std::string>& words) {
  Wish wish;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--list") {
      wish.list = true;
    } else if (word == "--any-memory") {
      wish.limits.most_memory = -1;
    } else if (word.starts_with("--")) {
      const std::optional<double> value = ++i < words.size() ? pelt::parse_number(words[i]) : std::nullopt;
      if (!value || *value < 0 || *value > 1e9) {
        return std::nullopt;
      }
      if (word == "--seconds") {
        wish.limits.seconds = *value;
      } else if (word == "--seed") {
        wish.limits.seed = static_cast<std::uint32_t>(*value);
      } else if (word == "--round") {
        wish.limits.only = static_cast<long>(*value);
      } else {
        return std::nullopt;
      }
    } else {
      const auto row = std::ranges::find(kAttacks, word, &AttackRow::name);
      if (row == kAttacks.end()) {
        return std::nullopt;
      }
      wish.attacks.push_back(&*row);
    }
  }
  if (wish.attacks.empty()) {
    for (const AttackRow& row : kAttacks) {
      wish.attacks.push_back(&row);
    }
  }
  return wish;
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Wish> wish = parsed({argv + std::min(argc, 1), argv + argc});
  if (!wish) {
    return usage();
  }
  if (wish->list) {
    for (const AttackRow& row : kAttacks) {
      fmt::print("{:12}  {}\n", row.name, row.what);
    }
    return 0;
  }
  std::string pattern = (std::filesystem::temp_directory_path() / "pelt-soak-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    std::perror("soak: no folder to work in");
    return 1;
  }
  const double end = pelt::soak::clock_seconds() + wish->limits.seconds;
  std::size_t failures = 0;
  for (std::size_t i = 0; i < wish->attacks.size(); ++i) {
    const AttackRow& row = *wish->attacks[i];
    Attack::Limits limits = wish->limits;
    if (limits.seconds > 0) {
      // What one attack leaves of its share the others get.
      limits.seconds =
          std::max(0.001, (end - pelt::soak::clock_seconds()) / static_cast<double>(wish->attacks.size() - i));
    }
    const std::filesystem::path folder = std::filesystem::path(pattern) / row.name;
    std::filesystem::create_directory(folder);
    Attack attack(std::string(row.name), limits, folder);
    row.run(attack);
    fmt::print("{}\n", attack.summary());
    std::fflush(stdout);
    failures += attack.failures();
  }
  std::error_code ignored;
  std::filesystem::remove_all(pattern, ignored);
  return failures == 0 ? 0 : 1;
}
