#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"

namespace pelt::app {

/// $XDG_STATE_HOME/pelt/recovery, else ~/.local/state/pelt/recovery; empty where neither is set.
std::filesystem::path recovery_folder();

/// The file that one running program saves its unsaved work to, and the lock beside it by which other programs know
/// that it lives. The lock ends with the program, however that ends: what is not locked was left behind.
class Recovery {
 public:
  explicit Recovery(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~Recovery();
  Recovery(const Recovery&) = delete;
  Recovery& operator=(const Recovery&) = delete;

  /// The session to write; the first call makes folder and lock.
  Result<std::filesystem::path> file();
  /// Nothing is left to be recovered: removes what file() led to.
  void forget();
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  Status take_lock();

  std::filesystem::path folder_;
  std::filesystem::path file_;
  int lock_ = -1;
};

/// Sessions that ended programs left in the folder, newest first. Removes locks and data that belong to none.
std::vector<std::filesystem::path> left_behind(const std::filesystem::path& folder);
/// Removes one of them, with its data and its lock.
void remove_left_behind(const std::filesystem::path& session);

}  // namespace pelt::app
