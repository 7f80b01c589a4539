#pragma once

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "core/result.h"

namespace pelt::app {

/// $XDG_STATE_HOME/pelt/recovery, else ~/.local/state/pelt/recovery; empty where neither is set.
std::filesystem::path recovery_folder();

/// A session of that folder, and the lock beside it by which other programs know that somebody has it. Shared by
/// whoever reads or writes the session: the lock is held until the last of them has let go, and ends with the program,
/// however that ends. What is not locked was left behind.
class RecoveryFile {
 public:
  /// A new one. Makes the folder and the lock; the session itself is the caller's to write.
  static Result<std::shared_ptr<RecoveryFile>> make(const std::filesystem::path& folder);
  /// One that an ended program left behind; null where another has taken it, or it is gone.
  static std::shared_ptr<RecoveryFile> take(const std::filesystem::path& session);
  ~RecoveryFile();
  RecoveryFile(const RecoveryFile&) = delete;
  RecoveryFile& operator=(const RecoveryFile&) = delete;

  [[nodiscard]] const std::filesystem::path& session() const { return session_; }
  /// Nobody needs it any more: session, data and lock are removed when the last has let go. To be called by one thread.
  void discard() { discarded_ = true; }

 private:
  RecoveryFile(std::filesystem::path session, int lock) : session_(std::move(session)), lock_(lock) {}

  std::filesystem::path session_;
  int lock_ = -1;
  bool discarded_ = false;
};

/// The file that one running program saves its unsaved work to.
class Recovery {
 public:
  explicit Recovery(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The session to write, to be held while it is written; the first call makes folder and lock.
  Result<std::shared_ptr<RecoveryFile>> file();
  /// Nothing is left to be recovered: what file() led to is discarded, and the next call leads to another.
  void forget();
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  /// Whether that is the name of a session in the folder, of this program or another.
  [[nodiscard]] bool holds(const std::filesystem::path& session) const;

 private:
  std::filesystem::path folder_;
  std::shared_ptr<RecoveryFile> file_;
};

/// Sessions that ended programs left in the folder, newest first. Removes locks and data that belong to none, and
/// what kills left of files that were being written.
std::vector<std::filesystem::path> left_behind(const std::filesystem::path& folder);
/// Removes one of them, with its data and its lock, unless another program has taken it.
void remove_left_behind(const std::filesystem::path& session);

}  // namespace pelt::app
