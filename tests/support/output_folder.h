#pragma once

#include "support/effort.h"

#include <filesystem>

namespace pelt::test {

/// Returns the folder that tests write into. A test is part of two programs, which may run at the same time: each has a
/// folder of its own.
inline std::filesystem::path output_folder() {
  return std::filesystem::path(PELT_TEST_OUTPUT_DIR) / (sanitized() ? "sanitized" : "plain");
}

}  // namespace pelt::test
