#pragma once

#include <string>
#include <string_view>

namespace pelt::edit {

/// A cell of a CSV file, RFC 4180: quoted where it must be. On one line and safe to show, see printable(); what a
/// spreadsheet would take for a formula, because it begins with = + - or @ and is no number, gets an apostrophe before
/// it.
std::string csv_cell(std::string_view label);

/// Nine digits; empty where there is no number.
std::string csv_cell(double value);

}  // namespace pelt::edit
