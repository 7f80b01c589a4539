#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace pelt::test {

/// A folder of its own for files that are written often, gone with this. In memory where that can be: a thousand times
/// flushed to a disk takes a minute.
class MemoryFolder {
 public:
  MemoryFolder() {
    const std::filesystem::path memory = "/dev/shm";
    const bool writable = ::access(memory.c_str(), W_OK) == 0;
    std::string pattern = ((writable ? memory : std::filesystem::temp_directory_path()) / "pelt-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data()) != nullptr ? pattern : std::string();
  }
  ~MemoryFolder() {
    if (!path_.empty()) {
      std::filesystem::remove_all(path_);
    }
  }
  MemoryFolder(const MemoryFolder&) = delete;
  MemoryFolder& operator=(const MemoryFolder&) = delete;

  /// Empty where it could not be made.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace pelt::test
