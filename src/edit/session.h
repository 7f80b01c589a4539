#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/guarded_json.h"
#include "core/progress.h"
#include "core/result.h"
#include "edit/document.h"

namespace pelt::edit {

// A session: a character's file by name and hash, everything that was done to it, and where one looks. Its form is in
// session.md. Text in, text out; who opens files is the caller.

inline constexpr int kSessionVersion = 3;
/// What a session without edited clips says, so that the program before this one reads it.
inline constexpr int kSessionVersionWithoutClips = 2;

/// The file that a session is about.
struct SessionSource {
  std::string file;  ///< path, relative to the session's folder, or "@mannequin"
  std::string hash;  ///< of the document and what it was read with, see formats::source_hash()
  /// It was read with files outside of its folder, which somebody had allowed. Allows nothing to who reads the session.
  bool outside_uris = false;
};

/// A file that lies beside a session, in its data folder; named by its content.
struct SessionFile {
  std::string name;
  std::string bytes;
};

/// A session as it is written.
struct SessionText {
  std::string json;
  std::vector<SessionFile> files;  ///< each once
};

/// @param window  a JSON object: how the character is drawn, which is the caller's matter; empty: nothing
/// Fails where the document holds something that a session of this version cannot say.
Result<SessionText> session_to_text(const Document& document, const SessionSource& source,
                                    std::string_view window = {});

/// Files that stand in a session's text, as data URIs by their names.
using PackedFiles = std::map<std::string, std::string>;

/// The same in one piece, to be mailed: files stand in the text.
/// @param files  the character's, by relative names of any bytes
/// @param data   those of text.files
Result<std::string> packed_session(const SessionText& text, const PackedFiles& files, const PackedFiles& data);

/// A session holds no more.
inline constexpr JsonLimits kSessionLimits = {.bytes = std::size_t{1} << 30};

/// Whether a file that begins so is a session, whatever it is called.
bool is_session(std::string_view beginning);

/// Whether a file beside a session is one of its files, by its name.
bool is_session_data(std::string_view name);

struct ParsedSession;

/// What a session says of itself.
struct SessionHead {
  SessionSource source;
  std::vector<std::string> files;  ///< that it needs beside it, each once
  std::string window = {};         ///< as it was given, or empty
  bool is_in_one_piece = false;
  PackedFiles packed = {};                                ///< then: the character's files
  PackedFiles packed_data = {};                           ///< and its own
  std::shared_ptr<const ParsedSession> parsed = nullptr;  ///< all the rest
};
/// @cost  O(N log N) of the text
Result<SessionHead> session_head(std::string_view text);

/// The bytes of a file beside a session.
using SessionFiles = std::function<Result<std::string>(const std::string& name)>;

/// A session that was opened.
struct OpenedSession {
  Document document;                   ///< without a history, its own surface shown
  rig::SurfaceChoice surface = {};     ///< that was shown
  std::vector<std::string> lost = {};  ///< what does not apply to the source as it is now, one phrase each
};

/// @param source  the character of the source, finished; another version of it than the session knew loses what is not
/// there any more
/// @param progress  asked before each part; stopping there is an error
Result<OpenedSession> session_of(const SessionHead& head, std::shared_ptr<const rig::Character> source,
                                 const SessionFiles& files, const Progress& progress = {});
/// The same of a text whose head nobody needs.
Result<OpenedSession> session_from_text(std::string_view text, std::shared_ptr<const rig::Character> source,
                                        const SessionFiles& files);

}  // namespace pelt::edit
