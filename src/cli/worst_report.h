#pragma once

#include <string>
#include <string_view>

#include "edit/document.h"
#include "edit/pose_battery.h"

namespace pelt::cli {

/// The places of the skin that deform worst over the poses of edit::make_battery(), as the window's list shows them, by
/// edit::find_worst_spots(): lines for people, or JSON as src/cli/machine_output.md describes it.
std::string worst_report(const edit::Document& document, std::string_view file, int most,
                         const edit::BatteryOptions& battery, bool json);

}  // namespace pelt::cli
