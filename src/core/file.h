#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"

namespace pelt {

/// The whole content of a regular file ("-" is not special here). The error names the path and the system's reason.
Result<std::string> read_file(const std::filesystem::path& path);

/// A file's content in memory of its own, parts of which can be given back before the rest.
class FileBytes {
 public:
  FileBytes() = default;
  FileBytes(FileBytes&& other) noexcept;
  FileBytes& operator=(FileBytes&& other) noexcept;
  ~FileBytes();

  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return {data_, size_}; }
  /// Gives the whole pages in [begin, end) back to the system; they read as zeros from then on. @pre end <= size
  void release(std::size_t begin, std::size_t end);

 private:
  friend Result<FileBytes> read_file_bytes(const std::filesystem::path& path);
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// As read_file().
Result<FileBytes> read_file_bytes(const std::filesystem::path& path);

/// Writes `bytes` to a new file beside `path`, flushes it to disk and renames it into place: on any failure (full disk,
/// read-only folder) the old file is untouched and no temporary file stays behind. A link stays a link: what it names
/// is replaced. Pipes, terminals and devices are written to as they are.
Status write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

struct NewFile {
  std::filesystem::path path;
  std::string_view bytes;
};

/// The same for files that belong together: all are written before any is renamed, the first one last, and where a
/// rename fails those before it are undone.
Status write_files_atomically(std::span<const NewFile> files);

}  // namespace pelt
