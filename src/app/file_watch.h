#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "core/file.h"

namespace pelt::app {

/// Seconds between two looks at a watched file.
inline constexpr double kWatchInterval = 0.25;

enum class FileNews {
  kNone,
  kChanged,  ///< it is another, or there again
  kGone,     ///< it, or what it was read with, is away
};

/// Tells when a file has changed and has come to rest, by its size and time, and those of what stands beside it under
/// its name (.bin of a .gltf, .mtl of an .obj) and of what it was read with. A look costs a few system calls, and there
/// are at most four a second.
class FileWatch {
 public:
  /// Watches that file from its present state on; nothing where `file` is empty.
  void watch(const std::filesystem::path& file) { watch(StampedFile{file, file_stamp(file)}); }
  /// The same from the stamp on, of before it was read: what has happened since is still to be told.
  void watch(const StampedFile& file);
  /// Watches what it was read with last, too, likewise: buffers, pictures, material libraries.
  void also_watch(std::span<const StampedFile> files);
  [[nodiscard]] bool active() const { return !file_.empty(); }
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

  /// What has happened, once: when the file is another than at the last time and two looks in a row found it the same,
  /// so that nobody reads what is still being written. A file that is away is said to be, and waited for.
  /// @param now  seconds, any origin
  FileNews look(double now);
  /// After kGone: the first that is away.
  [[nodiscard]] const std::filesystem::path& gone() const { return gone_; }

 private:
  using Stamps = std::vector<std::optional<FileStamp>>;  ///< of files_
  [[nodiscard]] Stamps stamps() const;

  std::filesystem::path file_;
  std::vector<std::filesystem::path> files_;  ///< the file, those of its name, those it was read with
  std::size_t guessed_ = 0;                   ///< how many of these need not be there but for the first
  std::filesystem::path gone_;
  Stamps known_;   ///< that look() answered for last
  Stamps latest_;  ///< of the last look
  double last_look_ = 0;
};

}  // namespace pelt::app
