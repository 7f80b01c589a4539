#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pelt {

enum class Severity { kInfo, kWarning, kError };

/// A finding lists no more vertices: enough to show where it is.
inline constexpr std::size_t kMostListedVertices = 1000;

/// Something odd that was recovered from, shown alike by the window and the command line.
struct Diagnostic {
  Severity severity = Severity::kWarning;
  std::string code;     ///< stable, kebab-case, for example "weight-sum"
  std::string place;    ///< "file", or objects by the file's indices, outermost first: "mesh 2, primitive 0"
  std::string message;  ///< one sentence: expected, actual, what was done about it
  std::vector<std::uint32_t> vertices = {};  ///< concerned, of the primitive named; at most kMostListedVertices
};

using Diagnostics = std::vector<Diagnostic>;

}  // namespace pelt
