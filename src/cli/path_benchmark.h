#pragma once

#include <string>

#include "core/result.h"
#include "edit/document.h"

namespace pelt::cli {

struct PathBenchmark {
  double seconds = 0.3;  ///< measured per row
  int threads = 0;       ///< 0: all
  bool kernels = false;  ///< kernels side by side on a made-up mesh, too
  std::string peer;      ///< shared object with another library's kernel; empty: none
};

/// Times a whole frame and every skinning method on both backends; the document's pose and settings are changed.
/// @returns the table as text, or as JSON
Result<std::string> benchmark_paths(edit::Document& document, const std::string& file, const PathBenchmark& options,
                                    bool json);

}  // namespace pelt::cli
