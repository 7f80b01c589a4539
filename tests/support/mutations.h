#pragma once

// Seeded damage to files of any kind, for tests that read it. Raw values of the generator only: distributions differ
// between standard libraries.

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace pelt::test {

/// Numbers and words at which programs stumble.
inline constexpr std::array<std::string_view, 18> kOddWords = {
    "-1", "0",    "1e999", "-1e308",     "1e-320", "nan",  "inf",  "2147483648", "4294967295", "18446744073709551616",
    "\"", "null", "{}",    "[[[[[[[[[[", "}",      "\xff", "\x1b", "\r\n"};

// One change. @pre !bytes.empty()
inline void mutate_once(std::string& bytes, std::mt19937& random) {
  const auto below = [&](std::size_t end) { return end == 0 ? 0 : random() % end; };
  const std::size_t at = below(bytes.size());
  const std::size_t length = 1 + below(std::min<std::size_t>(bytes.size() - at, 64));
  switch (below(10)) {
    case 0:
      bytes[at] = static_cast<char>(random());
      break;
    case 1:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
      break;
    case 2:
      bytes.erase(at, length);
      break;
    case 3:
      bytes.resize(at);
      break;
    case 4: {  // a piece again, now and then very often
      const std::string piece = bytes.substr(at, length);
      const std::size_t times = below(16) == 0 ? 2000 : 1 + below(3);
      std::string more;
      for (std::size_t i = 0; i < times; ++i) {
        more += piece;
      }
      bytes.insert(at, more);
      break;
    }
    case 5: {  // a piece from elsewhere
      const std::string piece = bytes.substr(below(bytes.size()), length);
      bytes.replace(at, piece.size(), piece);
      break;
    }
    case 6: {  // a number or word that is odd
      const std::size_t begin = std::min(bytes.find_first_of("0123456789", at), bytes.size() - 1);
      const std::size_t end = std::min(bytes.find_first_not_of("0123456789.eE+-", begin), bytes.size());
      bytes.replace(begin, end - begin, kOddWords[below(kOddWords.size())]);
      break;
    }
    case 7: {  // a binary number that is odd
      constexpr std::array<std::uint32_t, 7> kOdd = {0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x7F800000, 0x7FC00000};
      const std::uint32_t odd = kOdd[below(kOdd.size())];
      for (std::size_t i = 0; i < 4 && at / 4 * 4 + i < bytes.size(); ++i) {
        bytes[at / 4 * 4 + i] = static_cast<char>(odd >> (8 * i));
      }
      break;
    }
    case 8: {  // a letter of a JSON name or text, written as \u006e, which means the same
      const std::size_t quote = bytes.find('"', at);
      const std::size_t letter = quote == std::string::npos ? quote : bytes.find_first_not_of("\"\\", quote + 1);
      if (letter != std::string::npos && bytes[letter] >= ' ' && bytes[letter] <= '~') {
        constexpr std::string_view kDigits = "0123456789abcdef";
        const auto code = static_cast<unsigned char>(bytes[letter]);
        bytes.replace(letter, 1, {'\\', 'u', '0', '0', kDigits[code >> 4U], kDigits[code & 15U]});
      }
      break;
    }
    default:
      bytes.insert(at, kOddWords[below(kOddWords.size())]);
  }
}

/// One to four changes. Never empty where `bytes` is not.
inline std::string mutated(std::string bytes, std::mt19937& random) {
  for (std::uint32_t left = 1 + random() % 4; left > 0 && !bytes.empty(); --left) {
    std::string before = bytes;
    mutate_once(bytes, random);
    if (bytes.empty()) {
      bytes = std::move(before);
    }
  }
  return bytes;
}

}  // namespace pelt::test
