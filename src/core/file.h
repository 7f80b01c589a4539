#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/result.h"

namespace pelt {

/// No file may be larger, nor what comes through a pipe: nothing that a person made is, and it must fit into memory.
inline constexpr std::uintmax_t kLargestFile = std::uintmax_t{4} << 30;

/// The whole content of a regular file ("-" is not special here). The error names the path and the system's reason.
/// @param most  bytes; a larger file is an error
Result<std::string> read_file(const std::filesystem::path& path, std::uintmax_t most = kLargestFile);
/// The same of an open pipe, terminal or file from where it stands on. The error does not name it.
Result<std::string> read_stream(int descriptor, std::uintmax_t most = kLargestFile);

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
  friend Result<FileBytes> read_file_bytes(const std::filesystem::path& path, std::uintmax_t most);
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// As read_file().
Result<FileBytes> read_file_bytes(const std::filesystem::path& path, std::uintmax_t most = kLargestFile);

/// Writes `bytes` to a new file beside `path`, flushes it and the folder to disk and renames it into place: whatever
/// goes wrong (full disk, read-only folder, a signal, a killed program) leaves the old file as it was. A link stays a
/// link: what it names is replaced. Pipes, terminals and devices are written to as they are. What killed programs left
/// in the folder is removed.
Status write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

struct NewFile {
  std::filesystem::path path;
  std::string_view bytes;
};

/// Names of files in the folder of the first file that it leaves unused. Asked when all is in place, while no other
/// program writes there.
using UnusedFiles = std::function<std::vector<std::string>(const std::filesystem::path& folder)>;

/// The same for files that belong together: a document, which is the first, and what it names. All are written before
/// any gets its name, the document last, so that the old or the new one is whole at any moment. What the document names
/// never replaces anything: a file with the same content stays, one with another is an error. Such names are best made
/// from the content.
/// @param unused  removed afterwards
Status write_files_atomically(std::span<const NewFile> files, const UnusedFiles& unused = {});

/// Why no file can be made in a folder; nothing where one can, as far as rights tell.
std::error_code why_not_writable(const std::filesystem::path& folder);

/// By what a file is told from a later one of its name.
struct FileStamp {
  std::filesystem::file_time_type time = {};
  std::uintmax_t size = 0;
  bool operator==(const FileStamp&) const = default;
};
/// Nothing where there is no such file.
std::optional<FileStamp> file_stamp(const std::filesystem::path& path);

/// A file that was read, and its stamp from before.
struct StampedFile {
  std::filesystem::path path;
  std::optional<FileStamp> stamp;
};

/// A file that was read, and how a sentence calls it: "the input", "--pose".
struct ReadFile {
  std::filesystem::path path;  ///< "-" is standard input
  std::string role;
  std::optional<FileStamp> stamp = {};  ///< from before it was read, where somebody took it
};

/// Fails where writing to `path` ("-": standard output) would replace one of the files that were read, by whatever
/// links and spellings.
Status check_not_read(const std::filesystem::path& path, std::span<const ReadFile> read);

}  // namespace pelt
