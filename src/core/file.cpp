#include "core/file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/expect.h"
#include "core/large_memory.h"
#include "core/parallel.h"

namespace pelt {
namespace {

constexpr int kMostLinks = 40;  // as in the kernel

std::string reason(int code) {
  return std::generic_category().message(code);
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
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
bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) {
      return false;
    }
    bytes.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
  }
  return true;
}

/// Reads a regular file into the memory that `room(size)` gives; calls it again with fewer bytes where the file has
/// become shorter meanwhile.
template <typename Room>
Status read_into(const std::filesystem::path& path, const Room& room) {
  // Non-blocking, so that a FIFO put in a file's place fails the regular-file test instead of waiting for a writer.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) {
    return error("cannot read '{}': {}", path.string(), reason(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    return error("cannot read '{}': it is not a regular file", path.string());
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  char* const bytes = room(size);
  if (constexpr std::size_t kLarge = std::size_t{16} << 20; size >= kLarge) {
    // Most of the time goes into pages that are touched first, which all threads can do.
    std::atomic<bool> all = true;
    parallel_for(size, std::size_t{4} << 20, [&](std::size_t begin, std::size_t end) {
      while (begin < end && all) {
        const ssize_t count = ::pread(file.get(), bytes + begin, end - begin, static_cast<off_t>(begin));
        if (count > 0) {
          begin += static_cast<std::size_t>(count);
        } else if (count == 0 || errno != EINTR) {
          all = false;  // what is wrong shows below
        }
      }
    });
    if (all) {
      return {};
    }
  }
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = ::read(file.get(), bytes + done, size - done);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return error("cannot read '{}': {}", path.string(), reason(errno));
    }
    if (count == 0) {
      room(done);
      break;
    }
    done += static_cast<std::size_t>(count);
  }
  return {};
}

// For pipes, terminals and devices, which nothing may be renamed over.
Status write_in_place(const std::filesystem::path& path, std::string_view bytes) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0 || !write_all(file.get(), bytes) || file.close() != 0) {
    return error("cannot write '{}': {}", path.string(), reason(errno));
  }
  return {};
}

/// A file written under a temporary name beside its own, which it gets by commit(). Without that nothing of it stays.
class StagedFile {
 public:
  StagedFile() = default;
  ~StagedFile() {
    remove(temporary_);
    remove(backup_);
  }
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  Status write(const std::filesystem::path& path, std::string_view bytes);
  /// Keeps the old file under another name, so that undo() can put it back.
  void keep_old();
  Status commit();
  void undo();

 private:
  static void remove(const std::string& name) {
    if (!name.empty()) {
      ::unlink(name.c_str());
    }
  }

  std::string asked_for_;         ///< what errors name
  std::filesystem::path target_;  ///< behind links
  std::string temporary_;
  std::string backup_;
  bool replaces_ = false;
  bool in_place_ = false;  ///< a pipe, terminal or device
  bool committed_ = false;
  std::string_view bytes_;
};

Status StagedFile::write(const std::filesystem::path& path, std::string_view bytes) {
  asked_for_ = path.string();
  struct stat old_status {};
  replaces_ = ::stat(path.c_str(), &old_status) == 0;
  in_place_ = replaces_ && !S_ISREG(old_status.st_mode) && !S_ISDIR(old_status.st_mode);
  target_ = path;
  if (in_place_) {
    bytes_ = bytes;
    return {};
  }
  // Not canonical(): a link may lead to a file that is not there yet.
  std::error_code failure;
  for (int hop = 0; std::filesystem::is_symlink(target_, failure); ++hop) {
    const std::filesystem::path next = std::filesystem::read_symlink(target_, failure);
    if (failure || hop == kMostLinks) {
      return error("cannot write '{}': {}", asked_for_, reason(failure ? failure.value() : ELOOP));
    }
    target_ = target_.parent_path() / next;  // an absolute `next` replaces the folder
  }
  std::string name = target_.string() + ".XXXXXX";
  Descriptor file(::mkstemp(name.data()));
  if (file.get() < 0) {
    return error("cannot write '{}': {}", asked_for_, reason(errno));
  }
  temporary_ = name;
  // mkstemp makes private files; a result should have the permissions any new (or the replaced) file would have.
  mode_t mode = old_status.st_mode & 0777;
  if (!replaces_) {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    mode = 0666 & ~mask;
  }
  if (!write_all(file.get(), bytes) || ::fchmod(file.get(), mode) != 0 || ::fsync(file.get()) != 0 ||
      file.close() != 0) {
    return error("cannot write '{}': {}", asked_for_, reason(errno));
  }
  return {};
}

