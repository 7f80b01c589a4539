#pragma once

// Internal to the module: words and numbers of text files, with the line they stand in.

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pelt::formats {

/// No coordinate of a file may be larger, as in gltf: products of a few of them stay finite in float.
inline constexpr float kLargestCoordinate = 1e18f;

inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/// A finite number of at most kLargestCoordinate, or nothing. A leading plus, which std::from_chars does not know, is
/// read over.
inline std::optional<float> float_of(std::string_view word) {
  if (word.size() > 1 && word.front() == '+' && word[1] != '-') {
    word.remove_prefix(1);
  }
  double value = 0;
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
  // What is too small for double is zero, which from_chars does not say.
  const bool tiny = failure == std::errc::result_out_of_range && std::abs(value) < 1;
  if ((failure != std::errc() && !tiny) || end != word.data() + word.size() || word.empty() ||
      !(std::abs(value) <= static_cast<double>(kLargestCoordinate))) {
    return std::nullopt;
  }
  return static_cast<float>(value);
}

inline std::optional<std::int64_t> whole_number_of(std::string_view word) {
  if (word.size() > 1 && word.front() == '+' && word[1] != '-') {
    word.remove_prefix(1);
  }
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failure != std::errc() || end != word.data() + word.size() || word.empty()) {
    return std::nullopt;
  }
  return value;
}

/// Goes through a text word by word. Nothing is copied.
class TextReader {
 public:
  explicit TextReader(std::string_view text) : rest_(text) {}

  /// Counted from one: of the word that word() gave last.
  [[nodiscard]] std::size_t line() const { return line_; }
  [[nodiscard]] std::size_t bytes_left() const { return rest_.size(); }
  [[nodiscard]] std::string_view rest() const { return rest_; }

  /// The next word of the whole text; empty at its end.
  std::string_view word() {
    for (;;) {
      const std::string_view found = word_in_line();
      if (!found.empty() || !next_line()) {
        return found;
      }
    }
  }
  /// The next word of this line; empty at its end.
  std::string_view word_in_line() {
    while (!rest_.empty() && is_blank(rest_.front())) {
      rest_.remove_prefix(1);
    }
    std::size_t length = 0;
    while (length < rest_.size() && !is_blank(rest_[length]) && rest_[length] != '\n') {
      ++length;
    }
    const std::string_view found = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return found;
  }
  /// What is left of this line, without blanks at both ends.
  std::string_view rest_of_line() {
    std::string_view found = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(found.size());
    while (!found.empty() && is_blank(found.front())) {
      found.remove_prefix(1);
    }
    while (!found.empty() && is_blank(found.back())) {
      found.remove_suffix(1);
    }
    return found;
  }
  /// Goes to the start of the next line. False at the end of the text.
  bool next_line() {
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) {
      rest_ = {};
      return false;
    }
    rest_.remove_prefix(end + 1);
    ++line_;
    return true;
  }

 private:
  std::string_view rest_;
  std::size_t line_ = 1;
};

}  // namespace pelt::formats
