#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace pelt::cli {

/// Writes results to standard output; fails where nobody takes them (closed pipe, full disk).
Status print_result(std::string_view text);

/// One line "pelt: note: ..." on stderr.
void print_note(std::string_view text);

/// Writes a whole file atomically, or to standard output where `path` is "-". Refuses to overwrite `input`.
Status write_output(const std::string& path, std::string_view bytes, const std::string& input);

/// Lower-case extension without its dot.
std::string extension_of(const std::string& path);

}  // namespace pelt::cli
