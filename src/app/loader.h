#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/file.h"
#include "core/jobs.h"
#include "core/result.h"
#include "rig/character.h"

namespace pelt::app {

/// Opens one character at a time in the background, so that the window answers meanwhile.
class Loader {
 public:
  explicit Loader(std::shared_ptr<Jobs> jobs);

  /// Starts opening `file`; what was being opened is cancelled.
  /// @param allow_outside_uris  see gltf::ImportOptions
  void start(std::string file, bool allow_outside_uris = false);
  /// Asks the work to stop; nothing will be delivered.
  void cancel() { slot_.cancel(); }

  struct Finished {
    std::string file;
    std::optional<FileStamp> stamp;  ///< of the file, from before it was read
    Result<std::shared_ptr<const rig::Character>> character;
    int clip = -1;                   ///< that it opens with, edit::opening_clip()
    std::vector<StampedFile> files;  ///< that were read beside it
  };
  /// What has come to an end since the last call, once.
  std::optional<Finished> take();

  [[nodiscard]] const JobSlot<Finished>& slot() const { return slot_; }

 private:
  JobSlot<Finished> slot_;
};

}  // namespace pelt::app
