#include "core/text.h"

#include <algorithm>
#include <array>
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

// @pre utf8_length(sequence) == sequence.size() > 0
char32_t code_point(std::string_view sequence) {
  constexpr std::array<std::uint8_t, 5> kLeadBits = {0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t c = static_cast<std::uint8_t>(sequence[0]) & kLeadBits[sequence.size()];
  for (const char byte : sequence.substr(1)) {
    c = c << 6 | (static_cast<std::uint8_t>(byte) & 0x3F);
  }
  return c;
}

struct CodePoints {
  char32_t first;
  char32_t last;
};

// Characters that steer a terminal or cannot be seen (Unicode 15, general categories Cc, Cf, Zl and Zp, but for those
// that are part of the spelling of single scripts).
constexpr std::array kMisleading = {
    CodePoints{0x0000, 0x001F},    // C0
    CodePoints{0x007F, 0x009F},    // DEL, C1
    CodePoints{0x00AD, 0x00AD},    // soft hyphen
    CodePoints{0x061C, 0x061C},    // Arabic letter mark
    CodePoints{0x180E, 0x180E},    // Mongolian vowel separator
    CodePoints{0x200B, 0x200F},    // zero-width space and joiners, left-to-right and right-to-left mark
    CodePoints{0x2028, 0x202E},    // line and paragraph separator, bidirectional embeddings and overrides
    CodePoints{0x2060, 0x206F},    // word joiner, invisible operators, bidirectional isolates
    CodePoints{0xFEFF, 0xFEFF},    // zero-width no-break space
    CodePoints{0xFFF9, 0xFFFB},    // interlinear annotations
    CodePoints{0xE0000, 0xE007F},  // tags
};

bool misleads(char32_t c) {
  return std::ranges::any_of(kMisleading, [c](const CodePoints& row) { return c >= row.first && c <= row.last; });
}

// `bad` code points and what is no UTF-8 become '?'.
template <typename Bad>
std::string replaced(std::string_view text, std::size_t limit, const Bad& bad) {
  constexpr std::string_view kEllipsis = "…";
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view piece =
        length == 0 || bad(code_point(text.substr(0, length))) ? std::string_view("?") : text.substr(0, length);
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

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
  return replaced(text, limit, [](char32_t c) { return misleads(c); });
}

std::string printable_lines(std::string_view text) {
  return replaced(text, std::string_view::npos, [](char32_t c) { return c != U'\n' && misleads(c); });
}

std::string single_line(std::string_view text, std::size_t limit) {
  return replaced(text, limit, [](char32_t c) { return c < 0x20 || c == 0x7F; });
}

std::string printable_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  while (!json.empty()) {
    const std::size_t length = utf8_length(json);
    const char32_t c = length == 0 ? U'\uFFFD' : code_point(json.substr(0, length));
    if (length != 0 && (c == U'\n' || !misleads(c))) {  // line feeds within texts are escaped already
      out += json.substr(0, length);
    } else if (c < 0x10000) {
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c));
    } else {  // as a pair of surrogates
      const auto rest = static_cast<std::uint32_t>(c) - 0x10000;
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
    }
    json.remove_prefix(std::max<std::size_t>(length, 1));
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

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
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
