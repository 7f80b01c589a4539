#pragma once

#include <string>

#include "edit/document.h"

namespace pelt::cli {

/// Drivers with what they say in the document's pose or why they do not work, sliders that mean something with those
/// that could be proposed, and springs: a table.
std::string behaviour_text(const edit::Document& document);
/// The same as JSON text, as src/cli/machine_output.md describes it.
std::string behaviour_json_text(const edit::Document& document);

}  // namespace pelt::cli
