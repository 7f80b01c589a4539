#include "cli/flag_values.h"

#include <optional>

#include <fmt/format.h>

#include "core/text.h"

namespace pelt::cli {

Result<double> parse_finite(std::string_view text) {
  const std::optional<double> value = parse_number(text);
  if (!value) {
    return error("expected a number, got \"{}\"", printable(text));
  }
  return *value;
}

Result<int> parse_bounded(std::string_view text, int lower, int upper, std::string_view what) {
  const std::optional<int> value = parse_integer(text);
  if (!value || *value < lower || *value > upper) {
    return error("expected {} from {} to {}, got \"{}\"", what, lower, upper, printable(text));
  }
  return *value;
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace pelt::cli
