// Files are made under temporary names beside their own, flushed, and renamed. Two processes that write to one folder
// know of each other by a shared lock on the folder itself (flock), which ends with the process, however it ends:
// whoever can have that lock alone knows that every temporary name there is a leftover.
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "core/file.h"
#include "core/file_calls.h"
#include "core/leftovers.h"

namespace pelt {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;       // as in the kernel
constexpr int kLockAttempts = 100;   // of 5 ms: cleaning up takes less; who holds the lock longer is no writer of ours
constexpr int kLockPause = 5000000;  // nanoseconds

std::string reason_of(int code) {
  return std::generic_category().message(code);
}

Error cannot_write(const fs::path& path, int code) {
  return error("cannot write '{}': {}", path.string(), reason_of(code));
}

class OpenFile {
 public:
  explicit OpenFile(int fd) : fd_(fd) {}
  OpenFile(OpenFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OpenFile& operator=(OpenFile&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~OpenFile() { close(); }
  [[nodiscard]] int get() const { return fd_; }
  int close() {
    const int result = fd_ >= 0 ? ::close(fd_) : 0;
    fd_ = -1;
    return result;
  }

 private:
  int fd_;
};

// Whether all bytes were taken; errno says why not.
bool write_whole(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = file_calls().write(fd, bytes.data(), bytes.size());
    if (count == 0 || (count < 0 && errno != EINTR)) {
      errno = count == 0 ? EIO : errno;
      return false;
    }
    bytes.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
  }
  return true;
}

// Whether what was written is on the disk. Some file systems have no such thing for folders.
bool sync_whole(int fd) {
  int result = 0;
  do {
    result = file_calls().sync(fd);
  } while (result != 0 && errno == EINTR);
  return result == 0 || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP;
}

// For pipes, terminals and devices, which nothing may be renamed over.
Status write_in_place(const fs::path& path, std::string_view bytes) {
  OpenFile file(file_calls().open_at(AT_FDCWD, path.c_str(), O_WRONLY | O_CLOEXEC, 0));
  if (file.get() < 0 || !write_whole(file.get(), bytes) || file.close() != 0) {
    return cannot_write(path, errno);
  }
  return {};
}

bool has_content(int folder, const std::string& name, std::string_view bytes) {
  const OpenFile file(::openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::array<char, 65536> chunk{};
  ssize_t count = -1;
  while (file.get() >= 0 && (count = ::read(file.get(), chunk.data(), chunk.size())) > 0) {
    const std::string_view got(chunk.data(), static_cast<std::size_t>(count));
    if (!bytes.starts_with(got)) {
      return false;
    }
    bytes.remove_prefix(got.size());
  }
  return count == 0 && bytes.empty();
}

/// A folder while one write puts files there.
class Folder {
 public:
  /// Removes what killed programs left there.
  static Result<Folder> open(const fs::path& path, const fs::path& asked_for);

  [[nodiscard]] const fs::path& path() const { return path_; }
  [[nodiscard]] int get() const { return folder_.get(); }
  /// The next temporary file, open for writing; -1 and errno otherwise.
  int make_temporary(std::string& name);
  bool sync() { return !readable_ || sync_whole(folder_.get()); }
  /// Whether no other write goes on there, as far as can be known. The last thing to ask: what others may do then is
  /// not kept off any more.
  bool is_alone() { return readable_ && ::flock(folder_.get(), LOCK_EX | LOCK_NB) == 0; }
  bool is_shared() { return readable_ && ::flock(folder_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; }

 private:
  Folder(fs::path path, OpenFile folder, bool readable)
      : path_(std::move(path)), folder_(std::move(folder)), readable_(readable), id_(new_write_id()) {}

  void share();
  [[nodiscard]] std::vector<std::string> leftovers() const;

  fs::path path_;
  OpenFile folder_;
  bool readable_ = true;  ///< else it can be neither flushed nor looked through, only written to
  std::string id_;
  std::size_t count_ = 0;
  SignalGuard guard_;  ///< last: gone before its folder is closed
};

Result<Folder> Folder::open(const fs::path& path, const fs::path& asked_for) {
  OpenFile file(file_calls().open_at(AT_FDCWD, path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
  const bool readable = file.get() >= 0;
  if (!readable && errno == EACCES) {
    file = OpenFile(file_calls().open_at(AT_FDCWD, path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC, 0));
  }
  if (file.get() < 0) {
    return cannot_write(asked_for, errno);
  }
  Folder folder(path, std::move(file), readable);
  folder.share();
  if (!folder.leftovers().empty()) {
    if (folder.is_alone()) {
      for (const std::string& name : folder.leftovers()) {
        file_calls().unlink_at(folder.get(), name.c_str());  // one of another user's, in a folder like /tmp, stays
      }
    }
    folder.share();
  }
  folder.guard_ = SignalGuard(folder.get(), folder.id_);
  return folder;
}

// A file system without locks is written to all the same; nothing is cleaned up there.
void Folder::share() {
  for (int i = 0; readable_ && i < kLockAttempts; ++i) {
    if (::flock(folder_.get(), LOCK_SH | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR)) {
      return;
    }
    const timespec pause{0, kLockPause};
    ::nanosleep(&pause, nullptr);
  }
}

std::vector<std::string> Folder::leftovers() const {
  std::vector<std::string> names;
  const int again = readable_ ? ::openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (again < 0) {
    return names;
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(again), ::closedir);
  while (const dirent* entry = entries != nullptr ? ::readdir(entries.get()) : nullptr) {
    struct stat status {};
    if (is_temporary_name(entry->d_name) &&
        ::fstatat(folder_.get(), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode)) {
      names.emplace_back(entry->d_name);
    }
  }
  return names;
}

int Folder::make_temporary(std::string& name) {
  guard_.add();
  name = temporary_name(id_, count_++);
  return file_calls().open_at(folder_.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

/// One file of a write, from its temporary name to its own.
struct StagedFile {
  fs::path asked_for;  ///< what errors name
  std::string_view bytes;
  std::size_t folder = 0;  ///< index of the folder behind links
  std::string name;        ///< in it
  std::optional<struct stat> old;
  bool in_place = false;  ///< a pipe, terminal or device
  bool kept = false;      ///< a file with this content is there already
  std::string temporary;  ///< empty: not made, or in its place
  bool renamed = false;
};

/// Several files that get their names together. Without commit() nothing of them stays.
class Transaction {
 public:
  Transaction() = default;
  ~Transaction() { roll_back(); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  Status stage(std::span<const NewFile> files);
  Status commit();
  void remove(const UnusedFiles& unused);

 private:
  Status find_place(StagedFile& file, bool is_document);
  Status make(StagedFile& file);
  Status rename_all();
  Status rename_one(StagedFile& file);
  void roll_back();

  std::vector<Folder> folders_;
  std::vector<StagedFile> files_;
};

Status Transaction::find_place(StagedFile& file, bool is_document) {
  // Not canonical(): a link may lead to a file that is not there yet.
  fs::path target = file.asked_for;
  std::error_code failure;
  for (int hop = 0; fs::is_symlink(target, failure); ++hop) {
    const fs::path next = fs::read_symlink(target, failure);
    if (failure || hop == kMostLinks) {
      return cannot_write(file.asked_for, failure ? failure.value() : ELOOP);
    }
    target = target.parent_path() / next;  // an absolute `next` replaces the folder
  }
  const fs::path path = target.has_parent_path() ? target.parent_path() : fs::path(".");
  const auto known = std::ranges::find(folders_, path, [](const Folder& folder) { return folder.path(); });
  file.folder = static_cast<std::size_t>(known - folders_.begin());
  if (known == folders_.end()) {
    PELT_TRY_TO(Folder folder, Folder::open(path, file.asked_for));
    folders_.push_back(std::move(folder));
  }
  const int folder = folders_[file.folder].get();
  file.name = target.filename().string();
  struct stat status {};
  if (::fstatat(folder, file.name.c_str(), &status, 0) == 0) {
    file.old = status;
  } else if (errno != ENOENT || file.name.empty()) {
    return cannot_write(file.asked_for, errno == ENOENT ? EISDIR : errno);
  }
  if (!file.old) {
    return {};
  }
  if (!is_document) {
    file.kept = S_ISREG(file.old->st_mode) && has_content(folder, file.name, file.bytes);
    return file.kept ? Status() : error("cannot write '{}': it is there with another content", file.asked_for.string());
  }
  // A rename asks for no right to the file that it replaces; whoever protected it means it.
  if (S_ISDIR(file.old->st_mode) || ::faccessat(folder, file.name.c_str(), W_OK, AT_EACCESS) != 0) {
    return cannot_write(file.asked_for, S_ISDIR(file.old->st_mode) ? EISDIR : errno);
  }
  return {};
}

Status Transaction::make(StagedFile& file) {
  Folder& folder = folders_[file.folder];
  std::string name;
  OpenFile out(folder.make_temporary(name));
  if (out.get() < 0) {
    return cannot_write(file.asked_for, errno);
  }
  file.temporary = name;
  if (file.old) {
    mode_t mode = file.old->st_mode & 0777;
    // Rights of a group are for that group alone.
    if (::fchown(out.get(), file.old->st_uid, file.old->st_gid) != 0 &&
        ::fchown(out.get(), static_cast<uid_t>(-1), file.old->st_gid) != 0) {
      mode &= ~static_cast<mode_t>(070);
    }
    if (::fchmod(out.get(), mode) != 0) {
      return cannot_write(file.asked_for, errno);
    }
  }
  if (!write_whole(out.get(), file.bytes) || !sync_whole(out.get()) || out.close() != 0) {
    return cannot_write(file.asked_for, errno);
  }
  return {};
}

Status Transaction::stage(std::span<const NewFile> files) {
  files_.reserve(files.size());
  for (const NewFile& file : files) {
    StagedFile& staged = files_.emplace_back();
    staged.asked_for = file.path;
    staged.bytes = file.bytes;
    struct stat status {};
    const bool is_document = files_.size() == 1;
    staged.in_place =
        is_document && ::stat(file.path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
    if (staged.in_place) {
      continue;
    }
    if (const Status found = find_place(staged, is_document); !found) {
      return found;
    }
  }
  for (StagedFile& file : files_) {
    if (const Status made = file.in_place || file.kept ? Status() : make(file); !made) {
      return made;
    }
  }
  return {};
}

Status Transaction::rename_one(StagedFile& file) {
  const int folder = folders_[file.folder].get();
  if (file_calls().rename_at(folder, file.temporary.c_str(), folder, file.name.c_str()) != 0) {
    return cannot_write(file.asked_for, errno);
  }
  file.temporary.clear();
  file.renamed = true;
  return {};
}

Status Transaction::rename_all() {
  const SignalDelay delay;
  StagedFile& document = files_.front();
  for (std::size_t i = files_.size(); i-- > 1;) {
    if (const Status renamed = files_[i].kept ? Status() : rename_one(files_[i]); !renamed) {
      return renamed;
    }
  }
  // What the document names must be there to stay before it is.
  for (Folder& folder : folders_) {
    if (files_.size() > 1 && !folder.sync()) {
      return cannot_write(document.asked_for, errno);
    }
  }
  return document.in_place ? Status() : rename_one(document);
}

Status Transaction::commit() {
  Status done = rename_all();
  StagedFile& document = files_.front();
  if (done && document.in_place) {
    done = write_in_place(document.asked_for, document.bytes);
  }
  if (!done) {
    return done;
  }
  files_.resize(1);  // from here on they are the document's
  if (!document.in_place && !folders_[document.folder].sync()) {
    return error("'{}' is written, but may not outlast a power failure: {}", document.asked_for.string(),
                 reason_of(errno));
  }
  return done;
}

void Transaction::remove(const UnusedFiles& unused) {
  if (files_.front().in_place || !folders_[files_.front().folder].is_alone()) {
    return;
  }
  Folder& folder = folders_[files_.front().folder];
  for (const std::string& name : unused(folder.path())) {
    file_calls().unlink_at(folder.get(), name.c_str());
  }
}

// Undoes what is not the document's yet.
void Transaction::roll_back() {
  if (!files_.empty() && files_.front().renamed) {
    return;
  }
  bool any_in_place = false;
  for (const StagedFile& file : files_) {
    if (!file.temporary.empty()) {
      file_calls().unlink_at(folders_[file.folder].get(), file.temporary.c_str());
    }
    any_in_place = any_in_place || file.renamed;
  }
  for (const StagedFile& file : files_) {
    // Another program may have found the file there and count on it; if it does not, its next write removes it.
    if (file.renamed && !folders_[file.folder].is_shared()) {
      file_calls().unlink_at(folders_[file.folder].get(), file.name.c_str());
    }
  }
  for (Folder& folder : folders_) {
    if (any_in_place) {
      folder.sync();
    }
  }
  files_.clear();
}

}  // namespace

FileCalls& file_calls() {
  static FileCalls calls = {
      .open_at = [](int folder, const char* name, int flags,
                    mode_t mode) { return ::openat(folder, name, flags, mode); },
      .write = [](int file, const void* bytes, std::size_t count) { return ::write(file, bytes, count); },
      .sync = [](int file) { return ::fsync(file); },
      .rename_at = [](int folder, const char* from, int to_folder,
                      const char* to) { return ::renameat(folder, from, to_folder, to); },
      .unlink_at = [](int folder, const char* name) { return ::unlinkat(folder, name, 0); },
  };
  return calls;
}

Status write_files_atomically(std::span<const NewFile> files, const UnusedFiles& unused) {
  if (files.empty()) {
    return {};
  }
  Transaction transaction;
  if (const Status staged = transaction.stage(files); !staged) {
    return staged;
  }
  if (const Status done = transaction.commit(); !done) {
    return done;
  }
  if (unused) {
    transaction.remove(unused);
  }
  return {};
}

void remove_leftovers(const fs::path& folder) {
  (void)Folder::open(folder, folder);
}

Status write_file_atomically(const fs::path& path, std::string_view bytes) {
  const NewFile file{path, bytes};
  return write_files_atomically({&file, 1});
}

Status check_not_read(const fs::path& path, std::span<const ReadFile> read) {
  const auto identity = [](const fs::path& of, int standard_stream, struct stat& status) {
    return (of == "-" ? ::fstat(standard_stream, &status) : ::stat(of.c_str(), &status)) == 0 &&
           S_ISREG(status.st_mode);
  };
  struct stat output {};
  if (!identity(path, STDOUT_FILENO, output)) {
    return {};
  }
  for (const ReadFile& file : read) {
    struct stat input {};
    if (identity(file.path, STDIN_FILENO, input) && input.st_dev == output.st_dev && input.st_ino == output.st_ino) {
      return error("{}: is the same file as {} ({}), which is read; choose another name for the output",
                   path == "-" ? "standard output" : path.string(),
                   file.path == "-" ? "standard input" : file.path.string(), file.role);
    }
  }
  return {};
}

}  // namespace pelt
