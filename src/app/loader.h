#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/session_file.h"
#include "core/file.h"
#include "core/jobs.h"
#include "core/result.h"
#include "rig/character.h"

namespace pelt::app {

/// Opens one character or session at a time in the background, so that the window answers meanwhile.
class Loader {
 public:
  explicit Loader(std::shared_ptr<Jobs> jobs);

  /// How a file is opened.
  struct How {
    bool allow_outside_uris = false;   ///< see gltf::ImportOptions
    cli::SessionOpening session = {};  ///< of one
    bool reload = false;               ///< takes the file as a newer version of the character shown, whose edits stay
  };
  /// Starts opening a character or a session; what was being opened is cancelled.
  void start(std::string file, How how);
  void start(std::string file) { start(std::move(file), How{}); }
  /// Asks the work to stop; nothing will be delivered.
  void cancel() { slot_.cancel(); }

  struct Finished {
    std::string file;
    std::optional<FileStamp> stamp;  ///< of the file, from before it was read
    Result<std::shared_ptr<const rig::Character>> character;
    int clip = -1;                   ///< that it opens with, edit::opening_clip()
    std::vector<StampedFile> files;  ///< that were read beside it
    /// Where the file is a session, its character being the one above.
    std::shared_ptr<cli::OpenedSessionFile> session = nullptr;
    std::optional<FileStamp> session_stamp = {};  ///< of the session, from before it was read
    cli::SessionFailure failure = {};             ///< why it could not be opened
    cli::SessionOpening how = {};                 ///< as it was asked for
    bool reload = false;                          ///< likewise
  };
  /// What has come to an end since the last call, once.
  std::optional<Finished> take();

  [[nodiscard]] const JobSlot<Finished>& slot() const { return slot_; }

 private:
  JobSlot<Finished> slot_;
};

}  // namespace pelt::app
