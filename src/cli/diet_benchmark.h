#pragma once

#include <string>

#include "core/result.h"
#include "edit/document.h"

namespace pelt::cli {

/// What fewer influences, smaller weights and palettes do to the time of one pose, each question about `seconds` long
/// on each backend.
/// @returns the table as text, or as JSON
Result<std::string> benchmark_diet(const edit::Document& document, const std::string& file, double seconds, bool json);

}  // namespace pelt::cli
