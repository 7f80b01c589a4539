#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bind/character_problem.h"
#include "cli/binder_choice.h"
#include "core/progress.h"
#include "core/result.h"
#include "measure/binding_score.h"
#include "rig/character.h"

namespace pelt::cli {

/// A character whose weights are the artist's.
struct BenchmarkedCharacter {
  std::string name;  ///< as it is shown
  std::shared_ptr<const rig::Character> character;
};

/// How a binder does on a character.
struct BindingRow {
  std::string file;
  std::string input;  ///< "clean", or how the character was damaged
  std::string binder;
  std::size_t places = 0;
  std::size_t bones = 0;
  double seconds = 0;  ///< of binding alone
  measure::BindingScore score;
  std::vector<std::string> remarks;  ///< sentences
};

/// The rows for people: the one form in which scores are printed.
std::string binding_table(std::span<const BindingRow> rows);

/// Binds characters anew and holds the weights against theirs.
/// @param hard  damaged in every way of measure::hard_inputs(), too
/// @returns the table as text, or as JSON
Result<std::string> benchmark_binders(std::span<const BenchmarkedCharacter> characters,
                                      std::span<const BinderChoice> binders, bool hard, bool json);

}  // namespace pelt::cli
