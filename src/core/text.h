#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pelt {

/// Text safe to show on one line, on a terminal as in a window: what is no character, has no shape or turns what stands
/// around it becomes '?': invalid UTF-8, control characters (C0, DEL, C1), bidirectional marks, overrides and isolates,
/// line and paragraph separators, zero-width and tag characters. Longer text is cut with an ellipsis.
/// @param limit  longest result in bytes
std::string printable(std::string_view text, std::size_t limit = 80);

/// The same for whole tables: line feeds stay, nothing is cut.
std::string printable_lines(std::string_view text);

/// A name as it is kept: one line of valid UTF-8, in which ASCII's control characters and what is no UTF-8 are '?', and
/// everything else is as it was. Not safe to show: that is printable().
/// @param limit  longest result in bytes
std::string single_line(std::string_view text, std::size_t limit);

/// JSON text in which characters that printable() would replace are written as \uXXXX instead, so that it says the same
/// and may be shown on a terminal. @pre valid JSON
std::string printable_json(std::string_view json);

/// True where `needle` occurs in `text`, ignoring ASCII case. An empty needle occurs everywhere.
bool contains_ignoring_case(std::string_view text, std::string_view needle);

/// Splits at every `separator`; "a,,b" gives three pieces. Empty text gives no piece.
std::vector<std::string_view> split(std::string_view text, char separator);

/// The whole of `text` as a finite number in the C locale, or nothing.
std::optional<double> parse_number(std::string_view text);

/// The whole of `text` as a decimal integer, or nothing.
std::optional<int> parse_integer(std::string_view text);

/// "1 vertex", "12 vertices": a count with its noun. @param many  the noun for any number but one
std::string counted(std::size_t count, std::string_view one, std::string_view many);

/// The closest of `choices` to `word` by edit distance, if close enough to be a likely typing mistake.
std::optional<std::string> closest_word(std::string_view word, const std::vector<std::string>& choices);

/// The end of an error message: ` (did you mean "x"?)` where closest_word() finds one, else nothing.
std::string suggestion(std::string_view word, const std::vector<std::string>& choices);

}  // namespace pelt
