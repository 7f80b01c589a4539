#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "edit/document.h"
#include "edit/pose_battery.h"

namespace pelt::cli {

/// One "what if".
struct DietQuestion {
  std::string what;  ///< "influences 4", "weights 8bit"
  deform::SkinningSettings settings;
};
/// Each influence limit, weight format, palette limit and the partition, one thing at a time about these settings at
/// full precision; the settings themselves last, as "as asked", where they are none of full precision.
std::vector<DietQuestion> diet_questions(const deform::SkinningSettings& settings);

/// What each influence limit, weight format and palette limit costs and how far it moves vertices, over the poses of
/// edit::make_battery(): a table, or JSON as src/cli/machine_output.md describes it. Other settings are the document's.
std::string diet_report(const edit::Document& document, std::string_view file, const edit::BatteryOptions& battery,
                        bool json);

}  // namespace pelt::cli
