#include "cli/session_file.h"

#include <dirent.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "core/guarded_json.h"
#include "core/text.h"
#include "formats/open.h"
#include "formats/source_hash.h"
#include "rig/surface_variants.h"

namespace pelt::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDataEnding = ".d";

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

fs::path data_folder(const fs::path& session) {
  fs::path folder = session;
  folder += kDataEnding;
  return folder;
}

// Whether a file lies in a folder or below it, wherever links lead.
bool lies_within(const fs::path& file, const fs::path& folder) {
  std::error_code failure;
  const fs::path inner = fs::weakly_canonical(file, failure);
  const fs::path outer = fs::weakly_canonical(folder, failure);
  if (failure) {
    return false;
  }
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

// Files of a session's folder that it does not need.
std::vector<std::string> unused_data(const fs::path& session, const edit::SessionText& text) {
  std::vector<std::string> out;
  const fs::path folder = data_folder(session);
  std::error_code failure;
  for (auto entry = fs::directory_iterator(folder, failure); !failure && entry != fs::directory_iterator();
       entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (edit::is_session_data(name) &&
        std::ranges::find(text.files, name, &edit::SessionFile::name) == text.files.end()) {
      out.push_back((folder.filename() / name).string());
    }
  }
  return out;
}

std::string resolved(const fs::path& session, const std::string& named) {
  return named.starts_with('@') ? named : (folder_of(session) / named).lexically_normal().string();
}

Result<OpenedSessionFile> opened(const fs::path& path, const SessionOpening& how, const Progress& progress,
                                 SessionFailure& failure) {
  const Result<std::string> text = read_file(path, JsonLimits().bytes);
  if (!text) {
    return text.error();
  }
  const std::string shown = printable(path.filename().string(), 200);
  const Result<edit::SessionHead> head = edit::session_head(*text);
  if (!head) {
    return head.error().in(shown);
  }
  const std::string& named = head->source.file;
  const bool is_bundled = named.starts_with('@');
  failure.source = how.located.empty() ? resolved(path, named) : how.located;
  OpenedSessionFile out{{}, {failure.source, {}}, false, {}};
  gltf::ImportOptions import = how.import;
  import.files = &out.beside;
  std::error_code missing;
  if (!failure.source.starts_with('@') && !fs::exists(failure.source, missing)) {
    failure.kind = SessionFailure::Kind::kMissing;
    return error("{}: its character is not at '{}'", shown, printable(failure.source, 200));
  }
  Result<rig::Character> character = formats::open_character(failure.source, import, progress);
  if (!character) {
    return character.error().in(fmt::format("{}: its character", shown));
  }
  const Result<std::string> hash = formats::source_hash(failure.source, out.beside);
  if (!hash) {
    return hash.error().in(fmt::format("{}: its character", shown));
  }
  out.source.hash = *hash;
  out.is_changed = out.source.hash != head->source.hash;
  if (out.is_changed && how.located.empty() && !is_bundled && !how.allow_outside &&
      !lies_within(failure.source, folder_of(path))) {
    failure.kind = SessionFailure::Kind::kOutside;
    return error("{}: its character '{}' lies outside of its folder and is not the file that it was saved with", shown,
                 printable(failure.source, 200));
  }
  const edit::SessionFiles files = [&](const std::string& name) -> Result<std::string> {
    return read_file(data_folder(path) / name);
  };
  auto source = std::make_shared<const rig::Character>(*std::move(character));
  Result<edit::OpenedSession> session = edit::session_from_text(*text, std::move(source), files);
  if (!session) {
    return session.error().in(shown);
  }
  out.session = *std::move(session);
  edit::SessionOrigin& origin = out.session.document.origin;
  origin.path = path.string();
  origin.file = out.source.file;
  origin.hash = out.source.hash;
  return out;
}

// Shows the surface that the session showed.
Status show_session_surface(OpenedSessionFile& opened) {
  edit::Document& document = opened.session.document;
  const rig::SurfaceChoice& surface = opened.session.surface;
  if (surface == rig::SurfaceChoice{}) {
    return {};
  }
  double detail_error = 0;
  Result<rig::Character> shown = rig::with_surface(*document.character, surface, &detail_error);
  if (!shown) {
    return shown.error();
  }
  edit::show_surface(document, std::make_shared<const rig::Character>(*std::move(shown)), surface, detail_error);
  return {};
}

}  // namespace

bool is_session_file(const fs::path& path) {
  if (path.extension() == ".pelt") {
    return true;
  }
  std::error_code failure;
  if (!fs::is_regular_file(path, failure)) {
    return false;
  }
  std::ifstream file(path, std::ios::binary);
  std::string beginning(256, '\0');
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return edit::is_session(beginning);
}

Result<OpenedSessionFile> open_session_file(const fs::path& path, const SessionOpening& how, const Progress& progress,
                                            SessionFailure* failure) {
  SessionFailure why;
  Result<OpenedSessionFile> session = opened(path, how, progress, why);
  if (session) {
    if (const Status shown = show_session_surface(*session); !shown) {
      session = shown.error();
    }
  }
  if (!session && failure != nullptr) {
    why.error = session.error();
    *failure = std::move(why);
  }
  return session;
}

std::string source_from(const fs::path& session, const std::string& file) {
  if (file.starts_with('@')) {
    return file;
  }
  std::error_code failure;
  const fs::path from = fs::weakly_canonical(folder_of(session), failure);
  const fs::path to = fs::weakly_canonical(file, failure);
  const fs::path relative = to.lexically_relative(from);
  return relative.empty() ? to.string() : relative.string();
}

Status save_session_file(const edit::Document& document, const edit::SessionSource& source, const fs::path& path,
                         std::string_view window) {
  const Result<edit::SessionText> text =
      edit::session_to_text(document, {source_from(path, source.file), source.hash}, window);
  if (!text) {
    return text.error();
  }
  const fs::path folder = data_folder(path);
  std::error_code failure;
  const bool is_new = !text->files.empty() && fs::create_directory(folder, failure);
  if (failure) {
    return error("cannot make '{}': {}", folder.string(), failure.message());
  }
  std::vector<NewFile> files = {{path, text->json}};
  for (const edit::SessionFile& file : text->files) {
    files.push_back({folder / file.name, file.bytes});
  }
  const Status written = write_files_atomically(files, [&](const fs::path&) { return unused_data(path, *text); });
  if ((!written && is_new) || text->files.empty()) {
    fs::remove(folder, failure);  // where nothing is in it
  }
  return written;
}

}  // namespace pelt::cli
