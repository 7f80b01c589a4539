#include "app/preparer.h"

#include <new>
#include <utility>

#include "core/progress.h"

namespace pelt::app {

Preparer::Preparer(std::function<void()> wake) : wake_(std::move(wake)) {}

Preparer::~Preparer() = default;  // std::jthread asks its work to stop and waits for it

void Preparer::start(std::shared_ptr<deform::SkinCache> cache, std::shared_ptr<const rig::Character> character,
                     const deform::SkinningSettings& settings) {
  if (state().active) {
    if (character_ != character.get() || settings_ != settings) {
      cancel();  // its end wakes the window, which asks again: nobody waits here
    }
    return;
  }
  character_ = character.get();
  settings_ = settings;
  {
    const std::lock_guard lock(mutex_);
    state_ = {true, "preparing", 0, false};
  }
  thread_ = std::jthread(
      [this, cache = std::move(cache), character = std::move(character), settings](const std::stop_token& stop) {
        const Progress progress = [&](float fraction, std::string_view what) {
          {
            const std::lock_guard lock(mutex_);
            state_.fraction = fraction;
            state_.what = what;
          }
          wake_();
          return !stop.stop_requested();
        };
        bool failed = false;
        try {
          cache->prepare(*character, settings, progress);
        } catch (const std::bad_alloc&) {
          failed = true;
        }
        {
          const std::lock_guard lock(mutex_);
          state_.active = false;
          state_.failed = failed;
        }
        wake_();
      });
}

void Preparer::cancel() {
  thread_.request_stop();
  settings_.reset();
  const std::lock_guard lock(mutex_);
  state_.failed = false;
}

Preparer::State Preparer::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

}  // namespace pelt::app
