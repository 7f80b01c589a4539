#include "app/pose_on_disk.h"

#include <utility>

#include "core/file.h"
#include "core/text.h"

namespace pelt::app {

Result<edit::ReplacePose> PoseOnDisk::open(const edit::Document& document, const std::filesystem::path& path,
                                           edit::PoseReport& report) {
  std::string text;
  Result<edit::ReplacePose> pose = edit::load_pose(document, path, &report, &text);
  if (pose && report.exact()) {
    path_ = path;
    content_ = std::move(text);
  } else if (pose) {
    forget();
  }
  return pose;
}

Status PoseOnDisk::save(const edit::Document& document, const std::filesystem::path& path) {
  if (path == path_) {
    // A file that is gone, or cannot be read, holds nothing that could be lost unseen; writing says what is wrong.
    if (Result<std::string> now = read_file(path); now && *now != content_) {
      content_ = *std::move(now);
      return error(
          "{} was changed by another program since it was opened or saved here; save again to replace it, or save the "
          "pose under another name",
          printable(path.string(), 200));
    }
  }
  std::string text = edit::pose_to_json(document);
  if (Status written = write_file_atomically(path, text); !written) {
    return written;
  }
  path_ = path;
  content_ = std::move(text);
  return {};
}

void PoseOnDisk::forget() {
  path_.clear();
  content_.clear();
}

}  // namespace pelt::app
