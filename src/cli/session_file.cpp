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
#include "edit/file_layers.h"
#include "edit/reload.h"
#include "formats/open.h"
#include "formats/source_hash.h"
#include "gltf/uri.h"
#include "rig/surface_variants.h"

namespace pelt::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDataEnding = ".d";
constexpr int kMostLinks = 40;  // as in the kernel

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// Where a session lies: what a link leads to, with its data and its character's file. That need not be there yet.
fs::path session_at(fs::path path) {
  std::error_code failure;
  for (int hop = 0; hop < kMostLinks && fs::is_symlink(path, failure); ++hop) {
    const fs::path next = fs::read_symlink(path, failure);
    if (failure) {
      break;
    }
    path = folder_of(path) / next;  // an absolute `next` replaces the folder
  }
  return path;
}

/// @param session  where it lies
fs::path data_folder(const fs::path& session) {
  fs::path folder = session;
  folder += kDataEnding;
  return folder;
}

// Files of a session's folder that it does not need. @param session  where it lies
std::vector<std::string> unused_data(const fs::path& session, std::span<const edit::SessionFile> needed) {
  std::vector<std::string> out;
  const fs::path folder = data_folder(session);
  std::error_code failure;
  for (auto entry = fs::directory_iterator(folder, failure); !failure && entry != fs::directory_iterator();
       entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (edit::is_session_data(name) && std::ranges::find(needed, name, &edit::SessionFile::name) == needed.end()) {
      out.push_back((folder.filename() / name).string());
    }
  }
  return out;
}

// The inverse of source_from(). The folder is taken as it lies, since ".." leads out of that and not out of a link to
// it; what a stranger wrote behind is left to the system.
std::string resolved(const fs::path& session, const std::string& named) {
  if (named.starts_with('@') || fs::path(named).is_absolute()) {
    return named;
  }
  std::error_code failure;
  fs::path at = fs::weakly_canonical(folder_of(session_at(session)), failure);
  bool is_above = true;
  for (const fs::path& part : fs::path(named)) {
    is_above = is_above && (part == ".." || part == ".");
    if (!is_above) {
      at /= part;
    } else if (part == "..") {
      at = at.parent_path();
    }
  }
  return at.string();
}

// Names in a session in one piece lead into a folder, nowhere else.
bool is_inner_name(const fs::path& name) {
  return !name.empty() && name.is_relative() &&
         std::ranges::none_of(name, [](const fs::path& part) { return part.empty() || part == ".." || part == "."; });
}

