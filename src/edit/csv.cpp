#include "edit/csv.h"

#include <cmath>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "core/text.h"

namespace pelt::edit {

std::string csv_cell(std::string_view label) {
  std::string text = printable(label, std::string_view::npos);
  constexpr std::string_view kFormulas = "=+-@";
  if (!text.empty() && kFormulas.find(text.front()) != std::string_view::npos && !parse_number(text)) {
    text.insert(text.begin(), '\'');
  }
  if (text.find_first_of(",\"") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  }
  return quoted + "\"";
}

std::string csv_cell(double value) {
  return std::isfinite(value) ? fmt::format("{:.9g}", value) : std::string();
}

}  // namespace pelt::edit
