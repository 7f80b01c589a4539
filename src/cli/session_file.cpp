#include "cli/session_file.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "core/guarded_json.h"
#include "core/text.h"
#include "formats/open.h"
#include "formats/source_hash.h"
#include "gltf/uri.h"
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

// Names in a session in one piece lead into a folder, nowhere else.
bool is_inner_name(const fs::path& name) {
  return !name.empty() && name.is_relative() &&
         std::ranges::none_of(name, [](const fs::path& part) { return part.empty() || part == ".." || part == "."; });
}

/// A folder of its own for what a session in one piece holds, as long as its character is being read.
class UnpackedFiles {
 public:
  UnpackedFiles() = default;
  ~UnpackedFiles() {
    std::error_code ignored;
    if (!folder_.empty()) {
      fs::remove_all(folder_, ignored);
    }
  }
  UnpackedFiles(const UnpackedFiles&) = delete;
  UnpackedFiles& operator=(const UnpackedFiles&) = delete;

  [[nodiscard]] const fs::path& folder() const { return folder_; }
  Status unpack(const std::map<std::string, std::string>& files) {
    std::error_code failure;
    std::string pattern = (fs::temp_directory_path(failure) / "pelt-XXXXXX").string();
    if (failure || ::mkdtemp(pattern.data()) == nullptr) {
      return error("cannot unpack: no temporary folder can be made");
    }
    folder_ = pattern;
    for (const auto& [name, uri] : files) {
      if (edit::is_session_data(name)) {
        continue;
      }
      if (!is_inner_name(name)) {
        return error("packed, {}: expected the name of a file within", printable(name));
      }
      const Result<std::vector<std::uint8_t>> bytes = gltf::decode_data_uri(uri);
      if (!bytes) {
        return bytes.error().in(fmt::format("packed, {}", printable(name)));
      }
      fs::create_directories((folder_ / name).parent_path(), failure);
      std::ofstream file(folder_ / name, std::ios::binary);
      file.write(reinterpret_cast<const char*>(bytes->data()), static_cast<std::streamsize>(bytes->size()));
      file.close();
      if (!file) {
        return error("cannot unpack '{}' to '{}'", printable(name), folder_.string());
      }
    }
    return {};
  }

 private:
  fs::path folder_;
};

Result<std::string> packed_data(const std::map<std::string, std::string>& files, const std::string& name) {
  const auto found = files.find(name);
  if (found == files.end()) {
    return error("it is not packed with the session");
  }
  const Result<std::vector<std::uint8_t>> bytes = gltf::decode_data_uri(found->second);
  return bytes ? Result<std::string>(std::string(bytes->begin(), bytes->end())) : bytes.error();
}

