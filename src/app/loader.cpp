#include "app/loader.h"

#include <exception>
#include <utility>

#include "core/progress.h"
#include "edit/opening.h"
#include "formats/open.h"

namespace pelt::app {

Loader::Loader(std::function<void()> wake) : wake_(std::move(wake)) {}

Loader::~Loader() = default;  // std::jthread asks its work to stop and waits for it

void Loader::start(std::string file, bool allow_outside_uris) {
  thread_ = {};  // the one before stops first: two importers at once would share the machine for nothing
  {
    const std::lock_guard lock(mutex_);
    state_ = {true, file, "reading", 0};
    finished_.reset();
  }
  thread_ = std::jthread([this, file = std::move(file), allow_outside_uris](const std::stop_token& stop) {
    const Progress progress = [&](float fraction, std::string_view what) {
      {
        const std::lock_guard lock(mutex_);
        state_.fraction = fraction;
        state_.what = what;
      }
      wake_();
      return !stop.stop_requested();
    };
    const std::optional<FileStamp> stamp = file_stamp(file);
    std::vector<StampedFile> files;
    const auto open = [&]() -> Result<std::shared_ptr<const rig::Character>> {
      try {
        gltf::ImportOptions options;
        options.allow_outside_uris = allow_outside_uris;
        options.files = &files;
        Result<rig::Character> character = formats::open_character(file, options, progress);
        if (!character) {
          return character.error();
        }
        return std::shared_ptr<const rig::Character>(std::make_shared<rig::Character>(*std::move(character)));
      } catch (const std::exception& failure) {  // out of memory, for example
        return error("{}: {}", file, failure.what());
      }
    };
    Result<std::shared_ptr<const rig::Character>> character = open();
    const int clip = character && !stop.stop_requested() ? edit::opening_clip(**character) : -1;
    {
      const std::lock_guard lock(mutex_);
      state_.active = false;
      if (!stop.stop_requested()) {
        finished_ = Finished{file, stamp, std::move(character), clip, std::move(files)};
      }
    }
    wake_();
  });
}

void Loader::cancel() {
  thread_.request_stop();
  const std::lock_guard lock(mutex_);
  state_.active = false;
  finished_.reset();
}

std::optional<Loader::Finished> Loader::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(finished_, std::nullopt);
}

Loader::State Loader::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

}  // namespace pelt::app
