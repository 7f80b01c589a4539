#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "core/progress.h"

namespace pelt::app {

/// Work on a thread of its own, one piece at a time; the newest wins. Nothing here waits for the work but the end.
template <typename Result>
class Background {
 public:
  /// Returns nothing when its progress asked it to stop.
  using Work = std::function<std::optional<Result>(const Progress&)>;

  /// @param wake  called from the other thread when there is something new to show, a few times a second at most
  explicit Background(std::function<void()> wake)
      : wake_(std::move(wake)), thread_([this](const std::stop_token& stop) { run(stop); }) {}
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// Whatever runs is asked to stop; its result will not be delivered.
  void start(Work work) {
    const std::lock_guard lock(mutex_);
    ++newest_;
    next_ = std::move(work);
    result_.reset();
    state_ = {true, 0, {}};
    changed_.notify_all();
  }
  void cancel() {
    const std::lock_guard lock(mutex_);
    ++newest_;
    next_ = nullptr;
    result_.reset();
    state_ = {};
  }
  /// What has come to an end since the last call, once.
  std::optional<Result> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(result_, std::nullopt);
  }

  struct State {
    bool active = false;
    float fraction = 0;
    std::string what;
  };
  [[nodiscard]] State state() const {
    const std::lock_guard lock(mutex_);
    return state_;
  }

 private:
  static constexpr std::chrono::milliseconds kWakeInterval{100};

  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return static_cast<bool>(next_); })) {
      const Work work = std::exchange(next_, nullptr);
      const std::uint64_t mine = newest_;
      lock.unlock();
      auto woken = std::chrono::steady_clock::now();
      std::optional<Result> result = work([&](float fraction, std::string_view what) {
        const auto now = std::chrono::steady_clock::now();
        bool current = false;
        {
          const std::lock_guard inner(mutex_);
          current = mine == newest_ && !stop.stop_requested();
          if (current) {
            state_.fraction = fraction;
            state_.what = what;
          }
        }
        if (current && now - woken > kWakeInterval) {
          woken = now;
          wake_();
        }
        return current;
      });
      lock.lock();
      if (mine == newest_ && !stop.stop_requested()) {
        result_ = std::move(result);
        state_ = {};
        lock.unlock();
        wake_();
        lock.lock();
      }
    }
  }

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  Work next_;  ///< guarded by mutex_, as all below
  std::optional<Result> result_;
  State state_;
  std::uint64_t newest_ = 0;
  std::jthread thread_;  ///< last: joined before what it uses goes away
};

}  // namespace pelt::app