Result<OpenedSessionFile> opened(const fs::path& path, const SessionOpening& how, const Progress& progress,
                                 SessionFailure& failure) {
  PELT_TRY_TO(const std::string text, read_file(path, edit::kSessionLimits.bytes));
  const std::string shown = printable(path.filename().string(), 200);
  Result<edit::SessionHead> head = edit::session_head(text);
  if (!head) {
    return head.error().in(shown);
  }
  const std::string& named = head->source.file;
  const bool is_bundled = named.starts_with('@');
  const bool is_packed = head->packed.contains(named);
  UnpackedFiles unpacked;
  if (is_packed) {
    if (const Status done = unpacked.unpack(head->packed); !done) {
      return done.error().in(shown);
    }
  }
  failure.source = !how.located.empty() ? how.located
                   : is_packed          ? (unpacked.folder() / named).string()
                                        : resolved(path, named);
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
  if (out.is_changed && how.located.empty() && !is_bundled && !is_packed && !how.allow_outside &&
      !lies_within(failure.source, folder_of(path))) {
    failure.kind = SessionFailure::Kind::kOutside;
    return error("{}: its character '{}' lies outside of its folder and is not the file that it was saved with", shown,
                 printable(failure.source, 200));
  }
  const edit::SessionFiles files = [&](const std::string& name) -> Result<std::string> {
    return head->packed.empty() ? read_file(data_folder(path) / name) : packed_data(head->packed, name);
  };
  if (is_packed) {
    character->source.clear();  // gone in a moment
    out.beside.clear();
    out.source.file = named;
  }
  auto source = std::make_shared<const rig::Character>(*std::move(character));
  Result<edit::OpenedSession> session = edit::session_from_text(text, std::move(source), files);
  if (!session) {
    return session.error().in(shown);
  }
  out.session = *std::move(session);
  edit::SessionOrigin& origin = out.session.document.origin;
  origin.path = path.string();
  origin.file = out.source.file;
  origin.hash = out.source.hash;
  if (is_packed) {
    std::erase_if(head->packed, [](const auto& file) { return edit::is_session_data(file.first); });
    origin.packed = std::make_shared<const std::map<std::string, std::string>>(std::move(head->packed));
  }
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
  PELT_TRY_TO(rig::Character shown, rig::with_surface(*document.character, surface, &detail_error));
  edit::show_surface(document, std::make_shared<const rig::Character>(std::move(shown)), surface, detail_error);
  return {};
}

}  // namespace

bool lies_within(const fs::path& file, const fs::path& folder) {
  std::error_code failure;
  const fs::path inner = fs::weakly_canonical(file, failure);
  const fs::path outer = fs::weakly_canonical(folder, failure);
  if (failure) {
    return false;
  }
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

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
  beginning.resize(std::max<std::streamsize>(file.gcount(), 0));
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

namespace {

Status write_packed(const edit::Document& document, const edit::SessionSource& source,
                    std::map<std::string, std::string> files, const fs::path& path, std::string_view window) {
  PELT_TRY_TO(const edit::SessionText text, edit::session_to_text(document, source, window));
  for (const edit::SessionFile& file : text.files) {
    files.emplace(file.name,
                  gltf::data_uri({reinterpret_cast<const std::uint8_t*>(file.bytes.data()), file.bytes.size()}));
  }
  const std::string whole = edit::packed_session(text, files);
  if (whole.size() > edit::kSessionLimits.bytes) {
    return error("the session would be {} bytes in one piece; at most {} can be opened again", whole.size(),
                 edit::kSessionLimits.bytes);
  }
  return write_file_atomically(path, whole);
}

}  // namespace

Status pack_session_file(const edit::Document& document, const edit::SessionSource& source,
                         std::span<const StampedFile> beside, const fs::path& path, std::string_view window) {
  if (document.origin.packed != nullptr) {
    return write_packed(document, source, *document.origin.packed, path, window);
  }
  if (source.file.starts_with('@')) {
    return write_packed(document, source, {}, path, window);
  }
  std::vector<fs::path> paths = {source.file};
  for (const StampedFile& file : beside) {
    paths.push_back(file.path);
  }
  std::error_code failure;
  const fs::path folder = fs::weakly_canonical(folder_of(source.file), failure);
  std::map<std::string, std::string> files;
  for (const fs::path& file : paths) {
    const fs::path name = fs::weakly_canonical(file, failure).lexically_relative(folder);
    if (!is_inner_name(name)) {
      return error("'{}' lies outside of the character's folder and cannot be packed", file.string());
    }
    PELT_TRY_TO(const FileBytes bytes, read_file_bytes(file));
    files.emplace(name.string(), gltf::data_uri(bytes.bytes()));
  }
  const std::string name = fs::weakly_canonical(source.file, failure).filename().string();
  return write_packed(document, {name, source.hash}, std::move(files), path, window);
}

Status save_session_file(const edit::Document& document, const edit::SessionSource& source, const fs::path& path,
                         std::string_view window) {
  if (document.origin.packed != nullptr && source.file == document.origin.file) {
    return write_packed(document, source, *document.origin.packed, path, window);
  }
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
