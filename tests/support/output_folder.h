#pragma once

#include "support/effort.h"

#include <filesystem>

namespace pelt::test {

/// Where tests write. The two programs that a test is part of may run at the same time and write into folders of their
/// own.
inline std::filesystem::path output_folder() {
  return std::filesystem::path(PELT_TEST_OUTPUT_DIR) / (sanitized() ? "sanitized" : "plain");
}

}  // namespace pelt::test
