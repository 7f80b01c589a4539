#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/file.h"
#include "core/result.h"
#include "rig/character.h"

namespace pelt::app {

/// Opens one character at a time on a thread of its own, so that the window answers meanwhile.
class Loader {
 public:
  /// @param wake  called from the other thread whenever there is something new to show
  explicit Loader(std::function<void()> wake);
  /// Cancels what is going on and waits for it.
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  /// Starts opening `file`; what was being opened is cancelled.
  /// @param allow_outside_uris  see gltf::ImportOptions
  void start(std::string file, bool allow_outside_uris = false);
  /// Asks the work to stop; nothing will be delivered.
  void cancel();

  struct Finished {
    std::string file;
    std::optional<FileStamp> stamp;  ///< of the file, from before it was read
    Result<std::shared_ptr<const rig::Character>> character;
    int clip = -1;                   ///< that it opens with, edit::opening_clip()
    std::vector<StampedFile> files;  ///< that were read beside it
  };
  /// What has come to an end since the last call, once.
  std::optional<Finished> take();

  struct State {
    bool active = false;
    std::string file;
    std::string what;
    float fraction = 0;
  };
  [[nodiscard]] State state() const;

 private:
  std::function<void()> wake_;
  mutable std::mutex mutex_;
  State state_;                       ///< guarded by mutex_
  std::optional<Finished> finished_;  ///< guarded by mutex_
  std::jthread thread_;               ///< last: joined before what it uses goes away
};

}  // namespace pelt::app
