#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pelt {

/// Text safe to print on one line: control characters and invalid UTF-8 become '?', longer text is cut with an
/// ellipsis.
/// @param limit  longest result in bytes
std::string printable(std::string_view text, std::size_t limit = 80);

/// True where `needle` occurs in `text`, ignoring ASCII case. An empty needle occurs everywhere.
bool contains_ignoring_case(std::string_view text, std::string_view needle);

/// Splits at every `separator`; "a,,b" gives three pieces. Empty text gives no piece.
std::vector<std::string_view> split(std::string_view text, char separator);

/// The whole of `text` as a finite number in the C locale, or nothing.
std::optional<double> parse_number(std::string_view text);

/// The whole of `text` as a decimal integer, or nothing.
std::optional<int> parse_integer(std::string_view text);

/// The closest of `choices` to `word` by edit distance, if close enough to be a likely typing mistake.
std::optional<std::string> closest_word(std::string_view word, const std::vector<std::string>& choices);

/// The end of an error message: ` (did you mean "x"?)` where closest_word() finds one, else nothing.
std::string suggestion(std::string_view word, const std::vector<std::string>& choices);

}  // namespace pelt
