#include "core/file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <new>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/expect.h"
#include "core/large_memory.h"
#include "core/parallel.h"

namespace pelt {
namespace {

std::string reason(int code) {
  return std::generic_category().message(code);
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

/// Reads a regular file into the memory that `room(size)` gives; calls it again with fewer bytes where the file has
/// become shorter meanwhile.
template <typename Room>
Status read_into(const std::filesystem::path& path, std::uintmax_t most, const Room& room) {
  // Non-blocking, so that a FIFO put in a file's place fails the regular-file test instead of waiting for a writer.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) {
    return error("cannot read '{}': {}", path.string(), reason(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    return error("cannot read '{}': it is not a regular file", path.string());
  }
  const std::size_t size = status.st_size;
  if (size > most) {
    return error("cannot read '{}': expected at most {} bytes, got {}", path.string(), most, size);
  }
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

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path, std::uintmax_t most) {
  std::string bytes;
  const Status status = read_into(path, most, [&](std::size_t size) {
    bytes.resize(size);
    return bytes.data();
  });
  return status ? Result<std::string>(std::move(bytes)) : Result<std::string>(status.error());
}

Result<std::string> read_stream(int descriptor, std::uintmax_t most) {
  constexpr std::size_t kFirstRoom = std::size_t{1} << 16;
  std::string bytes;
  std::size_t done = 0;
  for (;;) {
    if (done == bytes.size()) {
      // One byte more than is allowed tells that there is too much.
      bytes.resize(
          static_cast<std::size_t>(std::min<std::uintmax_t>(std::max(kFirstRoom, 2 * bytes.size()), most + 1)));
    }
    const ssize_t count = ::read(descriptor, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return error("cannot be read: {}", reason(errno));
    }
    if (count == 0) {
      bytes.resize(done);
      return bytes;
    }
    done += static_cast<std::size_t>(count);
    if (done > most) {
      return error("expected at most {} bytes, got more", most);
    }
  }
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
  const std::size_t page = ::sysconf(_SC_PAGESIZE);
  const std::size_t first = (begin + page - 1) / page * page;
  const std::size_t last = end / page * page;
  if (first < last) {
    ::madvise(data_ + first, last - first, MADV_DONTNEED);
  }
}

Result<FileBytes> read_file_bytes(const std::filesystem::path& path, std::uintmax_t most) {
  FileBytes out;
  const Status status = read_into(path, most, [&](std::size_t size) -> char* {
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

std::error_code why_not_writable(const std::filesystem::path& folder) {
  const bool can = ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
  return can ? std::error_code() : std::error_code(errno, std::generic_category());
}

std::optional<FileStamp> file_stamp(const std::filesystem::path& path) {
  std::error_code failure;
  const std::filesystem::file_time_type time = std::filesystem::last_write_time(path, failure);
  const std::uintmax_t size = failure ? 0 : std::filesystem::file_size(path, failure);
  return failure ? std::nullopt : std::optional(FileStamp{time, size});
}

}  // namespace pelt
