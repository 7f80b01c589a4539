#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "support/program.h"

namespace pelt::soak {

using test::Ran;
using test::run_pelt;
using test::RunOptions;

/// Since some moment; never goes back.
double clock_seconds();

/// One attack while it runs: its rounds, its chance and what it found. A round depends on the seed and on its own
/// number alone, so that one can be repeated without those before it.
class Attack {
 public:
  struct Limits {
    std::uint32_t seed = 1;
    double seconds = 0;  ///< at most; 0: all rounds
    long only = -1;      ///< the one round to run; -1: all
    /// Bytes of addresses that the program may have; -1: any number. A small file may ask for some hundred megabytes.
    long most_memory = long{3} << 30;
  };
  /// @param folder  for whatever the attack writes; there and empty
  Attack(std::string name, const Limits& limits, std::filesystem::path folder);

  /// Begins the next round unless there were `rounds`, or the time is over. The first is always run.
  bool next(std::size_t rounds);
  /// Which one this is, from 0.
  [[nodiscard]] std::size_t round() const { return round_; }
  /// Of this round. Use its values raw or by below(): distributions differ between standard libraries.
  std::mt19937& random() { return random_; }
  /// @returns  a number from 0 to `end` - 1 @pre end > 0
  std::size_t below(std::size_t end) { return random_() % end; }

  /// Adds to what the summary counts, "killed" for example.
  void count(const std::string& what, std::size_t more = 1) { counts_[what] += more; }
  /// What went wrong in this round, one sentence.
  void fail(std::string_view sentence);
  /// Nothing could be tried, and why.
  void skip(std::string_view reason);

  [[nodiscard]] long most_memory() const { return limits_.most_memory; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] std::size_t failures() const { return failures_; }
  /// One line: how many rounds, what was counted, how many failures.
  [[nodiscard]] std::string summary() const;

 private:
  [[nodiscard]] double elapsed() const;

  std::string name_;
  Limits limits_;
  std::filesystem::path folder_;
  double start_ = 0;
  std::size_t round_ = 0;
  std::size_t rounds_run_ = 0;
  std::mt19937 random_;
  std::map<std::string, std::size_t> counts_;
  std::size_t failures_ = 0;
  std::string skipped_;
};

/// A row of the table in attacks.cpp.
struct AttackRow {
  std::string_view name;
  std::string_view what;  ///< for --list
  void (*run)(Attack& attack);
};
extern const std::vector<AttackRow> kAttacks;

}  // namespace pelt::soak
