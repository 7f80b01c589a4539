#include "core/file.h"

#include <cerrno>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

// For pipes, terminals and devices, which nothing may be renamed over.
Status write_in_place(const std::filesystem::path& path, std::string_view bytes) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0 || !write_all(file.get(), bytes) || file.close() != 0) {
    return error("cannot write '{}': {}", path.string(), reason(errno));
  }
  return {};
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path) {
  // Non-blocking, so that a FIFO put in a file's place fails the regular-file test instead of waiting for a writer.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) {
    return error("cannot read '{}': {}", path.string(), reason(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    return error("cannot read '{}': it is not a regular file", path.string());
  }
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return error("cannot read '{}': {}", path.string(), reason(errno));
    }
    if (count == 0) {
      break;
    }
    done += static_cast<std::size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

Status write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  struct stat old_status {};
  const bool replaces = ::stat(path.c_str(), &old_status) == 0;
  if (replaces && !S_ISREG(old_status.st_mode) && !S_ISDIR(old_status.st_mode)) {
    return write_in_place(path, bytes);
  }
  // Not canonical(): a link may lead to a file that is not there yet.
  std::filesystem::path target = path;
  std::error_code failure;
  for (int hop = 0; std::filesystem::is_symlink(target, failure); ++hop) {
    const std::filesystem::path next = std::filesystem::read_symlink(target, failure);
    if (failure || hop == kMostLinks) {
      return error("cannot write '{}': {}", path.string(), reason(failure ? failure.value() : ELOOP));
    }
    target = target.parent_path() / next;  // an absolute `next` replaces the folder
  }
  std::string temporary = target.string() + ".XXXXXX";
  Descriptor file(::mkstemp(temporary.data()));
  if (file.get() < 0) {
    return error("cannot write '{}': {}", path.string(), reason(errno));
  }
  const auto fail = [&](int code) -> Status {
    ::unlink(temporary.c_str());
    return error("cannot write '{}': {}", path.string(), reason(code));
  };
  if (!write_all(file.get(), bytes)) {
    return fail(errno);
  }
  // mkstemp makes private files; a result should have the permissions any new (or the replaced) file would have.
  mode_t mode = old_status.st_mode & 0777;
  if (!replaces) {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    mode = 0666 & ~mask;
  }
  if (::fchmod(file.get(), mode) != 0 || ::fsync(file.get()) != 0 || file.close() != 0) {
    return fail(errno);
  }
  if (::rename(temporary.c_str(), target.c_str()) != 0) {
    return fail(errno);
  }
  return {};
}

}  // namespace pelt
