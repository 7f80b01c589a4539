#pragma once

#include <string>

#include "core/result.h"
#include "edit/document.h"

namespace pelt::cli {

/// Draws 1, 4, 16 ... `instances` characters of the document, at different moments of its clip or clips, from one
/// texture of baked matrices, each count about `seconds` long.
/// @returns the table as text, or as JSON
/// @returns an error without an OpenGL context, or where the device cannot draw the crowd
Result<std::string> benchmark_crowd(const edit::Document& document, const std::string& file, int instances,
                                    double seconds, bool json);

}  // namespace pelt::cli
