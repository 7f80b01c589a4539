#pragma once

#include <string>
#include <string_view>

#include "edit/document.h"

namespace pelt::cli {

/// What each influence limit, weight format and palette limit costs and how far it moves vertices, over the poses of
/// edit::make_battery(): a table, or JSON as src/cli/README.md describes it. Other settings are the document's.
std::string diet_report(const edit::Document& document, std::string_view file, bool json);

}  // namespace pelt::cli