void StagedFile::keep_old() {
  if (replaces_ && !in_place_) {
    // Where the file system has no links a failure half-way leaves new files among the old.
    const std::string name = temporary_ + ".old";
    backup_ = ::link(target_.c_str(), name.c_str()) == 0 ? name : std::string();
  }
}

Status StagedFile::commit() {
  if (in_place_) {
    return write_in_place(target_, bytes_);
  }
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    return error("cannot write '{}': {}", asked_for_, reason(errno));
  }
  temporary_.clear();
  committed_ = true;
  return {};
}

void StagedFile::undo() {
  if (!committed_) {
    return;
  }
  if (!replaces_) {
    ::unlink(target_.c_str());
  } else if (!backup_.empty()) {
    // Where that fails the old file stays under the other name: it is the only copy.
    [[maybe_unused]] const int failed = ::rename(backup_.c_str(), target_.c_str());
    backup_.clear();
  }
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path) {
  std::string bytes;
  const Status status = read_into(path, [&](std::size_t size) {
    bytes.resize(size);
    return bytes.data();
  });
  return status ? Result<std::string>(std::move(bytes)) : Result<std::string>(status.error());
}

FileBytes::FileBytes(FileBytes&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)) {}

FileBytes& FileBytes::operator=(FileBytes&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(capacity_, other.capacity_);
  return *this;
}

FileBytes::~FileBytes() {
  if (data_ != nullptr) {
    ::munmap(data_, capacity_);
  }
}

void FileBytes::release(std::size_t begin, std::size_t end) {
  PELT_EXPECT(end <= size_, "only what is held can be given back");
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t first = (begin + page - 1) / page * page;
  const std::size_t last = end / page * page;
  if (first < last) {
    ::madvise(data_ + first, last - first, MADV_DONTNEED);
  }
}

Result<FileBytes> read_file_bytes(const std::filesystem::path& path) {
  FileBytes out;
  const Status status = read_into(path, [&](std::size_t size) -> char* {
    if (out.data_ != nullptr) {
      out.size_ = size;  // the file has become shorter
      return nullptr;
    }
    void* const memory =
        ::mmap(nullptr, std::max<std::size_t>(size, 1), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      throw std::bad_alloc();
    }
    prefer_large_pages(memory, size);
    out.data_ = static_cast<std::uint8_t*>(memory);
    out.size_ = size;
    out.capacity_ = std::max<std::size_t>(size, 1);
    return static_cast<char*>(memory);
  });
  return status ? Result<FileBytes>(std::move(out)) : Result<FileBytes>(status.error());
}

Status write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  StagedFile file;
  const Status written = file.write(path, bytes);
  return written ? file.commit() : written;
}

Status write_files_atomically(std::span<const NewFile> files) {
  std::vector<StagedFile> staged(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (const Status written = staged[i].write(files[i].path, files[i].bytes); !written) {
      return written;
    }
  }
  if (files.size() > 1) {
    for (StagedFile& file : staged) {
      file.keep_old();
    }
  }
  for (std::size_t i = files.size(); i-- > 0;) {
    if (const Status renamed = staged[i].commit(); !renamed) {
      for (StagedFile& file : staged) {
        file.undo();
      }
      return renamed;
    }
  }
  return {};
}

}  // namespace pelt
