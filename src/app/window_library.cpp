// Poses in files, for the tab "Library".
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/window_state.h"
#include "core/file.h"
#include "core/guarded_json.h"
#include "core/text.h"
#include "edit/pose_library.h"
#include "ui/library_panel.h"

namespace pelt::app {

bool is_pose_file(const std::string& file) {
  constexpr std::size_t kBeginning = 256;
  std::string beginning(kBeginning, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<std::size_t>(stream.gcount()));
  return edit::is_poses(beginning);
}

void open_poses(Window& app, const std::string& file) {
  Session& session = app.session;
  const std::filesystem::path path(file);
  const Result<std::string> text = read_file(path, JsonLimits().bytes);
  Result<edit::OpenedPoses> opened =
      text ? edit::poses_from_json(session.document, *text, path.stem().string()) : text.error();
  if (!opened) {
    show_error(app, opened.error().in(printable(file, 200)).message);
    return;
  }
  edit::StorePoses change;
  std::vector<std::string> notes = std::move(opened->lost);
  for (edit::StoredPose& pose : opened->poses) {
    if (!pose.note.empty()) {
      notes.push_back(fmt::format("{}: {}", printable(pose.name, 80), pose.note));
    }
    change.poses.emplace_back(std::move(pose));
  }
  if (change.poses.empty()) {
    show_notice(app, fmt::format("There is no pose in {}", printable(file, 200)));
    return;
  }
  const std::size_t count = change.poses.size();
  edit::Commands commands = {{std::move(change), {}, true}};
  if (const std::string why = edit::why_refused(session.document, commands.front().change); !why.empty()) {
    show_error(app, why);
    return;
  }
  app.pose_pictures.add_pictures(session, *app.renderer, commands);
  edit::apply(session.document, commands.front());
  session.workspace.error.reset();  // perhaps of the attempt before
  ui::show_tab(session.workspace, ui::kLibraryTab);
  const std::string poses = count == 1 ? "1 pose" : fmt::format("{} poses", count);
  show_notice(app, notes.empty() ? fmt::format("{} added to the library", poses)
                                 : fmt::format("{} added to the library: {}", poses, notes.front()));
  if (!notes.empty()) {
    session.workspace.notice->severity = Severity::kWarning;
    session.workspace.notice->details = fmt::format("{}", fmt::join(notes, "\n"));
  }
}

void save_poses(Window& app, const std::string& file) {
  const edit::Document& document = app.session.document;
  const Status free = check_not_shown(app, file);
  if (const Status saved =
          free ? write_file_atomically(file, edit::poses_to_json(document, document.content.library)) : free;
      !saved) {
    show_error(app, saved.error().message);
    return;
  }
  app.session.workspace.error.reset();
  show_notice(app, fmt::format("Poses saved to {}", file));
}

}  // namespace pelt::app
