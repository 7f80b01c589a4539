#include "app/file_watch.h"

#include <system_error>

namespace pelt::app {

void FileWatch::watch(const std::filesystem::path& file) {
  file_ = file;
  files_.clear();
  if (!file.empty()) {
    files_.push_back(file);
    for (const char* extension : {".bin", ".mtl"}) {
      files_.push_back(std::filesystem::path(file).replace_extension(extension));
    }
  }
  guessed_ = files_.size();
  known_ = stamps();
  latest_ = known_;
}

void FileWatch::also_watch(const std::vector<std::filesystem::path>& files) {
  files_.resize(guessed_);
  files_.insert(files_.end(), files.begin(), files.end());
  latest_ = stamps();
  known_.resize(guessed_);  // what has happened to these meanwhile is still to be told
  known_.insert(known_.end(), latest_.begin() + static_cast<std::ptrdiff_t>(guessed_), latest_.end());
}

FileWatch::Stamps FileWatch::stamps() const {
  Stamps out;
  for (const std::filesystem::path& file : files_) {
    std::error_code failure;
    const std::filesystem::file_time_type time = std::filesystem::last_write_time(file, failure);
    const std::uintmax_t size = failure ? 0 : std::filesystem::file_size(file, failure);
    out.push_back(failure ? std::nullopt : std::optional(Stamp{time, size}));
  }
  return out;
}

FileNews FileWatch::look(double now) {
  if (!active() || now - last_look_ < kWatchInterval) {
    return FileNews::kNone;
  }
  last_look_ = now;
  const Stamps stamp = stamps();
  const bool rests = stamp == latest_;
  latest_ = stamp;
  if (!rests || stamp == known_) {
    return FileNews::kNone;
  }
  // Where the document is another one, it may well do without what the old one was read with.
  const bool same_document = stamp.front() == known_.front();
  std::optional<std::size_t> away;
  for (std::size_t i = 0; i < files_.size() && !away; ++i) {
    const bool is_needed = i == 0 || (same_document && i >= guessed_);
    away = is_needed && !stamp[i] ? std::optional(i) : std::nullopt;
  }
  const bool is_news = away && known_[*away];
  known_ = stamp;
  if (away) {
    gone_ = files_[*away];
    return is_news ? FileNews::kGone : FileNews::kNone;
  }
  return FileNews::kChanged;
}

}  // namespace pelt::app
