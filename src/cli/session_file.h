#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.h"
#include "core/progress.h"
#include "core/result.h"
#include "edit/session.h"
#include "gltf/import.h"

namespace pelt::cli {

// Sessions on disk: NAME.pelt, what it needs in NAME.pelt.d beside it, and the one character that it names.

/// Whether a file is a session: by its content where it can be read, else by its name.
bool is_session_file(const std::filesystem::path& path);

/// A session that was opened, with the file of its character.
struct OpenedSessionFile {
  edit::OpenedSession session;
  edit::SessionSource source;       ///< with the hash that the file has now; the file as it can be opened from here
  bool is_changed = false;          ///< the file is another than the session knew
  std::vector<StampedFile> beside;  ///< that the character was read with
};

/// How a session's character is opened.
struct SessionOpening {
  gltf::ImportOptions import = {};
  /// The character lies there now, whatever the session says; empty: where it says.
  std::string located = {};
  /// Where it lies outside of the session's folder, and is not the one that the session knew; and with files outside of
  /// its own folder where the session says that it was read so. Never set from a file.
  bool allow_outside = false;
};

/// Why a session could not be opened.
struct SessionFailure {
  Error error = {};
  enum class Kind {
    kDamaged,  ///< the session itself
    kMissing,  ///< its character is not where it was
    kOutside,  ///< its character, or what that is read with, lies outside: only who trusts the session may open it
  } kind = Kind::kDamaged;
  std::string source = {};  ///< the character's path
};

/// Opens a session and its character.
/// @param failure  if given, says more about an error
Result<OpenedSessionFile> open_session_file(const std::filesystem::path& path, const SessionOpening& how,
                                            const Progress& progress = {}, SessionFailure* failure = nullptr);

/// Writes a session with what it needs, one that was opened in one piece as one; what its folder of data has besides is
/// removed.
/// @param source  its file as it can be opened from here
Status save_session_file(const edit::Document& document, const edit::SessionSource& source,
                         const std::filesystem::path& path, std::string_view window);

/// The same in one file that has everything, the character included.
/// @param beside  what the character was read with
Status pack_session_file(const edit::Document& document, const edit::SessionSource& source,
                         std::span<const StampedFile> beside, const std::filesystem::path& path,
                         std::string_view window);

/// Whether a character was read with files outside of its folder, which SessionSource::outside_uris notes.
bool reads_outside(const std::string& file, std::span<const StampedFile> beside);

/// Whether a file lies in a folder or below it, wherever links lead.
bool lies_within(const std::filesystem::path& file, const std::filesystem::path& folder);

/// The name of a file as a session in that folder says it: relative, or as it is for a bundled character.
std::string source_from(const std::filesystem::path& session, const std::string& file);

}  // namespace pelt::cli
