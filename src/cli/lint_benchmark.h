#pragma once

#include <span>
#include <string>

#include "cli/bind_benchmark.h"
#include "core/result.h"

namespace pelt::cli {

/// Plants every kind of fault at every strength into characters, writes and reads each as a file, and tells how much of
/// it lint names, how much it names beside it, and how much is left after mending; and what lint names of the
/// characters as they are. @param characters  sound ones
/// @returns the table as text, or as JSON
Result<std::string> benchmark_lint(std::span<const BenchmarkedCharacter> characters, bool json);

}  // namespace pelt::cli
