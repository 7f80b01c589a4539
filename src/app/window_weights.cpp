// Weights of other files for the tab "Tools", and meshes of other files for the tab "Bind".
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/window_state.h"
#include "cli/session_file.h"
#include "core/file.h"
#include "core/text.h"
#include "edit/weight_text.h"
#include "formats/open.h"
#include "ui/volume_jobs.h"
#include "ui/weight_source.h"

namespace pelt::app {
namespace {

ui::WeightSource::Opened open_source(const std::string& file, const Progress& progress) {
  try {
    if (!file.starts_with('@') && cli::is_session_file(file)) {
      PELT_TRY_TO(const cli::OpenedSessionFile opened, cli::open_session_file(file, {}, progress));
      return edit::own_character(opened.session.document);
    }
    gltf::ImportOptions options;
    options.decode_images = false;
    PELT_TRY_TO(rig::Character character, formats::open_character(file, options, progress));
    return std::shared_ptr<const rig::Character>(std::make_shared<rig::Character>(std::move(character)));
  } catch (const std::exception& failure) {  // out of memory, for example
    return error("{}: {}", printable(file, 200), failure.what());
  }
}

ui::WeightSource::Read read_text(const std::string& file) {
  PELT_TRY_TO(const std::string text, read_file(file));
  Result<edit::WeightTable> table = edit::read_weights_text(text);
  if (!table) {
    return table.error().in(printable(file, 200));
  }
  return std::make_shared<const edit::WeightTable>(*std::move(table));
}

}  // namespace

void open_weights_from(Window& app, const std::string& file) {
  ui::open_weights_from(app.session.workspace, file,
                        [file](const Progress& progress) { return open_source(file, progress); });
}

void open_volume(Window& app, const std::string& file) {
  ui::open_volume(app.session.workspace, file,
                  [file](const Progress& progress) { return open_source(file, progress); });
}

void open_weight_text(Window& app, const std::string& file) {
  ui::open_weight_text(app.session.workspace, file, [file](const Progress&) { return read_text(file); });
}

void save_weight_text(Window& app, const std::string& file) {
  if (const Status free = check_not_shown(app, file); !free) {
    show_error(app, free.error().message);
    return;
  }
  if (app.weight_text.active()) {
    show_error(app, "the weights are still being saved to another file: wait for that, or cancel it first");
    return;
  }
  app.session.workspace.error.reset();
  app.weight_text.start([character = edit::own_character(app.session.document),
                         file](const Progress& progress) -> std::optional<Result<std::string>> {
    const std::string text = edit::weights_as_text(*character, progress);
    if (text.empty() || !report(progress, 1, "Writing")) {
      return std::nullopt;
    }
    if (const Status saved = write_file_atomically(file, text); !saved) {
      return Result<std::string>(saved.error());
    }
    return Result<std::string>(fmt::format("Weights saved to {}", file));
  });
}

void collect_weight_text(Window& app) {
  if (app.weight_text.failed()) {
    app.weight_text.cancel();
    app.is_leaving = false;
    show_error(app, "not enough memory to write the weights");
  }
  if (const std::optional<Result<std::string>> saved = app.weight_text.take(); saved && *saved) {
    show_notice(app, **saved);
  } else if (saved) {
    app.is_leaving = false;  // else nobody would read why there is no file
    show_error(app, saved->error().message);
  }
}

}  // namespace pelt::app
