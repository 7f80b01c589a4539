#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "deform/settings.h"
#include "deform/skin_cache.h"
#include "rig/character.h"

namespace pelt::app {

/// Lets a skinning method prepare a character on a thread of its own; see SkinCache::prepare().
class Preparer {
 public:
  /// @param wake  called from the other thread whenever there is something new to show
  explicit Preparer(std::function<void()> wake);
  /// Cancels what is going on and waits for it.
  ~Preparer();
  Preparer(const Preparer&) = delete;
  Preparer& operator=(const Preparer&) = delete;

  /// Starts preparing unless something is going on. Where that is other work, it is asked to stop; call again when it
  /// has woken the window. Never waits.
  void start(std::shared_ptr<deform::SkinCache> cache, std::shared_ptr<const rig::Character> character,
             const deform::SkinningSettings& settings);
  /// Asks the work to stop.
  void cancel();

  struct State {
    bool active = false;
    std::string what;
    float fraction = 0;
    bool failed = false;  ///< the last work ran out of memory
  };
  [[nodiscard]] State state() const;

 private:
  std::function<void()> wake_;
  const rig::Character* character_ = nullptr;         ///< of the last start()
  std::optional<deform::SkinningSettings> settings_;  ///< likewise
  mutable std::mutex mutex_;
  State state_;          ///< guarded by mutex_
  std::jthread thread_;  ///< last: joined before what it uses goes away
};

}  // namespace pelt::app
