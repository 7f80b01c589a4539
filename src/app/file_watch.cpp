#include "app/file_watch.h"

#include <algorithm>
#include <iterator>

namespace pelt::app {

void FileWatch::watch(const StampedFile& file) {
  file_ = file.path;
  files_.clear();
  if (!file_.empty()) {
    files_.push_back(file_);
    for (const char* extension : {".bin", ".mtl"}) {
      files_.push_back(std::filesystem::path(file_).replace_extension(extension));
    }
  }
  guessed_ = files_.size();
  latest_ = stamps();
  known_ = latest_;
  if (!known_.empty()) {
    known_.front() = file.stamp;
  }
}

void FileWatch::also_watch(std::span<const StampedFile> files) {
  files_.resize(guessed_);
  known_.resize(guessed_);
  for (const StampedFile& file : files) {
    files_.push_back(file.path);
    known_.push_back(file.stamp);
  }
  latest_ = stamps();
}

FileWatch::Stamps FileWatch::stamps() const {
  Stamps out;
  std::ranges::transform(files_, std::back_inserter(out), file_stamp);
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
