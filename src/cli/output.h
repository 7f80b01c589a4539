#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/file.h"
#include "core/result.h"

namespace pelt::cli {

struct EvaluationOptions;

/// Writes results to standard output; fails where nobody takes them (closed pipe, full disk). Whatever names are in
/// them, a terminal is safe: JSON goes through printable_json(), what people read through printable_lines().
enum class TextForm { kLines, kJson };
constexpr TextForm form_of(bool is_json) {
  return is_json ? TextForm::kJson : TextForm::kLines;
}
Status print_result(std::string_view text, TextForm form);

/// The same for bytes that are nobody's to read: files that are written to standard output.
Status print_bytes(std::string_view bytes);

/// One line "pelt: note: ..." on stderr.
void print_note(std::string_view text);

/// How far long work has come, on stderr: one line that is written over where somebody looks at a terminal, else a line
/// every ten seconds, or none. Nothing for the first second.
class ProgressLine {
 public:
  enum class Where { kAnywhere, kTerminal };
  explicit ProgressLine(Where where = Where::kAnywhere) : where_(where) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  /// @param fraction  0..1
  void show(float fraction, std::string_view what);
  /// Takes the line away.
  void clear();

 private:
  Where where_;
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
  int shown_ = -1;  ///< percent; -1: nothing stands there
};

/// The role of what is read beside the input because the input names it.
inline constexpr const char* kFileOfInput = "a file of the input";

/// Remembers what this run reads, so that nothing is written over it. @param role  what a sentence calls it
void note_read(const std::filesystem::path& path, std::string role, std::optional<FileStamp> stamp = {});
std::span<const ReadFile> noted_files();

/// Fails where `path` ("-": standard output) cannot be written to, because its folder is missing or it is one of the
/// noted files: before the work, not after it.
Status check_output(const std::string& path);
/// Notes the file and the pose that are going to be read first.
Status check_output(const std::string& path, const EvaluationOptions& reads);

/// Writes a whole file atomically, or to standard output where `path` is "-". Refuses to write over the noted files.
Status write_output(const std::string& path, std::string_view bytes);

/// Lower-case extension without its dot.
std::string extension_of(const std::string& path);

}  // namespace pelt::cli
