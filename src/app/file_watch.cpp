#include "app/file_watch.h"

#include <system_error>

namespace pelt::app {

void FileWatch::watch(const std::filesystem::path& file) {
  file_ = file;
  known_ = file.empty() ? Stamp{} : look();
  latest_ = known_;
}

FileWatch::Stamp FileWatch::look() const {
  Stamp stamp;
  constexpr std::array kExtensions = {"", ".bin", ".mtl"};
  for (std::size_t i = 0; i < kExtensions.size(); ++i) {
    std::filesystem::path path = file_;
    if (i > 0) {
      path.replace_extension(kExtensions[i]);
    }
    std::error_code failure;
    const std::filesystem::file_time_type time = std::filesystem::last_write_time(path, failure);
    const std::uintmax_t size = failure ? 0 : std::filesystem::file_size(path, failure);
    if (!failure) {
      stamp.files[i] = Stamp::One{time, size};
    }
  }
  return stamp;
}

bool FileWatch::changed(double now) {
  if (!active() || now - last_look_ < kWatchInterval) {
    return false;
  }
  last_look_ = now;
  const Stamp stamp = look();
  const bool rests = stamp == latest_;
  latest_ = stamp;
  if (!rests || stamp == known_ || !stamp.files[0]) {
    return false;
  }
  known_ = stamp;
  return true;
}

}  // namespace pelt::app
