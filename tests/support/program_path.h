#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace pelt::test {

/// A program that tests run: the one that the variable names, as CTest sets it for each row, or else the one that lies
/// beside the test program.
inline std::string program_path(const char* variable = "PELT_PROGRAM", const char* name = "pelt") {
  const char* named = std::getenv(variable);
  return named != nullptr ? named : (std::filesystem::read_symlink("/proc/self/exe").parent_path() / name).string();
}

}  // namespace pelt::test
