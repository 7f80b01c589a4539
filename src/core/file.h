#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"

namespace pelt {

/// The whole content of a regular file ("-" is not special here). The error names the path and the system's reason.
Result<std::string> read_file(const std::filesystem::path& path);

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
