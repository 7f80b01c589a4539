#include "core/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <numeric>

#include <fmt/format.h>

namespace pelt {
namespace {

// Length of the valid UTF-8 sequence at the start of `text`, 0 where there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length == 0 || length > text.size()) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) {
      return 0;
    }
  }
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xED && byte(1) >= 0xA0;
  const bool beyond = lead == 0xF4 && byte(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
  constexpr std::string_view kEllipsis = "…";
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const bool control = length == 1 && (static_cast<std::uint8_t>(text[0]) < 0x20 || text[0] == 0x7F);
    const std::string_view piece = length == 0 || control ? std::string_view("?") : text.substr(0, length);
    if (out.size() + piece.size() > limit) {
      while (!out.empty() &&
             (out.size() + kEllipsis.size() > limit || (static_cast<std::uint8_t>(out.back()) & 0xC0) == 0x80)) {
        out.pop_back();
      }
      if (!out.empty() && static_cast<std::uint8_t>(out.back()) >= 0xC0) {
        out.pop_back();
      }
      return out + std::string(kEllipsis);
    }
    out += piece;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

bool contains_ignoring_case(std::string_view text, std::string_view needle) {
  const auto found = std::search(text.begin(), text.end(), needle.begin(), needle.end(),
                                 [](char a, char b) { return lower(a) == lower(b); });
  return needle.empty() || found != text.end();
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      break;
    }
    text.remove_prefix(end + 1);
    if (text.empty()) {
      pieces.push_back(text);
    }
  }
  return pieces;
}

std::optional<double> parse_number(std::string_view text) {
  if (!text.empty() && text[0] == '+') {
    text.remove_prefix(1);
  }
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::optional<int> parse_integer(std::string_view text) {
  int value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::optional<std::string> closest_word(std::string_view word, const std::vector<std::string>& choices) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(word.size() / 3, 2) + 1;
  for (const std::string& choice : choices) {
    std::vector<std::size_t> row(choice.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i + 1;
      for (std::size_t k = 0; k < choice.size(); ++k) {
        const std::size_t substitution = diagonal + (lower(word[i]) == lower(choice[k]) ? 0 : 1);
        diagonal = row[k + 1];
        row[k + 1] = std::min({row[k] + 1, row[k + 1] + 1, substitution});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = choice;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& choices) {
  const std::optional<std::string> closest = word.empty() ? std::nullopt : closest_word(word, choices);
  return closest ? fmt::format(" (did you mean \"{}\"?)", printable(*closest)) : "";
}

}  // namespace pelt
