#pragma once

#include <filesystem>
#include <string>

#include "core/result.h"
#include "edit/pose_file.h"

namespace pelt::app {

/// The pose file that "Save pose" writes to, as this program last read or wrote it: what others write there meanwhile
/// is never replaced unasked.
class PoseOnDisk {
 public:
  /// Reads a pose for the document's character. The file becomes the one to save to where the character has all of it
  /// under the very names. Otherwise there is none: what would be saved lacks what the file holds for another
  /// character.
  Result<edit::ReplacePose> open(const edit::Document& document, const std::filesystem::path& path,
                                 edit::PoseReport& report);

  /// Writes the pose and makes `path` the file to save to. Fails, once, where another program has changed this file
  /// since: the same call agrees to replace the change.
  Status save(const edit::Document& document, const std::filesystem::path& path);

  /// Another character: there is no file to save to.
  void forget();

  /// Empty where there is none.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::string content_;  ///< as last seen
};

}  // namespace pelt::app
