#include "cli/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/options.h"
#include "core/file.h"
#include "core/text.h"

namespace pelt::cli {
namespace {

constexpr std::size_t kLongestSentence = 4000;  // bytes; long enough for lists of names

// One process is one run of one verb.
std::vector<ReadFile>& noted() {
  static std::vector<ReadFile> files;
  return files;
}

}  // namespace

Status print_bytes(std::string_view bytes) {
  const std::size_t written = std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  if (written != bytes.size() || std::fflush(stdout) != 0) {
    return error("standard output: {}", std::strerror(errno));
  }
  return {};
}

Status print_result(std::string_view text, TextForm form) {
  return print_bytes(form == TextForm::kJson ? printable_json(text) : printable_lines(text));
}

void print_note(std::string_view text) {
  std::fputs(fmt::format("pelt: note: {}\n", printable(text, kLongestSentence)).c_str(), stderr);
}

void ProgressLine::show(float fraction, std::string_view what) {
  const Clock::time_point now = Clock::now();
  const int percent = static_cast<int>(100.0f * fraction);
  if (isatty(STDERR_FILENO) == 1) {
    if (percent != shown_ && now - start_ > std::chrono::seconds(1)) {
      std::fputs(fmt::format("\rpelt: {} {} %  ", what, percent).c_str(), stderr);
      shown_ = percent;
    }
  } else if (where_ == Where::kAnywhere && now - last_ > std::chrono::seconds(10)) {
    std::fputs(fmt::format("pelt: {} {} %\n", what, percent).c_str(), stderr);
    last_ = now;
  }
}

void ProgressLine::clear() {
  if (shown_ >= 0) {
    std::fputs(fmt::format("\r{:60}\r", "").c_str(), stderr);
    shown_ = -1;
  }
}

void note_read(const std::filesystem::path& path, std::string role, std::optional<FileStamp> stamp) {
  noted().push_back({path, std::move(role), stamp});
}

std::span<const ReadFile> noted_files() {
  return noted();
}

Status check_output(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  if (path != "-" && !folder.empty() && !std::filesystem::is_directory(folder, ignored)) {
    return error("{}: there is no folder {}", printable(path, 200), printable(folder.string(), 200));
  }
  if (path != "-" && std::filesystem::is_directory(path, ignored)) {
    return error("{}: is a folder; add the name of a file", printable(path, 200));
  }
  return check_not_read(path, noted());
}

Status check_output(const std::string& path, const EvaluationOptions& reads) {
  if (!reads.file.starts_with('@')) {
    note_read(reads.file, "the input");
  }
  if (reads.pose) {
    note_read(*reads.pose, "--pose");
  }
  return check_output(path);
}

Status write_output(const std::string& path, std::string_view bytes) {
  if (const Status free = check_not_read(path, noted()); !free) {
    return free;
  }
  return path == "-" ? print_bytes(bytes) : write_file_atomically(path, bytes);
}

std::string extension_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return extension.empty() ? extension : extension.substr(1);
}

}  // namespace pelt::cli
