// Motion of other skeletons for the tab "Motion".
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/window_state.h"
#include "core/file.h"
#include "core/guarded_json.h"
#include "core/text.h"
#include "formats/open.h"
#include "motion/joint_map.h"
#include "ui/motion_panel.h"

namespace pelt::app {

void open_motion(Window& app, const std::string& file) {
  gltf::ImportOptions options;
  options.decode_images = false;
  ui::Workspace& workspace = app.session.workspace;
  ui::open_motion(workspace.panel<ui::MotionPanel>(), workspace, file, [file, options](const Progress& progress) {
    return formats::open_character(file, options, progress);
  });
  ui::show_tab(workspace, ui::kMotionTab);
}

void open_joint_map(Window& app, const std::string& file) {
  ui::MotionPanel& panel = app.session.workspace.panel<ui::MotionPanel>();
  if (panel.motion == nullptr) {
    return;
  }
  const Result<std::string> text = read_file(file, JsonLimits().bytes);
  Result<motion::JointMap> map =
      text ? motion::read_joint_map(*text, panel.motion->skeleton, edit::own_character(app.session.document)->skeleton)
           : text.error();
  if (!map) {
    show_error(app, map.error().in(printable(file, 200)).message);
    return;
  }
  panel.map = *std::move(map);
  panel.changed = true;
  app.session.workspace.error.reset();  // perhaps of the attempt before
  show_notice(app, fmt::format("Joint map opened from {}", file));
}

void save_joint_map(Window& app, const std::string& file) {
  const ui::MotionPanel& panel = app.session.workspace.panel<ui::MotionPanel>();
  if (panel.shown == nullptr || !panel.shown->error.empty()) {
    return;
  }
  const ui::MotionPreview& shown = *panel.shown;
  const Status free = check_not_shown(app, file);
  const std::string text = motion::to_json(shown.map, shown.source.character.skeleton, shown.target.character.skeleton);
  if (const Status saved = free ? write_file_atomically(file, text) : free; !saved) {
    show_error(app, saved.error().message);
    return;
  }
  app.session.workspace.error.reset();
  show_notice(app, fmt::format("Joint map saved to {}", file));
}

}  // namespace pelt::app
