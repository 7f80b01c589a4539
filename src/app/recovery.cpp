#include "app/recovery.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "core/leftovers.h"

namespace pelt::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSession = ".pelt";
constexpr const char* kData = ".pelt.d";
constexpr const char* kLock = ".lock";

fs::path beside(const fs::path& session, const char* ending) {
  fs::path path = session;
  path.replace_extension();
  path += ending;
  return path;
}

// Whether an open file still has its name: another program may have removed it.
bool is_in_folder(int file) {
  struct stat status {};
  return ::fstat(file, &status) == 0 && status.st_nlink > 0;
}

// The lock of a program that has ended, held; -1 where it lives, or the lock cannot be had. One that is not there is
// made: then no other program takes the file while this one does.
int take_lock_of(const fs::path& session) {
  const int lock = ::open(beside(session, kLock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock >= 0 && (::flock(lock, LOCK_EX | LOCK_NB) != 0 || !is_in_folder(lock))) {
    ::close(lock);
    return -1;
  }
  return lock;
}

void remove_all_of(const fs::path& session) {
  std::error_code ignored;
  fs::remove(session, ignored);  // first: what it needs may be missing, but not what it says
  fs::remove_all(beside(session, kData), ignored);
  fs::remove(beside(session, kLock), ignored);
}

}  // namespace

fs::path recovery_folder() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state != '\0') {
    return fs::path(state) / "pelt" / "recovery";
  }
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') {
    return fs::path(home) / ".local" / "state" / "pelt" / "recovery";
  }
  return {};
}

Result<std::shared_ptr<RecoveryFile>> RecoveryFile::make(const fs::path& folder) {
  if (folder.empty()) {
    return error("neither XDG_STATE_HOME nor HOME is set");
  }
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) {
    return error("cannot make '{}': {}", folder.string(), failure.message());
  }
  constexpr int kAttempts = 10;
  for (int i = 0; i < kAttempts; ++i) {
    const fs::path session = folder / (new_write_id() + kSession);
    const fs::path name = beside(session, kLock);
    const int lock = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (lock < 0) {
      return error("cannot write '{}': {}", name.string(), std::generic_category().message(errno));
    }
    // A program that starts just now may have found it unlocked, and removed it.
    if (::flock(lock, LOCK_EX | LOCK_NB) == 0 && is_in_folder(lock)) {
      return std::shared_ptr<RecoveryFile>(new RecoveryFile(session, lock));
    }
    ::close(lock);
  }
  return error("cannot lock a file in '{}'", folder.string());
}

std::shared_ptr<RecoveryFile> RecoveryFile::take(const fs::path& session) {
  const int lock = take_lock_of(session);
  if (lock < 0) {
    return nullptr;
  }
  std::shared_ptr<RecoveryFile> taken(new RecoveryFile(session, lock));
  std::error_code failure;
  if (!fs::exists(session, failure)) {
    taken->discard();  // another program has just removed it, and its lock, which was made again
    return nullptr;
  }
  return taken;
}

RecoveryFile::~RecoveryFile() {
  if (discarded_) {
    remove_all_of(session_);
  }
  ::close(lock_);
}

Result<std::shared_ptr<RecoveryFile>> Recovery::file() {
  if (file_ == nullptr) {
    PELT_TRY_TO(file_, RecoveryFile::make(folder_));
  }
  return file_;
}

void Recovery::forget() {
  if (file_ != nullptr) {
    file_->discard();
    file_.reset();
  }
}

bool Recovery::holds(const fs::path& session) const {
  return !folder_.empty() && session.extension() == kSession && session.parent_path() == folder_;
}

std::vector<fs::path> left_behind(const fs::path& folder) {
  std::error_code failure;
  remove_leftovers(folder);
  std::vector<fs::path> stems;  // of sessions, locks and data
  for (auto entry = fs::directory_iterator(folder, failure); !failure && entry != fs::directory_iterator();
       entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    for (const std::string_view ending : {kData, kSession, kLock}) {
      if (name.ends_with(ending) && name.size() > ending.size()) {
        stems.push_back(folder / (name.substr(0, name.size() - ending.size()) + kSession));
        break;
      }
    }
  }
  std::ranges::sort(stems);
  stems.erase(std::unique(stems.begin(), stems.end()), stems.end());
  std::vector<std::pair<fs::file_time_type, fs::path>> found;
  for (const fs::path& session : stems) {
    const int lock = take_lock_of(session);
    if (lock < 0) {
      continue;
    }
    const auto time = fs::last_write_time(session, failure);
    if (failure) {
      remove_all_of(session);
    } else {
      found.emplace_back(time, session);
    }
    ::close(lock);
  }
  std::ranges::sort(found, std::greater());
  std::vector<fs::path> out;
  for (auto& [time, session] : found) {
    out.push_back(std::move(session));
  }
  return out;
}

void remove_left_behind(const fs::path& session) {
  if (const std::shared_ptr<RecoveryFile> taken = RecoveryFile::take(session)) {
    taken->discard();
  }
}

}  // namespace pelt::app
