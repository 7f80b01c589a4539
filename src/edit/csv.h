#pragma once

#include <string>
#include <string_view>

namespace pelt::edit {

/// A cell of a CSV file, RFC 4180: quoted where it must be.
std::string csv_cell(std::string_view text);

/// Nine digits; empty where there is no number.
std::string csv_cell(double value);

}  // namespace pelt::edit