// The name of one of a character's files in a session in one piece: the way from the character's folder to it as the
// character says it, whatever links lead there, since it is opened by that.
fs::path packed_name(const fs::path& file, const fs::path& source) {
  const fs::path name = file.lexically_normal().lexically_relative(folder_of(source).lexically_normal());
  if (is_inner_name(name)) {
    return name;
  }
  std::error_code failure;  // spelled in two ways
  return (fs::weakly_canonical(folder_of(file), failure) / file.filename())
      .lexically_relative(fs::weakly_canonical(folder_of(source), failure));
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
  /// A sentence without the folder, which nobody will find.
  [[nodiscard]] Error without_folder(Error failure) const {
    const std::string folder = folder_.string() + '/';
    for (std::size_t at = 0; !folder_.empty() && (at = failure.message.find(folder, at)) != std::string::npos;) {
      failure.message.erase(at, folder.size());
    }
    return failure;
  }
  Status unpack(const edit::PackedFiles& files) {
    std::error_code failure;
    std::string pattern = (fs::temp_directory_path(failure) / "pelt-XXXXXX").string();
    if (failure || ::mkdtemp(pattern.data()) == nullptr) {
      return error("cannot unpack: no temporary folder can be made");
    }
    folder_ = pattern;
    for (const auto& [name, uri] : files) {
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

Result<std::string> packed_data(const edit::PackedFiles& files, const std::string& name) {
  const auto found = files.find(name);
  if (found == files.end()) {
    return error("it is not packed with the session");
  }
  const Result<std::vector<std::uint8_t>> bytes = gltf::decode_data_uri(found->second);
  return bytes ? Result<std::string>(std::string(bytes->begin(), bytes->end())) : bytes.error();
}

// A share of long work, as progress of the whole.
Progress share_of(const Progress& progress, float begin, float end) {
  if (!progress) {
    return {};
  }
  return [&progress, begin, end](float fraction, std::string_view what) {
    return progress(begin + fraction * (end - begin), what);
  };
}

constexpr float kCharactersShare = 0.8f;

// Puts what the session says onto its character. @param out  with the character's file
Result<OpenedSessionFile> with_session(OpenedSessionFile out, const fs::path& path, edit::SessionHead& head,
                                       rig::Character&& character, const Progress& progress) {
  const bool is_packed = head.packed.contains(head.source.file);
  const edit::SessionFiles files = [&](const std::string& name) -> Result<std::string> {
    return head.is_in_one_piece ? packed_data(head.packed_data, name) : read_file(data_folder(session_at(path)) / name);
  };
  if (is_packed) {
    character.source.clear();  // gone in a moment
    out.beside.clear();
    out.source.file = head.source.file;
  }
  auto source = std::make_shared<const rig::Character>(std::move(character));
  PELT_TRY_TO(out.session, edit::session_of(head, std::move(source), files, progress));
  edit::SessionOrigin& origin = out.session.document.origin;
  origin.path = path.string();
  origin.file = out.source.file;
  origin.hash = out.source.hash;
  origin.outside_uris = out.source.outside_uris;
  origin.is_changed = out.is_changed;
  origin.lost = out.session.lost;
  if (is_packed) {
    origin.packed = std::make_shared<const edit::PackedFiles>(std::move(head.packed));
  }
  return out;
}

/// @param head  loses what is packed
Result<OpenedSessionFile> opened(const fs::path& path, Result<edit::SessionHead> head, const SessionOpening& how,
                                 const Progress& progress, SessionFailure& failure) {
  const std::string shown = printable(path.filename().string(), 200);
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
  import.allow_outside_uris = import.allow_outside_uris || (how.allow_outside && head->source.outside_uris);
  std::error_code missing;
  if (!failure.source.starts_with('@') && !fs::exists(failure.source, missing)) {
    failure.kind = SessionFailure::Kind::kMissing;
    return error("{}: its character is not at '{}'", shown, printable(failure.source, 200));
  }
  // Without them it would open as another character: a buffer or picture that is refused is missing, no more.
  if (head->source.outside_uris && !is_packed && !import.allow_outside_uris) {
    failure.kind = SessionFailure::Kind::kOutside;
    return error("{}: its character '{}' was read with files outside of its folder", shown,
                 printable(failure.source, 200));
  }
  Result<rig::Character> character =
      formats::open_character(failure.source, import, share_of(progress, 0, kCharactersShare));
  if (!character) {
    return unpacked.without_folder(character.error().in(fmt::format("{}: its character", shown)));
  }
  out.source.outside_uris = reads_outside(failure.source, out.beside);
  edit::note_file_layers(*character);
  const Result<std::string> hash = formats::source_hash(failure.source, out.beside);
  if (!hash) {
    return unpacked.without_folder(hash.error().in(fmt::format("{}: its character", shown)));
  }
  out.source.hash = *hash;
  out.is_changed = out.source.hash != head->source.hash;
  if (out.is_changed && how.located.empty() && !is_bundled && !is_packed && !how.allow_outside &&
      !lies_within(failure.source, folder_of(session_at(path)))) {
    failure.kind = SessionFailure::Kind::kOutside;
    return error("{}: its character '{}' lies outside of its folder and is not the file that it was saved with", shown,
                 printable(failure.source, 200));
  }
  Result<OpenedSessionFile> session =
      with_session(std::move(out), path, *head, *std::move(character), share_of(progress, kCharactersShare, 1));
  return session ? std::move(session) : session.error().in(shown);
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

bool reads_outside(const std::string& file, std::span<const StampedFile> beside) {
  return std::ranges::any_of(beside,
                             [&](const StampedFile& other) { return !lies_within(other.path, folder_of(file)); });
}

Result<OpenedSessionFile> open_session_file(const fs::path& path, const SessionOpening& how, const Progress& progress,
                                            SessionFailure* failure) {
  SessionFailure why;
  Result<OpenedSessionFile> session = [&]() -> Result<OpenedSessionFile> {
    Result<std::string> text = read_file(path, edit::kSessionLimits.bytes);
    if (!text) {
      return text.error();
    }
    Result<edit::SessionHead> head = edit::session_head(*text);
    text = std::string();  // what is packed is large
    return opened(path, std::move(head), how, progress, why);
  }();
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
  const fs::path from = fs::weakly_canonical(folder_of(session_at(session)), failure);
  // The file itself may be a link: what it was read with stands beside that.
  const fs::path to = fs::weakly_canonical(folder_of(file), failure) / fs::path(file).filename();
  const fs::path relative = to.lexically_relative(from);
  const std::string name = relative.empty() ? to.string() : relative.string();
  return name.starts_with('@') ? "./" + name : name;
}

namespace {

// Opens what is about to be given away as whoever gets it will.
Status check_opens(const std::string& whole, const fs::path& path) {
  SessionOpening how;
  how.import.decode_images = false;
  SessionFailure failure;
  const Result<OpenedSessionFile> again = opened(path, edit::session_head(whole), how, {}, failure);
  if (!again) {
    return again.error().in("in one piece it could not be opened again");
  }
  if (const std::string lost = edit::lost_sentence(again->session.lost); !lost.empty()) {
    return error("the character's files have changed since they were read, and something would be lost. {}",
                 printable(lost, 400));
  }
  return {};
}

/// @param files  the character's, as data URIs
Status write_packed(const edit::Document& document, const edit::SessionSource& source, const edit::PackedFiles& files,
                    const fs::path& path, std::string_view window, bool is_new) {
  PELT_TRY_TO(const edit::SessionText text, edit::session_to_text(document, source, window));
  edit::PackedFiles data;
  for (const edit::SessionFile& file : text.files) {
    data.emplace(file.name,
                 gltf::data_uri({reinterpret_cast<const std::uint8_t*>(file.bytes.data()), file.bytes.size()}));
  }
  PELT_TRY_TO(const std::string whole, edit::packed_session(text, files, data));
  if (whole.size() > edit::kSessionLimits.bytes) {
    return error("the session would be {} bytes in one piece; at most {} can be opened again", whole.size(),
                 edit::kSessionLimits.bytes);
  }
  if (is_new) {
    PELT_TRY(check_opens(whole, path));
  }
  const fs::path at = session_at(path);
  const std::vector<NewFile> written = {{path, whole}};
  PELT_TRY(write_files_atomically(written, [&](const fs::path&) { return unused_data(at, {}); }));
  std::error_code ignored;
  fs::remove(data_folder(at), ignored);  // where nothing is in it
  return {};
}

}  // namespace

Status pack_session_file(const edit::Document& document, const edit::SessionSource& source,
                         std::span<const StampedFile> beside, const fs::path& path, std::string_view window) {
  if (document.origin.packed != nullptr) {
    return write_packed(document, source, *document.origin.packed, path, window, true);
  }
  if (source.file.starts_with('@')) {
    return write_packed(document, source, {}, path, window, true);
  }
  std::vector<fs::path> paths = {source.file};
  for (const StampedFile& file : beside) {
    paths.push_back(file.path);
  }
  edit::PackedFiles files;
  for (const fs::path& file : paths) {
    const fs::path name = packed_name(file, source.file);
    if (!is_inner_name(name)) {
      return error("'{}' lies outside of the character's folder and cannot be packed", printable(file.string(), 200));
    }
    PELT_TRY_TO(const FileBytes bytes, read_file_bytes(file));
    files.emplace(name.string(), gltf::data_uri(bytes.bytes()));
  }
  const std::string name = packed_name(source.file, source.file).string();
  return write_packed(document, {name, source.hash}, files, path, window, true);
}

Status save_session_file(const edit::Document& document, const edit::SessionSource& source, const fs::path& path,
                         std::string_view window) {
  if (document.origin.packed != nullptr && source.file == document.origin.file) {
    return write_packed(document, source, *document.origin.packed, path, window, false);
  }
  const Result<edit::SessionText> text =
      edit::session_to_text(document, {source_from(path, source.file), source.hash, source.outside_uris}, window);
  if (!text) {
    return text.error();
  }
  const fs::path at = session_at(path);
  const fs::path folder = data_folder(at);
  std::error_code failure;
  const bool is_new = !text->files.empty() && fs::create_directory(folder, failure);
  if (failure) {
    return error("cannot make '{}': {}", folder.string(), failure.message());
  }
  std::vector<NewFile> files = {{path, text->json}};
  for (const edit::SessionFile& file : text->files) {
    files.push_back({folder / file.name, file.bytes});
  }
  const Status written = write_files_atomically(files, [&](const fs::path&) { return unused_data(at, text->files); });
  if ((!written && is_new) || text->files.empty()) {
    fs::remove(folder, failure);  // where nothing is in it
  }
  return written;
}

}  // namespace pelt::cli
