// Motion of other skeletons for the tab "Motion".
#include <string>

#include "app/window_state.h"
#include "formats/open.h"
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

}  // namespace pelt::app
