#pragma once

#include <string>
#include <vector>

namespace pelt {

enum class Severity { kInfo, kWarning, kError };

/// Something odd that was recovered from, shown alike by the window and the command line.
struct Diagnostic {
  Severity severity = Severity::kWarning;
  std::string code;     ///< stable, kebab-case, for example "weight-sum"
  std::string place;    ///< which object and index, for example "mesh 2, primitive 0"
  std::string message;  ///< one sentence: expected, actual, what was done about it
};

using Diagnostics = std::vector<Diagnostic>;

}  // namespace pelt
