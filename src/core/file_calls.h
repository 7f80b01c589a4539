#pragma once

#include <sys/types.h>

#include <cstddef>

namespace pelt {

/// The system's calls by which files are written; each sets errno as the one it is named after. Everything that
/// write_files_atomically() does to a disk goes through them, so that a test can let the n-th fail, or end the process
/// there.
struct FileCalls {
  int (*open_at)(int folder, const char* name, int flags, mode_t mode);
  ssize_t (*write)(int file, const void* bytes, std::size_t count);
  int (*sync)(int file);
  int (*rename_at)(int folder, const char* from, int to_folder, const char* to);
  int (*unlink_at)(int folder, const char* name);
};

/// Those of this process, at first the system's own. For tests alone to change, while nothing is written.
FileCalls& file_calls();

}  // namespace pelt
