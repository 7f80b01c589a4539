#pragma once

// Internal to the flags of all verbs: values that several of them take.

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace pelt::cli {

Result<double> parse_finite(std::string_view text);
/// @param what  "samples per pixel", for the error
Result<int> parse_bounded(std::string_view text, int lower, int upper, std::string_view what);
/// Words with commas between them.
std::string joined(const std::vector<std::string>& words);

/// The ids of the rows of a table.
template <typename Rows>
std::vector<std::string> ids_of(const Rows& rows) {
  std::vector<std::string> ids;
  for (const auto& row : rows) {
    ids.emplace_back(row.id);
  }
  return ids;
}

}  // namespace pelt::cli
