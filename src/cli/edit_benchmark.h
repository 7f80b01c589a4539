#pragma once

#include <cstddef>
#include <string>

#include "core/result.h"

namespace pelt::cli {

/// The mesh that edits are timed on.
struct EditBenchmark {
  int around = 1000;  ///< vertices of a ring
  int rings = 1000;
  int joints = 60;                  ///< in a chain along it
  std::size_t dab_vertices = 1000;  ///< that a dab is to reach, about
  int dabs = 256;
  int pictures = 12;  ///< pictures of an orbit, and as many of painting
};

/// Times dabs of a smoothing brush on a made-up character, vertices in the order of its rings and in random order: each
/// stage from the pixel under the cursor to what kernels and buffers hold, and what the history keeps of them. Without
/// OpenGL picking and buffers are left out, and a note says so.
/// @returns the table as text, or as JSON
Result<std::string> benchmark_edits(const EditBenchmark& options, bool json);

}  // namespace pelt::cli
