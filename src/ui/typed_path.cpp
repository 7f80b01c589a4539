#include "ui/typed_path.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <system_error>

namespace pelt::ui {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileAddress = "file://";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) {
    return {};
  }
  text = text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
  const bool quoted = text.size() >= 2 && text.front() == text.back() && (text.front() == '"' || text.front() == '\'');
  return quoted ? text.substr(1, text.size() - 2) : text;
}

// RFC 3986, section 2.1: "%20" is a blank.
std::string decoded(std::string_view address) {
  std::string result;
  for (std::size_t i = 0; i < address.size(); ++i) {
    unsigned byte = 0;
    const char* digits = address.data() + i + 1;
    if (address[i] == '%' && i + 2 < address.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      result += static_cast<char>(byte);
      i += 2;
    } else {
      result += address[i];
    }
  }
  return result;
}

std::string cleaned(std::string_view text) {
  text = trimmed(text);
  if (!text.starts_with(kFileAddress)) {
    return std::string(text);
  }
  text.remove_prefix(kFileAddress.size());
  text.remove_prefix(std::min(text.find('/'), text.size()));  // the name of a machine
  return decoded(text);
}

fs::path resolved(const std::string& text, const fs::path& folder, const fs::path& home) {
  if (text == "~" || text.starts_with("~/")) {
    return text.size() > 2 ? home / text.substr(2) : home;
  }
  return folder / text;  // an absolute one stays as it is
}

}  // namespace

fs::path home_folder() {
  const char* home = std::getenv("HOME");
  return home != nullptr && *home != '\0' ? home : "/";
}

fs::path typed_path(std::string_view text, const fs::path& folder, const fs::path& home) {
  const fs::path path = resolved(cleaned(text), folder, home).lexically_normal();
  return path.has_filename() || path == path.root_path() ? path : path.parent_path();
}

bool looks_like_path(std::string_view text) {
  const std::string path = cleaned(text);
  return path.find('/') != std::string::npos || path == "~" || path == "..";
}

std::string completed_path(std::string_view text, const fs::path& folder, const fs::path& home,
                           const std::function<bool(const fs::path&)>& accepts) {
  const std::string typed = cleaned(text);
  const std::size_t slash = typed.rfind('/');
  const std::string before = slash == std::string::npos ? std::string() : typed.substr(0, slash + 1);
  const std::string stem = typed.substr(before.size());
  std::optional<std::string> common;
  bool alone = true;
  bool is_folder = false;
  std::error_code failure;
  for (fs::directory_iterator at(resolved(before, folder, home), failure); !failure && at != fs::directory_iterator();
       at.increment(failure)) {
    std::error_code entry_failure;
    const std::string name = at->path().filename().string();
    const bool hidden = name.starts_with('.') && !stem.starts_with('.');
    const bool a_folder = at->is_directory(entry_failure);
    if (hidden || !name.starts_with(stem) || !(a_folder || accepts(at->path()))) {
      continue;
    }
    if (!common) {
      common = name;
      is_folder = a_folder;
      continue;
    }
    alone = false;
    const auto end = std::mismatch(common->begin(), common->end(), name.begin(), name.end()).first;
    common->erase(end, common->end());
  }
  if (!common) {
    return std::string(text);
  }
  return before + *common + (alone && is_folder ? "/" : "");
}

}  // namespace pelt::ui
