#include "app/loader.h"

#include <exception>
#include <filesystem>
#include <utility>

#include "edit/file_layers.h"
#include "edit/opening.h"
#include "formats/open.h"

namespace pelt::app {
namespace {

Result<std::shared_ptr<const rig::Character>> open(const std::string& file, const gltf::ImportOptions& options,
                                                   const Progress& progress) {
  try {
    PELT_TRY_TO(rig::Character character, formats::open_character(file, options, progress));
    edit::note_file_layers(character);
    return std::shared_ptr<const rig::Character>(std::make_shared<rig::Character>(std::move(character)));
  } catch (const std::exception& failure) {  // out of memory, for example
    return error("{}: {}", file, failure.what());
  }
}

void open_session(Loader::Finished& finished, const cli::SessionOpening& how, const Progress& progress) {
  try {
    Result<cli::OpenedSessionFile> opened = cli::open_session_file(finished.file, how, progress, &finished.failure);
    if (!opened) {
      finished.character = opened.error();
      return;
    }
    finished.session = std::make_shared<cli::OpenedSessionFile>(*std::move(opened));
    finished.character = finished.session->session.document.file;
    finished.session_stamp = std::exchange(finished.stamp, file_stamp(finished.session->source.file));
    finished.files = finished.session->beside;
  } catch (const std::exception& failure) {  // out of memory, for example
    finished.character = error("{}: {}", finished.file, failure.what());
  }
}

}  // namespace

Loader::Loader(std::shared_ptr<Jobs> jobs) : slot_(std::move(jobs), Jobs::Kind::kAsked, "Opening") {}

void Loader::start(std::string file, How how) {
  std::string name = "Opening " + std::filesystem::path(file).filename().string();
  slot_.start(std::move(name), [file = std::move(file), how = std::move(how)](const Progress& progress) {
    Finished finished{.file = file, .stamp = file_stamp(file), .character = error("not read"), .clip = -1, .files = {}};
    finished.how = how.session;
    finished.reload = how.reload;
    if (!file.starts_with('@') && cli::is_session_file(file)) {
      open_session(finished, how.session, progress);
      return std::optional(std::move(finished));
    }
    gltf::ImportOptions options;
    options.allow_outside_uris = how.allow_outside_uris;
    options.files = &finished.files;
    finished.character = open(file, options, progress);
    if (finished.character && progress(1, "looking for a clip to begin with")) {
      finished.clip = edit::opening_clip(**finished.character);
    }
    return std::optional(std::move(finished));
  });
}

std::optional<Loader::Finished> Loader::take() {
  return slot_.take();
}

}  // namespace pelt::app
