#pragma once

#include <cstddef>
#include <string_view>

#include "core/result.h"

namespace pelt {

/// How much a text of one kind may hold. The library behind parse_json() recurses when it writes values and copies
/// them, and keeps some hundred bytes for each.
struct JsonLimits {
  std::size_t bytes = std::size_t{64} << 20;
  std::size_t depth = 64;
  std::size_t values = std::size_t{2} << 20;
};

/// Fails where a text is longer, nests deeper or has more values than the limits say; other faults are left for the
/// parser to find.
/// @cost O(N), no allocation
Status check_json(std::string_view text, const JsonLimits& limits = {});

/// The one way in which text from files becomes JSON.
/// @tparam Json  a nlohmann::basic_json; its header is too long for this one
template <typename Json>
Result<Json> parse_json(std::string_view text, const JsonLimits& limits = {}) {
  PELT_TRY(check_json(text, limits));
  try {
    return Json::parse(text);
  } catch (const typename Json::parse_error& failure) {
    return error("not JSON: stopped at byte {} of {}", failure.byte, text.size());
  } catch (const typename Json::exception&) {
    return error("not JSON: a number is out of range");
  }
}

}  // namespace pelt
