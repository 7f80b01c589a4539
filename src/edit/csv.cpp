#include "edit/csv.h"

#include <cmath>
#include <string>
#include <string_view>

#include <fmt/core.h>

namespace pelt::edit {

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    return std::string(text);
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
