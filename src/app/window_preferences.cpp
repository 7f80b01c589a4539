// What the window keeps between sessions.
#include <filesystem>
#include <memory>
#include <utility>

#include "app/preferences.h"
#include "app/window_state.h"
#include "cli/back_picture.h"
#include "render/environment.h"
#include "ui/brush_tool.h"

namespace pelt::app {
namespace {

std::string absolute(const std::string& file) {
  std::error_code failure;
  const std::filesystem::path path = std::filesystem::absolute(file, failure);
  return failure ? file : path.lexically_normal().string();
}

void use_light_preferences(Window& app) {
  const ui::LightPreferences& light = app.session.workspace.preferences.light;
  render::ViewSettings& view = app.session.workspace.view;
  view.tone = light.tone;
  view.exposure = light.exposure;
  view.occlusion = light.occlusion;
  if (light.environment == render::Environment::kImage) {
    open_environment(app, light.environment_file);
  } else {
    view.environment = light.environment;
  }
}

}  // namespace

void open_environment(Window& app, const std::string& file) {
  render::ViewSettings& view = app.session.workspace.view;
  Result<render::EnvironmentImage> image = render::load_environment(file);
  if (!image) {
    show_error(app, image.error().message);
    return;
  }
  view.environment_image = std::make_shared<const render::EnvironmentImage>(*std::move(image));
  view.environment = render::Environment::kImage;
}

void open_behind(Window& app, const std::string& file) {
  auto picture = cli::load_back_picture(file);
  if (!picture) {
    show_error(app, picture.error().message);
    return;
  }
  // Another picture stands as the last one did.
  render::Behind& behind = app.session.workspace.view.behind;
  behind.picture = *std::move(picture);
  behind.shown = true;
}

void keep_preferences(Window& app) {
  // What the command line asked for counts this once.
  if (const ui::LightPreferences light = ui::light_of(app.session.workspace.view); light != app.kept.known_light) {
    app.kept.known_light = light;
    app.session.workspace.preferences.light = light;
  }
  const ui::BrushTool& brush = app.session.workspace.panel<ui::BrushTool>();
  if (!brush.resizing) {
    app.session.workspace.preferences.brush = {brush.radius, brush.strength};
  }
  const ui::Preferences& preferences = app.session.workspace.preferences;
  if (preferences == app.kept.saved) {
    return;
  }
  app.kept.saved = preferences;
  if (const Status saved = save_preferences(app.kept.file, preferences); !saved) {
    say("preferences not kept: " + saved.error().message);
  }
}

std::string take_preferences(Window& app) {
  LoadedPreferences read = load_preferences(preferences_path());
  app.kept.file = std::move(read.file);
  app.kept.saved = std::move(read.preferences);
  ui::Workspace& workspace = app.session.workspace;
  workspace.preferences = app.kept.saved;
  workspace.panel<ui::BrushTool>().radius = workspace.preferences.brush.radius;
  workspace.panel<ui::BrushTool>().strength = workspace.preferences.brush.strength;
  if (!app.request.light_given) {
    use_light_preferences(app);
  }
  app.kept.known_light = ui::light_of(workspace.view);
  return read.note;
}

void remember_character_file(Window& app, const std::string& file) {
  ui::Preferences& preferences = app.session.workspace.preferences;
  const std::string path = absolute(file);
  remember_file(preferences, path);
  preferences.folders["character"] = std::filesystem::path(path).parent_path().string();
}

}  // namespace pelt::app
