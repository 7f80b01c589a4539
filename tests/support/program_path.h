#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace pelt::test {

/// The program that the tests run: the one that PELT_PROGRAM names, as CTest sets it for each row, or else the one that
/// lies beside the test program.
inline std::string program_path() {
  const char* named = std::getenv("PELT_PROGRAM");
  return named != nullptr ? named : (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "pelt").string();
}

}  // namespace pelt::test
